package k3s

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// Delete a Node as a person does with kubectl, who knows what he does: that its VM runs is no fault of anybody else.
func (c *Cluster) Delete(ctx context.Context, node string) error {
	n := &corev1.Node{}
	if err := c.client.Get(ctx, client.ObjectKey{Name: node}, n); err != nil {
		return err
	}

	c.mu.Lock()
	c.allowed[n.UID] = true
	c.mu.Unlock()

	return c.client.Delete(ctx, n)
}

// Leave tells that the machine of a Node is about to be deleted: its Node may go while its VM runs.
func (c *Cluster) Leave(ctx context.Context, node string) error {
	n := &corev1.Node{}
	if err := c.client.Get(ctx, client.ObjectKey{Name: node}, n); err != nil {
		return err
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	c.allowed[n.UID] = true

	return nil
}

// AddForeign registers the Node of a machine that is not in Proxmox, with its password: a machine that lives, or the rest of one. The password of
// an earlier Node of the name goes: the garbage collector, which takes it along with that Node, may be late.
func (c *Cluster) AddForeign(ctx context.Context, node string, lives bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	id := string(uuid.NewUUID())
	secret := newPassword(node, id)
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: node, Finalizers: []string{finalizer}, Labels: map[string]string{"kubernetes.io/hostname": node}},
		Status: corev1.NodeStatus{
			NodeInfo:  corev1.NodeSystemInfo{SystemUUID: id, KubeletVersion: "v1.31.4+k3s1"},
			Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.253"}},
			Conditions: []corev1.NodeCondition{
				newCondition(corev1.NodeReady, corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status."),
			},
		},
	}

	if lives {
		n.Status.Conditions[0] = newCondition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status")
	}

	if err := c.client.Create(ctx, n); err != nil {
		return err
	}

	if err := controllerutil.SetOwnerReference(n, secret, c.client.Scheme()); err != nil {
		return err
	}

	earlier := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, Name: secret.Name}}
	if err := client.IgnoreNotFound(c.client.Delete(ctx, earlier)); err != nil {
		return err
	}

	return c.client.Create(ctx, secret)
}

// FailKubelet of a node, or mend it.
func (c *Cluster) FailKubelet(node string, fails bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	s := c.systems[c.owners[node]]
	if s == nil {
		return fmt.Errorf("no VM has registered Node %s", node)
	}

	s.sick = fails

	return nil
}

// ByHand does to VMs what a person does who knows what he does: that etcd has no majority from then on is no fault of anybody else, until it has one again.
func ByHand(c *Cluster, do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()

	do()

	c.byHand = true
	c.observe()
	c.check()
}

// Reset etcd to the member of one server, as a person does there with `k3s server --cluster-reset`. The others are none any more, also when they come back.
func Reset(c *Cluster, node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	kept := c.etcd.named(node)
	if kept == nil {
		return fmt.Errorf("there is no member %s", node)
	}

	for _, m := range slices.Clone(c.etcd.members) {
		if m != kept {
			c.etcd.remove(m)
		}
	}

	c.note("reset etcd to the member of %s", node)

	return nil
}

// LoseVote of a server: its etcd does not answer any more though its VM runs. Or mend it.
func (c *Cluster) LoseVote(node string, lost bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	m := c.etcd.named(node)
	if m == nil {
		return fmt.Errorf("there is no member %s", node)
	}

	m.lost = lost

	return nil
}

// Heartbeats writes a Node's status some times as its kubelet does, so that all that changes is the time.
func (c *Cluster) Heartbeats(ctx context.Context, node string, times int, every time.Duration) error {
	for range times {
		n := &corev1.Node{}
		if err := c.client.Get(ctx, client.ObjectKey{Name: node}, n); err != nil {
			return err
		}

		before := n.DeepCopy()

		for i := range n.Status.Conditions {
			// The API server keeps full seconds only.
			n.Status.Conditions[i].LastHeartbeatTime.Time = n.Status.Conditions[i].LastHeartbeatTime.Add(time.Second)
		}

		if err := c.client.Status().Patch(ctx, n, client.MergeFrom(before)); err != nil {
			return err
		}

		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}

	return nil
}

// Forget all Nodes of the cluster, as the end of a test does, and all that is known of them.
func (c *Cluster) Forget(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	l := &corev1.NodeList{}
	if err := c.client.List(ctx, l); err != nil {
		return err
	}

	for i := range l.Items {
		n := &l.Items[i]
		if !c.has(n.Name) {
			continue
		}

		before := n.DeepCopy()
		n.Finalizers = nil

		if err := c.client.Patch(ctx, n, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return err
		}

		if err := c.client.Delete(ctx, n); client.IgnoreNotFound(err) != nil {
			return err
		}
	}

	return nil
}

// Members are the names of the members, each with whether it votes.
func (c *Cluster) Members() []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.etcd.names()
}

// Owner is the number of the VM that registered a Node; 0 if none did.
func (c *Cluster) Owner(node string) int {
	c.mu.Lock()
	defer c.mu.Unlock()

	if s := c.systems[c.owners[node]]; s != nil {
		return s.guest.VM
	}

	return 0
}

// OwnerRuns says whether the VM that registered a Node runs.
func (c *Cluster) OwnerRuns(node string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	s := c.systems[c.owners[node]]

	return s != nil && s.runs
}

// Refusals are what K3s has said so far to VMs that wanted to join as a node, each once.
func (c *Cluster) Refusals(node string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	out := slices.Clone(c.refused[node])
	slices.Sort(out)

	return slices.Compact(out)
}

// ReadySince is when a Node's Ready became what it is.
func (c *Cluster) ReadySince(node string) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.readySince[node]
}

// Fewest is the smallest number of members that voted and answered at once, since it was asked last.
func (c *Cluster) Fewest() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	out := c.fewest
	c.fewest = math.MaxInt

	return out
}

// Violations are what must never happen, and did.
func (c *Cluster) Violations() []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Clone(c.violations)
}

// Journal is what happened in the cluster, in order.
func (c *Cluster) Journal() []string {
	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Clone(c.journal)
}

// tellJoined lets the guests whose K3s has joined tell so.
func tellJoined(c *Cluster) {
	c.world.Edit(func(vms map[int]*standin.VM) {
		for _, s := range c.systems {
			if vm := vms[s.guest.VM]; vm != nil && s.runs && !s.registered.IsZero() && len(vm.Links) == 0 {
				vm.Links = []string{"k3s-joined"}
			}
		}
	})
}
