package lifecycle

import (
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// DrainForRemoval is the value of spec.lifecycle.drain with which a K3sCluster has the Node of a machine drained that it then removes.
const DrainForRemoval = "removal"

// A DrainBlock is why a drain, or an uncordon, that is asked for cannot begin.
type DrainBlock string

// The blocks. An outage waits for all but [DrainBlockedByNoNode]: without a Node of the VM's own there is nothing to evict.
const (
	DrainBlockedByNothing DrainBlock = ""
	// DrainBlockedByConfig: the catalogue has no providerConfig for the cluster, or its Nodes are not read.
	DrainBlockedByConfig DrainBlock = "NoConfig"
	// DrainBlockedByNoKind: provider-kubernetes is not installed.
	DrainBlockedByNoKind DrainBlock = "NoKind"
	// DrainBlockedByUnread: the Node could not be read.
	DrainBlockedByUnread DrainBlock = "Unread"
	// DrainBlockedByNoProof: the Node is not proven to be the VM by UUID or label.
	DrainBlockedByNoProof DrainBlock = "Unproven"
	// DrainBlockedByNoNode: no Node is the VM.
	DrainBlockedByNoNode DrainBlock = "NoNode"
	// DrainBlockedByUncordon: a Job still uncordons the Node after the drain before.
	DrainBlockedByUncordon DrainBlock = "Uncordon"
)

// A Drain is what this call does about the Node of a VM.
type Drain struct {
	// VM by composed resource name; empty where there is nothing to say.
	VM     string
	Memory DrainMemory // After this call.
	Was    DrainMemory
	// Wanted says that a drain is asked for and has not begun.
	Wanted bool
	// Holds says that a planned outage waits until the drain has ended, or can begin.
	Holds bool
	Block DrainBlock
	// Sight is why nobody knows how the Job is.
	Sight object.Sight
	// Jobs are the Objects of Jobs that are to be, by composed resource name.
	Jobs map[string]object.Work
}

// A drainer decides about the drain of the Node behind a VM.
type drainer struct{ s *Situation }

// readsLive says whether the Node is read in each call, so that what is known of it is never older than a Job.
func (p drainer) readsLive() bool { return p.s.Machine.K3s.Observe == machine.ObserveHere }

// drainsOutages says whether a Node is to be drained before an outage that the claim asks for.
func (p drainer) drainsOutages() bool { return p.s.Machine.K3s != nil && p.s.Machine.K3s.Drain.Outages }

// drainTrigger is the value of spec.lifecycle.drain; empty for what is no node.
func drainTrigger(m *machine.Machine) string {
	if m.K3s == nil {
		return ""
	}

	return m.Lifecycle.Drain
}

// drainBlock is why a Job cannot work on the Node of a VM. A Node that is not proven to be the VM is never touched.
func (p drainer) drainBlock(vm string) DrainBlock {
	k, owner := p.s.Machine.K3s, p.s.NodeOwner()

	switch {
	case k.NodesConfig == "" || !k.Observe.Reads():
		return DrainBlockedByConfig
	case p.s.Objects.NoKind:
		return DrainBlockedByNoKind
	case owner.Ownership == OwnershipUnread:
		return DrainBlockedByUnread
	case owner.Ownership == OwnershipNone, owner.Ownership == OwnershipOther, owner.VM != "" && owner.VM != vm, p.s.Node.Node.Leaving():
		return DrainBlockedByNoNode
	case p.s.provenNode() != vm:
		return DrainBlockedByNoProof
	}

	return DrainBlockedByNothing
}

// drain decides how far the drain of a VM's Node has come, and whether one is wanted: by spec.lifecycle.drain, and, where the claim or its
// cluster asks for that, by an outage that would begin now. It begins none.
func (p drainer) drain(vm string, outage bool) Drain {
	if p.s.Machine.K3s == nil {
		return Drain{}
	}

	was := ReadDrain(p.s.Observed.VMs[vm])
	d := Drain{VM: vm, Was: was, Memory: was}

	trigger := drainTrigger(p.s.Machine)
	if trigger == "" {
		d.Memory.Trigger = ""
	}

	outage = outage && p.drainsOutages()
	p.followJob(&d, outage || trigger != "")

	triggered := trigger != "" && trigger != d.Memory.Trigger
	d.Wanted = d.Memory.State != DrainRunning && (triggered || outage && !d.Memory.State.drained())

	switch {
	case d.Wanted && d.Memory.State == DrainUncordoning:
		d.Block = DrainBlockedByUncordon
	case d.Wanted, d.Memory.State == DrainRunning && len(d.Jobs) == 0:
		d.Block = p.drainBlock(vm)
	}

	running := d.Memory.State == DrainRunning || d.begins()
	d.Holds = running && (outage || trigger != "") || outage && d.Wanted && d.Block != DrainBlockedByNoNode

	return d
}

// begins says whether a drain can begin.
func (d Drain) begins() bool { return d.Wanted && d.Block == DrainBlockedByNothing }

// followJob finds out what became of the Job that was begun last. asked says whether anybody waits for a drain.
func (p drainer) followJob(d *Drain, asked bool) {
	task := d.Was.State.task()
	if task == "" {
		return
	}

	name := object.JobName(task, d.VM, d.Was.Attempt)
	job, there := p.s.Objects.Jobs[name]
	outcome, sight := object.JobUnknown, object.SightPending

	if there {
		outcome, sight = job.Outcome()
	}

	switch {
	case outcome == object.JobComplete && task == object.TaskDrain:
		d.Memory.State = DrainDone
	case outcome == object.JobFailed && task == object.TaskDrain:
		d.Memory.State = DrainUnfinished
	case outcome == object.JobUnknown && task == object.TaskDrain && !asked:
		// Without its Object nobody creates the Job any more.
		d.Memory.State = DrainUnfinished
		return
	case outcome == object.JobComplete:
		d.Memory.State, d.Memory.Cordon, d.Memory.Before = DrainNone, CordonOurs, ""
	case outcome == object.JobFailed:
		d.Memory.State = DrainUncordonFailed
	default:
		d.Sight = sight
	}

	// The Object stays until the VM remembers the outcome. A Job that was not created yet would begin with any Node of the name.
	if outcome != object.JobUnknown || p.drainBlock(d.VM) == DrainBlockedByNothing {
		p.addJob(d, task)
	}
}

// task of the Job that works while a VM's Node is in a state; empty where none does.
func (s DrainState) task() object.Task {
	switch s {
	case DrainRunning:
		return object.TaskDrain
	case DrainUncordoning:
		return object.TaskUncordon
	case DrainNone, DrainDone, DrainUnfinished, DrainUncordonFailed:
	}

	return ""
}

func (p drainer) addJob(d *Drain, task object.Task) {
	attempt := d.Memory.Attempt
	key := p.s.Node.Name[:min(len(p.s.Node.Name), maxNodeInKey)] + "-" + p.s.Machine.Identity.Hash("drain", p.s.Machine.Identity.UUID(d.VM), strconv.Itoa(attempt))

	if d.Jobs == nil {
		d.Jobs = map[string]object.Work{}
	}

	d.Jobs[object.JobName(task, d.VM, attempt)] = object.Work{
		Task: task, Node: p.s.Node.Name, Identity: p.nodeIdentity(), Key: key, Image: p.s.Machine.K3s.Drain.Image, Minutes: p.s.Machine.K3s.Drain.TimeoutMinutes,
	}
}

// nodeIdentity is what the Node is proven by; zero without a proof, for a Job that was created before.
func (p drainer) nodeIdentity() object.Identity {
	switch n := p.s.Node.Node; p.s.NodeOwner().Proof {
	case ProofUUID:
		return object.BySystemUUID(n.Status.NodeInfo.SystemUUID)
	case ProofLabel:
		return object.ByLabel(n.Metadata.Labels[node.UIDLabel])
	case ProofNone, ProofNoVM, ProofAddress:
	}

	return object.Identity{}
}

// maxNodeInKey is how many characters of a Node's name are in the name of its Job, which has 63 at most.
const maxNodeInKey = 30

// beginDrain lets a Job drain the Node. A Node that was cordoned before stays so. What provider-kubernetes read of a Node may be older than the
// Job that uncordoned the Node last.
func (p drainer) beginDrain(d Drain) Drain {
	current := p.readsLive() || d.Memory.Attempt == 0

	if s := d.Memory.State; s == DrainNone {
		d.Memory.Cordon = CordonOurs
		if p.s.Node.Node.Spec.Unschedulable && current {
			d.Memory.Cordon = CordonBefore
		}
	}

	d.Memory.Attempt++
	d.Memory.State, d.Memory.Trigger, d.Memory.Before = DrainRunning, drainTrigger(p.s.Machine), ""
	d.Wanted, d.Jobs = false, nil
	p.addJob(&d, object.TaskDrain)

	return d
}

// uncordon lets a Job uncordon the Node of a VM that is back, unless spec.lifecycle.drain keeps the Node cordoned.
func (p drainer) uncordon(d Drain) Drain {
	s := d.Memory.State
	if !s.drained() && s != DrainUncordonFailed || drainTrigger(p.s.Machine) != "" || d.Wanted {
		return d
	}

	if d.Memory.Cordon == CordonBefore {
		d.Memory.State, d.Memory.Cordon = DrainNone, CordonOurs
		return d
	}

	if d.Block = p.drainBlock(d.VM); d.Block != DrainBlockedByNothing || p.s.Node.Node.Health() != node.HealthReady {
		return d
	}

	before := d.Memory.Before
	current := p.readsLive() || s == DrainUncordonFailed && (before == "" || before != p.s.Node.Node.Metadata.ResourceVersion)

	switch {
	case !p.s.Node.Node.Spec.Unschedulable && current:
		d.Memory.State, d.Memory.Before = DrainNone, ""
	case s == DrainUncordonFailed:
	default:
		d.Memory.Attempt++
		d.Memory.State = DrainUncordoning

		if !p.readsLive() {
			d.Memory.Before = p.s.Node.Node.Metadata.ResourceVersion
		}

		p.addJob(&d, object.TaskUncordon)
	}

	return d
}

// drainsFirst decides about the Node of the active VM while another VM is to replace it, and says whether the active VM has to run until its
// Node is drained. stops says that the active VM would be stopped now.
func (p drainer) drainsFirst(stops bool) (d Drain, holds bool) {
	active := p.s.Observed.VMs[p.s.Roles.Active]
	annotations := active.Metadata.Annotations

	runs := powerKnown(active) && active.Status.AtProvider.Started && annotations[proxmox.StoppedForAnnotation] == ""
	forced := p.s.server() && succession.Asks(p.s.Machine.Lifecycle.Force, ReadTriggers(active, proxmox.ForceTriggersAnnotation))

	stops = stops && runs && !forced
	d = p.drain(p.s.Roles.Active, stops)

	if stops && d.begins() {
		d = p.beginDrain(d)
	}

	return d, stops && d.Holds
}

// drainAtBirth is what a VM remembers that is created while the value of spec.lifecycle.drain stands: its Node is a new one, and is not drained.
func drainAtBirth(m *machine.Machine) DrainMemory {
	return DrainMemory{State: DrainNone, Trigger: drainTrigger(m)}
}
