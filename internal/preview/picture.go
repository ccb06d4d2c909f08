package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Picture of machines as text: each Proxmox node with its VMs and containers, their sizes, bridges and addresses.
func Picture(all []Rendered) (string, error) {
	nodes, err := guestsByNode(all)
	if err != nil {
		return "", err
	}

	var out strings.Builder

	for _, node := range slices.Sorted(maps.Keys(nodes)) {
		fmt.Fprintln(&out, node)

		for i, g := range nodes[node] {
			branch, indent := "├── ", "│   "
			if i == len(nodes[node])-1 {
				branch, indent = "└── ", "    "
			}

			first, rest, _ := strings.Cut(inPicture(g), "\n")
			fmt.Fprintf(&out, "%s%s\n", branch, first)

			for line := range strings.Lines(rest) {
				fmt.Fprintf(&out, "%s%s", indent, line)
			}
		}
	}

	return out.String(), nil
}

// inPicture is a guest, on a line of its own, and its interfaces below it.
func inPicture(g guest) string {
	var out strings.Builder

	out.WriteString(g.name + "  " + g.what)

	if g.size != "" {
		out.WriteString(": " + g.size)
	}

	out.WriteString("\n")

	for _, n := range g.nics {
		fmt.Fprintf(&out, "  %s%s\n", n.bridge, n.addresses)
	}

	return out.String()
}
