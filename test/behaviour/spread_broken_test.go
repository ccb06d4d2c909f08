package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// migrated by hand, or by Proxmox: the VM runs on, on another node.
func (m *machine) migrated(to string) { m.Proxmox.VMs[m.number()].Config["nodeName"] = to }

// newsOf a kind in an answer.
func newsOf(results []string, prefix string) (out []string) {
	for _, r := range results {
		if strings.HasPrefix(r, prefix) {
			out = append(out, r)
		}
	}

	return out
}

// TestServersMeet: Proxmox moves a server beside another one. Both say so once, nothing is done, and every sentence about the node follows.
func TestServersMeet(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			all := committedTogether(t, in, 3, func(*world.Machine) {})
			all[0].Rest()
			all[0].Rest()
			all[0].Proxmox.Done = nil

			moved, stays := all[0], all[1]
			from, to := moved.host(), stays.host()
			if from == to {
				t.Fatalf("both began on %s", to)
			}

			for _, m := range all {
				m.says(m.Call(), map[string]string{"SpreadBroken": ""})
			}

			moved.migrated(to)

			var events []string

			for range 4 {
				for _, r := range moved.Turn().GetResults() {
					events = append(events, r.GetReason()+" "+r.GetMessage())
				}
			}

			if got := newsOf(events, "SpreadBroken "); len(got) != 1 {
				t.Errorf("want one event, got %q", got)
			}

			all[0].Rest()

			for _, m := range []*machine{moved, stays} {
				rsp := m.Call()
				m.says(rsp, map[string]string{"SpreadBroken": "OnOneNode", "MachineReady": "Running"})

				if got := world.Status(rsp)["node"]; got != to {
					t.Errorf("status.node is %v, want %s", got, to)
				}

				for _, want := range []string{"on node " + to, "Node " + from + " has fewer", fmt.Sprintf("`qm migrate %d %s --online`", m.number(), from)} {
					if text := world.Message(rsp, "SpreadBroken"); !strings.Contains(text, want) {
						t.Errorf("%q does not say %q", text, want)
					}
				}

				for _, c := range world.Conditions(m.Composite) {
					if text := fmt.Sprint(c["message"]); c["type"] != "SpreadBroken" && strings.Contains(text, "on node "+from) {
						t.Errorf("%v still has node %s: %s", c["type"], from, text)
					}
				}
			}

			all[2].says(all[2].Call(), map[string]string{"SpreadBroken": ""})

			if len(all[0].Proxmox.Done) > 0 {
				t.Errorf("done: %v", all[0].Proxmox.Done)
			}

			moved.migrated(from)
			all[0].Rest()
			all[0].Rest()

			for _, m := range []*machine{moved, stays} {
				m.says(m.Call(), map[string]string{"SpreadBroken": "Apart"})
			}
		})
	}
}

// TestMachinesMeet: machines with one proxmox.spread meet, beside others that have none, and that are elsewhere.
func TestMachinesMeet(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			all := agents(t, in, 3, func(m *world.Machine) {
				inventory(map[string]string{"pve1": "", "pve2": ""})(m)
				m.Spec()["proxmox"] = map[string]any{"spread": "dns"}
			})
			delete(world.Object(all[2].Spec()["proxmox"]), "spread")

			all[0].Rest()
			all[0].Rest()

			from, to := all[0].host(), all[1].host()
			if from == to {
				t.Fatalf("both began on %s", to)
			}

			all[0].migrated(to)
			all[2].migrated(to)
			all[0].Rest()
			all[0].Rest()

			for _, m := range all[:2] {
				m.says(m.Call(), map[string]string{"SpreadBroken": "OnOneNode"})
			}

			if text := world.Message(all[0].Call(), "SpreadBroken"); !strings.Contains(text, "machines of dns (proxmox.spread): infra-machines/server-b.") || strings.Contains(text, "server-c") {
				t.Errorf("the message is %q", text)
			}

			rsp := all[2].Call()
			all[2].says(rsp, map[string]string{"SpreadBroken": ""})

			if _, asks := rsp.GetRequirements().GetResources()["spread"]; asks {
				t.Error("a machine without spread asks for others")
			}

			// The other node leaves the site: there is nothing to do any more.
			for _, m := range all {
				m.SetSite("home", "nodes", map[string]any{to: map[string]any{}})
			}

			all[0].Rest()
			all[0].says(all[0].Call(), map[string]string{"SpreadBroken": "TooFewNodes"})
		})
	}
}

// TestServersOfAClusterMeet: a K3sCluster says which of its servers are on one Proxmox node, once, and follows a migration.
func TestServersOfAClusterMeet(t *testing.T) {
	s := &scene{ClusterWorld: world.NewClusterWorld(newCluster(t), "Object", "{agents: null}"), t: t}
	s.comesTo("Complete")

	id, vm := s.VM("server-0")
	_, other := s.VM("server-1")
	from, to := vm.Node(), other.Node()

	if from == to || strings.Contains(told(s.Last), "SpreadBroken") {
		t.Fatalf("the servers began on %s and %s: %s", from, to, told(s.Last))
	}

	s.Proxmox.Done = nil
	vm.Config["nodeName"] = to
	s.comesTo("Complete", "Servers server-0, server-1 are on Proxmox node "+to, "Move one from "+to+" to "+from)

	if reason := s.condition("server-0", "SpreadBroken"); reason != "OnOneNode" {
		t.Errorf("server-0 says %q", reason)
	}

	for _, n := range world.Status(s.Last)["nodes"].([]any) {
		if is := world.Object(n); is["name"] == "server-0" && is["proxmoxNode"] != to {
			t.Errorf("status.nodes has server-0 on %v", is["proxmoxNode"])
		}
	}

	if len(s.Proxmox.Done) > 0 {
		t.Errorf("VM %d: done: %v", id, s.Proxmox.Done)
	}

	vm.Config["nodeName"] = from
	s.comesTo("Complete", "No two servers are on one Proxmox node")
}
