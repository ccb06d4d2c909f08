package preview

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlanContainer edits a container that runs, and deletes its claim.
func TestPlanContainer(t *testing.T) {
	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	r := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}
	s := storiesOf(t, configuration, filepath.Join(repository, "example", "container", "dns01.yaml"))[0]

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

	cases := map[string]struct {
		reason string
		plan   func() MachinePlan
		state  State
		want   []Effect
		says   string
	}{
		"Nothing":  {"the claim as it is", spec(func(map[string]any) {}), StateKept, nil, ""},
		"New":      {"nothing exists yet", func() MachinePlan { return r.Plan(t.Context(), []Story{s})[0] }, StateNew, []Effect{EffectCreate}, "container 153 on fun-bedbug"},
		"InPlace":  {"cores change while it runs", spec(func(s map[string]any) { s["size"] = map[string]any{"cores": int64(3)} }), StateChanged, []Effect{EffectChange}, "spec.size.cores: 1 to 3"},
		"Waits":    {"the features wait for a restart", spec(func(s map[string]any) { delete(s, "features") }), StateChanged, []Effect{EffectReboot}, "spec.features.nesting"},
		"Stops":    {"it is to be off", spec(func(s map[string]any) { s["power"] = "Stopped" }), StateChanged, []Effect{EffectChange}, "spec.power: Running to Stopped"},
		"Restarts": {"somebody asks for it", spec(func(s map[string]any) { s["lifecycle"] = map[string]any{"reboot": "now"} }), StateChanged, []Effect{EffectReboot}, ""},
		"Refused":  {"it keeps its template", spec(func(s map[string]any) { s["image"] = "local:vztmpl/alpine-3.20-default_20240908_amd64.tar.xz" }), StateRefused, []Effect{EffectRefused}, "spec.image"},
		"Closes": {"what is reached now, and will not be, is said", spec(func(s map[string]any) {
			s["firewall"] = map[string]any{"allow": []any{map[string]any{"port": int64(53)}}}
		}), StateChanged, []Effect{EffectChange}, "no longer reached: SSH"},
		"Protects":  {"Proxmox's own option", spec(func(s map[string]any) { s["proxmox"].(map[string]any)["protection"] = true }), StateChanged, []Effect{EffectChange}, "spec.proxmox.protection: false to true"},
		"Destroyed": {"its policies have Delete, and protection is on", func() MachinePlan { return r.PlanDeletion([]Story{WorldWith(objects).Around(configuration, s)})[0] }, StateGone, []Effect{EffectRefused}, "is destroyed with its root file system and its mount points"},
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
