package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

const nextRelease = "v1.33.7+k3s3"

// upgradable are servers and agents of one cluster that have joined, and that system-upgrade-controller may upgrade. Observed in some way.
func upgradable(t *testing.T, servers, agents int, how string) []*machine {
	t.Helper()

	all := joined(t, servers, how)

	for i := range agents {
		agent := all[0].beside(fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0]))
		name := "agent-" + string(rune('1'+i))
		meta := world.Object(agent.Composite["metadata"])
		meta["name"], world.Object(meta["labels"])["crossplane.io/claim-name"] = name+"-x7f2k", name
		world.Object(agent.Spec()["claimRef"])["name"] = name
		world.Object(agent.Spec()["network"])["ip"] = "192.168.4.22" + string(rune('1'+i))
		agent.observe(how)

		all = append(all, agent)
	}

	for _, m := range all {
		m.Joins = true
		m.SetCluster("home", "upgrade", "SystemUpgrade")
	}

	all[0].Cluster().Rest()
	all[0].Cluster().Rest()
	all[0].Proxmox.Done = nil

	return all
}

// release that the catalogue names from now on.
func release(all []*machine, version string) {
	for _, m := range all {
		m.SetCluster("home", "version", version)
	}
}

// plans in the K3s cluster.
func plans(m *machine) []string { return world.Keys(m.Cluster().Kubernetes.Upgrader.Plans) }

// TestNodesAreUpgradedInPlace: servers first, one at a time, by their names, and nothing is left of it.
func TestNodesAreUpgradedInPlace(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()

			all := upgradable(t, 3, 2, how)
			before := len(all[0].Proxmox.Done)

			for _, m := range all {
				m.says(m.Call(), map[string]string{"VersionCurrent": "SameVersion"})
			}

			if got := plans(all[0]); len(got) > 0 {
				t.Fatalf("there are Plans before there is anything to upgrade: %v", got)
			}

			release(all, nextRelease)
			together(all, 60, func() {})

			want := []string{"server-1", "server-2", "server-3", "agent-1", "agent-2"}
			if diff := cmp.Diff(want, all[0].Cluster().Kubernetes.Upgrader.Done); diff != "" {
				t.Errorf("nodes in the order of their upgrades: -want, +got:\n%s", diff)
			}

			if got := plans(all[0]); len(got) > 0 {
				t.Errorf("Plans are left: %v", got)
			}

			if done := all[0].Proxmox.Done[before:]; len(done) > 0 {
				t.Errorf("something was done in Proxmox: %v", done)
			}

			for _, m := range all {
				rsp := m.Rest()
				m.says(rsp, map[string]string{"VersionCurrent": "SameVersion", "BootstrapCurrent": "K3sVersionChanged", "MachineReady": "Running"})

				if a := world.Annotation(m.Observed["vm"], proxmox.OutageAnnotation); a != "" {
					t.Errorf("%s still announces %q", m.Name(), a)
				}

				if m.Cluster().Cordoned(m.NodeName()) {
					t.Errorf("%s is cordoned", m.NodeName())
				}
			}
		})
	}
}

// TestWithoutSystemUpgradeNothingIsUpgraded: the condition says what it always said.
func TestWithoutSystemUpgradeNothingIsUpgraded(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Here")
	release(all, nextRelease)
	all[0].Cluster().Rest()

	for _, m := range all {
		m.says(m.Call(), map[string]string{"VersionCurrent": "OtherVersion"})
	}

	if got := plans(all[0]); len(got) > 0 {
		t.Errorf("there are Plans: %v", got)
	}
}

