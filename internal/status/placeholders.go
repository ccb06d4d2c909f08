package status

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// fill puts the machine's own names into a text of the table. What is not known stays as it is.
func (v *activeVM) fill(text string, f finding) string {
	m := v.machine
	// An option of kubectl says the namespace where the managed resources are in it.
	if m.Identity.Namespace == "" || namespaced(f) {
		text = strings.ReplaceAll(text, ",homelab.io/namespace=<namespace>", "")
	}

	known := map[string]string{
		"<node>": m.Placement.Node, "<site>": m.Placement.Site, "<image>": m.Boot.Image, "<machine>": m.Identity.Name,
		"<namespace>": m.Identity.Namespace,
		"<resource>":  resource(f, m.Identity),
	}

	if id := v.numberOf(f.name); id != 0 {
		known["<vmId>"] = strconv.FormatInt(id, 10)
	}

	if node := v.nodeOf(f.name); node != "" {
		known["<node>"] = node
	}

	for _, placeholder := range slices.Sorted(maps.Keys(known)) {
		if known[placeholder] != "" {
			text = strings.ReplaceAll(text, placeholder, known[placeholder])
		}
	}

	return text
}

// resource is a kind of managed resource as kubectl takes it. The group has to be there: the kinds of the provider's
// flavours have the same names.
func resource(f finding, id machine.Identity) string {
	out := proxmox.ResourceOf(f.apiVersion, f.kind)

	if namespaced(f) && id.Namespace != "" {
		out += " -n " + id.Namespace
	}

	return out
}

// namespaced says whether the managed resource is in its claim's namespace.
func namespaced(f finding) bool { return proxmox.InNamespaces(f.apiVersion, f.kind) }
