package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// hostnameLabel is how a kubelet labels its Node with its host name.
const hostnameLabel = "kubernetes.io/hostname"

// AsksForVolumes says whether PersistentVolumes have to be known to tell whether the machine may be deleted: its disks would go with it.
func AsksForVolumes(r Request) bool {
	k := r.Machine.K3s

	return k != nil && k.ProtectVolumes && k.Observe == machine.ObserveHere && r.Machine.DeletionPolicy == v1alpha1.DeletionDelete
}

// HeldVolumes are the volumes because of which the machine must not be deleted: those with data that is on its Node and nowhere else, by the
// names of their claims, sorted. A Node that is another machine's holds nothing of this one. One that is gone, or that nobody can prove to be this machine's,
// may have left volumes here.
func HeldVolumes(s Situation) []string {
	if !AsksForVolumes(s.Request) || s.NodeOwner().Ownership == OwnershipOther {
		return nil
	}

	names := []string{s.Node.Name}
	if n := s.Node.Node; n != nil {
		names = append(names, n.Metadata.Labels[hostnameLabel])
	}

	var out []string

	for _, v := range s.Volumes {
		if v.HoldsData() && v.LivesOn(names...) {
			out = append(out, v.Title())
		}
	}

	slices.Sort(out)

	return out
}
