package behaviour

import (
	"fmt"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// observedIn is a server of a K3s cluster that Crossplane lives in: its VM runs, and is no node yet.
func observedIn(t *testing.T, in world.Installation) (*machine, *fnv1.RunFunctionResponse) {
	t.Helper()

	m := alone(t, fake.ExampleNamed(t, "k3s-cluster/server-1").Machine(in))
	m.SetCluster("home", "observe", "Here")

	rsp := m.Rest()
	m.Proxmox.Done = nil

	return m, rsp
}

// ready says whether the VM counts as ready in an answer, which makes the machine ready.
func ready(rsp *fnv1.RunFunctionResponse) bool {
	return rsp.GetDesired().GetResources()["vm"].GetReady() == fnv1.Ready_READY_TRUE
}

// TestAMachineIsReadyWhenItsNodeJoined for the first time. What becomes of the Node later is said, and takes nothing back.
func TestAMachineIsReadyWhenItsNodeJoined(t *testing.T) {
	t.Parallel()

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m, rsp := observedIn(t, in)

			m.says(rsp, map[string]string{"MachineReady": "Running", "NodeJoined": "NotYet", "NodeReady": "NoNode", "EtcdMember": "NoNode"})

			if ready(rsp) || world.Status(rsp)["appliedSpec"] != nil {
				t.Error("the machine is ready, and nobody has seen its Node")
			}

			m.Join(m.number())

			rsp = m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "Joined", "NodeReady": "KubeletReady", "EtcdMember": "Voter", "VersionCurrent": "SameVersion"})

			if !ready(rsp) || world.Status(rsp)["appliedSpec"] == nil {
				t.Error("the machine has joined, and is not ready")
			}

			kubernetes := world.Object(world.Status(rsp)["kubernetes"])
			if kubernetes["name"] != "server-1" || kubernetes["joined"] != true || kubernetes["ready"] != true || kubernetes["version"] != "v1.33.6+k3s1" {
				t.Errorf("status.kubernetes is %v", kubernetes)
			}

			m.Cluster().SetNode("server-1", "Ready", "Unknown", "NodeStatusUnknown")
			m.Cluster().SetNode("server-1", "EtcdIsVoter", "False", "NotAMember")

			rsp = m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "Joined", "NodeReady": "KubeletSilent", "EtcdMember": "NotAMember"})

			if !ready(rsp) {
				t.Error("a kubelet that is silent takes the machine's readiness back")
			}

			m.Cluster().DeleteNode("server-1")

			rsp = m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "NodeGone", "NodeReady": "NoNode"})

			if !ready(rsp) {
				t.Error("a Node that is gone takes the machine's readiness back")
			}

			world.Object(m.Spec()["k3s"])["readyWhen"] = "Ready"

			if ready(m.Rest()) {
				t.Error("the claim wants the Node to be Ready, and there is none")
			}

			m.did()
		})
	}
}

// TestAStaleNodeKeepsAMachineOut until a person deletes it.
func TestAStaleNodeKeepsAMachineOut(t *testing.T) {
	t.Parallel()

	m := alone(t, fake.ExampleNamed(t, "k3s-cluster/server-1").Machine(world.Installations[0]))
	m.SetCluster("home", "observe", "Here")
	m.Cluster().AddNode("server-1", world.FromYAML(t, `
apiVersion: v1
kind: Node
metadata: {name: server-1}
status: {nodeInfo: {systemUUID: 00112233-4455-6677-8899-aabbccddeeff}}
`))

	first := m.Call()
	m.says(first, map[string]string{"NodeJoined": "OtherMachine"})

	if msg := world.Message(first, "NodeJoined"); !strings.Contains(msg, "this machine has no VM yet") {
		t.Errorf("the message is %s", msg)
	}

	rsp := m.Rest()
	m.says(rsp, map[string]string{"MachineReady": "Running", "NodeJoined": "OtherMachine"})

	if msg := world.Message(rsp, "NodeJoined"); !strings.Contains(msg, "`kubectl delete node server-1`") {
		t.Errorf("the message has no command: %s", msg)
	}

	if m.Join(m.number()) || ready(rsp) || world.Object(world.Status(rsp)["kubernetes"])["version"] != nil {
		t.Error("the Node of another machine counts")
	}

	m.Cluster().DeleteNode("server-1")
	m.Join(m.number())
	m.says(m.Rest(), map[string]string{"NodeJoined": "Joined"})
}

