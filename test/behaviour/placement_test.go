package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// The sizes of the machines here: 4 GiB each.
const roomForTwo = "10Gi" // With the default reserve of 2 GiB.

// inventory gives the site's nodes their memory; a node without one has none.
func inventory(memory map[string]string) func(m *world.Machine) {
	return func(m *world.Machine) {
		nodes := map[string]any{}

		for _, n := range []string{"pve1", "pve2", "pve3"} {
			node := map[string]any{"bridges": []any{"vmbr0"}, "datastores": map[string]any{"disks": "local-zfs", "images": "local", "snippets": "local"}}
			if memory[n] != "" {
				node["memory"] = memory[n]
			}

			if _, there := memory[n]; there {
				nodes[n] = node
			}
		}

		m.SetSite("home", "nodes", nodes)
	}
}

// agents of one cluster, committed together without a node in their claims.
func agents(t *testing.T, in world.Installation, n int, edit func(m *world.Machine)) []*machine {
	t.Helper()

	return committedTogether(t, in, n, func(m *world.Machine) {
		m.Spec()["class"] = "server"
		k3s := world.Object(m.Spec()["k3s"])
		k3s["role"] = "agent"
		edit(m)
	})
}

// createdOn says how many VMs are on each node, without those whose VMID is checked.
func createdOn(all []*machine) map[string]int {
	out := map[string]int{}

	for _, m := range all {
		for _, vm := range m.Observed {
			if vm["kind"] == world.VMKind && world.Policies(vm) != "Observe" {
				out[fmt.Sprint(world.Object(world.Object(vm["spec"])["forProvider"])["nodeName"])]++
			}
		}
	}

	return out
}

// turns of machines of which some are refused, until those that are not have their VMs. It returns the last answers.
func turns(all []*machine) []*fnv1.RunFunctionResponse {
	last := make([]*fnv1.RunFunctionResponse, len(all))

	for range 12 {
		for i, m := range all {
			last[i] = m.Call()
			m.Apply(last[i])
			m.Provide()
		}
	}

	return last
}

// placementOf a machine, as its status tells it.
func placementOf(m *machine) map[string]any {
	return world.Object(world.Object(m.Composite["status"])["placement"])
}

