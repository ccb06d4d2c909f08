package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// A proof is a checkout with hack/verify.sh, and a make that fails for the targets that the file "broken" names.
type proof struct {
	dir, bin string
}

func newProof(t *testing.T) proof {
	t.Helper()

	p := proof{dir: t.TempDir(), bin: t.TempDir()}

	for _, name := range []string{"hack/verify.sh", "hack/measured.sh"} {
		p.write(t, filepath.Join(p.dir, name), text(t, name))
	}

	p.write(t, filepath.Join(p.dir, ".gitignore"), "_output\nbroken\nran\n")
	p.write(t, filepath.Join(p.dir, "source"), "one\n")
	p.write(t, filepath.Join(p.bin, "make"), `#!/bin/sh
target=$2
echo "$@" >>ran
if grep -qx "$target" broken 2>/dev/null; then
	echo '--- FAIL: TestBroken/Case (0.01s)'
	echo '    broken_test.go:7: want | one'
	exit 1
fi
`)

	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=t"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = p.dir

		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}

	return p
}

func (p proof) write(t *testing.T, file, content string) {
	t.Helper()

	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}

	if err := program.Write(file, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
}

// run the script: its status, what make was called with, and the report's rows without their times.
func (p proof) run(t *testing.T, env []string, args ...string) (status int, ran, rows []string) {
	t.Helper()

	_ = os.Remove(filepath.Join(p.dir, "ran"))

	cmd := exec.CommandContext(t.Context(), filepath.Join(p.dir, "hack/verify.sh"), args...)
	cmd.Env = append(append(os.Environ(), "PATH="+p.bin+":"+os.Getenv("PATH"), "SEED=7"), env...)

	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatalf("%v: %s", err, out)
	}

	if b, err := os.ReadFile(filepath.Join(p.dir, "ran")); err == nil {
		for line := range strings.Lines(string(b)) {
			ran = append(ran, strings.TrimPrefix(strings.TrimSpace(line), "--no-print-directory "))
		}
	}

	b, err := os.ReadFile(filepath.Join(p.dir, "_output/verify/report.md"))
	if err != nil {
		return cmd.ProcessState.ExitCode(), ran, nil
	}

	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) > 6 && !strings.HasPrefix(line, "| suite") && !strings.HasPrefix(line, "| ---") {
			rows = append(rows, strings.Trim(cells[0]+" "+cells[1]+" "+cells[4]+" "+cells[6], "| "))
		}
	}

	return cmd.ProcessState.ExitCode(), ran, rows
}

// TestVerify: what passed is not run again for the same files, and what failed once is not forgotten.
func TestVerify(t *testing.T) {
	p := newProof(t)

	type turn struct {
		reason string
		does   func()
		env    []string
		args   []string
		status int
		ran    []string
		rows   []string
	}

	broken := filepath.Join(p.dir, "broken")

	turns := []turn{
		{
			reason: "An unknown suite is refused before anything runs.",
			args:   []string{"provider", "nonsense"}, status: 2,
		},
		{
			reason: "One suite fails: the others run, the report names the test, and the proof fails.",
			does:   func() { p.write(t, broken, "test-secrets\n") },
			args:   []string{"provider", "secrets", "pairs"}, status: 1,
			ran:  []string{"test-provider", "test-secrets", "test-pairs SEED=7"},
			rows: []string{"provider ok -", "secrets FAILED - TestBroken/Case", "pairs ok 7"},
		},
		{
			reason: "It goes on where it was. A suite that passes at its second attempt failed all the same.",
			does:   func() { p.write(t, broken, "") },
			args:   []string{"provider", "secrets", "pairs"}, status: 1,
			ran:  []string{"test-secrets"},
			rows: []string{"provider ok -", "secrets FAILED - TestBroken/Case", "secrets ok -", "pairs ok 7"},
		},
		{
			reason: "FRESH forgets what is known of the suites that are run.",
			env:    []string{"FRESH=1"}, args: []string{"secrets"},
			ran:  []string{"test-secrets"},
			rows: []string{"secrets ok -"},
		},
		{
			reason: "The proof of the same files is complete.",
			args:   []string{"provider", "secrets"},
			rows:   []string{"provider ok -", "secrets ok -"},
		},
		{
			reason: "Another file is another proof.",
			does:   func() { p.write(t, filepath.Join(p.dir, "source"), "two\n") },
			args:   []string{"provider"}, ran: []string{"test-provider"}, rows: []string{"provider ok -"},
		},
		{
			reason: "So is a new one.",
			does:   func() { p.write(t, filepath.Join(p.dir, "new"), "one\n") },
			args:   []string{"provider"}, ran: []string{"test-provider"}, rows: []string{"provider ok -"},
		},
		{
			reason: "A file as it was before: what was proven of it is known.",
			does: func() {
				p.write(t, filepath.Join(p.dir, "source"), "one\n")
				_ = os.Remove(filepath.Join(p.dir, "new"))
			},
			args: []string{"provider"}, rows: []string{"provider ok -"},
		},
	}

	for i, tc := range turns {
		if tc.does != nil {
			tc.does()
		}

		status, ran, rows := p.run(t, tc.env, tc.args...)
		if tc.status == 2 {
			rows = nil
		}

		if status != tc.status {
			t.Errorf("turn %d, %s\nstatus: got %d, want %d", i, tc.reason, status, tc.status)
		}

		if diff := cmp.Diff(tc.ran, ran); diff != "" {
			t.Errorf("turn %d, %s\nmake was called: -want, +got\n%s", i, tc.reason, diff)
		}

		if diff := cmp.Diff(tc.rows, rows); diff != "" {
			t.Errorf("turn %d, %s\nreport: -want, +got\n%s", i, tc.reason, diff)
		}
	}
}

