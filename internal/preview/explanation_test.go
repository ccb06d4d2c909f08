package preview

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/compose"
)

// linesOf an explanation, as the function says them in results.
func linesOf(e compose.Explanation) []string {
	effects := map[change.Effect]string{change.InPlace: "change in place", change.Reboot: "needs reboot", change.Refused: "refused"}

	var out []string

	for _, s := range e.Steps {
		out = append(out, s.Resource+": "+s.Action)
		for _, w := range s.Words {
			out = append(out, s.Resource+": "+w)
		}

		for _, c := range s.Changes {
			out = append(out, s.Resource+": "+effects[c.Effect]+": "+c.String())
		}

		for _, c := range s.Pending {
			out = append(out, s.Resource+": waits for a reboot: "+c.String())
		}
	}

	for _, k := range e.Kept {
		out = append(out, "claim: keeps "+k)
	}

	for _, w := range e.Warnings {
		out = append(out, "claim: warning: "+w)
	}

	return out
}

// TestExplanation: the types say what the words say, of every example and of a server that is replaced.
func TestExplanation(t *testing.T) {
	dayTwo := filepath.Join(repository, "example", "day-two")
	pages := map[string]Files{filepath.Join(repository, "example"): {}, filepath.Join(dayTwo, "git01.yaml"): {Observed: filepath.Join(dayTwo, "cluster", "claims", "observed.yaml")}}

	nodes := newNodesStory(t, "      observe: Here\n      providerConfig: home\n")
	cluster := filepath.Join(t.TempDir(), "observed.yaml")

	if err := writeManifests(cluster, slices.Concat(nodes.vms, nodes.nodes)...); err != nil {
		t.Fatal(err)
	}

	pages[nodes.claim] = Files{Observed: cluster, Catalogue: filepath.Join(filepath.Dir(nodes.claim), fileCatalogue)}

	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	seen := map[string]bool{}
	r := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}

	for path, files := range pages {
		claims, err := configuration.ReadClaims([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}

		for _, c := range claims {
			story, err := files.Story(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}

			s, err := r.stage(story)
			if err != nil {
				t.Fatal(err)
			}

			composition, err := r.composition(s.composite)
			if err != nil {
				t.Fatal(err)
			}

			turn, err := InProcess{}.Turn(t.Context(), s.input(composition, false))
			if err != nil {
				t.Fatal(err)
			}

			var want []string

			for _, result := range turn.Results {
				if result.Reason == reasonPlan {
					want = append(want, pipelineStepPrefix.ReplaceAllString(result.Message, ""))
				}
			}

			got := linesOf(turn.Explanation)

			// A change that waits is told at the end, whatever resource it is of.
			slices.Sort(want)
			slices.Sort(got)

			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("%s: -in words, +in types:\n%s", c, diff)
			}

			for _, step := range turn.Explanation.Steps {
				seen[step.Action] = true
				seen[fmt.Sprintf("destroyed: %t", step.Destroyed)] = true
			}
		}
	}

	for _, want := range []string{compose.Kept, compose.Created, compose.Replaced, "change", "check", "destroyed: false"} {
		if !seen[want] {
			t.Errorf("no step has the action %q: do the stories still show it?", want)
		}
	}
}

