package cli

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// waveFiles are the files of a plan: the claims of machines as they are now, the catalogue, and the cluster as it was.
func waveFiles(t *testing.T, all []*world.Machine, before map[string]string) map[string]string {
	t.Helper()

	files := map[string]string{}

	for _, m := range all {
		spec := world.Object(world.Copy(m.Spec()))
		delete(spec, "claimRef")

		name := strings.TrimSuffix(m.Name(), "-x7f2k")
		claim := world.NewClaim("Machine", "edge", name, spec)

		for file, object := range map[string]any{"claims/" + name + ".yaml": claim, "catalogue.yaml": m.Catalogue} {
			data, err := yaml.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}

			files[file] = string(data)
		}

		files["observed.yaml"] += before[m.Name()] + "---\n"
	}

	return files
}

// TestPlanOfWaves: the plan of a folder in which claims of two waves, or the catalogue, are edited says that the higher wave waits.
func TestPlanOfWaves(t *testing.T) {
	t.Parallel()

	const class = "{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, data: {classes: {own: {cores: %d, memory: 2Gi, disk: 30Gi}}}}"

	catalogue := func(m *world.Machine, cores int) { m.Catalogue = world.FromYAML(t, fmt.Sprintf(class, cores)) }
	reboot := func(m *world.Machine) { world.Object(m.Spec()["lifecycle"])["reboot"] = "a" }

	cases := map[string]struct {
		reason string
		edit   func(low, high *world.Machine)
		low    string
		high   string
	}{
		"Claims": {
			reason: "One commit edits both.", edit: func(low, high *world.Machine) { reboot(low); reboot(high) },
			low:  "It is announced to the other machines of its group",
			high: "low of wave 1 (its status is not about its current claim and the current catalogue yet, or one of them has a fault)",
		},
		"Catalogue": {
			reason: "All machines read it.", edit: func(low, high *world.Machine) { catalogue(low, 4); catalogue(high, 4) },
			low:  "It is announced to the other machines of its group",
			high: "low of wave 1 (its status is not about its current claim and the current catalogue yet, or one of them has a fault)",
		},
		"Revision": {
			reason: "The lower claim has another revision.",
			edit: func(_, high *world.Machine) {
				world.Object(high.Spec()["rollout"])["revision"] = "v2"
				reboot(high)
			},
			high: "low of wave 1 (has no spec.rollout.revision, and is to have v2)",
		},
		"OnlyHigher": {
			reason: "The lower machine is finished.", edit: func(_, high *world.Machine) { reboot(high) },
			high: "It is announced to the other machines of its group",
		},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				t.Parallel()

				c := fake.NewCluster(t, compose.Answer)
				all, before := []*world.Machine{}, map[string]string{}

				for i, name := range []string{"low", "high"} {
					m := world.NewMachine(world.NewClaim("Machine", "edge", name, world.FromYAML(t, fmt.Sprintf("{class: own, image: debian-12, network: {dhcp: true}, proxmox: {node: pve}, "+
						"rollout: {group: edge, wave: %d}, lifecycle: {rebootPolicy: WhenNeeded}}", i+1))), in)
					catalogue(m, 2)

					if all = append(all, m); i == 0 {
						c.Add(m)
					} else {
						c.AddOn(all[0].Proxmox, m)
					}
				}

				c.Rest()

				for _, m := range all {
					before[m.Name()] = cluster(t, m)
				}

				tc.edit(all[0], all[1])

				dir := writeTree(t, waveFiles(t, all, before))
				out := call(t, "", "plan", "-f", dir+"/claims", "--catalogue", dir+"/catalogue.yaml", "--observed", dir+"/observed.yaml").stdout
				for of, want := range map[string]string{"low": tc.low, "high": tc.high} {
					if want != "" && !strings.Contains(flat(section(out, of)), want) {
						t.Errorf("%s: %s: want %q in\n%s", tc.reason, of, want, out)
					}
				}
			})
		}
	}
}

// section of a plan that is about a machine.
func section(out, name string) string {
	_, rest, _ := strings.Cut(out, "Machine edge/"+name)
	about, _, _ := strings.Cut(rest, "Machine edge/")

	return about
}

// flat is text without its line breaks.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
