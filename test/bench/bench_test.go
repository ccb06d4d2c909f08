// Package bench measures the function as Crossplane calls it: the released binary, another process, gRPC. Beside it runs
// a floor, a server that answers the same request with a ready response, in the same run and in turns with it, so that
// the machine's mood is in both figures. Nothing here passes or fails by a time: it reports.
package bench

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

const (
	warmUpCalls = 2000
	callers     = 16
	clockTicks  = 100 // Of /proc/<pid>/stat a second; fixed on Linux.
)

// request of a settled K3sNode with its VM, user-data and meta-data observed, beside its catalogue. The function's own
// tests write the file (go test ./test/examples -update) and keep it current.
func request(tb testing.TB) *fnv1.RunFunctionRequest {
	tb.Helper()

	b, err := os.ReadFile("testdata/request.json")
	if err != nil {
		tb.Fatal(err)
	}

	req := &fnv1.RunFunctionRequest{}
	if err := protojson.Unmarshal(b, req); err != nil {
		tb.Fatal(err)
	}

	return req
}

// A server is a process that answers on loopback.
type server struct {
	pid    int
	client fnv1.FunctionRunnerServiceClient
}

// build a static binary as the package has it.
func build(tb testing.TB, pkg string) string {
	tb.Helper()

	out := filepath.Join(tb.TempDir(), "server")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg) //nolint:gosec // Our own packages.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")

	if msg, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("cannot build %s: %v\n%s", pkg, err, msg)
	}

	return out
}

func start(tb testing.TB, binary string, args ...string) server {
	tb.Helper()

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}

	addr := l.Addr().String()
	_ = l.Close()

	cmd := exec.Command(binary, append(args, "--address", addr)...) //nolint:gosec // Built above.
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})

	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() { _ = conn.Close() })

	return server{pid: cmd.Process.Pid, client: fnv1.NewFunctionRunnerServiceClient(conn)}
}

func (s server) call(tb testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	tb.Helper()

	rsp, err := s.client.RunFunction(context.Background(), req)
	if err != nil {
		tb.Fatal(err)
	}

	return rsp
}

// cpu is the processor time that the process has used.
func (s server) cpu(tb testing.TB) time.Duration {
	tb.Helper()

	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		tb.Fatal(err)
	}

	// utime and stime are the 12th and 13th field behind the name in parentheses.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))

	var ticks int64

	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}

		ticks += n
	}

	return time.Duration(ticks) * time.Second / clockTicks
}

// peakMiB is the most memory that the process ever had resident.
func (s server) peakMiB(tb testing.TB) float64 {
	tb.Helper()

	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		tb.Fatal(err)
	}

	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(v)[0], 64)
			if err != nil {
				tb.Fatal(err)
			}

			return kib / 1024
		}
	}

	tb.Fatal("no VmHWM in /proc")

	return 0
}

// servers starts both and gives the floor the function's own answer.
func servers(b *testing.B) (function, floor server, req *fnv1.RunFunctionRequest, size int64) {
	b.Helper()

	req = request(b)
	binary := build(b, "../..")

	info, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}

	function = start(b, binary, "--insecure", "--metrics-address=")

	rsp := function.call(b, req)
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			b.Fatalf("the function fails: %s", r.GetMessage())
		}
	}

	wire, err := proto.Marshal(rsp)
	if err != nil {
		b.Fatal(err)
	}

	file := filepath.Join(b.TempDir(), "response")
	if err := os.WriteFile(file, wire, 0o600); err != nil {
		b.Fatal(err)
	}

	floor = start(b, build(b, "./floor"), "--response", file)

	for range warmUpCalls {
		function.call(b, req)
		floor.call(b, req)
	}

	return function, floor, req, info.Size()
}

// BenchmarkCall is one call at a time, function and floor in turns.
func BenchmarkCall(b *testing.B) {
	function, floor, req, size := servers(b)

	var ours, theirs []time.Duration

	cpu, cpuFloor := function.cpu(b), floor.cpu(b)

	for b.Loop() {
		for s, d := range map[*server]*[]time.Duration{&function: &ours, &floor: &theirs} {
			t := time.Now()
			s.call(b, req)
			*d = append(*d, time.Since(t))
		}
	}

	cpu, cpuFloor = function.cpu(b)-cpu, floor.cpu(b)-cpuFloor
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

	b.ReportMetric(us(median(ours)), "µs-median")
	b.ReportMetric(us(median(theirs)), "µs-floor")
	b.ReportMetric(us(median(ours))/us(median(theirs)), "×floor")
	b.ReportMetric(us(cpu)/float64(len(ours)), "µs-cpu/call")
	b.ReportMetric(us(cpuFloor)/float64(len(theirs)), "µs-cpu/call-floor")
	b.ReportMetric(float64(size)/(1<<20), "MiB-binary")
	b.ReportMetric(function.peakMiB(b), "MiB-peak")
}

// BenchmarkThroughput is 16 callers at once, on whatever cores there are.
func BenchmarkThroughput(b *testing.B) {
	function, floor, req, _ := servers(b)

	ours := throughput(b, function, req)
	theirs := throughput(b, floor, req)

	for b.Loop() {
		function.call(b, req)
	}

	b.ReportMetric(ours, "calls/s")
	b.ReportMetric(theirs, "calls/s-floor")
	b.ReportMetric(function.peakMiB(b), "MiB-peak")
	b.ReportMetric(floor.peakMiB(b), "MiB-peak-floor")
}

// throughput is how many calls a second the server answers.
func throughput(b *testing.B, s server, req *fnv1.RunFunctionRequest) float64 {
	b.Helper()

	const perCaller = 600

	var wg sync.WaitGroup

	t := time.Now()

	for range callers {
		wg.Go(func() {
			for range perCaller {
				if _, err := s.client.RunFunction(context.Background(), req); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}

	wg.Wait()

	return callers * perCaller / time.Since(t).Seconds()
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