// TestPlanEffects makes edits of a living machine, and holds their effects against what docs/day-two.md says of them.
func TestPlanEffects(t *testing.T) {
	story := filepath.Join(repository, "example", "day-two")

	cases := map[string]struct {
		reason   string
		from, to string
		state    State
		want     []Effect
		says     string
	}{
		"Nothing":   {"the claim as it is", "", "", StateKept, nil, ""},
		"Grows":     {"a disk grows while the VM runs", "size: 100Gi", "size: 200Gi", StateChanged, []Effect{EffectChange}, "spec.disks[repos].size"},
		"Class":     {"cores wait, the boot disk grows", "class: small", "class: medium", StateChanged, []Effect{EffectChange, EffectReboot}, "spec.size.cores"},
		"Image":     {"a VM keeps its image", "ubuntu-24.04", "debian-13", StateRefused, []Effect{EffectRefused}, "spec.image"},
		"Restart":   {"a power cycle now", "role: git", "role: git\n  lifecycle: {reboot: now}", StateChanged, []Effect{EffectReboot}, "stops the VM and starts it again"},
		"Replace":   {"a new VM, and the old one is destroyed", ", vmId: 161}", "}\n  lifecycle: {replace: now}", StateChanged, []Effect{EffectReplace, EffectDestroy}, "is destroyed with its disks: boot disk (30 GiB), repos (100 GiB)"},
		"Orphan":    {"a new VM, and the old one stays", ", vmId: 161}", "}\n  deletionPolicy: Orphan\n  lifecycle: {replace: now}", StateChanged, []Effect{EffectReplace}, "stays in Proxmox, stopped"},
		"Kept":      {"a VM keeps what the catalogue does not tell any more", "class: small", "class: smal", StateKept, nil, `keeps size and CPU type: spec.class: "smal"`},
		"Bootstrap": {"a VM is set up once", "role: git", "role: git\n  bootstrap: {userData: \"#cloud-config\\ntimezone: UTC\\n\"}", StateChanged, []Effect{EffectNewVM}, ""},
		"Fault":     {"a fault changes nothing", "vmId: 161", "vmid: 161", StateFaulty, nil, `spec.proxmox.vmid: `},
	}

	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	world, err := WorldOf(filepath.Join(story, "cluster", "claims", "observed.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(claimText("Machine", "git01"), "{name: git01}", "{name: git01, namespace: infra-machines}", 1) + strings.Replace(git01Made, tc.from, tc.to, 1)

			claims, err := configuration.ReadClaims([]string{filepath.Join(writeTree(t, map[string]string{"git01.yaml": text}), "git01.yaml")}, nil)
			if err != nil {
				t.Fatal(err)
			}

			s, err := world.Story(t.Context(), configuration, Files{Catalogue: filepath.Join(story, "catalogue.yaml")}, claims[0])
			if err != nil {
				t.Fatal(err)
			}

			plan := Plan{Machines: Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}.Plan(t.Context(), []Story{s})}
			got := plan.Machines[0]
			got.Steps = slices.Clone(got.Steps)

			// The Usage is not in the file.
			got.Steps = slices.DeleteFunc(got.Steps, func(s PlanStep) bool { return s.Resource == "protects-claim" })

			if diff := cmp.Diff(tc.want, got.Effects); diff != "" || got.State != tc.state {
				t.Errorf("%s: %s, and the effects -want, +got:\n%s\n%s", tc.reason, got.State, diff, plan.text(false))
			}

			if !strings.Contains(plan.text(false), tc.says) {
				t.Errorf("%s: want %q in\n%s", tc.reason, tc.says, plan.text(false))
			}
		})
	}
}

// TestPlanDeletion: the policies of what there is decide, not those of the claim.
func TestPlanDeletion(t *testing.T) {
	observed, err := os.ReadFile(filepath.Join(repository, "example", "day-two", "cluster", "claims", "observed.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	const usage = "---\napiVersion: protection.crossplane.io/v1beta1\nkind: Usage\nmetadata: {name: u, namespace: infra-machines, annotations: {crossplane.io/composition-resource-name: protects-claim}, " +
		"labels: {crossplane.io/claim-name: git01, crossplane.io/claim-namespace: infra-machines}}\n"

	cases := map[string]struct {
		reason   string
		observed string
		want     []Effect
		says     string
	}{
		"Destroyed": {"its policies have Delete", string(observed), []Effect{EffectDestroy}, "is destroyed with its disks: boot disk (30 GiB), repos (100 GiB)"},
		"Stays":     {"they do not", strings.ReplaceAll(string(observed), "    - Delete\n", ""), nil, "stays in Proxmox as it is"},
		"Protected": {
			"a Usage refuses the deletion, and says why and what to do first", string(observed) + usage + "spec: {reason: first remove observe}\n",
			[]Effect{EffectRefused},
			"the deletion is refused: first remove observe\n  VM 161: keep\n    would be destroyed with its disks",
		},
		"Unexplained": {"somebody's own says nothing", string(observed) + usage, []Effect{EffectRefused}, "the deletion is refused: somebody's Usage without a reason keeps the claim"},
		"Waits": {
			"one resource waits for another one", string(observed) + usage + "spec: {of: {resourceRef: {name: git01-vm}}, by: {resourceRef: {name: git01-node-deletion-vm}}}\n",
			[]Effect{EffectDestroy},
			"is destroyed with its disks",
		},
		"Nothing": {"there is nothing", "kind: List\nitems: []\n", nil, "there is nothing of this machine"},
	}

	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	claims, err := configuration.ReadClaims([]string{filepath.Join(repository, "example", "day-two", "git01.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			world, err := WorldOf(filepath.Join(writeTree(t, map[string]string{"o.yaml": tc.observed}), "o.yaml"))
			if err != nil {
				t.Fatal(err)
			}

			s, err := world.Story(t.Context(), configuration, Files{}, claims[0])
			if err != nil {
				t.Fatal(err)
			}

			plan := Plan{Machines: Renderer{Configuration: configuration}.PlanDeletion([]Story{s})}

			if diff := cmp.Diff(tc.want, plan.Machines[0].Effects); diff != "" || plan.Machines[0].State != StateGone || !strings.Contains(plan.text(false), tc.says) {
				t.Errorf("%s: want %q; effects -want, +got:\n%s\n%s", tc.reason, tc.says, diff, plan.text(false))
			}
		})
	}
}
