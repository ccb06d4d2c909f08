package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// deletes are the edits of machines whose Nodes go with them.
const deletes = "{deletionPolicy: Delete, deletionProtection: false}"

// observe the machine's cluster in a way of the catalogue, with a configuration of provider-kubernetes.
func (m *machine) observe(how string) {
	m.SetCluster("home", "observe", how)
	m.SetCluster("home", "providerConfig", "home")
}

// nodeObject is the composed Object of a name; nil where there is none.
func (m *machine) nodeObject(name string) map[string]any { return m.Observed[name] }

// joined are n servers that have joined a cluster which is observed in some way.
func joined(t *testing.T, n int, how string, edits ...string) []*machine {
	t.Helper()

	all := servers(t, n, edits...)

	for _, m := range all {
		m.observe(how)
		m.Join(m.number())
	}

	all[0].Rest()
	all[0].Rest()
	all[0].Proxmox.Done = nil

	for _, m := range all {
		m.says(m.Call(), map[string]string{"NodeJoined": "Joined", "EtcdMember": "Voter"})
	}

	return all
}

// TestANodeOfAnotherClusterIsReadThroughAnObject: what is composed, and what is read of it.
func TestANodeOfAnotherClusterIsReadThroughAnObject(t *testing.T) {
	t.Parallel()

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := alone(t, fake.ExampleNamed(t, "k3s-cluster/server-1").Machine(in))
			m.observe("Object")

			rsp := m.Rest()
			m.says(rsp, map[string]string{"MachineReady": "Running", "NodeJoined": "NotYet"})

			if _, asked := rsp.GetRequirements().GetResources()[world.NodeRequirement]; asked {
				t.Error("the function asks Crossplane for a Node of another cluster")
			}

			apiVersion, ref := "kubernetes.crossplane.io/v1alpha2", map[string]any{"name": "home"}
			if in.Namespaced {
				apiVersion, ref = "kubernetes.m.crossplane.io/v1alpha1", map[string]any{"kind": "ClusterProviderConfig", "name": "home"}
			}

			want := map[string]any{
				"apiVersion": apiVersion, "kind": "Object",
				"metadata": map[string]any{"labels": map[string]any{
					"homelab.io/machine": "server-1", "homelab.io/namespace": "infra-machines", "homelab.io/role": "k3s-server",
					"homelab.io/k3s-cluster": "home", "homelab.io/k3s-role": "server",
				}},
				"spec": map[string]any{
					"managementPolicies": []any{"Observe"}, "providerConfigRef": ref, "watch": true,
					"forProvider": map[string]any{"manifest": map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "server-1"}}},
					"readiness": map[string]any{
						"policy": "DeriveFromCelQuery", "celQuery": `object.status.conditions.exists(c, c.type == "Ready" && c.status == "True")`,
					},
				},
			}
			if diff := cmp.Diff(want, world.Desired(rsp, "node")); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}

			if rsp.GetDesired().GetResources()["node"].GetReady() != fnv1.Ready_READY_TRUE {
				t.Error("an Object keeps the composite from being ready")
			}

			m.Join(m.number())

			rsp = m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "Joined", "NodeReady": "KubeletReady", "EtcdMember": "Voter", "VersionCurrent": "SameVersion"})

			if !ready(rsp) {
				t.Error("the machine has joined, and is not ready")
			}

			// Nothing but the Object is gone with the observation.
			m.SetCluster("home", "observe", nil)
			m.SetCluster("home", "providerConfig", nil)

			rsp = m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "NotObserved"})

			if world.Desired(rsp, "node") != nil || !ready(rsp) {
				t.Error("the observation does not end")
			}

			if m.Cluster().Nodes["server-1"] == nil {
				t.Error("the Node went with the observation")
			}
		})
	}
}

