package status

import (
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// afterRival says when a VM starts again that a replacement, which was taken back, had stopped. title is the VM's.
func afterRival(title string, plan *lifecycle.Plan) string {
	name := plan.Rival()
	other := plan.Observed.VMs[name]

	if id := proxmox.VMIDOf(other); id != 0 {
		name = "VM " + strconv.FormatInt(id, 10)
	}

	return title + " starts again as soon as " + name + ", which was to replace it, is gone." + lostHint(other, plan.Machine.Lifecycle.Lost)
}

// lostHint says what a person can do where the provider cannot read the old VM, and so never sees it stopped.
func lostHint(old proxmox.ObservedVM, lost string) string {
	if host := lifecycle.HostOf(old); !old.Found() && !old.FoundNone() && old.Status.AtProvider.ID != "" && host != "" && host != lost {
		return " The provider cannot read it on node " + host + ": if the node does not come back and the VM is off for good, set spec.lifecycle.lost to " + quote(host) + "."
	}

	return ""
}