// TestSuites: each suite of hack/verify.sh and each step of .ci/run calls targets that the Makefile has, and each has its function.
func TestSuites(t *testing.T) {
	targets := regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
	known := map[string]bool{}

	for _, m := range targets.FindAllStringSubmatch(text(t, "Makefile"), -1) {
		known[m[1]] = true
	}

	for file, prefix := range map[string]string{".ci/run": "step_", "hack/verify.sh": "suite_"} {
		script := text(t, file)

		for _, name := range listed(t, file) {
			body := regexp.MustCompile(`(?m)^` + prefix + regexp.QuoteMeta(name) + `\(\) \{ (.*); \}$`).FindStringSubmatch(script)
			if body == nil {
				t.Errorf("%s has no function %s%s", file, prefix, name)

				continue
			}

			if name == "prepare" {
				continue
			}

			for word := range strings.FieldsSeq(strings.TrimPrefix(body[1], "make --no-print-directory ")) {
				if !strings.Contains(word, "=") && !known[word] {
					t.Errorf("%s: %s makes %s, which the Makefile does not have", file, name, word)
				}
			}
		}
	}
}

// TestStepsFindNoTools: a step of the presubmit that uses a tool which only an earlier step has asked for fails everywhere, and not first on a machine that has none.
func TestStepsFindNoTools(t *testing.T) {
	p := newProof(t)
	p.write(t, filepath.Join(p.dir, ".ci/run"), text(t, ".ci/run"))
	p.write(t, filepath.Join(p.bin, "make"), `#!/bin/sh
echo "$2: $(ls .tools/bin 2>&1)" >>ran
mkdir -p .tools/bin
touch ".tools/bin/$2"
`)

	cmd := exec.CommandContext(t.Context(), filepath.Join(p.dir, ".ci/run"), "packages", "validate")
	cmd.Env = append(os.Environ(), "PATH="+p.bin+":"+os.Getenv("PATH"))

	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	ran, err := os.ReadFile(filepath.Join(p.dir, "ran"))
	if err != nil {
		t.Fatal(err)
	}

	none := "ls: cannot access '.tools/bin': No such file or directory\n"
	if diff := cmp.Diff("packages: "+none+"validate: "+none, string(ran)); diff != "" {
		t.Errorf("tools at the begin of each step: -want, +got\n%s", diff)
	}
}

// TestBudgets: the presubmit may have 1,200 s of processor time.
func TestBudgets(t *testing.T) {
	total := 0

	for _, m := range regexp.MustCompile(`[a-z-]+=(\d+)`).FindAllStringSubmatch(list(t, ".ci/run"), -1) {
		n := 0
		for _, d := range m[1] {
			n = 10*n + int(d-'0')
		}

		total += n
	}

	if total == 0 || total > 1200 {
		t.Errorf("the budgets of .ci/run are %d s together, want at most 1,200", total)
	}
}

