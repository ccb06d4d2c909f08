package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

const (
	oldRelease = "v1.33.6+k3s1"
	newRelease = "v1.33.7+k3s3"
)

// system is what a story's cluster knows of system-upgrade-controller.
func (s *story) system(version string) *SystemUpgrade {
	if s.spec.Upgrade != v1alpha1.UpgradeSystem {
		return nil
	}

	return &SystemUpgrade{Version: version, Plans: s.site.plans, Trouble: s.trouble, Window: s.spec.Rollout.Window != nil}
}

// upgraded is a cluster that system-upgrade-controller upgrades, at rest.
func upgraded(t *testing.T, servers, agents int64) *story {
	t.Helper()

	spec := claimed(servers, agents)
	spec.Upgrade = v1alpha1.UpgradeSystem

	s := newStory(t, spec)
	s.complete(60)
	s.log = nil

	return s
}

func TestSystemUpgrade(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*story)
		want   []string
	}{
		"OneByOne": {
			reason: "Servers first, each when the one before is back.",
			edit:   func(s *story) { s.spec.Version = newRelease },
			want:   []string{"server-0 Upgrade", "server-1 Upgrade", "server-2 Upgrade", "worker-0 Upgrade", "worker-1 Upgrade"},
		},
		"AgentsAtOnce": {
			reason: "As many agents as may be away.",
			edit:   func(s *story) { s.spec.Version, s.spec.Rollout.MaxUnavailable = newRelease, 2 },
			want:   []string{"server-0 Upgrade", "server-1 Upgrade", "server-2 Upgrade", "worker-0 Upgrade", "worker-1 Upgrade"},
		},
		"WithAnImage": {
			reason: "The upgrade comes first, and the new VMs are of the new release.",
			edit:   func(s *story) { s.spec.Version, s.spec.Agents[0].Image = newRelease, "debian-14" },
			want: []string{
				"server-0 Upgrade", "server-1 Upgrade", "server-2 Upgrade", "worker-0 Upgrade", "worker-1 Upgrade",
				"worker-0 Change", "worker-0 Replace", "worker-1 Change", "worker-1 Replace",
			},
		},
		"WithAnAgent": {
			reason: "The new agent joins with the release of the servers, and is upgraded like the others.",
			edit:   func(s *story) { s.spec.Version, s.spec.Agents[0].Count = newRelease, 3 },
			want: []string{
				"server-0 Upgrade", "worker-2 Create", "server-1 Upgrade", "server-2 Upgrade", "worker-0 Upgrade", "worker-1 Upgrade", "worker-2 Upgrade",
			},
		},
		"Nothing": {
			reason: "To let system-upgrade-controller upgrade nodes upgrades none.",
			edit:   func(s *story) { s.spec.Rollout.MaxUnavailable = 2 },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := upgraded(t, 3, 2)
			tc.edit(s)

			for range 200 {
				p := s.call()

				if away := s.site.away(); len(away) > int(s.spec.Rollout.MaxUnavailable) || len(away) > 1 && strings.HasPrefix(away[0], serverPool) {
					t.Fatalf("%v are away at once", away)
				}

				if p.State == v1alpha1.RolloutComplete {
					break
				}
			}

			if diff := cmp.Diff(tc.want, begun(s.log)); diff != "" {
				t.Errorf("%s\nturns: -want, +got:\n%s", tc.reason, diff)
			}

			for name, n := range s.site.nodes {
				if n.child.Version != s.spec.Version || versionOf(n.child.Spec) != s.spec.Version {
					t.Errorf("%s runs %s, and its spec has %s", name, n.child.Version, versionOf(n.child.Spec))
				}
			}
		})
	}
}

// begun are the turns of a log in the order in which they began.
func begun(log []string) []string {
	var out []string

	for _, line := range log {
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}

	return out
}

// TestUpgradeOfTheOldKind: what another way of upgrades left in the specs is no reason for a turn.
func TestUpgradeOfTheOldKind(t *testing.T) {
	s := newStory(t, claimed(3, 1))
	s.complete(40)
	s.log = nil

	s.spec.Upgrade = v1alpha1.UpgradeSystem
	s.complete(3)
	s.logged()

	for _, role := range []Role{v1alpha1.K3sServer, v1alpha1.K3sAgent} {
		if diff := cmp.Diff(UpgradePlan{Version: oldRelease}, s.site.plans[role]); diff != "" {
			t.Errorf("the Plan of the %ss: -want, +got:\n%s", role, diff)
		}
	}

	s.spec.Upgrade = v1alpha1.UpgradeNone
	s.complete(3)
	s.logged()

	if s.site.plans != nil {
		t.Errorf("Plans stay: %v", s.site.plans)
	}
}

