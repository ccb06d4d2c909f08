package site

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Action is what this call does with a part.
type Action string

// The actions.
const (
	// ActionLook: the provider looks whether there is one of the name.
	ActionLook Action = "Look"
	// ActionCreate: the provider creates it.
	ActionCreate Action = "Create"
	// ActionTake: it is there, and its comment says that it is the claim's. It is taken as it is.
	ActionTake Action = "Take"
	// ActionFollow: it follows its claim, as far as the claim allows.
	ActionFollow Action = "Follow"
	// ActionKeep: the managed resource stays as it was last written.
	ActionKeep Action = "Keep"
	// ActionDrop: the managed resource goes. Its policies decide whether the part in Proxmox goes, too.
	ActionDrop Action = "Drop"
)

// A Writing says whether there is something to change of a part, and when.
type Writing string

// The writings.
const (
	WritesNothing Writing = ""
	// WritesOnceRead: the parameters are written, and the provider may change nothing before it has read the part with them.
	WritesOnceRead Writing = "OnceRead"
	WritesNow      Writing = "Now"
)

// A Request is what the decisions of one call rest on.
type Request struct {
	Site     *machine.Site
	Observed proxmox.State
	Owner    lifecycle.Owner
	Flavour  proxmox.Flavour
	// Guests are the VMs and containers of all claims, where something may be deleted.
	Guests []Guest
}

// A Guest is a VM or a container of a claim.
type Guest struct {
	Name    string   // In words.
	Nodes   []string // Where it is, and where it should be.
	Bridges []string
}

// A Part is what this call does with a bridge, a VLAN interface or a pool, and why.
type Part struct {
	machine.SitePart

	// Removed says that the claim no longer has it.
	Removed  bool
	Resource string // Its composed resource name.
	State    State
	Action   Action
	Look     Look
	// Parameters to write: Create, Take, Follow.
	Parameters proxmox.SiteParameters
	// Writing says whether there is something to change, and whether the provider may do so now: Follow.
	Writing Writing
	// Held says that the claim no longer has it, and that it stays because the catalogue lacks the entry of the site.
	Held bool
	// Deletes says that the part in Proxmox goes with its managed resource.
	Deletes bool
	// Waits says what the part waits for, in a sentence; Problem what a person has to mend first. Empty where there is nothing.
	Waits, Problem string
	// Changes that the provider makes now; Interruptions those that wait for the word Hash in the claim; Refused those that it cannot follow.
	Changes, Interruptions, Refused []change.Change
	Hash                            string
	// Allowed is the word that counted last, to be kept.
	Allowed string
}

// A Plan is what this call does, and why.
type Plan struct {
	Request

	Mark  string
	Parts []Part
	// Needs are looks for interfaces that parts need, by composed resource name.
	Needs map[string]machine.SitePart
}

// Decide what this call does.
func Decide(r Request) Plan {
	p := &Plan{Request: r, Mark: r.Site.Mark(), Needs: map[string]machine.SitePart{}}
	known := map[string]bool{}

	for _, wanted := range r.Site.Parts {
		part := Part{SitePart: wanted, Resource: ResourceName(wanted)}
		known[part.Resource] = true
		o, observed := r.Observed.SiteParts[part.Resource]
		part.State = StateOf(o, observed, p.Mark)
		p.Parts = append(p.Parts, part)
	}

	for _, name := range slices.Sorted(maps.Keys(r.Observed.SiteParts)) {
		if o := r.Observed.SiteParts[name]; !known[name] && !o.ObserveOnly() {
			p.Parts = append(p.Parts, Part{SitePart: partOf(o), Resource: name, Removed: true, State: StateOf(o, true, p.Mark)})
		}
	}

	for i := range p.Parts {
		p.decide(&p.Parts[i])
	}

	p.oneByOne()

	return *p
}

// oneByOne has the provider create one interface of a node after the other: each creation reloads the node's network, and a reload fails while another
// one runs.
func (p *Plan) oneByOne() {
	busy := map[string]string{}

	for _, part := range p.Parts {
		if part.State == StateCreating && part.Kind != machine.SitePool {
			busy[part.Node] = part.Name
		}
	}

	for i := range p.Parts {
		part := &p.Parts[i]
		if part.Action != ActionCreate || part.State != StateAbsent || part.Kind == machine.SitePool {
			continue
		}

		if other := busy[part.Node]; other != "" {
			part.Action, part.Waits = ActionLook, fmt.Sprintf("The provider creates %s of node %s first.", other, part.Node)
			continue
		}

		busy[part.Node] = part.Name
	}
}

