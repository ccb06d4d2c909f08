package behaviour

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// The columns of the table of promises.
const (
	ofMachines   = "Machine, K3sNode"
	ofClusters   = "K3sCluster"
	ofContainers = "Container"
	ofSites      = "ProxmoxSite"
)

// The rows of the table of promises.
const (
	losesNothing   = "A lost catalogue drops nothing."
	freezesNothing = "A lost catalogue entry freezes nothing else."
	rotates        = "A rotated SSH key of the catalogue asks for no replacement, and writes nothing."
	refusesAlone   = "An edit that cannot be is refused, and the rest of the commit is applied."
	isProtected    = "`deletionProtection` holds a deletion."
	asksFirst      = "Nothing that destroys or restarts happens without a word of the claim."
	announces      = "An adoption writes what it announced, and nothing else."
	leavesAlone    = "What somebody else made in the place of ours is left alone."
	keepsSecrets   = "No condition, event or status has a secret in it."
)

// promises are what holds each cell of the table that says kept.
var promises = map[string]map[string]func(*testing.T){ //nolint:gochecknoglobals // A constant table.
	losesNothing:   {ofMachines: machineLosesNothing, ofClusters: clusterLosesNothing, ofContainers: containerLosesNothing, ofSites: siteLosesNothing},
	freezesNothing: {ofMachines: machineFreezesNothing, ofClusters: clusterFreezesNothing, ofContainers: containerFreezesNothing, ofSites: siteFreezesNothing},
	rotates:        {ofMachines: machineRotates, ofClusters: clusterRotates, ofContainers: containerRotates},
	refusesAlone:   {ofMachines: machineRefusesAlone, ofClusters: clusterRefusesAlone, ofContainers: containerRefusesAlone, ofSites: siteRefusesAlone},
	isProtected:    {ofMachines: machineIsProtected, ofClusters: clusterIsProtected, ofContainers: containerIsProtected},
	asksFirst:      {ofMachines: machineAsksFirst, ofContainers: containerAsksFirst, ofSites: siteAsksFirst},
	announces:      {ofMachines: machineAnnounces, ofClusters: clusterAnnounces, ofContainers: containerAnnounces},
	leavesAlone:    {ofMachines: machineLeavesAlone, ofClusters: clusterLeavesAlone, ofContainers: containerLeavesAlone, ofSites: siteLeavesAlone},
	keepsSecrets:   {ofMachines: machineKeepsSecrets, ofClusters: clusterKeepsSecrets, ofContainers: containerKeepsSecrets, ofSites: siteKeepsSecrets},
}

// readPromises is the table of docs/day-two.md: its cells by promise and kind.
func readPromises(t *testing.T) map[string]map[string]string {
	t.Helper()

	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "day-two.md"))
	if err != nil {
		t.Fatal(err)
	}

	_, table, _ := strings.Cut(string(page), "<!-- promises -->")
	table, _, _ = strings.Cut(table, "<!-- end of promises -->")

	cells := func(line string) []string {
		var out []string
		for cell := range strings.SplitSeq(strings.Trim(line, "| "), "|") {
			out = append(out, strings.TrimSpace(cell))
		}

		return out
	}

	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) < 3 {
		t.Fatal("docs/day-two.md has no table of promises")
	}

	head, out := cells(lines[0]), map[string]map[string]string{}

	for _, line := range lines[2:] {
		row := cells(line)
		if len(row) != len(head) {
			t.Fatalf("want %d cells, got %q", len(head), line)
		}

		out[row[0]] = map[string]string{}
		for i, kind := range head[1:] {
			out[row[0]][kind] = row[i+1]
		}
	}

	return out
}

// TestPromises: each cell of the table of docs/day-two.md says "kept", and a check holds it, or "no", and why.
func TestPromises(t *testing.T) {
	table := readPromises(t)

	for promise, checks := range promises {
		for kind := range checks {
			if table[promise][kind] == "" {
				t.Errorf("docs/day-two.md has no cell %q of %s, and there is a check", promise, kind)
			}
		}
	}

	for _, promise := range slices.Sorted(maps.Keys(table)) {
		for kind, cell := range table[promise] {
			check := promises[promise][kind]

			switch {
			case cell == "kept" && check == nil:
				t.Errorf("docs/day-two.md: %q of %s says kept, and no check holds it", promise, kind)
			case cell == "kept":
				t.Run(kind+"/"+promise, check)
			case !strings.HasPrefix(cell, "no: ") || check != nil:
				t.Errorf("docs/day-two.md: %q of %s: want kept, or no: and why, got %q; is there a check: %v", promise, kind, cell, check != nil)
			}
		}
	}
}

