package main

import (
	"bytes"
	"flag"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A failing pair is run alone by -seed and -pair.
var (
	seed      = flag.Uint64("seed", 1, "seed of the random claims")
	pairCount = flag.Uint64("pairs", 500, "how many pairs of random claims")
	onePair   = flag.Int64("pair", -1, "run only this pair")
)

// outcomesWanted of the pairs: reasons of conditions, and what else comes about.
var outcomesWanted = []string{
	"Running", "Stopped", "BootstrapChanged", "ImmutableFieldChanged", "ChangesPending", "Rebooting", "Replacing", "ReplacementBlocked",
	"NumberTaken", "NumberClaimed", "NumberAdopted", "Adopted", "replaced", "revert",
}

// maxFailures are shown: each is one more story to read.
const maxFailures = 5

// TestPairs edits random machines into random others and back, and sees some of them half: see liveThrough.
func TestPairs(t *testing.T) {
	// Thousands of calls make much garbage, and a test has memory to spare.
	defer debug.SetGCPercent(debug.SetGCPercent(800))

	// The same choices for every pair that is tried in the place of pair number i.
	live := func(i uint64, p pair) *life { return liveThrough(t, p, newDraw(*seed, i+1<<32)) }

	failing, outcomes := livePairs(func(i uint64) *life { return live(i, newDraw(*seed, i).pair()) })

	for _, i := range failing {
		p := shrunkPair(newDraw(*seed, i).pair(), func(p pair) []string { return live(i, p).faults })
		t.Errorf("go test . -run 'TestPairs$' -seed %d -pair %d\n  %s\n%s", *seed, i, strings.Join(live(i, p).faults, "\n  "), p)
	}

	// Were the machines all alike, nothing would be shown.
	if len(failing) == 0 && *onePair < 0 && *pairCount >= 500 {
		for _, o := range outcomesWanted {
			if outcomes[o] < 5 {
				t.Errorf("%q came about %d times, want 5: the random claims do not lead there", o, outcomes[o])
			}
		}
	}
}

// livePairs on all processors at once. It returns the numbers of a few pairs that fail, and how often what came about.
func livePairs(live func(i uint64) *life) (failing []uint64, outcomes map[string]int) {
	first, end := uint64(0), *pairCount
	if *onePair >= 0 {
		first, end = uint64(*onePair), uint64(*onePair)+1
	}

	var (
		next    atomic.Uint64
		workers sync.WaitGroup
		mutex   sync.Mutex
	)

	next.Store(first)

	outcomes = map[string]int{}

	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < end; i = next.Add(1) - 1 {
				l := live(i)

				mutex.Lock()

				for o := range l.outcomes {
					outcomes[o]++
				}

				if len(l.faults) > 0 {
					failing = append(failing, i)
				}

				if len(failing) >= maxFailures {
					next.Store(end)
				}

				mutex.Unlock()
			}
		})
	}

	workers.Wait()
	slices.Sort(failing)

	return failing, outcomes
}

// A life of a machine: what is wrong in it, and what came about.
type life struct {
	t testing.TB
	p pair
	d draw
	w *world

	faults   []string
	outcomes map[string]bool
}

