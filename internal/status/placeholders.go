package status

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// fill puts the machine's own names into a text of the table.
func (v *activeVM) fill(text string, f Finding) string {
	m := v.machine

	node := v.nodeOf(f.Name)
	if _, isVM := v.all[f.Name]; !isVM { // An image or a snippet can be on another node than the VM that was made of it.
		node = cmp.Or(f.Node, node)
	}

	known := map[string]string{"<node>": cmp.Or(node, m.Placement.Node), "<site>": m.Placement.Site, "<image>": m.Boot.Image}

	if id := v.numberOf(f.Name); id != 0 {
		known["<vmId>"] = strconv.FormatInt(id, 10)
	}

	return fill(text, f, m.Identity, known)
}

// fill puts a claim's own names into a text of the table, and what is known beside them. What is not known stays as it is.
func fill(text string, f Finding, id machine.Identity, beside map[string]string) string {
	// An option of kubectl says the namespace where the managed resources are in it.
	if id.Namespace == "" || namespaced(f) {
		text = strings.ReplaceAll(text, ",homelab.io/namespace=<namespace>", "")
	}

	known := map[string]string{"<machine>": id.Name, "<namespace>": id.Namespace, "<resource>": resource(f, id)}
	maps.Copy(known, beside)

	for _, placeholder := range slices.Sorted(maps.Keys(known)) {
		if known[placeholder] != "" {
			text = strings.ReplaceAll(text, placeholder, known[placeholder])
		}
	}

	return text
}

// resource is a kind of managed resource as kubectl takes it. The group has to be there: the kinds of the provider's
// flavours have the same names.
func resource(f Finding, id machine.Identity) string {
	out := proxmox.ResourceOf(f.APIVersion, f.Kind)

	if namespaced(f) && id.Namespace != "" {
		out += " -n " + id.Namespace
	}

	return out
}

// namespaced says whether the managed resource is in its claim's namespace.
func namespaced(f Finding) bool { return proxmox.InNamespaces(f.APIVersion, f.Kind) }
