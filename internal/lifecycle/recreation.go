package lifecycle

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Origin is what a VM's managed resource notes of the creation that the VM comes from.
type Origin struct {
	// Created is the provider's mark of that creation, or [proxmox.Recreating] while the provider creates the VM again. Empty of a
	// VM from a release that noted none.
	Created string
	// Recreated is when the provider began to create the VM again, which was gone from Proxmox. Empty if it did not, or if a
	// person has removed the note.
	Recreated string
}

// origin of the described VM. A creation that is under way is noted once and without its mark, since the provider marks every
// attempt, and a changed annotation would make it try again at once.
func origin(s *Situation, waiting bool) Origin {
	annotations := s.vm.Metadata.Annotations
	out := Origin{Created: annotations[proxmox.CreatedAnnotation], Recreated: annotations[proxmox.RecreatedAnnotation]}
	mark := proxmox.CreationMark(s.vm)

	switch proxmox.RecreationOf(s.vm) {
	case proxmox.RecreationDone:
		return Origin{Created: mark, Recreated: mark}
	case proxmox.RecreationUnderWay:
		out.Created = proxmox.Recreating
	case proxmox.RecreationNone:
		// A VM of an earlier release is left alone until something is noted of it anyway.
		noted := out.Created != "" || s.Adopted
		if proxmox.CreationOf(s.vm) == proxmox.CreationOurs || waiting && !noted {
			out.Created = mark
		}
	}

	return out
}

// anotherVM says whether this call finds out that the provider creates the VM again, or did: what waited for a power cycle of the
// VM before waits for nothing any more.
func anotherVM(vm proxmox.ObservedVM) bool {
	return proxmox.RecreationOf(vm) != proxmox.RecreationNone && vm.Metadata.Annotations[proxmox.CreatedAnnotation] != proxmox.Recreating
}

// rejoins is the value of spec.lifecycle.joined that confirms that a K3s server has joined its cluster again, since its VM was
// created again, with empty disks. Empty if there is nothing new to confirm.
func rejoins(s *Situation) string {
	if !s.server() || proxmox.RecreationOf(s.vm) != proxmox.RecreationDone {
		return ""
	}

	// The API server takes no colon in a trigger.
	return strings.ReplaceAll(proxmox.CreationMark(s.vm), ":", "-")
}
