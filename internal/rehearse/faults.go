package rehearse

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// Faults are what becomes of an edit where something goes wrong meanwhile: once for each step of its rehearsal and each thing that can.
type Faults struct {
	Rehearsal Rehearsal `json:"rehearsal"` // Where all goes well.
	Worlds    int       `json:"worlds"`    // That were played beside it.
	Rows      []Row     `json:"faults"`    // Worst first.
}

// A Row is what one fault comes to at some steps: equal ends are one row.
type Row struct {
	Fault   string   `json:"fault"`
	Of      []string `json:"of,omitempty"` // The machines that it befalls, each at its steps.
	Steps   []int    `json:"steps"`        // 0: it has gone wrong when the edit is committed.
	Outcome Outcome  `json:"outcome"`
	Quorum  bool     `json:"majorityLost"`            // A majority of etcd was lost, and not by the fault alone: something took a server away while the others were too few.
	Data    []string `json:"dataDestroyed,omitempty"` // VMs and containers with data disks that were destroyed, beside those of the rehearsal without a fault.
	Lowest  []Etcd   `json:"lowestVotes,omitempty"`   // Of all of these steps, whatever took them.
	// Restarts of VMs and containers after the fault: the most.
	Restarts int `json:"restarts"`
	// Made are VMs and containers that are made, with empty disks, beside those that are without the fault.
	Made []string `json:"made,omitempty"`
	// Waits, away and what must never happen, of the first of these steps. Waits are those that there are not without the fault.
	Waits []Wait   `json:"waits,omitempty"`
	Away  []string `json:"away,omitempty"` // In the end.
	Never []string `json:"mustNeverHappen,omitempty"`
	// Sampled says that others of these steps, errors and machines wait in other words, such as with another Proxmox node.
	Sampled bool `json:"sampled,omitempty"`
}

// A Harm is what a person may want no fault to do.
type Harm string

// The Harms.
const (
	HarmQuorum Harm = "quorum" // A majority of etcd is lost, and not by the fault alone.
	HarmData   Harm = "data"   // A VM with data disks is destroyed.
	HarmStuck  Harm = "stuck"  // It does not come to rest, or nobody is told what to do.
)

// Harms are all of them.
func Harms() []Harm { return []Harm{HarmQuorum, HarmData, HarmStuck} }

// Does says whether a fault of some row does a harm, or the edit itself, where it deletes claims.
func (f Faults) Does(h Harm) bool {
	return f.Rehearsal.Does(h) || slices.ContainsFunc(f.Rows, func(r Row) bool {
		return h == HarmQuorum && r.Quorum || h == HarmData && len(r.Data) > 0 || h == HarmStuck && r.Outcome == Stuck
	})
}

// WithFaults rehearses an edit, and then from each of its steps once more with each fault. tell is told how many worlds of how many are played.
func WithFaults(ctx context.Context, in Input, tell func(played, of int)) (Faults, error) {
	return withSome(ctx, in, tell, func(variant) bool { return true })
}

// withSome of the worlds only.
func withSome(ctx context.Context, in Input, tell func(played, of int), some func(variant) bool) (Faults, error) {
	in.Until = 0

	r, moments, err := momentsOf(ctx, in)
	if err != nil {
		return Faults{}, err
	}

	var worlds []variant

	for i := range moments {
		for _, v := range moments[i].variants() {
			if some(v) {
				worlds = append(worlds, v)
			}
		}
	}

	ends, err := playAll(ctx, worlds, r, tell)

	return Faults{Rehearsal: r, Worlds: len(worlds), Rows: folded(ends)}, err
}

// A moment is a step of a rehearsal: the world before its round, and after it. Step 0 is the world before the edit, which has no before.
type moment struct {
	step          int
	before, after snapshot
	acted         []action
}

// A snapshot is a world that nobody plays any more, and what its watch knew. Others are made of it.
type snapshot struct {
	play  *play
	watch watch
}

// momentsOf a rehearsal, which is played.
func momentsOf(ctx context.Context, in Input) (out Rehearsal, moments []moment, err error) {
	p, err := begin(ctx, in)
	if err != nil {
		return out, nil, err
	}

	rounds := map[int]moment{}

	var unedited snapshot

	first := func(before Before) {
		unedited = p.snap(ctx, newWatch(p, before))
	}

	out, err = p.playWith(first, func(w *watch, round func()) {
		m := moment{before: p.snap(ctx, w)}
		steps := len(w.steps)

		if round(); len(w.steps) > steps {
			m.after, m.acted = p.snap(ctx, w), w.acted
			rounds[p.round] = m
		}
	})

	for _, s := range out.Steps {
		if m, acts := rounds[s.Round]; acts {
			m.step = s.Number
			moments = append(moments, m)
		}
	}

	// What has gone wrong already when the edit is committed, befalls what the edit begins with.
	if len(moments) > 0 && !out.Before.Born {
		moments = append([]moment{{after: unedited, acted: moments[0].acted}}, moments...)
	}

	return out, moments, err
}

