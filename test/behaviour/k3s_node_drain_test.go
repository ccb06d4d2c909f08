package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// drains are the edits of machines whose Nodes are drained before outages.
const drains = "{k3s: {drain: true}, deletionProtection: false, deletionPolicy: Delete}"

// drainable are servers and an agent that have joined a cluster, which is observed in some way.
func drainable(t *testing.T, servers int, how string, edits ...string) (all []*machine, agent *machine) {
	t.Helper()

	all = joined(t, servers, how, edits...)
	agent = all[0].beside(fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0]))

	for _, e := range edits {
		world.Merge(agent.Spec(), world.FromYAML(t, e))
	}

	agent.observe(how)

	all = append(all, agent)
	for _, m := range all {
		m.Joins = true
	}

	agent.Rest()
	agent.Rest()
	agent.Proxmox.Done = nil

	return all, agent
}

// order of some of what was done in Proxmox and to Nodes, without numbers.
func order(m *machine, words ...string) []string {
	out := []string{}

	for _, d := range m.Proxmox.Done {
		if word, _, _ := strings.Cut(d, " "); slices.Contains(words, word) {
			out = append(out, word)
		}
	}

	return out
}

func expectOrder(t *testing.T, m *machine, want ...string) {
	t.Helper()

	if got := order(m, "drain", "uncordon", "stop", "start"); !slices.Equal(got, want) {
		t.Errorf("want %v, got %v: %v", want, got, m.Proxmox.Done)
	}
}

// TestAnOutageWaitsForTheDrain: of an agent and of a server, here and in another cluster; then the node is uncordoned.
func TestAnOutageWaitsForTheDrain(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		for _, role := range []string{"server", "agent"} {
			t.Run(how+role, func(t *testing.T) {
				t.Parallel()

				all, m := drainable(t, 3, how, drains)
				if role == "server" {
					m = all[1]
				}

				c := m.Cluster()
				c.Kubernetes.Drain = world.JobHangs
				m.lifecycle("reboot", "a")

				for range 12 {
					m.Turn()
				}

				m.says(m.Call(), map[string]string{"NodeDrained": "Draining", "RebootPending": "WaitingForDrain", "MachineReady": "Running"})
				expectOrder(t, m, "drain")

				if !c.Cordoned(m.NodeName()) {
					t.Error("the Node is not cordoned")
				}

				c.Kubernetes.EndJobs(world.JobCompletes)
				rsp := m.Rest()
				m.says(rsp, map[string]string{"NodeDrained": "NotDrained", "RebootPending": "NothingPending", "MachineReady": "Running"})
				expectOrder(t, m, "drain", "stop", "start", "uncordon")

				if c.Cordoned(m.NodeName()) {
					t.Error("the Node stays cordoned")
				}

				// Once more.
				m.Proxmox.Done = nil
				m.lifecycle("reboot", "b")
				m.Rest()
				expectOrder(t, m, "drain", "stop", "start", "uncordon")
			})
		}
	}
}

// TestADrainThatFails: the outage begins all the same, the condition says so, and the node is uncordoned afterwards.
func TestADrainThatFails(t *testing.T) {
	t.Parallel()

	_, m := drainable(t, 1, "Here", drains)
	m.Cluster().Kubernetes.Drain = world.JobFails
	m.Spec()["power"] = "Stopped"
	m.Cluster().Rest()

	m.says(m.Turn(), map[string]string{"NodeDrained": "DrainUnfinished", "MachineReady": "Stopped"})
	expectOrder(t, m, "drain", "stop")

	m.Cluster().Kubernetes.Drain = world.JobCompletes
	m.Spec()["power"] = "Running"
	m.says(m.Rest(), map[string]string{"NodeDrained": "NotDrained", "MachineReady": "Running"})
	expectOrder(t, m, "drain", "stop", "start", "uncordon")
}

