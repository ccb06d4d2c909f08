package status

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A nodeReport is about the Kubernetes Node behind the VM.
type nodeReport struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	vm      *activeVM
	before  *v1alpha1.Status
}

// ReadyUnobserved says whether a machine was ready while nobody read its Node: by its status before the call.
func ReadyUnobserved(before *v1alpha1.Status) bool {
	if before.Kubernetes != nil {
		return false
	}

	return before.AppliedSpec != nil || meta.IsStatusConditionTrue(before.Conditions, TypeMachineReady)
}

// observed says whether the Nodes of the machine's cluster are read.
func (r *nodeReport) observed() bool { return r.plan.Node.Name != "" }

// ours is the machine's own Node; nil if there is none that is known to be.
func (r *nodeReport) ours() *node.Node {
	if r.plan.NodeOwner().Ownership != lifecycle.OwnershipOurs {
		return nil
	}

	return r.plan.Node.Node
}

// status of the Node. What is not known to be the machine's is not repeated.
func (r *nodeReport) status() *v1alpha1.KubernetesStatus {
	if !r.observed() {
		return nil
	}

	out := &v1alpha1.KubernetesStatus{Name: r.plan.Node.Name}

	if n := r.ours(); n != nil {
		out.Joined, out.Ready = true, n.Health() == node.HealthReady
		out.Version, out.Roles = message.Excerpt(n.Status.NodeInfo.KubeletVersion), n.Roles()
	}

	return out
}

// conditions on the Node: none where nobody ever read it. A condition that Crossplane has written stays until a function says
// something else, so that the end of the observation is said, too.
func (r *nodeReport) conditions() []Condition {
	if !r.observed() {
		return r.unobserved()
	}

	out := []Condition{r.joined(), r.ready()}
	if r.plan.EmbeddedEtcd() {
		out = append(out, r.member())
	}

	return append(out, r.version())
}

// unobserved are the conditions where nobody reads the Node: what the guest reports, and the end of an observation.
func (r *nodeReport) unobserved() []Condition {
	var out []Condition

	if r.machine.K3s == nil {
		return out
	}

	seen := lifecycle.K3sReport(r.vm.seen)

	for _, typ := range []string{TypeNodeJoined, TypeNodeReady, TypeEtcdMember, TypeVersionCurrent} {
		was := meta.FindStatusCondition(r.before.Conditions, typ)

		switch {
		case typ == TypeNodeJoined && seen.State != guestreport.K3sUnknown:
			out = append(out, r.reported(seen))
		case was != nil && (r.before.Kubernetes != nil || was.Reason == ReasonNotObserved):
			out = append(out, Condition{typ, metav1.ConditionUnknown, ReasonNotObserved, "Nobody reads the Nodes of the K3s cluster any more: " +
				"its entry in the catalogue has no observe: Here or observe: Object, or the entry cannot be used."})
		case was != nil, typ == TypeNodeJoined && r.machine.K3s.ReadyWhen == v1alpha1.ReadyWhenJoined:
			out = append(out, r.reported(seen))
		}
	}

	return out
}

// reported is the condition on whether the VM is a node of its cluster, where only the guest says something of that.
func (r *nodeReport) reported(seen guestreport.K3s) Condition {
	const (
		age    = " The report is at most as old as the provider's --poll, 10 minutes if that is not set."
		status = " On the VM, `k3s-bootstrap status` has the details."
	)

	switch seen.State {
	case guestreport.K3sJoined:
		return Condition{TypeNodeJoined, metav1.ConditionTrue, ReasonReported, "The guest reports that K3s has served once. Nobody reads the Nodes of its cluster." + age}
	case guestreport.K3sWaiting:
		return Condition{TypeNodeJoined, metav1.ConditionFalse, ReasonNotYet, "The guest reports that its bootstrap waits for the clock, packages, the token or the cluster's " +
			"address." + status + age}
	case guestreport.K3sInstalling:
		return Condition{TypeNodeJoined, metav1.ConditionFalse, ReasonNotYet, "The guest reports that its bootstrap installs K3s, or waits until K3s serves." + status + age}
	case guestreport.K3sFailed:
		why := whyFailed(seen.Outcome, r.machine.K3s.ServerURL, r.machine.Hostname)
		if why != "" {
			why = ": " + why
		}

		return Condition{TypeNodeJoined, metav1.ConditionFalse, ReasonFailed, "The guest reports that the last run of its bootstrap failed, with outcome " + seen.Outcome +
			why + ". It tries again by itself." + status + age}
	case guestreport.K3sUnknown:
	}

	message := "The guest reports nothing of its bootstrap: it is stopped or starts, its guest agent does not answer, or it is older than this report. In the guest, " +
		"`ip -brief link` shows the report, a link such as k3s-joined."

	switch {
	case r.machine.Silent:
		message = "spec.bootstrap.report is None, so the guest does not report whether K3s has joined its cluster."
	case r.vm.unread():
		return Condition{TypeNodeJoined, metav1.ConditionUnknown, ReasonVMUnread, guestUnread}
	}

	return Condition{TypeNodeJoined, metav1.ConditionUnknown, ReasonNotReported, message}
}