// TestANamesakeThatLives: claims that are applied to a new control plane make no second machine of the name and the address of one that runs. Once it does
// not run any more, the machine is made.
func TestANamesakeThatLives(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()

			m := alone(t, fake.ExampleNamed(t, "k3s-cluster/server-1").Machine(world.Installations[0]))
			m.observe(how)
			m.Cluster().AddNode("server-1", world.FromYAML(t, `
apiVersion: v1
kind: Node
metadata: {name: server-1}
status: {nodeInfo: {systemUUID: 00112233-4455-6677-8899-aabbccddeeff}, conditions: [{type: Ready, status: "True"}]}
`))

			rsp := m.Rest()
			m.says(rsp, map[string]string{"NodeJoined": "OtherMachine", "MachineReady": "OtherMachine"})

			if len(m.Proxmox.VMs) > 0 {
				t.Errorf("a second server-1 is made: %v", m.Proxmox.Done)
			}

			if msg := world.Message(rsp, "NodeJoined"); !strings.Contains(msg, "set spec.adopt.vmId to its VMID") {
				t.Errorf("the message has no way: %s", msg)
			}

			m.Cluster().SetNode("server-1", "Ready", "Unknown", "NodeStatusUnknown")
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
		})
	}
}

// TestAReadyMachineStaysReady when its cluster is observed for the first time, and when it is no more.
func TestAReadyMachineStaysReady(t *testing.T) {
	t.Parallel()

	m, before := living(t, "k3s-cluster/server-1")
	if !ready(before) || world.Message(before, "NodeJoined") != "" {
		t.Fatal("the machine is to be ready, and nobody to read its Node")
	}

	m.SetCluster("home", "observe", "Here")

	rsp := m.Rest()
	m.says(rsp, map[string]string{"NodeJoined": "NotYet", "BootstrapCurrent": "Current", "ReplacementRequired": "NotRequired"})

	if !ready(rsp) || world.Annotations(rsp, "vm")["homelab.io/node-joined"] != "Assumed" {
		t.Error("the machine was ready, and is not any more")
	}

	m.SetCluster("home", "observe", nil)

	rsp = m.Rest()
	m.says(rsp, map[string]string{"NodeJoined": "NotObserved", "NodeReady": "NotObserved", "BootstrapCurrent": "Current"})

	if !ready(rsp) || world.Status(rsp)["kubernetes"] != nil {
		t.Error("the end of the observation changes more than what is said")
	}

	m.did()
}

// TestNobodyReadsNodesUnasked: without rights on Nodes Crossplane would not answer at all.
func TestNobodyReadsNodesUnasked(t *testing.T) {
	t.Parallel()

	for name, observe := range map[string]any{"Unsaid": nil, "None": "None", "Here": "Here"} {
		t.Run(name, func(t *testing.T) {
			m := alone(t, fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0]))
			m.SetCluster("home", "observe", observe)

			asked := m.Rest().GetRequirements().GetResources()[world.NodeRequirement]
			if observe != "Here" && asked != nil {
				t.Errorf("the function asks for %v", asked)
			}

			if observe == "Here" && (asked.GetApiVersion() != "v1" || asked.GetKind() != "Node" || asked.GetMatchName() != "agent-1" || asked.Namespace != nil) {
				t.Errorf("the function asks for %v", asked)
			}
		})
	}
}

// TestTheNodeKeepsItsName when somebody edits the host name: the guest does not change it, and neither does K3s.
func TestTheNodeKeepsItsName(t *testing.T) {
	t.Parallel()

	m, _ := observedIn(t, world.Installations[0])
	m.Join(m.number())
	m.Rest()

	m.Spec()["hostname"] = "another"

	rsp := m.Rest()
	m.says(rsp, map[string]string{"NodeJoined": "Joined", "BootstrapCurrent": "BootstrapChanged"})

	if asked := rsp.GetRequirements().GetResources()[world.NodeRequirement].GetMatchName(); asked != "server-1" {
		t.Errorf("the function asks for Node %s", asked)
	}
}

