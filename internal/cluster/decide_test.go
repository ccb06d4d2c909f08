package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A story is a cluster over several calls.
type story struct {
	*testing.T

	site *site
	spec v1alpha1.K3sClusterSpec
	log  []string

	refusals Refusals
	route    Route // As the status has it.

	here    bool   // Whether Crossplane runs in the cluster.
	trouble string // Why system-upgrade-controller cannot upgrade a node.
}

// identity of the cluster of these tests.
var identity = machine.Identity{Name: "home", Composite: "home"}

func newStory(t *testing.T, spec v1alpha1.K3sClusterSpec) *story {
	t.Helper()

	return &story{T: t, site: newSite(), spec: spec}
}

func (s *story) world() World {
	s.Helper()

	protected := s.spec.DeletionProtection != nil && *s.spec.DeletionProtection

	s.route = RouteOf(s.spec, s.site.children(), s.route)
	spec := s.spec
	spec.Version = s.route.Version

	members, err := Members(identity, spec, protected)
	if err != nil {
		s.Fatal(err)
	}

	return World{
		System:  s.system(spec.Version),
		Members: members, Children: s.site.children(), Rollout: s.spec.Rollout, Upgrade: s.spec.Upgrade, DeletionPolicy: s.spec.DeletionPolicy,
		Protected: protected, NodesLeave: true, Here: s.here, Refusals: s.refusals, Requests: Requests(s.spec),
	}
}

// call decides once, applies it and lets time pass. What a turn began is in the log.
func (s *story) call() Plan {
	s.Helper()

	w := s.world()
	p := Decide(w)

	for _, step := range p.Steps {
		if step.Action != ActionKeep && step.Action != ActionWait {
			s.log = append(s.log, step.Node+" "+string(step.Action))
		}
	}

	s.log = slices.Compact(s.log)
	s.keeps(w, p)
	s.site.apply(p)
	s.site.turn()

	return p
}

// keeps holds what no call may do: change the spec of a node out of its turn, beside what is said of deletion and asked for by a person.
func (s *story) keeps(w World, p Plan) {
	s.Helper()

	for _, step := range p.Steps {
		c, exists := w.Children[step.Node]
		if !exists || step.Action != ActionKeep || step.Spec == nil {
			continue
		}

		// Once a node runs a later release than the one that its VM was made with, its spec names it.
		before := c.Spec
		if w.Upgrade != v1alpha1.UpgradeReplace && versionOf(step.Spec) == c.Version && k3s.OlderRelease(versionOf(before), c.Version) {
			before = withVersion(before, c.Version)
		}

		// Who asks for a new VM of the founder asks for one that joins.
		if founds(before) && !founds(step.Spec) && group(before, "lifecycle")["replace"] != group(step.Spec, "lifecycle")["replace"] {
			before = asJoiner(before, step.Spec)
		}

		if diff := cmp.Diff(essence(before), essence(step.Spec)); diff != "" {
			s.Errorf("%s is kept, and its spec changes: -before, +after:\n%s", step.Node, diff)
		}
	}

	for name, c := range w.Children {
		rendered := slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Node == name && s.Spec != nil })
		if leaves := slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Node == name && s.Action == ActionRemove }); !rendered && !leaves && !c.Deleting {
			s.Errorf("%s exists and is not rendered", name)
		}
	}
}

// essence is a spec without what takes effect at once. The approval of an adoption does.
func essence(spec map[string]any) string {
	out := map[string]any{}

	for name, v := range spec {
		if name != "deletionPolicy" && name != "deletionProtection" && name != "lifecycle" && name != "adopt" {
			out[name] = v
		}
	}

	b, _ := json.Marshal(out) //nolint:errchkjson // Of a spec, which was JSON.

	return string(b)
}

// settle calls until the rollout is complete, or as often as given.
func (s *story) settle(calls int) Plan {
	s.Helper()

	var p Plan

	for range calls {
		if p = s.call(); p.State == v1alpha1.RolloutComplete {
			return p
		}
	}

	return p
}

func (s *story) logged(want ...string) {
	s.Helper()

	if diff := cmp.Diff(want, s.log); diff != "" {
		s.Errorf("turns: -want, +got:\n%s", diff)
	}

	s.log = nil
}

