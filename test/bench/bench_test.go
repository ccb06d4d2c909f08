// Package bench measures the function as Crossplane calls it: the released binary, another process, gRPC. Beside it runs a
// floor, a server that answers the same request with a ready response. Function and floor take turns in short rounds, and
// the figures are ratios within a round: other work on the computer slows down both. Nothing here fails by a time.
package bench

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
)

var (
	rounds = flag.Int("rounds", 0, "rounds to measure the function beside the floor; make bench")
	write  = flag.Bool("write", false, "with -rounds: write the table into docs/performance.md")
)

const (
	warmUpCalls    = 2000
	callsPerRound  = 100 // By one caller.
	callers        = 16
	callsPerCaller = 40
	starts         = 15
	stateRounds    = 10
	stateCalls     = 50 // A round, and before the first one.
	largeCalls     = 5
)

// request of a settled K3sNode with its VM, user-data and meta-data observed, beside its catalogue. The function's own
// tests write the file (go test ./test/examples -update) and keep it current.
func request(tb testing.TB) *fnv1.RunFunctionRequest {
	tb.Helper()

	b, err := os.ReadFile("testdata/request.json")
	must(tb, err)

	req := &fnv1.RunFunctionRequest{}
	must(tb, protojson.Unmarshal(b, req))

	return req
}

// TestBesideFloor measures the function beside the floor and prints the table of docs/performance.md.
func TestBesideFloor(t *testing.T) {
	if *rounds == 0 {
		t.Skip("takes a minute: make bench")
	}

	req := request(t)
	binary := build(t, "../..")
	function := start(t, binary, "--insecure", "--metrics-address=")

	rsp := function.call(t, req)
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			t.Fatalf("the function fails: %s", r.GetMessage())
		}
	}

	floorBinary := build(t, "./floor")
	answer := written(t, rsp)
	floor := start(t, floorBinary, "--response", answer)

	for range warmUpCalls {
		function.call(t, req)
		floor.call(t, req)
	}

	var m measurement
	for range *rounds {
		m.turns(t, function, floor, req)
	}

	m.peakMiB, m.floorPeakMiB = function.peakMiB(t), floor.peakMiB(t)
	m.floorMiB = fileMiB(t, floorBinary)
	m.binaryMiB = fileMiB(t, binary)
	m.garbageKB = garbage(req) / 1000

	for range starts {
		m.start = append(m.start, firstAnswer(t, req, binary, "--insecure", "--metrics-address="))
		m.floorStart = append(m.floorStart, firstAnswer(t, req, floorBinary, "--response", answer))
	}

	for _, s := range states {
		m.states = append(m.states, measured(t, s, function, floorBinary))
	}

	req = large(t)

	for range largeCalls {
		m.large = append(m.large, function.timed(t, req))
	}

	table := m.table()
	t.Logf("%d rounds\n%s", *rounds, table)

	if *write {
		writeTable(t, table)
	}
}

// written is a file with an answer, for the floor.
func written(t *testing.T, rsp *fnv1.RunFunctionResponse) string {
	t.Helper()

	wire, err := proto.Marshal(rsp)
	must(t, err)

	file := filepath.Join(t.TempDir(), "answer")
	must(t, os.WriteFile(file, wire, 0o600))

	return file
}

// measured is the function in a state, beside a floor that has its answer.
func measured(t *testing.T, s state, function server, floorBinary string) stateMeasured {
	t.Helper()

	req := s.request(t)
	floor := start(t, floorBinary, "--response", written(t, function.call(t, req)))
	out := stateMeasured{what: s.what}

	for round := range stateRounds + 1 {
		var ours, floors []time.Duration

		for range stateCalls {
			ours = append(ours, function.timed(t, req))
			floors = append(floors, floor.timed(t, req))
		}

		// The first round warms up.
		if round > 0 {
			out.median.add(us(median(ours)), us(median(floors)))
		}
	}

	floor.stop()

	return out
}

// turns is one round: one caller, whose calls go to function and floor in turns, and then many callers at once.
func (m *measurement) turns(t *testing.T, function, floor server, req *fnv1.RunFunctionRequest) {
	t.Helper()

	var ours, floors []time.Duration

	cpu, floorCPU := function.cpu(t), floor.cpu(t)

	for range callsPerRound {
		ours = append(ours, function.timed(t, req))
		floors = append(floors, floor.timed(t, req))
	}

	m.median.add(us(median(ours)), us(median(floors)))
	m.cpu.add(us(function.cpu(t)-cpu)/callsPerRound, us(floor.cpu(t)-floorCPU)/callsPerRound)
	m.rate.add(throughput(t, function, req), throughput(t, floor, req))
}

// throughput is how many calls a second the server answers.
func throughput(t *testing.T, s server, req *fnv1.RunFunctionRequest) float64 {
	t.Helper()

	var wg sync.WaitGroup

	begin := time.Now()

	for range callers {
		wg.Go(func() {
			for range callsPerCaller {
				if _, err := s.client.RunFunction(context.Background(), req); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}

	wg.Wait()

	return callers * callsPerCaller / time.Since(begin).Seconds()
}

// firstAnswer is how long a process takes from its start to its first answer.
func firstAnswer(t *testing.T, req *fnv1.RunFunctionRequest, binary string, args ...string) time.Duration {
	t.Helper()

	begin := time.Now()
	s := start(t, binary, args...)
	s.call(t, req)
	took := time.Since(begin)

	s.stop()

	return took
}

// garbage is how many bytes the function allocates to answer a request, without gRPC.
func garbage(req *fnv1.RunFunctionRequest) float64 {
	const calls = 100

	compose.Answer(req) // What is made once a process is no garbage.

	var before, after runtime.MemStats

	runtime.ReadMemStats(&before)

	for range calls {
		compose.Answer(req)
	}

	runtime.ReadMemStats(&after)

	return float64(after.TotalAlloc-before.TotalAlloc) / calls
}

// TestGarbage: garbage hardly depends on the computer, so a test can hold what was reached, 116 kB, with room for a rule or two.
func TestGarbage(t *testing.T) {
	const reachedKB = 95

	// Pools that the garbage collector empties meanwhile are filled again: the least of some is what a call makes by itself.
	got := garbage(request(t))
	for range 4 {
		got = min(got, garbage(request(t)))
	}

	if got /= 1000; got > reachedKB {
		t.Errorf("a call makes %.1f kB of garbage, want at most %d kB: profile it with go test -run xxx -bench Answer -memprofile mem.out ./test/bench", got, reachedKB)
	}
}

// TestPage: docs/performance.md has every figure that make bench prints, with its goal.
func TestPage(t *testing.T) {
	_, table, _ := page(t)

	for _, r := range (&measurement{}).rows() {
		if !strings.Contains(table, "| "+r.what+" |") || !strings.Contains(table, "| "+r.goal+" |") {
			t.Errorf("%s has no row %q with the goal %q: make bench", performancePage, r.what, r.goal)
		}
	}
}
