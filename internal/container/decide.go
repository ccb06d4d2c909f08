package container

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A State is how far a container has come.
type State string

// The states of a container.
const (
	// StateAbsent: there is no container of the claim.
	StateAbsent State = "Absent"
	// StateCreating: the provider was asked to create the container, and has not shown it yet.
	StateCreating State = "Creating"
	// StateFailed: the provider could not create the container.
	StateFailed State = "Failed"
	// StateForeign: the provider was to create the container, and found somebody else's.
	StateForeign State = "Foreign"
	// StateTakenOver: the container was deleted in Proxmox, and somebody made another one with its VMID.
	StateTakenOver State = "TakenOver"
	// StateLiving: the container exists.
	StateLiving State = "Living"
)

// StateOf a container.
func StateOf(o proxmox.ObservedContainer, observed bool) State {
	_, creating := o.Metadata.Annotations[proxmox.CreatingAnnotation]

	switch {
	case !observed || o.ObserveOnly():
		return StateAbsent
	case !creating && isTakenOver(o):
		return StateTakenOver
	case !creating:
		return StateLiving
	case o.Status.AtProvider.ID == "" && !o.MayExist():
		return StateFailed
	case o.Status.AtProvider.ID == "":
		return StateCreating
	case isOurs(o):
		return StateLiving
	}

	return StateForeign
}

// isOurs says whether the container that the provider shows is the one that it was asked to create: it has begun a creation since, and the
// container has the identity in its notes.
func isOurs(o proxmox.ObservedContainer) bool {
	found := o.Status.AtProvider.Parameters

	return proxmox.CreationBeganIn(o.Metadata.Metadata) && found != nil && sameText(found.Description, o.Spec.ForProvider.Description)
}

// isTakenOver says whether another container has the VMID of a container that exists, as far as the provider knows. It goes by the VMID alone, and
// would change that container and destroy it with the claim. The evidence is that the notes lack the identity that was written, beside another
// host name: who edits the notes in Proxmox does not rename the container, and an edit of the claim leaves the identity.
func isTakenOver(o proxmox.ObservedContainer) bool {
	found, written := o.Status.AtProvider.Parameters, o.Spec.ForProvider
	identity := identityIn(written.Description)

	return found != nil && identity != "" && !strings.Contains(found.Description, identity) && found.Hostname() != written.Hostname()
}

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
	// ActionRemove: the managed resource goes, since another container is to replace this one. The policies that it was last written with decide whether
	// the container is destroyed.
	ActionRemove Action = "Remove"
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
	// VMID is where it is from: no range, where a person named it or the container exists.
	VMID lifecycle.VMID
	// SearchMark is what is to be remembered of the search through a range; empty where there is none.
	SearchMark string
	// NamedVMID is the claim's; 0 where it names none.
	NamedVMID int64
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
	// Replacement is nil where no container is to replace another one.
	Replacement *Replacement
}

// Decide what this call does with the container.
func Decide(r Request) Plan {
	o, observed := r.Observed.Containers[Name]
	p := &Plan{Request: r, State: StateOf(o, observed), Described: Describe(r.Container)}
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
		p.Replacement = p.replacement(o, lifecycle.Approval{})
	}

	p.Firewall = firewallOf(*p, o)

	return *p
}

// firewallOf a container, as the plan is so far.
func firewallOf(p Plan, o proxmox.ObservedContainer) lifecycle.FirewallPlan {
	g := lifecycle.FirewalledGuest{
		Name: Name, Node: o.Spec.ForProvider.NodeName, ContainerID: proxmox.VMIDOfContainer(o), Stage: lifecycle.GuestFollows,
		Wanted: p.Container.Firewall, Observed: p.Observed.Firewalls,
	}

	switch {
	case p.State != StateLiving, p.Action == ActionRemove:
		g.Stage = lifecycle.GuestAwaited
	case p.Action == ActionKeep, p.Approval.Waits(), p.Replacement.Begun(), p.Container.Firewall != nil && p.Container.Keeps(machine.PartSite):
		g.Stage = lifecycle.GuestStands
	}

	rest := firewallGoes
	if p.Action == ActionKeep || p.Action == ActionDisown {
		rest = firewallStays
	}

	return decideFirewall(g, rest)
}