// TestAnObjectShowsNoNode: each cause is told apart, says what to do, and takes no readiness back. A new machine is not ready.
func TestAnObjectShowsNoNode(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason  string
		missing bool
		fails   string
		says    string
	}{
		"NotInstalled": {reason: "Crossplane could apply nothing with a kind that there is not.", missing: true, says: "provider-kubernetes is not installed"},
		"NoRights": {
			reason: "The ClusterRole is missing there.", says: "the rights of the ClusterRole provider-kubernetes-nodes",
			fails: `observe failed: cannot get object: nodes "server-1" is forbidden: User "system:secret-name" cannot get resource "nodes" in API group "" at the cluster scope`,
		},
		"NoRightsToCompare": {
			reason: "The provider asks for a dry run of what it would write, also where it may only observe.", says: "the rights of the ClusterRole provider-kubernetes-nodes",
			fails: `observe failed: cannot get desired state: cannot dry run SSA: nodes "server-1" is forbidden: User "system:secret-name" cannot patch resource "nodes"`,
		},
		"NoConfiguration": {
			reason: "Nobody created it.", says: "cannot use its configuration home",
			fails: `connect failed: cannot get provider config: ProviderConfig.kubernetes.crossplane.io "home" not found: system:secret-name`,
		},
		"Unreachable": {
			reason: "The cluster is down.", says: "does not answer",
			fails: "observe failed: cannot get object: Get \"https://system:secret-name@10.0.0.1:6443/api/v1/nodes/server-1\": dial tcp: i/o timeout",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := alone(t, fake.ExampleNamed(t, "k3s-cluster/server-1").Machine(world.Installations[2]))
			m.observe("Object")

			k := &m.Cluster().Kubernetes
			k.Missing, k.Fails = tc.missing, tc.fails

			rsp := m.Rest()
			m.says(rsp, map[string]string{"MachineReady": "Running", "NodeJoined": "NodeUnread", "NodeReady": "NoNode"})

			if msg := world.Message(rsp, "NodeJoined"); !strings.Contains(msg, tc.says) || strings.Contains(msg, "secret-name") {
				t.Errorf("%s\nthe message is %s", tc.reason, msg)
			}

			if ready(rsp) {
				t.Errorf("%s\nthe machine is ready, and nobody has seen its Node", tc.reason)
			}

			m.Join(m.number())

			k.Missing, k.Fails = false, ""

			rsp = m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "Joined"})

			if !ready(rsp) {
				t.Errorf("%s\nthe machine has joined, and is not ready", tc.reason)
			}

			if k.Fails = tc.fails; k.Fails == "" {
				return
			}

			rsp = m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "NodeUnread"})

			if !ready(rsp) {
				t.Errorf("%s\nthe machine's readiness is taken back", tc.reason)
			}
		})
	}
}

// TestANodeGoesWithItsMachine before the VM, and only where the VM goes, too.
func TestANodeGoesWithItsMachine(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			all := joined(t, 3, how, deletes)
			m := all[2]
			id := m.number()

			if got := world.Policies(m.nodeObject("node-deletion-vm")); got != "Observe,Delete" {
				t.Fatalf("the Object of the Node has policies %q", got)
			}

			m.Leave()
			m.did("delete node server-3", fmt.Sprintf("destroy %d", id))

			if c := m.Cluster(); c.Nodes["server-3"] != nil || c.Nodes["server-1"] == nil || c.Nodes["server-2"] == nil {
				t.Errorf("the Nodes that remain are %v", world.Keys(c.Nodes))
			}

			all[0].says(all[0].Rest(), map[string]string{"NodeJoined": "Joined"})
		})
	}
}

// TestAVMWaitsForItsNode as long as K3s cannot remove the member of etcd.
func TestAVMWaitsForItsNode(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Here", deletes)
	m := all[2]
	m.Cluster().Kubernetes.Holds = true
	m.Leave()
	m.did("delete node server-3")

	if m.Cluster().Nodes["server-3"] == nil {
		t.Error("the Node went, and its member did not")
	}
}

// TestAServerWaitsForOneThatLeaves: the claim of the other of two is gone, and its member is in etcd still, as long as its kubelet is silent. Without the
// server that is to be restarted nothing could let that member go any more.
func TestAServerWaitsForOneThatLeaves(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()

			all := joined(t, 2, how, deletes)
			m, leaver := all[0], all[1]
			id, gone := m.number(), leaver.number()
			m.Cluster().Kubernetes.Holds = true
			leaver.Leave()
			m.Cluster().Beat(map[string]bool{"server-2": true})
			m.did("delete node server-2")

			m.edit("{lifecycle: {reboot: now}}")
			m.says(m.Rest(), map[string]string{"RebootPending": "WaitingForQuorum"})
			m.did()

			m.Cluster().Kubernetes.Holds = false
			m.Cluster().DeleteNode("server-2")
			world.Linger(m.Cluster())
			rsp := m.Rest()

			// Alone, it is that on which Crossplane runs, where that is in the cluster.
			if how == "Here" {
				m.says(rsp, map[string]string{"RebootPending": "RunsCrossplane"})
				m.did(fmt.Sprint("destroy ", gone))

				return
			}

			m.did(fmt.Sprint("destroy ", gone), fmt.Sprint("stop ", id), fmt.Sprint("start ", id))
		})
	}
}