func (s *story) complete(calls int) {
	s.Helper()

	if p := s.settle(calls); p.State != v1alpha1.RolloutComplete {
		s.Fatalf("the rollout is %s: %s\n%s", p.State, p.Message, strings.Join(s.log, "\n"))
	}
}

func TestBirth(t *testing.T) {
	s := newStory(t, claimed(3, 2))

	first := s.world().Members[0]
	if k := first.Founder["k3s"].(map[string]any); k["init"] != true {
		t.Errorf("the first server does not start the cluster: %v", k)
	}

	s.complete(40)
	s.logged("server-0 Create", "server-1 Create", "worker-0 Create", "worker-1 Create", "server-2 Create")

	if k := s.site.nodes["server-1"].child.Spec["k3s"].(map[string]any); k["init"] != nil {
		t.Errorf("the second server starts a cluster, too: %v", k)
	}
}

func TestTurns(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*v1alpha1.K3sClusterSpec)
		want   []string
	}{
		"Image": {
			reason: "Another image takes new VMs, one by one, servers first.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Image, s.Agents[0].Image = "debian-14", "debian-14"
			},
			want: []string{
				"server-0 Change", "server-0 Replace", "server-1 Change", "server-1 Replace", "server-2 Change", "server-2 Replace",
				"worker-0 Change", "worker-0 Replace", "worker-1 Change", "worker-1 Replace",
			},
		},
		"Class": {
			reason: "More memory takes a power cycle of each.",
			edit:   func(s *v1alpha1.K3sClusterSpec) { s.Agents[0].Class = "xlarge" },
			want:   []string{"worker-0 Change", "worker-0 Reboot", "worker-1 Change", "worker-1 Reboot"},
		},
		"ClassOnRequest": {
			reason: "Nobody is restarted who did not ask for it.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Agents[0].Class, s.Rollout.RebootPolicy = "xlarge", v1alpha1.RebootOnRequest
			},
			want: []string{"worker-0 Change", "worker-1 Change"},
		},
		"ClassWithSmallerDisk": {
			reason: "The smaller disk is left to a person, and the memory takes a power cycle all the same, as of a single K3sNode.",
			edit:   func(s *v1alpha1.K3sClusterSpec) { s.Agents[0].Class = smallDisk },
			want:   []string{"worker-0 Change", "worker-0 Reboot", "worker-1 Change", "worker-1 Reboot"},
		},
		"ClassAndImageOnRequest": {
			reason: "So does the memory of a VM that a person is to replace.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Agents[0].Class, s.Agents[0].Image, s.Rollout.ReplacePolicy = "xlarge", "debian-14", v1alpha1.ReplaceOnRequest
			},
			want: []string{"worker-0 Change", "worker-0 Reboot", "worker-1 Change", "worker-1 Reboot"},
		},
		"ClassAndImage": {
			reason: "A VM that is replaced is not restarted before.",
			edit:   func(s *v1alpha1.K3sClusterSpec) { s.Agents[0].Class, s.Agents[0].Image = "xlarge", "debian-14" },
			want:   []string{"worker-0 Change", "worker-0 Replace", "worker-1 Change", "worker-1 Replace"},
		},
		"VersionNone": {
			reason: "New servers get it, and new agents once a person has upgraded the servers.",
			edit:   func(s *v1alpha1.K3sClusterSpec) { s.Version = "v1.34.2+k3s1" },
			want:   []string{"server-0 Change", "server-1 Change", "server-2 Change"},
		},
		"VersionReplace": {
			reason: "Each node is replaced.",
			edit:   func(s *v1alpha1.K3sClusterSpec) { s.Version, s.Upgrade = "v1.34.2+k3s1", v1alpha1.UpgradeReplace },
			want: []string{
				"server-0 Change", "server-0 Replace", "server-1 Change", "server-1 Replace", "server-2 Change", "server-2 Replace",
				"worker-0 Change", "worker-0 Replace", "worker-1 Change", "worker-1 Replace",
			},
		},
		"DataDisks": {
			reason: "A new VM would begin with empty disks.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Agents[0].Image, s.Agents[0].Disks = "debian-14", []v1alpha1.Disk{{Name: "data", Size: "100Gi"}}
			},
			want: []string{"worker-0 Change", "worker-1 Change"},
		},
		"ScaleDown": {
			reason: "The highest numbers go, one by one.",
			edit:   func(s *v1alpha1.K3sClusterSpec) { s.Servers.Count, s.Agents[0].Count = new(int64(1)), 0 },
			want:   []string{"worker-1 Remove", "worker-0 Remove", "server-2 Remove", "server-1 Remove"},
		},
		"ScaleUp": {
			reason: "Two more servers, one by one, and an agent.",
			edit:   func(s *v1alpha1.K3sClusterSpec) { s.Servers.Count, s.Agents[0].Count = new(int64(5)), 3 },
			want:   []string{"server-3 Create", "worker-2 Create", "server-4 Create"},
		},
		"One": {
			reason: "Asked for by a person, at once.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Nodes = []v1alpha1.ClusterNode{{Name: "worker-1", Lifecycle: v1alpha1.NodeLifecycle{Replace: "2026-11-20"}}}
			},
			want: nil,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(3, 2))
			s.complete(40)
			s.log = nil

			tc.edit(&s.spec)
			s.complete(120)

			if diff := cmp.Diff(tc.want, s.log); diff != "" {
				t.Errorf("%s\nturns: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRebootedBeforeReplacement: what is restarted for one part of its change is replaced for the other one, once that may be; and is at rest until then.
func TestRebootedBeforeReplacement(t *testing.T) {
	s := newStory(t, claimed(3, 2))
	s.spec.Rollout.ReplacePolicy = v1alpha1.ReplaceOnRequest
	s.complete(40)
	s.log = nil

	s.spec.Agents[0].Class, s.spec.Agents[0].Image = "xlarge", "debian-14"
	s.complete(40)
	s.logged("worker-0 Change", "worker-0 Reboot", "worker-1 Change", "worker-1 Reboot")

	s.site.nodes["worker-0"].pending = true // By an edit of the catalogue.
	s.site.turn()
	s.complete(40)
	s.logged("worker-0 Reboot")

	s.spec.Rollout.ReplacePolicy = v1alpha1.ReplaceWhenNeeded
	s.complete(40)
	s.logged("worker-0 Replace", "worker-1 Replace")
}

// TestOnlyServerRestarts: the only server of a cluster is never replaced, and gets what takes a power cycle only.
func TestOnlyServerRestarts(t *testing.T) {
	s := newStory(t, claimed(1, 1))
	s.complete(40)
	s.log = nil

	s.spec.Servers.Class, s.spec.Servers.Image = "xlarge", "debian-14"

	if p := s.settle(20); !strings.Contains(p.Message, "is never replaced") {
		t.Errorf("it says: %s", p.Message)
	}

	s.logged("server-0 Change", "server-0 Reboot")
}

func TestLifecycleOfOne(t *testing.T) {
	s := newStory(t, claimed(3, 1))
	s.complete(40)

	s.spec.Nodes = []v1alpha1.ClusterNode{{Name: "worker-0", Lifecycle: v1alpha1.NodeLifecycle{Replace: "2026-11-20"}}}
	s.settle(1)
	s.complete(20)

	if n := s.site.nodes["worker-0"]; n.replaced != 1 {
		t.Errorf("the node was replaced %d times; want once", n.replaced)
	}

	// The word stays in the claim, and the rollout has a later one.
	s.spec.Agents[0].Image = "debian-14"
	s.settle(1)
	s.complete(40)

	if n := s.site.nodes["worker-0"]; n.replaced != 2 || n.made["image"] != "debian-14" {
		t.Errorf("the node was replaced %d times, and has image %v; want twice, and the new one", n.replaced, n.made["image"])
	}
}

func TestBrokenNodeStopsTheRollout(t *testing.T) {
	s := newStory(t, claimed(3, 2))
	s.complete(40)
	s.log = nil

	s.site.nodes["server-1"].dead = true
	s.site.turn()

	s.spec.Servers.Class = "large"
	p := s.settle(20)

	if p.State == v1alpha1.RolloutComplete {
		t.Error("the rollout is complete with a dead server")
	}

	// Its own turn may mend it; nobody else has one.
	s.logged("server-1 Change", "server-1 Reboot")

	s.site.nodes["server-1"].dead = false
	s.site.nodes["server-1"].child.Ready = true
	s.complete(60)
	s.logged("server-0 Change", "server-0 Reboot", "server-2 Change", "server-2 Reboot")
}

func TestRevert(t *testing.T) {
	s := newStory(t, claimed(3, 0))
	s.complete(40)
	s.log = nil

	s.spec.Servers.Image = "debian-14"
	for range 8 {
		s.call()
	}

	s.spec.Servers.Image = "debian-13"
	s.complete(80)

	for name, n := range s.site.nodes {
		if n.made["image"] != "debian-13" {
			t.Errorf("%s has image %v", name, n.made["image"])
		}
	}
}

// TestLaterNeeds: what an edit of the catalogue asks of a node whose turn is over replaces nobody, and keeps nobody from the next turn.
func TestLaterNeeds(t *testing.T) {
	s := newStory(t, claimed(3, 1))
	s.complete(40)

	s.spec.Servers.Image, s.spec.Version, s.spec.Agents[0].Class = "debian-14", "v1.34.2+k3s1", "xlarge"
	s.settle(1)
	s.complete(80)
	s.call()
	s.log = nil

	for _, n := range s.site.nodes {
		n.made["image"], n.pending = "of a former catalogue", true
		s.site.assess(n)
	}

	s.spec.Rollout.RebootPolicy = v1alpha1.RebootOnRequest
	s.settle(5)
	s.logged()

	s.spec.Agents[0].Labels = map[string]string{"zone": "a"}
	s.settle(20)
	s.logged("worker-0 Change")
}

// TestDisksThatLeftTheSpec: a VM keeps a data disk that leaves its spec, so no rollout replaces it.
func TestDisksThatLeftTheSpec(t *testing.T) {
	spec := claimed(1, 1)
	spec.Agents[0].Disks = []v1alpha1.Disk{{Name: "data", Size: "100Gi"}}

	s := newStory(t, spec)
	s.complete(40)

	s.spec.Agents[0].Disks = nil
	s.settle(20)

	s.log = nil
	s.spec.Agents[0].Image = "debian-14"
	s.settle(20)
	s.logged("worker-0 Change")
}

func TestPause(t *testing.T) {
	s := newStory(t, claimed(3, 1))
	s.complete(40)
	s.log = nil

	s.spec.Rollout.Pause = true
	s.spec.Servers.Class = "large"
	s.spec.Agents[0].Count = 3

	if p := s.settle(10); p.State != v1alpha1.RolloutPaused {
		t.Errorf("the rollout is %s: %s; want %s", p.State, p.Message, v1alpha1.RolloutPaused)
	}

	s.logged()

	s.spec.Rollout.Pause = false
	s.complete(60)
}

func TestRemovalIsRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*World)
		want   string
	}{
		"Orphan": {
			reason: "The VM would run on as a node.",
			edit:   func(w *World) { w.DeletionPolicy = v1alpha1.DeletionOrphan },
			want:   "server-2 stays: with deletionPolicy: Orphan its VM would run on as a node of the cluster; set deletionPolicy: Delete.",
		},
		"Member": {
			reason: "Nobody takes the server out of etcd.",
			edit:   func(w *World) { w.NodesLeave = false },
			want: "server-1 stays: its member would stay in etcd, which could lose its quorum; set providerConfig and observe in the cluster's entry of the " +
				"catalogue.",
		},
		"HostSilent": {
			reason: "Its deletion could not end.",
			edit: func(w *World) {
				c := w.Children["server-2"]
				c.Provider, c.Ready, c.ProxmoxNode = ProviderHostSilent, false, "pve2"
				w.Children["server-2"] = c
			},
			want: "server-2 stays: its Proxmox node pve2 does not answer, and what is on it could not be deleted; it goes when the node is back, or, when its VM is off for good, " +
				"with lost: true for it in spec.nodes",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(3, 0))
			s.complete(40)

			s.spec.Servers.Count = new(int64(1))
			w := s.world()
			tc.edit(&w)

			p := Decide(w)
			if p.State != v1alpha1.RolloutBlocked || !strings.Contains(p.Message, tc.want) {
				t.Errorf("%s\nthe rollout is %s: %s; want %q", tc.reason, p.State, p.Message, tc.want)
			}

			for _, step := range p.Steps {
				if step.Spec == nil {
					t.Errorf("%s is removed", step.Node)
				}
			}
		})
	}
}

