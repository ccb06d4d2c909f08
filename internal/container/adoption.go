package container

import (
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Adoption is what is known of a container that is to be adopted.
type Adoption struct {
	VMIDCheck

	Plan    string // What approves the changes; empty until they are known.
	Consent lifecycle.Consent
	// Unsupported says why the container cannot be adopted, in a sentence; empty where it can.
	Unsupported string
	Changes     []change.Change
	// Found is what the provider has read; nil until then, and where it cannot be adopted.
	Found *proxmox.ContainerParameters
	// Reserves is what a tenant's quota counts before the adoption; empty where nothing counts it.
	Reserves string
	// Look is the composed resource name of what looks at the container.
	Look string
	// Firewall is the container as far as its own firewall depends on it; nil where the container is not read, or cannot be adopted.
	Firewall *lifecycle.FirewalledGuest
}

// ReadsRules is as that of a VM's adoption.
func (a Adoption) ReadsRules() bool { return a.Firewall != nil && a.Plan == "" }
