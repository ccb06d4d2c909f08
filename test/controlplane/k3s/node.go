package k3s

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Names of K3s.
const (
	// finalizer is K3s's own: while a server's Node has it, K3s takes the member out of etcd (k3s, pkg/etcd/member_controller.go).
	finalizer = "wrangler.cattle.io/managed-etcd-controller"
	// memberAnnotation names the member of a server's Node.
	memberAnnotation = "etcd.k3s.cattle.io/node-name"

	roleControlPlane = "node-role.kubernetes.io/control-plane"
	roleEtcd         = "node-role.kubernetes.io/etcd"

	conditionVoter corev1.NodeConditionType = "EtcdIsVoter"
)

// What K3s says in a VM that it refuses. A server meets the first one, as long as etcd has a member of its name, and else, as an agent does, the
// second one (k3s, pkg/etcd/etcd.go, join; pkg/nodepassword).
const (
	RefusedMember   = "duplicate node name found, please use a unique name for this node"
	RefusedPassword = "Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry"
)

// join lets a VM's K3s register its Node, if it may.
func (c *Cluster) join(ctx context.Context, s *system, n *corev1.Node) {
	if s.server && !c.joinEtcd(s) || !s.server && !c.etcd.quorate() && !c.pace.Elsewhere {
		return
	}

	secret, err := c.password(ctx, s)
	if err != nil || secret == nil {
		return
	}

	if n != nil && n.DeletionTimestamp != nil {
		return
	}

	if n == nil {
		n = c.newNode(s)
		if err := c.client.Create(ctx, n); err != nil {
			return
		}

		c.note("register Node %s of %s", s.name, s.guest)
	}

	// K3s writes the owner when it sees the Node.
	if err := controllerutil.SetOwnerReference(n, secret, c.client.Scheme()); err != nil {
		return
	}

	if err := c.client.Update(ctx, secret); err != nil {
		return
	}

	s.registered = time.Now()
	c.owners[s.name] = s.guest.Disk
}

// joinEtcd adds the member of a server, as a learner where there are members already. It says whether the server has one.
func (c *Cluster) joinEtcd(s *system) bool {
	if c.etcd.of(s) != nil {
		return true
	}

	empty := len(c.etcd.members) == 0
	if empty && !s.first {
		return false
	}

	if c.etcd.named(s.name) != nil {
		c.refuse(s.name, RefusedMember)

		return false
	}

	if !c.etcd.add(s) {
		return false
	}

	c.note("add member of %s: %s", s.name, &c.etcd)

	return true
}

// password of a node: the Secret that holds it, made by whoever comes first. Nil for a VM that has another one.
func (c *Cluster) password(ctx context.Context, s *system) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: passwordName(s.name)}

	err := c.client.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		secret = newPassword(s.name, s.guest.Disk)

		return secret, c.client.Create(ctx, secret)
	}

	if err == nil && string(secret.Data["hash"]) != s.guest.Disk {
		c.refuse(s.name, RefusedPassword)

		return nil, nil //nolint:nilnil // The VM may not have it.
	}

	return secret, err
}

func passwordName(node string) string { return node + ".node-password.k3s" }

func newPassword(node, disk string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: passwordName(node)},
		Type:       "k3s.cattle.io/node-password", Data: map[string][]byte{"hash": []byte(disk)}, Immutable: new(true),
	}
}

func (c *Cluster) refuse(node, why string) {
	if said := c.refused[node]; len(said) == 0 || said[len(said)-1] != why {
		c.note("refuse %s: %s", node, why)
	}

	c.refused[node] = append(c.refused[node], why)
}

// newNode as a kubelet registers it.
func (c *Cluster) newNode(s *system) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: s.name, Finalizers: []string{finalizer}, Annotations: map[string]string{},
		Labels: map[string]string{"kubernetes.io/hostname": s.name, "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": "k3s"},
	}}

	maps.Copy(n.Labels, s.labels)

	if s.server {
		n.Labels[roleControlPlane], n.Labels[roleEtcd] = "true", "true"
		n.Annotations[memberAnnotation] = s.name + "-" + s.guest.Disk[:8]
	}

	n.Spec.ProviderID = "k3s://" + s.name
	n.Status = corev1.NodeStatus{
		Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: s.guest.Address}, {Type: corev1.NodeHostName, Address: s.name}},
		NodeInfo:  corev1.NodeSystemInfo{SystemUUID: s.guest.SystemUUID, BootID: s.bootID(), KubeletVersion: s.release, OperatingSystem: "linux", Architecture: "amd64"},
		Conditions: []corev1.NodeCondition{
			newCondition(corev1.NodeReady, corev1.ConditionFalse, "KubeletNotReady", "container runtime network not ready"),
		},
	}

	return n
}

