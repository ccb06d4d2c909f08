package lifecycle

import (
	"slices"

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
	// Found are the rules that were in Proxmox before the provider created any.
	Found FoundRules
	// MayDeleteRules says that the provider may delete the rules in Proxmox, with the managed resource that is left out next: they are kept for
	// one more call, which tells it so.
	MayDeleteRules bool
	// Kept are the composed resources that stay as they were last written.
	Kept map[string]bool
	// Differs are the options that Proxmox has otherwise than they were written and are to be: somebody changed them since, or the provider could not write
	// them yet.
	Differs []proxmox.FirewallDifference
	// Changes of the described VM's firewall, in the order of the fields, and what cannot reach its guest any more after them, in clauses.
	Changes []change.Change
	Closes  []string
}

// Filtering says whether the described VM's firewall is to drop what no rule accepts.
func (f FirewallPlan) Filtering() bool {
	return f.Rules != nil && (f.Options == nil || f.Options.Enabled)
}

// beforeInterfaces leaves the interfaces of a VM that exists outside of its firewall, where they are, until the firewall is as claimed: a person may have
// switched on one that drops what the claim's rules accept.
func (f FirewallPlan) beforeInterfaces(steps map[string]Step, described string, vm proxmox.ObservedVM) {
	step := steps[described]
	if !f.Stage.OnItsWay() || f.Stage == FirewallLeaving || step.Action != ActionFollow && step.Action != ActionAdopt {
		return
	}

	made := vm.Spec.ForProvider.NetworkDevice
	if step.Action == ActionAdopt {
		made = vm.Status.AtProvider.Parameters.NetworkDevice
	}

	devices := slices.Clone(step.Parameters.NetworkDevice)

	for i := range min(len(devices), len(made)) {
		if has := made[i].Firewall; has != nil && !*has {
			devices[i].Firewall = has
		}
	}

	step.Parameters.NetworkDevice = devices
	steps[described] = step
}

// A firewallPlanner decides about the own firewalls of a machine's VMs.
type firewallPlanner struct {
	claimed   *machine.Firewall // What the claim asks for; nil for none.
	keeps     bool              // The catalogue lacks what the claim's rules depend on.
	k3s       bool              // The machine is a node of K3s.
	adopted   bool              // Somebody else made the described VM.
	described string            // The described VM, by composed resource name.
	vm        proxmox.ObservedVM
	state     State
	vms       map[string]proxmox.ObservedVM
	observed  proxmox.ObservedFirewalls
}

// firewallPlannerOf a machine.
func firewallPlannerOf(s *Situation) firewallPlanner {
	m := s.Machine

	return firewallPlanner{
		claimed: m.Firewall, keeps: m.Keeps(machine.PartSite, machine.PartCluster, machine.PartFirewall), k3s: m.K3s != nil, adopted: s.Adopted,
		described: s.Roles.Described(), vm: s.vm, state: s.State, vms: s.Observed.VMs, observed: s.Observed.Firewalls,
	}
}

// guest is the described VM, with what this call does with it.
func (p firewallPlanner) guest(step Step) FirewalledGuest {
	g := FirewalledGuest{
		Name: p.described, Node: change.AsMade(p.vm).NodeName, VMID: proxmox.VMIDOf(p.vm), Stage: GuestFollows,
		Wanted: p.claimed, Observed: p.observed, OfCluster: p.k3s, Adopted: p.adopted,
	}

	switch {
	case !p.vmExists(step):
		g.Stage = GuestAwaited
	case p.stands(step):
		g.Stage = GuestStands
	}

	return g
}

// decide about all of them, after the steps of their VMs. waits are the changes that the described VM has not taken up.
func (p firewallPlanner) decide(steps map[string]Step, waits ...[]change.Change) FirewallPlan {
	g := p.guest(steps[p.described])
	if p.claimed != nil {
		g.Presence, g.Addresses = presenceOf(p.vm, slices.Concat(waits...))
	}

	out := g.Decide()

	// Those of other VMs stay as long as the managed resources of the VMs.
	for name := range p.observed.Options {
		p.keepOther(&out, name, steps)
	}

	for name := range p.observed.Rules {
		p.keepOther(&out, name, steps)
	}

	if out.Stage == FirewallAwaitsVM || out.Stage == FirewallStands {
		p.keepDescribed(&out, steps)
	}

	return out
}

// keepOther keeps the firewall of a VM that is not the described one.
func (p firewallPlanner) keepOther(out *FirewallPlan, name string, steps map[string]Step) {
	vm := proxmox.FirewalledVM(name)
	if vm == p.described {
		return
	}

	if step, ok := steps[vm]; ok && step.Action != ActionRelease && step.Action != ActionWait && !p.vms[vm].ObserveOnly() {
		out.Kept[name] = true
	}
}

// keepDescribed keeps the described VM's firewall as it was last written.
func (p firewallPlanner) keepDescribed(out *FirewallPlan, steps map[string]Step) {
	vm := p.described

	// The managed resources of a firewall go with the VM, and delete nothing in Proxmox.
	if _, released := steps[vm]; !released || steps[vm].Action == ActionRelease || p.vms[vm].ObserveOnly() {
		return
	}

	p.guest(steps[vm]).Keep(out)
}

// vmExists says whether the described VM is known to exist, and to be the machine's.
func (p firewallPlanner) vmExists(step Step) bool {
	creation := proxmox.CreationOf(p.vm)

	return p.state == StateLiving && step.Action == ActionFollow && p.vm.Status.AtProvider.ID != "" &&
		(creation == proxmox.CreationNone || creation == proxmox.CreationOurs) && proxmox.VMIDOf(p.vm) != 0
}

// stands says whether the firewall stays as it was last written.
func (p firewallPlanner) stands(step Step) bool {
	return step.Stands || p.claimed != nil && p.keeps
}

// A firewallEdit is what an edit does to the firewall of a VM that may have one, whether it waits or not.
type firewallEdit struct {
	changes []change.Change // In the order of the fields.
	closes  []string        // What cannot reach the guest any more, in clauses.
}

// edit is what the claim does to the firewall of the described VM.
func (p firewallPlanner) edit() firewallEdit {
	g := p.guest(Step{})
	if !g.concerned() || p.claimed != nil && p.keeps {
		return firewallEdit{}
	}

	changes, closes := g.changes()

	return firewallEdit{changes, closes}
}

// awaitsFirewall says whether a candidate may not become the machine before its firewall is there: it would stand open, unlike the VM that it
// replaces.
func awaitsFirewall(s *Situation) bool {
	if s.Machine == nil || !s.Machine.Firewall.Filters() {
		return false
	}

	o := s.Observed.Firewalls.Options[proxmox.FirewallOptionsOf(s.Roles.Described())]

	return !o.Resting() || !dropping(o)
}