// TestADrainWithoutEnd: what waits says so, with what helps, and what helps, helps.
func TestADrainWithoutEnd(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		server bool
		fails  string
		config bool
		want   string
		says   string
		end    func(m *machine)
	}{
		"NoRights": {
			reason: "Nobody applied install/drain.", fails: `create failed: jobs.batch is forbidden: User "system:secret-name"`, want: "Draining",
			says: "Apply install/drain", end: func(m *machine) { m.Cluster().Kubernetes.Fails = "" },
		},
		"NoNamespace": {
			reason: "Nobody applied install/drain.", fails: `create failed: cannot create object: namespaces "node-drain" not found`, want: "Draining",
			says: "The namespace is missing", end: func(m *machine) { m.Cluster().Kubernetes.Fails = "" },
		},
		"SwitchedOff": {
			reason: "An agent goes on without its drain.", fails: "connect failed: no config", want: "Draining", says: "set spec.k3s.drain to false",
			end: func(m *machine) { world.Merge(m.Spec(), world.FromYAML(m.t, "k3s: {drain: false}")) },
		},
		"Forced": {
			reason: "A server goes on without its drain.", server: true, fails: "connect failed: no config", want: "Draining",
			says: "or spec.lifecycle.force to a new value", end: func(m *machine) { m.lifecycle("force", "now") },
		},
		"NoConfiguration": {
			reason: "The catalogue does not let anybody drain.", config: true, want: "DrainBlocked", says: "set observe and providerConfig",
			end: func(m *machine) { m.SetCluster("home", "providerConfig", "home") },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all, m := drainable(t, 3, "Here", drains)
			if tc.server {
				m = all[2]
			}

			if tc.config {
				m.SetCluster("home", "providerConfig", nil)
			}

			m.Cluster().Kubernetes.Fails = tc.fails
			m.lifecycle("reboot", "a")

			for range 10 {
				m.Turn()
			}

			rsp := m.Call()
			m.says(rsp, map[string]string{"NodeDrained": tc.want, "RebootPending": "WaitingForDrain", "MachineReady": "Running"})

			if text := world.Message(rsp, "NodeDrained"); !strings.Contains(text, tc.says) || strings.Contains(text, "secret-name") {
				t.Errorf("want %q, got %q", tc.says, text)
			}

			if got := of(m.Proxmox, m.number()); len(got) > 0 {
				t.Fatalf("%s: done before: %v", tc.reason, got)
			}

			tc.end(m)

			for range 15 {
				m.Turn()
			}

			if got := of(m.Proxmox, m.number()); !slices.Equal(got, []string{"stop", "start"}) {
				t.Errorf("%s: want a power cycle, got %v", tc.reason, got)
			}
		})
	}
}

// TestOneCommitDrainsOneServerAtATime: the fake finds a second one. All are rebooted, and none stays cordoned.
func TestOneCommitDrainsOneServerAtATime(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			all, _ := drainable(t, 3, how, drains)
			ids := map[*machine]int{}

			for _, m := range all {
				ids[m] = m.number()
				m.lifecycle("reboot", "a")
			}

			check := watch(t, all[0].Proxmox, 2)

			together(all, 80, check)

			for _, m := range all {
				if got := of(m.Proxmox, ids[m]); !slices.Equal(got, []string{"stop", "start"}) {
					t.Errorf("%s: want one power cycle, got %v", m.Name(), got)
				}

				m.says(m.Turn(), map[string]string{"NodeDrained": "NotDrained", "RebootPending": "NothingPending"})

				if m.Cluster().Cordoned(m.NodeName()) {
					t.Errorf("%s stays cordoned", m.NodeName())
				}
			}
		})
	}
}

