package cluster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// Decide what happens to the nodes of a cluster in this call. A node that exists is always rendered, unless it is its turn to go; and
// whoever has no turn keeps the spec that it has.
func Decide(w World) Plan {
	d := newDecision(w.recorded())

	d.keep()
	upgrades{d}.goOn()
	d.continueTurns()

	// A K3sNode that is adopted changes in nothing, so that a paused rollout adopts. Until it is a node, nobody counts right.
	if adopting := (adopter{d}).adopt(); !adopting && !w.Rollout.Pause {
		upgrades{d}.start()
		d.create()
		d.remove()
		d.change()
	}

	return d.plan()
}

// A decision is what of a plan is decided so far.
type decision struct {
	World

	members map[string]Member
	// changes are the fields in which members that exist differ from what the claim describes.
	changes map[string][]string

	steps   map[string]*Step
	refused []string // Adoptions that cannot be, and why.
	blocked []string // What only a person can decide.
	circles bool     // Whether a circle of nodes that have to make way for each other was said.
	// unaccepted are members whose turn is to change what the API server does not let them have.
	unaccepted []string
	waits      []string // What a next turn waits for.
}

func newDecision(w World) *decision {
	w.Members, w.Children = w.declaredLost(), w.withoutState()
	d := &decision{World: w, members: make(map[string]Member, len(w.Members)), changes: map[string][]string{}, steps: map[string]*Step{}}

	for _, m := range w.Members {
		d.members[m.Node] = m

		if c, exists := w.Children[m.Node]; exists {
			d.changes[m.Node] = changes(m, c)
		}
	}

	return d
}

// keep every node as it is.
func (d *decision) keep() {
	for _, m := range d.Members {
		s := &Step{Node: m.Node, Machine: m.Machine, Role: m.Role, Action: ActionWait, State: StateWaiting}

		if c, ok := d.Children[m.Node]; ok {
			s = keptMember(d, m, c)
		}

		d.steps[m.Node] = s
	}

	for name, c := range d.Children {
		if d.wants(name) {
			continue
		}

		s := d.kept(name, c)
		s.State = StateOutdated

		// A person helps it on its way.
		if asks := leavingLost(d.Requests[name], c); len(asks) > 0 {
			all := map[string]any{}
			maps.Copy(all, c.Requested)
			maps.Copy(all, asks)

			s.Spec, s.Requested = requested(s.Spec, Member{Lifecycle: all}, c), all
		}

		if c.Deleting {
			s.Action, s.State, s.Spec, s.Why = ActionRemove, StateLeaving, nil, noSuchNode
		}

		d.steps[name] = s
	}
}

// keptMember is a node that the claim describes, as it is, with what a person asks of it.
func keptMember(d *decision, m Member, c Child) *Step {
	s := d.kept(m.Node, c)
	s.Spec, s.Requested = drainedAsClaimed(withoutOwnDrain(requested(s.Spec, m, c), m), SpecOf(m, c), c), m.Lifecycle
	s.State = d.stateOf(m, c)

	// The new VM of a founder joins: one that found nobody at the cluster's address, while other servers are away, would start another cluster.
	if founds(c.Spec) && asksReplacement(m, c) && d.othersJoined(m.Node) {
		s.Spec = asJoiner(s.Spec, SpecOf(m, c))
	}

	if m.Founder != nil && c.Founded && c.Answered && c.Need == NeedNewVM && d.onlyServer(m) {
		s.Spec = asFounder(s.Spec, m.Founder)
	}

	// Only the approval can differ, and it counts once.
	if m.AdoptVM != nil && !c.Joined {
		s.Spec = withAdoption(s.Spec, m)
	}

	return s
}

// kept is a node with the spec that it has. What says how nodes are deleted is the cluster's at once, since nothing follows from it
// before a node is deleted.
func (w World) kept(name string, c Child) *Step {
	spec := maps.Clone(c.Spec)
	spec["deletionPolicy"] = string(cmp.Or(w.DeletionPolicy, v1alpha1.DeletionOrphan))
	spec["deletionProtection"] = w.Protected

	return &Step{
		Node: name, Machine: c.Machine, Role: c.Role, Action: ActionKeep, Spec: spec, Template: c.Template, Turn: c.Turn, Requested: c.Requested,
		Joined: c.Joined, Ready: c.serves(), DataDisks: c.DataDisks, Adopted: c.Adopted,
	}
}

// wants says whether the claim describes a node.
func (d *decision) wants(node string) bool {
	_, ok := d.members[node]
	return ok
}

// stateOf a member that exists.
func (d *decision) stateOf(m Member, c Child) NodeState {
	switch {
	case c.Deleting:
		return StateLeaving
	case !c.Joined:
		return StateCreating
	case c.Need == NeedReplacing || c.Need == NeedBlocked && c.Turn == TurnReplaced:
		return StateReplacing
	case !c.serves() && (c.Answered || c.Trouble != ""):
		return StateNotReady
	case d.outdated(m, c) || upgrades{d}.behind(c) || d.needsNewVM(m, c) && d.onlyServer(m) || d.needsHand(m, c):
		return StateOutdated
	case !c.serves() || d.owed(m, c) != ActionKeep:
		return StateChanging
	default:
		return StateReady
	}
}

// outdated says whether a node lacks something of what the claim describes. A server that started the cluster was created with fields that
// it has no use for since.
func (d *decision) outdated(m Member, c Child) bool {
	return len(d.changes[m.Node]) > 0 || c.Template != m.Template
}

// changes are the fields in which a node differs from what the claim describes.
func changes(m Member, c Child) []string {
	wanted, has := SpecOf(m, c), withoutRestore(c.Spec)
	out := differences(has, wanted)

	if c.Template != m.Template {
		out = append(out, slices.DeleteFunc(dropped(has, wanted), func(f string) bool { return isDefault(f, c.Spec) || slices.Contains(out, f) })...)
	}

	return slices.DeleteFunc(out, func(f string) bool {
		return f == "lifecycle" || f == "adopt" || f == "deletionPolicy" || f == "deletionProtection" || founds(c.Spec) && (f == "k3s.token" || f == "k3s.init")
	})
}

// othersJoined says whether another server than one node has ever joined.
func (w World) othersJoined(node string) bool {
	for name, c := range w.Children {
		if name != node && c.Role == v1alpha1.K3sServer && c.Joined && !c.Deleting {
			return true
		}
	}

	return false
}

// rank of a role: servers first.
func rank(r Role) int {
	if r == v1alpha1.K3sServer {
		return 0
	}

	return 1
}
