package status

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// rebootPending is the condition on changes that the running VM has not taken up.
func (s reporter) rebootPending() Condition {
	c := Condition{Type: TypeRebootPending, Status: status(true)}
	pending := strings.Join(changes(s.in.Plan.Pending), "; ")

	switch {
	case s.in.Plan.Restarting:
		c.Reason, c.Message = ReasonRebooting, s.vmName()+" is stopped and started, as spec.lifecycle asks."
		if pending != "" {
			c.Message += " These changes take effect with that: " + pending + "."
		}
	case pending != "":
		c.Reason, c.Message = ReasonChangesPending, "These changes take effect when the VM is next stopped and started: "+pending+". "+s.waysToReboot()
	default:
		c.Status, c.Reason, c.Message = status(false), ReasonNothingPending, "No change waits for the VM to be stopped and started."
	}

	return c
}

// waysToReboot says how changes get to take effect. A VM is only seen stopped when the provider looks at it meanwhile.
func (s reporter) waysToReboot() string {
	ways := "Set spec.lifecycle.reboot to a new word, or spec.lifecycle.rebootPolicy to WhenNeeded, and the VM is shut down and started again for them. "
	if s.in.Machine.Lifecycle.RebootPolicy == v1alpha1.RebootWhenNeeded {
		ways = "spec.lifecycle.rebootPolicy is WhenNeeded: the VM is shut down and started again for them by itself. "
	}

	return ways + s.fill("Or do it in Proxmox: shut the VM down and start it, or `qm reboot <vmId>` on its node. What was not seen stopped is not known to have taken them up: "+
		"if this stays after a quick reboot, take the annotation off that remembers it: `kubectl annotate <resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> "+
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