// absent says whether the claim has no container, and may not be getting one.
func (p *Plan) absent() bool {
	return slices.Contains([]State{StateAbsent, StateForeign, StateTakenOver}, p.State)
}

// retry a creation that failed, with what the claim says now. In another place it is another creation.
func (p *Plan) retry(o proxmox.ObservedContainer) {
	was := o.Spec.ForProvider
	if vmID(was) != vmID(p.Described) || was.NodeName != p.Described.NodeName {
		p.begin()
		return
	}

	p.Action, p.Parameters = ActionCreate, p.Described
}

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

	if check.Outcome == lifecycle.OutcomeFree && len(p.Waiting) == 0 {
		p.Action, p.Parameters = ActionCreate, p.Described
	}
}

// missing names what a new container waits for.
func (p *Plan) missing() []string {
	var out []string

	for name := range p.newTemplate() {
		if f, ok := p.Observed.DownloadFiles[name]; !ok || !f.Found() && !proxmox.AlreadyPresent(f) {
			out = append(out, name)
		}
	}

	return out
}

// follow its claim, as far as a container that exists can.
func (p *Plan) follow(o proxmox.ObservedContainer) {
	found := o.Status.AtProvider.Parameters
	known := found != nil && o.Status.AtProvider.ID == o.Metadata.ExternalName() && !isGone(o)

	// What the provider cannot read just now may be otherwise. What it was asked to change, it goes on to change.
	if !known || !o.Is(proxmox.ConditionSynced) && !proxmox.MayUpdate(o.Spec.ManagementPolicies) {
		p.Action = ActionKeep
		p.Approval = lifecycle.Approval{Memory: p.legacy().approval}
		p.Replacement = p.replacement(o, p.Approval)
		p.undergo(o)

		return
	}

	p.Action = ActionFollow

	c := p.comparison(o)
	all := c.changes()
	p.Pending, p.Refused = of(Restart, all), of(change.Refused, all)

	p.Power = p.power(o)

	if p.Power.TakesChanges {
		p.Parameters = c.with(change.InPlace, Restart)
	} else {
		p.Parameters = c.with(change.InPlace)
	}

	p.Parameters.Started = p.Power.Started
	p.MayUpdate = !reflect.DeepEqual(p.Parameters, c.has)

	p.Approval = p.approve(o, all)
	p.Replacement = p.replacement(o, p.Approval)

	// A container that goes is neither restarted nor changed before; and while an approved replacement is blocked, no other part of the edit takes effect.
	if p.Approval.Waits() || p.Approval.Has(lifecycle.EffectReplace) || p.Replacement.Begun() {
		p.stand(o, c)
	}

	p.undergo(o)
}

// isGone says whether the provider did not find a container that existed, and is to create it again. It leaves in its report what it read before.
func isGone(o proxmox.ObservedContainer) bool { return o.Condition(proxmox.ConditionReady).IsFalse() }

// comparison of a container as it is with its claim. The provider does not report the VMID of a container that it did not create.
func (p Plan) comparison(o proxmox.ObservedContainer) comparison {
	has := o.Status.AtProvider.Parameters.ContainerParameters
	has.VMID = o.Spec.ForProvider.VMID

	return comparison{
		has: has, wanted: p.Described, machine: p.Container, adopted: p.Adopted, further: furtherOf(p.Container, o.Metadata),
		config: o.Spec.ProviderConfigRef.Name, wantedConfig: p.Owner.ProviderConfigRef.Name,
	}
}

// Deletion says whether the container is destroyed with its claim.
func (p Plan) Deletion() proxmox.Deletion {
	return proxmox.Deletion(p.Container.DeletionPolicy == v1alpha1.DeletionDelete)
}
