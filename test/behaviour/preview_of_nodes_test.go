package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// ofNode are the lines of the plan about the machine's Kubernetes Node.
func (m *machine) ofNode() []string {
	m.t.Helper()

	return slices.DeleteFunc(m.explained(), func(line string) bool { return !strings.HasPrefix(line, "Node ") })
}

// explains holds the lines of the plan about the Node.
func (m *machine) explains(reason string, want ...string) {
	m.t.Helper()

	if diff := cmp.Diff(want, m.ofNode(), cmpopts.EquateEmpty()); diff != "" {
		m.t.Errorf("%s\n-want, +got:\n%s", reason, diff)
	}
}

// TestExplainNode: the plan has what becomes of the Node of a machine that nobody replaces.
func TestExplainNode(t *testing.T) {
	t.Parallel()

	in := world.Installations[0]

	alone(t, fake.ExampleNamed(t, "k3s-cluster/server-1").Machine(in)).explains("Nobody reads the Node.")

	m, _ := observedIn(t, in)
	m.explains("The VM runs, and has not joined.", "Node server-1: wait",
		"Node server-1: There is no Node server-1. On the VM, `k3s-bootstrap status` shows how far the installation of K3s has come")

	m.Join(m.number())
	m.Rest()
	m.explains("All is well.", "Node server-1: keep")

	m.Cluster().SetNode("server-1", "EtcdIsVoter", "False", "NotAMember")
	world.Object(m.Spec()["k3s"])["version"] = "v1.33.7+k3s3"
	m.explains("What is not as it should be comes with it.", "Node server-1: keep",
		"Node server-1: K3s says that Node server-1 has no etcd member, or an unhealthy one: `journalctl -u k3s` on the VM has the cause",
		"Node server-1: The node runs K3s v1.33.6+k3s1, and its claim says v1.33.7+k3s3: upgrade K3s on the node, correct the claim, or have system-upgrade-controller do it, "+
			"with `upgrade: SystemUpgrade` in the K3sCluster or in the catalogue's entry of the cluster")

	m.Cluster().DeleteNode("server-1")
	m.explains("Somebody deleted it.", "Node server-1: wait",
		"Node server-1: Node server-1 had joined, and is gone: somebody deleted it. K3s has removed its etcd member, so the server needs a new VM: "+
			"set spec.lifecycle.replace to a new value")
}

// TestExplainNodeOfAReplacement: from the plan of the edit to the VM that took over.
func TestExplainNodeOfAReplacement(t *testing.T) {
	t.Parallel()

	all := servers(t, 3)
	m, cluster := all[1], all[0].Cluster()

	for _, other := range all {
		other.SetCluster("home", "observe", "Here")
		other.Join(other.number())
	}

	all[0].Rest()

	was := m.number()
	m.replace("a")

	goes := func() {
		t.Helper()
		m.explains("The old VM's Node goes first.", "Node server-2: replace",
			fmt.Sprintf("Node server-2: when VM %d is stopped, delete the Node: `kubectl delete node server-2`; its etcd member goes, too", was),
			fmt.Sprintf("Node server-2: the new VM (vm) then joins under this name; VM %d stays until the new VM is ready, its Node is Ready and its etcd member votes", was))
	}
	goes()

	if plan := strings.Join(m.explained(), "\n"); !strings.Contains(plan, "when the new VM is ready, its Node is Ready and its etcd member votes, VM") {
		t.Errorf("the plan does not say what the old VM waits for:\n%s", plan)
	}

	all[0].Rest()
	goes()

	cluster.DeleteNode("server-2")
	m.explains("Now the new VM can join.", "Node server-2: wait",
		fmt.Sprintf("Node server-2: the new VM (vm) joins under this name; VM %d stays until the new VM is ready, its Node is Ready and its etcd member votes", was))

	m.JoinAll()
	cluster.SetNode("server-2", "EtcdIsVoter", "False", "MemberIsLearner")
	m.explains("It has joined, and learns.", "Node server-2: keep",
		fmt.Sprintf("Node server-2: the new VM (vm) has joined under this name; VM %d stays until the new VM is ready, its Node is Ready and its etcd member votes", was))

	cluster.SetNode("server-2", "EtcdIsVoter", "True", "MemberNotLearner")
	all[0].Rest()
	m.explains("It is the machine.", "Node server-2: keep")

	if m.number() == was {
		t.Errorf("VM %d is the machine still", was)
	}
}

