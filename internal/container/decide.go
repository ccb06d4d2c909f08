package container

import (
	"cmp"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// An Action is what this call does with the container.
type Action string

// The actions.
const (
	// ActionCheck: the provider looks whether a VM or a container has the VMID.
	ActionCheck Action = "Check"
	// ActionCreate: the provider creates the container.
	ActionCreate Action = "Create"
	// ActionAdopt: a container that somebody else made becomes the claim's, as it is.
	ActionAdopt Action = "Adopt"
	// ActionFollow: the container follows its claim, as far as it can.
	ActionFollow Action = "Follow"
	// ActionDisown: the provider may only observe from now on, since another container has the VMID.
	ActionDisown Action = "Disown"
	// ActionKeep: the managed resource stays as it was last written.
	ActionKeep Action = "Keep"
)

// A Request is what the decisions of one call rest on.
type Request struct {
	Container *machine.Container
	Observed  proxmox.State
	Owner     lifecycle.Owner
	Flavour   proxmox.Flavour
	// Nodes are those that the catalogue lists of the container's site. The provider finds a container on the node only where it looks.
	Nodes []string
	// Others are managed resources of VMs and containers, of any claim, that have the VMID.
	Others []lifecycle.Other
	// Apart are the machines and containers that the container is kept apart from; none where it is not there yet.
	Apart lifecycle.Apart
	// VMID is where it is from: no range, where a person named it or the container exists.
	VMID lifecycle.VMID
	// PoolAddress is the address of its site's pool that a container is to have which does not exist yet; nil where none is to be found.
	PoolAddress *lifecycle.PoolAddress
	// Shares is the address of another machine or container for whose sake the container is not made; nil for none.
	Shares *lifecycle.SharedAddress
	// SearchMark is what is to be remembered of the search through a range; empty where there is none.
	SearchMark string
	// Unclear is the VMID of the site's range at which what cannot be read now may be the container itself, whose managed resources are gone; else 0.
	Unclear int64
	// NamedVMID is the claim's; 0 where it names none.
	NamedVMID int64
	// Guest is the composed resource name of the container that this is about; empty for the first one of a claim.
	Guest string
	// Roles of the claim's containers.
	Roles succession.Roles
	// Next is the plan of the container that is to replace this one; nil where there is none, or nobody gives it a VMID.
	Next *Plan
	// Replaced is the composed resource name of the container that this one is to replace, and Beside its VMID: both exist meanwhile. Empty for one that
	// replaces none.
	Replaced string
	Beside   int64
	// Rollout is what is known of the container's group.
	Rollout lifecycle.Rollout
	// Intent identifies all that the person wrote.
	Intent string
	// Faults of a new container, where the claim asks for one in the place of the one that lives.
	Faults field.ErrorList
}

// A Plan is what this call does, and why.
type Plan struct {
	Request

	State  State
	Action Action
	// Adopted says that somebody else made the container, or that it is to be adopted.
	Adopted bool
	// Described is the container as it would be created today.
	Described proxmox.ContainerParameters
	// Parameters to write: Create, Adopt, Follow.
	Parameters proxmox.ContainerParameters
	// MayUpdate says that there is something to change: Follow.
	MayUpdate bool
	// Power of the container: Follow.
	Power Power
	// Check is what is known of the VMID; nil where the container exists.
	Check *VMIDCheck
	// Adoption is nil where there is nothing to adopt.
	Adoption *Adoption
	// Waiting names the composed resources that the container waits for.
	Waiting []string
	// Firewall is what becomes of the container's own firewall.
	Firewall lifecycle.FirewallPlan
	// Pending are changes that wait for a restart, Refused those that the container cannot follow.
	Pending, Refused []change.Change
	// Approval is what an edit does to the container that lives, and whether somebody has approved that.
	Approval lifecycle.Approval
	// Turn is what a container of a group does with its restart and its replacement.
	Turn lifecycle.Turn
	// Replacement is nil where no container is to replace another one.
	Replacement *replacement.Decision
	// Standing says whether a container that replaces another one was seen to run.
	Standing succession.Standing
	// Departures are what becomes of the containers that are not the claim's any more, by composed resource name.
	Departures map[string]replacement.Departure
}

// Decide what this call does with the container.
func Decide(r Request) Plan {
	r.Guest = cmp.Or(r.Guest, replacement.First)
	o, observed := r.Observed.Containers[r.Guest]
	p := &Plan{Request: r, State: StateOf(o, observed), Described: Describe(r.Container, r.Guest)}
	p.Adopted = o.Metadata.Annotations[proxmox.AdoptedAnnotation] != "" || p.absent() && r.Container.Adopt != nil

	switch p.State {
	case StateLiving:
		p.follow(o)
	case StateCreating:
		// It stays as it was written until the provider shows it: what the provider shows is compared with that.
		p.Action = ActionKeep
	case StateTakenOver:
		// Only when the provider may do no more than observe, which the next call sees, can the managed resource go.
		check := p.check()
		p.Check, p.Action = &check, ActionDisown
	case StateFailed:
		p.retry(o)
	case StateForeign, StateAbsent:
		p.begin()
	}

	p.Departures = departuresOf(p)
	p.Firewall = firewallOf(*p, o)
	p.Standing = standing(p, o)
	p.Turn = settle(p, o)

	return *p
}

// retry a creation that failed, with what the claim says now. In another place, or with another address of a pool, it is another creation.
func (p *Plan) retry(o proxmox.ObservedContainer) {
	was := o.Spec.ForProvider
	if vmID(was) != vmID(p.Described) || was.NodeName != p.Described.NodeName || !mayHaveAddresses(p.Request) {
		p.begin()
		return
	}

	p.Action, p.Parameters = ActionCreate, p.Described
}

// mayHaveAddresses says whether nobody else has an address of a container that is to be made, or may be getting it.
func mayHaveAddresses(r Request) bool { return r.PoolAddress.Settled() && r.Shares == nil }

// begin looks whether the VMID is free, and creates or adopts the container then.
func (p *Plan) begin() {
	check := p.check()
	p.Check = &check

	if p.Container.Adopt != nil {
		p.adopt(check)
		return
	}

	p.Waiting = p.missing()
	p.Action = ActionCheck

	if check.Outcome == lifecycle.OutcomeFree && len(p.Waiting) == 0 && mayHaveAddresses(p.Request) {
		p.Action, p.Parameters = ActionCreate, p.Described
	}
}

// follow its claim, as far as a container that exists can.
func (p *Plan) follow(o proxmox.ObservedContainer) {
	found := o.Status.AtProvider.Parameters
	known := found != nil && o.Status.AtProvider.ID == o.Metadata.ExternalName() && !isGone(o)

	// What the provider cannot read just now may be otherwise. What it was asked to change, it goes on to change.
	if !known || !o.Is(proxmox.ConditionSynced) && !proxmox.MayUpdate(o.Spec.ManagementPolicies) {
		p.Action = ActionKeep
		p.Approval = lifecycle.Approval{Memory: lifecycle.ReadApproval(o.Metadata.Metadata)}
		replace(p, o)

		return
	}

	p.Action = ActionFollow

	c := p.comparison(o)
	all := c.changes()
	p.Pending, p.Refused = of(Restart, all), of(change.Refused, all)

	p.Power = p.power(o)

	if p.Power.Phase.TakesChanges() {
		p.Parameters = c.with(change.InPlace, Restart)
	} else {
		p.Parameters = c.with(change.InPlace)
	}

	p.Parameters.Started = p.Power.Started
	p.MayUpdate = !reflect.DeepEqual(p.Parameters, c.has)

	p.Approval = approver{plan: p, o: o}.approve(all)
	p.Turn = takeTurn(p, o)
	replace(p, o)

	// A container that another one replaces is neither restarted nor changed before; and while an approved replacement is blocked, no other part of the edit
	// takes effect.
	if p.Approval.Waits() || p.Approval.Has(lifecycle.EffectReplace) || p.Replacement.Begun() {
		stand(p, o, c)
	} else if p.Turn.Holds(lifecycle.OutageReboot) {
		holdRestart(p, o, c)
	}

	undergo(p, o)
}

// missing names what a new container waits for.
func (p *Plan) missing() []string {
	var out []string

	for name := range p.templates() {
		if f, ok := p.Observed.DownloadFiles[name]; !ok || !f.Found() && !proxmox.AlreadyPresent(f) {
			out = append(out, name)
		}
	}

	return out
}

// stand keeps the container as it was last written while an edit waits: no part of the edit takes effect. One that was stopped for a restart starts again.
func stand(p *Plan, o proxmox.ObservedContainer, c comparison) {
	m := *p.Container
	m.Lifecycle.Reboot, m.Lifecycle.RebootPolicy = "", v1alpha1.RebootOnRequest

	switch {
	case m.Power == v1alpha1.PowerUnmanaged:
	case o.Spec.ForProvider.Started || o.Metadata.Annotations[proxmox.StoppedForAnnotation] != "":
		m.Power = v1alpha1.PowerRunning
	default:
		m.Power = v1alpha1.PowerStopped
	}

	asked := p.Container
	p.Container = &m
	p.Power = p.power(o)
	p.Container = asked

	known := lifecycle.ReadApproval(o.Metadata.Metadata).Refused
	p.Refused = slices.DeleteFunc(slices.Clone(p.Refused), func(r change.Change) bool {
		return !slices.Contains(known, asked.Identity.Hash("refused", r.Recorded()))
	})
	p.Pending = nil

	p.Parameters = clone(c.has)
	p.Parameters.Started = p.Power.Started
	p.MayUpdate = p.Parameters.Started != c.has.Started
}
