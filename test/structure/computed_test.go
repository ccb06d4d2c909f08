package structure

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// facts are the functions of which a call needs the answer once, with the file that has each: what follows from what was observed.
func facts() map[string]string {
	return map[string]string{
		"lifecycle.StateOf": "internal/lifecycle/state.go", "proxmox.CreationOf": "internal/proxmox/creation.go",
		"change.Compare": "internal/change/table.go", "lifecycle.Ready": "internal/lifecycle/readiness.go",
	}
}

// TestComputed: a call for a machine of which nothing changes computes each fact at most as often as testdata/computed.txt says. -update takes over what
// got better, and nothing else. The compiler's coverage counts, so that nothing in the function has to.
func TestComputed(t *testing.T) {
	const file = "testdata/computed.txt"

	b, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}

	known := map[string]int{}

	for line := range strings.Lines(string(b)) {
		var (
			n    int
			name string
		)

		if _, err := fmt.Sscan(line, &n, &name); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}

		known[name] = n
	}

	now := computed(t)

	var got bytes.Buffer

	for _, name := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&got, "%d %s\n", now[name], name)

		if limit, listed := known[name]; now[name] > limit && (listed || len(b) > 0) {
			t.Errorf("%s is computed %d times in a call, and at most %d times before: hand over what is known already", name, now[name], limit)
		}

		// Were nothing counted, everything would be small.
		if now[name] == 0 {
			t.Errorf("%s is never computed in a call", name)
		}
	}

	if *update && !t.Failed() {
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}

		return
	}

	if diff := cmp.Diff(string(b), got.String()); diff != "" && !t.Failed() {
		t.Errorf("what got better stays so: go test ./test/structure -update\n%s", diff)
	}
}

// computed is how often one call computes each fact.
func computed(t *testing.T) map[string]int {
	t.Helper()

	binary := filepath.Join(t.TempDir(), "bench.test")
	run(t, "go", "test", "-c", "-o", binary, "-covermode=count",
		"-coverpkg="+module+"internal/lifecycle,"+module+"internal/proxmox,"+module+"internal/change", ".")

	out := map[string]int{}
	one, three := counted(t, binary, 1), counted(t, binary, 3)

	for name := range one {
		// What is computed once a process is of no call.
		out[name] = (three[name] - one[name]) / 2
	}

	return out
}

// counted is how often the facts are computed in some calls, by the first statements of their functions.
func counted(t *testing.T, binary string, calls int) map[string]int {
	t.Helper()

	profile := filepath.Join(t.TempDir(), "cover.out")
	run(t, binary, "-test.run=^TestSettledCalls$", "-settled="+strconv.Itoa(calls), "-test.coverprofile="+profile)

	b, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}

	out := map[string]int{}

	for name, file := range facts() {
		_, function, _ := strings.Cut(name, ".")
		begins := fmt.Sprintf("%s%s:%d.", module, file, lineOf(t, file, function))
		out[name] = -1

		for line := range strings.Lines(string(b)) {
			fields := strings.Fields(line)
			if !strings.HasPrefix(line, begins) || len(fields) != 3 {
				continue
			}

			if out[name], err = strconv.Atoi(fields[2]); err != nil {
				t.Fatal(err)
			}

			break
		}

		if out[name] < 0 {
			t.Fatalf("the profile has nothing of %s", name)
		}
	}

	return out
}

// lineOf the beginning of a function.
func lineOf(t *testing.T, file, function string) int {
	t.Helper()

	set := token.NewFileSet()

	f, err := parser.ParseFile(set, filepath.Join("../..", file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}

	for _, d := range f.Decls {
		if fn, is := d.(*ast.FuncDecl); is && fn.Name.Name == function && fn.Recv == nil {
			return set.Position(fn.Pos()).Line
		}
	}

	t.Fatalf("%s has no function %s", file, function)

	return 0
}

// run a command in the folder of the benchmark, which its request is in.
func run(t *testing.T, name string, args ...string) {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = "../bench"

	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
