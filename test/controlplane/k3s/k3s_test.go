package k3s

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A bench is a cluster without a control plane, which looks when it is told to.
type bench struct {
	*Cluster

	t     *testing.T
	world *standin.World
}

func newBench(t *testing.T) *bench {
	t.Helper()

	w := standin.NewWorld("pve")
	cl := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithStatusSubresource(&corev1.Node{}).Build()

	return &bench{t: t, world: w, Cluster: newCluster(cl, w, Pace{Heartbeat: time.Hour}, func(string) bool { return true })}
}

// boot a VM as a node of a role: init, server or agent.
func (b *bench) boot(id int, name, role string) {
	data := fmt.Sprintf("#cloud-config\nwrite_files:\n"+
		"  - {path: %s, content: \"NODE_ROLE=%s\\nNODE_NAME=%s\\nRELEASE=v1.33.6+k3s1\\n\"}\n"+
		"  - {path: %s, content: \"node-label: [a=b]\"}\n"+
		"  - {path: %s90-x.yaml, content: \"node-label+: [x=y]\"}\n"+
		"  - {path: %s50-w.yaml, content: \"node-label+: [w=v]\"}\n", envPath, role, name, configPath, dropIns, dropIns)
	file := fmt.Sprintf("local:snippets/%s-%d.yaml", name, id)

	b.world.AddVolume(standin.Volume{Node: "pve", ID: file, Content: data})
	b.world.AddVM(standin.VM{ID: id, Node: "pve", Config: map[string]any{
		"initialization": []any{map[string]any{"userDataFileId": file}},
		"smbios":         []any{map[string]any{"uuid": fmt.Sprintf("ABCDEF00-0000-4000-8000-%012d", id)}},
		"networkDevice":  []any{map[string]any{}},
	}})
	b.start(id)
}

func (b *bench) start(id int) {
	b.world.Edit(func(vms map[int]*standin.VM) { vms[id].Start() })
}

func (b *bench) stop(id int) {
	b.world.Edit(func(vms map[int]*standin.VM) { vms[id].Stop() })
}

// looks some times. Nothing takes time here, so a few looks bring a VM into the cluster.
func (b *bench) looks() {
	for range 8 {
		b.look(b.t.Context())
	}
}

// node as it is; nil if there is none.
func (b *bench) node(name string) *corev1.Node {
	b.t.Helper()

	n := &corev1.Node{}
	if err := b.client.Get(b.t.Context(), client.ObjectKey{Name: name}, n); apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		b.t.Fatal(err)
	}

	return n
}

// says are the status and the reason of the conditions of a Node.
func (b *bench) says(name string) []string {
	b.t.Helper()

	out := []string{}

	if n := b.node(name); n != nil {
		for _, c := range n.Status.Conditions {
			out = append(out, fmt.Sprintf("%s %s %s", c.Type, c.Status, c.Reason))
		}
	}

	return out
}

// collect the garbage that a controller of Kubernetes does: the password goes with its Node.
func (b *bench) collect(name string) {
	b.t.Helper()

	if b.node(name) == nil {
		if err := b.client.Delete(b.t.Context(), newPassword(name, "")); client.IgnoreNotFound(err) != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) want(what string, want, got []string) {
	b.t.Helper()

	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("%s: -want, +got:\n%s\n%s", what, diff, strings.Join(b.Journal(), "\n"))
	}
}

func (b *bench) must(err error) {
	b.t.Helper()

	if err != nil {
		b.t.Fatal(err)
	}
}

// three servers that vote.
func (b *bench) three() {
	b.boot(1, "server-1", "init")
	b.boot(2, "server-2", "server")
	b.boot(3, "server-3", "server")
	b.looks()
	b.want("members", []string{"server-1 votes", "server-2 votes", "server-3 votes"}, b.Members())
}

func TestJoin(t *testing.T) {
	b := newBench(t)
	b.boot(2, "server-2", "server")
	b.boot(4, "agent-1", "agent")
	b.looks()
	b.want("who waits for a cluster", []string{}, b.Members())

	b.boot(1, "server-1", "init")
	b.looks()

	n := b.node("server-1")
	if n == nil {
		t.Fatal("there is no Node server-1")
	}

	want := map[string]string{
		"kubernetes.io/hostname": "server-1", "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": "k3s",
		"a": "b", "w": "v", "x": "y", roleEtcd: "true", roleControlPlane: "true",
	}
	if diff := cmp.Diff(want, n.Labels); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}

	if i := n.Status.NodeInfo; i.SystemUUID != "abcdef00-0000-4000-8000-000000000001" || i.KubeletVersion != "v1.33.6+k3s1" {
		t.Errorf("NodeInfo is %v", i)
	}

	b.want("a server", []string{"Ready True KubeletReady", "EtcdIsVoter True MemberNotLearner"}, b.says("server-2"))
	b.want("an agent", []string{"Ready True KubeletReady"}, b.says("agent-1"))

	secret := &corev1.Secret{}
	b.must(b.client.Get(t.Context(), client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: "agent-1.node-password.k3s"}, secret))

	if owners := secret.OwnerReferences; len(owners) != 1 || owners[0].Kind != "Node" || owners[0].Name != "agent-1" {
		t.Errorf("the password belongs to %v", owners)
	}

	b.want("violations", nil, b.Violations())
}