// partOf a managed resource that the claim no longer has.
func partOf(o proxmox.ObservedSitePart) machine.SitePart {
	f := o.Spec.ForProvider
	if o.Kind == proxmox.PoolKind {
		return machine.SitePart{Kind: machine.SitePool, Name: f.PoolID}
	}

	return machine.SitePart{Kind: partKind(o.Kind), Node: f.NodeName, Name: f.Name}
}

func (p *Plan) decide(part *Part) {
	o := p.Observed.SiteParts[part.Resource]
	part.Allowed = o.Metadata.Annotations[proxmox.AllowedAnnotation]

	switch {
	case part.Removed:
		p.remove(part, o)
	case part.State == StateLiving:
		// What is being deleted already, and is in the claim again, is not to go.
		part.Deletes = p.deletes() && len(p.users(*part)) == 0 && o.Metadata.DeletionTimestamp == ""
		p.follow(part, o)
	case part.State == StateCreating:
		// It stays as it was written until the provider shows it.
		part.Action = ActionKeep
	case part.State == StateFailed:
		p.retry(part, o)
	case (part.State == StateTainted || part.State == StateForeign) && proxmox.MayDelete(o.Spec.ManagementPolicies):
		// Without the managed resource the provider would delete it.
		part.Action = ActionKeep
	case part.State == StateTainted:
		part.Action = ActionDrop
	default:
		p.begin(part)
		p.holdCreation(part)
	}
}

// retry a creation that failed. Another one begins anew, with a look at what it needs.
func (p *Plan) retry(part *Part, o proxmox.ObservedSitePart) {
	part.Action, part.Parameters = ActionCreate, described(part.SitePart, p.Mark)
	if !sameParameters(o.Spec.ForProvider, part.Parameters) {
		part.Action = ActionDrop
	}
}

// sameParameters says whether a managed resource has these parameters.
func sameParameters(has, parameters proxmox.SiteParameters) bool {
	if len(has.Ports) == 0 {
		has.Ports = nil
	}

	return reflect.DeepEqual(has, parameters)
}

// deletes says whether the claim deletes anything in Proxmox at all.
func (p *Plan) deletes() bool { return p.Site.DeletionPolicy == v1alpha1.DeletionDelete }

// NeededPrefix is what the composed resource names of looks begin with that are for what a part needs: the ports of a bridge, and what carries a VLAN.
const NeededPrefix = "look-port-"

// lookName is the composed resource name of a look. At another cluster it is another look.
func (p *Plan) lookName(resource string) string {
	ref := p.Owner.ProviderConfigRef

	return "look-" + resource + "-" + p.Site.Identity.Hash("look", ref.Kind, ref.Name)
}

// begin looks whether the name is free, and creates the part, or takes it where it is the claim's already.
func (p *Plan) begin(part *Part) {
	part.Action = ActionLook

	o, observed := p.Observed.SiteParts[p.lookName(part.Resource)]
	part.Look = lookOf(o, observed, p.Mark)

	if part.State == StateForeign {
		part.Look = LookTaken
	}

	switch part.Look {
	case LookTaken:
		part.Problem = p.taken(*part)
	case LookOurs:
		part.Action, part.Parameters = ActionTake, asFound(part.Kind, o.Status.AtProvider)
	case LookUnknown:
		part.Waits = "The provider is looking whether there is one of the name."
		p.needs(part, proxmox.SiteParameters{})
	case LookFree:
		if p.needs(part, proxmox.SiteParameters{}) {
			part.Action, part.Parameters = ActionCreate, described(part.SitePart, p.Mark)
		}
	}
}

// taken says that there is one already.
func (p *Plan) taken(part Part) string {
	if part.Kind == machine.SitePool {
		return fmt.Sprintf("There is a pool %s, which the claim did not create: the provider neither changes nor deletes it. Machines can name it as it is. Remove it from spec.pools, "+
			"or choose another name.", message.Excerpt(part.Name))
	}

	return fmt.Sprintf("Node %s has an interface %s, which the claim did not create: the provider neither changes nor deletes it. Machines can use it as it is. Remove it from "+
		"spec.nodes, or choose another name.", part.Node, message.Excerpt(part.Name))
}

