package status

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A rebootReport is about changes that the running VM has not taken up.
type rebootReport struct {
	policy v1alpha1.RebootPolicy
	plan   *lifecycle.Plan
	vm     *activeVM
}

// condition is the condition on changes that the running VM has not taken up.
func (r *rebootReport) condition() Condition {
	c := Condition{Type: TypeRebootPending, Status: Truth(true)}
	pending := strings.Join(changes(r.plan.Pending), "; ")

	switch {
	case r.plan.Restarting:
		c.Reason, c.Message = ReasonRebooting, r.vm.title()+" is being power-cycled, as spec.lifecycle requests."
		if pending != "" {
			c.Message += " These changes then take effect: " + pending + "."
		}
	case holds(r.plan, lifecycle.OutageReboot, lifecycle.OutagePowerCycle):
		reason, text := waitsFor(r.plan)
		c.Reason, c.Message = reason, r.vm.title()+" is to be power-cycled, as spec.lifecycle requests, and waits. "+text

		if pending != "" {
			c.Message += " These changes then take effect: " + pending + "."
		}
	case pending != "":
		c.Reason, c.Message = ReasonChangesPending, "These changes take effect at the VM's next power cycle: "+pending+". "+r.ways()
	default:
		c.Status, c.Reason, c.Message = Truth(false), ReasonNothingPending, "No change waits for a power cycle."
	}

	return c
}

// ways says how changes get to take effect. A VM is only seen stopped when the provider looks at it meanwhile.
func (r *rebootReport) ways() string {
	ways := "To power-cycle the VM, set spec.lifecycle.reboot to a new value, or spec.lifecycle.rebootPolicy to WhenNeeded. "
	if r.policy == v1alpha1.RebootWhenNeeded {
		ways = "spec.lifecycle.rebootPolicy is WhenNeeded, so the provider power-cycles the VM automatically. "
	}

	own := "Or shut the VM down and start it in Proxmox, or run `qm reboot <vmId>` on its node. "
	if switchedOff(r.vm.wanted) {
		ways += "For that the provider switches the VM off, as if its power failed, because the VM has no guest agent. "
		own = "To shut the guest down cleanly instead, run `qm reboot <vmId>` on its node. "
	}

	return ways + r.vm.fill(own+"If you rebooted and this stays, the "+
		"provider missed it; clear it with `kubectl annotate <resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> "+
		proxmox.RebootPendingAnnotation+"-`.", Finding{Name: r.vm.name, Kind: proxmox.VMKind, APIVersion: r.vm.seen.APIVersion})
}

// changes are changes in one line each.
func changes(all []change.Change) []string {
	var out []string
	for _, c := range all {
		out = append(out, message.Text(c.String()))
	}

	return out
}
