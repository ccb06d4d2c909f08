package rehearse

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A watch writes down what happens, round by round.
type watch struct {
	p      *play
	since  map[*world.Proxmox]int
	names  names
	before sight
	start  []State                   // Machines when the watch began.
	votes  []Etcd                    // The same of each etcd.
	known  []Wait                    // That were there before the edit.
	kept   []Wait                    // What was without effect then, too.
	would  map[string]map[string]any // What adopted VMs would have begun with before the edit.

	written map[string]any // What was written before the edit; nil where nothing is said of it.
	at      Seconds

	steps []Step
	sums  Sums
	began []begun // Waits, as long as they last.

	served map[string]bool // Machines that have served.

	upgraded  []string           // Nodes whose K3s was upgraded in place.
	unstarted map[string]bool    // Containers that were made and not started: their first start is no restart.
	away      map[string]Seconds // For how long machines have not.
	guests    map[string]guest   // That ran before the edit.
	silent    map[string]Seconds // For how long clusters have had no majority.
	voted     map[string]bool    // Clusters that have had one.
	lost      []string           // Clusters that have had one and lost it.

	guard *guard // Of an edit that deletes claims; nil of any other.

	rests, stopped bool
	acted          []action // In the last round.
}

// begun is a wait, and the step in which it began.
type begun struct {
	wait  Wait
	round int
	at    Seconds
}

func newWatch(p *play, before Before) *watch {
	w := &watch{
		p: p, since: map[*world.Proxmox]int{}, names: p.namesOf(), before: p.sight(), known: before.Waits, kept: withoutEffect(p), would: beginnings(p),
		served: map[string]bool{}, unstarted: map[string]bool{}, away: map[string]Seconds{}, silent: map[string]Seconds{}, voted: map[string]bool{},
	}
	p.done(w.since)
	_, w.guests = guests(p)
	w.start, w.votes = w.before.machines(), w.before.etcd

	for name, s := range w.before.states {
		w.served[name] = s.State == StateServes
	}

	for _, e := range w.before.etcd {
		w.voted[e.Cluster] = e.HasMajority()
		w.lowest(e)
	}

	return w
}

// over a copy of the world that a watch was over: it knows what that one knew, and counts from here on.
func (w *watch) over(p *play) *watch {
	out := newWatch(p, Before{Waits: w.known})
	out.served, out.voted, out.unstarted = maps.Clone(w.served), maps.Clone(w.voted), maps.Clone(w.unstarted)

	return out
}

// act for a round, and say whether that was the last one.
func (w *watch) act() (over bool) {
	if w.rests = w.p.once(); w.rests {
		return true
	}

	w.look()
	w.stopped = w.p.in.Until > 0 && len(w.steps) >= w.p.in.Until

	return w.stopped || w.p.round == MaxRounds
}

// look at what a round has done.
func (w *watch) look() {
	now := w.p.sight()
	now.keeps(w.before)
	w.names = w.p.namesOf().with(w.names)

	var actions []action
	for _, l := range w.p.done(w.since) {
		actions = append(actions, w.names.say(l))
	}

	actions = append(w.arrivals(actions, now), w.upgrades(now)...)
	lasts := w.lasts(actions, now)
	w.at += lasts

	step := Step{Round: w.p.round, At: w.at, Moves: now.moves(w.before), Machines: now.machines(), Etcd: now.etcd}
	step.Done = w.happened(actions, now)

	w.acted = actions
	w.sum(actions)
	w.outages(actions, now, lasts)

	step.Away = w.awayIn(now)

	w.wait()

	if len(step.Done) > 0 || len(step.Moves) > 0 {
		step.Number = len(w.steps) + 1
		w.steps = append(w.steps, step)
	}

	w.before = now
}

// awayIn a sight are those that have served.
func (w *watch) awayIn(now sight) []string {
	var out []string

	for _, name := range world.Keys(w.served) {
		if s, there := now.states[name]; w.served[name] && there && isAway(s) {
			out = append(out, name)
		}
	}

	return out
}

// happened is what was done in a round, in words.
func (w *watch) happened(actions []action, now sight) []string {
	out := w.p.went
	w.p.went = nil

	for _, image := range world.Keys(now.images) {
		if !w.before.images[image] {
			out = append(out, image+" is downloaded")
		}
	}

	for _, a := range actions {
		if a.text != "" && !w.isOfBirth(a) {
			out = append(out, a.text)
		}
	}

	return out
}