// needs says whether all that a part needs is there: the ports of a bridge that it does not have yet, and what carries a VLAN interface.
func (p *Plan) needs(part *Part, has proxmox.SiteParameters) bool {
	for _, port := range part.Ports {
		if !slices.Contains(has.Ports, port) {
			p.need(part, port, true)
			p.hold(part, port)
		}
	}

	for _, address := range []string{part.Address, part.Address6} {
		if address != has.Address && address != has.Address6 {
			p.hold(part, address)
		}
	}

	if part.Kind == machine.SiteVLAN {
		p.need(part, part.Interface, false)
	}

	return part.Waits == "" && part.Problem == ""
}

// need an interface of the node. A port must not have an address: the node would lose it.
func (p *Plan) need(part *Part, name string, isPort bool) {
	for _, other := range p.Parts {
		if other.Kind == machine.SitePool || other.Removed || other.Node != part.Node || other.Name != name {
			continue
		}

		switch {
		case isPort && p.addresses(other) != "":
			part.Problem = hasAddress(name, part.Node, p.addresses(other))
		case other.State != StateLiving:
			part.Waits = fmt.Sprintf("It waits for %s of node %s, which the claim describes, too.", name, part.Node)
		}

		return
	}

	needed := machine.SitePart{Kind: machine.SiteBridge, Node: part.Node, Name: name}
	resource := p.lookName("port-" + part.Node + "-" + name)
	p.Needs[resource] = needed

	o, observed := p.Observed.SiteParts[resource]
	at := o.Status.AtProvider

	switch lookOf(o, observed, p.Mark) {
	case LookUnknown:
		if part.Waits == "" {
			part.Waits = fmt.Sprintf("The provider is reading interface %s of node %s.", name, part.Node)
		}
	case LookFree:
		part.Problem = fmt.Sprintf("Node %s has no interface %s: correct the claim (`ip link` on the node lists its interfaces).", part.Node, message.Excerpt(name))
	case LookOurs, LookTaken:
		if address := strings.TrimSpace(at.Address + " " + at.Address6); isPort && address != "" {
			part.Problem = hasAddress(name, part.Node, address)
		}
	}
}

// addresses of an interface of the claim: those that the claim says, or else those that Proxmox has.
func (p *Plan) addresses(part Part) string {
	if said := strings.TrimSpace(part.Address + " " + part.Address6); said != "" {
		return said
	}

	o := p.Observed.SiteParts[part.Resource]
	if isGone(o) {
		return ""
	}

	return strings.TrimSpace(o.Status.AtProvider.Address + " " + o.Status.AtProvider.Address6)
}

func hasAddress(name, node, address string) string {
	return fmt.Sprintf("Interface %s of node %s has the address %s: as a port of a bridge, it would lose it, and the node could be cut off. Nothing is changed. "+
		"Name another port, or move the address in Proxmox first.", message.Excerpt(name), node, message.Excerpt(address))
}

// follow its claim, as far as the claim allows.
func (p *Plan) follow(part *Part, o proxmox.ObservedSitePart) {
	// What the provider cannot read just now may be otherwise. What it was asked to change, it goes on to change.
	if o.Status.AtProvider.ID == "" || isGone(o) || !o.Is(proxmox.ConditionSynced) && !proxmox.MayUpdate(o.Spec.ManagementPolicies) {
		part.Action = ActionKeep
		return
	}

	part.Action = ActionFollow

	has, wanted := asFound(part.Kind, o.Status.AtProvider), described(part.SitePart, p.Mark)
	all := changes(part.Path, has, wanted)
	part.Changes, part.Interruptions, part.Refused = of(change.InPlace, all), of(Interruption, all), of(change.Refused, all)

	switch {
	case len(part.Interruptions) > 0:
		part.Hash = p.hash(*part)
	case part.Allow != "":
		// The word has done its work, or had none to do. Who takes it out of the claim does not make it count again.
		part.Allowed = part.Allow
	}

	p.holdAddress(part)

	// What the changes need is looked for before somebody allows them, so that a fault is seen before.
	possible := part.Hash != "" && p.needs(part, has)

	if possible && part.Allow == part.Hash {
		part.Parameters = with(has, wanted, change.InPlace, Interruption)
		part.Changes, part.Interruptions = append(part.Changes, part.Interruptions...), nil
	} else {
		part.Parameters = with(has, wanted, change.InPlace)
	}

	switch {
	case reflect.DeepEqual(part.Parameters, has):
	case readAsWritten(o, part.Parameters):
		part.Writing = WritesNow
	default:
		part.Writing = WritesOnceRead
	}
}

