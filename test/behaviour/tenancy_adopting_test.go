package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// handMadeContainer is one that somebody made, of 4 cores, 2 GiB and 72 GiB of disks.
const handMadeContainer = `
nodeName: pve
started: true
unprivileged: true
cpu: [{cores: 4}]
memory: [{dedicated: 2048, swap: 512}]
disk: [{datastoreId: local-zfs, size: 8}]
mountPoint: [{path: /srv, volume: local-zfs, size: 64G}]
operatingSystem: [{type: debian}]
initialization: [{hostname: frigate}]
tags: []
`

// adopters are claims of a kind, of one tenant with a quota, each with a guest of its own to adopt.
func adopters(t *testing.T, in world.Installation, kind, quota string, names ...string) (out []*machine) {
	t.Helper()

	base := fake.ExampleNamed(t, "nixos/dns01").Machine(in)

	for i, name := range names {
		id := 201 + i
		spec := world.FromYAML(t, `{adopt: {vmId: `+string([]byte{'2', '0', byte('1' + i)})+`}, proxmox: {site: home, node: pve}}`)
		m := world.NewMachine(world.NewClaim(kind, "team-b", name, spec), in)
		m.Catalogue = world.Object(world.Copy(base.Catalogue))

		if i == 0 {
			out = append(out, alone(t, m))
		} else {
			out = append(out, out[0].beside(m))
		}

		last := out[i]
		last.Catalogue = m.Catalogue
		last.withTenancy(world.FromYAML(t, `{tenants: {ours: {namespaces: [team-b], quota: `+quota+`, allow: [adopt, pin]}}}`))

		if kind == "Container" {
			last.Proxmox.Containers[id] = &world.Container{Config: world.FromYAML(t, handMadeContainer)}
		} else {
			last.Proxmox.ByHand(id, fake.HandMade(t, `{name: by-hand-`+name+`}`))
		}
	}

	return out
}

// TestAdoptionsCount: a claim that says no size adopts what is there, and that is what counts: before the adoption, beside others that adopt in the same moment, and
// afterwards.
func TestAdoptionsCount(t *testing.T) {
	t.Parallel()

	cases := map[string]struct{ reason, kind, quota, says string }{
		"Cores":           {"The VM has 3.", "Machine", "{cores: 2}", "this one alone has 3 cores, and all may have 2 cores"},
		"Memory":          {"The VM has 6 GiB.", "Machine", "{memory: 5Gi}", "this one alone has 6144Mi, and all may have 5120Mi"},
		"Disk":            {"Both disks of the VM count.", "Machine", "{disk: 100Gi}", "this one alone has 564Gi, and all may have 100Gi"},
		"ContainerCores":  {"The container has 4.", "Container", "{cores: 2}", "this one alone has 4 cores, and all may have 2 cores"},
		"ContainerMemory": {"The container has 2 GiB.", "Container", "{memory: 1Gi}", "this one alone has 2048Mi, and all may have 1024Mi"},
		"ContainerDisk":   {"Root file system and mount point count.", "Container", "{disk: 70Gi}", "this one alone has 72Gi, and all may have 70Gi"},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			if tc.kind == "Container" && in.Name == "legacy" {
				continue // Its provider is too old for containers.
			}

			t.Run(name+in.Name, func(t *testing.T) {
				t.Parallel()

				m := adopters(t, in, tc.kind, tc.quota, "nas")[0]

				for range 4 {
					m.try()
				}

				m.refused(m.Call(), tc.says)

				for range 6 {
					m.try()
				}

				m.refused(m.Call(), "spec.adopt.vmId")
				m.did()
			})
		}
	}
}

// TestAdoptionsOfOneMoment: of two that are approved in one moment, the tenant's quota has room for one.
func TestAdoptionsOfOneMoment(t *testing.T) {
	t.Parallel()

	for kind, quota := range map[string]string{"Machine": "{cores: 5}", "Container": "{cores: 7}"} {
		for _, in := range world.Installations {
			if kind == "Container" && in.Name == "legacy" {
				continue
			}

			t.Run(kind+in.Name, func(t *testing.T) {
				t.Parallel()

				plans := map[string]string{}

				// What each plan is called, is known before: the claims are written again, with the approval.
				for _, name := range []string{"a", "b"} {
					all := adopters(t, in, kind, "{cores: 100}", "a", "b")
					m := all[name[0]-'a']
					plans[name], _ = adoptionOf(m.Rest())["plan"].(string)
				}

				all := adopters(t, in, kind, quota, "a", "b")
				for i, name := range []string{"a", "b"} {
					world.Object(all[i].Spec()["adopt"])["approve"] = plans[name]
				}

				for range 8 {
					ra, rb := all[0].Call(), all[1].Call()
					all[1].applyUnlessFatal(rb)
					all[0].applyUnlessFatal(ra)
					all[0].Provide()
					all[1].Provide()
				}

				var adopted, refused int

				for _, m := range all {
					switch text := told(m.Call()); {
					case strings.Contains(text, "has no room for this"):
						refused++
					case strings.Contains(text, "MachineReady") || len(m.Observed) > 0:
						for _, o := range m.Observed {
							if world.Annotation(o, proxmox.AdoptedAnnotation) == "true" {
								adopted++
							}
						}
					}
				}

				if adopted != 1 || refused != 1 {
					t.Errorf("want one adopted and one refused, got %d and %d: %v", adopted, refused, all[0].Proxmox.Done)

					for _, m := range all {
						t.Log(told(m.Call()))
					}
				}
			})
		}
	}
}