// joined is the condition on whether the VM is a node of its cluster.
func (r *nodeReport) joined() Condition {
	name, owner := r.plan.Node.Name, r.plan.NodeOwner()
	c := Condition{Type: TypeNodeJoined, Status: metav1.ConditionFalse}

	switch owner.Ownership {
	case lifecycle.OwnershipOurs:
		c.Status, c.Reason = metav1.ConditionTrue, ReasonJoined
		c.Message = fmt.Sprintf("Node %s is this machine's VM: %s.", name, proven(owner.Proof))

		if owner.VM != r.vm.name {
			c.Message = fmt.Sprintf("Node %s is the new VM that replaces this machine's: %s.", name, proven(owner.Proof))
		}

		if r.plan.Node.Node.Leaving() {
			c.Message += " The Node was deleted, and K3s is removing it from the cluster."
		}
	case lifecycle.OwnershipUnread:
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, ReasonNodeUnread, r.unread()
	case lifecycle.OwnershipUnproven:
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonUnproven
		c.Message = fmt.Sprintf("There is a Node %s, and nobody can tell whether it is this machine's VM: neither a system UUID, nor the label %s, nor "+
			"an address that the guest agent reports can be compared. If it is, set spec.k3s.readyWhen to VM, or repair the guest agent.", name, node.UIDLabel)
	case lifecycle.OwnershipOther:
		c.Reason, c.Message = ReasonOtherMachine, r.otherMachine(owner)
	case lifecycle.OwnershipNone:
		c.Reason, c.Message = ReasonNotYet, fmt.Sprintf("There is no Node %s. On the VM, `k3s-bootstrap status` shows how far the installation of K3s has come.", name)

		if !r.vm.made {
			c.Message = fmt.Sprintf("There is no Node %s, because there is no VM yet.", name)
		}

		switch failed := lifecycle.K3sReport(r.vm.seen); {
		case r.plan.Replacing() && r.plan.Roles.Begun:
			c.Message = fmt.Sprintf("There is no Node %s: the new VM that replaces this machine's has not joined yet.", name)
		case r.letGo():
			c.Reason, c.Message = ReasonNodeRemoved, r.removed()
		case lifecycle.ActiveNodeJoin(r.plan.Situation) == lifecycle.NodeJoinSeen:
			c.Reason = ReasonNodeGone
			c.Message = fmt.Sprintf("Node %s had joined, and is gone: somebody deleted it. It registers again when K3s restarts in the guest.", name)

			if r.plan.EmbeddedEtcd() {
				c.Message = fmt.Sprintf("Node %s had joined, and is gone: somebody deleted it. K3s has removed its etcd member, so the server needs a new VM: "+
					"set spec.lifecycle.replace to a new value.", name)
			}
		case r.vm.rests():
			c.Status, c.Reason = metav1.ConditionUnknown, ReasonStopped
			c.Message = fmt.Sprintf("There is no Node %s, and %s is off.", name, r.vm.title())
		case failed.State == guestreport.K3sFailed:
			c.Reason = ReasonFailed
			c.Message = fmt.Sprintf("There is no Node %s. ", name) + r.reported(failed).Message
		}
	}

	return c
}

// letGo says whether the Node of the VM that is replaced was deleted, so that a new VM can join under its name.
func (r *nodeReport) letGo() bool {
	return r.plan.Replacing() && r.plan.Observed.VMs[r.plan.Roles.Active].Metadata.Annotations[proxmox.NodeRemovedAnnotation] != ""
}

// removed says that the Node was deleted for a replacement, and what that means for the VM that is replaced.
func (r *nodeReport) removed() string {
	text := "Node " + r.plan.Node.Name + " of the VM that is replaced was deleted, so that the new VM can join under its name. If you take the replacement back, "

	if r.plan.EmbeddedEtcd() {
		return text + "the old VM cannot join again, because K3s has removed its etcd member: the server needs a new VM in any case."
	}

	return text + "the old VM registers again when it starts."
}

