package cluster

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// alone are K3sNodes without a cluster's claim, by name: servers that have joined, and agents.
func alone(servers, agents int) map[string]Child {
	out := map[string]Child{}

	for i := range servers + agents {
		role, name := v1alpha1.K3sServer, fmt.Sprintf("node-%d", i)
		if i >= servers {
			role = v1alpha1.K3sAgent
		}

		out[name] = Child{
			Machine: name, Role: role, VMID: new(int64(4100 + i)), ProxmoxNode: "pve1", Answered: true, Joined: true, Ready: true, Adopted: true,
			Spec: map[string]any{
				"class": "small", "image": "debian-12", "network": map[string]any{"ip": fmt.Sprintf("192.168.4.%d/24", 11+i), "gateway": "192.168.4.1"},
				"proxmox": map[string]any{"node": "pve1", "vmId": float64(4100 + i)},
				"k3s":     map[string]any{"cluster": "home", "role": string(role), "init": i == 0, "version": "v1.33.6+k3s1"},
			},
		}
	}

	return out
}

// adopters is a claim whose nodes are such K3sNodes.
func adopters(servers, agents int) v1alpha1.K3sClusterSpec {
	spec := claimed(int64(servers), int64(agents))

	for i := range servers {
		spec.Nodes = append(spec.Nodes, v1alpha1.ClusterNode{Name: fmt.Sprintf("server-%d", i), Adopt: fmt.Sprintf("node-%d", i)})
	}

	for i := range agents {
		spec.Nodes = append(spec.Nodes, v1alpha1.ClusterNode{Name: fmt.Sprintf("worker-%d", i), Adopt: fmt.Sprintf("node-%d", servers+i)})
	}

	return spec
}

// adoptions of K3sNodes, as a call finds them: those that are not there are refused.
func adoptions(w World, nodes map[string]Child) map[string]Adoption {
	out := map[string]Adoption{}

	for _, m := range w.Members {
		if _, exists := w.Children[m.Node]; exists || m.Adopts == "" {
			continue
		}

		out[m.Node] = Adoption{Refused: "there is none"}
		if c, ok := nodes[m.Adopts]; ok {
			out[m.Node] = Adoption{Child: c}
		}
	}

	return out
}