// liveThrough a machine's life: it is made from the first spec, or adopted, half seen, edited into the second, and edited back.
// Every answer is looked at: see faultsOf. Nothing is a template to Terraform, the claim's texts arrive in the guest, other
// machines are left alone, and the same request gives the same bytes.
func liveThrough(t testing.TB, p pair, d draw) *life {
	t.Helper()

	l := &life{t: t, p: p, d: d, w: p.world(t), outcomes: map[string]bool{}}
	if p.adopts && l.w.foreign[adoptedID]["vmId"] == nil {
		l.wrong("birth", "fatal: the VM that is to be adopted cannot be made")
		return l
	}

	born := l.birth()
	if l.w.observed["vm"] == nil {
		return l
	}

	made := !onlyLooked(l.w.observed["vm"])

	l.wrong("half seen", halfSeenFaults(t, copyOf(l.w), d)...)

	moved := d.happening(l.w)

	p.edit(l.w)
	l.wrong("half seen edit", halfSeenFaults(t, copyOf(l.w), d)...)

	if !bytes.Equal(wire(t, ask(t, l.w)), wire(t, ask(t, l.w))) {
		l.wrong("edit", "the same request gives other bytes")
	}

	l.look("edit")
	p.revert(l.w)
	l.look("way back")

	// Another VM is another story, a VM that was moved stays where it is, and an adopted one keeps what its claim does not say.
	if made && !moved && !p.adopts && object(p.second["lifecycle"])["replace"] == nil && object(p.second["proxmox"])["migrate"] != true {
		l.outcomes["revert"] = true
		l.wrong("after the way back", revertFaults(manifestsOf(born), manifestsOf(ask(t, l.w)), p.first["power"] == "Unmanaged")...)
	}

	return l
}

// birth of the machine, by its own doing or by adoption, and the answer that it settles with.
func (l *life) birth() *fnv1.RunFunctionResponse {
	born := l.look("birth")
	if approve(l.w) {
		born = l.look("adoption")
	}

	vm := l.w.observed["vm"]
	made := vm != nil && !onlyLooked(vm)

	if made && !l.p.adopts {
		l.wrong("birth", meantFaults(l.p, born)...)
	}

	// It may have to wait for others, but not for nobody.
	if !made && (l.p.adopts || len(l.p.taken)+len(l.p.claimed) == 0) {
		l.wrong("birth", "the machine settles without a VM: "+compact(object(l.w.composite["status"])["conditions"]))
	}

	return born
}

// look at every answer until nothing changes.
func (l *life) look(when string) *fnv1.RunFunctionResponse {
	before := vmsOf(l.w)

	last := rest(l.t, l.w, func(rsp *fnv1.RunFunctionResponse) {
		l.wrong(when, faultsOf(l.w, rsp)...)
		l.wrong(when, escapeFaults(rsp)...)
		l.wrong(when, l.p.strangersFaults(rsp, l.w)...)
		l.wrong(when, adoptionFaults(l.w, rsp)...)

		// Where one VM takes the place of another, every step can be half seen.
		if len(vmsOf(l.w)) > 1 {
			l.wrong(when+", half seen", halfSeenFaults(l.t, copyOf(l.w), l.d)...)
		}

		for _, c := range rsp.GetConditions() {
			l.outcomes[c.GetReason()] = true
		}
	})

	l.wrong(when, restFaults(l.w, last)...)

	if after := vmsOf(l.w); len(before) == 1 && len(after) == 1 && before[0] != after[0] {
		l.outcomes["replaced"] = true
	}

	return last
}

// wrong notes faults, each once in a row.
func (l *life) wrong(when string, faults ...string) {
	for _, f := range faults {
		if f = when + ": " + f; len(l.faults) == 0 || l.faults[len(l.faults)-1] != f {
			l.faults = append(l.faults, f)
		}
	}
}

// copyOf a world, in which other things may happen.
func copyOf(w *world) *world {
	c := *w
	c.composite = object(runtimeCopy(w.composite))
	c.observed = map[string]map[string]any{}

	for name, o := range w.observed {
		c.observed[name] = object(runtimeCopy(o))
	}

	return &c
}

// happening in Proxmox, which the next answer sees. It says whether the VM was moved.
func (d draw) happening(w *world) (moved bool) {
	at := object(object(w.observed["vm"]["status"])["atProvider"])

	switch d.IntN(10) {
	case 0:
		at["nodeName"] = pick(d, "pve1", "pve2", "pve3")
		return true
	case 1:
		at["started"] = d.chance(50)
	}

	return false
}

func wire(t testing.TB, rsp *fnv1.RunFunctionResponse) []byte {
	t.Helper()

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(rsp)
	if err != nil {
		t.Fatal(err)
	}

	return b
}

// list is a JSON list, empty where there is none.
func list(v any) []any {
	l, _ := v.([]any)

	return l
}
