package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRival: a VM that made way for another starts again when that one cannot run any more, and no sooner.
func TestRival(t *testing.T) {
	on := func(node string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Status.AtProvider.NodeName = node
			vm.Status.Conditions = []proxmox.Condition{{Type: "Synced", Status: "False", Reason: "ReconcileError", ObservedGeneration: 2}}
		}
	}

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		lost   string
		want   string
	}{
		"Runs":        {reason: "It has the machine's name and addresses.", vm: settledVM(), want: "vm-b"},
		"AboutToRun":  {reason: "The provider was told to start it.", vm: settledVM(off), want: "vm-b"},
		"NotYetTold":  {reason: "The provider was not told to start it, and it runs all the same.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = false }), want: "vm-b"},
		"Off":         {reason: "It is off, and nobody starts it.", vm: settledVM(off, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = false })},
		"OnlyChecked": {reason: "It is a look at a VMID, and no VM of the machine.", vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = []string{"Observe"} })},
		"Silent":      {reason: "Nobody knows what a Proxmox node does that does not answer.", vm: settledVM(on("pve1")), want: "vm-b"},
		"Lost":        {reason: "A person says that the node does not come back.", vm: settledVM(on("pve1")), lost: "pve1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Machine:  &machine.Machine{Lifecycle: v1alpha1.Lifecycle{Lost: tc.lost}},
				Roles:    Roles{Active: FirstVM, Retired: []string{"vm-b"}},
				Observed: proxmox.State{VMs: map[string]proxmox.ObservedVM{FirstVM: settledVM(off), "vm-b": tc.vm}},
			}

			if got := r.rival(); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestIsOff: the VM that is replaced is off when nobody starts it any more.
func TestIsOff(t *testing.T) {
	told := func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = false }

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   bool
	}{
		"Runs":        {reason: "It runs.", vm: settledVM()},
		"Stopping":    {reason: "It was told to stop, and still runs.", vm: settledVM(told)},
		"Starting":    {reason: "The provider starts it at any moment: at the end of its creation, or since a person stopped it.", vm: settledVM(off)},
		"Stopped":     {reason: "It was told to stop, and did.", vm: settledVM(off, told), want: true},
		"NotReported": {reason: "Nobody knows.", vm: settledVM(off, told, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.ID = "" })},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Request{Machine: &machine.Machine{}, Observed: proxmox.State{VMs: map[string]proxmox.ObservedVM{FirstVM: tc.vm}}}
			if got := isOff(r, FirstVM); got != tc.want {
				t.Errorf("%s got %v", tc.reason, got)
			}
		})
	}
}

// TestFirstStart: a VM that has not run yet waits for its rival like any other.
func TestFirstStart(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		wanted bool
		mark   string
		rival  proxmox.ObservedVM
		want   Power
	}{
		"New":     {reason: "Nothing was to replace it.", wanted: true, rival: settledVM(), want: Power{Started: true, Phase: PowerFirstStart}},
		"Stopped": {reason: "Its claim wants it off.", mark: StoppedForReplacement, rival: settledVM()},
		"Rival":   {reason: "The VM that was to replace it runs.", wanted: true, mark: StoppedForReplacement, rival: settledVM(), want: Power{StoppedFor: StoppedForReplacement, Phase: PowerFirstStart}},
		"Gone": {
			reason: "It is off for good.", wanted: true, mark: StoppedForReplacement, want: Power{Started: true, Phase: PowerFirstStart},
			rival: settledVM(off, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = false }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Situation{Request: Request{
				Machine: &machine.Machine{}, Roles: Roles{Active: FirstVM, Retired: []string{"vm-b"}},
				Observed: proxmox.State{VMs: map[string]proxmox.ObservedVM{FirstVM: settledVM(off), "vm-b": tc.rival}},
			}}

			if diff := cmp.Diff(tc.want, firstStart(s, tc.wanted, tc.mark)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
