package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A FirewallStage is how far the own firewall in Proxmox of the described VM, or of a container, has come.
type FirewallStage string

// The stages.
const (
	// FirewallNone: the claim has no firewall, and nothing is left of one.
	FirewallNone FirewallStage = ""
	// FirewallAwaitsVM: the VM, or the container, does not exist yet.
	FirewallAwaitsVM FirewallStage = "AwaitsVM"
	// FirewallStands: the firewall stays as it was last written, because an edit waits, or because the catalogue lacks what its rules depend on.
	FirewallStands FirewallStage = "Stands"
	// FirewallAccepting: the provider writes the rules. The firewall drops nothing more than before until they are there.
	FirewallAccepting FirewallStage = "Accepting"
	// FirewallSwitching: the provider writes the options.
	FirewallSwitching FirewallStage = "Switching"
	// FirewallApplied: the firewall is as claimed.
	FirewallApplied FirewallStage = "Applied"
	// FirewallLeaving: the claim has no firewall any more. It is switched off, and its rules are deleted then.
	FirewallLeaving FirewallStage = "Leaving"
)

// OnItsWay says whether the provider has still to write something of the firewall.
func (s FirewallStage) OnItsWay() bool {
	switch s {
	case FirewallAwaitsVM, FirewallAccepting, FirewallSwitching, FirewallLeaving:
		return true
	case FirewallNone, FirewallStands, FirewallApplied:
	}

	return false
}

// A FirewallPlan is what this call does with the own firewalls of a machine's VMs, or with that of a container, which is described then.
type FirewallPlan struct {
	Stage FirewallStage
	// Does is what the described VM's is to do, in a clause; empty where the claim has none.
	Does string
	// Options and Rules are what the described VM's are to be; nil where there are to be none, or where they are among Kept.
	Options *proxmox.FirewallOptionsParameters
	Rules   *proxmox.FirewallRulesParameters
	// MayDeleteRules says that the provider may delete the rules in Proxmox, with the managed resource that is left out next: they are kept for
	// one more call, which tells it so.
	MayDeleteRules bool
	// Kept are the composed resources that stay as they were last written.
	Kept map[string]bool
	// Changes of the described VM's firewall, in the order of the fields, and what cannot reach its guest any more after them, in clauses.
	Changes []change.Change
	Closes  []string
}

// Filtering says whether the described VM's firewall is to drop what no rule accepts.
func (f FirewallPlan) Filtering() bool {
	return f.Rules != nil && (f.Options == nil || f.Options.Enabled)
}

// A firewallPlanner decides about the own firewalls of a machine's VMs.
type firewallPlanner struct{ *Plan }

// guest is the described VM.
func (p firewallPlanner) guest() FirewalledGuest {
	g := FirewalledGuest{
		Name: p.Roles.Described(), Node: change.AsMade(p.vm).NodeName, VMID: proxmox.VMIDOf(p.vm), Stage: GuestFollows,
		Wanted: p.Machine.Firewall, Observed: p.Observed.Firewalls, OfCluster: p.Machine.K3s != nil,
	}

	switch {
	case !p.vmExists():
		g.Stage = GuestAwaited
	case p.stands():
		g.Stage = GuestStands
	}

	return g
}

// decide about all of them.
func (p firewallPlanner) decide() FirewallPlan {
	out := p.guest().Decide()

	// Those of other VMs stay as long as the managed resources of the VMs.
	for name := range p.Observed.Firewalls.Options {
		p.keepOther(&out, name)
	}

	for name := range p.Observed.Firewalls.Rules {
		p.keepOther(&out, name)
	}

	if out.Stage == FirewallAwaitsVM || out.Stage == FirewallStands {
		p.keepDescribed(&out)
	}

	return out
}

// keepOther keeps the firewall of a VM that is not the described one.
func (p firewallPlanner) keepOther(out *FirewallPlan, name string) {
	vm := proxmox.FirewalledVM(name)
	if vm == p.Roles.Described() {
		return
	}

	if step, ok := p.Steps[vm]; ok && step.Action != ActionRelease && step.Action != ActionWait && !p.Observed.VMs[vm].ObserveOnly() {
		out.Kept[name] = true
	}
}

// keepDescribed keeps the described VM's firewall as it was last written.
func (p firewallPlanner) keepDescribed(out *FirewallPlan) {
	vm := p.Roles.Described()

	// The managed resources of a firewall go with the VM, and delete nothing in Proxmox.
	if _, released := p.Steps[vm]; !released || p.Steps[vm].Action == ActionRelease || p.Observed.VMs[vm].ObserveOnly() {
		return
	}

	p.guest().Keep(out)
}

// vmExists says whether the described VM is known to exist, and to be the machine's.
func (p firewallPlanner) vmExists() bool {
	creation := proxmox.CreationOf(p.vm)

	return p.State == StateLiving && p.Steps[p.Roles.Described()].Action == ActionFollow && p.vm.Status.AtProvider.ID != "" &&
		(creation == proxmox.CreationNone || creation == proxmox.CreationOurs) && proxmox.VMIDOf(p.vm) != 0
}

// stands says whether the firewall stays as it was last written.
func (p firewallPlanner) stands() bool {
	return p.Steps[p.Roles.Described()].Stands || p.Machine.Firewall != nil && p.Machine.Keeps(machine.PartSite, machine.PartCluster)
}

// changesOfEdit are what an edit does to the firewall of a VM that may have one, whether it waits or not.
func (p firewallPlanner) changesOfEdit() ([]change.Change, []string) {
	g := p.guest()
	if !g.concerned() || p.Machine.Firewall != nil && p.Machine.Keeps(machine.PartSite, machine.PartCluster) {
		return nil, nil
	}

	return g.changes()
}

// awaitsFirewall says whether a candidate may not become the machine before its firewall is there: it would stand open, unlike the VM that it
// replaces.
func awaitsFirewall(s Situation) bool {
	if s.Machine == nil || !s.Machine.Firewall.Filters() {
		return false
	}

	o := s.Observed.Firewalls.Options[proxmox.FirewallOptionsOf(s.Roles.Described())]

	return !o.Resting() || !dropping(o)
}