// TestAnUpgradeThatWaits says for whom, and goes on by itself when that is over.
func TestAnUpgradeThatWaits(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		of     int // Among two servers' worth of names: servers 0 to 2, agents 3 and 4.
		before func(all []*machine)
		says   string
		end    func(all []*machine)
	}{
		"Order": {
			reason: "Servers come first, by name.", of: 3, before: func(all []*machine) { all[0].Cluster().Kubernetes.Upgrader.Hangs = true },
			says: "after server-1 (runs v1.33.6+k3s1), server-2 (runs v1.33.6+k3s1), server-3 (runs v1.33.6+k3s1), when",
			end:  func(all []*machine) { all[0].Cluster().Kubernetes.Upgrader.Hangs = false },
		},
		"AgentNotReady": {
			reason: "A node that is not well holds all others.", of: 0,
			before: func(all []*machine) {
				all[4].Joins = false
				all[0].Cluster().SetNode("agent-2", "Ready", "Unknown", "NodeStatusUnknown")
			},
			says: "when agent-2 is ready again (its Node is not Ready)", end: func(all []*machine) { all[4].Joins = true },
		},
		"NoVote": {
			reason: "A server that does not vote is away.", of: 0,
			before: func(all []*machine) {
				all[2].Joins = false
				all[0].Cluster().SetNode("server-3", "EtcdIsVoter", "False", "MemberIsLearner")
			},
			says: "when server-3 is ready again (its etcd member does not vote)", end: func(all []*machine) { all[2].Joins = true },
		},
		"Stopped": {
			reason: "Nor one that is stopped.", of: 0, before: func(all []*machine) { all[1].Spec()["power"] = "Stopped" },
			says: "when server-2 is ready again (is stopped)", end: func(all []*machine) { all[1].Spec()["power"] = "Running" },
		},
		"Cordoned": {
			reason: "The controller would uncordon what a person cordoned.", of: 0, before: func(all []*machine) { all[0].Cluster().Cordon("server-1", true) },
			says: "somebody runs `kubectl uncordon server-1`", end: func(all []*machine) { all[0].Cluster().Cordon("server-1", false) },
		},
		"Drained": {
			reason: "A Node that its claim keeps drained stays so.", of: 0, before: func(all []*machine) { all[0].lifecycle("drain", "a") },
			says: "no drain, restart or other planned outage of its own", end: func(all []*machine) { delete(world.Object(all[0].Spec()["lifecycle"]), "drain") },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := upgradable(t, 3, 2, "Here")
			tc.before(all)

			for range 6 {
				for _, m := range all {
					m.Turn()
				}
			}

			release(all, nextRelease)

			for range 10 {
				for _, m := range all {
					m.Turn()
				}
			}

			m := all[tc.of]
			rsp := m.Call()
			m.says(rsp, map[string]string{"VersionCurrent": "WaitingForTurn", "MachineReady": "Running"})

			if msg := world.Message(rsp, "VersionCurrent"); !strings.Contains(msg, tc.says) {
				t.Errorf("%s\nwant %q in it, got %q", tc.reason, tc.says, msg)
			}

			if done := all[0].Cluster().Kubernetes.Upgrader.Done; len(done) > 0 {
				t.Errorf("%s\nupgraded: %v", tc.reason, done)
			}

			tc.end(all)
			together(all, 60, func() {})

			if done := all[0].Cluster().Kubernetes.Upgrader.Done; len(done) != len(all) {
				t.Errorf("only %v are upgraded when it is over: %s", done, world.Message(m.Call(), "VersionCurrent"))
			}
		})
	}
}

// TestAnUpgradeThatCannotBe says why, holds nothing else, and writes no Plan that chooses a Node.
func TestAnUpgradeThatCannotBe(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason, version, want, says string
		before                      func(all []*machine)
	}{
		"Older": {reason: "K3s is not downgraded.", version: "v1.32.9+k3s1", want: "UpgradeRefused", says: "K3s cannot be downgraded in place"},
		"Skips": {reason: "Kubernetes does not support it.", version: "v1.35.1+k3s1", want: "UpgradeRefused", says: "upgrade to a release of v1.34 first"},
		"Etcd":  {reason: "The cluster would stop.", version: "v1.34.2+k3s1", want: "UpgradeRefused", says: "upgrade to v1.33.7+k3s3 first"},
		"NoController": {
			reason: "Nobody would carry out a Plan.", version: nextRelease, want: "UpgradeBlocked", says: "The cluster has no system-upgrade-controller",
			before: func(all []*machine) { all[0].Cluster().Kubernetes.Upgrader.Missing = true },
		},
		"NoRights": {
			reason: "Nobody writes Plans.", version: nextRelease, want: "UpgradeBlocked", says: "install/observe/provider-kubernetes-plans.yaml",
			before: func(all []*machine) {
				all[0].Cluster().Kubernetes.Fails = "observe failed: plans.upgrade.cattle.io is forbidden"
			},
		},
		"OptedOut": {
			reason: "A person's label counts.", version: nextRelease, want: "UpgradeBlocked", says: "kubectl label node server-1 k3s-upgrade-",
			before: func(all []*machine) { all[0].label("k3s-upgrade", "disabled") },
		},
		"OfAK3sCluster": {
			reason: "A K3sCluster takes turns of its own.", version: nextRelease, want: "UpgradeBlocked", says: "K3sCluster lab has nodes of the same Kubernetes cluster",
			before: func(all []*machine) { all[2].ofCluster("lab") },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := upgradable(t, 3, 0, "Here")
			if tc.before != nil {
				tc.before(all)
			}

			release(all, tc.version)

			for range 8 {
				for _, m := range all {
					m.Turn()
				}
			}

			rsp := all[0].Call()
			all[0].says(rsp, map[string]string{"VersionCurrent": tc.want, "MachineReady": "Running"})

			if msg := world.Message(rsp, "VersionCurrent"); !strings.Contains(msg, tc.says) {
				t.Errorf("%s\nwant %q in it, got %q", tc.reason, tc.says, msg)
			}

			if c := all[0].Cluster(); len(c.Kubernetes.Upgrader.Done) > 0 || c.Cordoned("server-1") {
				t.Errorf("%s\nupgraded: %v", tc.reason, c.Kubernetes.Upgrader.Done)
			}

			// Who waits for a person holds nobody.
			id := all[1].number()
			all[1].lifecycle("reboot", "a")

			for range 12 {
				for _, m := range all {
					m.Turn()
				}
			}

			if got := of(all[1].Proxmox, id); !slices.Equal(got, []string{"stop", "start"}) {
				t.Errorf("%s\nanother server does not restart: %v: %s", tc.reason, got, world.Message(all[1].Call(), "RebootPending"))
			}
		})
	}
}

