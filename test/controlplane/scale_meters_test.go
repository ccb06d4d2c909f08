package controlplane

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// meters are what has been used and asked so far.
type meters struct {
	functionSeconds, crossplaneSeconds float64
	functionMiB, crossplaneMiB         float64 // The most so far.
	calls                              float64
	writes                             map[string]int // By who, verb and resource.
}

// crossplaneUser is Crossplane's service account.
const crossplaneUser = "crossplane"

// meters as they stand now.
func (r *rig) meters(t *testing.T) meters {
	t.Helper()

	var out meters

	out.crossplaneSeconds, out.crossplaneMiB = used(t, r.Crossplane.PID())
	for _, f := range r.Functions.Running() {
		out.functionSeconds, out.functionMiB = used(t, f.PID())
	}

	out.calls = r.calls(t)
	out.writes = r.audited(t, func(string) bool { return true })

	return out
}

// calls of the function so far.
func (r *rig) calls(t *testing.T) (n float64) {
	t.Helper()

	file := filepath.Join(t.TempDir(), "function.prom")
	body, err := get(t.Context(), r.functionMetrics(t))
	must(t, err)
	must(t, os.WriteFile(file, []byte(body), 0o600))

	for _, m := range parse(t, file)["grpc_server_handled_total"].GetMetric() {
		if labels(m)["grpc_method"] == "RunFunction" {
			n += m.GetCounter().GetValue()
		}
	}

	return n
}

// since is what was used between two readings.
func (m meters) since(before meters) cost {
	out := cost{
		FunctionSeconds:   m.functionSeconds - before.functionSeconds,
		CrossplaneSeconds: m.crossplaneSeconds - before.crossplaneSeconds,
		Calls:             m.calls - before.calls,
	}

	out.Writes, out.Events = crossplaneWrites(m.writers(before))

	return out
}

// crossplaneWrites are Crossplane's requests to claims, composites and managed resources, and its events.
func crossplaneWrites(writers map[string]int) (writes, events int) {
	for who, n := range writers {
		of, resource, _ := strings.Cut(who, " ")

		switch {
		case of != crossplaneUser:
		case strings.Contains(resource, "events"):
			events += n
		case strings.Contains(resource, "machines"), strings.Contains(resource, "environment"):
			writes += n
		}
	}

	return writes, events
}

// minus what others cost in each second, for a number of seconds. Writes are counted by their object, and need none of it.
func (c cost) minus(others cost, seconds float64) cost {
	c.FunctionSeconds -= others.FunctionSeconds * seconds
	c.CrossplaneSeconds -= others.CrossplaneSeconds * seconds
	c.Calls -= others.Calls * seconds

	return c
}

func (c cost) perSecond(seconds float64) cost {
	return cost{FunctionSeconds: c.FunctionSeconds / seconds, CrossplaneSeconds: c.CrossplaneSeconds / seconds, Calls: c.Calls / seconds}
}

// writers between two readings.
func (m meters) writers(before meters) map[string]int {
	out := map[string]int{}

	for who, n := range m.writes {
		if n > before.writes[who] {
			out[who] = n - before.writes[who]
		}
	}

	return out
}

// used is the processor time of a process so far, and the most memory that was resident.
func used(t *testing.T, pid int) (seconds, mib float64) {
	t.Helper()

	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(t, err)

	// The second field, the program's name, may hold anything, but ends with the last bracket. Linux counts in hundredths.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, i := range []int{11, 12} { // Of the program and of the kernel for it.
		ticks, err := strconv.ParseFloat(fields[i], 64)
		must(t, err)

		seconds += ticks / 100
	}

	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)

	for line := range strings.SplitSeq(string(status), "\n") {
		if most, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(most)[0], 64)
			must(t, err)

			return seconds, kib / 1024
		}
	}

	t.Fatalf("process %d has no memory", pid)

	return 0, 0
}

// audited are all requests so far that write to some objects, by who, verb and resource.
func (r *rig) audited(t *testing.T, of func(object string) bool) map[string]int {
	t.Helper()

	files, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(r.Kubeconfig)), "audit*.log"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the API server audits nothing: %v", err)
	}

	out := map[string]int{}

	for _, file := range files {
		f, err := os.Open(file)
		must(t, err)

		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<22)

		for lines.Scan() {
			var e struct {
				Verb string `json:"verb"`
				User struct {
					Username string `json:"username"`
				} `json:"user"`
				ObjectRef struct {
					Name        string `json:"name"`
					Resource    string `json:"resource"`
					APIGroup    string `json:"apiGroup"`
					Subresource string `json:"subresource"`
				} `json:"objectRef"`
			}
			must(t, json.Unmarshal(lines.Bytes(), &e))

			if !of(e.ObjectRef.Name) {
				continue
			}

			who := e.User.Username[strings.LastIndexByte(e.User.Username, ':')+1:]
			out[strings.TrimRight(who+" "+e.Verb+" "+e.ObjectRef.Resource+"/"+e.ObjectRef.Subresource, "/")]++
		}

		must(t, lines.Err())
		f.Close()
	}

	return out
}