// TestExplainNodeOfAnotherMachine: a Node in the way is said, with and without a replacement.
func TestExplainNodeOfAnotherMachine(t *testing.T) {
	t.Parallel()

	m := alone(t, fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0]))
	m.SetCluster("home", "observe", "Here")
	m.Cluster().AddNode("agent-1", world.FromYAML(t, `
apiVersion: v1
kind: Node
metadata: {name: agent-1}
status: {nodeInfo: {systemUUID: 00112233-4455-6677-8899-aabbccddeeff}}
`))
	m.Rest()

	const other = "Node agent-1: Node agent-1 is not this machine's VM: its system UUID is another one. The Node is left from an earlier machine, or another " +
		"machine has the name. As long as it exists, K3s refuses this VM (\"Node password rejected, duplicate hostname\"). If no machine is this Node any " +
		"more, run `kubectl delete node agent-1`"

	m.explains("It is not the machine's.", "Node agent-1: wait", other)

	was := m.number()
	m.replace("a")
	m.explains("Nor is it the old VM's.", "Node agent-1: wait", other,
		fmt.Sprintf("Node agent-1: the new VM cannot join before; VM %d stays until the new VM and its Node are ready", was))
}

// TestExplainNodeThatGoes: where the function lets Nodes go, each step of the replacement has its line.
func TestExplainNodeThatGoes(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Here", deletes)
	m, was := all[1], all[1].number()

	m.replace("a")

	for _, other := range all {
		other.Joins = true
	}

	var got []string

	for range 30 {
		for _, line := range m.explained() {
			about := strings.HasPrefix(line, "Node ") || strings.Contains(line, "Node server-2 ")
			if about && !slices.Contains(got, line) {
				got = append(got, line)
			}
		}

		for _, other := range all {
			other.Turn()
		}
	}

	stays := fmt.Sprintf("VM %d stays until the new VM is ready, its Node is Ready and its etcd member votes", was)
	want := []string{
		"Node server-2: replace",
		fmt.Sprintf("Node server-2: Node server-2 is deleted when VM %d is stopped; its etcd member goes, too", was),
		"Node server-2: the new VM (vm) then joins under this name; " + stays,
		"node-deletion-vm: Node server-2 is deleted; if it is a server's, its member of etcd goes, too",
		"Node server-2: wait",
		"Node server-2: the new VM (vm) joins under this name; " + stays,
		"Node server-2: keep",
		"Node server-2: the new VM (vm) has joined under this name; " + stays,
		"node-deletion-vm: Node server-2 goes when this Object is deleted",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if m.number() == was {
		t.Errorf("VM %d is the machine still", was)
	}
}

// TestExplainNodeThatNobodyReads: what is not known is not said.
func TestExplainNodeThatNobodyReads(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Object", deletes)
	m := all[1]
	m.replace("a")
	m.Cluster().Kubernetes.Fails = "connect failed: cannot get provider config: ProviderConfig.kubernetes.crossplane.io \"home\" not found"
	m.Provide()

	m.explains("Nobody knows whose Node there is.", "Node server-2: wait",
		"Node server-2: Provider-kubernetes cannot use its configuration home: create the configuration, or correct its Secret or providerConfig in the "+
			"cluster's entry of the catalogue",
		fmt.Sprintf("Node server-2: VM %d stays until the new VM is ready, its Node is Ready and its etcd member votes", m.number()))
}