func TestAdopt(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*v1alpha1.K3sClusterSpec, map[string]Child)
		want   []string
		state  v1alpha1.RolloutState
		says   string
	}{
		"All": {
			reason: "All are adopted at once, since nothing changes on any.",
			want:   []string{"server-0 Adopt", "server-1 Adopt", "server-2 Adopt", "worker-0 Adopt"},
			state:  v1alpha1.RolloutProgressing, says: "server-0 adopts K3sNode node-0: nothing changes on its VM 4100; 0 of 4 nodes are done.",
		},
		"Paused": {
			reason: "A pause holds what changes a node.",
			edit:   func(s *v1alpha1.K3sClusterSpec, _ map[string]Child) { s.Rollout.Pause = true },
			want:   []string{"server-0 Adopt", "server-1 Adopt", "server-2 Adopt", "worker-0 Adopt"},
			state:  v1alpha1.RolloutProgressing, says: "server-0 adopts K3sNode node-0",
		},
		"Missing": {
			reason: "Nothing is created in its place, and no other is adopted.",
			edit:   func(_ *v1alpha1.K3sClusterSpec, nodes map[string]Child) { delete(nodes, "node-1") },
			state:  v1alpha1.RolloutBlocked, says: "server-1 does not adopt K3sNode node-1: there is none.",
		},
		"FirstMissing": {
			reason: "A first server that is not there is not created: it would start another cluster.",
			edit:   func(_ *v1alpha1.K3sClusterSpec, nodes map[string]Child) { delete(nodes, "node-0") },
			state:  v1alpha1.RolloutBlocked, says: "server-0 does not adopt K3sNode node-0: there is none.",
		},
		"FirstIsNew": {
			reason: "A first server that adopts nothing would start another cluster.",
			edit: func(s *v1alpha1.K3sClusterSpec, _ map[string]Child) {
				s.Nodes = slices.DeleteFunc(s.Nodes, func(n v1alpha1.ClusterNode) bool { return n.Name == "server-0" })
			},
			state: v1alpha1.RolloutBlocked, says: "server-0 would start another cluster beside that of the nodes which are adopted: it has to adopt a server, too.",
		},
		"AgentAlone": {
			reason: "An agent has a cluster already.",
			edit:   func(s *v1alpha1.K3sClusterSpec, _ map[string]Child) { s.Nodes = s.Nodes[3:] },
			state:  v1alpha1.RolloutBlocked, says: "server-0 would start another cluster",
		},
		"LaterServer": {
			reason: "A server beside those that are adopted is created when they are nodes, and joins.",
			edit:   func(s *v1alpha1.K3sClusterSpec, _ map[string]Child) { s.Nodes = slices.Delete(s.Nodes, 2, 3) },
			want:   []string{"server-0 Adopt", "server-1 Adopt", "worker-0 Adopt"},
			state:  v1alpha1.RolloutProgressing, says: "server-0 adopts K3sNode node-0",
		},
		"NameOfAnother": {
			reason: "A node that is created would be the K3sNode that another one has adopted.",
			edit: func(s *v1alpha1.K3sClusterSpec, nodes map[string]Child) {
				s.Nodes[0].Adopt, nodes["home-server-3"] = "home-server-3", nodes["node-0"]
				s.Servers.Count = new(int64(5))
			},
			state: v1alpha1.RolloutBlocked, says: "server-0 does not adopt K3sNode home-server-3: that is the name of node server-3, which would not be created.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec, nodes := adopters(3, 1), alone(3, 1)
			if tc.edit != nil {
				tc.edit(&spec, nodes)
			}

			s := newStory(t, spec)
			w := s.world()
			w.Adoptions = adoptions(w, nodes)
			p := Decide(w)

			var acts []string

			for _, step := range p.Steps {
				if step.Action == ActionWait {
					continue
				}

				acts = append(acts, step.Node+" "+string(step.Action))

				if diff := cmp.Diff(w.Adoptions[step.Node].Spec, step.Spec); diff != "" {
					t.Errorf("%s\nthe spec of %s changes: -before, +after:\n%s", tc.reason, step.Node, diff)
				}
			}

			if diff := cmp.Diff(tc.want, acts); diff != "" {
				t.Errorf("%s\nsteps: -want, +got:\n%s", tc.reason, diff)
			}

			if p.State != tc.state || !strings.Contains(p.Message, tc.says) {
				t.Errorf("%s\nthe rollout is %s: %s; want %s: %s", tc.reason, p.State, p.Message, tc.state, tc.says)
			}

			if p.Disturbs() {
				t.Errorf("%s\nthe plan disturbs a node", tc.reason)
			}
		})
	}
}

// adopted is a story that begins with K3sNodes, which the claim has adopted.
func adopted(t *testing.T, spec v1alpha1.K3sClusterSpec, nodes map[string]Child) *story {
	t.Helper()

	s := newStory(t, spec)
	s.site.vms = 5000
	w := s.world()
	w.Adoptions = adoptions(w, nodes)

	for _, step := range Decide(w).Steps {
		if step.Action != ActionAdopt {
			continue
		}

		c := nodes[step.Machine]
		s.site.nodes[step.Node] = &node{child: c, applied: c.Spec, made: fixed(c.Spec), used: map[string]bool{}}
	}

	s.site.apply(Decide(w))

	return s
}

