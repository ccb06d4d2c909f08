package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// stories of the claims of a path, with nothing observed.
func storiesOf(t *testing.T, p Configuration, path string) []Story {
	t.Helper()

	claims, err := p.ReadClaims([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}

	out := make([]Story, 0, len(claims))

	for _, c := range claims {
		s, err := Files{Observed: NoFile}.Story(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}

		out = append(out, s)
	}

	return out
}

// TestRunning has each example's machines run: a claim without an edit then keeps all of it, in each installation.
func TestRunning(t *testing.T) {
	const examples = "../../example"

	for _, flavour := range catalog.Flavours() {
		p, err := Load(flavour)
		if err != nil {
			t.Fatal(err)
		}

		r := Renderer{Configuration: p, Engine: InProcess{}, Explain: true, StandIns: true}

		for _, path := range []string{"appliance", "cluster", "container", "day-two/git01.yaml", "day-two/pool", "flux/machines", "homelab-k3s", "k3s-cluster", "nixos", "plain-debian", "rollout", "site-parts"} {
			// Of each folder one claim a kind is enough where the flavour changes only the names of groups.
			for i, s := range storiesOf(t, p, filepath.Join(examples, path)) {
				// A legacy provider cannot start a container, and makes no site.
				if i > 0 && flavour != FlavourClaims || (path == "container" || path == "site-parts") && flavour == FlavourLegacy {
					break
				}

				objects, err := r.Running(t.Context(), s)
				if err != nil {
					t.Errorf("%s: %v", flavour, err)
					continue
				}

				world := WorldWith(objects)
				if world.Flavour != flavour {
					t.Errorf("%s: the world of %s is taken for one of flavour %q", flavour, s.Claim, world.Flavour)
				}

				if !world.has(p, s.Claim) {
					t.Errorf("%s: the world has nothing of %s", flavour, s.Claim)
				}

				for _, m := range r.Plan(t.Context(), []Story{world.Around(p, s)}) {
					if m.State != StateKept {
						t.Errorf("%s: %s is %s once it runs, although nothing was edited: %+v", flavour, s.Claim, m.State, m)
					}
				}
			}
		}
	}
}

// TestRunningShowsEdits edits a machine that runs: the plan has the edit, with its effect.
func TestRunningShowsEdits(t *testing.T) {
	p, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	text, err := os.ReadFile("../../example/day-two/git01.yaml")
	if err != nil {
		t.Fatal(err)
	}

	r := Renderer{Configuration: p, Engine: InProcess{}, Explain: true, StandIns: true}
	s := storiesOf(t, p, "../../example/day-two/git01.yaml")[0]

	objects, err := r.Running(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}

	for edit, want := range map[[2]string]Effect{
		{"size: 200Gi", "size: 300Gi"}:    EffectChange,
		{"size: 200Gi", "size: 10Gi"}:     EffectRefused,
		{"class: medium", "class: large"}: EffectReboot,
	} {
		edited := strings.Replace(string(text), edit[0], edit[1], 1)
		if edited == string(text) {
			t.Fatalf("git01.yaml has no %q", edit[0])
		}

		claims, err := p.ClaimsIn("git01.yaml", []byte(edited))
		if err != nil {
			t.Fatal(err)
		}

		plan := Plan{Machines: r.Plan(t.Context(), []Story{WorldWith(objects).Around(p, Story{Claim: claims[0], Required: s.Required})})}
		if !plan.Has(want) {
			t.Errorf("%q to %q: want effect %s in\n%s", edit[0], edit[1], want, plan.text(false))
		}
	}
}

// TestRunningHasNoSecret looks for content of Secrets in what runs: dummies stand for it.
func TestRunningHasNoSecret(t *testing.T) {
	p, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	r := Renderer{Configuration: p, Engine: InProcess{}, Explain: true, StandIns: true}
	s := storiesOf(t, p, "../../example/k3s-cluster/agent-1.yaml")[0]

	var contents []string

	for _, o := range s.Required {
		if o.GetKind() == "Secret" {
			for _, content := range contentsOf(o) {
				contents = append(contents, content)
			}
		}
	}

	if len(contents) == 0 {
		t.Fatal("the example has no Secret")
	}

	objects, err := r.Running(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}

	b, err := (&unstructured.UnstructuredList{Items: objects}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}

	for _, content := range contents {
		if strings.Contains(string(b), content) {
			t.Error("what runs has the content of a Secret")
		}
	}
}
