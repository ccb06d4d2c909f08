package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

const (
	lacks = "K3s cluster home has 3 servers, this one included. Other servers that are ready: 1; needed for etcd's quorum: 2. " +
		"Not ready: server-3 (is stopped). First add or repair servers. To begin in spite of that, set spec.lifecycle.force to a new value."
	rebootWaits   = "VM 153 on node pve is to be power-cycled, as spec.lifecycle requests, and waits. "
	asks          = "It is announced to the other servers of its K3s cluster, and begins when none of them is away."
	restartByHand = "Crossplane runs on this VM, and nothing could start it again: restart it in Proxmox (`qm reboot 153` on its node), then the edit takes " +
		"effect. To begin in spite of that, set spec.lifecycle.force to a new value."
	stopByHand = "Crossplane runs on this VM, and nothing could start it again: to stop it, shut it down in Proxmox. To begin in spite of that, set " +
		"spec.lifecycle.force to a new value."
	isOff       = "VM 153 on node pve is being switched off, because it has no guest agent, and the provider then starts it again."
	unconfirmed = "No replacement needed. The function does not know whether this K3s server has joined its cluster; until you confirm that, it does " +
		"not count for the cluster's quorum, and no other server is replaced. When `kubectl get nodes` shows dns01 Ready, set " +
		"spec.lifecycle.joined to `2026-11-20`."
)

// waits is a K3s server that wants to be away, and may not.
func waits(t *testing.T, d lifecycle.Decision, wanted ...lifecycle.Outage) Input {
	t.Helper()

	in := settled(t)
	in.Plan.Outage = lifecycle.PlannedOutage{Wanted: wanted, Decision: d}

	return in
}

// hosts refuses an outage of the VM on which Crossplane runs.
func hosts(o lifecycle.Outage) lifecycle.Decision {
	return lifecycle.Decision{Permission: lifecycle.PermissionRefused, Blocker: lifecycle.Blocker{Reason: lifecycle.BlockedByCrossplane, Outage: o, VMID: 153}}
}

