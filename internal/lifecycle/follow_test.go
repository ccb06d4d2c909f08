package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRestarts: a VM that is being restarted moves when it runs again, unless it does not start where it is.
func TestRestarts(t *testing.T) {
	cases := map[string]struct {
		reason     string
		annotation [2]string
		conditions proxmox.Conditions
		want       bool
	}{
		"Runs":    {reason: "Nothing is asked.", conditions: applied()},
		"Stopped": {reason: "It is stopped for a restart.", annotation: [2]string{proxmox.StoppedForAnnotation, StoppedForRestart}, conditions: applied(), want: true},
		"Starts":  {reason: "It is being started again.", annotation: [2]string{proxmox.StartingAgainAnnotation, "true"}, conditions: applied(), want: true},
		"Fails":   {reason: "It does not start on this node, and may start on another one.", annotation: [2]string{proxmox.StartingAgainAnnotation, "true"}, conditions: failed()},
		"Goes":    {reason: "It is stopped for its replacement.", annotation: [2]string{proxmox.StoppedForAnnotation, StoppedForReplacement}, conditions: applied()},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := livingVM("pve")
			vm.Metadata.Annotations[tc.annotation[0]] = tc.annotation[1]
			vm.Status.Conditions = tc.conditions

			if got := restarts(vm); got != tc.want {
				t.Errorf("%s\ngot %t", tc.reason, got)
			}
		})
	}
}

// TestMoveWhen: a move waits for the devices that a VM runs with, and not for those that it is to get.
func TestMoveWhen(t *testing.T) {
	starting := livingVM("pve")
	starting.Metadata.Annotations[proxmox.StartingAgainAnnotation] = "true"
	starting.Status.Conditions = applied()

	cases := map[string]struct {
		reason  string
		vm      proxmox.ObservedVM
		pending []change.Change
		want    MoveWhen
	}{
		"Nothing": {reason: "It moves as it is.", vm: livingVM("pve"), pending: []change.Change{{Field: "spec.size.memory", Has: "1", Wanted: "2"}}},
		"Leaves":  {reason: "It runs with a device.", vm: livingVM("pve"), pending: []change.Change{{Field: "spec.devices.usb", Has: "coral"}}, want: MoveWithoutDevice},
		"Gets":    {reason: "It has none yet.", vm: livingVM("pve"), pending: []change.Change{{Field: "spec.devices.usb", Wanted: "coral"}}},
		"Starts":  {reason: "It is being restarted.", vm: starting, want: MoveWhenRestarted},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := moveWhen(tc.vm, tc.pending); got != tc.want {
				t.Errorf("%s\ngot %q", tc.reason, got)
			}
		})
	}
}

// TestFollowLeftOff: a VM that stays off for another one of its machine, which may run, is not started by a boot of its Proxmox node either.
func TestFollowLeftOff(t *testing.T) {
	stopped := func(vm *proxmox.ObservedVM) {
		vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = StoppedForReplacement
	}
	rival := func(s *Situation) { s.Roles.Retired, s.Observed.VMs["vm-b"] = []string{"vm-b"}, settledVM() }

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		edit   func(s *Situation)
		want   bool
	}{
		"Runs":  {reason: "It starts with its node, as its claim says.", vm: settledVM(), edit: func(*Situation) {}, want: true},
		"Rival": {reason: "The two may have one address.", vm: settledVM(off, writtenOff, stopped), edit: rival},
		"Alone": {reason: "The other one is gone.", vm: settledVM(off, writtenOff, stopped), edit: func(*Situation) {}, want: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := replacing(tc.vm, func(s *Situation) { s.Roles, s.State, s.vm = Roles{Active: FirstVM}, StateLiving, tc.vm }, tc.edit)
			p := &Plan{Situation: *s, Steps: map[string]Step{}}
			p.follow(Description{Parameters: proxmox.VMParameters{OnBoot: true, Started: true}})

			if got := p.Steps[FirstVM].Parameters.OnBoot; got != tc.want {
				t.Errorf("%s\ngot %t", tc.reason, got)
			}
		})
	}
}