// TestANodeStaysWithAVMThatStays: deletionPolicy Orphan lets go of the VM, which goes on.
func TestANodeStaysWithAVMThatStays(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Here", "{deletionPolicy: Orphan, deletionProtection: false}")
	m := all[2]
	id := m.number()

	for name := range m.Observed {
		if strings.HasPrefix(name, "node") || strings.HasPrefix(name, "protects-") {
			t.Errorf("%s is composed for a VM that stays", name)
		}
	}

	m.Leave()
	m.did(fmt.Sprintf("let go of %d", id))

	if m.Cluster().Nodes["server-3"] == nil {
		t.Error("the Node is gone, and its VM is not")
	}
}

// TestANodeThatIsNotProvenStays: whatever has become of the Node of the name, its Object loses the right to delete, and goes alone.
func TestANodeThatIsNotProvenStays(t *testing.T) {
	t.Parallel()

	other := "00112233-4455-6677-8899-aabbccddeeff"
	cases := map[string]struct {
		reason string
		node   func(node map[string]any)
		says   string
	}{
		"AnotherMachine": {
			reason: "Somebody joined under the name.", says: "OtherMachine",
			node: func(n map[string]any) {
				world.Object(world.Object(n["status"])["nodeInfo"])["systemUUID"] = other
			},
		},
		"NoIdentity": {
			reason: "Nothing tells whose it is.", says: "Unproven",
			node: func(n map[string]any) { delete(world.Object(n["status"]), "nodeInfo") },
		},
		"AnotherLabel": {
			reason: "Its UUID is unknown, and its label is another machine's.", says: "OtherMachine",
			node: func(n map[string]any) {
				delete(world.Object(n["status"]), "nodeInfo")
				world.Object(world.Object(n["metadata"])["labels"])["homelab.io/machine-uid"] = other
			},
		},
	}

	for name, tc := range cases {
		for _, how := range []string{"Here", "Object"} {
			t.Run(name+how, func(t *testing.T) {
				m := joined(t, 3, how, deletes)[2]
				c := m.Cluster()

				node := world.Object(world.Copy(c.Nodes["server-3"]))
				tc.node(node)
				c.DeleteNode("server-3")
				c.AddNode("server-3", node)

				policies := []string{world.Policies(m.nodeObject("node-deletion-vm"))}

				for range 5 {
					m.Turn()

					o := m.nodeObject("node-deletion-vm")
					if o == nil {
						policies = append(policies, "gone")
						break
					}

					if p := world.Policies(o); p != policies[len(policies)-1] {
						policies = append(policies, p)
					}
				}

				if want := []string{"Observe,Delete", "Observe", "gone"}; !slices.Equal(policies, want) {
					t.Errorf("%s\nwant policies %v, got %v", tc.reason, want, policies)
				}

				m.says(m.Rest(), map[string]string{"NodeJoined": tc.says})
				m.Leave()

				if c.Nodes["server-3"] == nil {
					t.Errorf("%s\nthe Node went with the machine", tc.reason)
				}
			})
		}
	}
}

// TestANodeThatSomebodyDeletes is no trouble for the Objects.
func TestANodeThatSomebodyDeletes(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			m := joined(t, 3, how, deletes)[2]
			m.Cluster().DeleteNode("server-3")

			m.says(m.Rest(), map[string]string{"NodeJoined": "NodeGone"})

			if o := m.nodeObject("node-deletion-vm"); o != nil {
				t.Errorf("an Object remains of a Node that is gone: %v", o["spec"])
			}

			m.Join(m.number())
			m.says(m.Rest(), map[string]string{"NodeJoined": "Joined"})

			if got := world.Policies(m.nodeObject("node-deletion-vm")); got != "Observe,Delete" {
				t.Errorf("the Object of the Node that is back has policies %q", got)
			}
		})
	}
}