// lists of names in the scripts.
var lists = map[string]*regexp.Regexp{ //nolint:gochecknoglobals // A constant.
	".ci/run":        regexp.MustCompile(`(?s)BUDGETS=\(\n(.*?)\n\)`),
	"hack/verify.sh": regexp.MustCompile(`SUITES=\((.*?)\)`),
}

func list(t *testing.T, file string) string {
	t.Helper()

	m := lists[file].FindStringSubmatch(text(t, file))
	if m == nil {
		t.Fatalf("%s has no list", file)
	}

	return m[1]
}

// listed are the steps of .ci/run, or the suites of hack/verify.sh.
func listed(t *testing.T, file string) []string {
	t.Helper()

	var names []string

	for word := range strings.FieldsSeq(list(t, file)) {
		name, _, _ := strings.Cut(word, "=")
		names = append(names, name)
	}

	return names
}

func text(t *testing.T, file string) string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join("../..", file))
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// row of a table: its first two cells.
var row = regexp.MustCompile(`(?m)^\| ([^|]*?) \| ([^|]*?) \|`)

// code is what stands in code quotes.
var code = regexp.MustCompile("`([^`]+)`")

func quoted(cell string) []string {
	var out []string
	for _, m := range code.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}

	return out
}

// section of a page, from its heading to the next one of the same level or a higher one.
func section(t *testing.T, page, heading string) string {
	t.Helper()

	_, rest, ok := strings.Cut(text(t, page), heading+"\n")
	if !ok {
		t.Fatalf("%s has no %q", page, heading)
	}

	rest, _, _ = strings.Cut(rest, "\n## ")

	return rest
}

// TestSuitesPage: docs/testing.md has a row for each step of the presubmit and each suite of the proof, and no others.
func TestSuitesPage(t *testing.T) {
	for file, heading := range map[string]string{".ci/run": "## The presubmit", "hack/verify.sh": "## The whole proof"} {
		var got []string

		for _, m := range row.FindAllStringSubmatch(section(t, "docs/testing.md", heading), -1) {
			got = append(got, quoted(m[1])...)
		}

		want := listed(t, file)
		slices.Sort(want)
		slices.Sort(got)

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("docs/testing.md, %s: -%s, +page\n%s", heading, file, diff)
		}
	}
}

// TestSuitesOfFolders: CONTRIBUTING.md says for every folder which suites a change in it needs.
func TestSuitesOfFolders(t *testing.T) {
	suites := listed(t, "hack/verify.sh")
	folders, needed := map[string]bool{}, map[string]bool{}

	for _, m := range row.FindAllStringSubmatch(section(t, "CONTRIBUTING.md", "## What a change needs"), -1) {
		for _, f := range quoted(m[1]) {
			folders[f] = true

			if i, err := os.Stat(filepath.Join("../..", f)); err != nil || !i.IsDir() {
				t.Errorf("CONTRIBUTING.md names %s, which is no folder", f)
			}
		}

		for _, s := range quoted(m[2]) {
			needed[s] = true

			if !slices.Contains(suites, s) {
				t.Errorf("CONTRIBUTING.md names the suite %s, want one of %q", s, suites)
			}
		}
	}

	// The presubmit has these as a whole.
	for _, s := range append(listed(t, ".ci/run"), "cloudinit") {
		needed[s] = true
	}

	for _, s := range suites {
		if !needed[s] {
			t.Errorf("no folder needs the suite %s", s)
		}
	}

	out, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "ls-files").Output()
	if err != nil {
		t.Fatal(err)
	}

	missing := map[string]bool{}

	for file := range strings.Lines(string(out)) {
		parts := strings.Split(filepath.Dir(strings.TrimSpace(file)), "/")
		if parts[0] == "." || folders[parts[0]] || len(parts) > 1 && folders[parts[0]+"/"+parts[1]] {
			continue
		}

		missing[strings.Join(parts[:min(2, len(parts))], "/")] = true
	}

	for f := range missing {
		t.Errorf("CONTRIBUTING.md says of %s nothing", f)
	}
}