// TestServersAreReplacedByVotes: one commit replaces three servers, one after the other, and nobody has to confirm a join. All that a person
// does is to delete the Node of each VM that was replaced.
func TestServersAreReplacedByVotes(t *testing.T) {
	t.Parallel()

	all := servers(t, 3)
	cluster := all[0].Cluster()

	for _, m := range all {
		m.SetCluster("home", "observe", "Here")
		m.Join(m.number())
	}

	all[0].Rest()

	was := map[*machine]int{}

	for _, m := range all {
		m.says(m.Call(), map[string]string{"NodeJoined": "Joined", "EtcdMember": "Voter"})

		was[m] = m.number()
		m.replace("a")
	}

	// voters are the servers that run, and whose own Node it is that votes.
	voters := func() int {
		n := 0

		for _, m := range all {
			for id, vm := range m.Proxmox.VMs {
				if vm.Running != nil && cluster.Registered(m.NodeName()) == id {
					n++
				}
			}
		}

		return n
	}

	replaced := func() int {
		n := 0

		for _, m := range all {
			if id := m.number(); id != was[m] && cluster.Registered(m.NodeName()) == id {
				n++
			}
		}

		return n
	}

	for turn := range 60 {
		for _, m := range all {
			m.Turn()

			if n := voters(); n < 2 {
				t.Fatalf("%d servers vote in turn %d; done: %v", n, turn, m.Proxmox.Done)
			}
		}

		for _, m := range all {
			if now := cluster.Registered(m.NodeName()); m.Proxmox.VMs[was[m]] == nil && now == was[m] {
				t.Fatalf("the old VM of %s is destroyed, and no other VM is its Node; done: %v", m.Name(), m.Proxmox.Done)
			}

			// Now and then a person does what the condition says, and K3s in the new VM tries again.
			rsp := m.Call()
			if turn%4 != 3 || !strings.Contains(world.Message(rsp, "ReplacementRequired"), "`kubectl delete node "+m.NodeName()+"`") {
				continue
			}

			m.says(rsp, map[string]string{"ReplacementRequired": "Replacing"})
			cluster.DeleteNode(m.NodeName())

			if msg := world.Message(m.Call(), "ReplacementRequired"); strings.Contains(msg, "kubectl") {
				t.Errorf("the Node is deleted, and the condition says: %s", msg)
			}
		}

		// K3s in the new VM tries all the time.
		for _, m := range all {
			m.JoinAll()
		}
	}

	if n := replaced(); n != 3 {
		t.Fatalf("%d of 3 servers were replaced; done: %v: %s", n, all[0].Proxmox.Done, world.Message(all[0].Call(), "ReplacementRequired"))
	}

	for _, m := range all {
		m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "NodeJoined": "Joined", "EtcdMember": "Voter"})
	}
}

// TestServersAreRestartedByVotes: one commit restarts three servers, and each waits until the one before votes again, and not only until its VM
// runs: K3s takes longer, and the Node says meanwhile what it said before.
func TestServersAreRestartedByVotes(t *testing.T) {
	t.Parallel()

	all := servers(t, 3)
	cluster := all[0].Cluster()

	for _, m := range all {
		m.SetCluster("home", "observe", "Here")
		m.Join(m.number())
	}

	all[0].Rest()

	for _, m := range all {
		m.lifecycle("reboot", "now")
	}

	serve := func() int {
		n := 0

		for _, m := range all {
			for id, vm := range m.Proxmox.VMs {
				if cluster.Serves(m.NodeName(), id, vm) {
					n++
				}
			}
		}

		return n
	}

	for turn := range 80 {
		for _, m := range all {
			m.Turn()

			if n := serve(); n < 2 {
				t.Fatalf("%d servers serve in turn %d; done: %v", n, turn, m.Proxmox.Done)
			}
		}

		// K3s is up some time after its VM.
		if turn%8 == 7 {
			for _, m := range all {
				m.Join(m.number())
			}
		}
	}

	for _, m := range all {
		if got := of(m.Proxmox, m.number()); len(got) != 2 {
			t.Errorf("%s is to be restarted once, got %v", m.Name(), got)
		}

		m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending", "NodeJoined": "Joined", "EtcdMember": "Voter"})

		if a := world.Annotation(m.Observed["vm"], proxmox.OutageAnnotation); a != "" {
			t.Errorf("%s still announces %q", m.Name(), a)
		}
	}
}