// TestATriggerDrains: once for each new value; the node stays cordoned while the value stands.
func TestATriggerDrains(t *testing.T) {
	t.Parallel()

	for _, role := range []string{"server", "agent"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()

			all, m := drainable(t, 3, "Here")
			if role == "server" {
				m = all[0]
			}

			m.lifecycle("drain", "a")
			m.says(m.Rest(), map[string]string{"NodeDrained": "Drained", "MachineReady": "Running"})
			expectOrder(t, m, "drain")

			if a := world.Annotation(m.Observed["vm"], proxmox.OutageAnnotation); a != "" {
				t.Errorf("the drain has ended, and %q is still announced", a)
			}

			// A reboot does not uncordon it.
			m.lifecycle("reboot", "b")
			m.says(m.Rest(), map[string]string{"NodeDrained": "Drained", "RebootPending": "NothingPending"})
			expectOrder(t, m, "drain", "stop", "start")

			m.lifecycle("drain", "c")
			m.Rest()
			expectOrder(t, m, "drain", "stop", "start", "drain")

			m.lifecycle("drain", "")
			m.says(m.Rest(), map[string]string{"NodeDrained": "NotDrained"})
			expectOrder(t, m, "drain", "stop", "start", "drain", "uncordon")
		})
	}
}

// TestANodeThatWasCordonedStaysSo: a person's cordon is not the function's to lift.
func TestANodeThatWasCordonedStaysSo(t *testing.T) {
	t.Parallel()

	_, m := drainable(t, 1, "Here", drains)
	m.Cluster().Cordon(m.NodeName(), true)
	m.lifecycle("reboot", "a")
	m.Rest()
	expectOrder(t, m, "drain", "stop", "start")

	if !m.Cluster().Cordoned(m.NodeName()) {
		t.Error("the Node was uncordoned")
	}
}

// TestOnlyANodeThatIsProvenIsDrained: whatever the Node of the name is, it is left alone; an outage waits where a person has to see to the Node.
func TestOnlyANodeThatIsProvenIsDrained(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		change func(m *machine)
		want   string
		done   []string
	}{
		"NoNode": {
			reason: "Nothing can be evicted.", want: "DrainBlocked", done: []string{"stop", "start"},
			change: func(m *machine) { m.Cluster().DeleteNode(m.NodeName()) },
		},
		"OtherMachine": {
			reason: "It is another machine's.", want: "DrainBlocked", done: []string{"stop", "start"},
			change: func(m *machine) {
				info := world.Object(world.Object(m.Cluster().Nodes[m.NodeName()]["status"])["nodeInfo"])
				info["systemUUID"] = "00112233-4455-6677-8899-aabbccddeeff"
			},
		},
		"Unproven": {
			reason: "It may be another machine's.", want: "DrainBlocked", done: nil,
			change: func(m *machine) {
				info := world.Object(world.Object(m.Cluster().Nodes[m.NodeName()]["status"])["nodeInfo"])
				info["systemUUID"] = ""
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, m := drainable(t, 1, "Here", drains)
			m.Joins = false
			tc.change(m)
			m.lifecycle("reboot", "a")

			seen := map[string]bool{}
			for range 12 {
				rsp := m.Turn()
				seen[world.Reason(rsp, "NodeDrained")] = true
			}

			if !seen[tc.want] {
				t.Errorf("%s: want %s, got %v", tc.reason, tc.want, seen)
			}

			expectOrder(t, m, tc.done...)
		})
	}
}

// TestAReplacementDrainsFirst: the old VM's Node, and never the new one's.
func TestAReplacementDrainsFirst(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()

			all, _ := drainable(t, 3, how, drains)
			was := map[*machine]int{}

			for _, m := range all {
				was[m] = m.number()
				m.replace("a")
			}

			check := watch(t, all[0].Proxmox, 2)

			for range 120 {
				for _, m := range all {
					m.Turn()
					check()
				}
			}

			for _, m := range all {
				rsp := m.Call()
				m.says(rsp, map[string]string{"NodeJoined": "Joined", "ReplacementRequired": "NotRequired"})

				if m.number() == was[m] {
					t.Errorf("%s was not replaced: %s", m.NodeName(), world.Message(rsp, "ReplacementRequired"))
				}

				done := m.Proxmox.Done
				drain := slices.Index(done, "drain "+m.NodeName())
				stop := slices.Index(done, fmt.Sprintf("stop %d", was[m]))

				if drain < 0 || stop < drain {
					t.Errorf("%s: want a drain before the stop: %v", m.NodeName(), done)
				}

				if m.Cluster().Cordoned(m.NodeName()) {
					t.Errorf("the new Node %s is cordoned", m.NodeName())
				}

				if slices.Contains(done, "uncordon "+m.NodeName()) {
					t.Errorf("somebody uncordons the new Node %s", m.NodeName())
				}
			}
		})
	}
}

