package replacement

import "github.com/homelab-io/function-proxmox-machine/internal/succession"

// A Fate is what becomes of a container that is not the claim's any more.
type Fate string

// The fates.
const (
	// Destroyed: with its volumes.
	Destroyed Fate = "Destroyed"
	// Left: it stays in Proxmox, stopped.
	Left Fate = "Left"
)

// A Permission says whether a container may be destroyed.
type Permission string

// The permissions.
const (
	Permitted Permission = ""
	// KeptByClaim: spec.deletionProtection.
	KeptByClaim Permission = "Claim"
	// KeptByProxmox: Proxmox's own option.
	KeptByProxmox Permission = "Proxmox"
)

// A Written says whether the provider has been told the fate of a container.
type Written string

// What the provider has been told.
const (
	Untold Written = ""
	Told   Written = "Told"
)

// A Leaver is a container that was replaced, or was to replace another one.
type Leaver struct {
	Existence  succession.Existence
	Power      Power
	Fate       Fate
	Permission Permission
	Written    Written
	// Successor says whether the one in its place was seen to run; nothing is destroyed before.
	Successor succession.Standing
}

// A Departure is what this call does with a leaver.
type Departure string

// The departures.
const (
	// Stays: it stays as it was last written, until the provider shows whether there is one.
	Stays Departure = "Stays"
	// Stops: it is stopped, and the provider told what is to become of it.
	Stops Departure = "Stops"
	// Kept: it stays stopped, since it may not be destroyed.
	Kept Departure = "Kept"
	// Goes: its managed resource goes, and the policies that it was last written with decide whether the container is destroyed.
	Goes Departure = "Goes"
)

// Depart decides what this call does with a leaver.
func Depart(l Leaver) Departure {
	switch {
	case l.Existence == succession.Making:
		return Stays
	case l.Existence != succession.Exists:
		return Goes
	case l.Fate == Destroyed && l.Permission != Permitted:
		return Kept
	case l.Power == On, l.Written == Untold, l.Successor == succession.Unproven:
		return Stops
	}

	return Goes
}