// TestNodesAreReplacedWithoutHands: one commit replaces all machines of a cluster, and nobody has to delete a Node. At no time are there
// fewer voters than a majority.
func TestNodesAreReplacedWithoutHands(t *testing.T) {
	t.Parallel()

	for how, policies := range map[string][]string{"Here": {"Delete", "Orphan"}, "Object": {"Delete"}} {
		for _, policy := range policies {
			t.Run(how+policy, func(t *testing.T) {
				all := joined(t, 3, how, "{deletionProtection: false, deletionPolicy: "+policy+"}")
				agent := all[0].beside(fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0]))
				world.Merge(agent.Spec(), world.FromYAML(t, "{deletionProtection: false, deletionPolicy: "+policy+"}"))
				agent.observe(how)
				all = append(all, agent)

				for _, m := range all {
					m.Joins = true
				}

				agent.Rest()

				was := map[*machine]int{}

				for _, m := range all {
					m.says(m.Call(), map[string]string{"NodeJoined": "Joined"})

					was[m] = m.number()
					m.replace("a")
				}

				cluster := all[0].Cluster()

				replaced := func() bool {
					return !slices.ContainsFunc(all, func(m *machine) bool {
						return world.Reason(m.Call(), "ReplacementRequired") != "NotRequired" || m.number() == was[m]
					})
				}

				for turn := 0; turn < 80 && (turn%8 != 7 || !replaced()); turn++ {
					for _, m := range all {
						m.Turn()

						voters := 0

						for _, s := range all[:3] {
							if vm := s.Proxmox.VMs[cluster.Registered(s.NodeName())]; vm != nil && vm.Running != nil {
								voters++
							}
						}

						if voters < 2 {
							t.Fatalf("%d servers vote in turn %d; done: %v", voters, turn, m.Proxmox.Done)
						}
					}
				}

				for _, m := range all {
					rsp := m.Call()
					m.says(rsp, map[string]string{"NodeJoined": "Joined", "ReplacementRequired": "NotRequired"})

					if id := m.number(); id == was[m] || cluster.Registered(m.NodeName()) != id {
						t.Errorf("%s was not replaced: %s; done: %v", m.NodeName(), world.Message(rsp, "ReplacementRequired"), m.Proxmox.Done)
					}

					if _, kept := m.Observed["node-deletion-vm"]; kept {
						t.Errorf("%s: the Object of the VM before remains", m.NodeName())
					}
				}
			})
		}
	}
}

// TestALateLookDeletesNoNewNode: the Object that reads the Node shows the Node of the old VM for some time after it is gone.
func TestALateLookDeletesNoNewNode(t *testing.T) {
	t.Parallel()

	for _, every := range []int{7, 25} {
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			all := joined(t, 3, "Object", deletes)
			m := all[0]
			was := m.number()
			m.Joins = true
			m.Cluster().Kubernetes.Every = every
			m.replace("a")

			for range 60 {
				for _, other := range all {
					other.Turn()
				}
			}

			m.says(m.Call(), map[string]string{"NodeJoined": "Joined", "ReplacementRequired": "NotRequired"})

			if id := m.number(); id == was || m.Cluster().Registered("server-1") != id {
				t.Errorf("the server was not replaced; done: %v", m.Proxmox.Done)
			}

			gone := 0

			for _, d := range m.Proxmox.Done {
				if d == "delete node server-1" {
					gone++
				}
			}

			if gone != 1 {
				t.Errorf("%d Nodes were deleted; done: %v", gone, m.Proxmox.Done)
			}
		})
	}
}

// TestANewVMWaitsUntilNothingDeletesItsNode: the provider repeats the deletion of a Node until it finds none of the name, and takes its time.
func TestANewVMWaitsUntilNothingDeletesItsNode(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			all := joined(t, 3, how, deletes)
			agent := all[0].beside(fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0]))
			world.Merge(agent.Spec(), world.FromYAML(t, deletes))
			agent.observe(how)
			agent.Joins, all[0].Joins = true, true
			agent.Rest()

			for _, m := range []*machine{all[0], agent} {
				was := m.number()
				m.Cluster().Kubernetes.Backoff = 100
				m.replace("a")

				for range 25 {
					for _, other := range append([]*machine{agent}, all...) {
						other.Turn()
					}
				}

				if m.number() != was || len(later(m.Call())) > 0 && world.Policies(m.Observed[later(m.Call())[0]]) != "Observe" {
					t.Fatalf("the new VM is there before the Object of the old one's Node is gone; done: %v", m.Proxmox.Done)
				}

				m.Cluster().Kubernetes.Backoff = 0

				for range 25 {
					for _, other := range append([]*machine{agent}, all...) {
						other.Turn()
					}
				}

				m.says(m.Call(), map[string]string{"NodeJoined": "Joined", "ReplacementRequired": "NotRequired"})

				if m.number() == was {
					t.Fatalf("the VM was not replaced; done: %v", m.Proxmox.Done)
				}
			}
		})
	}
}

