package resolve

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// ownDatastores are those that Proxmox's installer makes on each node. Nobody else sees what is on them.
var ownDatastores = []string{"local", "local-lvm", "local-zfs"} //nolint:gochecknoglobals // A constant list.

// cloneElsewhere refuses a new VM on another node than its template's, where its disks are to be on a datastore that the template's node does not
// see. The provider has Proxmox clone on the template's node and onto the new VM's datastore (vmCreateClone in
// bpg/terraform-provider-proxmox v0.111.1, proxmoxtf/resource/vm/vm.go); Proxmox answers that the storage is not available on that node, or that it
// cannot clone to a non-shared storage.
func cloneElsewhere(g *given, n *notes, b machine.Boot, p machine.Placement, shared []string) {
	t := b.Template
	if t == nil || t.Node == "" || g.existing.Node != "" || p.Node == "" || p.Node == t.Node || slices.Contains(shared, p.DiskDatastore) {
		return
	}

	const remedies = "Use an image with a URL, or a template on each node (an image for each in the catalogue), or a datastore that all nodes see (sites.<site>.sharedDatastores lists those)"

	// Nodes that a tenant is not told of have no name.
	on, template, node, datastore := "node "+message.Excerpt(t.Node), "node "+message.Excerpt(t.Node), "node "+message.Excerpt(p.Node), message.Excerpt(p.DiskDatastore)
	if !g.catalog.Tells(catalog.KindNode, p.Site, t.Node) {
		on, template = "another node", "that node"
	}

	if !g.catalog.Tells(catalog.KindNode, p.Site, p.Node) {
		node = "its own node"
	}

	if len(shared) == 0 && !slices.Contains(ownDatastores, p.DiskDatastore) {
		n.warn("Image %s: template %d is on %s, and the VM is to be on %s. That works only if %s sees datastore %s, too. If it does not: %s.",
			message.Excerpt(b.Image), t.VMID, on, node, template, datastore, remedies)

		return
	}

	at := g.at.Child("image")
	if g.spec.Image == "" {
		at = g.at.Child("proxmox", "node")
	}

	n.add(field.Invalid(at, message.Excerpt(b.Image), "template "+strconv.FormatInt(t.VMID, 10)+" is on "+on+
		", and Proxmox cannot clone it to datastore "+datastore+" of "+node+", which "+template+
		" does not see. "+remedies+", or create the VM on "+template))
}
