package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// committedTogether are servers of one cluster, committed together, without a node in their claims.
func committedTogether(t *testing.T, in world.Installation, n int, edit func(m *world.Machine)) []*machine {
	t.Helper()

	cluster := newCluster(t)

	var out []*machine

	for i := range n {
		e := fake.ExampleNamed(t, "k3s-cluster/server-2")
		e.Claim = world.Object(world.Copy(e.Claim))
		world.Object(e.Claim["metadata"])["name"] = fmt.Sprintf("server-%c", 'a'+i)
		spec := world.Object(e.Claim["spec"])
		spec["network"] = map[string]any{"ip": fmt.Sprintf("192.168.4.%d", 31+i)}
		delete(world.Object(spec["proxmox"]), "node")

		m := e.Machine(in)
		edit(m)

		if i == 0 {
			out = append(out, &machine{Machine: cluster.Add(m), t: t})
		} else {
			out = append(out, out[0].beside(m))
		}
	}

	return out
}

// nodesOf says how many servers are on each node.
func nodesOf(all []*machine) map[string]int {
	out := map[string]int{}

	for _, m := range all {
		for _, vm := range m.Observed {
			if vm["kind"] == world.VMKind {
				out[fmt.Sprint(world.Object(world.Object(vm["spec"])["forProvider"])["nodeName"])]++
			}
		}
	}

	return out
}

// TestServersAreSpread: servers of one cluster never share a node while another fits, also where they are committed together.
func TestServersAreSpread(t *testing.T) {
	cases := map[string]struct {
		reason  string
		servers int
		edit    func(m *world.Machine)
		want    map[string]int
	}{
		"Numbered":   {reason: "With a range of VMIDs, VMs are seen while they are checked.", servers: 3, edit: func(*world.Machine) {}, want: map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}},
		"Unnumbered": {reason: "Without one, snippets are.", servers: 3, edit: func(m *world.Machine) { m.SetSite("home", "vmIds", nil) }, want: map[string]int{"pve1": 1, "pve2": 1, "pve3": 1}},
		"Named": {
			reason: "A cluster without an entry in the catalogue has a name.", servers: 3, want: map[string]int{"pve1": 1, "pve2": 1, "pve3": 1},
			edit: func(m *world.Machine) {
				world.Merge(m.Spec(), map[string]any{"k3s": map[string]any{
					"cluster": nil, "clusterName": "home", "server": "https://k3s.home.arpa:6443", "version": "v1.33.6+k3s1", "token": map[string]any{"file": "/etc/rancher/k3s/token"},
				}})
			},
		},
		"TwoNodes": {
			reason: "What does not fit shares.", servers: 2,
			edit: func(m *world.Machine) {
				m.SetSite("home", "nodes", map[string]any{"pve1": map[string]any{}, "pve2": map[string]any{}})
			},
			want: map[string]int{"pve1": 1, "pve2": 1},
		},
		"OneNode": {
			reason: "A homelab may have one node.", servers: 3,
			edit: func(m *world.Machine) { m.SetSite("home", "nodes", map[string]any{"pve1": map[string]any{}}) },
			want: map[string]int{"pve1": 3},
		},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				all := committedTogether(t, in, tc.servers, tc.edit)
				all[0].Rest()

				if diff := cmp.Diff(tc.want, nodesOf(all)); diff != "" {
					t.Fatalf("%s\nservers by node: -want, +got:\n%s", tc.reason, diff)
				}

				// The choice stays, whoever comes or goes.
				before := all[0].Cluster().Snapshot()
				all[0].Rest()

				if diff := cmp.Diff(before, all[0].Cluster().Snapshot()); diff != "" {
					t.Errorf("%s\nthe choice does not stay: -before, +after:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestServersPinnedTogether: what somebody decides by hand is done, and said.
func TestServersPinnedTogether(t *testing.T) {
	all := committedTogether(t, world.Installations[0], 2, func(m *world.Machine) { m.Spec()["proxmox"] = map[string]any{"node": "pve2"} })
	// The first server is there when the second one comes.
	for all[0].Observed["vm"] == nil || world.Policies(all[0].Observed["vm"]) == "Observe" {
		all[0].Turn()
	}

	rsp := all[1].Turn()

	const want = "server-a of the same K3s cluster is on node pve2, too"
	if msg := world.Message(rsp, "SpecValid"); !strings.Contains(msg, want) {
		t.Errorf("the condition does not warn: %s", msg)
	}

	events := 0
	for _, r := range rsp.GetResults() {
		if r.GetReason() == "SpecWarning" && strings.Contains(r.GetMessage(), want) {
			events++
		}
	}

	if events != 1 {
		t.Errorf("want one event, got %v", rsp.GetResults())
	}

	all[0].Rest()

	if got := nodesOf(all); got["pve2"] != 2 {
		t.Errorf("servers by node: %v", got)
	}
}