// upgrades of K3s in place that begin.
func (w *watch) upgrades(now sight) (out []action) {
	for _, node := range now.upgraded {
		if !slices.Contains(w.before.upgraded, node) {
			w.upgraded = append(w.upgraded, node)
			text := fmt.Sprintf("K3s of node %s is upgraded to %s in place", node, w.p.cluster.Kubernetes.Upgrader.ReleaseFor(node))
			out = append(out, action{verb: verbUpgrade, machine: w.names.nodes[node], text: text})
		}
	}

	return out
}

// isOfBirth says whether what was done is the first firewall of a VM or a container that was not there when the watch began: it belongs to its birth.
func (w *watch) isOfBirth(a action) bool {
	return strings.Contains(a.text, " is changed: firewall ") && !slices.ContainsFunc(w.start, func(s State) bool { return s.VMID == a.id })
}

// arrivals adds to what was done what guests do of themselves: a VM that was made boots, and K3s in one that boots joins.
func (w *watch) arrivals(actions []action, now sight) []action {
	for _, name := range world.Keys(now.states) {
		was, is := w.before.states[name], now.states[name]

		if did(actions, name, "adopt") >= 0 && did(actions, name, "start") < 0 {
			continue // Its guest is as it was.
		}

		if is.State != StateOff && (was.VMID != is.VMID || was.State == StateOff) {
			actions = boots(actions, name, guestOf(w.p.machineOf(name)), is)
		}

		if w.names.k3s[name] && !isAway(is) && (was.VMID != is.VMID || isAway(was)) {
			actions = joins(actions, name, was)
		}
	}

	return actions
}

// guestOf a machine is what it is called.
func guestOf(m *world.Machine) string {
	if m != nil && strings.TrimPrefix(fmt.Sprint(m.Composite["kind"]), "X") == claim.KindContainer {
		return "container"
	}

	return "VM"
}

// did is where in the actions one of a machine is; -1 for nowhere.
func did(actions []action, machine, verb string) int {
	return slices.IndexFunc(actions, func(a action) bool { return a.machine == machine && a.verb == verb })
}

// boots adds that the VM or container of a machine boots, unless it was started, which says so.
func boots(actions []action, name, guest string, is State) []action {
	made := did(actions, name, "make")

	switch {
	case did(actions, name, "start") >= 0:
		return actions
	case made >= 0:
		actions[made].text += " and boots"
		return append(actions, action{verb: verbBoot, id: is.VMID, machine: name})
	default:
		return append(actions, action{verb: verbBoot, id: is.VMID, machine: name, text: fmt.Sprintf("%s %d (%s, %s) boots", guest, is.VMID, name, is.Node)})
	}
}

// joins adds that K3s of a machine joins: its VM booted just now or before, or it was upgraded.
func joins(actions []action, name string, was State) []action {
	if was.State == StateUpgrades {
		return append(actions, action{verb: verbUpgraded, machine: name, text: name + " is upgraded and back"})
	}

	i := slices.IndexFunc(actions, func(a action) bool { return a.machine == name && a.text != "" && a.verb != "stop" })
	if i < 0 {
		return append(actions, action{verb: verbJoin, machine: name, text: name + " joins"})
	}

	actions[i].text += ", and K3s joins"

	return append(actions, action{verb: verbJoin, machine: name})
}

// What guests do of themselves, and that nobody has a VM any more.
const (
	verbBoot     = "boot"
	verbJoin     = "join"
	verbUpgrade  = "upgrade"
	verbUpgraded = "upgraded"
	verbLetGo    = "let"
)

