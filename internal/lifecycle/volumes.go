package lifecycle

import (
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
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
// may have left volumes here: these keep the machine, too, and have no names, since anybody can give a machine the host name of a Node that is gone.
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

	if len(out) > 0 && !s.knownAsNode() {
		return []string{fmt.Sprintf("%d on Node %s, which nobody has seen to be this machine's", len(out), s.Node.Name)}
	}

	slices.Sort(out)

	return out
}

// knownAsNode says whether the machine's Node is known to be its own, or one of its VMs is known to have been a Node.
func (s Situation) knownAsNode() bool {
	if s.NodeOwner().Ownership == OwnershipOurs {
		return true
	}

	for _, vm := range s.Observed.VMs {
		if vm.Metadata.Annotations[proxmox.NodeJoinedAnnotation] != string(NodeJoinNone) {
			return true
		}
	}

	return false
}