// TestMachinesGoWhereMemoryIs: the nodes fill up evenly, also where claims are committed together, and no node gets more than it has.
func TestMachinesGoWhereMemoryIs(t *testing.T) {
	cases := map[string]struct {
		reason string
		n      int
		memory map[string]string
		edit   func(m *world.Machine)
		want   map[string]int
	}{
		"Numbered": {
			reason: "With a range of VMIDs, VMs are seen while they are checked.", n: 4,
			memory: map[string]string{"pve1": roomForTwo, "pve2": roomForTwo}, edit: func(*world.Machine) {}, want: map[string]int{"pve1": 2, "pve2": 2},
		},
		"Unnumbered": {
			reason: "Without one, snippets and images are.", n: 4,
			memory: map[string]string{"pve1": roomForTwo, "pve2": roomForTwo},
			edit:   func(m *world.Machine) { m.SetSite("home", "vmIds", nil) }, want: map[string]int{"pve1": 2, "pve2": 2},
		},
		"Images": {
			reason: "A machine without snippets waits for its image only.", n: 4,
			memory: map[string]string{"pve1": roomForTwo, "pve2": roomForTwo},
			edit: func(m *world.Machine) {
				m.SetSite("home", "vmIds", nil)
				m.Spec()["bootstrap"] = map[string]any{"snippets": map[string]any{"userData": "local:snippets/k3s.yaml", "metaData": "local:snippets/meta.yaml"}}
				m.Spec()["k3s"] = map[string]any{"role": "agent", "cluster": "home"}
			},
			want: map[string]int{"pve1": 2, "pve2": 2},
		},
		"LargestFirst": {
			reason: "Most memory left counts, and not the number of machines.", n: 4,
			memory: map[string]string{"pve1": roomForTwo, "pve2": "34Gi"}, edit: func(*world.Machine) {}, want: map[string]int{"pve2": 4},
		},
		"UnknownLast": {
			reason: "A node whose memory nobody knows gets what has no other place.", n: 3,
			memory: map[string]string{"pve1": roomForTwo, "pve3": ""}, edit: func(*world.Machine) {}, want: map[string]int{"pve1": 2, "pve3": 1},
		},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := agents(t, in, tc.n, func(m *world.Machine) {
					inventory(tc.memory)(m)
					tc.edit(m)
				})
				all[0].Cluster().Rest()

				if diff := cmp.Diff(tc.want, nodesOf(all)); diff != "" {
					t.Fatalf("%s\nmachines by node: -want, +got:\n%s", tc.reason, diff)
				}

				for _, m := range all {
					if p := placementOf(m); p["node"] != world.Object(m.Composite["status"])["node"] || !strings.HasPrefix(fmt.Sprint(p["reason"]), fmt.Sprint(p["node"])+" ") {
						t.Errorf("the status does not tell the choice: %v", m.Composite["status"])
					}

					for _, o := range m.Observed {
						if world.Object(world.Object(o["metadata"])["labels"])["homelab.io/awaits-vm"] != nil {
							t.Errorf("a file still tells that it waits for the VM: %v", o["metadata"])
						}
					}
				}

				// The choice stays, whatever becomes of the inventory.
				before := all[0].Cluster().Snapshot()

				for _, m := range all {
					inventory(map[string]string{"pve1": "3Gi", "pve2": "3Gi", "pve3": "128Gi"})(m.Machine)
				}

				all[0].Cluster().Rest()

				if diff := cmp.Diff(before, all[0].Cluster().Snapshot()); diff != "" {
					t.Errorf("%s\nthe choice does not stay: -before, +after:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestLastPlace: of machines for which there is no room together, those that came first get it, and the others wait until there is some.
func TestLastPlace(t *testing.T) {
	for _, in := range world.Installations {
		for name, edit := range map[string]func(m *world.Machine){
			"Numbered":   func(*world.Machine) {},
			"Unnumbered": func(m *world.Machine) { m.SetSite("home", "vmIds", nil) },
		} {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := agents(t, in, 4, func(m *world.Machine) {
					inventory(map[string]string{"pve1": "6Gi", "pve2": roomForTwo})(m)
					edit(m)
				})

				// All of them choose before anything of another one is seen.
				answers := make([]*fnv1.RunFunctionResponse, 0, len(all))
				for _, m := range all {
					answers = append(answers, m.Call())
				}

				for i, m := range all {
					m.Apply(answers[i])
				}

				last := turns(all)

				if diff := cmp.Diff(map[string]int{"pve1": 1, "pve2": 2}, createdOn(all)); diff != "" {
					t.Fatalf("machines by node: -want, +got:\n%s", diff)
				}

				const want = "the machine needs 4 GiB of memory (class server, EnvironmentConfig machine-catalog: data.classes.server), and no node of site 'home' has room for it: pve1 has 0 GiB left of 4 GiB, pve2 has 0 GiB left of 8 GiB"

				waits := 0

				for _, rsp := range last {
					if world.Reason(rsp, "SpecValid") == "InsufficientCapacity" {
						waits++

						if msg := world.Message(rsp, "SpecValid"); !strings.Contains(msg, want) || !strings.Contains(world.Fatal(rsp), want) {
							t.Errorf("the condition does not tell what is missing: %s", msg)
						}
					}
				}

				if waits != 1 {
					t.Fatalf("%d machines wait", waits)
				}

				// Room appears.
				for _, m := range all {
					inventory(map[string]string{"pve1": roomForTwo, "pve2": roomForTwo})(m.Machine)
				}

				all[0].Cluster().Rest()

				if diff := cmp.Diff(map[string]int{"pve1": 2, "pve2": 2}, nodesOf(all)); diff != "" {
					t.Errorf("machines by node: -want, +got:\n%s", diff)
				}
			})
		}
	}
}

// TestGroupIsSpread: machines with the same proxmox.spread do not share a node while another one is free, with an inventory and without.
func TestGroupIsSpread(t *testing.T) {
	for _, in := range world.Installations {
		for name, edit := range map[string]func(m *world.Machine){
			"WithoutInventory": inventory(map[string]string{"pve1": "", "pve2": "", "pve3": ""}),
			"WithoutInventoryUnnumbered": func(m *world.Machine) {
				inventory(map[string]string{"pve1": "", "pve2": "", "pve3": ""})(m)
				m.SetSite("home", "vmIds", nil)
			},
			"WithInventory": inventory(map[string]string{"pve1": "128Gi", "pve2": roomForTwo, "pve3": roomForTwo}),
		} {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := agents(t, in, 3, func(m *world.Machine) {
					edit(m)
					m.Spec()["proxmox"] = map[string]any{"spread": "edge"}
				})
				all[0].Cluster().Rest()

				if diff := cmp.Diff(map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}, nodesOf(all)); diff != "" {
					t.Errorf("machines by node: -want, +got:\n%s", diff)
				}
			})
		}
	}
}