// TestLearner: a member learns before it votes, and etcd has one learner at a time.
func TestLearner(t *testing.T) {
	b := newBench(t)
	b.boot(1, "server-1", "init")
	b.looks()

	b.etcd.learn = time.Hour
	b.boot(2, "server-2", "server")
	b.boot(3, "server-3", "server")
	b.looks()

	if m := b.Members(); len(m) != 2 || !strings.HasSuffix(m[1], " learns") {
		t.Errorf("members are %v", m)
	}

	if got := append(b.says("server-2"), b.says("server-3")...); !slices.Contains(got, "EtcdIsVoter False MemberIsLearner") {
		t.Errorf("the Nodes say %v", got)
	}
}

// TestReplacedServer: nobody joins under the name of a member, or of a Node whose password is there.
func TestReplacedServer(t *testing.T) {
	b := newBench(t)
	b.three()
	b.stop(3)
	b.boot(4, "server-3", "server")
	b.looks()
	b.want("refusals", []string{RefusedMember}, b.Refusals("server-3"))
	b.want("the Node of the VM that is gone", []string{"Ready Unknown NodeStatusUnknown", "EtcdIsVoter False Unhealthy"}, b.says("server-3"))

	b.must(b.Delete(t.Context(), "server-3"))
	b.look(t.Context())

	if b.node("server-3") != nil {
		t.Fatalf("the Node is there: %v", b.Journal())
	}

	// The garbage collector is late.
	b.looks()
	b.want("refusals", []string{RefusedPassword, RefusedMember}, b.Refusals("server-3"))
	b.collect("server-3")
	b.looks()

	if id := b.Owner("server-3"); id != 4 {
		t.Errorf("VM %d has joined, want 4", id)
	}

	// The VM that was replaced has its old data.
	b.start(3)
	b.looks()

	if id := b.Owner("server-3"); id != 4 {
		t.Errorf("VM %d has joined, want 4", id)
	}

	b.want("violations", nil, b.Violations())
}

// TestDeletedNode: an agent registers again when its VM is started, and a server never.
func TestDeletedNode(t *testing.T) {
	b := newBench(t)
	b.three()
	b.boot(5, "agent-1", "agent")
	b.looks()

	for _, name := range []string{"server-3", "agent-1"} {
		b.must(b.Delete(t.Context(), name))
		b.looks()
		b.collect(name)
		b.looks()

		if b.node(name) != nil {
			t.Errorf("Node %s is there", name)
		}
	}

	for _, id := range []int{3, 5} {
		b.stop(id)
		b.looks()
		b.start(id)
	}

	b.looks()

	if b.node("agent-1") == nil || b.node("server-3") != nil {
		t.Errorf("an agent's Node is to be there, and a server's is not: %v", b.Journal())
	}
}

// TestViolations: the cluster sees what must never happen.
func TestViolations(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(b *bench)
		want   []string
	}{
		"Quorum": {
			reason: "Two of three servers are away.", do: func(b *bench) { b.stop(1); b.stop(2) },
			want: []string{"1 of 3 members vote, and 2 have to"},
		},
		"LostVote": {
			reason: "A server whose etcd is broken does not vote.", do: func(b *bench) { b.stop(1); b.must(b.LoseVote("server-2", true)) },
			want: []string{"1 of 3 members vote, and 2 have to"},
		},
		"NodeOfARunningVM": {
			reason: "Somebody else than a person deletes the Node of a VM that runs.",
			do:     func(b *bench) { b.must(b.client.Delete(context.Background(), b.node("server-2"))) },
			want:   []string{"Node server-2 is deleted, and its VM 2 runs"},
		},
		"NodeOfAStoppedVM": {
			reason: "The Node of a VM that is stopped may go.",
			do: func(b *bench) {
				b.stop(2)
				b.looks()
				b.must(b.client.Delete(context.Background(), b.node("server-2")))
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.three()
			tc.do(b)
			b.looks()
			b.want(tc.reason, tc.want, b.Violations())
		})
	}
}

// TestWithoutQuorum: a Node that is deleted stays as long as etcd takes no writes.
func TestWithoutQuorum(t *testing.T) {
	b := newBench(t)
	b.three()
	b.stop(1)
	b.stop(2)
	b.looks()
	b.must(b.Delete(t.Context(), "server-1"))
	b.looks()

	if n := b.node("server-1"); n == nil || n.DeletionTimestamp == nil || len(b.Members()) != 3 {
		t.Errorf("the Node is %v, the members are %v", n, b.Members())
	}
}

// TestHands do what they say.
func TestHands(t *testing.T) {
	b := newBench(t)
	b.must(b.client.Create(t.Context(), newPassword("agent-1", "of an earlier Node")))
	b.must(b.AddForeign(t.Context(), "agent-1", true))
	b.boot(1, "server-1", "init")
	b.boot(2, "agent-1", "agent")
	b.looks()
	b.want("refusals", []string{RefusedPassword}, b.Refusals("agent-1"))
	b.want("a machine that lives", []string{"Ready True KubeletReady"}, b.says("agent-1"))

	b.must(b.FailKubelet("server-1", true))
	b.looks()
	b.want("a kubelet that fails", []string{"Ready False KubeletNotReady", "EtcdIsVoter True MemberNotLearner"}, b.says("server-1"))
	b.must(b.FailKubelet("server-1", false))
	b.looks()
	b.want("a kubelet that is well", []string{"Ready True KubeletReady", "EtcdIsVoter True MemberNotLearner"}, b.says("server-1"))

	before := b.node("server-1")
	b.must(b.Heartbeats(t.Context(), "server-1", 3, 0))

	after := b.node("server-1")
	if before.ResourceVersion == after.ResourceVersion || ready(after) != corev1.ConditionTrue {
		t.Errorf("the heartbeats changed %v into %v", before.Status, after.Status)
	}
}
