package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestPlanHash holds that the hash of a plan is the hash that the function puts into status.plan when the edit is applied, that the function accepts
// it, and that the plan of an approved edit needs no approval.
func TestPlanHash(t *testing.T) {
	example := fake.ExampleNamed(t, "nixos/dns01")

	cases := map[string]struct {
		reason  string
		edit    string
		effects []preview.Effect // Of the approved plan.
		done    []string
	}{
		"Reboot": {
			reason: "An edit in place, and a restart.", edit: "{size: {cores: 6}, lifecycle: {reboot: a}}",
			effects: []preview.Effect{preview.EffectReboot},
			done:    []string{"change cpu of 100", "stop 100", "start 100"},
		},
		"Replace": {
			reason: "The hash of a replacement is made elsewhere.", edit: "lifecycle: {replace: a}",
			effects: []preview.Effect{preview.EffectReplace, preview.EffectDestroy},
			done:    []string{"change onBoot of 100", "stop 100", "make 101", "destroy 100"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, in := range world.Installations {
				m := fake.NewCluster(t, compose.Answer).Add(example.Machine(in))
				delete(world.Object(m.Spec()["proxmox"]), "vmId")
				world.Merge(m.Spec(), world.FromYAML(t, "lifecycle: {approval: OnRisk}"))
				m.Rest()

				m.Proxmox.Done = nil
				before := cluster(t, m)

				world.Merge(m.Spec(), world.FromYAML(t, tc.edit))

				markdown, planned := planOf(t, m, before)
				waits := world.Object(world.Status(m.Rest())["plan"])["hash"]

				if planned.Approval != waits || !strings.Contains(markdown, planned.Approval) || len(m.Proxmox.Done) > 0 {
					t.Fatalf("%s %s: the plan has hash %q, the function waits for %q and did %q; markdown:\n%s", in.Name, tc.reason, planned.Approval, waits, m.Proxmox.Done, markdown)
				}

				// Approved in one commit with the edit, or in a later one: the hash counts for both.
				world.Object(m.Spec()["lifecycle"])["approve"] = planned.Approval

				for _, before := range []string{before, cluster(t, m)} {
					markdown, approved := planOf(t, m, before)
					if diff := cmp.Diff(tc.effects, approved.Effects); diff != "" || approved.Approval != "" {
						t.Errorf("%s %s: an approved plan waits for %q; effects: -want, +got:\n%s\n%s", in.Name, tc.reason, approved.Approval, diff, markdown)
					}
				}

				m.Rest()

				if diff := cmp.Diff(tc.done, m.Proxmox.Done); diff != "" {
					t.Errorf("%s %s: done with the hash of the plan: -want, +got:\n%s", in.Name, tc.reason, diff)
				}
			}
		})
	}
}

// cluster is what a cluster has of a machine, as kubectl prints it.
func cluster(t *testing.T, m *world.Machine) string {
	t.Helper()

	items := []any{m.Composite}

	for _, o := range m.Observed {
		o := world.Object(world.Copy(o))
		delete(world.Object(o["metadata"]), "ownerReferences")
		items = append(items, o)
	}

	out, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}

	return string(out)
}

// planOf the claim of a machine as it is now, in a cluster as it was.
func planOf(t *testing.T, m *world.Machine, before string) (markdown string, planned preview.MachinePlan) {
	t.Helper()

	edited := world.Object(world.Copy(m.Spec()))
	delete(edited, "claimRef")

	ex := fake.ExampleNamed(t, "nixos/dns01").Claim
	ex["spec"] = edited

	claim, err := yaml.Marshal(ex)
	if err != nil {
		t.Fatal(err)
	}

	catalogue, err := yaml.Marshal(m.Catalogue)
	if err != nil {
		t.Fatal(err)
	}

	dir := writeTree(t, map[string]string{"claim.yaml": string(claim), "catalogue.yaml": string(catalogue), "observed.yaml": before})
	args := []string{"plan", "-f", dir + "/claim.yaml", "--catalogue", dir + "/catalogue.yaml", "--observed", dir + "/observed.yaml", "-o"}

	var plan preview.Plan
	if err := json.Unmarshal([]byte(call(t, "", append(args, "json")...).stdout), &plan); err != nil || len(plan.Machines) != 1 {
		t.Fatalf("%v: %+v", err, plan)
	}

	return call(t, "", append(args, "markdown")...).stdout, plan.Machines[0]
}