// TestAvoidedNode: a node in proxmox.avoid gets no new VM, and an existing VM stays on it.
func TestAvoidedNode(t *testing.T) {
	all := agents(t, world.Installations[0], 2, func(m *world.Machine) {
		inventory(map[string]string{"pve1": "128Gi", "pve2": roomForTwo})(m)
		m.Spec()["proxmox"] = map[string]any{"avoid": []any{"pve1"}}
	})
	all[0].Cluster().Rest()

	if diff := cmp.Diff(map[string]int{"pve2": 2}, nodesOf(all)); diff != "" {
		t.Fatalf("machines by node: -want, +got:\n%s", diff)
	}

	all[0].Spec()["proxmox"] = map[string]any{"avoid": []any{"pve2"}}
	rsp := all[0].Settle()

	if diff := cmp.Diff(map[string]int{"pve2": 2}, nodesOf(all)); diff != "" || world.Reason(rsp, "SpecValid") != "Valid" {
		t.Errorf("the VM does not stay, or its claim is refused: %s\n%s", world.Message(rsp, "SpecValid"), diff)
	}
}

// TestReplacementOnFullNode: a VM that is stopped for its replacement makes room for it on its own node.
func TestReplacementOnFullNode(t *testing.T) {
	all := agents(t, world.Installations[0], 2, inventory(map[string]string{"pve1": roomForTwo}))
	all[0].Cluster().Rest()

	all[0].Spec()["lifecycle"] = map[string]any{"replace": "one"}
	all[0].Cluster().Rest()

	vms := 0

	for name, o := range all[0].Observed {
		if o["kind"] == world.VMKind {
			vms++

			if name == "vm" {
				t.Error("the VM was not replaced")
			}
		}
	}

	if diff := cmp.Diff(map[string]int{"pve1": 2}, nodesOf(all)); diff != "" || vms != 1 {
		t.Errorf("%d VMs; machines by node: -want, +got:\n%s", vms, diff)
	}
}

// TestReplacementWithoutRoom: the VM that is to be replaced runs on where its replacement has no room, and the claim says why.
func TestReplacementWithoutRoom(t *testing.T) {
	m := agents(t, world.Installations[0], 1, inventory(map[string]string{"pve1": roomForTwo}))[0]
	m.Rest()

	m.Spec()["size"] = map[string]any{"memory": "9Gi"}
	m.Spec()["lifecycle"] = map[string]any{"replace": "one"}
	rsp := m.Rest()

	const want = "the machine needs 9 GiB of memory, and no node of site 'home' has room for it: pve1 has 8 GiB left of 8 GiB"
	if msg := world.Message(rsp, "ReplacementRequired"); !strings.Contains(msg, want) || world.Reason(rsp, "ReplacementRequired") != "ReplacementBlocked" {
		t.Errorf("want a replacement that is blocked, as %q, got %s", want, msg)
	}

	// The VM follows the edit at its next power cycle.
	if m.happened("stop") >= 0 || len(m.Proxmox.VMs) != 1 {
		t.Errorf("the VM does not run on: %v", m.Proxmox.Done)
	}
}

// TestReplacementLosesItsRoom: a VM that was stopped for its replacement is replaced, also where the room for it is lost in that moment.
func TestReplacementLosesItsRoom(t *testing.T) {
	m := agents(t, world.Installations[0], 1, inventory(map[string]string{"pve1": roomForTwo}))[0]
	m.Rest()
	m.Spec()["lifecycle"] = map[string]any{"replace": "one"}

	for range 20 {
		if world.Annotation(m.Observed["vm"], "homelab.io/stopped-for") != "" {
			break
		}

		m.Turn()
	}

	if world.Annotation(m.Observed["vm"], "homelab.io/stopped-for") == "" {
		t.Fatal("the VM is not stopped for its replacement")
	}

	inventory(map[string]string{"pve1": "3Gi"})(m.Machine)

	const want = "but the VM that is replaced was stopped for the new one already: it is created on pve1"
	if msg := world.Message(m.Turn(), "SpecValid"); !strings.Contains(msg, want) {
		t.Errorf("want a warning, as %q, got %s", want, msg)
	}

	m.Rest()

	if m.Observed["vm"] != nil || len(m.Proxmox.VMs) == 0 || createdOn([]*machine{m})["pve1"] != 1 {
		t.Errorf("the VM was not replaced: %v", m.Proxmox.Done)
	}
}
