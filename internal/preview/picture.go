package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Picture of machines as text: each Proxmox node with its VMs, their sizes, bridges and addresses.
func Picture(all []Rendered) (string, error) {
	nodes, err := vmsByNode(all)
	if err != nil {
		return "", err
	}

	var out strings.Builder

	for _, node := range slices.Sorted(maps.Keys(nodes)) {
		fmt.Fprintln(&out, node)

		for i, observed := range nodes[node] {
			vm := inPicture(observed)
			branch, indent := "├── ", "│   "
			if i == len(nodes[node])-1 {
				branch, indent = "└── ", "    "
			}

			first, rest, _ := strings.Cut(vm, "\n")
			fmt.Fprintf(&out, "%s%s\n", branch, first)

			for line := range strings.Lines(rest) {
				fmt.Fprintf(&out, "%s%s", indent, line)
			}
		}
	}

	return out.String(), nil
}

// vmsByNode are the VMs that were rendered, by their Proxmox node.
func vmsByNode(all []Rendered) (map[string][]proxmox.ObservedVM, error) {
	nodes := map[string][]proxmox.ObservedVM{}

	var machines []Rendered
	for _, r := range all {
		machines = append(machines, r.all()...)
	}

	for _, r := range machines {
		if r.Err != nil {
			continue
		}

		state, err := r.state()
		if err != nil {
			return nil, err
		}

		for _, name := range slices.Sorted(maps.Keys(state.VMs)) {
			vm := state.VMs[name]
			nodes[vm.Spec.ForProvider.NodeName] = append(nodes[vm.Spec.ForProvider.NodeName], vm)
		}
	}

	return nodes, nil
}

// inPicture is a VM, on a line of its own, and its interfaces below it.
func inPicture(vm proxmox.ObservedVM) string {
	p := vm.Spec.ForProvider

	var out strings.Builder

	fmt.Fprintf(&out, "%s  %s: %s\n", p.Name, vmName(vm), size(p))

	for i, n := range p.NetworkDevice {
		fmt.Fprintf(&out, "  %s%s%s\n", n.Bridge, vlan(n), addresses(p, i))
	}

	return out.String()
}
