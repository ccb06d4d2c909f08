package status

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// rebootPending is the condition on changes that the running VM has not taken up.
func (s reporter) rebootPending() Condition {
	c := Condition{Type: TypeRebootPending, Status: status(true)}
	pending := strings.Join(changes(s.in.Plan.Pending), "; ")

	switch {
	case s.in.Plan.Restarting:
		c.Reason, c.Message = ReasonRebooting, s.vmName()+" is being power-cycled, as spec.lifecycle requests."
		if pending != "" {
			c.Message += " These changes then take effect: " + pending + "."
		}
	case s.holdsReboot():
		c.Reason, c.Message = ReasonWaitingForQuorum, s.vmName()+" is to be power-cycled, as spec.lifecycle requests, and waits. "+s.waitsForQuorum()
		if pending != "" {
			c.Message += " These changes then take effect: " + pending + "."
		}
	case pending != "":
		c.Reason, c.Message = ReasonChangesPending, "These changes take effect at the VM's next power cycle: "+pending+". "+s.waysToReboot()
	default:
		c.Status, c.Reason, c.Message = status(false), ReasonNothingPending, "No change waits for a power cycle."
	}

	return c
}

// holdsReboot says whether a power cycle was asked for and has to wait.
func (s reporter) holdsReboot() bool {
	o := s.in.Plan.Outage

	return o.Waits() && (o.Is(lifecycle.OutageReboot) || o.Is(lifecycle.OutagePowerCycle))
}

// waysToReboot says how changes get to take effect. A VM is only seen stopped when the provider looks at it meanwhile.
func (s reporter) waysToReboot() string {
	ways := "To power-cycle the VM, set spec.lifecycle.reboot to a new value, or spec.lifecycle.rebootPolicy to WhenNeeded. "
	if s.in.Machine.Lifecycle.RebootPolicy == v1alpha1.RebootWhenNeeded {
		ways = "spec.lifecycle.rebootPolicy is WhenNeeded, so the provider power-cycles the VM automatically. "
	}

	if s.switchedOff() {
		ways += "The VM has no guest agent, so the provider switches it off: to shut the guest down cleanly, do it yourself. "
	}

	return ways + s.fill("Or shut the VM down and start it in Proxmox, or run `qm reboot <vmId>` on its node. If you rebooted and this stays, the "+
		"provider missed it; clear it with `kubectl annotate <resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> "+
		proxmox.RebootPendingAnnotation+"-`.", finding{name: s.name, kind: proxmox.VMKind, apiVersion: s.vm.APIVersion})
}

// changes are changes in one line each.
func changes(all []change.Change) []string {
	var out []string
	for _, c := range all {
		out = append(out, c.String())
	}

	return out
}