func TestUpgradeMessages(t *testing.T) {
	s := upgraded(t, 3, 2)
	s.spec.Version = newRelease
	s.call()

	for range 3 {
		s.call()
	}

	if p, want := s.call(), "K3s v1.33.7+k3s3 is being rolled out by system-upgrade-controller: 1 of 5 nodes run it; waits for server-1."; p.Message != want ||
		p.State != v1alpha1.RolloutProgressing {
		t.Errorf("%s: %q; want %q", p.State, p.Message, want)
	}
}

// TestUpgradeWaits: while a node is broken or a turn is under way, no Plan names a node, and none names another release.
func TestUpgradeWaits(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*story)
		state  v1alpha1.RolloutState
		said   string
	}{
		"BrokenAgent": {
			reason: "A second node would be away.",
			edit: func(s *story) {
				s.site.nodes["worker-1"].dead = true
				s.site.turn()
			},
			state: v1alpha1.RolloutWaiting, said: "The rollout waits for worker-1",
		},
		"Pause": {
			reason: "Nothing begins.", edit: func(s *story) { s.spec.Rollout.Pause = true },
			state: v1alpha1.RolloutPaused, said: "rollout.pause",
		},
		"NoController": {
			reason: "A Plan that cannot be written upgrades nobody.", edit: func(s *story) { s.trouble = "There is no kind Plan" },
			state: v1alpha1.RolloutBlocked, said: "There is no kind Plan.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := upgraded(t, 3, 2)
			tc.edit(s)
			s.spec.Version = newRelease

			p := s.settle(10)
			if p.State != tc.state || !strings.Contains(p.Message, tc.said) {
				t.Errorf("%s\n%s: %q; want %s, %q", tc.reason, p.State, p.Message, tc.state, tc.said)
			}

			for role, plan := range p.Upgrades {
				if len(plan.Nodes) > 0 || plan.Version != oldRelease {
					t.Errorf("%s\nthe Plan of the %ss is %v", tc.reason, role, plan)
				}
			}

			s.logged()
		})
	}
}

// TestTroubleHoldsNothingElse: a cluster without system-upgrade-controller goes on with all other turns.
func TestTroubleHoldsNothingElse(t *testing.T) {
	s := upgraded(t, 3, 1)
	s.trouble, s.spec.Version, s.spec.Agents[0].Image = "There is no kind Plan", newRelease, "debian-14"

	if p := s.settle(40); p.State != v1alpha1.RolloutBlocked {
		t.Errorf("%s: %s", p.State, p.Message)
	}

	s.logged("worker-0 Change", "worker-0 Replace")

	if got := s.site.nodes["worker-0"].child.Version; got != oldRelease {
		t.Errorf("the new VM runs %s, which no server runs", got)
	}
}

// TestStuckUpgrade: nobody else has a turn while a node is in the middle of its upgrade, and another release takes it out of it.
func TestStuckUpgrade(t *testing.T) {
	s := upgraded(t, 3, 1)
	s.site.asks = true
	s.spec.Version, s.spec.Agents[0].Image = newRelease, "debian-14"
	s.settle(10)
	s.logged("server-0 Upgrade")

	s.spec.Version = oldRelease
	s.settle(20)
	s.logged("worker-0 Change", "worker-0 Replace")

	if len(s.site.jobs) > 0 {
		t.Errorf("Jobs: %v", s.site.jobs)
	}
}

