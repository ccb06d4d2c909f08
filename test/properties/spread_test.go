package properties

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// aGroup are two to four machines or containers with one proxmox.spread, at a site of three or four nodes, which are as many as there are members or one
// more. Each has a VMID, without which a machine that waits for nothing is created at once; a machine and a container can have one name.
func aGroup(t *testing.T, d draw) (*world.Proxmox, []*world.Machine) {
	t.Helper()

	cluster := fake.NewCluster(t, compose.Answer)
	cluster.Memory = memory
	site := cluster.NewProxmox()
	// Those of the provider that has containers.
	in := pick(d, world.Installations[0], world.Installations[2])
	nodes := map[string]any{}

	members := 2 + d.IntN(3)

	for _, n := range []string{"pve1", "pve2", "pve3", "pve4"}[:max(3, members)] {
		nodes[n] = map[string]any{"datastores": map[string]any{"snippets": "local"}}
		d.maybe(world.Object(nodes[n]), 50, "memory", fmt.Sprintf("%dGi", 32+d.IntN(64)))
	}

	var out []*world.Machine

	taken := map[string]bool{}

	for i := range members {
		kind, name := pick(d, "Machine", "Container"), pick(d, "a", "b")
		if taken[kind+name] {
			name = fmt.Sprintf("m%d", i)
		}

		taken[kind+name] = true

		spec := map[string]any{
			"size": map[string]any{"cores": 1, "memory": fmt.Sprintf("%dGi", 1+d.IntN(6)), "disk": "10Gi"}, "network": map[string]any{"dhcp": true},
			"proxmox": map[string]any{"vmId": 170 + i, "spread": "dns"}, "image": "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst",
		}
		if kind == "Machine" {
			spec["image"] = pick(d, "debian-13", "local:import/own.qcow2")
		}

		m := cluster.AddOn(site, world.NewMachine(world.NewClaim(kind, "infra", name, spec), in))
		m.Catalogue = map[string]any{
			"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
			"data": map[string]any{"defaults": map[string]any{"site": "home"}, "sites": map[string]any{"home": map[string]any{"nodes": nodes}}},
		}
		out = append(out, m)
	}

	return site, out
}

// TestSpread: in random worlds, whatever is called at the same moment, machines and containers of one group are on nodes of their own in the end, and nothing
// that was made was made in vain.
func TestSpread(t *testing.T) {
	for i := range uint64(60) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			d := newDraw(*seed, i)
			site, all := aGroup(t, d)

			for turn := range 60 {
				answers := map[*world.Machine]*fnv1.RunFunctionResponse{}
				for _, m := range all {
					// In the end, each has its turns.
					if turn > 40 || d.chance(50) {
						answers[m] = m.Call()
					}
				}

				for _, m := range all {
					if rsp := answers[m]; rsp != nil {
						if msg := world.Fatal(rsp); msg != "" {
							t.Fatalf("%s is refused: %s", m.Name(), msg)
						}

						m.Apply(rsp)
					}

					if turn > 40 || d.chance(50) {
						m.Provide()
					}
				}
			}

			on := map[string]int{}

			for _, vm := range site.VMs {
				on[vm.Node()]++
			}

			for _, c := range site.Containers {
				on[fmt.Sprint(c.Config["nodeName"])]++
			}

			if len(on) != len(all) || len(site.VMs)+len(site.Containers) != len(all) {
				t.Fatalf("by node: %v\n%v", on, site.Done)
			}
		})
	}
}
