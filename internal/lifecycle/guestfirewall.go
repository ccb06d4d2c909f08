package lifecycle

import (
	"net/netip"
	"reflect"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A GuestStage is how far the VM or container of a firewall has come.
type GuestStage string

// The stages of a guest.
const (
	// GuestAwaited: the guest does not exist yet, or is not known to be the claim's.
	GuestAwaited GuestStage = "Awaited"
	// GuestStands: the guest's firewall stays as it was last written.
	GuestStands GuestStage = "Stands"
	// GuestFollows: the guest's firewall follows the claim.
	GuestFollows GuestStage = "Follows"
)

// A FirewalledGuest is a VM or a container, as far as its own firewall in Proxmox depends on it.
//
// A rule is in force before everything that it does not accept is dropped, and the other way round: nobody is locked out by the order in which
// the provider works. No managed resource of a firewall may delete anything while its guest exists: Proxmox deletes the rules with the guest
// (remove_vmfw_conf in destroy_vm of qemu-server, src/PVE/API2/Qemu.pm, and of pve-container, src/PVE/API2/LXC.pm), and to ask for the rules of a
// guest that is gone could keep the managed resource for ever.
type FirewalledGuest struct {
	// Name is the composed resource name of the VM or container.
	Name string
	// Node is the Proxmox node on which it is.
	Node string
	// VMID of a VM, or ContainerID of a container: the other one is 0.
	VMID, ContainerID int64
	Stage             GuestStage
	// Wanted is what the claim says; nil for a claim without a firewall.
	Wanted *machine.Firewall
	// Observed are the managed resources of firewalls, the guest's among them.
	Observed proxmox.ObservedFirewalls
	// OfCluster says that the guest is a node of K3s, whose services are named where the firewall closes them.
	OfCluster bool
	// Adopted says that somebody else made the guest, and may have set up its firewall.
	Adopted bool
	// Presence is in which networks the guest is, and Addresses are those of [PresenceReported].
	Presence  Presence
	Addresses []netip.Addr
}

// Over is what the claim changes of the firewall that a guest has which somebody else made; nil where the claim has none, so that the guest's stays.
func (g FirewalledGuest) Over() []change.Change {
	if g.Wanted == nil {
		return nil
	}

	return change.FirewallsOver(g.wanted(proxmox.ObservedFirewallOptions{}))
}

// Adoption is what the claim changes of the firewall that a guest has which is to be adopted, with each rule that there is. read is false while the provider
// has not read the rules.
func (g FirewalledGuest) Adoption() (out []change.Change, read bool) {
	rules := g.Observed.Rules[proxmox.FirewallRulesOf(g.Name)]
	_, wanted := g.wanted(proxmox.ObservedFirewallOptions{})

	if len(wanted.Rule) == 0 {
		return g.Over(), true
	}

	if !proxmox.LooksForRules(rules) || !areRead(rules, wanted) {
		return nil, false
	}

	return append(g.Over(), change.FoundRules(rules.Status.AtProvider.Rule, wanted.Rule)...), true
}

// Look has the provider read the rules of a guest that is to be adopted, without any right to write, and keeps what it has read while the guest itself is
// read once more. guestRead says that it is read.
func (g FirewalledGuest) Look(out *FirewallPlan, guestRead bool) {
	rules := g.Observed.Rules[proxmox.FirewallRulesOf(g.Name)]
	_, wanted := g.wanted(proxmox.ObservedFirewallOptions{})

	switch {
	case len(wanted.Rule) == 0:
	case guestRead:
		out.Rules, out.Found = &wanted, FoundRules{ImportName: wanted.ImportName()}
	case proxmox.LooksForRules(rules):
		out.Kept[proxmox.FirewallRulesOf(g.Name)] = true
	}
}

// Decide what this call does with the guest's firewall. Where it waits or stands, the caller decides with [FirewalledGuest.Keep] whether the managed
// resources stay.
func (g FirewalledGuest) Decide() FirewallPlan {
	out := FirewallPlan{Kept: map[string]bool{}}

	if g.Wanted != nil {
		out.Does = change.FilterOf(g.wanted(proxmox.ObservedFirewallOptions{})).Words()
	}

	switch {
	case !g.concerned():
	case g.Stage == GuestAwaited:
		out.Stage = FirewallAwaitsVM
	case g.Stage == GuestStands:
		out.Stage = FirewallStands
	default:
		g.followClaim(&out)
	}

	return out
}

// Keep the guest's firewall as it was last written.
func (g FirewalledGuest) Keep(out *FirewallPlan) {
	for _, name := range []string{proxmox.FirewallOptionsOf(g.Name), proxmox.FirewallRulesOf(g.Name)} {
		_, options := g.Observed.Options[name]
		if _, rules := g.Observed.Rules[name]; options || rules {
			out.Kept[name] = true
		}
	}
}

// concerned says whether the claim has a firewall, or the guest still has something of one.
func (g FirewalledGuest) concerned() bool {
	_, _, hasOptions, hasRules := g.observed()

	return g.Wanted != nil || hasOptions || hasRules
}

// observed is the guest's firewall as it was last written.
func (g FirewalledGuest) observed() (options proxmox.ObservedFirewallOptions, rules proxmox.ObservedFirewallRules, hasOptions, hasRules bool) {
	options, hasOptions = g.Observed.Options[proxmox.FirewallOptionsOf(g.Name)]
	rules, hasRules = g.Observed.Rules[proxmox.FirewallRulesOf(g.Name)]

	return options, rules, hasOptions, hasRules
}

// followClaim makes the firewall what the claim says, one part after the other.
func (g FirewalledGuest) followClaim(out *FirewallPlan) {
	options, rules, hasOptions, hasRules := g.observed()
	wantOptions, wantRules := g.wanted(options)

	out.Changes, out.Closes = g.changes()

	optionsDone := hasOptions && settled(options, wantOptions)
	if hasOptions && options.Spec.ForProvider == wantOptions && !options.Working() {
		out.Differs = options.Status.AtProvider.DifferencesFrom(wantOptions)
	}

	rulesDone := hasRules && !rules.ObserveOnly() && settled(rules, wantRules)
	drops := wantOptions.Enabled && wantOptions.InputPolicy == proxmox.PolicyDrop

	if len(wantRules.Rule) == 0 {
		g.withoutRules(out, wantOptions, optionsDone)
		return
	}

	out.Rules, out.Found = &wantRules, findRules(rules, wantRules)

	switch {
	case drops && !rulesDone && !dropping(options):
		out.Stage = FirewallAccepting

		if hasOptions {
			out.Kept[proxmox.FirewallOptionsOf(g.Name)] = true
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
func (g FirewalledGuest) withoutRules(out *FirewallPlan, wanted proxmox.FirewallOptionsParameters, done bool) {
	options, rules, hasOptions, hasRules := g.observed()
	leaves := g.Wanted == nil

	if leaves && (!hasOptions || !options.MayExist()) {
		done, hasOptions = true, false
	}

	if hasOptions || !leaves {
		out.Options = &wanted
	}

	// What the provider only reads is somebody's: it goes with the managed resource, which deletes nothing then.
	hasRules = hasRules && rules.MayExist() && !proxmox.LooksForRules(rules)

	switch {
	case !hasRules && leaves && done:
		out.Options = nil
	case hasRules && !done:
		out.Kept[proxmox.FirewallRulesOf(g.Name)] = true
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
func (g FirewalledGuest) wanted(has proxmox.ObservedFirewallOptions) (proxmox.FirewallOptionsParameters, proxmox.FirewallRulesParameters) {
	rules := proxmox.FirewallRulesParameters{NodeName: g.Node, VMID: g.VMID, ContainerID: g.ContainerID}

	f := g.Wanted
	if f == nil {
		off := has.Spec.ForProvider
		off.NodeName, off.VMID, off.ContainerID, off.Enabled = g.Node, g.VMID, g.ContainerID, false

		if off.InputPolicy == "" {
			off = g.optionsOf(machine.Firewall{Log: "nolog"})
		}

		return off, rules
	}

	var groups []proxmox.FirewallRule

	for _, r := range f.Rules {
		if r.Group != "" {
			groups = append(groups, proxmox.FirewallRule{SecurityGroup: r.Group, Comment: r.Comment, Enabled: true})
			continue
		}

		rules.Rule = append(rules.Rule, ruleOf(r))
	}

	rules.Rule = slices.Concat(rules.Rule, g.former(), groups)

	return g.optionsOf(*f), rules
}

// ruleOf a claim's rule that names no security group.
func ruleOf(r machine.FirewallRule) proxmox.FirewallRule {
	return proxmox.FirewallRule{
		Type: "in", Action: proxmox.PolicyAccept, Proto: r.Protocol, DPort: r.Port, Macro: r.Macro, Source: r.From, Comment: r.Comment, Enabled: true,
	}
}

// optionsOf a firewall. What the guest sends always passes.
func (g FirewalledGuest) optionsOf(f machine.Firewall) proxmox.FirewallOptionsParameters {
	out := proxmox.FirewallOptionsParameters{
		NodeName: g.Node, VMID: g.VMID, ContainerID: g.ContainerID, Enabled: f.Enabled, InputPolicy: proxmox.PolicyAccept, OutputPolicy: proxmox.PolicyAccept,
		LogLevelIn: f.Log, LogLevelOut: "nolog", DHCP: true, NDP: true, RAdv: true, MACFilter: true,
	}

	if f.Drops() {
		out.InputPolicy = proxmox.PolicyDrop
	}

	return out
}

// changes are what an edit does to the firewall.
func (g FirewalledGuest) changes() ([]change.Change, []string) {
	options, rules, hasOptions, hasRules := g.observed()
	wantOptions, wantRules := g.wanted(options)

	has := change.FilterOf(options.Spec.ForProvider, rules.Spec.ForProvider)
	wanted := change.FilterOf(wantOptions, wantRules)

	// What was announced with the edit of an address is no edit when the guest has left its former networks.
	left, stays := withoutFormer(has), withoutFormer(wanted)
	if len(stays.Rules) == len(wanted.Rules) {
		has = left
	}

	// A firewall whose rules were written, and whose options wait for them, has begun.
	if !hasOptions && hasRules && reflect.DeepEqual(rules.Spec.ForProvider.Rule, wantRules.Rule) {
		return nil, nil
	}

	closes := change.Closes(has, wanted, g.OfCluster)

	for _, later := range change.Closes(left, stays, g.OfCluster) {
		if !slices.Contains(closes, later) {
			closes = append(closes, later+", once the guest is in its new network")
		}
	}

	// Nobody knows what an adopted guest's does before the first options are written.
	if g.Adopted && !hasOptions {
		return g.Over(), closes
	}

	return change.Firewalls(has, wanted), closes
}

// dropping says whether a firewall drops what no rule accepts, as it was last written.
func dropping(o proxmox.ObservedFirewallOptions) bool {
	return o.Spec.ForProvider.Enabled && o.Spec.ForProvider.InputPolicy == proxmox.PolicyDrop
}

// settled says whether the provider has applied parameters.
func settled[P, S any](o proxmox.Observed[P, S], wanted P) bool {
	return o.Resting() && reflect.DeepEqual(o.Spec.ForProvider, wanted)
}
