package container

import (
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Protection is what keeps a container from being destroyed with its claim.
type Protection string

// The protections.
const (
	// ProtectedByNothing: the container goes with its claim, or stays because of its deletionPolicy.
	ProtectedByNothing Protection = ""
	// ProtectedByClaim: spec.deletionProtection.
	ProtectedByClaim Protection = "Claim"
	// ProtectedByProxmox: Proxmox's own option.
	ProtectedByProxmox Protection = "Proxmox"
	// ProtectedByBoth of them.
	ProtectedByBoth Protection = "Both"
	// ProtectedByMaking: the provider makes the container, and may not destroy it yet.
	ProtectedByMaking Protection = "Making"
)

// ProtectionOf a container. While Proxmox's own option is on, or is to be, the provider would stop the container when its claim is deleted, and try to
// destroy it for ever (check_protection in destroy_vm of pve-container, src/PVE/API2/LXC.pm): whoever sets it in Proxmox means the same.
func ProtectionOf(p Plan) Protection {
	o := p.Observed.Containers[p.Guest]
	on := is(p.Container.ProxmoxProtection)

	if found := o.Status.AtProvider.Parameters; found != nil && p.State == StateLiving {
		on = on || is(found.Protection)
	}

	on = on && bool(p.Deletion())

	switch {
	case on && p.Container.Protection:
		return ProtectedByBoth
	case on:
		return ProtectedByProxmox
	case p.Container.Protection:
		return ProtectedByClaim
	case isInTheMaking(p), p.Next != nil && isInTheMaking(*p.Next):
		return ProtectedByMaking
	}

	return ProtectedByNothing
}

// isInTheMaking says whether the provider makes a container that is to be destroyed with its claim, as [lifecycle.InTheMaking] says of a VM.
func isInTheMaking(p Plan) bool {
	o := p.Observed.Containers[p.Guest]

	switch {
	case !bool(p.Deletion()):
		return false
	case p.Action == ActionCreate && p.State != StateFailed:
		return true
	}

	return proxmox.Undeletable(o) && (p.State == StateCreating || p.State == StateLiving) && !diagnose.CutOff(o)
}