func TestCheckUpgrade(t *testing.T) {
	runs := func(v string) map[string]Child {
		return map[string]Child{"server-0": {Version: v, VersionSeen: true}, "worker-0": {Version: "v1.20.0+k3s1"}}
	}

	cases := map[string]struct {
		reason   string
		edit     func(*v1alpha1.K3sClusterSpec)
		wanted   string
		reaches  bool
		children map[string]Child
		want     []string
	}{
		"Right":     {reason: "The next minor release.", wanted: newRelease, reaches: true, children: runs(oldRelease)},
		"Catalogue": {reason: "The catalogue's release.", wanted: newRelease, reaches: true, edit: func(s *v1alpha1.K3sClusterSpec) { s.Version = "" }},
		"Unreached": {
			reason: "Nobody could write the Plans.", wanted: newRelease,
			want: []string{`spec.upgrade: Invalid value: "SystemUpgrade": needs providerConfig and observe in the catalogue's entry of cluster home: ` +
				`provider-kubernetes writes the Plans into the cluster, and the Nodes say what runs`},
		},
		"NoCluster": {
			reason: "There is no entry.", wanted: newRelease, edit: func(s *v1alpha1.K3sClusterSpec) { s.Cluster = "" },
			want: []string{"spec.cluster: Required value: upgrade: SystemUpgrade needs an entry of the catalogue's clusters, with providerConfig and observe"},
		},
		"NoVersion": {
			reason: "A Plan needs one.", reaches: true,
			want: []string{"spec.version: Required value: upgrade: SystemUpgrade needs the release that all nodes are to run, such as v1.33.6+k3s1"},
		},
		"Downgrade": {
			reason: "K3s cannot.", wanted: oldRelease, reaches: true, children: runs(newRelease),
			want: []string{`spec.version: Invalid value: "v1.33.6+k3s1": is older than v1.33.7+k3s3, which node server-0 runs: K3s cannot be downgraded in place`},
		},
		"DowngradeOfK3s": {
			reason: "Of K3s alone.", wanted: oldRelease, reaches: true, children: runs("v1.33.6+k3s2"),
			want: []string{`spec.version: Invalid value: "v1.33.6+k3s1": is older than v1.33.6+k3s2, which node server-0 runs: K3s cannot be downgraded in place`},
		},
		"Skip": {
			reason: "Kubernetes supports one minor release at a time.", wanted: "v1.35.0+k3s1", reaches: true, children: runs(oldRelease),
			want: []string{`spec.version: Invalid value: "v1.35.0+k3s1": skips a minor release: node server-0 runs v1.33.6+k3s1; upgrade to a release of v1.34 first: one after the other, v1.33.7+k3s3, v1.34.9+k3s1, v1.35.0+k3s1`},
		},
		"SkipOfTheCatalogue": {
			reason: "Whoever names the release, and whatever upgrades the nodes.", wanted: "v1.35.0+k3s1", children: runs(oldRelease),
			edit: func(s *v1alpha1.K3sClusterSpec) { s.Version, s.Upgrade = "", v1alpha1.UpgradeNone },
			want: []string{`spec.version: Invalid value: "v1.35.0+k3s1": skips a minor release: node server-0 runs v1.33.6+k3s1; upgrade to a release of v1.34 first: one after the other, v1.33.7+k3s3, v1.34.9+k3s1, v1.35.0+k3s1; the release is that of ` +
				"the catalogue's entry of cluster home, since the claim names none"},
		},
		"Etcd": {
			reason: "Etcd 3.6 would count removed members again.", wanted: "v1.34.2+k3s1", reaches: true,
			children: map[string]Child{"server-0": {Role: v1alpha1.K3sServer, Version: oldRelease, VersionSeen: true}},
			want: []string{`spec.version: Invalid value: "v1.34.2+k3s1": would have etcd 3.6 count removed members again: server server-0 runs v1.33.6+k3s1, ` +
				"with an etcd before 3.5.26; upgrade to v1.33.7+k3s3 first"},
		},
		"WindowOfOthers": {
			reason: "Nobody else has a clock.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Upgrade, s.Rollout.Window = v1alpha1.UpgradeNone, &v1alpha1.Window{StartTime: "02:00", EndTime: "05:00"}
			},
			want: []string{"spec.rollout.window: Forbidden: is for upgrade: SystemUpgrade only: system-upgrade-controller has a clock, and all other turns begin " +
				"when they can; use rollout.pause for them"},
		},
		"WindowOverMidnight": {
			reason: "Its days would be two.", wanted: newRelease, reaches: true,
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Rollout.Window = &v1alpha1.Window{StartTime: "22:00", EndTime: "05:00"}
			},
			want: []string{`spec.rollout.window.endTime: Invalid value: "05:00": must be later on the same day than startTime, which is 22:00`},
		},
		"WindowOfNoTime": {
			reason: "A preview has no API server.", wanted: newRelease, reaches: true,
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Rollout.Window = &v1alpha1.Window{StartTime: "2am", EndTime: "24:00"}
			},
			want: []string{
				`spec.rollout.window.startTime: Invalid value: "2am": must be a time as HH:MM, such as 02:00`,
				`spec.rollout.window.endTime: Invalid value: "24:00": must be a time as HH:MM, such as 02:00`,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 1)
			spec.Upgrade = v1alpha1.UpgradeSystem

			if tc.edit != nil {
				tc.edit(&spec)
			}

			// As a call does it.
			errs := Check(identity, spec)
			if len(errs) == 0 {
				errs = CheckUpgrade(spec, tc.wanted, tc.reaches, tc.children)
			}

			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWorldsWithUpgrades: whatever is edited, breaks or is paused while K3s is upgraded, no two nodes are away by a decision of the cluster,