// TestAfterAdoption: in the first turn of each node its VM takes up what it can, and none is replaced. Later turns are as those of any node.
func TestAfterAdoption(t *testing.T) {
	s := adopted(t, adopters(3, 1), alone(3, 1))

	if p := s.call(); p.Turn == nil || p.Turn.Action != ActionKeep && p.Turn.Action != ActionChange {
		t.Errorf("the first turn is %+v", p.Turn)
	}

	s.spec.Rollout.RebootPolicy = v1alpha1.RebootOnRequest
	s.complete(60)
	s.logged("server-0 Change", "server-1 Change", "server-2 Change", "worker-0 Change")

	for name, n := range s.site.nodes {
		if n.replaced > 0 || n.reboots > 0 {
			t.Errorf("%s was replaced %d times and restarted %d times", name, n.replaced, n.reboots)
		}
	}

	for i, name := range []string{"server-0", "server-1", "server-2", "worker-0"} {
		spec := s.site.nodes[name].child.Spec
		if spec["class"] == "small" {
			t.Errorf("%s has no change of its class", name)
		}

		if diff := cmp.Diff(alone(3, 1)[fmt.Sprintf("node-%d", i)].Spec["proxmox"], spec["proxmox"]); diff != "" {
			t.Errorf("%s moves: -before, +after:\n%s", name, diff)
		}

		if ip := group(spec, "network")["ip"]; ip != fmt.Sprintf("192.168.4.%d/24", 11+i) {
			t.Errorf("%s has address %v", name, ip)
		}
	}

	if k := group(s.site.nodes["server-0"].child.Spec, "k3s"); k["init"] != true {
		t.Errorf("the first server has lost how it was created: %v", k)
	}

	// The lines stay in the claim, or go: that changes nothing.
	s.spec.Nodes = nil
	s.settle(5)
	s.logged()

	s.spec.Servers.Image = "debian-14"
	s.complete(100)
	s.logged("server-0 Change", "server-0 Replace", "server-1 Change", "server-1 Replace", "server-2 Change", "server-2 Replace")
}

// TestAdoptedAndGone: a K3sNode that was adopted and deleted is not created again while the claim says that it is adopted.
func TestAdoptedAndGone(t *testing.T) {
	s := adopted(t, adopters(3, 0), alone(3, 0))
	s.complete(60)
	delete(s.site.nodes, "server-0")

	w := s.world()
	w.Adoptions = adoptions(w, nil)

	p := Decide(w)
	if p.State != v1alpha1.RolloutBlocked || !strings.Contains(p.Message, "server-0 does not adopt K3sNode node-0: there is none") {
		t.Errorf("the rollout is %s: %s", p.State, p.Message)
	}
}

// TestAdoptsAnother: a node stays the K3sNode that it is.
func TestAdoptsAnother(t *testing.T) {
	cases := map[string]struct{ adopt, says string }{
		"Another": {"node-7", "server-1 is K3sNode node-1, and becomes no other one"},
		"Sibling": {"node-2", "server-1 is K3sNode node-1, and becomes no other one"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := adopted(t, adopters(3, 0), alone(3, 0))
			s.complete(60)

			s.spec.Nodes[1].Adopt, s.spec.Servers.Class = tc.adopt, "large"
			s.log = nil

			if p := s.settle(3); p.State != v1alpha1.RolloutBlocked || !strings.Contains(p.Message, tc.says) {
				t.Errorf("the rollout is %s: %s; want %q", p.State, p.Message, tc.says)
			}

			s.logged()
		})
	}
}

// TestNameOfANode: a node is not created under the name of another one.
func TestNameOfANode(t *testing.T) {
	spec, nodes := adopters(3, 0), alone(3, 0)
	spec.Nodes[0].Adopt, nodes["home-server-3"] = "home-server-3", nodes["node-0"]
	c := nodes["home-server-3"]
	c.Machine = "home-server-3"
	nodes["home-server-3"] = c

	s := adopted(t, spec, nodes)
	s.complete(60)

	s.log = nil
	s.spec.Servers.Count, s.spec.Nodes = new(int64(5)), nil

	p := s.settle(20)
	s.logged("server-4 Create")

	if p.State != v1alpha1.RolloutBlocked || !strings.Contains(p.Message, "server-3 is not created: K3sNode home-server-3 is node server-0 of this cluster") {
		t.Errorf("the rollout is %s: %s", p.State, p.Message)
	}
}