// unread says why provider-kubernetes does not show the machine's Node, and what to do.
func (r *nodeReport) unread() string {
	name, config := r.plan.Node.Name, r.machine.K3s.NodesConfig

	switch r.plan.Node.Sight {
	case object.SightNoKind:
		return "The catalogue has observe: Object for the K3s cluster, and provider-kubernetes is not installed, or its kind Object is not active. " +
			"Install it, or set observe: None in the cluster's entry."
	case object.SightForbidden:
		return fmt.Sprintf("Provider-kubernetes may not read Node %s: give the identity of its configuration %s the rights of the ClusterRole "+
			"provider-kubernetes-nodes, in the cluster that the machine joins.", name, config)
	case object.SightNoConfig:
		return fmt.Sprintf("Provider-kubernetes cannot use its configuration %s: create the configuration, or correct its Secret or providerConfig in "+
			"the cluster's entry of the catalogue.", config)
	case object.SightUnreachable:
		return fmt.Sprintf("Provider-kubernetes cannot read Node %s: the API server of the K3s cluster does not answer, or the Object is paused. "+
			"`kubectl describe` shows the cause, with composed resource %s of this machine.", name, object.Reading)
	case object.SightPending, object.SightClear, object.SightNoNamespace, object.SightNoPlans:
	}

	return "Provider-kubernetes has not looked for Node " + name + " yet."
}

// otherMachine says whose the Node of the machine's name is, and what to do.
func (r *nodeReport) otherMachine(owner lifecycle.NodeOwner) string {
	// A server meets etcd first, which has one member of a name (k3s, pkg/etcd, join), and then, as an agent does, the Node's password.
	refusal := `"Node password rejected, duplicate hostname"`
	if r.plan.EmbeddedEtcd() {
		refusal = `"duplicate node name found" or ` + refusal
	}

	remove := " As long as it exists, K3s refuses this VM (" + refusal + "). "
	name := r.plan.Node.Name
	command := "`kubectl delete node " + name + "`"

	switch {
	case owner.VM != "":
		return fmt.Sprintf("Node %s is still the VM that was replaced: %s.%sRun %s when that VM is stopped.", name, proven(owner.Proof), remove, command)
	case owner.Proof == lifecycle.ProofNoVM:
		return fmt.Sprintf("There is a Node %s already, and this machine has no VM yet: the Node is left from an earlier machine, or another machine has "+
			"the name.%s%sIf no machine is this Node any more, run %s.", name, remove, r.toAdopt(), command)
	}

	return fmt.Sprintf("Node %s is not this machine's VM: its %s is another one. The Node is left from an earlier machine, or another machine has "+
		"the name.%sIf no machine is this Node any more, run %s.", name, proofWord(owner.Proof), remove, command)
}

// toAdopt says how a VM that lives becomes the machine's, where the machine's own is not created because of it.
func (r *nodeReport) toAdopt() string {
	if !r.plan.Namesake {
		return ""
	}

	return "If that VM is to be this machine, as after claims were applied to a new control plane, set spec.adopt.vmId to its VMID: it is adopted as it is. "
}

// proven says what tells that a Node is a VM.
func proven(p lifecycle.Proof) string { return "its " + proofWord(p) + " is the VM's" }

func proofWord(p lifecycle.Proof) string {
	switch p {
	case lifecycle.ProofUUID:
		return "system UUID"
	case lifecycle.ProofLabel:
		return "label " + node.UIDLabel
	case lifecycle.ProofAddress:
		return "internal address"
	case lifecycle.ProofNone, lifecycle.ProofNoVM:
	}

	return "identity"
}

// noNode is a condition on a Node that there is not.
func (r *nodeReport) noNode(typ string) Condition {
	return Condition{typ, metav1.ConditionUnknown, ReasonNoNode, "There is no Node " + r.plan.Node.Name + " that is known to be this machine's: see condition NodeJoined."}
}

// ready is the condition on the Node's kubelet.
func (r *nodeReport) ready() Condition {
	n := r.ours()
	if n == nil {
		return r.noNode(TypeNodeReady)
	}

	c, name := Condition{Type: TypeNodeReady}, r.plan.Node.Name

	switch health := n.Health(); {
	case health == node.HealthReady:
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, ReasonKubeletReady, "Node "+name+" is Ready."
	case r.vm.rests():
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonStopped
		c.Message = r.vm.title() + " is off, and the kubelet of Node " + name + " with it."
	case health == node.HealthNotReady:
		c.Status, c.Reason = metav1.ConditionFalse, ReasonKubeletNotReady
		c.Message = "The kubelet of Node " + name + " says that it is not ready: `kubectl describe node " + name + "` has the cause."
	default:
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonKubeletSilent
		c.Message = "The kubelet of Node " + name + " does not report: the VM is stopped, cut off from its cluster, or K3s does not run in it."
	}

	if r.machine.K3s.Observe == machine.ObserveObject {
		c.Message += " Provider-kubernetes saw this at its last poll, at most its --poll ago: 10 minutes if that is not set."
	}

	return c
}

