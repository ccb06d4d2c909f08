package container

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A State is how far a container has come.
type State string

// The states of a container.
const (
	// StateAbsent: there is no container of the claim.
	StateAbsent State = "Absent"
	// StateCreating: the provider was asked to create the container, and has not shown it yet.
	StateCreating State = "Creating"
	// StateFailed: the provider could not create the container.
	StateFailed State = "Failed"
	// StateForeign: the provider was to create the container, and found somebody else's.
	StateForeign State = "Foreign"
	// StateTakenOver: the container was deleted in Proxmox, and somebody made another one with its VMID.
	StateTakenOver State = "TakenOver"
	// StateLiving: the container exists.
	StateLiving State = "Living"
)

// StateOf a container.
func StateOf(o proxmox.ObservedContainer, observed bool) State {
	_, creating := o.Metadata.Annotations[proxmox.CreatingAnnotation]

	switch {
	case !observed || o.ObserveOnly():
		return StateAbsent
	case !creating && isTakenOver(o):
		return StateTakenOver
	case !creating:
		return StateLiving
	case o.Status.AtProvider.ID == "" && !o.MayExist():
		return StateFailed
	case o.Status.AtProvider.ID == "":
		return StateCreating
	case isOurs(o):
		return StateLiving
	}

	return StateForeign
}

// isOurs says whether the container that the provider shows is the one that it was asked to create: it has begun a creation since, and the
// container has the identity in its notes.
func isOurs(o proxmox.ObservedContainer) bool {
	found := o.Status.AtProvider.Parameters

	return proxmox.CreationBeganIn(o.Metadata.Metadata) && found != nil && sameText(found.Description, o.Spec.ForProvider.Description)
}

// isTakenOver says whether another container has the VMID of a container that exists, as far as the provider knows. It goes by the VMID alone, and
// would change that container and destroy it with the claim. The evidence is that the notes lack the identity that was written, beside another
// host name: who edits the notes in Proxmox does not rename the container, and an edit of the claim leaves the identity.
func isTakenOver(o proxmox.ObservedContainer) bool {
	found, written := o.Status.AtProvider.Parameters, o.Spec.ForProvider
	identity := identityIn(written.Description)

	return found != nil && identity != "" && !strings.Contains(found.Description, identity) && found.Hostname() != written.Hostname()
}
