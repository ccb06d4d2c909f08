package preview

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlanSite edits a site that exists, and deletes its claim.
func TestPlanSite(t *testing.T) {
	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	r := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}
	s := storiesOf(t, configuration, filepath.Join(repository, "example", "site-parts", "home.yaml"))[0]

	objects, err := r.Running(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}

	spec := func(edit func(spec map[string]any)) func() MachinePlan {
		return func() MachinePlan {
			of := s
			of.Claim.Object = *s.Claim.Object.DeepCopy()
			edit(of.Claim.Object.Object["spec"].(map[string]any))

			return r.Plan(t.Context(), []Story{WorldWith(objects).Around(configuration, of)})[0]
		}
	}

	// bridge is the first one of the first node.
	bridge := func(spec map[string]any) map[string]any {
		node := spec["nodes"].(map[string]any)["pve1"].(map[string]any)

		return node["bridges"].([]any)[0].(map[string]any)
	}

	cases := map[string]struct {
		reason string
		plan   func() MachinePlan
		state  State
		want   []Effect
		says   string
	}{
		"Nothing": {"the claim as it is", spec(func(map[string]any) {}), StateKept, nil, ""},
		"New":     {"nothing exists yet", func() MachinePlan { return r.Plan(t.Context(), []Story{s})[0] }, StateNew, []Effect{EffectCreate}, "bridge pve1/vmbr1: create"},
		"Comment": {"free", spec(func(s map[string]any) { bridge(s)["comment"] = "other" }), StateChanged, []Effect{EffectChange}, "comment: storage network"},
		"Waits":   {"it interrupts", spec(func(s map[string]any) { bridge(s)["mtu"] = int64(1500) }), StateChanged, []Effect{EffectWait}, "waits for spec.allowInterruption: spec.nodes.pve1.bridges[vmbr1].mtu: 9000 to 1500"},
		"Refused": {"the last port stays", spec(func(s map[string]any) { delete(bridge(s), "ports") }), StateRefused, []Effect{EffectRefused}, "ports: enp2s0 to none"},
		"Removed": {"what is removed stays in Proxmox", spec(func(s map[string]any) { s["pools"] = []any{} }), StateChanged, []Effect{EffectChange}, "it stays in Proxmox as it is, and the claim no longer manages it"},
		"Deleted": {"the end of the claim", func() MachinePlan { return r.PlanDeletion([]Story{WorldWith(objects).Around(configuration, s)})[0] }, StateGone, nil, "stays in Proxmox as it is"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.plan()
			text := Plan{Machines: []MachinePlan{got}}.text(false)

			if diff := cmp.Diff(tc.want, got.Effects); diff != "" || got.State != tc.state {
				t.Errorf("%s: %s, want %s, and the effects -want, +got:\n%s", tc.reason, got.State, tc.state, diff)
			}

			if !strings.Contains(text, tc.says) || t.Failed() {
				t.Errorf("%s: want %q in\n%s", tc.reason, tc.says, text)
			}
		})
	}
}
