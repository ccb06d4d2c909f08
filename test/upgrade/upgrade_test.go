package upgrade

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// store is written once for a release: go test ./test/upgrade -run TestUpgrade -store v0.2.0.
var store = flag.String("store", "", "write the calls of this release into "+storeDir+", for the tests of later ones")

// TestUpgrade sends today's function what earlier releases were sent. What it renders must be what they rendered, or the
// difference is announced in CHANGELOG.md; CONTRIBUTING.md says how.
func TestUpgrade(t *testing.T) {
	t.Parallel()

	if *store != "" {
		newStore(t).write(t, filepath.Join(storeDir, *store))
	}

	changelog, err := os.ReadFile(filepath.Join(fake.Root(t), "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}

	releases := storedReleases(t)

	for i, release := range releases {
		t.Run(release, func(t *testing.T) {
			byVersion, err := announcements(string(changelog), release)
			if err != nil {
				t.Fatal(err)
			}

			found := replay(t, readStore(t, filepath.Join(storeDir, release)))
			unannounced, _ := judge(found, slices.Concat(slices.Collect(maps.Values(byVersion))...))

			for _, d := range firstOfEach(unannounced) {
				t.Errorf("not announced in CHANGELOG.md: %s", d)
			}

			// Against an older release, what was announced may have been taken back since.
			if i < len(releases)-1 {
				return
			}

			_, stale := judge(found, byVersion["Unreleased"])
			for _, a := range stale {
				t.Errorf("announced in CHANGELOG.md, and true of no stored call (or, of every machine, only of those with or without a VM): %s", a.line)
			}
		})
	}
}

// TestNextStore writes the store that the next release will have, and reads it back: nothing of it may differ.
func TestNextStore(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "v9.9.9")
	newStore(t).write(t, dir)

	calls := readStore(t, dir)
	for _, d := range replay(t, calls) {
		t.Errorf("the same code renders something else: %s", d)
	}

	sorts := map[bool]int{}
	for _, c := range calls {
		sorts[living(c)]++
	}

	if sorts[true] < 100 || sorts[false] < 40 {
		t.Errorf("%d calls are of machines with a VM and %d of others, want 100 and 40", sorts[true], sorts[false])
	}
}

// storedReleases, oldest first.
func storedReleases(t *testing.T) []string {
	t.Helper()

	dirs, err := filepath.Glob(storeDir + "/v*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no stores in %s", storeDir)
	}

	out := make([]string, 0, len(dirs))
	for _, d := range dirs {
		out = append(out, filepath.Base(d))
	}

	slices.SortFunc(out, func(a, b string) int { return slices.Compare(numbers(a), numbers(b)) })

	return out
}

// numbers of a version, zero-padded to be compared as text.
func numbers(version string) []string {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	for i, p := range parts {
		parts[i] = strings.Repeat("0", max(0, 9-len(p))) + p
	}

	return parts
}

// function of today.
var function = fake.Compared(compose.Answer)

// replay stored calls and return what differs.
func replay(t *testing.T, calls map[string]storedCall) []difference {
	t.Helper()

	var out []difference

	for _, name := range slices.Sorted(maps.Keys(calls)) {
		c := calls[name]
		rsp := callUntilAnswered(t, c.toRequest(t))
		out = append(out, differences(c.Answer, answerOf(rsp), living(c), name)...)
	}

	return out
}

// living says whether a stored machine has a VM, or may have one: anything but a VM of which the provider says that it could
// not be made.
func living(c storedCall) bool {
	for _, r := range world.Object(world.Object(c.Request["observed"])["resources"]) {
		o := world.Object(world.Object(r)["resource"])
		if o["kind"] != "EnvironmentVM" && o["kind"] != "EnvironmentContainer" {
			continue
		}

		refused := 0

		for _, c := range world.Conditions(o) {
			if (c["type"] == "Ready" || c["type"] == "LastAsyncOperation") && c["status"] == "False" {
				refused++
			}
		}

		if refused < 2 {
			return true
		}
	}

	return false
}

// callUntilAnswered calls the function as Crossplane does: until it asks for nothing more. What it asks for is searched among
// what is in the request.
func callUntilAnswered(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()

	pool := slices.Concat(items(req.GetRequiredResources()), items(req.GetExtraResources()))
	for _, r := range req.GetObserved().GetResources() {
		pool = append(pool, r)
	}

	for range 5 {
		rsp := function(req)

		asked := 0
		asked += answer(req.GetRequiredResources(), rsp.GetRequirements().GetResources(), pool)
		asked += answer(req.GetExtraResources(), rsp.GetRequirements().GetExtraResources(), pool)

		if asked == 0 {
			return rsp
		}
	}

	t.Fatal("the function asks for something new at every call")

	return nil
}

// answer what has not been asked for before out of the pool of what exists, and say how much that was. Crossplane of one
// generation fills one of the two fields, and the other is nil.
func answer(answers map[string]*fnv1.Resources, asked map[string]*fnv1.ResourceSelector, pool []*fnv1.Resource) int {
	n := 0

	for name, sel := range asked {
		if _, ok := answers[name]; ok || answers == nil {
			continue
		}

		n++
		answers[name] = &fnv1.Resources{}

		for _, r := range pool {
			if world.Selects(sel, r.GetResource().AsMap()) {
				answers[name].Items = append(answers[name].Items, r)
			}
		}
	}

	return n
}

func items(answers map[string]*fnv1.Resources) []*fnv1.Resource {
	var out []*fnv1.Resource
	for _, a := range answers {
		out = append(out, a.GetItems()...)
	}

	return out
}

// firstOfEach is one difference of each kind: an upgrade that changes one thing changes it in many calls.
func firstOfEach(all []difference) []difference {
	var out []difference

	seen := map[[4]any]bool{}

	for _, d := range all {
		key := [4]any{d.kind, d.path, d.what, d.living}
		if !seen[key] {
			seen[key] = true

			out = append(out, d)
		}
	}

	return out
}
