package resolve

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/datadisks"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// lacksSnippets reports whether a new machine whose user-data Proxmox could generate otherwise would need a datastore that nobody named. A
// machine whose node is not known yet is not judged.
func (r *resolver) lacksSnippets() bool {
	return r.existing.Node == "" && r.out.Placement.Node != "" && !r.out.Placement.SnippetsNamed && r.k3s == nil && r.nix == nil && r.spec.Bootstrap.UserData == ""
}

// mountsDisks reports whether the machine's rendered user-data formats and mounts data disks.
func (r *resolver) mountsDisks() bool {
	return r.out.Boot.OS != machine.OSNixOS &&
		slices.ContainsFunc(r.spec.Disks, func(d v1alpha1.Disk) bool { return d.Filesystem != "" })
}

// mounts checks that something in the guest can format and mount the data disks.
func (r bootDisk) mounts() {
	for i, d := range r.spec.Disks {
		if d.Filesystem == "" {
			continue
		}

		if r.existing.Adopting {
			r.warn("spec.disks[%s].filesystem: the VM was not created by the function, which changes nothing in its guest. %s",
				message.Excerpt(d.Name), datadisks.ByHand(machine.Disk{Name: d.Name, Filesystem: d.Filesystem, MountPath: d.MountPath}))

			continue
		}

		r.mount(r.at.Child("disks").Index(i).Child("filesystem"), d)
	}
}

func (r bootDisk) mount(at *field.Path, d v1alpha1.Disk) {
	b := r.out.Boot

	switch {
	case b.Source == "": // The image is a fault of its own.
	case b.OS == machine.OSNixOS:
		if longest := datadisks.MaxLabel(d.Filesystem); len(d.Name) > longest {
			r.add(field.Invalid(at, d.Filesystem, fmt.Sprintf("a NixOS machine's flake mounts the disk by the label %s, and a label of %s has at most %d "+
				"characters: give the disk a shorter name, or leave filesystem and mountPath out", message.Excerpt(d.Name), d.Filesystem, longest)))
		}
	case r.spec.Bootstrap.Snippets.UserData != "":
		r.add(field.Forbidden(at, "bootstrap.snippets.userData is already the whole user-data: format and mount the disk in that file"))
	case !b.CloudInit:
		r.add(field.Forbidden(at, fmt.Sprintf("image %s does not read cloud-init data, so this would have no effect: format and mount the disk in the guest",
			message.Excerpt(b.Image))))
	case b.OS == machine.OSWindows || b.OS == machine.OSOther:
		r.add(field.Forbidden(at, "only a Linux guest formats and mounts disks: name an image with os: debian, ubuntu or linux, or format the disk in the guest"))
	case r.lacksSnippets():
		r.add(field.Forbidden(at, "the guest formats the disk as a cloud-init snippet says, and the catalogue names no datastore for snippets of node "+
			message.Excerpt(r.out.Placement.Node)+" (datastores.snippets): name it, or format the disk in the guest"))
	}
}
