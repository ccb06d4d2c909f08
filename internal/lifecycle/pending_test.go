package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestPendingWhileItStarts: what an edit changes while the provider may be starting a VM, the VM may have started without.
func TestPendingWhileItStarts(t *testing.T) {
	cores := map[string]string{"spec.size.cores": "4"}
	written := func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = false }
	mayNotUpdate := func(vm *proxmox.ObservedVM) {
		vm.Spec.ManagementPolicies = proxmox.WithoutUpdate(vm.Spec.ManagementPolicies)
	}
	again := func(vm *proxmox.ObservedVM) { vm.Metadata.Generation++ }

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   map[string]string
	}{
		"Runs":       {reason: "It runs with what it has.", vm: settledVM(), want: cores},
		"Stopped":    {reason: "It starts with what is written until then.", vm: settledVM(off, written)},
		"Failed":     {reason: "The provider has looked since, and could not start it: it starts with the edit.", vm: settledVM(off)},
		"Ordered":    {reason: "Its start was written, and the provider has not looked since.", vm: settledVM(off, again), want: cores},
		"Begun":      {reason: "The provider starts it.", vm: settledVM(off, reports("AsyncOperation", "False", "Ongoing")), want: cores},
		"StopsAgain": {reason: "Its stop was written.", vm: settledVM(off, written, again)},
		"MayNot":     {reason: "The provider has no right to start it.", vm: settledVM(off, again, mayNotUpdate)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.vm.Spec.ForProvider.CPU = []proxmox.CPU{{Cores: 4}}
			has, wanted := tc.vm.Spec.ForProvider, tc.vm.Spec.ForProvider
			wanted.CPU = []proxmox.CPU{{Cores: 6}}

			s := &Situation{Request: Request{Machine: &machine.Machine{}}, vm: tc.vm}
			_, got := pendingChanges(s, change.Guarded{VM: wanted, Changes: change.Compare(has, wanted)})

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