// TestWorlds: whatever is edited and breaks, at most one node is away by a decision of the cluster, and a majority of servers is there.
func TestWorlds(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // Of a test.
		s := newStory(t, claimed([]int64{1, 3, 5}[random.IntN(3)], random.Int64N(4)))
		s.complete(80)

		for step := range 40 {
			switch random.IntN(8) {
			case 0:
				s.spec.Servers.Image = v1alpha1.ImageRef(fmt.Sprintf("image-%d", random.IntN(3)))
			case 1:
				s.spec.Agents[0].Image = v1alpha1.ImageRef(fmt.Sprintf("image-%d", random.IntN(3)))
			case 2:
				s.spec.Servers.Class = fmt.Sprintf("class-%d", random.IntN(3))
			case 3:
				s.spec.Servers.Count = new([]int64{1, 3, 5}[random.IntN(3)])
			case 4:
				s.spec.Agents[0].Count = random.Int64N(4)
			case 5:
				s.spec.Rollout.Pause = random.IntN(3) == 0
			}

			for range random.IntN(6) {
				s.call()

				if away := s.site.away(); len(away) > 1 {
					t.Fatalf("seed %d, step %d: %v are away at once\n%s", seed, step, away, strings.Join(s.log, "\n"))
				}
			}
		}

		s.spec.Rollout.Pause = false
		if p := s.settle(400); p.State != v1alpha1.RolloutComplete && !strings.Contains(p.Message, "only server") {
			t.Fatalf("seed %d: the rollout is %s: %s\n%s", seed, p.State, p.Message, strings.Join(s.log[max(0, len(s.log)-20):], "\n"))
		}
	}
}

