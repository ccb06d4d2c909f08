package status

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A firewallReport is about the VM's own firewall in Proxmox.
type firewallReport struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	vm      *activeVM
	before  *v1alpha1.Status
}

// conditions has the condition on the firewall, where the claim has one, or did.
func (f *firewallReport) conditions() []Condition {
	return FirewallConditions(f.plan.Firewall, FirewalledGuest{
		Kind: "VM", Title: f.vm.shortTitle(), Machine: f.machine, Stands: f.cause(), Unswitched: f.outside(), Before: f.before.Conditions,
	})
}

// outside says which interfaces go behind the firewall with this call; empty where none does.
func (f *firewallReport) outside() string {
	var out []string

	for i, has := range f.vm.all[f.plan.Roles.Described()].Spec.ForProvider.NetworkDevice {
		if i < len(f.machine.NICs) && isTrue(f.machine.NICs[i].Firewall) && has.Firewall != nil && !*has.Firewall {
			out = append(out, nicField(i))
		}
	}

	if len(out) == 0 {
		return ""
	}

	return "The provider switches it on for " + strings.Join(out, ", ") + " now."
}

func isTrue(b *bool) bool { return b != nil && *b }

// cause says why the firewall stays as it was last written.
func (f *firewallReport) cause() string {
	if f.plan.Stands() {
		return "an edit waits for approval"
	}

	return LostRules
}

// LostRules is the clause on a firewall that stays as it is, because of the catalogue.
const LostRules = "the catalogue lacks what its rules depend on"

// A FirewalledGuest is a VM or a container, as far as messages about its own firewall name it.
type FirewalledGuest struct {
	// Kind in words: VM or container.
	Kind string
	// Title names it, such as VM 153.
	Title string
	// Machine has its firewall and its interfaces.
	Machine *machine.Machine
	// Stands says why the firewall stays as it was last written, in a clause.
	Stands string
	// Unswitched says, in a sentence, what the switch of an interface still waits for; empty where it waits for nothing.
	Unswitched string
	// Before are the conditions that the claim had.
	Before []metav1.Condition
}

// datacenterSwitch is what nobody can see from here.
const datacenterSwitch = " It has an effect only if the firewall of the datacenter is on, too (Datacenter, Firewall, Options), which the function cannot see."

// FirewallConditions has the condition on a firewall, where the claim has one, or did.
func FirewallConditions(plan lifecycle.FirewallPlan, g FirewalledGuest) []Condition {
	c := Condition{Type: TypeFirewallApplied, Status: metav1.ConditionFalse}

	switch plan.Stage {
	case lifecycle.FirewallNone:
		if meta.FindStatusCondition(g.Before, TypeFirewallApplied) == nil {
			return nil
		}

		c.Reason, c.Message = ReasonNoFirewall, "The claim has no firewall, and the provider manages none of "+g.Title+"."
	case lifecycle.FirewallAccepting, lifecycle.FirewallSwitching:
		c.Reason, c.Message = g.writing(plan)
	case lifecycle.FirewallAwaitsVM:
		c.Reason, c.Message = ReasonFirewallPending, "The provider writes the firewall when the "+g.Kind+" exists: "+plan.Does+"."+datacenterSwitch
	case lifecycle.FirewallStands:
		c.Reason, c.Message = ReasonFirewallStands, "The firewall of "+g.Title+" stays as it is: "+g.Stands+"."
	case lifecycle.FirewallLeaving:
		c.Reason = ReasonFirewallLeaving
		c.Message = "The claim has no firewall any more: the provider switches the firewall of " + g.Title + " off, and deletes its rules then."
	case lifecycle.FirewallApplied:
		if len(plan.Differs) > 0 {
			c.Reason, c.Message = ReasonFirewallDiffers, g.differs(plan.Differs)
			break
		}

		if g.Machine.Firewall.Filters() && g.Unswitched != "" {
			c.Reason, c.Message = ReasonFirewallPending, "The firewall of "+g.Title+" is written, and filters nothing yet. "+g.Unswitched
			break
		}

		c.Status = metav1.ConditionTrue
		c.Reason, c.Message = g.applied()
	}

	return []Condition{c}
}