// TestAReplacementThatIsTakenBack after the Node was deleted says what that means.
func TestAReplacementThatIsTakenBack(t *testing.T) {
	t.Parallel()

	for _, role := range []string{"server", "agent"} {
		t.Run(role, func(t *testing.T) {
			all := joined(t, 3, "Here", deletes)
			m, words := all[0], "the server needs a new VM in any case"

			if role == "agent" {
				m, words = all[0].beside(fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0])), "the old VM registers again when it starts"
				world.Merge(m.Spec(), world.FromYAML(t, deletes))
				m.observe("Here")
				m.Rest()
				m.Join(m.number())
				m.Rest()
			}

			was := m.number()
			m.replace("a")

			for range 30 {
				if m.Turn(); m.Cluster().Nodes[m.NodeName()] == nil {
					break
				}
			}

			rsp := m.Call()
			m.says(rsp, map[string]string{"NodeJoined": "NodeRemoved"})

			if msg := world.Message(rsp, "NodeJoined"); !strings.Contains(msg, words) {
				t.Errorf("the message is %s", msg)
			}

			m.replace("")
			m.Proxmox.Done = nil

			rsp = m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "NodeGone", "MachineReady": "Running"})

			if m.number() != was || world.Annotations(rsp, "vm")["homelab.io/node-removed"] != nil {
				t.Error("the old VM is not what it was")
			}

			m.Join(was)
			m.says(m.Rest(), map[string]string{"NodeJoined": "Joined"})

			if got := world.Policies(m.nodeObject("node-deletion-vm")); got != "Observe,Delete" {
				t.Errorf("the Object of the Node that is back has policies %q", got)
			}
		})
	}
}

// TestASuccessorThatJoinedAlready keeps its Node: somebody deleted the old one by hand, or configured provider-kubernetes only now.
func TestASuccessorThatJoinedAlready(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			all := joined(t, 3, how, deletes)
			m := all[0]
			was := m.number()
			m.replace("a")

			// The new VM is there and has joined, and for whatever reason the Object of the old one is still there.
			old := world.Object(world.Copy(m.nodeObject("node-deletion-vm")))

			for range 30 {
				m.Turn()
			}

			m.Cluster().DeleteNode("server-1")

			id := 0

			for number, vm := range m.Proxmox.VMs {
				if vm.Running != nil && strings.HasPrefix(vm.Owner, world.OwnerOf(m.Machine, "vm-")) {
					id = number
				}
			}

			if id == 0 || id == was || !m.Join(id) {
				t.Fatalf("the new VM has not joined; done: %v", m.Proxmox.Done)
			}

			m.Observed["node-deletion-vm"] = old
			m.Proxmox.Done = nil

			for range 10 {
				m.Turn()
			}

			m.says(m.Call(), map[string]string{"NodeJoined": "Joined"})
			m.did(fmt.Sprintf("destroy %d", was))

			if m.nodeObject("node-deletion-vm") != nil {
				t.Error("the Object of the old VM's Node remains")
			}

			if m.Cluster().Registered("server-1") != id {
				t.Error("the new VM's Node is gone")
			}
		})
	}
}