// member is the condition on a server's vote in etcd.
func (r *nodeReport) member() Condition {
	n := r.ours()
	if n == nil {
		return r.noNode(TypeEtcdMember)
	}

	c, name := Condition{Type: TypeEtcdMember, Status: metav1.ConditionFalse}, r.plan.Node.Name

	if r.vm.rests() && n.Health() != node.HealthReady {
		return Condition{TypeEtcdMember, metav1.ConditionUnknown, ReasonStopped, r.vm.title() + " is off, and the etcd member of Node " + name + " with it."}
	}

	switch n.Membership() {
	case node.MembershipVoter:
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, ReasonVoter, "The etcd member of Node "+name+" votes."
	case node.MembershipLearner:
		c.Reason, c.Message = ReasonLearner, "The etcd member of Node "+name+" copies the data of the cluster, and does not vote yet."
	case node.MembershipNone:
		c.Reason = ReasonNotAMember
		c.Message = "K3s says that Node " + name + " has no etcd member, or an unhealthy one: `journalctl -u k3s` on the VM has the cause."
	case node.MembershipUnknown:
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, ReasonNotReported, "K3s does not report an etcd member of Node "+name+"."
	}

	return c
}

// version is the condition on the node's release of K3s.
func (r *nodeReport) version() Condition {
	if r.plan.Upgrade.State != lifecycle.UpgradeNone {
		return r.upgrade()
	}

	n := r.ours()
	if n == nil {
		return r.noNode(TypeVersionCurrent)
	}

	runs, wanted := message.Excerpt(n.Status.NodeInfo.KubeletVersion), r.machine.K3s.Version

	switch wanted {
	case "":
		return Condition{TypeVersionCurrent, metav1.ConditionTrue, ReasonSameVersion, "The node runs K3s " + runs + "; the claim names no release."}
	case runs:
		return Condition{TypeVersionCurrent, metav1.ConditionTrue, ReasonSameVersion, "The node runs K3s " + runs + ", as its claim says."}
	}

	differs := "The node runs K3s " + runs + ", and its claim says " + wanted
	if why := r.byHand(runs, wanted); why != "" {
		return Condition{TypeVersionCurrent, metav1.ConditionFalse, ReasonUpgradeRefused, differs + why}
	}

	return Condition{TypeVersionCurrent, metav1.ConditionFalse, ReasonOtherVersion, differs +
		": upgrade K3s on the node, correct the claim, or have system-upgrade-controller do it, with `upgrade: SystemUpgrade` in the K3sCluster or in the catalogue's entry of the cluster."}
}

// node tells of a Node that joined, went or turned out to be another's, and of a kubelet and an etcd member that fail.
func (t *transitions) node() []Event {
	var out []Event

	for _, typ := range []string{TypeNodeJoined, TypeNodeReady, TypeEtcdMember, TypeVersionCurrent} {
		c := t.now.condition(typ)
		if previousCondition(t.before, typ) == c.Reason {
			continue
		}

		// A run that failed blots a condition out; the VM remembers that its node had joined. What has just joined is not Ready yet,
		// and neither is a VM that is being replaced.
		had := t.vm.seen.Metadata.Annotations[proxmox.NodeJoinedAnnotation] == string(lifecycle.NodeJoinSeen)
		settled := had && replacing(t.plan) == nil

		switch {
		case c.Reason == ReasonJoined && !had:
			out = append(out, Event{Reason: c.Reason, Message: c.Message})
		case c.Reason == ReasonUpgrading:
			out = append(out, Event{Reason: c.Reason, Message: c.Message})
		case isUpgradeTrouble(c.Reason), c.Reason == ReasonOtherMachine, c.Reason == ReasonFailed, settled && isNodeTrouble(c.Reason):
			out = append(out, Event{Warning: true, Reason: c.Reason, Message: c.Message})
		}
	}

	return out
}

// isNodeTrouble says whether a reason asks a person to see to a node.
func isNodeTrouble(reason string) bool {
	switch reason {
	case ReasonNodeGone, ReasonOtherMachine, ReasonKubeletNotReady, ReasonKubeletSilent, ReasonNotAMember:
		return true
	}

	return false
}

// isUpgradeTrouble says whether a reason asks a person to see to an upgrade.
func isUpgradeTrouble(reason string) bool {
	return reason == ReasonUpgradeBlocked || reason == ReasonUpgradeRefused
}
