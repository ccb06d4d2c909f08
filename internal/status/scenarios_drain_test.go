package status

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// drain is a server whose Node is well, and about whose drain something is to be said.
func drain(t *testing.T, d lifecycle.Drain) Input {
	t.Helper()

	in := had(observedServer(t, asIs))
	in.Machine.K3s.NodesConfig = "home"
	d.VM = lifecycle.FirstVM
	in.Previous = after(Machine(in))
	in.Plan.Drain = d

	return in
}

func inState(s lifecycle.DrainState) lifecycle.Drain {
	d := lifecycle.Drain{Memory: lifecycle.DrainMemory{Attempt: 1, State: s}}

	switch s {
	case lifecycle.DrainRunning:
		d.Holds = true
		d.Jobs = map[string]object.Work{"drain-vm-1": {Task: object.TaskDrain, Node: "dns01", Key: "dns01-0123456789"}}
	case lifecycle.DrainUncordoning:
		// The outcome of the drain is not remembered yet.
		d.Memory.Attempt = 2
		d.Jobs = map[string]object.Work{
			"drain-vm-1":    {Task: object.TaskDrain, Node: "dns01", Key: "dns01-9876543210"},
			"uncordon-vm-2": {Task: object.TaskUncordon, Node: "dns01", Key: "dns01-0123456789"},
		}
	case lifecycle.DrainNone, lifecycle.DrainDone, lifecycle.DrainUnfinished, lifecycle.DrainUncordonFailed:
	}

	return d
}