// TestFollow: what waits is not written, neither a move nor an interface that is plugged in elsewhere, and no outage has begun that the HA manager still keeps
// from beginning.
func TestFollow(t *testing.T) {
	type answer struct {
		Step       Step
		Moves      *change.Change
		MovesWhen  MoveWhen
		Reconnects []change.Change
		Restarting bool
		Hold       haHold
	}

	type world struct {
		s *Situation
		d *Description
	}

	note := func(key, value string) func(world) {
		return func(w world) { w.s.vm.Metadata.Annotations[key] = value }
	}
	says := func(what string) func(world) { return note(proxmox.OutageAnnotation, what) }
	moves := func(w world) { w.d.Parameters.NodeName, w.d.MayMigrate = "pve2", true }
	snippets := func(w world) { w.d.MayMigrate = false }
	written := func(w world) { w.s.vm.Spec.ForProvider.NodeName, w.s.vm.Spec.ForProvider.Migrate = "pve2", true }
	restarts := note(proxmox.StoppedForAnnotation, StoppedForRestart)
	device := note(proxmox.RebootPendingAnnotation, `{"spec.devices.usb":"coral"}`)
	replugs := func(w world) { w.d.Parameters.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr1"}} }
	votes := func(w world) {
		w.s.Machine.K3s = &machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home"}
		w.s.Servers = Servers{Known: true, VMs: []proxmox.ObservedVM{server("b"), server("c")}}
	}
	hosts := func(w world) {
		w.s.Machine.K3s = &machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home", Observe: machine.ObserveHere}
		w.s.Servers.Known = true
	}
	wave := func(state v1alpha1.WaveState) func(world) {
		return func(w world) {
			w.s.Machine.Rollout = &v1alpha1.MachineRollout{Group: "edge", Wave: 2}
			w.s.Rollout = Rollout{Known: true, Before: v1alpha1.WaveAnnounced, Members: []OtherMember{{Machine: "other", Wave: 1, State: state}}}
		}
	}
	reboots := func(w world) { w.s.Machine.Lifecycle.Reboot = "a" }
	candidate := func(w world) { w.s.trial = trialUnderWay }

	id := int64(100)
	stands := Step{
		Action: ActionFollow, MayDelete: proxmox.DeletionDestroys, Power: Power{Started: true},
		Parameters: proxmox.VMParameters{NodeName: "pve", VMID: &id, Started: true, NetworkDevice: []proxmox.NetworkDevice{{Bridge: "vmbr0"}}},
	}
	step := func(edits ...func(s *Step)) Step {
		out := stands
		for _, e := range edits {
			e(&out)
		}

		return out
	}
	there := func(s *Step) { s.Parameters.NodeName, s.Parameters.Migrate = "pve2", true }
	onBridge := func(s *Step) { s.Parameters.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr1"}} }
	runsWith := func(s *Step) {
		s.RunsWith, s.Origin = map[string]string{"spec.devices.usb": "coral"}, Origin{Created: "none"}
	}
	announces := func(a Announcement) func(s *Step) {
		return func(s *Step) { s.Outage, s.Drain = a, DrainMemory{State: DrainNone} }
	}
	restarting := func(s *Step) {
		s.Power = Power{Phase: PowerRestarts, StoppedFor: StoppedForRestart, RebootingFor: "a"}
	}
	awaitsPerson := func(s *Step) { s.Power.AwaitsRestart = AwaitedRestart{Boot: unknownBoot} }
	runsOn := func(s *Step) { s.Power.Phase = PowerRestarts }
	drain := func(m DrainMemory) func(s *Step) { return func(s *Step) { s.Drain = m } }

	later := &change.Change{Field: nodeField, Has: "pve", Wanted: "pve2", Effect: change.InPlace}
	plug := []change.Change{{Field: "spec.proxmox.bridge", Has: "vmbr0", Wanted: "vmbr1", Effect: change.InPlace}}

	cases := map[string]struct {
		reason string
		edits  []func(world)
		want   answer
	}{
		"Rests":        {reason: "Nobody asks for anything.", want: answer{Step: step()}},
		"Moves":        {reason: "Nothing keeps it.", edits: []func(world){moves}, want: answer{Step: step(there)}},
		"Snippets":     {reason: "Its snippets are not there yet.", edits: []func(world){moves, snippets}, want: answer{Step: step(), Moves: later}},
		"Device":       {reason: "Proxmox moves no VM that runs with a device of its node.", edits: []func(world){moves, device}, want: answer{Step: step(runsWith), Moves: later, MovesWhen: MoveWithoutDevice}},
		"Restarts":     {reason: "It moves when it runs again.", edits: []func(world){moves, restarts}, want: answer{Step: step(), Moves: later, MovesWhen: MoveWhenRestarted}},
		"DeviceStays":  {reason: "Nobody asks for a move.", edits: []func(world){device}, want: answer{Step: step(runsWith), MovesWhen: MoveWithoutDevice}},
		"MoveAsks":     {reason: "The other servers have to see it first.", edits: []func(world){votes, moves}, want: answer{Step: step(announces(Announcement{Outage: OutageMigration}))}},
		"MoveBegins":   {reason: "They have.", edits: []func(world){votes, moves, says("Migration announced")}, want: answer{Step: step(there, announces(Announcement{Outage: OutageMigration, Begun: true}))}},
		"MoveWave":     {reason: "A lower wave is not finished.", edits: []func(world){moves, wave(v1alpha1.WaveUnfinished)}, want: answer{Step: step()}},
		"MoveTurn":     {reason: "It is its turn.", edits: []func(world){moves, wave(v1alpha1.WaveFinished)}, want: answer{Step: step(there)}},
		"MoveWritten":  {reason: "It is under way, and a restart waits for it.", edits: []func(world){votes, reboots, moves, written}, want: answer{Step: step(there, announces(Announcement{Outage: OutageReboot}))}},
		"RebootAsks":   {reason: "The other servers have to see it first.", edits: []func(world){votes, reboots}, want: answer{Step: step(announces(Announcement{Outage: OutageReboot}))}},
		"Replugs":      {reason: "A machine without K3s asks nobody.", edits: []func(world){replugs}, want: answer{Step: step(onBridge)}},
		"ReplugAsks":   {reason: "The other servers have to see it first.", edits: []func(world){votes, replugs}, want: answer{Step: step(announces(Announcement{Outage: OutageReconnection})), Reconnects: plug}},
		"ReplugBegins": {reason: "They have.", edits: []func(world){votes, replugs, says("Reconnection announced")}, want: answer{Step: step(onBridge, announces(Announcement{Outage: OutageReconnection, Begun: true}))}},
		"ReplugHosts": {
			reason: "The restart waits for a person, and the interface for nobody.", edits: []func(world){hosts, reboots, replugs, says("Reconnection announced")},
			want: answer{Step: step(onBridge, announces(Announcement{Outage: OutageReconnection, Begun: true}), awaitsPerson)},
		},
		"Candidate":    {reason: "What became of its drain stays known until it is the machine.", edits: []func(world){candidate, note(proxmox.DrainAnnotation, "1 Drained")}, want: answer{Step: step(drain(DrainMemory{Attempt: 1, State: DrainDone}))}},
		"RebootBegins": {reason: "It is stopped.", edits: []func(world){votes, reboots, says("Reboot announced")}, want: answer{Step: step(restarting, announces(Announcement{Outage: OutageReboot, Begun: true})), Restarting: true}},
		"RebootManaged": {
			reason: "It runs on until the HA manager ignores it, and its outage has not begun.", edits: []func(world){votes, reboots, says("Reboot announced"), func(w world) { inHA(w.s) }},
			want: answer{Step: step(runsOn, announces(Announcement{Outage: OutageReboot})), Restarting: true, Hold: haHolds},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM(func(vm *proxmox.ObservedVM) {
				vm.Spec.ForProvider.NodeName, vm.Status.AtProvider.NodeName = "pve", "pve"
				vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0"}}
			})
			s := replacing(vm, func(s *Situation) {
				s.Roles, s.State, s.vm = Roles{Active: FirstVM}, StateLiving, vm
				s.Machine.Placement.Migrate = true
			})
			d := &Description{Parameters: stands.Parameters}

			for _, e := range tc.edits {
				e(world{s, d})
			}

			p := &Plan{Situation: *s, Steps: map[string]Step{}}
			hold := p.follow(*d)

			if diff := cmp.Diff(tc.want, answer{p.Steps[FirstVM], p.Moves, p.MovesWhen, p.Reconnects, p.Restarting, hold}, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
