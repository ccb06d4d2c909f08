package bench

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A server is a process that answers on loopback.
type server struct {
	pid    int
	client fnv1.FunctionRunnerServiceClient
	stop   func()
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

// start a server. A call waits until it listens.
func start(tb testing.TB, binary string, args ...string) server {
	tb.Helper()

	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(tb, err)

	addr := l.Addr().String()
	_ = l.Close()

	cmd := exec.Command(binary, append(args, "--address", addr)...) //nolint:gosec // Built above.
	must(tb, cmd.Start())

	// By default a client waits a second between two attempts to connect.
	often := grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: time.Millisecond, Multiplier: 1, MaxDelay: time.Millisecond}, MinConnectTimeout: time.Second}

	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true)), grpc.WithConnectParams(often))
	must(tb, err)

	stop := func() {
		_ = conn.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}

	tb.Cleanup(stop)

	return server{pid: cmd.Process.Pid, client: fnv1.NewFunctionRunnerServiceClient(conn), stop: stop}
}

func (s server) call(tb testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	tb.Helper()

	rsp, err := s.client.RunFunction(context.Background(), req)
	must(tb, err)

	return rsp
}

func (s server) timed(tb testing.TB, req *fnv1.RunFunctionRequest) time.Duration {
	tb.Helper()

	begin := time.Now()
	s.call(tb, req)

	return time.Since(begin)
}

// cpu is the processor time that the process has used. /proc counts it in hundredths of a second, its clock in nanoseconds.
func (s server) cpu(tb testing.TB) time.Duration {
	tb.Helper()

	const schedulerClock = 2 // CPUCLOCK_SCHED of the kernel, see clock_getcpuclockid(3).

	var t unix.Timespec

	must(tb, unix.ClockGettime(int32(^s.pid<<3|schedulerClock), &t)) //nolint:gosec // A PID has 22 bits.

	return time.Duration(t.Nano())
}

// peakMiB is the most memory that the process ever had resident.
func (s server) peakMiB(tb testing.TB) float64 {
	tb.Helper()

	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	must(tb, err)

	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(v)[0], 64)
			must(tb, err)

			return kib / 1024
		}
	}

	tb.Fatal("no VmHWM in /proc")

	return 0
}

func fileMiB(tb testing.TB, file string) float64 {
	tb.Helper()

	info, err := os.Stat(file)
	must(tb, err)

	return float64(info.Size()) / (1 << 20)
}

func must(tb testing.TB, err error) {
	tb.Helper()

	if err != nil {
		tb.Fatal(err)
	}
}
