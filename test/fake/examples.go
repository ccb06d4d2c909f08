package fake

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// Root is the folder of the repository.
func Root(t testing.TB) string {
	t.Helper()

	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	for ; ; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(b), "module github.com/homelab-io/function-proxmox-machine\n") {
			return dir
		}

		if dir == filepath.Dir(dir) {
			t.Fatal("not in the repository")
		}
	}
}

// An Example is a claim of example/, with what lies beside it.
type Example struct {
	Name      string // Folder and file without its ending.
	Claim     map[string]any
	Catalogue map[string]any
	Secrets   []map[string]any
}

// read are the examples once a test has read them: nobody changes them while tests run, and reading them takes longer than most tests.
var read struct {
	sync.Mutex
	examples []Example
}

// Examples of the repository, in the order of their names. Each call returns copies.
func Examples(t testing.TB) []Example {
	t.Helper()

	all := slices.Clone(readExamples(t))
	for i := range all {
		all[i] = all[i].copy()
	}

	return all
}

// copy of an example that a test may change.
func (e Example) copy() Example {
	e.Claim = world.Object(world.Copy(e.Claim))

	if e.Catalogue != nil {
		e.Catalogue = world.Object(world.Copy(e.Catalogue))
	}

	e.Secrets = slices.Clone(e.Secrets)
	for i := range e.Secrets {
		e.Secrets[i] = world.Object(world.Copy(e.Secrets[i]))
	}

	return e
}

func readExamples(t testing.TB) []Example {
	t.Helper()

	read.Lock()
	defer read.Unlock()

	if read.examples != nil {
		return read.examples
	}

	dir := filepath.Join(Root(t), "example")

	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no examples found")
	}

	var out []Example

	beside := map[string]*Example{}

	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}

		name, err := filepath.Rel(dir, f)
		if err != nil {
			t.Fatal(err)
		}

		folder := filepath.Dir(name)
		if beside[folder] == nil {
			beside[folder] = &Example{}
		}

		for document := range strings.SplitSeq(string(b), "\n---\n") {
			switch o := world.FromYAML(t, document); o["kind"] {
			case "Machine", "K3sNode":
				out = append(out, Example{Name: strings.TrimSuffix(filepath.ToSlash(name), ".yaml"), Claim: o})
			case "EnvironmentConfig":
				beside[folder].Catalogue = o
			case "Secret":
				beside[folder].Secrets = append(beside[folder].Secrets, o)
			}
		}
	}

	for i := range out {
		b := beside[filepath.Dir(out[i].Name)]
		out[i].Catalogue, out[i].Secrets = b.Catalogue, b.Secrets
	}

	slices.SortFunc(out, func(a, b Example) int { return strings.Compare(a.Name, b.Name) })
	read.examples = out

	return out
}

// ExampleNamed is one example, whose catalogue has the release of K3s that guests install ([BornWith]), whichever the examples are at: stories of
// upgrades begin there.
func ExampleNamed(t testing.TB, name string) Example {
	t.Helper()

	for _, e := range readExamples(t) {
		if e.Name == name {
			return e.copy().born()
		}
	}

	t.Fatalf("no example %s", name)

	return Example{}
}

// Machine of an example in an installation; each is another one.
func (e Example) Machine(in world.Installation) *world.Machine {
	m := world.NewMachine(world.Object(world.Copy(e.Claim)), in)
	m.Catalogue, m.Secrets = e.Catalogue, e.Secrets

	return m
}

// born is an example at the release that guests install.
func (e Example) born() Example {
	for _, c := range world.Object(world.Object(e.Catalogue["data"])["clusters"]) {
		if world.Object(c)["version"] != nil {
			world.Object(c)["version"] = world.BornWith
		}
	}

	return e
}