// no agent is newer than a server, no Plan names a node of whose release nobody knows, and no etcd counts removed members again.
func TestWorldsWithUpgrades(t *testing.T) {
	releases := []string{"v1.33.6+k3s1", "v1.33.7+k3s1", "v1.33.7+k3s3", "v1.34.2+k3s1", "v1.34.2+k3s2", "v1.35.0+k3s1"}
	jobs, seeds := 0, []uint64{5182} // In that world, the claim moves on while servers are upgraded, and one of them is replaced then.

	for seed := range uint64(40) {
		seeds = append(seeds, seed)
	}

	for _, seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 11)) //nolint:gosec // Of a test.
		s := upgraded(t, []int64{1, 3, 5}[random.IntN(3)], random.Int64N(4))
		at := 0

		for step := range 40 {
			switch random.IntN(8) {
			case 0, 1:
				// A release that is refused never comes as far as here. One may be left out.
				if next := at + 1 + random.IntN(2); next < len(releases) && allows(s, releases[next]) {
					at, s.spec.Version = next, releases[next]
				}
			case 2:
				s.spec.Agents[0].Image = v1alpha1.ImageRef(fmt.Sprintf("image-%d", random.IntN(3)))
			case 3:
				s.spec.Servers.Image = v1alpha1.ImageRef(fmt.Sprintf("image-%d", random.IntN(3)))
			case 4:
				s.spec.Servers.Count = new([]int64{1, 3, 5}[random.IntN(3)])
			case 5:
				s.spec.Agents[0].Count = random.Int64N(4)
			case 6:
				s.spec.Rollout.Pause = random.IntN(3) == 0
			case 7:
				s.trouble = []string{"", "", "There is no kind Plan"}[random.IntN(3)]
			}

			for range random.IntN(6) {
				s.call()

				if away := s.site.away(); len(away) > 1 {
					t.Fatalf("seed %d, step %d: %v are away at once\n%s", seed, step, away, strings.Join(s.log, "\n"))
				}

				newerThanServers(t, s, seed)

				if len(s.site.stops) > 0 {
					t.Fatalf("seed %d, step %d: etcd counts removed members again on %v\n%s", seed, step, s.site.stops, strings.Join(s.log, "\n"))
				}
			}
		}

		s.spec.Rollout.Pause, s.trouble = false, ""
		if p := s.settle(400); p.State != v1alpha1.RolloutComplete && !strings.Contains(p.Message, "only server") {
			t.Fatalf("seed %d: the rollout is %s: %s\n%s", seed, p.State, p.Message, strings.Join(s.log[max(0, len(s.log)-20):], "\n"))
		}

		for name, n := range s.site.nodes {
			if n.child.Version != s.spec.Version {
				t.Fatalf("seed %d: %s runs %s", seed, name, n.child.Version)
			}
		}

		jobs += len(s.site.jobs)
	}

	if jobs < 60 {
		t.Errorf("%d upgrades in all worlds: they are about nothing", jobs)
	}
}

// allows says whether a claim with a release is accepted.
func allows(s *story, release string) bool {
	return len(CheckUpgrade(s.spec, release, true, s.site.children())) == 0
}

// newerThanServers fails where an agent runs a newer release than a server, which Kubernetes does not support.
func newerThanServers(t *testing.T, s *story, seed uint64) {
	t.Helper()

	var servers, agents []Child

	for _, n := range s.site.nodes {
		switch {
		case !n.child.Joined:
		case n.child.Role == v1alpha1.K3sServer:
			servers = append(servers, n.child)
		default:
			agents = append(agents, n.child)
		}
	}

	for _, a := range agents {
		if slices.ContainsFunc(servers, func(c Child) bool { return k3s.OlderRelease(c.Version, a.Version) }) {
			t.Fatalf("seed %d: %s runs %s, and a server an older release\n%s", seed, a.Machine, a.Version, strings.Join(s.log, "\n"))
		}
	}
}
