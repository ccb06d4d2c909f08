package properties

import (
	"bytes"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A failing pair is run alone by -seed and -pair.
var (
	seed      = flag.Uint64("seed", 1, "seed of the random claims")
	pairCount = flag.Uint64("pairs", 360, "how many pairs of random claims")
	onePair   = flag.Int64("pair", -1, "run only this pair")
)

// outcomesWanted of the pairs: reasons of conditions, and what else comes about.
var outcomesWanted = []string{
	"Running", "Stopped", "BootstrapChanged", "ImmutableFieldChanged", "ChangesPending", "Rebooting", "Replacing", "ReplacementBlocked",
	"NumberTaken", "NumberClaimed", "NumberAdopted", "Adopted", "replaced", "revert", "taken", "RunsCrossplane", "forced stop of Crossplane",
	"node returned",
}

// maxFailures are shown: each is one more story to read.
const maxFailures = 5

// TestPairs edits random machines into random others and back, and sees some of them half: see liveThrough.
func TestPairs(t *testing.T) {
	// The same choices for every pair that is tried in the place of pair number i.
	live := func(i uint64, p pair) *history { return liveThrough(t, p, newDraw(*seed, i+1<<32)) }

	failing, outcomes := livePairs(func(i uint64) *history { return live(i, pairNumber(i)) })

	for _, i := range failing {
		p := shrunkPair(pairNumber(i), func(p pair) []string { return live(i, p).faults })
		t.Errorf("go test ./test/properties -run 'TestPairs$' -seed %d -pair %d\n  %s\n%s", *seed, i, strings.Join(live(i, p).faults, "\n  "), p)
	}

	// Were the machines all alike, nothing would be shown.
	if len(failing) == 0 && *onePair < 0 && *pairCount >= 360 {
		for _, o := range append(allDecisions(t), outcomesWanted...) {
			t.Log(o, outcomes[o])
			if outcomes[o] < 5 {
				t.Errorf("%q came about %d times, want 5: the random claims do not lead there", o, outcomes[o])
			}
		}

		for _, d := range allDecisions(t) {
			if outcomes[d] == 0 {
				t.Errorf("no plan has %s: no pair of claims, and nothing that surrounds them, leads there", d)
			}
		}
	}
}

// livePairs on all processors at once. It returns the numbers of a few pairs that fail, and how often what came about.
func livePairs(live func(i uint64) *history) (failing []uint64, outcomes map[string]int) {
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

// A history of a machine: what is wrong in it, and what came about.
type history struct {
	t testing.TB
	p pair
	d draw
	m *world.Machine

	faults   []string
	outcomes map[string]bool
	taker    *taker   // Nil: nobody takes the number.
	weather  *weather // Nil: no node dies.
	watch    hostWatch
}

// liveThrough a machine's life: it is made from the first spec, or adopted, half seen, edited into the second, and edited back.
// Every answer is checked: see faultsOf. Nothing is a template to Terraform, the claim's texts arrive in the guest, other
// machines are left alone, and the same request gives the same bytes.
func liveThrough(t testing.TB, p pair, d draw) *history {
	t.Helper()

	l := &history{t: t, p: p, d: d, outcomes: map[string]bool{}}
	l.m = p.machine(t, l.answer)
	l.m.Cluster().Fault = func(format string, args ...any) { l.wrong("in Proxmox", fmt.Sprintf(format, args...)) }

	if p.adopts && l.m.Proxmox.VMs[adoptedID].Config["vmId"] == nil {
		l.wrong("birth", "fatal: the VM that is to be adopted cannot be made")
		return l
	}

	if p.takes > 0 {
		l.taker = newTaker(t, l.m, p.takes)
	}

	if p.weather > 0 {
		l.weather = &weather{m: l.m, d: d, left: p.weather}
	}

	born := l.birth()
	if l.m.Observed["vm"] == nil {
		return l
	}

	if l.taker.took() {
		l.outcomes["taken"] = true
		l.wrong("taken", l.taker.faults()...)
	}

	made := !onlyObserved(l.m.Observed["vm"])

	l.wrong("half seen", halfSeenFaults(t, l.m.Clone(), d)...)

	moved := d.happening(l.m)

	p.enter(l.m)
	p.edit(l.m)
	l.wrong("half seen edit", halfSeenFaults(t, l.m.Clone(), d)...)

	if !bytes.Equal(wire(t, l.m.Call()), wire(t, l.m.Call())) {
		l.wrong("edit", "the same request gives other bytes")
	}

	l.settle("edit")
	p.revert(l.m)
	l.settle("way back")

	// Another VM is another story, a VM that was moved stays where it is, and an adopted one keeps what its claim does not say.
	l.wrong("HA", entryFaults(l.m)...)

	moved = moved || l.weather != nil && l.weather.came
	moved = moved || p.first["power"] == "Stopped" && p.node == nodeJoins // Its Node has come meanwhile, and is deleted with it.

	if made && !moved && !p.adopts && !asksApproval(l.m) && world.Object(p.second["lifecycle"])["replace"] == nil && world.Object(p.second["proxmox"])["migrate"] != true {
		l.outcomes["revert"] = true

		back := l.m.Call()
		l.wrong("after the way back", revertFaults(world.Manifests(born), world.Manifests(back), l.staying(back))...)
	}

	if d.chance(30) {
		l.lost()
	}

	return l
}

// staying are the fields of a VM that an answer leaves as the second spec did, after the way back: the power of one that is nobody's to start. A server of K3s
// that was started, or plugged in elsewhere, stops and comes back when the others can do without it. An interface stays where the answer says so, with an
// address that the VM keeps.
func (l *history) staying(back *fnv1.RunFunctionResponse) []string {
	var out []string

	stops := mayWait(l.m) && waitsToStop(l.m, back)
	if l.p.first["power"] == "Unmanaged" || stops {
		out = append(out, "started", "state") // To the provider, and to the HA manager.
	}

	if isServer(l.m) && (stops || waitsToReconnect(l.m, back)) || keepsInterfaces(back) {
		out = append(out, "networkDevice")
	}

	return out
}

// birth of the machine, by its own doing or by adoption, and the answer that it settles with.
func (l *history) birth() *fnv1.RunFunctionResponse {
	if l.p.fails {
		l.m.Provider.FailsToCreate = "create failed: async create failed: something that nobody has seen before"
		l.settle("failed birth")
		l.m.Provider.FailsToCreate = ""
	}

	born := l.settle("birth")
	if l.m.Approve() {
		born = l.settle("adoption")
	}

	vm := l.m.Observed["vm"]
	made := vm != nil && !onlyObserved(vm)

	if made && !l.p.adopts {
		l.wrong("birth", meantFaults(l.p, born)...)
	}

	// It may have to wait for others, but not for nobody.
	if !made && (l.p.adopts || len(l.p.taken)+len(l.p.claimed) == 0 && !l.p.left && !l.taker.took()) {
		l.wrong("birth", "the machine settles without a VM: "+world.Compact(world.Object(l.m.Composite["status"])["conditions"]))
	}

	return born
}

// settle the machine: take turns until nothing changes, and check every answer.
func (l *history) settle(when string) *fnv1.RunFunctionResponse {
	before := vmsOf(l.m)
	l.watch.begin(l.m)

	last := rest(l.t, l.m, func(rsp *fnv1.RunFunctionResponse) {
		l.wrong(when, faultsOf(l.m, rsp)...)
		l.wrong(when, escapeFaults(rsp)...)
		l.wrong(when, l.p.strangersFaults(rsp, l.m)...)
		l.wrong(when, adoptionFaults(l.m, rsp)...)

		// Where one VM takes the place of another, every step can be half seen.
		if len(vmsOf(l.m)) > 1 {
			l.wrong(when+", half seen", halfSeenFaults(l.t, l.m.Clone(), l.d)...)
		}

		for _, c := range rsp.GetConditions() {
			l.outcomes[c.GetReason()] = true
		}

		l.taker.next()
		l.weather.next()
	})

	if l.weather.unsettles() {
		l.outcomes["node returned"] = true

		return l.settle(when + ", node returned")
	}

	last = l.approve(when, last)
	l.wrong(when, l.watch.end(l.m, l.outcomes)...)

	if asksApproval(l.m) {
		return last
	}

	l.wrong(when, restFaults(l.m, last)...)

	if after := vmsOf(l.m); len(before) == 1 && len(after) == 1 && before[0] != after[0] {
		l.outcomes["replaced"] = true
	}

	return last
}

// wrong notes faults, each once in a row.
func (l *history) wrong(when string, faults ...string) {
	for _, f := range faults {
		if f = when + ": " + f; len(l.faults) == 0 || l.faults[len(l.faults)-1] != f {
			l.faults = append(l.faults, f)
		}
	}
}

// happening in Proxmox, which the next answer sees. It says whether the VM was moved.
func (d draw) happening(m *world.Machine) (moved bool) {
	at := world.Object(world.Object(m.Observed["vm"]["status"])["atProvider"])
	id, _ := at["vmId"].(float64)
	vm := m.Proxmox.VMs[int(id)]

	switch d.IntN(10) {
	case 0:
		node := pick(d, "pve1", "pve2", "pve3")
		if vm != nil {
			vm.Config["nodeName"], at["nodeName"] = node, node
		}

		return true
	case 1:
		on := d.chance(50)

		switch {
		case vm == nil || on == (vm.Running != nil):
		case on:
			m.Proxmox.Start(int(id))
			at["started"] = true
		default:
			m.Proxmox.Stop(int(id))
			at["started"] = false
		}
	}

	return false
}

// wire form of an answer.
func wire(t testing.TB, rsp *fnv1.RunFunctionResponse) []byte {
	t.Helper()

	b, err := world.Bytes(rsp)
	if err != nil {
		t.Fatal(err)
	}

	return b
}
