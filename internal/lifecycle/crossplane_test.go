package lifecycle

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRestartByHand: a VM on which Crossplane runs notes the boot that a person is to end, and takes the change for done with another one.
func TestRestartByHand(t *testing.T) {
	const pending = `{"spec.size.cores":"2"}`

	noted := func(boot, written string) map[string]string {
		out := map[string]string{proxmox.AwaitsRestartAnnotation: boot}
		if written != "" {
			out[proxmox.AwaitsRestartWrittenAnnotation] = written
		}

		return out
	}
	waits := func(boot, written string) Power {
		return Power{Started: true, AwaitsRestart: AwaitedRestart{Boot: boot, Written: written}}
	}
	restarted := Power{Started: true, Followed: []string{"a"}}

	for name, tc := range map[string]struct {
		reason    string
		boot      string // Of its Node; empty where nobody reads it.
		notes     map[string]string
		unsettled bool // Whether the provider has not written yet what waits.
		want      Power
		pending   bool
	}{
		"Waits":      {reason: "The boot is noted.", boot: "1", want: waits("1", "2"), pending: true},
		"Unwritten":  {reason: "It is noted that the provider has not written yet what waits.", boot: "1", unsettled: true, want: waits("1", "0"), pending: true},
		"WaitsStill": {reason: "The note stays.", boot: "1", notes: noted("1", "2"), want: waits("1", "2"), pending: true},
		"Written":    {reason: "The provider has written what waits.", boot: "1", notes: noted("1", "0"), want: waits("1", "2"), pending: true},
		"UnderWork":  {reason: "What is written is, whatever the provider does since.", boot: "1", notes: noted("1", "3"), unsettled: true, want: waits("1", "3"), pending: true},
		"Edited":     {reason: "There is more to write.", boot: "1", notes: noted("1", "2"), unsettled: true, want: waits("1", "0"), pending: true},
		"NodeUnread": {reason: "Nobody will see the restart.", want: waits("unknown", ""), pending: true},
		"NodeUnreadNow": {
			reason: "What was noted stays for when the Node is read again.", notes: noted("1", "2"), want: waits("1", "2"), pending: true,
		},
		"NodeReadSince": {reason: "From now on a restart is seen.", boot: "2", notes: noted("unknown", ""), want: waits("2", "2"), pending: true},
		"Restarted":     {reason: "Another boot: the word is followed, and the change in effect.", boot: "2", notes: noted("1", "2"), want: restarted},
		"RestartedUnderWork": {
			reason: "So it is while the provider works on something, or cannot reach Proxmox.", boot: "2", notes: noted("1", "3"), unsettled: true, want: restarted,
		},
		"RestartedTooEarly": {
			reason: "The provider had not written the change yet: the VM may have booted without it.", boot: "2", notes: noted("1", "0"), want: waits("2", "2"), pending: true,
		},
		"RestartedBeforeTheEdit": {
			reason: "Nor what was edited last.", boot: "2", notes: noted("1", "2"), unsettled: true, want: waits("2", "0"), pending: true,
		},
		"Former": {reason: "An earlier release noted the boot alone.", boot: "2", notes: noted("1", ""), want: restarted},
		"FormerTooEarly": {
			reason: "And looked whether the provider rests.", boot: "2", notes: noted("1", ""), unsettled: true, want: waits("2", "0"), pending: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			vm := settledVM(func(vm *proxmox.ObservedVM) {
				vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}}
				vm.Metadata.Annotations[proxmox.RebootPendingAnnotation] = pending
				vm.Spec.ForProvider.CPU = []proxmox.CPU{{Cores: 4}}

				maps.Copy(vm.Metadata.Annotations, tc.notes)

				if tc.unsettled {
					vm.Metadata.Generation = 3
				}
			})

			s := &Situation{}
			s.Machine = &machine.Machine{
				Power: v1alpha1.PowerRunning, Lifecycle: v1alpha1.Lifecycle{Reboot: "a"},
				K3s: &machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home", Observe: machine.ObserveHere},
			}
			s.vm, s.State, s.Servers.Known = vm, StateLiving, true
			s.Roles.Active, s.Observed.VMs = FirstVM, map[string]proxmox.ObservedVM{FirstVM: vm}

			if tc.boot != "" {
				n := votingNode(nodesUUID)
				n.Status.NodeInfo.BootID = tc.boot
				s.Node = ReadNode{Name: "server-1", Node: &n}
			}

			g := change.Guarded{VM: vm.Spec.ForProvider}
			changes, runsWith := pendingChanges(s, g)
			got, _ := power(s, plannedOutage(s, g, changes), changes, g.VM)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if got := len(runsWith) > 0; got != tc.pending {
				t.Errorf("%s\nwant pending: %t, got %v", tc.reason, tc.pending, runsWith)
			}
		})
	}
}

