package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// allowed is what else the machines of these tests may do.
const allowed = "allow: [pin, startup, templates]"

// inOneMoment lets all machines take a turn of one moment: nobody sees what another one is answered.
func inOneMoment(all []*machine, turns int) {
	for range turns {
		apply := make([]func(), 0, len(all))

		for _, m := range all {
			rsp := m.Call()
			apply = append(apply, func() { m.applyUnlessFatal(rsp) })
		}

		for i, f := range apply {
			f()
			all[i].Provide()
		}
	}
}

// made are the machines with a VM that runs.
func made(all []*machine) (out []string) {
	for _, m := range all {
		if m.address() != "" {
			out = append(out, claimName(m))
		}
	}

	return out
}

// TestACrowdAtAQuota: of many machines of one commit, whose calls see each other at once, as many get a VM as the quota has room for; none of those that
// run stops for the others.
func TestACrowdAtAQuota(t *testing.T) {
	const crowd, quota = 40, 7

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			names := make([]string, crowd)
			for i := range names {
				names[i] = fmt.Sprintf("m%02d", i)
			}

			all := pooled(t, in, "192.168.4.50-192.168.4.199", names...)
			rules := world.FromYAML(t, fmt.Sprintf(`{tenants: {ours: {namespaces: ["*"], quota: {machines: %d}, %s}}}`, quota, allowed))

			for _, m := range all {
				m.withTenancy(rules)
			}

			for turn := range 6 {
				inOneMoment(all, 1)

				if got := made(all); len(got) > quota {
					t.Fatalf("turn %d: %d VMs for a quota of %d: %v", turn, len(got), quota, got)
				}
			}

			for range 4 {
				for _, m := range all {
					m.try()
				}
			}

			with := made(all)
			if len(with) != quota {
				t.Fatalf("%d of %d VMs were made: %v", len(with), quota, with)
			}

			for _, d := range all[0].Proxmox.Done {
				if isOutage(d) && !strings.HasPrefix(d, "make") && !strings.HasPrefix(d, "start") {
					t.Errorf("in Proxmox: %s", d)
				}
			}
		})
	}
}

// coresOf all VMs together, as they were written.
func coresOf(all []*machine) (out int) {
	for _, m := range all {
		cpu := world.Object(world.List(world.Object(world.Object(m.Observed["vm"]["spec"])["forProvider"])["cpu"])[0])
		out += int(cpu["cores"].(float64))
	}

	return out
}

// TestGrowthAtAQuota: machines that run and grow in one moment, by an edit of each claim or by their class in the catalogue, do not get more together than the
// quota. One has what is left, nobody stops, and what each has is still known.
func TestGrowthAtAQuota(t *testing.T) {
	cases := map[string]struct {
		reason string
		quota  int
		want   int // Cores of all machines together.
		grow   func(m *machine)
	}{
		"Edits": {reason: "There is room for one of five.", quota: 13, want: 12, grow: func(m *machine) { m.Spec()["size"] = map[string]any{"cores": int64(4)} }},
		"Class": {reason: "The catalogue's classes are everybody's.", quota: 15, want: 14, grow: func(m *machine) { m.sized(4) }},
		"All":   {reason: "There is room for all.", quota: 20, want: 20, grow: func(m *machine) { m.sized(4) }},
		"Full":  {reason: "There is room for nobody.", quota: 10, want: 10, grow: func(m *machine) { m.sized(4) }},
		"Huge":  {reason: "Nobody has room for that much.", quota: 20, want: 10, grow: func(m *machine) { m.sized(64) }},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				all := pooled(t, in, "192.168.4.50-192.168.4.59", "a", "b", "c", "d", "e")
				rules := world.FromYAML(t, fmt.Sprintf(`{tenants: {ours: {namespaces: ["*"], quota: {cores: %d}, %s}}}`, tc.quota, allowed))

				for _, m := range all {
					m.Spec()["class"] = "own"
					delete(m.Spec(), "size")
					m.sized(2)
					m.withTenancy(rules)
				}

				all[0].Rest()

				p := all[0].Proxmox
				p.Done = nil
				before := world.Keys(world.Object(all[0].Composite["status"]))

				everywhere(all, tc.grow)

				for turn := range 8 {
					inOneMoment(all, 1)

					if got := coresOf(all); got > tc.quota {
						t.Fatalf("%s Turn %d: %d cores for a quota of %d", tc.reason, turn, got, tc.quota)
					}

					for _, field := range before {
						if world.Object(all[0].Composite["status"])[field] == nil {
							t.Errorf("%s Turn %d: nobody knows the machine's %s any more", tc.reason, turn, field)
						}
					}
				}

				if got := coresOf(all); got != tc.want {
					t.Errorf("%s The machines have %d cores, want %d", tc.reason, got, tc.want)
				}

				for _, m := range all {
					if mark := world.Annotation(m.Observed["vm"], "homelab.io/grows"); mark != "" {
						t.Errorf("%s %s still announces %s", tc.reason, claimName(m), mark)
					}
				}

				noOutage(t, tc.reason, p)

				// Who has no room gets it as soon as there is some.
				everywhere(all, func(m *machine) {
					m.withTenancy(world.FromYAML(t, `{tenants: {ours: {namespaces: ["*"], quota: {cores: 320}, `+allowed+`}}}`))
					tc.grow(m)
				})
				inOneMoment(all, 3)

				if got := coresOf(all); got != 20 && name != "Huge" || got != 320 && name == "Huge" {
					t.Errorf("%s With room for all they have %d cores", tc.reason, got)
				}
			})
		}
	}
}

// TestContainersGrowAtAQuota: containers announce their growth as VMs do.
func TestContainersGrowAtAQuota(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			all := containersTogether(t, in, 3, map[string]string{"pve1": "", "pve2": ""}, func(catalogue map[string]any) {
				world.Object(catalogue["data"])["tenancy"] = world.FromYAML(t, `{tenants: {infra: {namespaces: [infra], allow: [templates], quota: {cores: 9}}}}`)
			})

			inTurns(all)

			cores := func() (out int) {
				for _, m := range all {
					cpu := world.Object(world.List(world.Object(world.Object(m.Observed["container"]["spec"])["forProvider"])["cpu"])[0])
					out += int(cpu["cores"].(float64))
				}

				return out
			}
			before := cores()

			everywhere(all, func(m *machine) { m.edit("{size: {cores: 5}}") })

			for turn := range 8 {
				inOneMoment(all, 1)

				if got := cores(); got > 9 {
					t.Fatalf("turn %d: %d cores for a quota of 9", turn, got)
				}
			}

			if got := cores(); got != before+4 {
				t.Errorf("the containers had %d cores, and have %d, want one to grow to 5", before, got)
			}

			for _, m := range all {
				if mark := world.Annotation(m.Observed["container"], "homelab.io/grows"); mark != "" {
					t.Errorf("a container still announces %s", mark)
				}
			}
		})
	}
}
