package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// containersTogether are containers of one moment that name no node, at a site with an inventory.
func containersTogether(t *testing.T, in world.Installation, n int, memory map[string]string, edit func(catalogue map[string]any)) []*machine {
	t.Helper()

	first := exampleIn(t, "nixos/dns01", in)

	var all []*machine

	for i := range n {
		claim := world.NewClaim("Container", "infra", fmt.Sprintf("ct%d", i), world.FromYAML(t, fmt.Sprintf(
			`{image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", size: {cores: 1, memory: 2Gi, disk: 8Gi}, network: {dhcp: true}, proxmox: {site: home, vmId: %d}}`, 170+i)))
		ct := &machine{Machine: first.Cluster().AddOn(first.Proxmox, world.NewMachine(claim, in)), t: t}
		ct.Catalogue = world.Object(world.Copy(first.Catalogue))
		inventory(memory)(ct.Machine)

		if edit != nil {
			edit(ct.Catalogue)
		}

		all = append(all, ct)
	}

	return all
}

// placed says on which node each container is in Proxmox; empty where there is none.
func placed(all []*machine) map[string]int {
	out := map[string]int{}

	for i := range all {
		if c := all[0].Proxmox.Containers[170+i]; c != nil {
			out[fmt.Sprint(c.Config["nodeName"])]++
		}
	}

	return out
}

// inTurns lets Crossplane take up containers of one moment call by call, and returns the last answers.
func inTurns(all []*machine) []*fnv1.RunFunctionResponse {
	last := make([]*fnv1.RunFunctionResponse, len(all))

	for range 16 {
		for i, m := range all {
			last[i] = m.Call()
			m.applyUnlessFatal(last[i])
		}

		for _, m := range all {
			m.Provide()
		}
	}

	return last
}

// TestContainersArePlaced: containers of one moment that name no node are created where there is room for all of them, stay there, and say why.
func TestContainersArePlaced(t *testing.T) {
	cases := map[string]struct {
		reason string
		memory map[string]string
		n      int
		want   map[string]int
	}{
		"Apart":  {reason: "Each node has room for one.", memory: map[string]string{"pve1": "5Gi", "pve2": "5Gi"}, n: 2, want: map[string]int{"pve1": 1, "pve2": 1}},
		"Beside": {reason: "One node has room for both.", memory: map[string]string{"pve1": "5Gi", "pve2": "32Gi"}, n: 2, want: map[string]int{"pve2": 2}},
		"Full":   {reason: "Nobody's memory is given away twice.", memory: map[string]string{"pve1": "5Gi", "pve2": "5Gi"}, n: 3, want: map[string]int{"pve1": 1, "pve2": 1}},
	}

	for name, tc := range cases {
		for _, in := range withContainers() {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := containersTogether(t, in, tc.n, tc.memory, nil)
				last := inTurns(all)

				if diff := cmp.Diff(tc.want, placed(all)); diff != "" {
					t.Errorf("%s\ncontainers by node: -want, +got:\n%s", tc.reason, diff)
				}

				refused := 0

				for i, m := range all {
					if m.Proxmox.Containers[170+i] == nil {
						refused++
						continue
					}

					status := world.Object(m.Composite["status"])
					where := world.Object(status["placement"])

					if where["node"] != status["node"] || !strings.Contains(fmt.Sprint(where["reason"]), "left with this container") {
						t.Errorf("%s\nstatus.placement: %v on node %v", tc.reason, where, status["node"])
					}

					m.says(last[i], map[string]string{"MachineReady": "Running"})
				}

				if want := tc.n - len(placed(all)); name == "Full" && refused != want {
					t.Errorf("%s\nwant %d refused, got %d", tc.reason, want, refused)
				}

				// The catalogue says that the nodes have no room any more, and nothing moves.
				for _, m := range all {
					inventory(map[string]string{"pve1": "3Gi", "pve2": "3Gi", "pve3": "64Gi"})(m.Machine)
				}

				before := placed(all)

				for i, m := range all {
					if m.Proxmox.Containers[170+i] != nil {
						m.says(m.Call(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})
					}
				}

				if diff := cmp.Diff(before, placed(all)); diff != "" {
					t.Errorf("%s\nafterwards: -want, +got:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestContainersOfOneMomentKeepAQuota: of containers that are committed together, the first ones get what is left of a quota, and no more.
func TestContainersOfOneMomentKeepAQuota(t *testing.T) {
	for name, quota := range map[string]map[string]any{"Machines": {"machines": 2.0}, "Memory": {"memory": "5Gi"}, "Cores": {"cores": 2.0}, "Disk": {"disk": "17Gi"}} {
		for _, in := range withContainers() {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := containersTogether(t, in, 3, map[string]string{"pve1": "", "pve2": ""}, func(catalogue map[string]any) {
					world.Object(catalogue["data"])["tenancy"] = map[string]any{"tenants": map[string]any{"infra": map[string]any{"namespaces": []any{"infra"}, "allow": []any{"templates"}, "quota": quota}}}
				})
				inTurns(all)

				got := 0
				for _, n := range placed(all) {
					got += n
				}

				if got != 2 {
					t.Errorf("want two of three containers with quota %v, got %d: %v", quota, got, all[0].Proxmox.Done)
				}
			})
		}
	}
}

// TestAContainerAvoidsANode: the function chooses another node, and where the claim leaves none, it says so and creates nothing. What is there stays.
func TestAContainerAvoidsANode(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			both := map[string]string{"pve1": "64Gi", "pve2": "16Gi"}
			m := containersTogether(t, in, 1, both, nil)[0]
			world.Merge(m.Spec(), world.FromYAML(t, "{proxmox: {avoid: [pve1]}}"))

			all := []*machine{m}
			last := inTurns(all)
			m.says(last[0], map[string]string{"MachineReady": "Running"})

			if got := placed(all); got["pve2"] != 1 {
				t.Fatalf("want it on pve2, got %v", got)
			}

			world.Merge(m.Spec(), world.FromYAML(t, "{proxmox: {avoid: [pve2]}}"))
			m.says(inTurns(all)[0], map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			none := containersTogether(t, in, 1, both, nil)
			world.Merge(none[0].Spec(), world.FromYAML(t, "{proxmox: {avoid: [pve1, pve2]}}"))

			if msg := world.Fatal(inTurns(none)[0]) + world.Message(inTurns(none)[0], "SpecValid"); !strings.Contains(msg, "lists all nodes of site 'home'") || len(placed(none)) > 0 {
				t.Errorf("want a fault of the claim, got %q, %v", msg, placed(none))
			}
		})
	}
}