// TestNeedlessRestart: what a turn of a K3sCluster asks for, because of an edit, it asks for no more when that was taken back.
func TestNeedlessRestart(t *testing.T) {
	const turn, pending = "turn-c9f02bd04e", `{"spec.size.cores":"2"}`

	waits := Power{Started: true, AwaitsRestart: AwaitedRestart{Boot: unknownBoot}}
	restarts := Power{Phase: PowerRestarts, StoppedFor: StoppedForRestart, RebootingFor: turn}
	over := Power{Started: true, Followed: []string{turn}}

	for name, tc := range map[string]struct {
		reason string
		word   string
		here   bool // Whether Crossplane runs on the VM.
		notes  map[string]string
		want   Power
	}{
		"Here":        {"A person need not restart it.", turn, true, nil, over},
		"HereNeeded":  {"It runs with other values.", turn, true, map[string]string{proxmox.RebootPendingAnnotation: pending}, waits},
		"HerePerson":  {"What a person asks for is no matter of changes.", "a", true, nil, waits},
		"There":       {"Nor does the function restart it.", turn, false, nil, over},
		"Starting":    {"A server that starts after it was off has not begun that restart.", turn, false, map[string]string{proxmox.OutageAnnotation: "Start begun 1"}, over},
		"ThereNeeded": {"It runs with other values.", turn, false, map[string]string{proxmox.RebootPendingAnnotation: pending}, restarts},
		"ThereBegun": {
			"What has begun ends.", turn, false, map[string]string{proxmox.StoppedForAnnotation: StoppedForRestart, proxmox.RebootingForAnnotation: turn}, restarts,
		},
	} {
		t.Run(name, func(t *testing.T) {
			vm := settledVM(func(vm *proxmox.ObservedVM) {
				vm.Spec.ForProvider.CPU = []proxmox.CPU{{Cores: 4}}
				maps.Copy(vm.Metadata.Annotations, tc.notes)
			})

			s := &Situation{}
			s.Machine = &machine.Machine{Power: v1alpha1.PowerRunning, Lifecycle: v1alpha1.Lifecycle{Reboot: tc.word}, RunsCrossplane: tc.here}
			s.vm, s.State = vm, StateLiving
			s.Roles.Active, s.Observed.VMs = FirstVM, map[string]proxmox.ObservedVM{FirstVM: vm}

			g := change.Guarded{VM: vm.Spec.ForProvider}
			changes, _ := pendingChanges(s, g)
			got, _ := power(s, plannedOutage(s, g, changes), changes, g.VM)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			// Nobody approves what does not come.
			comes := got.AwaitsRestart != AwaitedRestart{} || got.Phase == PowerRestarts

			effects, _ := approver{s}.effects(Description{Parameters: vm.Spec.ForProvider}, g, nil, firewallEdit{})
			if approves := slices.Contains(effects, EffectReboot); approves != comes {
				t.Errorf("%s\napproval of a restart: %t, and one comes: %t", tc.reason, approves, comes)
			}
		})
	}
}
