package cluster

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
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
			s = d.kept(m.Node, c)
			s.Spec, s.Requested = withoutOwnDrain(requested(s.Spec, m, c), m), m.Lifecycle
			s.State = d.stateOf(m, c)

			// The new VM of a founder joins: one that found nobody at the cluster's address, while other servers are away, would start another cluster.
			if founds(c.Spec) && asksReplacement(m, c) && d.othersJoined(m.Node) {
				s.Spec = asJoiner(s.Spec, SpecOf(m, c))
			}

			// Only the approval can differ, and it counts once.
			if m.AdoptVM != nil && !c.Joined {
				s.Spec = withAdoption(s.Spec, m)
			}
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
		if asks := d.Requests[name]; len(asks) > 0 {
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

// noSuchNode is why a node goes.
const noSuchNode = "the claim has no such node any more"

// kept is a node with the spec that it has. What says how nodes are deleted is the cluster's at once, since nothing follows from it
// before a node is deleted.
func (d *decision) kept(name string, c Child) *Step {
	spec := maps.Clone(c.Spec)
	spec["deletionPolicy"] = string(cmp.Or(d.DeletionPolicy, v1alpha1.DeletionOrphan))
	spec["deletionProtection"] = d.Protected

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
	wanted := SpecOf(m, c)
	out := differences(c.Spec, wanted)

	if c.Template != m.Template {
		out = append(out, slices.DeleteFunc(dropped(c.Spec, wanted), func(f string) bool { return isDefault(f, c.Spec) || slices.Contains(out, f) })...)
	}

	return slices.DeleteFunc(out, func(f string) bool {
		return f == "lifecycle" || f == "adopt" || f == "deletionPolicy" || f == "deletionProtection" || founds(c.Spec) && (f == "k3s.token" || f == "k3s.init")
	})
}

// isDefault says whether a field may be there because the API server has a default for it.
func isDefault(f string, spec map[string]any) bool {
	switch f {
	case "power":
		return spec[f] == string(v1alpha1.PowerRunning)
	case "lifecycle":
		return true
	default:
		return false
	}
}

// founds says whether a node was created to start the cluster.
func founds(spec map[string]any) bool {
	k, _ := spec["k3s"].(map[string]any)
	return k["init"] == true
}

// owed is what the turn of a node that has its new spec still has to do.
func (d *decision) owed(m Member, c Child) Action {
	switch {
	case d.outdated(m, c) || !c.Answered || !c.Joined || c.Deleting:
		return ActionKeep
	case d.needsNewVM(m, c) && d.onlyServer(m):
		return ActionKeep // It cannot be had, and keeps no other node from its turn.
	case d.needsNewVM(m, c):
		return ActionReplace
	case d.needsHand(m, c):
		return ActionKeep
	case c.RebootPending && d.Rollout.RebootPolicy == v1alpha1.RebootWhenNeeded && c.Turn != TurnRebooted && c.Need == NeedNothing:
		return ActionReboot
	default:
		return ActionKeep
	}
}

func (d *decision) needsNewVM(m Member, c Child) bool {
	if c.Turn != TurnMayReplace || d.Rollout.ReplacePolicy == v1alpha1.ReplaceOnRequest || m.DataDisks() || c.DataDisks {
		return false
	}

	return c.Need == NeedNewVM || c.VersionChanged && d.Upgrade == v1alpha1.UpgradeReplace
}

// A rest is how much of a node's turn has to be over before another node has its turn.
type rest int

const (
	// restEnded: the node's turn has nothing left to do. A new turn begins only then.
	restEnded rest = iota
	// restBetween: nothing is under way, and the next part of the turn may be still to come. A turn that has begun goes on then: two of them
	// would wait for each other otherwise.
	restBetween
)

// rests says whether a node serves its cluster and is at rest, whether or not it is as the claim describes it.
func (d *decision) rests(node string, how rest) bool {
	c := d.Children[node]
	if lossesOf(d).lost(node) && d.steps[node].Action == ActionKeep && !lossesOf(d).rejoins(node) {
		return true
	}

	if !c.serves() || d.steps[node].Action != ActionKeep {
		return false
	}

	m, wanted := d.members[node]
	if !wanted || d.outdated(m, c) {
		return true
	}

	// A need that came up later, by an edit of the catalogue, keeps nobody from anything.
	if c.Turn == TurnReplaced && c.Need == NeedBlocked || c.Turn == TurnRebooted && c.RebootPending && !d.needsHand(m, c) {
		return false
	}

	return how == restBetween || d.owed(m, c) == ActionKeep
}

// restless are the nodes of a role that are not at rest, except one, sorted.
func (d *decision) restless(except string, role Role, how rest) []string {
	var out []string

	for name, s := range d.steps {
		_, exists := d.Children[name]
		// A node that is created in this call does not exist yet.
		if name != except && s.Role == role && (exists && !d.rests(name, how) || !exists && s.Action == ActionCreate) {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}

// waitsFor are the nodes for which the turn of a node has to wait: for a server all others, for an agent the servers, and other agents where
// as many as may are away.
func (d *decision) waitsFor(node string, role Role, how rest) []string {
	servers, agents := append(slices.Clone(d.Leaving), d.restless(node, v1alpha1.K3sServer, how)...), d.restless(node, v1alpha1.K3sAgent, how)

	if role == v1alpha1.K3sServer && !lossesOf(d).lost(node) && !lossesOf(d).margin(node) {
		servers = append(servers, lossesOf(d).lostServers()...)
	}

	if role == v1alpha1.K3sServer || int64(len(agents)) >= max(1, d.Rollout.MaxUnavailable) {
		return append(servers, agents...)
	}

	return servers
}

// may says whether a node can have its turn now, and remembers what it waits for.
func (d *decision) may(node string, role Role, how rest) bool {
	waits := d.waitsFor(node, role, how)
	d.waits = append(d.waits, waits...)

	return len(waits) == 0
}

// continueTurns of nodes that have their new spec.
func (d *decision) continueTurns() {
	for _, m := range d.Members {
		c, exists := d.Children[m.Node]
		if !exists {
			continue
		}

		s := d.steps[m.Node]
		if s.Action == ActionUpgrade {
			continue
		}

		switch d.owed(m, c) {
		case ActionReplace:
			if d.may(m.Node, m.Role, restBetween) {
				s.Action, s.Why, s.Turn = ActionReplace, "its change needs a new VM", TurnReplaced
				s.Spec = asJoiner(s.Spec, SpecOf(m, c))
				s.Spec = withLifecycle(s.Spec, map[string]any{"replace": word(m.Template, c, "replace")})
			}
		case ActionReboot:
			if d.may(m.Node, m.Role, restBetween) {
				s.Action, s.Why, s.Turn = ActionReboot, "its change waits for a power cycle", TurnRebooted
				s.Spec = withLifecycle(s.Spec, map[string]any{"reboot": word(m.Template, c, "reboot")})
			}
		default:
			switch {
			case d.needsHand(m, c):
				d.blocked = append(d.blocked, restartByHand(m, c))
				d.watchForHand(m, c)
			case s.State == StateOutdated && !d.outdated(m, c) && !(upgrades{d}).behind(c):
				d.blocked = append(d.blocked, m.Node+" needs a new VM, and the only server of a cluster is never replaced, because the cluster's state would be lost")
			}

			d.finish(m, c)
		}
	}
}

// finish the turn of a node that has all of its change: what comes up later, by an edit of the catalogue, is no reason for a new VM.
func (d *decision) finish(m Member, c Child) {
	if d.outdated(m, c) || !c.serves() || c.Need != NeedNothing {
		return
	}

	switch c.Turn {
	case TurnMayReplace:
		if !c.VersionChanged || d.Upgrade != v1alpha1.UpgradeReplace {
			d.steps[m.Node].Turn = TurnEdit
		}
	case TurnRebooted:
		if !c.RebootPending {
			d.steps[m.Node].Turn = TurnEdit
		}
	case TurnReplaced:
		d.confirm(m, c)
	case TurnEdit:
	}
}

// confirm that a replaced server has joined: it is ready, which it is only when its guest reports so or its Node was seen.
func (d *decision) confirm(m Member, c Child) {
	lifecycle, _ := c.Spec["lifecycle"].(map[string]any)
	replaced, _ := lifecycle["replace"].(string)

	if m.Role == v1alpha1.K3sServer && replaced != "" && lifecycle["joined"] != replaced {
		d.steps[m.Node].Spec = withLifecycle(d.steps[m.Node].Spec, map[string]any{"joined": replaced})
	}
}

// refusedSpec is why a node is not as the claim describes it.
const refusedSpec = "the claim's spec of it is refused"

// create nodes that are missing: servers one by one, each when those before it have joined, and agents when a server has joined.
func (d *decision) create() {
	answers := false

	for _, m := range d.Members {
		c, exists := d.Children[m.Node]

		if exists {
			answers = answers || m.Role == v1alpha1.K3sServer && c.Joined && !c.Deleting
			continue
		}

		s, is := d.steps[m.Node], nodeOf(d.Children, m.Machine)

		switch {
		case slices.Contains(d.Taken, m.Node):
			s.Why = "K3sNode " + m.Machine + " exists already, and is not this cluster's"
			d.blocked = append(d.blocked, m.Node+" is not created: "+s.Why)
		case len(d.Refusals.Nodes[m.Node]) > 0:
			s.Why = refusedSpec
		case !d.free(m, s):
		case is != "":
			s.Why = "K3sNode " + m.Machine + " is node " + is + " of this cluster"
			d.blocked = append(d.blocked, m.Node+" is not created: "+s.Why)
		case m.AdoptVM != nil:
			d.begin(m, s)
		case m.Founder != nil && !d.hasServers() && adoptsVMs(d.Members):
			s.Why = "would start another cluster beside that of the VMs that are adopted"
			d.blocked = append(d.blocked, m.Node+" is not created, because it "+s.Why+": it has to adopt a server, too")
		case m.Role == v1alpha1.K3sAgent && !answers:
			s.Why = "waits for a server that has joined"
		case m.Role == v1alpha1.K3sAgent || m.Founder != nil && !d.hasServers() || d.follows(m, answers) && d.may(m.Node, m.Role, restEnded):
			d.begin(m, s)
		default:
			s.Why = "waits for " + list(d.waitsFor(m.Node, m.Role, restEnded))
		}

		// The next server waits for this one.
		if m.Role == v1alpha1.K3sServer {
			answers = answers && s.Action != ActionCreate
		}
	}
}

// follows says whether a server that does not exist can join others. The first one has none before it: where it is gone, or another one was adopted,
// any that has joined will do.
func (d *decision) follows(m Member, answers bool) bool {
	return answers || m.Founder != nil && d.founded()
}

// begin a node that does not exist.
func (d *decision) begin(m Member, s *Step) {
	m = upgrades{d}.born(m)
	s.Action, s.State, s.Spec, s.Template, s.Why = ActionCreate, StateCreating, m.Spec, m.Template, "it does not exist yet"
	s.DataDisks = m.DataDisks()

	switch {
	case m.AdoptVM != nil:
		// What disks it has is not known before the provider has read it.
		s.Spec, s.DataDisks = withAdoption(s.Spec, m), true
		s.Why = fmt.Sprintf("it adopts VM %v, on which nothing changes before you approve it", m.AdoptVM["vmId"])
	case m.Founder != nil && !d.founded():
		s.Spec, s.Why = m.Founder, "it starts the cluster"
	}

	s.Spec, s.Requested = withLifecycle(maps.Clone(s.Spec), m.Lifecycle), m.Lifecycle
}

// remove nodes that the claim does not describe: agents before servers, the highest numbers first, one at a time.
func (d *decision) remove() {
	var gone []string

	for name := range d.Children {
		if !d.wants(name) {
			gone = append(gone, name)
		}
	}

	slices.SortFunc(gone, func(a, b string) int {
		return cmp.Or(-cmp.Compare(rank(d.Children[a].Role), rank(d.Children[b].Role)), -cmp.Compare(len(a), len(b)), -strings.Compare(a, b))
	})

	for _, name := range gone {
		c, s := d.Children[name], d.steps[name]
		if c.Deleting || s.Action == ActionUpgrade {
			continue
		}

		if why := d.mustStay(name, c); why != "" {
			s.Why = why
			d.blocked = append(d.blocked, name+" stays: "+why)

			continue
		}

		if !d.may(name, c.Role, restEnded) {
			s.Why = "waits for " + list(d.waitsFor(name, c.Role, restEnded))
			continue
		}

		s.Action, s.State, s.Why = ActionRemove, StateLeaving, noSuchNode

		if d.drainsFirst(c) {
			s.Spec, s.Why = withLifecycle(s.Spec, map[string]any{"drain": lifecycle.DrainForRemoval}), "its Node is drained first"+drainTrouble(c)
			continue
		}

		// Its own protection goes first.
		if c.Spec["deletionProtection"] != false || !c.Answered {
			s.Spec["deletionProtection"] = false
		} else {
			s.Spec = nil
		}
	}
}

// mustStay says why a node cannot be removed; empty if it can.
func (d *decision) mustStay(node string, c Child) string {
	switch {
	case d.DeletionPolicy != v1alpha1.DeletionDelete:
		return "with deletionPolicy: Orphan its VM would run on as a node of the cluster; set deletionPolicy: Delete"
	case c.DataDisks && d.Protected:
		return "its VM has data disks, which would be destroyed; set deletionProtection: false"
	case c.Role == v1alpha1.K3sServer && !d.NodesLeave:
		return "its member would stay in etcd, which could lose its quorum; set providerConfig and observe in the cluster's entry of the catalogue"
	case c.Role == v1alpha1.K3sServer && !d.majority(node):
		return "the remaining servers would have no quorum without it"
	default:
		return ""
	}
}

// change nodes that differ from what the claim describes, in turns: servers before agents.
func (d *decision) change() {
	for _, m := range d.Members {
		c, exists := d.Children[m.Node]
		if !exists || c.Deleting || !d.outdated(m, c) {
			continue
		}

		s := d.steps[m.Node]
		fields := d.changes[m.Node]

		if s.Action == ActionUpgrade {
			continue
		}

		if !d.mayChange(m, s) {
			continue
		}

		s.Action, s.Fields, s.Template, s.Turn = ActionChange, fields, m.Template, TurnEdit
		s.Why = cmp.Or(list(fields), "its template")

		unfinished := c.Turn == TurnMayReplace || c.Turn == TurnReplaced && c.Need != NeedNothing
		if !isFirstTurn(c) && (unfinished || mayReplace(fields, d.Upgrade == v1alpha1.UpgradeReplace)) {
			s.Turn = TurnMayReplace
		}

		s.Spec, s.DataDisks = d.changed(m, c), c.DataDisks || m.DataDisks()

		if d.Unaccepted[m.Node] {
			d.unaccepted = append(d.unaccepted, m.Node)
		}

		if s.State != StateReplacing && s.State != StateNotReady {
			s.State = StateChanging
		}
	}
}

// mayChange says whether a node that differs from what the claim describes can have its turn now, and notes what it waits for.
func (d *decision) mayChange(m Member, s *Step) bool {
	switch {
	case len(d.Refusals.Nodes[m.Node]) > 0:
		s.Why = refusedSpec
	case !d.free(m, s):
	case !d.may(m.Node, m.Role, restEnded):
		s.Why = "waits for " + list(d.waitsFor(m.Node, m.Role, restEnded))
	default:
		return true
	}

	return false
}

// changed is the spec of a node in its turn. The actions that a person requested of it stay, and so does the way in which a founder was
// created. A replacement that is under way is given up: its VM is of the spec before.
func (d *decision) changed(m Member, c Child) map[string]any {
	spec := maps.Clone(SpecOf(m, c))
	spec["deletionPolicy"] = string(cmp.Or(d.DeletionPolicy, v1alpha1.DeletionOrphan))
	spec["deletionProtection"] = d.Protected

	if l, ok := c.Spec["lifecycle"].(map[string]any); ok {
		l = maps.Clone(l)
		if c.Turn == TurnReplaced && (c.Need == NeedReplacing || c.Need == NeedBlocked) {
			delete(l, "replace")
		}

		spec["lifecycle"] = l
	}

	if adopt, ok := c.Spec["adopt"]; ok {
		spec["adopt"] = adopt
	}

	if has, ok := c.Spec["k3s"].(map[string]any); ok && founds(c.Spec) {
		k := maps.Clone(group(spec, "k3s"))
		k["init"] = true
		delete(k, "token")

		if t, ok := has["token"]; ok {
			k["token"] = t
		}

		spec["k3s"] = k
	}

	return requested(spec, m, c)
}

// requested is a spec with the actions that a person requests of the node. Each is taken over once, so that a value which stays in the
// claim does not take the place of a later one; an action that the person takes back goes.
func requested(spec map[string]any, m Member, c Child) map[string]any {
	fresh := map[string]any{}

	for name, v := range m.Lifecycle {
		if c.Requested[name] != v {
			fresh[name] = v
		}
	}

	spec = withLifecycle(spec, fresh)

	for name, v := range c.Requested {
		l, _ := spec["lifecycle"].(map[string]any)
		if _, still := m.Lifecycle[name]; !still && l[name] == v {
			l = maps.Clone(l)
			delete(l, name)

			spec = maps.Clone(spec)
			spec["lifecycle"] = l
		}
	}

	return spec
}

// asksReplacement says whether a person requests a replacement of a node that it has not taken over.
func asksReplacement(m Member, c Child) bool {
	replace, _ := m.Lifecycle["replace"].(string)

	return replace != "" && c.Requested["replace"] != replace
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

// asJoiner is a spec whose next VM joins the cluster.
func asJoiner(spec, wanted map[string]any) map[string]any {
	out := maps.Clone(spec)
	out["k3s"] = wanted["k3s"]

	return out
}

// withLifecycle adds actions to a spec.
func withLifecycle(spec, actions map[string]any) map[string]any {
	if len(actions) == 0 {
		return spec
	}

	out := maps.Clone(spec)
	has, _ := out["lifecycle"].(map[string]any)
	l := maps.Clone(has)

	if l == nil {
		l = map[string]any{}
	}

	maps.Copy(l, actions)
	out["lifecycle"] = l

	return out
}

// word is the value of a trigger of a node, new for each template, VM and trigger before.
func word(template string, c Child, trigger string) string {
	lifecycle, _ := c.Spec["lifecycle"].(map[string]any)

	vm := int64(0)
	if c.VMID != nil {
		vm = *c.VMID
	}

	h := sha256.Sum256(fmt.Appendf(nil, "%s %v %d", template, lifecycle[trigger], vm))

	return "turn-" + hex.EncodeToString(h[:])[:10]
}

// rank of a role: servers first.
func rank(r Role) int {
	if r == v1alpha1.K3sServer {
		return 0
	}

	return 1
}

// maxNamed is how many nodes a sentence names.
const maxNamed = 3

// list of names, as a sentence has them.
func list(names []string) string {
	some := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		some += fmt.Sprintf(" and %d more", more)
	}

	return some
}

// needsHand says whether a node waits for a power cycle that only a person can make, since Crossplane would be down with it.
func (w World) needsHand(m Member, c Child) bool {
	return c.RebootPending && w.Rollout.RebootPolicy == v1alpha1.RebootWhenNeeded && w.Here && w.onlyServer(m)
}

// watchForHand asks a node for the power cycle that only a person can make: it refuses, and notes the boot of its Node, by which it sees when somebody
// has restarted the VM.
func (d *decision) watchForHand(m Member, c Child) {
	if c.Turn == TurnRebooted || c.Need == NeedBlocked || !c.serves() {
		return
	}

	s := d.steps[m.Node]
	s.Turn = TurnRebooted
	s.Spec = withLifecycle(s.Spec, map[string]any{"reboot": word(m.Template, c, "reboot")})
}

// restartByHand says what a person has to do for a node on which Crossplane runs.
func restartByHand(m Member, c Child) string {
	vm := "its VM"
	if c.VMID != nil {
		vm = fmt.Sprintf("VM %d", *c.VMID)
	}

	return m.Node + "'s change waits for a power cycle, and Crossplane, which runs in this cluster, could not start it again: restart " + vm + " in Proxmox"
}