// snap a snapshot.
func (p *play) snap(ctx context.Context, w *watch) snapshot {
	return snapshot{play: p.fork(ctx), watch: *w}
}

// An end of a world in which something went wrong.
type end struct {
	fault, class, of string
	step             int

	verdict Verdict
	sums    Sums
	away    []string
	quorum  bool
}

// playAll worlds, several at a time. Their ends are in the order of the worlds.
func playAll(ctx context.Context, worlds []variant, without Rehearsal, tell func(played, of int)) ([]end, error) {
	ends, errs := make([][]end, len(worlds)), make([]error, len(worlds))

	var (
		all    sync.WaitGroup
		mu     sync.Mutex
		played int
	)

	next := make(chan int)

	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				ends[i], errs[i] = worlds[i].play(ctx, without)

				mu.Lock()
				played++
				tell(played, len(worlds))
				mu.Unlock()
			}
		})
	}

	for i := range worlds {
		next <- i
	}

	close(next)
	all.Wait()

	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}

	return slices.Concat(ends...), nil
}

// play a world: something goes wrong in it, and where it comes to rest or so many rounds are over, that passes.
func (v variant) play(ctx context.Context, without Rehearsal) (out []end, err error) {
	defer recovered(&err)

	p := v.from.play.fork(ctx)
	w := v.from.watch.over(p)
	g := watchOver(p)

	older := (*play)(nil)
	if v.older != nil {
		older = v.older.fork(ctx)
	}

	g.breaks(p, func() { v.goesWrong(p) })

	w.before = p.sight()
	for _, e := range w.before.etcd {
		w.lowest(e)
	}

	fault, passes := v.fault, v.passes

	if v.step == 0 {
		p.editLate(w)
	}

	first := p.round

	for p.round++; p.round <= first+MaxRounds; p.round++ {
		// What is answered once more changes nothing, and the world goes on.
		w.rests = p.onceWith(older) && older == nil
		older = nil

		if !w.rests {
			w.look()
		}

		over := v.rounds > 0 && p.round-first >= v.rounds

		switch {
		case w.rests && passes == nil:
			return append(out, v.end(w, g, fault, without)), nil
		case w.rests && v.rounds == 0:
			out = append(out, v.end(w, g, fault, without))
			fallthrough
		case passes != nil && (w.rests || over):
			passes(p)

			passes, fault = nil, cmp.Or(v.passed, fault)
		}
	}

	return append(out, v.end(w, g, fault, without)), nil
}

// lateRounds lie at most between what goes wrong and an edit that is committed after that.
const lateRounds = 10

// editLate edits when what went wrong before was seen.
func (p *play) editLate(w *watch) {
	for range lateRounds {
		p.round++

		if p.once() {
			break
		}

		w.look()
	}

	p.edit()
}

// end of a world.
func (v variant) end(w *watch, g *guard, fault string, well Rehearsal) end {
	w.wait()

	out := end{fault: fault, class: v.class, of: v.of, step: v.step, verdict: w.verdict(), sums: w.sums, away: w.missing(), quorum: g.lost}
	out.sums.DataDestroyed = without(w.sums.DataDestroyed, well.Sums.DataDestroyed, identical)
	out.sums.Made = without(w.sums.Made, well.Sums.Made, identical)
	out.verdict.Waits = without(out.verdict.Waits, well.Verdict.Waits, Wait.same)

	if said, waits := g.halted(w.p); waits && w.rests {
		out.verdict.Outcome, out.verdict.Waits = Waits, []Wait{said}
	}

	// What is out of service, and nobody is waited for, is a dead end without a word.
	if out.verdict.Outcome == Done && len(out.away) > 0 {
		out.verdict.Outcome = Stuck
		out.verdict.Faults = append(slices.Clone(out.verdict.Faults), fmt.Sprintf("it rests with %s out of service, and nobody is waited for", listed(out.away)))
	}

	return out
}

// missing are machines that have served, that neither somebody deleted nor their claims stop, and that do not serve.
func (w *watch) missing() []string {
	now := w.p.sight()

	var out []string

	for _, name := range world.Keys(w.served) {
		m := w.p.machineOf(name)
		if s, there := now.states[name]; w.served[name] && m != nil && w.p.lives(m) && !isStopped(w.p, m) && (!there || isAway(s)) {
			out = append(out, name)
		}
	}

	return out
}
