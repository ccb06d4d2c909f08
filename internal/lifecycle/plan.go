package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Plan is what this call does with each VM of a machine, and why.
type Plan struct {
	Situation

	// Steps by composed resource name, for every VM that is observed or to be.
	Steps map[string]Step
	// Waiting names the composed resources that the VM waits for, and the Secret with its token, sorted.
	Waiting []string
	// Namesake says that the VM is not created because a Node of its name is Ready, and is another machine.
	Namesake bool
	// ServerBehind is a server of the cluster because of which a new agent is not created; nil for none.
	ServerBehind *ServerBehind
	// Check is what is known of the VMID that a new VM is to have; nil where there is none to check.
	Check *VMIDCheck
	// Adoption is nil where there is nothing to adopt any more.
	Adoption *Adoption
	// Replacement is nil where none is asked for.
	Replacement *Replacement
	// Held are changes of the claim that the VM cannot follow, in the order of the fields.
	Held []change.Change
	// Moves is the change to the node to which the VM moves later, and MovesWhen what it waits for beside its snippets there; nil where it waits for nothing.
	Moves     *change.Change
	MovesWhen MoveWhen
	// Reconnects are the changes with which interfaces of a K3s server are plugged in elsewhere or anew, while they wait for the other servers.
	Reconnects []change.Change
	// Pending are changes that the VM takes up at its next power cycle, in the order of the fields.
	Pending []change.Change
	// Outage is what the VM is to be away for, and whether it may.
	Outage PlannedOutage
	// Turn is what a machine of a group does with its outages.
	Turn Turn
	// Drain is what becomes of the Node of the VM that is, or was, to be away.
	Drain Drain
	// Upgrade is what becomes of K3s' release in the VM, where system-upgrade-controller upgrades it.
	Upgrade Upgrade
	// NodeObjects are the Objects of provider-kubernetes that are to be, by composed resource name. Nil where nobody asks for any.
	NodeObjects map[string]NodeObject
	// Zone is what becomes of the zone label of the machine's Node.
	Zone Zone
	// NodeRemoved says that the Node of the VM that is replaced goes with this call.
	NodeRemoved bool
	// Approval is whether somebody has to approve what the edit does to the VM, and has.
	Approval Approval
	// Availability is what Proxmox's HA manager does for the machine.
	Availability Availability
	// Firewall is what becomes of the VMs' own firewalls in Proxmox.
	Firewall FirewallPlan
	// Restarting says that the VM is stopped or started now because a power cycle was asked for.
	Restarting bool
	// Promoted says that the described VM is no candidate, or is none any more.
	Promoted bool
}

// Stands says that the active VM stays as it was last written, because an edit waits.
func (p *Plan) Stands() bool { return p.Steps[p.Roles.Active].Stands }

// Leaving are the VMs that retire or are replaced, and those whose VMID is checked. A pause would keep the provider from deleting
// them, or from looking.
func (p *Plan) Leaving() map[string]bool {
	out := map[string]bool{}

	for name, step := range p.Steps {
		if slices.Contains([]Action{ActionReplaced, ActionRetire, ActionCheck, ActionDisown}, step.Action) {
			out[name] = true
		}
	}

	return out
}

// Decide what this call does with each VM. Each decision takes what is known, and what it needs of those before it; it returns what it decides, and
// knows no other one.
func Decide(s Situation, d Description) *Plan {
	p := &Plan{Situation: s, Steps: map[string]Step{}, Promoted: !s.Provisional()}

	for _, name := range slices.Concat(s.Roles.Unknown, s.Roles.Retired) {
		p.Steps[name] = s.Retirement[name]
		if r := retiring(s.Roles, name, s.Retirement[name]); r != nil {
			p.Replacement = r
		}
	}

	hold := p.described(d)

	if p.Upgrade.Plan == nil {
		p.Upgrade.Plan = leavingPlan(p.Objects.Plan)
	}

	p.NodeObjects, p.NodeRemoved = departure{&p.Situation}.objects()
	p.Zone = zoner{&p.Situation}.decide()
	hold = cmp.Or(hold, p.replace())
	disown(p.Observed.VMs, p.Steps)
	p.Availability = availabilityPlannerOf(&p.Situation, p.Steps, hold).decide()
	p.Firewall = firewallPlannerOf(&p.Situation).decide(p.Steps, p.Pending, p.Held)
	lookAtRules(p)
	p.Firewall.beforeInterfaces(p.Steps, p.Roles.Described(), p.vm)
	p.Turn = waver{&p.Situation}.settle(p.outcome())

	return p
}

// lookAtRules has the provider read the firewall of a VM that is to be adopted.
func lookAtRules(p *Plan) {
	a := p.Adoption
	if a == nil || a.Unsupported != "" {
		return
	}

	switch name := p.Roles.Described(); {
	case a.Firewall != nil && p.Steps[name].Action == ActionCheck:
		a.Firewall.Look(&p.Firewall, true)
	case a.Firewall != nil || a.Outcome == OutcomeChecking || a.Outcome == OutcomeConfirming:
		FirewalledGuest{Name: name, Wanted: p.Machine.Firewall, Observed: p.Observed.Firewalls}.Look(&p.Firewall, false)
	}
}

// outcome of this call, after everything else is decided.
func (p *Plan) outcome() outcome {
	return outcome{
		turn: p.Turn, outage: p.Outage, drain: p.Drain, upgrade: p.Upgrade.State, approval: p.Approval, step: p.Steps[p.Roles.Active], pending: p.Pending,
		restarting: p.Restarting, firewall: p.Firewall.Stage, availability: p.Availability.Stage,
	}
}

// described decides about the VM that the claim describes.
func (p *Plan) described(d Description) haHold {
	name := p.Roles.Described()

	switch {
	case proxmox.TakenOver(p.vm):
		p.Check = takenBy(p.vm)
	case p.State == StateLiving:
		return p.follow(d)
	case p.State == StateCreating:
		// It stays as it was written until the provider has seen the VM: what it sees is compared with that.
		p.Steps[name] = Step{Action: ActionKeep, MayDelete: p.MayDelete(), LookAgain: looksAgain(p.vm)}
	case p.Adopted && p.Machine.Adopt != nil:
		is := adopt(&p.Situation, d)
		p.Adoption, p.Steps[name], p.Held, p.Pending = &is.adoption, is.step, is.held, is.pending
	case p.Adopted:
		// The provider has lost sight of an adopted VM. No VM of ours may take its place.
		if p.vm.ObserveOnly() {
			p.Check = takenBy(p.vm)
		}

		p.Steps[name] = Step{Action: ActionKeep, MayDelete: p.MayDelete()}
	default:
		p.create(d)
	}

	return haFree
}