// TestAServerThatItsClusterNeedsIsKept from deletion, with the reason, and only as long.
func TestAServerThatItsClusterNeedsIsKept(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Here", deletes)
	m, c := all[0], all[0].Cluster()

	kept := func() string { return m.keptBy("-quorum") }

	if why := kept(); why != "" {
		t.Errorf("a server of three that vote may go, and is kept: %s", why)
	}

	c.SetNode("server-3", "EtcdIsVoter", "False", "NotAMember")

	if why := kept(); !strings.Contains(why, "would lose its quorum with this server: of the servers that remain, server-3 cannot vote now") {
		t.Errorf("the reason is %q", why)
	}

	if got := world.Policies(m.nodeObject("node-deletion-vm")); got != "Observe,Delete" {
		t.Errorf("the Object of the Node has policies %q", got)
	}

	c.SetNode("server-3", "EtcdIsVoter", "True", "MemberNotLearner")

	if why := kept(); why != "" {
		t.Errorf("the server is kept for ever: %s", why)
	}

	all[1].Leave()
	all[2].Leave()

	if why := kept(); !strings.Contains(why, "the last server of K3s cluster home") || !strings.Contains(why, "first remove observe and providerConfig") {
		t.Errorf("the reason is %q", why)
	}

	if o := m.nodeObject("node-deletion-vm"); o != nil {
		t.Errorf("the last server's Node would go with it: %v", o["spec"])
	}

	m.SetCluster("home", "providerConfig", nil)
	m.SetCluster("home", "observe", nil)

	if why := kept(); why != "" {
		t.Errorf("the server is kept, and nobody deletes Nodes any more: %s", why)
	}
}

// TestTheUsageOfAVM is one of the generation that Crossplane has.
func TestTheUsageOfAVM(t *testing.T) {
	t.Parallel()

	reports := []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES}
	cases := map[string]struct {
		in         world.Installation
		can        []fnv1.Capability
		apiVersion string
		kind       string
		namespace  any
	}{
		"Claims20":   {in: world.Installations[0], apiVersion: "apiextensions.crossplane.io/v1beta1", kind: "Usage"},
		"Claims22":   {in: world.Installations[0], can: reports, apiVersion: "protection.crossplane.io/v1beta1", kind: "ClusterUsage"},
		"Legacy":     {in: world.Installations[1], apiVersion: "apiextensions.crossplane.io/v1beta1", kind: "Usage"},
		"Namespaced": {in: world.Installations[2], apiVersion: "protection.crossplane.io/v1beta1", kind: "Usage", namespace: "infra-machines"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := alone(t, fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(tc.in))
			world.Merge(m.Spec(), world.FromYAML(t, deletes))
			m.Capabilities = tc.can
			m.observe("Here")
			m.Rest()
			m.Join(m.number())

			rsp := m.Rest()
			got := world.Desired(rsp, "protects-vm")
			of, by := world.Object(world.Object(got["spec"])["of"]), world.Object(world.Object(got["spec"])["by"])

			if got["apiVersion"] != tc.apiVersion || got["kind"] != tc.kind || world.Object(got["metadata"])["namespace"] != tc.namespace {
				t.Errorf("the Usage is %v", got)
			}

			vm, object := m.Observed["vm"], m.Observed["node-deletion-vm"]
			want := map[string]any{"apiVersion": vm["apiVersion"], "kind": vm["kind"], "resourceRef": map[string]any{"name": m.Name() + "-vm"}}

			if diff := cmp.Diff(want, of); diff != "" {
				t.Errorf("of: -want, +got:\n%s", diff)
			}

			want = map[string]any{"apiVersion": object["apiVersion"], "kind": "Object", "resourceRef": map[string]any{"name": m.Name() + "-node-deletion-vm"}}
			if diff := cmp.Diff(want, by); diff != "" {
				t.Errorf("by: -want, +got:\n%s", diff)
			}

			if world.Object(got["spec"])["replayDeletion"] != nil {
				t.Error("whatever deletion of the VM was ever refused would be replayed once its Node is gone")
			}

			// An upgrade of Crossplane changes no kind of what exists, and a call that cannot decide yet keeps all of it.
			m.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}

			if now := world.Desired(m.Rest(), "protects-vm"); now["kind"] != tc.kind || now["apiVersion"] != tc.apiVersion {
				t.Errorf("the Usage becomes %v", now)
			}

			waiting := m.ask(&fnv1.RunFunctionRequest{Input: m.Request().GetInput(), Observed: m.Request().GetObserved()})
			for _, name := range []string{"protects-vm", "node-deletion-vm"} {
				if diff := cmp.Diff(world.Object(m.Observed[name]["spec"]), world.Object(world.Desired(waiting, name)["spec"])); diff != "" {
					t.Errorf("%s, while Crossplane fetches: -was, +is:\n%s", name, diff)
				}
			}
		})
	}
}
