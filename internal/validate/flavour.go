package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// The faults of what the provider of an installation cannot do.
const (
	noSites      = "a ProxmoxSite needs provider-proxmox-bpg v1.18.0 or later (docs/compatibility.md). Upgrade the provider"
	noContainers = "a Container needs provider-proxmox-bpg v1.14.0 or later: earlier releases cannot start or stop a container (docs/compatibility.md). Upgrade the provider"
	noFirewalls  = "needs provider-proxmox-bpg v1.9.1 or later: releases up to v0.11.1 cannot change the rules of a firewall without a gap, in which nobody " +
		"reaches the guest. Remove firewall, or upgrade the provider (docs/compatibility.md)"
)

// SitesWith returns the fault of a ProxmoxSite in an installation whose provider cannot make one.
func SitesWith(f proxmox.Flavour) field.ErrorList {
	if f.MakesSites() {
		return nil
	}

	return field.ErrorList{field.Forbidden(field.NewPath("kind"), noSites)}
}

// ContainersWith returns the fault of a Container in an installation whose provider cannot start one.
func ContainersWith(f proxmox.Flavour) field.ErrorList {
	if f.StartsContainers() {
		return nil
	}

	return field.ErrorList{field.Forbidden(field.NewPath("kind"), noContainers)}
}

// WithoutFirewalls says why the provider of an installation can change no firewall; empty where it can.
func WithoutFirewalls(f proxmox.Flavour) string {
	if f.UpdatesFirewalls() {
		return ""
	}

	return "it needs provider-proxmox-bpg v1.9.1 or later (docs/compatibility.md)"
}

// FirewallWith returns the fault of a machine whose claim has a firewall in an installation whose provider cannot change one.
func FirewallWith(f proxmox.Flavour, m *machine.Machine) field.ErrorList {
	if m.Firewall == nil || m.Firewall.From == machine.FirewallFromDefault || f.UpdatesFirewalls() {
		return nil
	}

	return field.ErrorList{field.Forbidden(field.NewPath("spec", "firewall"), noFirewalls)}
}