// TestAReplacementThatIsTakenBackUncordons: the old VM goes on as it was.
func TestAReplacementThatIsTakenBackUncordons(t *testing.T) {
	t.Parallel()

	_, m := drainable(t, 1, "Here", drains)
	m.Cluster().Kubernetes.Drain = world.JobHangs
	m.replace("a")

	for range 12 {
		m.Turn()
	}

	rsp := m.Call()
	m.says(rsp, map[string]string{"NodeDrained": "Draining", "ReplacementRequired": "Replacing", "MachineReady": "Running"})

	if !strings.Contains(world.Message(rsp, "ReplacementRequired"), "until its Node is drained") {
		t.Errorf("got %q", world.Message(rsp, "ReplacementRequired"))
	}

	m.explains("The Node is still to go, while it is drained.", "Node agent-1: replace",
		fmt.Sprintf("Node agent-1: Node agent-1 is deleted when VM %d is stopped", m.number()),
		fmt.Sprintf("Node agent-1: the new VM (vm) then joins under this name; VM %d stays until the new VM and its Node are ready", m.number()))

	m.lifecycle("replace", "")
	m.Cluster().Kubernetes.EndJobs(world.JobCompletes)
	m.says(m.Rest(), map[string]string{"NodeDrained": "NotDrained", "ReplacementRequired": "NotRequired"})
	expectOrder(t, m, "drain", "uncordon")
}

// TestWithoutADrainNothingIsDrained: the claim and the catalogue decide.
func TestWithoutADrainNothingIsDrained(t *testing.T) {
	t.Parallel()

	_, m := drainable(t, 1, "Here")
	m.lifecycle("reboot", "a")
	rsp := m.Rest()
	expectOrder(t, m, "stop", "start")

	if world.Reason(rsp, "NodeDrained") != "" {
		t.Errorf("got %s", world.Reason(rsp, "NodeDrained"))
	}

	m.Proxmox.Done = nil
	m.SetCluster("home", "drain", map[string]any{"outages": true})
	m.lifecycle("reboot", "b")
	m.Rest()
	expectOrder(t, m, "drain", "stop", "start", "uncordon")
}

// TestThePlanNamesDrains: what a preview shows of each step.
func TestThePlanNamesDrains(t *testing.T) {
	t.Parallel()

	_, m := drainable(t, 1, "Here", drains)
	m.Input["explain"] = true
	m.lifecycle("reboot", "a")

	var said []string

	for range 15 {
		for _, r := range m.Turn().GetResults() {
			said = append(said, r.GetMessage())
		}
	}

	for _, want := range []string{
		"drain-vm-1: create", "drain-vm-1: a Job cordons and drains Node agent-1", "drain-vm-1: remove", "uncordon-vm-2: a Job uncordons Node agent-1",
	} {
		if !slices.Contains(said, want) {
			t.Errorf("the plan never says %q", want)
		}
	}
}

// TestADrainBeforeARemoval is judged by what remains: of two servers one may go, although both are needed for the quorum of two.
func TestADrainBeforeARemoval(t *testing.T) {
	t.Parallel()

	all, _ := drainable(t, 2, "Here", drains)
	m := all[1]

	m.lifecycle("drain", "2026-11-25")
	m.says(m.Rest(), map[string]string{"NodeDrained": "WaitingForQuorum"})
	expectOrder(t, m)

	m.lifecycle("drain", "removal")
	m.says(m.Rest(), map[string]string{"NodeDrained": "Drained"})
	expectOrder(t, m, "drain")
}