// outages are the moments of a K3s server that has to wait for its cluster, and of VMs that are switched off.
func outages() map[string]scenario {
	refused := lifecycle.Decision{Permission: lifecycle.PermissionRefused, Blocker: lifecycle.Blocker{
		Reason: lifecycle.BlockedByQuorum, Cluster: "home", Servers: 3, Ready: 1, Needed: 2,
		Missing: []lifecycle.MissingServer{{Machine: "server-3", Reason: lifecycle.MissingStopped}},
	}}
	event := func(message string) []Event {
		return []Event{{Warning: true, Reason: "WaitingForQuorum", Message: message}}
	}

	return map[string]scenario{
		"RebootWaits": {
			reason: "The cluster needs the server, which runs on: it is ready, and says who is missing.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, refused, lifecycle.OutageReboot)
				in.Plan.Pending = pending

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.PendingReboot = pendingLines }), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{
					"RebootPending", "True", "WaitingForQuorum",
					rebootWaits + lacks + " These changes then take effect: spec.size.cores: 2 to 4; spec.size.memory: 4096Mi to 8192Mi.",
				}),
				Events: event("VM 153 on node pve waits. " + lacks),
			},
		},
		"RebootWhileItMoves": {
			reason: "A server that moves votes, and the others were not asked for more.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, lifecycle.Decision{Permission: lifecycle.PermissionAwaited}, lifecycle.OutageReboot)
				in.Plan.Outage.Announcement = lifecycle.Announcement{Outage: lifecycle.OutageMigration, Begun: true}
				in.Plan.Pending = pending

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.PendingReboot = pendingLines }), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{
					"RebootPending", "True", "WaitingForQuorum",
					rebootWaits + "It begins when the VM has moved, and the other servers of its K3s cluster allow it. These changes then take effect: spec.size.cores: 2 to 4; spec.size.memory: 4096Mi to 8192Mi.",
				}),
			},
		},
		"RebootUnderCrossplane": {
			reason: "Nothing could start the VM again: a person has to restart it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, hosts(lifecycle.OutageReboot), lifecycle.OutageReboot)
				in.Plan.Pending = pending

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.PendingReboot = pendingLines }), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{
					"RebootPending", "True", "RunsCrossplane",
					rebootWaits + restartByHand + " These changes then take effect: spec.size.cores: 2 to 4; spec.size.memory: 4096Mi to 8192Mi.",
				}),
				Events: []Event{{Warning: true, Reason: "RunsCrossplane", Message: "VM 153 on node pve waits. " + restartByHand}},
			},
		},
		"StopUnderCrossplane": {
			reason: "The same, of a stop.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, hosts(lifecycle.OutageStop), lifecycle.OutageStop)
				in.Machine.Power = v1alpha1.PowerStopped

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Power = v1alpha1.PowerStopped }), Ready: readiness(false, true, true),
				Conditions: conditions(Condition{"MachineReady", "False", "RunsCrossplane", "VM 153 on node pve is to be stopped, as spec.power requests, and waits. " + stopByHand}),
				Events:     []Event{{Warning: true, Reason: "RunsCrossplane", Message: "VM 153 on node pve waits. " + stopByHand}},
			},
		},
		"RebootWaitsStill": {
			reason: "Once is enough.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, refused, lifecycle.OutagePowerCycle)
				in.Previous = after(Machine(in))

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"RebootPending", "True", "WaitingForQuorum", rebootWaits + lacks}),
			},
		},
		"RebootAnnounced": {
			reason: "The others are to see it first, which takes one call and is no news.",
			in: func(t *testing.T) Input {
				t.Helper()

				return waits(t, lifecycle.Decision{Permission: lifecycle.PermissionAwaited}, lifecycle.OutageReboot)
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"RebootPending", "True", "WaitingForQuorum", rebootWaits + asks}),
			},
		},
		"StopWaits": {
			reason: "The claim asks for Stopped, and the VM has to run on: it is not as asked.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, refused, lifecycle.OutageStop)
				in.Machine.Power = v1alpha1.PowerStopped

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Power = v1alpha1.PowerStopped }), Ready: readiness(false, true, true),
				Conditions: conditions(Condition{
					"MachineReady", "False", "WaitingForQuorum", "VM 153 on node pve is to be stopped, as spec.power requests, and waits. " + lacks,
				}),
				Events: event("VM 153 on node pve waits. " + lacks),
			},
		},
		"MoveWaits": {
			reason: "The claim moves the VM, which stays where it is for now: it is ready.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, refused, lifecycle.OutageMigration)
				in.Machine.Placement.Migrate, in.Machine.Placement.Node = true, "pve2"

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{
					"MachineReady", "True", "WaitingForQuorum", "VM 153 on node pve runs. It is to move to node pve2, and waits. " + lacks,
				}),
				Events: event("VM 153 on node pve waits. " + lacks),
			},
		},
		"ReconnectionUnderCrossplane": {
			reason: "The restart waits for a person, and the interface for the other servers.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, hosts(lifecycle.OutageReboot), lifecycle.OutageReboot, lifecycle.OutageReconnection)
				in.Plan.Pending = pending
				in.Plan.Reconnects = []change.Change{{Field: "spec.network.bridge", Has: "vmbr0", Wanted: "vmbr1", Effect: change.InPlace}}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.PendingReboot = pendingLines }), Ready: readiness(true, true, true),
				Conditions: conditions(
					Condition{
						"MachineReady", "True", "WaitingForQuorum", "VM 153 on node pve runs. An interface is to be plugged in elsewhere (spec.network.bridge: vmbr0 to vmbr1), and waits. " +
							"It begins when none of the other servers of its K3s cluster is away.",
					},
					Condition{
						"RebootPending", "True", "RunsCrossplane",
						rebootWaits + restartByHand + " These changes then take effect: spec.size.cores: 2 to 4; spec.size.memory: 4096Mi to 8192Mi.",
					},
				),
				Events: []Event{{Warning: true, Reason: "RunsCrossplane", Message: "VM 153 on node pve waits. " + restartByHand}},
			},
		},
		"ReconnectionWaits": {
			reason: "The interface stays where it is for now: the VM is ready.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := waits(t, refused, lifecycle.OutageReconnection)
				in.Plan.Reconnects = []change.Change{{Field: "spec.proxmox.vlan", Has: "20", Wanted: "30", Effect: change.InPlace}}

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{
					"MachineReady", "True", "WaitingForQuorum", "VM 153 on node pve runs. An interface is to be plugged in elsewhere (spec.proxmox.vlan: 20 to 30), and waits. " + lacks,
				}),
				Events: event("VM 153 on node pve waits. " + lacks),
			},
		},
		"Unconfirmed": {
			reason: "A server that replaced another one runs, and nobody knows whether it is a member of etcd.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Steps = map[string]lifecycle.Step{lifecycle.FirstVM: {Join: lifecycle.Join{Awaited: "2026-11-20"}}}

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"ReplacementRequired", "False", "NotRequired", unconfirmed}),
			},
		},
		"NodeReplaced": {
			reason: "A K3s node is being replaced: a person has one thing to do now.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageMaking, true, vmStopped)
				in.Previous = after(Machine(in))
				in.Machine.K3s = &machine.K3s{Role: v1alpha1.K3sAgent}

				return in
			},
			want: Output{
				Status: taking(func(s *v1alpha1.Status) { s.PrimaryAddress, s.Addresses = "", nil }), Ready: readyBeside(false, false),
				Conditions: conditions(
					Condition{"MachineReady", "False", "Replacing", "VM 153 on node pve is being replaced by a new VM. Condition ReplacementRequired has the details."},
					Condition{"ReplacementRequired", "True", "Replacing", apart + " Now run `kubectl delete node dns01`: the new VM cannot join before." + andThen},
				),
			},
		},
		"SwitchedOff": {
			reason: "Nobody can shut a guest without agent down: the condition says what is done.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Restarting = true
				in.wants(false)
				in.agent(false)

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(false, true, true),
				Conditions: conditions(Condition{"MachineReady", "False", "Rebooting", isOff}, Condition{"RebootPending", "True", "Rebooting", restarts}),
				Events:     []Event{{Reason: "Rebooting", Message: restarts}},
			},
		},
		"StopsBySwitch": {
			reason: "The same where the claim asks for Stopped.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Power = v1alpha1.PowerStopped
				in.wants(false)
				in.agent(false)

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Power = v1alpha1.PowerStopped }), Ready: readiness(false, true, true),
				Conditions: conditions(Condition{"MachineReady", "False", "Stopping", "VM 153 on node pve runs, and the provider switches it off, because it has no guest agent."}),
			},
		},
	}
}