// lasts is for how long a round lasts: as its longest action. What is done to one VM is done one after the other.
func (w *watch) lasts(actions []action, now sight) Seconds {
	assumed, each := w.p.in.Assumed, map[string]Seconds{}

	for image := range now.images {
		if !w.before.images[image] {
			each[image] = assumed.Download
		}
	}

	for _, a := range actions {
		switch a.verb {
		case "make":
			each[a.machine] += assumed.Create
		case "start", verbBoot:
			each[a.machine] += assumed.Boot
		case verbJoin:
			each[a.machine] += assumed.Join
		case "restart":
			each[a.machine] += assumed.Shutdown + assumed.Boot
		case "destroy":
			// The provider stops it first.
			if was := w.before.states[a.machine]; a.id > 0 && was.VMID == a.id && was.State != StateOff {
				each[a.machine] += assumed.Shutdown
			}
		case "stop":
			each[a.machine] += assumed.Shutdown
		case verbUpgraded:
			each[a.machine] += assumed.Upgrade
		case "drain":
			each[a.machine] += assumed.Drain
		case "migrate":
			each[a.machine] += assumed.Move
		}
	}

	longest := Seconds(0)
	for _, s := range each {
		longest = max(longest, s)
	}

	return longest
}

// sum what was made, restarted and destroyed.
func (w *watch) sum(actions []action) {
	for _, a := range actions {
		name := fmt.Sprintf("%d (%s)", a.id, a.machine)

		switch {
		case a.id == 0:
		case a.verb == "make":
			w.sums.Made = append(w.sums.Made, name)
			w.unstarted[name] = true
		case a.verb == "start" && w.unstarted[name]:
			delete(w.unstarted, name)
		case w.served[a.machine] && (a.verb == "start" || a.verb == "restart"):
			w.sums.Restarts++
		case a.verb == verbLetGo:
			w.sums.LetGo = append(w.sums.LetGo, name)
		case a.verb == "destroy" && a.of.dataDisks:
			w.sums.DataDestroyed = append(w.sums.DataDestroyed, name)
		case a.verb == "destroy":
			w.sums.Destroyed = append(w.sums.Destroyed, name)
		}
	}
}

// outages that a round begins, prolongs or ends.
func (w *watch) outages(actions []action, now sight, lasts Seconds) {
	w.absences(actions, now, lasts)

	for _, e := range w.before.etcd {
		if w.voted[e.Cluster] && !e.HasMajority() {
			w.silent[e.Cluster] += lasts
			w.sums.NoMajority = max(w.sums.NoMajority, w.silent[e.Cluster])
		}
	}

	for _, e := range now.etcd {
		switch {
		case e.HasMajority():
			w.voted[e.Cluster], w.silent[e.Cluster] = true, 0
		case w.voted[e.Cluster] && !slices.Contains(w.lost, e.Cluster):
			w.lost = append(w.lost, e.Cluster)
		}

		w.lowest(e)
	}
}

// absences of machines: who was away is so for the round in which they are back, too, and who is stopped and started in one round for that one.
func (w *watch) absences(actions []action, now sight, lasts Seconds) {
	stopped := map[string]bool{}
	for _, a := range actions {
		stopped[a.machine] = stopped[a.machine] || a.verb == "stop" || a.verb == "restart"
	}

	for _, name := range world.Keys(w.served) {
		was, is := w.before.states[name], now.states[name]
		if !w.served[name] || is.VMID == 0 {
			delete(w.away, name)
			continue
		}

		// What its claim stops is not missed.
		if isStopped(w.p, w.p.machineOf(name)) {
			continue
		}

		if isAway(was) || stopped[name] && !isAway(is) {
			if w.away[name] += lasts; w.away[name] > w.sums.LongestAway {
				w.sums.LongestAway, w.sums.LongestWho = w.away[name], name
			}
		}

		if !isAway(is) {
			w.away[name] = 0
		}
	}

	for name, s := range now.states {
		w.served[name] = w.served[name] || s.State == StateServes
	}
}

func isAway(s State) bool {
	return s.State == StateOff || s.State == StateStarts || s.State == StateUpgrades
}

// lowest votes of clusters that have had a majority: those that are left before one is none, the fewest first.
func (w *watch) lowest(e Etcd) {
	i := slices.IndexFunc(w.sums.LowestVotes, func(l Etcd) bool { return l.Cluster == e.Cluster })

	switch {
	case !w.voted[e.Cluster]:
	case i < 0:
		w.sums.LowestVotes = append(w.sums.LowestVotes, e)
	case e.isWorse(w.sums.LowestVotes[i]):
		w.sums.LowestVotes[i] = e
	}
}

// wait keeps who waits now, and since when.
func (w *watch) wait() {
	var now []begun

	for _, wait := range without(w.p.waits(), w.known, identical) {
		b := begun{wait: wait, round: w.p.round, at: w.at}

		if i := slices.IndexFunc(w.began, func(b begun) bool { return b.wait.same(wait) }); i >= 0 {
			b.round, b.at = w.began[i].round, w.began[i].at
		}

		now = append(now, b)
	}

	w.began = now
}

