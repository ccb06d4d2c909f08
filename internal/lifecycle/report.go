package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// K3sReport is what the guest of a VM reports of its K3s bootstrap, as of the provider's last poll; 10 minutes ago by default. It is weaker
// than the Node of a cluster's API: it proves that K3s of this VM has served once, not that it does so now, and a root user of the guest can
// write it. Nothing that could stop or remove a VM may follow from it.
//
// The state is [guestreport.K3sUnknown] where nothing is known: for a VM that is not ours or is stopped, a guest agent that does not answer,
// and a guest of an earlier release.
func K3sReport(vm proxmox.ObservedVM) guestreport.K3s { return guestreport.ReadK3s(reportLinks(vm)) }

// NixReport is what the guest of a NixOS VM reports of its last convergence, with the same restrictions as [K3sReport].
func NixReport(vm proxmox.ObservedVM) guestreport.Nix { return guestreport.ReadNix(reportLinks(vm)) }

// reportLinks are the names of a running VM's links. The guest of a VM that is only looked at is somebody else's.
func reportLinks(vm proxmox.ObservedVM) []string {
	if vm.ObserveOnly() || !vm.Found() || !vm.Status.AtProvider.Started {
		return nil
	}

	return vm.Status.AtProvider.NetworkInterfaceNames
}