// TestARestartWaitsForTheUpgrade of its own K3s, and of another server's.
func TestARestartWaitsForTheUpgrade(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		reason        string
		servers       int
		hangs, reboot int
		says          string
	}{
		"Own":    {"A Job is at work in the VM.", 3, 0, 0, "condition VersionCurrent has the details"},
		"Other":  {"Two servers would be away.", 3, 0, 1, "server-1 (restarts, moves, is being upgraded or replaced)"},
		"Agents": {"A Job is at work in an agent's VM.", 0, 3, 3, "condition VersionCurrent has the details"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := upgradable(t, 3, 1, "Here")
			c := all[0].Cluster()

			if tc.hangs > 0 {
				for _, m := range all[:3] {
					c.SetRelease(m.NodeName(), nextRelease)
				}
			}

			c.Kubernetes.Upgrader.Hangs = true
			release(all, nextRelease)

			for range 8 {
				for _, m := range all {
					m.Turn()
				}
			}

			all[tc.hangs].says(all[tc.hangs].Call(), map[string]string{"VersionCurrent": "Upgrading"})

			m, id := all[tc.reboot], all[tc.reboot].number()
			m.lifecycle("reboot", "a")

			for range 8 {
				for _, m := range all {
					m.Turn()
				}
			}

			if msg := world.Message(m.Call(), "RebootPending"); !strings.Contains(msg, tc.says) {
				t.Errorf("%s\nwant %q in it, got %q", tc.reason, tc.says, msg)
			}

			if got := of(m.Proxmox, id); len(got) > 0 {
				t.Errorf("%s\ndone: %v", tc.reason, got)
			}

			c.Kubernetes.Upgrader.Hangs = false
			together(all, 60, func() {})

			if got := of(m.Proxmox, id); !slices.Equal(got, []string{"stop", "start"}) {
				t.Errorf("%s\nit does not restart when the upgrade is over: %v", tc.reason, got)
			}

			if got := len(c.Kubernetes.Upgrader.Done); got+tc.hangs != len(all) {
				t.Errorf("upgraded: %v", c.Kubernetes.Upgrader.Done)
			}
		})
	}
}

// TestAnUpgradeThatIsTakenBack ends, and holds nobody any more.
func TestAnUpgradeThatIsTakenBack(t *testing.T) {
	t.Parallel()

	for name, take := range map[string]func(all []*machine){
		"Word": func(all []*machine) {
			for _, m := range all {
				m.SetCluster("home", "upgrade", nil)
			}
		},
		"Release": func(all []*machine) { release(all, "v1.33.6+k3s1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := upgradable(t, 3, 0, "Here")
			c := all[0].Cluster()
			c.Kubernetes.Upgrader.Hangs = true
			release(all, nextRelease)

			for range 6 {
				for _, m := range all {
					m.Turn()
				}
			}

			all[0].says(all[0].Call(), map[string]string{"VersionCurrent": "Upgrading"})

			c.Kubernetes.Upgrader.Hangs = false
			take(all)
			together(all, 20, func() {})

			if got := plans(all[0]); len(got) > 0 {
				t.Errorf("Plans are left: %v", got)
			}

			for _, m := range all {
				if a := world.Annotation(m.Observed["vm"], proxmox.OutageAnnotation); a != "" {
					t.Errorf("%s still announces %q", m.Name(), a)
				}
			}
		})
	}
}

// label the Node of a machine.
func (m *machine) label(key, value string) {
	world.Object(world.Object(m.Cluster().Nodes[m.NodeName()]["metadata"])["labels"])[key] = value
	m.Joins = false
}

// ofCluster makes the machine a node of a K3sCluster.
func (m *machine) ofCluster(name string) {
	meta := world.Object(m.Composite["metadata"])
	world.Object(meta["labels"])["crossplane.io/composite"] = name
	meta["ownerReferences"] = []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sCluster", "name": name, "controller": true}}
}