// writing says what the provider has still to write, and what it waits for.
func (g FirewalledGuest) writing(plan lifecycle.FirewallPlan) (reason, text string) {
	switch {
	case len(plan.Found.Foreign) > 0:
		return ReasonFirewallHasRules, g.hasRules(plan.Found.Foreign)
	case plan.Found.ImportName != "":
		return ReasonFirewallPending, g.Title + " has rules in Proxmox already. The provider reads them: if the claim has each of them, as after a creation that broke off, " +
			"it writes the others. It replaces none that somebody made."
	case plan.Stage == lifecycle.FirewallAccepting:
		return ReasonFirewallPending, "The provider writes the rules of " + g.Title + ". Only when they are there, its firewall drops the rest: " + plan.Does + "." +
			datacenterSwitch
	case len(plan.Differs) > 0:
		return ReasonFirewallDiffers, g.differs(plan.Differs)
	}

	return ReasonFirewallPending, "The provider writes the firewall of " + g.Title + "."
}

// mostFoundRules are the rules that a message names.
const mostFoundRules = 16

// hasRules names the rules that are in Proxmox and not in the claim.
func (g FirewalledGuest) hasRules(foreign []proxmox.FoundFirewallRule) string {
	var out []string
	for _, r := range foreign[:min(len(foreign), mostFoundRules)] {
		out = append(out, fmt.Sprintf("%d: %s", r.Pos, message.Excerpt(r.String())))
	}

	if more := len(foreign) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}

	return g.Title + " has rules in Proxmox that the claim does not have: " + strings.Join(out, "; ") + ". The provider neither replaces nor deletes them, and writes none of " +
		"the claim's. Write those that are to stay into spec.firewall.allow, with their comments, and delete the others (" + g.Kind + ", Firewall); before the last one that " +
		"accepts something goes, switch the firewall off, so that nobody is locked out. The provider reads the rules at its next poll, and writes the rest then."
}

// FirewallBefore says what to do about the firewall that a guest has before the claim's takes its place; empty where the claim has none. title is the
// guest's, and path that of it in the Proxmox API.
func FirewallBefore(m *machine.Machine, title, path string) string {
	if m.Firewall == nil {
		return ""
	}

	const options = "The provider does not report the options that the firewall of %[1]s has. Read them first: `pvesh get %[2]s/firewall/options`. The provider replaces all of them"

	if !m.Firewall.Drops() {
		return fmt.Sprintf(" "+options+".", title, path)
	}

	return fmt.Sprintf(" "+options+", keeps IP sets and aliases, and writes no rules while there are some that the claim does not have. Each rule is among the changes: write those "+
		"that are to stay into spec.firewall.allow, with their comments. Then switch the firewall of %[1]s off, so that nobody is locked out, and delete the others.", title, path)
}

// differs says which options Proxmox has otherwise than they were written. The provider compares at every turn, and writes all of them.
func (g FirewalledGuest) differs(all []proxmox.FirewallDifference) string {
	var out []string
	for _, d := range all {
		out = append(out, fmt.Sprintf("%s is %s, and is to be %s", d.Option, d.Has, d.Written))
	}

	return "Proxmox has other options of the firewall of " + g.Title + " than the provider wrote: " + strings.Join(out, "; ") +
		". Somebody changed them, or the provider has not read them since it wrote them. It sets them back at its next turn. If this stays, its managed resource " +
		"is paused, or ProviderHealthy has the error. What is to stay belongs in spec.firewall."
}

// applied says what the firewall does.
func (g FirewalledGuest) applied() (reason, text string) {
	wall := g.Machine.Firewall

	switch {
	case !wall.Enabled && wall.From == machine.FirewallFromDefault:
		return ReasonSwitchedOff, "The firewall of " + g.Title + " is off: enabled of " + wall.From.Field() + " was false when it was made."
	case !wall.Enabled:
		return ReasonSwitchedOff, "The firewall of " + g.Title + " is off: spec.firewall.enabled is false."
	case !wall.Drops():
		return ReasonOpen, "The firewall of " + g.Title + " is on and has no rules, so everything reaches the guest: set spec.firewall.preset or " +
			"spec.firewall.allow." + datacenterSwitch
	}

	return ReasonFiltering, "The firewall of " + g.Title + " drops incoming connections that no rule accepts." + datacenterSwitch + g.switchedOff()
}

// switchedOff names the interfaces that the claim keeps out of the firewall.
func (g FirewalledGuest) switchedOff() string {
	var out []string

	for i, n := range g.Machine.NICs {
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