// TestLeavingBeforeItHasJoined: a server that nobody has seen in the cluster goes only when it cannot become a member of etcd any more.
func TestLeavingBeforeItHasJoined(t *testing.T) {
	id := int64(4711)
	newcomer := Child{
		Machine: "home-server-3", Role: v1alpha1.K3sServer, Spec: map[string]any{"deletionProtection": false}, Answered: true, VMID: &id, Template: "t", Turn: "x",
	}

	cases := map[string]struct {
		reason string
		edit   func(c *Child)
		action Action
		why    string
		goes   bool
		power  any
	}{
		"BeingMade": {"Nobody may destroy its VM yet.", func(c *Child) { c.VM = VMStateMaking }, ActionKeep, "waits until its VM is made, so that it can be destroyed", false, nil},
		"Runs":      {"It may join at any moment.", func(*Child) {}, ActionRemove, "its VM is stopped first, so that it does not join while it goes", false, "Stopped"},
		"Stopping":  {"Its VM is on its way down.", func(c *Child) { c.Answered, c.VM = false, VMStateStopped }, ActionRemove, "its VM is stopped first, so that it does not join while it goes", false, "Stopped"},
		"Stopped":   {"It cannot join.", func(c *Child) { c.VM = VMStateStopped }, ActionRemove, noSuchNode, true, nil},
		"NoVM":      {"There is none that could.", func(c *Child) { c.VMID = nil }, ActionRemove, noSuchNode, true, nil},
		"Unmade":    {"It answers to no edit.", func(c *Child) { c.VMID, c.Unmade, c.Answered, c.Spec = nil, true, false, map[string]any{} }, ActionRemove, noSuchNode, true, nil},
		"Refused":   {"It was made once.", func(c *Child) { c.VMID, c.Answered = nil, false }, ActionRemove, noSuchNode, false, nil},
		"Agent":     {"An agent is no member.", func(c *Child) { c.Role = v1alpha1.K3sAgent }, ActionRemove, noSuchNode, true, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(3, 0))
			s.complete(40)

			c := newcomer
			c.Spec = maps.Clone(c.Spec)
			tc.edit(&c)

			w := s.world()
			w.Children["server-3"] = c

			for _, step := range Decide(w).Steps {
				if step.Node != "server-3" {
					continue
				}

				if step.Why != tc.why || step.Action == ActionRemove != (tc.action == ActionRemove) || (step.Spec == nil) != tc.goes || step.Spec["power"] != tc.power {
					t.Errorf("%s\n%s, goes: %t: %s; %v", tc.reason, step.Action, step.Spec == nil, step.Why, step.Spec["power"])
				}

				return
			}

			t.Error("nothing is decided about server-3")
		})
	}
}