// TestAServerThatLostItsVoteDoesNotCount although its VM is well; and one that votes counts, although Proxmox cannot be read.
func TestAServerThatLostItsVoteDoesNotCount(t *testing.T) {
	t.Parallel()

	all := servers(t, 3)
	m, cluster := all[0], all[0].Cluster()

	for _, other := range all {
		other.SetCluster("home", "observe", "Here")
		other.Join(other.number())
	}

	m.Rest()

	for _, other := range all {
		for name := range other.Call().GetRequirements().GetResources() {
			if strings.HasPrefix(name, world.NodeRequirement+"-") {
				t.Errorf("%s asks for %s, and nothing is asked of it", other.Name(), name)
			}
		}
	}

	m.Proxmox.Done = nil
	cluster.SetNode("server-3", "EtcdIsVoter", "False", "NotAMember")
	m.lifecycle("reboot", "now")

	rsp := m.Rest()
	m.says(rsp, map[string]string{"RebootPending": "WaitingForQuorum"})
	m.did()

	if msg := world.Message(rsp, "RebootPending"); !strings.Contains(msg, "server-3 (its etcd member does not vote)") {
		t.Errorf("the message is %s", msg)
	}

	cluster.SetNode("server-3", "EtcdIsVoter", "True", "MemberNotLearner")
	all[2].Provider.Fails["vm"] = "observe failed: cannot run refresh: refresh failed: "

	m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending"})
}

// TestASecondRestartBeforeTheFirstIsOver: K3s tells of the boot between while the VM is stopped once more. That boot is not the one after the second restart,
// and the others wait for that.
func TestASecondRestartBeforeTheFirstIsOver(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Here")
	m, other := all[0], all[1]

	restarts := func(word string, told func()) {
		stops := m.times("stop")

		m.lifecycle("reboot", word)

		for m.times("stop") == stops {
			m.Apply(m.Call())
			told()
			m.Provide()
		}

		for range 6 {
			m.Turn()
		}
	}

	restarts("a", func() {})
	restarts("b", func() { m.Join(m.number()) })

	if got := m.times("start"); got != 2 {
		t.Fatalf("started %d times: %v", got, m.Proxmox.Done)
	}

	other.lifecycle("reboot", "a")

	for range 6 {
		other.Turn()
		m.Turn()
	}

	if other.happened(fmt.Sprintf("stop %d", other.number())) >= 0 {
		t.Errorf("a server restarts while K3s of another one does not run yet: %v", m.Proxmox.Done)
	}

	m.Join(m.number())
	m.Rest()

	if other.happened(fmt.Sprintf("stop %d", other.number())) < 0 {
		t.Errorf("it did not restart in the end: %v", m.Proxmox.Done)
	}
}

// TestARestartThatIsToldLate: the provider waits for the guest agent before it tells that the VM runs, and K3s of the server is back before that. The boot that its
// Node has then is the one that the others wait for, and no boot before the restart.
func TestARestartThatIsToldLate(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Here")
	m, other := all[0], all[1]
	m.Joins, m.Provider.TellsAfter = true, 4
	m.lifecycle("reboot", "a")

	for range 20 {
		for _, each := range all {
			each.Turn()
		}
	}

	if m.times("start") != 1 {
		t.Fatalf("it was not started once: %v", m.Proxmox.Done)
	}

	other.lifecycle("reboot", "a")

	for range 6 {
		other.Turn()
	}

	if other.happened(fmt.Sprintf("stop %d", other.number())) < 0 {
		t.Errorf("the other server waits for ever for what has come: %v", m.Proxmox.Done)
	}
}

// TestAServerThatIsBackWithItsBootID: a VM was off for a moment, and its Node has the boot ID that it had when somebody asked: it was resumed from a hibernation, or its
// K3s was up before the function was called. Its kubelet repeats itself, and that says that it is back; the first repetition may be older than the stop.
func TestAServerThatIsBackWithItsBootID(t *testing.T) {
	t.Parallel()

	all := joined(t, 3, "Here")
	m, other := all[0], all[1]
	m.Joins, m.Provider.TellsAfter = true, 2
	m.Proxmox.Stop(m.number())

	turns := func(n int) {
		for range n {
			for _, each := range all {
				each.Turn()
			}
		}
	}

	turns(10)
	other.lifecycle("reboot", "a")

	for reports, waits := range []bool{true, true, false} {
		turns(4)

		if got := other.happened(fmt.Sprintf("stop %d", other.number())) < 0; got != waits {
			t.Errorf("after %d reports the other server waits: %t, want %t", reports, got, waits)
		}

		m.Proxmox.VMs[m.number()].Reports++
	}
}
