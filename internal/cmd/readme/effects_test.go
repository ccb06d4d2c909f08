package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1" //nolint:depguard // A test calls the function as Crossplane does.

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// What an edit does to a living VM, in the words of docs/day-two.md.
const (
	atOnce     = "at once"
	powerCycle = "power cycle"
	refused    = "refused"
	newOnly    = "new VM only"
	restart    = "restart"
	replaced   = "new VM"
	nothing    = "nothing"
	fault      = "fault"
)

// TestEffects makes every edit of the table in docs/day-two.md to a existing machine, and holds what the function says that it
// does against what the table says.
func TestEffects(t *testing.T) {
	table := readEffects(t, machineSection)

	machines := map[string]*world.Machine{}
	for name, claim := range effectsClaims {
		machines[name] = existing(t, claim, effectsCatalogue)
	}

	holdEffects(t, table, edits, func(t *testing.T, e edit) []string {
		t.Helper()

		m := machines[e.claim].Clone()
		m.Secrets = []map[string]any{{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "registry", "namespace": "infra"},
			"stringData": map[string]any{"registries.yaml": "mirrors: {}\n"},
		}}

		return effects(answered(t, m, e))
	})
}

// answered is what the function says of an edit of a machine.
func answered(t *testing.T, m *world.Machine, e edit) *fnv1.RunFunctionResponse {
	t.Helper()
	e.apply(t, m.Composite)

	rsp := m.Call()
	if msg := world.Fatal(rsp); msg != "" {
		t.Logf("%s: %s", e.path, msg)
	}

	return rsp
}

// holdEffects of edits against the rows of a table: each row has an edit, or more, whose effects together are those that the page names.
func holdEffects(t *testing.T, table map[string][]string, edits map[string][]edit, effectsOf func(t *testing.T, e edit) []string) {
	t.Helper()

	for _, row := range slices.Sorted(maps.Keys(edits)) {
		if _, ok := table[row]; !ok {
			t.Errorf("docs/day-two.md has no row %s", row)
		}
	}

	for row, want := range table {
		t.Run(row, func(t *testing.T) {
			got := map[string]bool{}

			for _, e := range edits[row] {
				for _, effect := range effectsOf(t, e) {
					got[effect] = true
				}
			}

			if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("%s: -in the page, +what the function does:\n%s", row, diff)
			}
		})
	}
}

// TestEffectsAreAll: every field of a claim is in the table.
func TestEffectsAreAll(t *testing.T) {
	var rows []string
	for row := range readEffects(t, machineSection) {
		rows = append(rows, codes.FindAllString(row, -1)...)
	}

	tellsAll(t, rows, v1alpha1.MachineSpec{}, v1alpha1.K3sNodeSpec{})
}

// tellsAll holds the fields in rows against those of the specs.
func tellsAll(t *testing.T, rows []string, specs ...any) {
	t.Helper()

	told := func(path string) bool {
		return slices.ContainsFunc(rows, func(code string) bool {
			row := strings.Trim(code, "`")
			return path == row || strings.HasPrefix(path, row+".") || strings.HasPrefix(path, row+"[]")
		})
	}

	for _, spec := range specs {
		for _, path := range leaves(reflect.TypeOf(spec), "") {
			if !told(path) {
				t.Errorf("docs/day-two.md does not say what an edit of %s does", path)
			}
		}
	}
}

// leaves are the fields of a type by their JSON names, as a person writes them.
func leaves(t reflect.Type, at string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return leaves(t.Elem(), at)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return leaves(t.Elem(), at+"[]")
		}
	case reflect.Struct:
		var out []string

		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")

			path := at
			if name != "" {
				path = strings.TrimPrefix(at+"."+name, ".")
			}

			out = append(out, leaves(f.Type, path)...)
		}

		return out
	default:
	}

	return []string{at}
}

var codes = regexp.MustCompile("`[^`]+`")

// Headings of the sections of docs/day-two.md with tables of what an edit does.
const (
	machineSection   = "## What an edit does\n"
	containerSection = "## Containers\n"
)

// readEffects reads the tables of a section of the page: what an edit does, by row, in alphabetical order.
func readEffects(t *testing.T, heading string) map[string][]string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "day-two.md"))
	if err != nil {
		t.Fatal(err)
	}

	_, section, _ := strings.Cut(string(b), heading)
	section, _, _ = strings.Cut(section, "\n## ")
	bold := regexp.MustCompile(`\*\*([^*]+)\*\*`)
	out := map[string][]string{}

	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 2 || !strings.Contains(cells[0], "`") {
			continue
		}

		row := strings.TrimSpace(cells[0])
		if _, twice := out[row]; twice {
			t.Errorf("docs/day-two.md has row %s twice", row)
		}

		var words []string
		for _, m := range bold.FindAllStringSubmatch(cells[1], -1) {
			words = append(words, m[1])
		}

		slices.Sort(words)
		out[row] = words
	}

	if len(out) < 20 {
		t.Fatalf("docs/day-two.md has %d rows below %q", len(out), heading)
	}

	return out
}

// effects of an answer, as it explains itself.
func effects(rsp *fnv1.RunFunctionResponse) []string {
	if world.Fatal(rsp) != "" {
		return []string{fault}
	}

	for _, c := range rsp.GetConditions() {
		switch c.GetReason() {
		case "Rebooting":
			return []string{restart}
		case "Replacing":
			return []string{replaced}
		}
	}

	var out []string

	for _, r := range rsp.GetResults() {
		what, ok := strings.CutPrefix(r.GetMessage(), "vm: ")
		if !ok || r.GetReason() != "Plan" {
			continue
		}

		for prefix, effect := range map[string]string{"change in place": atOnce, "needs reboot": powerCycle, "refused": refused} {
			if strings.HasPrefix(what, prefix+": ") {
				out = append(out, effect)
			}
		}
	}

	for _, c := range rsp.GetConditions() {
		if slices.Contains([]string{"BootstrapChanged", "K3sVersionChanged"}, c.GetReason()) {
			out = append(out, newOnly)
		}
	}

	if len(out) == 0 {
		return []string{nothing}
	}

	return out
}

// An edit sets one value of a claim, or takes it out.
type edit struct {
	claim string
	path  string // Below spec; numbers count in lists.
	value any    // Nil takes it out.
}

func (e edit) apply(t *testing.T, composite map[string]any) {
	t.Helper()

	keys := strings.Split(e.path, ".")

	at := composite["spec"]

	for i, key := range keys {
		last := i == len(keys)-1

		switch v := at.(type) {
		case map[string]any:
			if _, ok := v[key]; !ok && !last {
				v[key] = map[string]any{}
			}

			if at = v[key]; last && e.value == nil {
				delete(v, key)
			} else if last {
				v[key] = e.value
			}
		case []any:
			n, err := strconv.Atoi(key)
			if err != nil || n >= len(v) {
				t.Fatalf("%s: no such element", e.path)
			}

			if at = v[n]; last {
				v[n] = e.value
			}
		default:
			t.Fatalf("%s: cannot be set", e.path)
		}
	}
}
