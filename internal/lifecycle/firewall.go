package lifecycle

import (
	"reflect"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A FirewallStage is how far the described VM's own firewall in Proxmox has come.
type FirewallStage string

// The stages.
const (
	// FirewallNone: the claim has no firewall, and nothing is left of one.
	FirewallNone FirewallStage = ""
	// FirewallAwaitsVM: the VM does not exist yet.
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

// A FirewallPlan is what this call does with the own firewalls of a machine's VMs.
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
//
// A rule is in force before everything that it does not accept is dropped, and the other way round: nobody is locked out by the order in which
// the provider works. No managed resource of a firewall may delete anything while its VM exists: Proxmox deletes the rules with the VM
// (qemu-server: src/PVE/API2/Qemu.pm, destroy_vm, remove_vmfw_conf), and to ask for the rules of a VM that is gone could keep the managed
// resource for ever.
type firewallPlanner struct {
	claimed   *machine.Firewall // What the claim asks for; nil for none.
	keeps     bool              // The catalogue lacks what the claim's rules depend on.
	k3s       bool              // The machine is a node of K3s.
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
		claimed: m.Firewall, keeps: m.Keeps(machine.PartSite, machine.PartCluster), k3s: m.K3s != nil,
		described: s.Roles.Described(), vm: s.vm, state: s.State, vms: s.Observed.VMs, observed: s.Observed.Firewalls,
	}
}

// written is the firewall of the described VM as it was last written.
func (p firewallPlanner) written() (options proxmox.ObservedFirewallOptions, rules proxmox.ObservedFirewallRules, hasOptions, hasRules bool) {
	vm := p.described
	options, hasOptions = p.observed.Options[proxmox.FirewallOptionsOf(vm)]
	rules, hasRules = p.observed.Rules[proxmox.FirewallRulesOf(vm)]

	return options, rules, hasOptions, hasRules
}

// decide about all of them, after the steps of their VMs.
func (p firewallPlanner) decide(steps map[string]Step) FirewallPlan {
	out := FirewallPlan{Kept: map[string]bool{}}

	// Those of other VMs stay as long as the managed resources of the VMs.
	for name := range p.observed.Options {
		p.keepOther(&out, name, steps)
	}

	for name := range p.observed.Rules {
		p.keepOther(&out, name, steps)
	}

	if p.claimed != nil {
		out.Does = change.FilterOf(p.wanted(proxmox.ObservedFirewallOptions{})).Words()
	}

	_, _, hasOptions, hasRules := p.written()

	switch {
	case p.claimed == nil && !hasOptions && !hasRules:
	case !p.vmExists(steps[p.described]):
		out.Stage = FirewallAwaitsVM
		p.keepDescribed(&out, steps)
	case p.stands(steps[p.described]):
		out.Stage = FirewallStands
		p.keepDescribed(&out, steps)
	default:
		p.followClaim(&out)
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

	for _, name := range []string{proxmox.FirewallOptionsOf(vm), proxmox.FirewallRulesOf(vm)} {
		_, options := p.observed.Options[name]
		if _, rules := p.observed.Rules[name]; options || rules {
			out.Kept[name] = true
		}
	}
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

// followClaim makes the firewall what the claim says, one part after the other.
func (p firewallPlanner) followClaim(out *FirewallPlan) {
	options, rules, hasOptions, hasRules := p.written()
	wantOptions, wantRules := p.wanted(options)

	out.Changes, out.Closes = p.changes()

	optionsDone := hasOptions && settled(options, wantOptions)
	rulesDone := hasRules && settled(rules, wantRules)
	drops := wantOptions.Enabled && wantOptions.InputPolicy == proxmox.PolicyDrop

	if len(wantRules.Rule) == 0 {
		p.withoutRules(out, wantOptions, optionsDone)
		return
	}

	out.Rules = &wantRules

	switch {
	case drops && !rulesDone && !dropping(options):
		out.Stage = FirewallAccepting

		if hasOptions {
			out.Kept[proxmox.FirewallOptionsOf(p.described)] = true
		}

		return
	case optionsDone && rulesDone:
		out.Stage = FirewallApplied
	default:
		out.Stage = FirewallSwitching
	}

	out.Options = &wantOptions
}

// withoutRules lets the rules go, when the options no longer drop what no rule accepts; and the options, when they are off and the claim has no
// firewall. What the provider could not create goes at once: somebody else may have made what is there.
func (p firewallPlanner) withoutRules(out *FirewallPlan, wanted proxmox.FirewallOptionsParameters, done bool) {
	options, rules, hasOptions, hasRules := p.written()
	leaves := p.claimed == nil

	if leaves && (!hasOptions || !options.MayExist()) {
		done, hasOptions = true, false
	}

	if hasOptions || !leaves {
		out.Options = &wanted
	}

	hasRules = hasRules && rules.MayExist()

	switch {
	case !hasRules && leaves && done:
		out.Options = nil
	case hasRules && !done:
		out.Kept[proxmox.FirewallRulesOf(p.described)] = true
	case hasRules && (!proxmox.MayDelete(rules.Spec.ManagementPolicies) || !rules.Fresh(proxmox.ConditionSynced)):
		out.MayDeleteRules = true
	}

	switch {
	case leaves:
		out.Stage = FirewallLeaving
	case done && !hasRules:
		out.Stage = FirewallApplied
	default:
		out.Stage = FirewallSwitching
	}
}

// wanted are the options and rules that the claim describes. Without a firewall in the claim, what is there is switched off.
func (p firewallPlanner) wanted(has proxmox.ObservedFirewallOptions) (proxmox.FirewallOptionsParameters, proxmox.FirewallRulesParameters) {
	node, id := change.AsMade(p.vm).NodeName, proxmox.VMIDOf(p.vm)
	rules := proxmox.FirewallRulesParameters{NodeName: node, VMID: id}

	f := p.claimed
	if f == nil {
		off := has.Spec.ForProvider
		off.NodeName, off.VMID, off.Enabled = node, id, false

		if off.InputPolicy == "" {
			off = optionsOf(machine.Firewall{Log: "nolog"}, node, id)
		}

		return off, rules
	}

	for _, r := range f.Rules {
		rules.Rule = append(rules.Rule, proxmox.FirewallRule{
			Type: "in", Action: proxmox.PolicyAccept, Proto: r.Protocol, DPort: r.Port, Macro: r.Macro, Source: r.From, Comment: r.Comment, Enabled: true,
		})
	}

	return optionsOf(*f, node, id), rules
}

// optionsOf a firewall. What the guest sends always passes.
func optionsOf(f machine.Firewall, node string, id int64) proxmox.FirewallOptionsParameters {
	out := proxmox.FirewallOptionsParameters{
		NodeName: node, VMID: id, Enabled: f.Enabled, InputPolicy: proxmox.PolicyAccept, OutputPolicy: proxmox.PolicyAccept,
		LogLevelIn: f.Log, LogLevelOut: "nolog", DHCP: true, NDP: true, RAdv: true, MACFilter: true,
	}

	if f.Drops() {
		out.InputPolicy = proxmox.PolicyDrop
	}

	return out
}

// A firewallEdit is what an edit does to the firewall of a VM that may have one, whether it waits or not.
type firewallEdit struct {
	changes []change.Change // In the order of the fields.
	closes  []string        // What cannot reach the guest any more, in clauses.
}

// edit is what the claim does to the firewall of the described VM.
func (p firewallPlanner) edit() firewallEdit {
	_, _, hasOptions, hasRules := p.written()
	if p.claimed == nil && !hasOptions && !hasRules || p.claimed != nil && p.keeps {
		return firewallEdit{}
	}

	changes, closes := p.changes()

	return firewallEdit{changes, closes}
}

// changes are what an edit does to the described VM's firewall.
func (p firewallPlanner) changes() ([]change.Change, []string) {
	options, rules, hasOptions, hasRules := p.written()
	wantOptions, wantRules := p.wanted(options)

	has := change.FilterOf(options.Spec.ForProvider, rules.Spec.ForProvider)
	wanted := change.FilterOf(wantOptions, wantRules)

	// A firewall whose rules were written, and whose options wait for them, has begun.
	if !hasOptions && hasRules && reflect.DeepEqual(rules.Spec.ForProvider.Rule, wantRules.Rule) {
		return nil, nil
	}

	return change.Firewalls(has, wanted), change.Closes(has, wanted, p.k3s)
}

// dropping says whether a firewall drops what no rule accepts, as it was last written.
func dropping(o proxmox.ObservedFirewallOptions) bool {
	return o.Spec.ForProvider.Enabled && o.Spec.ForProvider.InputPolicy == proxmox.PolicyDrop
}

// settled says whether the provider has applied parameters.
func settled[P, S any](o proxmox.Observed[P, S], wanted P) bool {
	return o.Resting() && reflect.DeepEqual(o.Spec.ForProvider, wanted)
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