func newCondition(t corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
	now := metav1.Now()

	return corev1.NodeCondition{Type: t, Status: status, Reason: reason, Message: message, LastHeartbeatTime: now, LastTransitionTime: now}
}

// finalize a Node that somebody deletes: its member leaves etcd, as long as etcd takes writes, and then K3s lets go of it.
func (c *Cluster) finalize(ctx context.Context, n *corev1.Node) {
	if n.DeletionTimestamp == nil || !controllerutil.ContainsFinalizer(n, finalizer) {
		return
	}

	owner := c.systems[c.owners[n.Name]]

	if !c.leaving[n.UID] {
		c.leaving[n.UID] = true
		c.note("somebody deletes Node %s", n.Name)

		if owner != nil && owner.runs && !owner.removed && !c.allowed[n.UID] {
			c.violate(fmt.Sprintf("Node %s is deleted, and its %s runs", n.Name, owner.guest))
		}
	}

	if !c.etcd.quorate() && len(c.etcd.members) > 0 {
		return
	}

	if m := c.etcd.of(owner); owner != nil && m != nil {
		// Etcd removes no member that would leave none (server/etcdserver/api/membership, IsReadyToRemoveVotingMember).
		if len(c.etcd.members) == 1 {
			return
		}

		c.etcd.remove(m)
		c.note("remove member of %s", m.node)
	}

	before := n.DeepCopy()
	controllerutil.RemoveFinalizer(n, finalizer)

	if err := c.client.Patch(ctx, n, client.MergeFrom(before)); err == nil {
		delete(c.owners, n.Name)
		c.note("Node %s is gone", n.Name)
	}
}

// report what the kubelet and K3s say of a Node, where it has changed or is due. manages says whether K3s has looked at the members.
func (c *Cluster) report(ctx context.Context, n *corev1.Node, manages bool) {
	s := c.systems[c.owners[n.Name]]
	if s == nil {
		return
	}

	// Its kubelet does not report before K3s runs again.
	runs := s.runs && !s.registered.IsZero()

	before := n.DeepCopy()

	switch {
	case runs && s.sick:
		set(n, c.pace, newCondition(corev1.NodeReady, corev1.ConditionFalse, "KubeletNotReady", "container runtime is down"))
	case runs && time.Since(s.registered) > c.pace.Register:
		set(n, c.pace, newCondition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"))
	case !s.runs && time.Since(s.silent) > c.pace.Grace:
		set(n, c.pace, newCondition(corev1.NodeReady, corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status."))
	}

	if runs {
		n.Status.NodeInfo.SystemUUID, n.Status.NodeInfo.KubeletVersion, n.Status.NodeInfo.BootID = s.guest.SystemUUID, s.release, s.bootID()
	}

	if s.server && manages && c.etcd.quorate() {
		set(n, c.pace, c.voter(s))
	}

	if n.Status.String() == before.Status.String() {
		return
	}

	if err := c.client.Status().Patch(ctx, n, client.MergeFrom(before)); err != nil {
		return
	}

	if ready(before) != ready(n) {
		c.note("Node %s: Ready is %s", n.Name, ready(n))
		c.readySince[n.Name] = time.Now()
	}
}

// bootID is another one after each start of the VM.
func (s *system) bootID() string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(s.guest.Disk+s.guest.Booted.String())).String()
}

// voter is what K3s says of the member of a server.
func (c *Cluster) voter(s *system) corev1.NodeCondition {
	m := c.etcd.of(s)

	switch {
	case m == nil:
		return newCondition(conditionVoter, corev1.ConditionFalse, "NotAMember", "Node is not a member of the etcd cluster")
	case !c.etcd.answers(m):
		return newCondition(conditionVoter, corev1.ConditionFalse, "Unhealthy", "failed to check etcd member status: context deadline exceeded")
	case m.learner:
		return newCondition(conditionVoter, corev1.ConditionFalse, "MemberIsLearner", "Node has not been promoted to voting member of the etcd cluster")
	}

	return newCondition(conditionVoter, corev1.ConditionTrue, "MemberNotLearner", "Node is a voting member of the etcd cluster")
}

// set a condition, where it changes or its heartbeat is due.
func set(n *corev1.Node, pace Pace, to corev1.NodeCondition) {
	for i := range n.Status.Conditions {
		has := &n.Status.Conditions[i]
		if has.Type != to.Type {
			continue
		}

		if has.Status == to.Status && has.Reason == to.Reason && has.Message == to.Message {
			if time.Since(has.LastHeartbeatTime.Time) > pace.Heartbeat {
				has.LastHeartbeatTime = to.LastHeartbeatTime
			}

			return
		}

		*has = to

		return
	}

	n.Status.Conditions = append(n.Status.Conditions, to)
}

func ready(n *corev1.Node) corev1.ConditionStatus {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status
		}
	}

	return ""
}