// readAsWritten says whether the provider has read the part since its managed resource has these parameters, or is at it already. The plugin writes a
// part as a whole: with what it read minutes ago, it would undo what somebody changed in Proxmox since, and interrupt traffic for it. A new generation of
// the managed resource has it read at once.
func readAsWritten(o proxmox.ObservedSitePart, parameters proxmox.SiteParameters) bool {
	return sameParameters(o.Spec.ForProvider, parameters) && (proxmox.MayUpdate(o.Spec.ManagementPolicies) || o.Resting())
}

// hash is the word that allows the interruptions of a part: of what it has, what it would have, and the word that counted last, so that a word counts
// once.
func (p *Plan) hash(part Part) string {
	words := []string{"interruption", part.Key(), part.Allowed}
	for _, c := range part.Interruptions {
		words = append(words, c.Recorded())
	}

	return lifecycle.Lettered(p.Site.Identity.Hash(words...))
}

// remove a part that the claim no longer has.
func (p *Plan) remove(part *Part, o proxmox.ObservedSitePart) {
	named := slices.Contains(p.Site.Removals, part.Key())
	users := p.users(*part)
	may := proxmox.MayDelete(o.Spec.ManagementPolicies)

	switch {
	case part.State != StateLiving && !may:
		// The provider did not create it, or has given it up: it stays in Proxmox, if there is one.
		part.Action = ActionDrop
	case p.lacksEntry():
		p.holdRemoval(part, o)
	case !p.deletes() && !may && p.wanted(*part) != "":
		// Without it nobody would know any more that it has them.
		part.Action = ActionKeep
		part.Problem = "It was removed from the claim, and stays in Proxmox with what " + p.wanted(*part) + " is to have."
	case !p.deletes() && !may:
		part.Action = ActionDrop
	case !p.deletes():
		// Once the policies are written, it goes.
		part.Action = ActionKeep
	case !named:
		part.Action = ActionKeep
		part.Problem = "It was removed from the claim, and stays in Proxmox, because " + removalField(*part) + " does not name it. To delete it in Proxmox, too, add it there. To keep " +
			"it, set spec.deletionPolicy: Orphan."
	case len(users) > 0:
		part.Action = ActionKeep
		part.Problem = "It was removed from the claim, and is not deleted, because it is in use: " + strings.Join(users, ", ") + "."
	case !may:
		part.Action, part.Deletes = ActionKeep, true
	default:
		part.Action, part.Deletes = ActionDrop, true
	}
}

// removalField is where the claim names a part that may be deleted.
func removalField(part Part) string {
	if part.Kind == machine.SitePool {
		return "spec.allowRemoval.pools"
	}

	return "spec.allowRemoval.interfaces"
}

// users of an interface, in words: VMs and containers of claims, and other interfaces of this claim. What uses a pool, Proxmox knows best.
func (p *Plan) users(part Part) []string {
	var out []string

	for _, other := range p.Parts {
		if other.Node != part.Node || other.Key() == part.Key() || part.Kind == machine.SitePool {
			continue
		}

		if other.Removed {
			// What goes too is no user, and what stays in Proxmox is.
			if slices.Contains(p.Site.Removals, other.Key()) {
				continue
			}

			other.Interface, _, _ = strings.Cut(other.Name, ".")
			other.Ports = p.Observed.SiteParts[other.Resource].Spec.ForProvider.Ports
		}

		if other.Kind == machine.SiteVLAN && other.Interface == part.Name || slices.Contains(other.Ports, part.Name) {
			out = append(out, string(other.Kind)+" "+other.Name)
		}
	}

	if part.Kind != machine.SiteBridge {
		return out
	}

	for _, g := range p.Guests {
		if slices.Contains(g.Nodes, part.Node) && slices.Contains(g.Bridges, part.Name) {
			out = append(out, g.Name)
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
}
