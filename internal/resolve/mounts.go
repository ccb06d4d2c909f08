package resolve

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/datadisks"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// mounts checks that something in the guest can format and mount the data disks.
func mounts(g *given, n *notes, m *machine.Machine) {
	for i, d := range g.spec.Disks {
		if d.Filesystem == "" {
			continue
		}

		if g.existing.Adopting {
			n.warn("spec.disks[%s].filesystem: the VM was not created by the function, which changes nothing in its guest. %s",
				message.Excerpt(d.Name), datadisks.ByHand(machine.Disk{Name: d.Name, Filesystem: d.Filesystem, MountPath: d.MountPath}))

			continue
		}

		if fault := mount(g, m, g.at.Child("disks").Index(i).Child("filesystem"), d); fault != nil {
			n.add(fault)
		}
	}
}

// mount says why nothing in the guest can format and mount a data disk; nil where something does.
func mount(g *given, m *machine.Machine, at *field.Path, d v1alpha1.Disk) *field.Error {
	b := m.Boot

	switch {
	case b.Source == "": // The image is a fault of its own.
	case b.OS == machine.OSNixOS:
		if longest := datadisks.MaxLabel(d.Filesystem); len(d.Name) > longest {
			return field.Invalid(at, d.Filesystem, fmt.Sprintf("a NixOS machine's flake mounts the disk by the label %s, and a label of %s has at most %d "+
				"characters: give the disk a shorter name, or leave filesystem and mountPath out", message.Excerpt(d.Name), d.Filesystem, longest))
		}
	case g.spec.Bootstrap.Snippets.UserData != "":
		return field.Forbidden(at, "bootstrap.snippets.userData is already the whole user-data: format and mount the disk in that file")
	case !b.CloudInit:
		return field.Forbidden(at, fmt.Sprintf("image %s does not read cloud-init data, so this would have no effect: format and mount the disk in the guest",
			message.Excerpt(b.Image)))
	case b.OS == machine.OSWindows || b.OS == machine.OSOther:
		return field.Forbidden(at, "only a Linux guest formats and mounts disks: name an image with os: debian, ubuntu or linux, or format the disk in the guest")
	case lacksSnippets(g, m.Placement):
		return field.Forbidden(at, "the guest formats the disk as a cloud-init snippet says, and the catalogue names no datastore for snippets of node "+
			message.Excerpt(m.Placement.Node)+" (datastores.snippets): name it, or format the disk in the guest")
	}

	return nil
}
