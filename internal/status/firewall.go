package status

import (
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A firewallReport is about the VM's own firewall in Proxmox.
type firewallReport struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	vm      *activeVM
}

// datacenterSwitch is what nobody can see from here.
const datacenterSwitch = " It has an effect only if the firewall of the datacenter is on, too (Datacenter, Firewall, Options), which the function cannot see."

// conditions has the condition on the firewall, where the claim has one, or did.
func (f *firewallReport) conditions() []Condition {
	c := Condition{Type: TypeFirewallApplied, Status: metav1.ConditionFalse}

	switch f.plan.Firewall.Stage {
	case lifecycle.FirewallNone:
		return nil
	case lifecycle.FirewallAwaitsVM:
		c.Reason, c.Message = ReasonFirewallPending, "The provider writes the firewall when the VM exists: "+f.plan.Firewall.Does+"."+datacenterSwitch
	case lifecycle.FirewallStands:
		c.Reason, c.Message = ReasonFirewallStands, "The firewall of "+f.vm.shortTitle()+" stays as it is: "+f.cause()+"."
	case lifecycle.FirewallAccepting:
		c.Reason = ReasonFirewallPending
		c.Message = "The provider writes the rules of " + f.vm.shortTitle() + ". Only when they are there, its firewall drops the rest: " + f.plan.Firewall.Does + "." +
			datacenterSwitch
	case lifecycle.FirewallSwitching:
		c.Reason, c.Message = ReasonFirewallPending, "The provider writes the firewall of "+f.vm.shortTitle()+"."
	case lifecycle.FirewallLeaving:
		c.Reason = ReasonFirewallLeaving
		c.Message = "The claim has no firewall any more: the provider switches the firewall of " + f.vm.shortTitle() + " off, and deletes its rules then."
	case lifecycle.FirewallApplied:
		c.Status = metav1.ConditionTrue
		c.Reason, c.Message = f.applied()
	}

	return []Condition{c}
}

// cause says why the firewall stays as it was last written.
func (f *firewallReport) cause() string {
	if f.plan.Stands() {
		return "an edit waits for approval"
	}

	return "the catalogue lacks what its rules depend on"
}

// applied says what the firewall does.
func (f *firewallReport) applied() (reason, text string) {
	wall := f.machine.Firewall

	switch {
	case !wall.Enabled:
		return ReasonSwitchedOff, "The firewall of " + f.vm.shortTitle() + " is off: spec.firewall.enabled is false."
	case !wall.Drops():
		return ReasonOpen, "The firewall of " + f.vm.shortTitle() + " is on and has no rules, so everything reaches the guest: set spec.firewall.preset or " +
			"spec.firewall.allow." + datacenterSwitch
	}

	return ReasonFiltering, "The firewall of " + f.vm.shortTitle() + " drops incoming connections that no rule accepts." + datacenterSwitch + f.switchedOff()
}

// switchedOff names the interfaces that the claim keeps out of the firewall.
func (f *firewallReport) switchedOff() string {
	var out []string

	for i, n := range f.machine.NICs {
		if n.Firewall != nil && !*n.Firewall {
			out = append(out, nicField(i))
		}
	}

	if len(out) == 0 {
		return ""
	}

	return " It does not filter interfaces whose own switch is off: " + strings.Join(out, ", ") + "."
}

// nicField is the field of the switch of an interface.
func nicField(i int) string {
	if i == 0 {
		return "spec.network.firewall"
	}

	return "spec.nics[" + strconv.Itoa(i-1) + "].firewall"
}