// end of the rehearsal.
func (w *watch) end(out *Rehearsal) {
	w.wait()
	w.stands()

	for _, wait := range besideOf(w.p, w.sums.LetGo) {
		w.began = append(w.began, begun{wait, w.p.round, w.at})
	}

	out.Verdict, out.Warnings = w.verdict(), slices.Concat(w.p.warned.ofEdit(), renames(w.p), moved(w.p, w.guests), windows(w.p, w.upgraded))

	if !w.stopped {
		out.Verdict.Without = keptSince(w.kept, slices.Concat(withoutEffect(w.p), beganOtherwise(w.p, w.would)))
	}

	// What rests at once is as it was before the edit.
	switch {
	case out.Verdict.Outcome != Done:
	case w.p.round == 1:
		out.Verdict.Effect = EffectNone
	case len(w.steps)+len(out.Verdict.Without) == 0 && reflect.DeepEqual(w.written, written(w.p)):
		out.Verdict.Effect = EffectUnwritten
	}

	if !w.stopped {
		for _, b := range w.began {
			w.begins(b)
		}
	}

	out.Verdict.Harms = w.harms(out.Verdict.Outcome)
	out.Steps, out.Sums = w.steps, w.sums

	for i := range out.Steps {
		out.Steps[i].Number = i + 1
	}
}

// begins notes a wait with the step in which it begins, or as a step of its own.
func (w *watch) begins(b begun) {
	i := slices.IndexFunc(w.steps, func(s Step) bool { return s.Round >= b.round })

	switch {
	case i >= 0 && w.steps[i].Round == b.round:
	case i < 0:
		i = len(w.steps)
		w.steps = append(w.steps, Step{Round: b.round, At: b.at, Away: w.awayIn(w.before), Etcd: w.before.etcd, Machines: w.before.machines()})
	case i == 0:
		w.steps = slices.Insert(w.steps, i, Step{Round: b.round, At: b.at})
	default:
		s := w.steps[i-1]
		w.steps = slices.Insert(w.steps, i, Step{Round: b.round, At: b.at, Away: s.Away, Etcd: s.Etcd, Machines: s.Machines})
	}

	w.steps[i].Waits = append(w.steps[i].Waits, b.wait)
}

// verdict on the edit.
func (w *watch) verdict() Verdict {
	out := Verdict{Outcome: Done, At: w.at, Lost: slices.Clone(w.lost), Faults: w.p.faults}

	for _, b := range w.began {
		out.Waits = append(out.Waits, b.wait)
	}

	// What was refused, paused or out of the provider's reach before, is edited or deleted, and is so still, is not done.
	if w.rests {
		out.Waits = append(out.Waits, w.heldStill()...)
	}

	refused := slices.ContainsFunc(out.Waits, Wait.refuses)
	nameless := slices.ContainsFunc(out.Waits, func(wait Wait) bool { return wait.Todo == "" && wait.Message == "" })

	switch {
	case len(out.Faults) > 0:
		out.Outcome = Stuck
	case w.stopped:
		out.Outcome, out.Waits = Stopped, nil
	case !w.rests:
		out.Outcome = Stuck
	case refused:
		out.Outcome = Refused
	case nameless:
		out.Outcome = Stuck
	case len(out.Waits) > 0:
		out.Outcome = Waits
	}

	return out
}

// heldStill are the refusals, pauses and failures of the provider of before that the edited claims leave as they were.
func (w *watch) heldStill() []Wait {
	isEdited := func(machine string) bool {
		of := w.p.machineOf(machine)

		return slices.ContainsFunc(w.p.actors, func(a *actor) bool {
			return (a.edited || a.pruned) && a.machine != nil && of != nil && (of == a.machine || isNodeOf(of, a.machine))
		})
	}
	holds := func(w Wait) bool {
		return w.refuses() || w.Reason == ReasonPaused || w.Condition == status.TypeProviderHealthy
	}

	return slices.DeleteFunc(w.p.waits(), func(now Wait) bool { return !holds(now) || !slices.Contains(w.known, now) || !isEdited(now.Machine) })
}