// told is all that an answer says to people.
func told(rsp *fnv1.RunFunctionResponse) string {
	var all []string
	for _, c := range rsp.GetConditions() {
		all = append(all, c.GetMessage())
	}

	for _, r := range rsp.GetResults() {
		all = append(all, r.GetMessage())
	}

	return strings.Join(append(all, fmt.Sprint(world.Status(rsp))), "\n")
}

// aSecret that the provider, or a composed resource, puts into an error of its own.
const aSecret = "correct-horse-battery" //nolint:gosec // It is nobody's.

// keepsToItself checks that an answer has nothing of the Secrets, nor of the errors of the provider, in what it says.
func (m *machine) keepsToItself(rsp *fnv1.RunFunctionResponse) {
	m.t.Helper()

	values := []string{aSecret}

	for _, s := range m.Secrets {
		for _, v := range world.Object(s["stringData"]) {
			values = append(values, fmt.Sprint(v))
		}

		for _, v := range world.Object(s["data"]) {
			if plain, err := base64.StdEncoding.DecodeString(fmt.Sprint(v)); err == nil {
				values = append(values, string(plain))
			}
		}
	}

	for _, v := range values {
		if text := told(rsp); v != "" && strings.Contains(text, v) {
			m.t.Errorf("%q is in the answer: %s", v, text)
		}
	}
}

// fails checks the answer to an error of the provider that has a secret in it.
func (m *machine) fails() {
	m.t.Helper()

	rsp := m.Turn()
	if got := world.Reason(rsp, "ProviderHealthy"); got == "NoError" || got == "" {
		m.t.Errorf("the error is not seen: %q", got)
	}

	m.keepsToItself(rsp)
}

// protects says whether an answer has a Usage of the composite, or of its claim.
func protects(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(world.Names(rsp), func(name string) bool {
		return strings.HasSuffix(fmt.Sprint(world.Desired(rsp, name)["kind"]), "Usage")
	})
}

// calm checks that nothing was done in Proxmox that destroys or restarts something.
func (m *machine) calm() {
	m.t.Helper()

	for _, done := range m.Proxmox.Done {
		for _, verb := range []string{"destroy", "stop", "start", "restart", "migrate", "make"} {
			if strings.HasPrefix(done, verb+" ") {
				m.t.Errorf("nobody asked for this: %s", done)
			}
		}
	}
}

// keepsAll checks that the answer without a catalogue, or a fatal one, leaves all managed resources as they are.
func (m *machine) keepsAll(before map[string]map[string]any) {
	m.t.Helper()

	m.Apply(m.Call())

	for name, was := range before {
		if got := m.Observed[name]; fmt.Sprint(was["spec"]) != fmt.Sprint(got["spec"]) {
			m.t.Errorf("%s is not what it was: %v, now %v", name, was["spec"], got["spec"])
		}
	}
}

// seen is a copy of all composed resources.
func (m *machine) seen() map[string]map[string]any {
	out := map[string]map[string]any{}
	for name, o := range m.Observed {
		out[name] = world.Object(world.Copy(o))
	}

	return out
}

// rotate the SSH key of the catalogue.
func (m *machine) rotate() {
	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	defaults := world.Object(world.Object(m.Catalogue["data"])["defaults"])
	defaults["sshAuthorizedKeys"] = []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exbb new@home"}
	world.Object(m.Catalogue["data"])["defaults"] = defaults
}

// lose an entry of the catalogue.
func (m *machine) lose(section string) {
	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	delete(world.Object(m.Catalogue["data"]), section)
}

// edit the claim.
func (m *machine) edit(spec string) { world.Merge(m.Spec(), world.FromYAML(m.t, spec)) }