func TestContradictions(t *testing.T) {
	child := alone(1, 0)["node-0"]
	child.Spec["network"] = map[string]any{"ip": "192.168.4.11/24", "mac": "BC:24:11:00:00:53"}

	cases := map[string]struct {
		reason string
		node   v1alpha1.ClusterNode
		want   []string
	}{
		"Nothing": {reason: "The claim says nothing."},
		"Same": {
			reason: "The same in other letters.",
			node:   v1alpha1.ClusterNode{IP: "192.168.4.11", MAC: "bc:24:11:00:00:53", ProxmoxNode: "pve1", VMID: new(int64(4100))},
		},
		"All": {
			reason: "No VM moves because it is adopted.",
			node:   v1alpha1.ClusterNode{IP: "192.168.4.12/24", MAC: "BC:24:11:00:00:54", ProxmoxNode: "pve2", VMID: new(int64(4200))},
			want: []string{
				"the claim says ip 192.168.4.12, and it has 192.168.4.11", "the claim says mac BC:24:11:00:00:54, and it has BC:24:11:00:00:53",
				"the claim says proxmoxNode pve2, and it has pve1", "the claim says vmId 4200, and it has 4100",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(1, 0)
			tc.node.Name = "server-0"
			spec.Nodes = []v1alpha1.ClusterNode{tc.node}

			members, err := Members(identity, spec, false)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, Contradictions(members[0], child)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			// What its status does not say yet contradicts nothing.
			unread := child
			unread.ProxmoxNode, unread.VMID, unread.Spec = "", nil, map[string]any{"network": child.Spec["network"]}

			if diff := cmp.Diff(tc.want[:min(len(tc.want), 2)], Contradictions(members[0], unread)); diff != "" {
				t.Errorf("%s\nUnread: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSpecOf(t *testing.T) {
	m := Member{Spec: map[string]any{
		"hostname": "home-server-0", "class": "medium", "network": map[string]any{"dhcp": true, "gateway": "192.168.4.1"}, "k3s": map[string]any{"cluster": "home"},
	}}
	has := map[string]any{
		"class": "small", "nics": []any{map[string]any{"bridge": "vmbr1"}},
		"network": map[string]any{"ip": "192.168.4.11/24", "gateway": "192.168.4.254", "stableMAC": true, "dnsRecord": "node-0.home.arpa", "ipv6": map[string]any{"ip": "fd00::11/64"}},
		"proxmox": map[string]any{"node": "pve1", "vmId": 4100.0, "storage": "tank"}, "k3s": map[string]any{"token": map[string]any{"file": "/x"}, "config": "y"},
	}

	if diff := cmp.Diff(m.Spec, SpecOf(m, Child{Spec: has})); diff != "" {
		t.Errorf("A node that was created keeps nothing. -want, +got:\n%s", diff)
	}

	want := map[string]any{
		"class": "medium", "nics": has["nics"],
		"network": map[string]any{"ip": "192.168.4.11/24", "gateway": "192.168.4.1", "stableMAC": true, "dnsRecord": "node-0.home.arpa", "ipv6": map[string]any{"ip": "fd00::11/64"}},
		"proxmox": map[string]any{"node": "pve1", "vmId": 4100.0}, "k3s": map[string]any{"cluster": "home", "token": map[string]any{"file": "/x"}},
	}
	if diff := cmp.Diff(want, SpecOf(m, Child{Spec: has, Adopted: true})); diff != "" {
		t.Errorf("An adopted node keeps what is its own alone, and no name is given to it. -want, +got:\n%s", diff)
	}
}

func TestCheckAdoptions(t *testing.T) {
	spec := adopters(3, 0)
	spec.Nodes[2].Adopt = "node-0"

	got := Check(identity, spec)
	want := field.ErrorList{field.Invalid(field.NewPath("spec", "nodes").Index(2).Child("adopt"), "node-0", "is adopted by server-0 already: a K3sNode becomes one node")}

	if diff := cmp.Diff(want.ToAggregate().Error(), got.ToAggregate().Error()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	spec.Nodes[2].Adopt = strings.Repeat("n", maxAdopt+1)
	if diff := cmp.Diff([]string{fmt.Sprintf("spec.nodes[2].adopt: Too long: may not be more than %d bytes", maxAdopt)}, texts(Check(identity, spec))); diff != "" {
		t.Errorf("no composite has such a name: -want, +got:\n%s", diff)
	}
}

// TestAdoptable: which K3sNode cannot become a node, before anything is taken over.
func TestAdoptable(t *testing.T) {
	now := &situation{World: World{
		Members:   []Member{{Node: "server-0", Machine: "home-server-0", Adopts: "node-0"}, {Node: "server-1", Machine: "home-server-1"}},
		Children:  Children{"worker-0": {Machine: "home-worker-0"}},
		Adoptions: map[string]Adoption{"server-0": {}, "server-2": {Refused: "it has another role"}},
	}}

	cases := map[string]struct {
		reason string
		member Member
		want   string
	}{
		"Can":      {"Nothing is against it.", Member{Node: "server-0", Adopts: "node-0"}, ""},
		"Ours":     {"It is a node already.", Member{Node: "server-0", Adopts: "home-worker-0"}, "it is node worker-0 of this cluster"},
		"Name":     {"Another one is to have its name.", Member{Node: "server-0", Adopts: "home-server-1"}, "that is the name of node server-1, which would not be created"},
		"OwnName":  {"It has the name that it is to have.", Member{Node: "server-0", Adopts: "home-server-0"}, ""},
		"Unlooked": {"Nobody knows it.", Member{Node: "worker-1", Adopts: "node-9"}, "nobody has looked for it"},
		"Refused":  {"What was found says no.", Member{Node: "server-2", Adopts: "node-2"}, "it has another role"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, adoptable(now, tc.member)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAdoptedWorlds: whatever is edited and breaks after an adoption, at most one node is away by a decision of the cluster, and no node ever has
// another address, VMID or name.
func TestAdoptedWorlds(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 11)) //nolint:gosec // Of a test.
		servers, agents := []int{1, 3, 5}[random.IntN(3)], random.IntN(4)
		s := adopted(t, adopters(servers, agents), alone(servers, agents))
		own := map[string]any{}

		for name, n := range s.site.nodes {
			own[name] = []any{n.child.Machine, n.child.Spec["network"].(map[string]any)["ip"], n.child.Spec["proxmox"]} //nolint:forcetypeassert // As above.
		}

		for step := range 30 {
			switch random.IntN(7) {
			case 0:
				s.spec.Servers.Image = v1alpha1.ImageRef(fmt.Sprintf("image-%d", random.IntN(3)))
			case 1:
				s.spec.Agents[0].Image = v1alpha1.ImageRef(fmt.Sprintf("image-%d", random.IntN(3)))
			case 2:
				s.spec.Servers.Class = fmt.Sprintf("class-%d", random.IntN(3))
			case 3:
				s.spec.Nodes = nil
			case 4:
				s.spec.Rollout.Pause = random.IntN(3) == 0
			}

			for range random.IntN(6) {
				s.call()

				if away := s.site.away(); len(away) > 1 {
					t.Fatalf("seed %d, step %d: %v are away at once\n%s", seed, step, away, strings.Join(s.log, "\n"))
				}
			}

			for _, name := range slices.Sorted(maps.Keys(own)) {
				c := s.site.nodes[name].child
				if diff := cmp.Diff(own[name], any([]any{c.Machine, group(c.Spec, "network")["ip"], c.Spec["proxmox"]})); diff != "" {
					t.Fatalf("seed %d, step %d: %s is another one: -before, +after:\n%s", seed, step, name, diff)
				}
			}
		}

		s.spec.Rollout.Pause = false
		if p := s.settle(300); p.State != v1alpha1.RolloutComplete && !strings.Contains(p.Message, "only server") {
			t.Fatalf("seed %d: the rollout is %s: %s\n%s", seed, p.State, p.Message, strings.Join(s.log[max(0, len(s.log)-20):], "\n"))
		}
	}
}
