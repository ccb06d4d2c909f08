package status

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// A drainReport is about the drain of the Kubernetes Node behind the VM.
type drainReport struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	vm      *activeVM
	before  *v1alpha1.Status
}

// waits says whether the drain waits for the other servers of its cluster, as spec.lifecycle.drain asks for it.
func (r *drainReport) waits() bool {
	return r.plan.Drain.Wanted && r.plan.Drain.Block == lifecycle.DrainBlockedByNothing && r.plan.Outage.Is(lifecycle.OutageDrain) && r.plan.Outage.Waits()
}

// conditions on the drain: none for a machine whose Node nobody ever drained.
func (r *drainReport) conditions() []Condition {
	d := r.plan.Drain
	c := Condition{Type: TypeNodeDrained, Status: metav1.ConditionFalse}

	switch {
	case r.waits():
		c.Reason, c.Message = outageReason(r.plan), "The drain waits. "+waitsForQuorum(r.plan)
	case d.Block != lifecycle.DrainBlockedByNothing:
		c.Reason, c.Message = ReasonDrainBlocked, r.blocked()
	case d.Memory.State == lifecycle.DrainRunning:
		c.Reason, c.Message = ReasonDraining, r.running("cordons the Node and evicts its pods. A planned outage waits until the Job has ended, also without success.")
	case d.Memory.State == lifecycle.DrainUncordoning:
		c.Reason, c.Message = ReasonUncordoning, r.running("uncordons the Node.")
	case d.Memory.State == lifecycle.DrainDone:
		c.Status, c.Reason = metav1.ConditionTrue, ReasonDrained
		c.Message = "The Node was drained. " + r.cordoned()
	case d.Memory.State == lifecycle.DrainUnfinished:
		c.Reason = ReasonDrainUnfinished
		c.Message = "The Job could not evict all pods of the Node in time, or nobody waits for it any more: " + r.log() + " shows what held it, often a " +
			"PodDisruptionBudget, or a pod that no controller owns. " + r.cordoned()
	case d.Memory.State == lifecycle.DrainUncordonFailed:
		c.Reason = ReasonUncordonFailed
		c.Message = "The Job could not uncordon the Node: run `kubectl uncordon " + r.name() + "`. The cause: " + r.log() + "."
	case meta.FindStatusCondition(r.before.Conditions, TypeNodeDrained) != nil:
		c.Reason, c.Message = ReasonNotDrained, "The function keeps no pods off the machine's Node."
	default:
		return nil
	}

	return []Condition{c}
}

// name of the Node; a placeholder where nobody reads it any more.
func (r *drainReport) name() string {
	if r.plan.Node.Name == "" {
		return "<node>"
	}

	return r.plan.Node.Name
}

// log shows what the Jobs of the Node said. They stay for a day.
func (r *drainReport) log() string {
	return "`kubectl -n " + object.DrainNamespace + " logs -l " + object.NodeLabel + "=" + r.name() + " --tail=-1`"
}

// cordoned says how long the Node stays cordoned.
func (r *drainReport) cordoned() string {
	switch {
	case r.plan.Drain.Memory.Cordon == lifecycle.CordonBefore:
		return "It was cordoned before, and stays so until somebody uncordons it."
	case r.machine.Lifecycle.Drain != "":
		return "It stays cordoned until you remove the value of spec.lifecycle.drain."
	}

	return "It stays cordoned until the VM is back and the Node is Ready."
}

// running says what the Job does that was begun last, and why nobody knows how it is.
func (r *drainReport) running(does string) string {
	out := "A Job in namespace " + object.DrainNamespace + " " + does

	// The Job before it may be there, too, until its outcome is remembered.
	for _, task := range []object.Task{object.TaskDrain, object.TaskUncordon} {
		if w, is := r.plan.Drain.Jobs[object.JobName(task, r.plan.Drain.VM, r.plan.Drain.Memory.Attempt)]; is {
			out = fmt.Sprintf("Job %s-%s in namespace %s %s", w.Task, w.Key, object.DrainNamespace, does)
		}
	}

	if trouble := r.trouble(); trouble != "" {
		out += " " + trouble + r.override()
	}

	return out
}

// trouble is why provider-kubernetes shows nothing new of the Job; empty without a cause.
func (r *drainReport) trouble() string {
	const rights = "Apply install/drain to the cluster that the machine joins, for the identity of configuration "

	config := r.machine.K3s.NodesConfig

	switch r.plan.Drain.Sight {
	case object.SightForbidden:
		return "Provider-kubernetes may not create or read the Job. " + rights + config + "."
	case object.SightNoNamespace:
		return "The namespace is missing. " + rights + config + "."
	case object.SightNoConfig:
		return "Provider-kubernetes cannot use its configuration " + config + ": create the configuration, or correct its Secret or providerConfig in the " +
			"cluster's entry of the catalogue."
	case object.SightUnreachable:
		return "Provider-kubernetes cannot create or read the Job: the API server of the K3s cluster does not answer, or refuses the Job. " +
			"`kubectl describe` of the Object shows the cause."
	case object.SightPending:
		return "Provider-kubernetes has not worked on the Job yet."
	case object.SightClear, object.SightNoKind, object.SightNoPlans:
	}

	return ""
}

// override lets a planned outage begin without its drain.
func (r *drainReport) override() string {
	if !r.plan.Drain.Holds {
		return ""
	}

	out := " To let the outage begin without a drain, set spec.k3s.drain to false"
	if r.machine.K3s.Role == v1alpha1.K3sServer {
		out += ", or spec.lifecycle.force to a new value"
	}

	return out + "."
}

// blocked says why a drain, or an uncordon, cannot begin, and what to do.
func (r *drainReport) blocked() string {
	d := r.plan.Drain

	what := "The Node cannot be drained now. "
	if !d.Wanted && d.Memory.State != lifecycle.DrainRunning {
		what = "The Node was drained, and cannot be uncordoned now; `kubectl uncordon " + r.name() + "` does it by hand. "
	}

	why := map[lifecycle.DrainBlock]string{
		lifecycle.DrainBlockedByConfig: "Nobody may drain the nodes of the K3s cluster: set observe and providerConfig in its entry of the catalogue, and apply " +
			"install/drain to the cluster.",
		lifecycle.DrainBlockedByNoKind: "Provider-kubernetes is not installed, or its kind Object is not active.",
		lifecycle.DrainBlockedByUnread: "The Node cannot be read: see condition NodeJoined.",
		lifecycle.DrainBlockedByNoProof: "Neither the system UUID of the Node nor its label proves that the Node is this machine's VM, and the function drains no other " +
			"Node: drain it by hand. A replacement of the VM brings the proof.",
		lifecycle.DrainBlockedByNoNode:   "No Node is this machine's VM: see condition NodeJoined. A planned outage does not wait for a drain.",
		lifecycle.DrainBlockedByUncordon: "A Job still uncordons the Node after the drain before. " + r.trouble(),
	}[d.Block]

	return strings.TrimSpace(what+why) + r.override()
}

// drain tells of a Node that is drained, and of what went wrong.
func (t *transitions) drain() []Event {
	c := t.now.condition(TypeNodeDrained)
	if c.Reason == "" || previousCondition(t.before, TypeNodeDrained) == c.Reason {
		return nil
	}

	switch c.Reason {
	case ReasonDraining, ReasonDrained:
		return []Event{{Reason: c.Reason, Message: c.Message}}
	case ReasonDrainUnfinished, ReasonDrainBlocked, ReasonUncordonFailed:
		return []Event{{Warning: true, Reason: c.Reason, Message: c.Message}}
	}

	return nil
}