// drains are the moments of a node that is drained.
func drains() map[string]scenario {
	const (
		runs = "Job drain-dns01-0123456789 in namespace node-drain cordons the Node and evicts its pods. A planned outage waits until the Job has ended, also " +
			"without success."
		until    = "It stays cordoned until the VM is back and the Node is Ready."
		log      = "`kubectl -n node-drain logs -l homelab.io/node=dns01 --tail=-1`"
		override = " To let the outage begin without a drain, set spec.k3s.drain to false, or spec.lifecycle.force to a new value."
		cannot   = "The Node cannot be drained now. "
	)

	of := func(reason string, in func(t *testing.T) Input, status metav1.ConditionStatus, why, message string, event Event, other ...Condition) scenario {
		s := scenario{reason: reason, in: in, want: Output{
			Status: made(kubernetes), Ready: readiness(true, true, true),
			Conditions: with(nodeConditions(other...), Condition{Type: "NodeDrained", Status: status, Reason: why, Message: message}),
		}}

		if event != (Event{}) {
			event.Reason, event.Message = why, message
			s.want.Events = []Event{event}
		}

		return s
	}
	state := func(s lifecycle.DrainState) func(t *testing.T) Input {
		return func(t *testing.T) Input { t.Helper(); return drain(t, inState(s)) }
	}
	blocked := func(b lifecycle.DrainBlock, memory lifecycle.DrainState) func(t *testing.T) Input {
		return func(t *testing.T) Input {
			t.Helper()

			wanted := memory == lifecycle.DrainNone

			return drain(t, lifecycle.Drain{Block: b, Wanted: wanted, Holds: wanted, Memory: lifecycle.DrainMemory{State: memory}})
		}
	}
	normal, warning := Event{Message: "normal"}, Event{Warning: true}

	return map[string]scenario{
		"DrainRuns": of("The VM runs on, and waits.", func(t *testing.T) Input {
			t.Helper()

			in := drain(t, inState(lifecycle.DrainRunning))
			in.Plan.Outage = lifecycle.PlannedOutage{Wanted: []lifecycle.Outage{lifecycle.OutageReboot}, Drains: true}

			return in
		}, "False", "Draining", runs, normal, Condition{
			"RebootPending", "True", "WaitingForDrain", rebootWaits + "Its Node is drained first: condition NodeDrained has the details.",
		}),
		"DrainDone": of("The outage may begin.", state(lifecycle.DrainDone), "True", "Drained", "The Node was drained. "+until, normal),
		"DrainDoneOnRequest": of("A person keeps it cordoned.", func(t *testing.T) Input {
			t.Helper()

			in := drain(t, inState(lifecycle.DrainDone))
			in.Machine.Lifecycle.Drain = "2026-11-20"

			return in
		}, "True", "Drained", "The Node was drained. It stays cordoned until you remove the value of spec.lifecycle.drain.", normal),
		"DrainDoneWhileCordoned": of("A person cordoned it.", func(t *testing.T) Input {
			t.Helper()

			d := inState(lifecycle.DrainDone)
			d.Memory.Cordon = lifecycle.CordonBefore

			return drain(t, d)
		}, "True", "Drained", "The Node was drained. It was cordoned before, and stays so until somebody uncordons it.", normal),
		"DrainFailed": of("The outage begins all the same, and a person can find out why.", state(lifecycle.DrainUnfinished), "False", "DrainUnfinished",
			"The Job could not evict all pods of the Node in time, or nobody waits for it any more: "+log+" shows what held it, often a PodDisruptionBudget, or a "+
				"pod that no controller owns. "+until, warning),
		"DrainWithoutConfig": of("The remedy is in the catalogue.", blocked(lifecycle.DrainBlockedByConfig, lifecycle.DrainNone), "False", "DrainBlocked",
			cannot+"Nobody may drain the nodes of the K3s cluster: set observe and providerConfig in its entry of the catalogue, and apply install/drain to the cluster."+
				override, warning),
		"DrainWithoutProvider": of("Nothing can be composed.", blocked(lifecycle.DrainBlockedByNoKind, lifecycle.DrainNone), "False", "DrainBlocked",
			cannot+"Provider-kubernetes is not installed, or its kind Object is not active."+override, warning),
		"DrainUnread": of("Another condition has the cause.", blocked(lifecycle.DrainBlockedByUnread, lifecycle.DrainNone), "False", "DrainBlocked",
			cannot+"The Node cannot be read: see condition NodeJoined."+override, warning),
		"DrainUnproven": of("It may be another machine's.", blocked(lifecycle.DrainBlockedByNoProof, lifecycle.DrainNone), "False", "DrainBlocked",
			cannot+"Neither the system UUID of the Node nor its label proves that the Node is this machine's VM, and the function drains no other Node: drain it by "+
				"hand. A replacement of the VM brings the proof."+override, warning),
		"DrainAfterUncordon": of("One Job at a time.", blocked(lifecycle.DrainBlockedByUncordon, lifecycle.DrainNone), "False", "DrainBlocked",
			cannot+"A Job still uncordons the Node after the drain before."+override, warning),
		"UncordonBlocked": of("A person can lift the cordon.", blocked(lifecycle.DrainBlockedByConfig, lifecycle.DrainDone), "False", "DrainBlocked",
			"The Node was drained, and cannot be uncordoned now; `kubectl uncordon dns01` does it by hand. Nobody may drain the nodes of the K3s cluster: set observe and "+
				"providerConfig in its entry of the catalogue, and apply install/drain to the cluster.", warning),
		"DrainForbidden": of("Nobody applied the rights.", func(t *testing.T) Input {
			t.Helper()

			d := inState(lifecycle.DrainRunning)
			d.Sight = object.SightForbidden

			return drain(t, d)
		}, "False", "Draining", runs+" Provider-kubernetes may not create or read the Job. Apply install/drain to the cluster that the machine joins, for the identity of "+
			"configuration home."+override, normal),
		"DrainWaits": {
			reason: "Another server is drained.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := drain(t, lifecycle.Drain{Wanted: true})
				in.Plan.Outage = lifecycle.PlannedOutage{
					Wanted: []lifecycle.Outage{lifecycle.OutageDrain},
					Decision: lifecycle.Decision{Permission: lifecycle.PermissionRefused, Blocker: lifecycle.Blocker{
						Reason: lifecycle.BlockedByOtherServer, Cluster: "home", Server: "server-2", Outage: lifecycle.OutageDrain,
					}},
				}

				return in
			},
			want: Output{
				Status: made(kubernetes), Ready: readiness(true, true, true),
				Conditions: nodeConditions(Condition{"NodeDrained", "False", "WaitingForQuorum", "The drain waits. " + otherDrains}),
				Events:     []Event{{Warning: true, Reason: "WaitingForQuorum", Message: "VM 153 on node pve waits. " + otherDrains}},
			},
		},
		"Uncordons": of("The VM is back.", state(lifecycle.DrainUncordoning), "False", "Uncordoning",
			"Job uncordon-dns01-0123456789 in namespace node-drain uncordons the Node.", Event{}),
		"UncordonFails": of("A person has to lift the cordon.", state(lifecycle.DrainUncordonFailed), "False", "UncordonFailed",
			"The Job could not uncordon the Node: run `kubectl uncordon dns01`. The cause: "+log+".", warning),
		"DrainOver": of("A condition that Crossplane has written stays until a function says something else.", func(t *testing.T) Input {
			t.Helper()

			in := drain(t, inState(lifecycle.DrainUncordoning))
			in.Previous = after(Machine(in))
			in.Plan.Drain = inState(lifecycle.DrainNone)

			return in
		}, "False", "NotDrained", "The function keeps no pods off the machine's Node.", Event{}),
	}
}

const otherDrains = "Server server-2 of K3s cluster home is being drained. The servers of a cluster go one by one. To begin in spite of that, set " +
	"spec.lifecycle.force to a new value."

// TestADrainSaysWhatHelps: every cause that keeps a Job from being created or read.
func TestADrainSaysWhatHelps(t *testing.T) {
	for sight, want := range map[object.Sight]string{
		object.SightForbidden: "Apply install/drain", object.SightNoNamespace: "namespace is missing", object.SightNoConfig: "correct its Secret",
		object.SightUnreachable: "does not answer", object.SightPending: "has not worked on the Job yet",
	} {
		d := inState(lifecycle.DrainRunning)
		d.Sight = sight

		in := drain(t, d)
		in.Machine.K3s.Role = v1alpha1.K3sAgent

		c := Machine(in).condition(TypeNodeDrained)
		if !strings.Contains(c.Message, want) || !strings.Contains(c.Message, "set spec.k3s.drain to false.") {
			t.Errorf("%s: %q does not say %q", sight, c.Message, want)
		}
	}
}
