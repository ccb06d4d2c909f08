package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// orphaned is a VM that was last written to stay in Proxmox.
func orphaned(vm *proxmox.ObservedVM) {
	vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionOrphans)
}

// TestRetire holds what becomes of a VM that was replaced, and of a VM whose role nobody knows.
func TestRetire(t *testing.T) {
	mark := func(key, value string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[key] = value }
	}

	silent := func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = []proxmox.Condition{{
			Type: "Synced", Status: "False", Reason: "ReconcileError", ObservedGeneration: 2, Message: "received an HTTP 595 response - Reason: No route to host",
		}}
	}

	unread := func(vm *proxmox.ObservedVM) {
		silent(vm)
		vm.Status.AtProvider = proxmox.VMObservation{NodeName: "pve2"}
	}

	inHA := func(state proxmox.HAState, deletion proxmox.Deletion) *proxmox.ObservedHAResource {
		var o proxmox.ObservedHAResource

		o.Spec.ManagementPolicies = proxmox.Policies(deletion)
		o.Spec.ForProvider.State = state
		o.Status.AtProvider.ID, o.Status.AtProvider.State = "vm:100", state

		return &o
	}

	cases := map[string]struct {
		reason  string
		policy  v1alpha1.DeletionPolicy
		vm      proxmox.ObservedVM
		unknown bool
		lost    string
		ha      *proxmox.ObservedHAResource
		want    Step
	}{
		"Destroyed": {reason: "It goes with all of its disks.", policy: v1alpha1.DeletionDelete, vm: settledVM(), want: Step{Action: ActionRelease}},
		"PoliciesFirst": {
			reason: "The policies that a managed resource was last written with decide, so today's are written first.", policy: v1alpha1.DeletionDelete, vm: settledVM(orphaned),
			want: Step{Action: ActionRetire, MayDelete: true},
		},
		"NotMade": {
			reason: "The provider could not create it: there is nothing to destroy, whatever it may do.", policy: v1alpha1.DeletionDelete,
			vm: settledVM(mark(proxmox.CreatingAnnotation, "none"), func(vm *proxmox.ObservedVM) {
				vm.Spec.ManagementPolicies, vm.Status.AtProvider, vm.Status.Conditions = proxmox.CreatePolicies(), proxmox.VMObservation{}, failed()
			}),
			want: Step{Action: ActionRelease},
		},
		"Kept": {reason: "It is stopped, and stays.", policy: v1alpha1.DeletionOrphan, vm: settledVM(orphaned, off), want: Step{Action: ActionRelease}},
		"KeptAndRuns": {
			reason: "It would run beside the VM that replaced it.", policy: v1alpha1.DeletionOrphan, vm: settledVM(orphaned),
			want: Step{Action: ActionRetire, Stop: true},
		},
		"KeptAndMayBeDeleted": {
			reason: "With its policies it would be destroyed.", policy: v1alpha1.DeletionOrphan, vm: settledVM(off),
			want: Step{Action: ActionRetire, Stop: true},
		},
		"KeptAndNotReported": {
			reason: "Nobody knows whether it runs.", policy: v1alpha1.DeletionOrphan,
			vm: settledVM(orphaned, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider = proxmox.VMObservation{} }), want: Step{Action: ActionRetire, Stop: true},
		},
		"CandidateOfAMachineToKeep": {
			reason: "A candidate was never ready, and holds nothing that somebody could miss.", policy: v1alpha1.DeletionOrphan,
			vm: settledVM(mark(proxmox.CandidateAnnotation, "true")), want: Step{Action: ActionRelease},
		},
		"Paused": {
			reason: "A pause would keep the provider from deleting it; this call takes it off.", policy: v1alpha1.DeletionDelete,
			vm: settledVM(mark(proxmox.PausedByAnnotation, "render.invalid")), want: Step{Action: ActionRetire, MayDelete: true},
		},
		"NodeSilent": {
			reason: "Its deletion would wait for its Proxmox node, and no word that the node is lost could take it back.", policy: v1alpha1.DeletionDelete,
			vm: settledVM(silent), want: Step{Action: ActionRetire, MayDelete: true},
		},
		"BeingDeleted": {
			reason: "It goes already.", policy: v1alpha1.DeletionOrphan,
			vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Metadata.DeletionTimestamp = "2026-01-01T00:00:00Z" }), want: Step{Action: ActionRelease},
		},
		"Checked": {
			reason: "Nothing was made of it.", policy: v1alpha1.DeletionDelete,
			vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() }), want: Step{Action: ActionRelease},
		},
		"CheckedAndNodeSilent": {
			reason: "Its deletion touches nothing in Proxmox, and its error would be the machine's for ever.", policy: v1alpha1.DeletionDelete,
			vm: settledVM(silent, func(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() }), want: Step{Action: ActionRelease},
		},
		"Made": {
			reason: "Whose it is has to be known before the provider may destroy it, and whether there is one before it is released.",
			policy: v1alpha1.DeletionDelete, vm: settledVM(mark(proxmox.CreatingAnnotation, "none"), unread), want: Step{Action: ActionKeep},
		},
		"LostAndMade": {
			reason: "Nothing can be known of it any more.", policy: v1alpha1.DeletionDelete, lost: "pve2",
			vm: settledVM(mark(proxmox.CreatingAnnotation, "none"), orphaned, unread), want: Step{Action: ActionRelease},
		},
		"Lost": {
			reason: "Who tries to destroy it waits for ever: the provider has to let it go.", policy: v1alpha1.DeletionDelete, lost: "pve2",
			vm: settledVM(unread), want: Step{Action: ActionRetire, Stop: true},
		},
		"ReadAndSaidToBeLost": {
			reason: "The provider reads it, whatever a person says.", policy: v1alpha1.DeletionDelete, lost: "pve2",
			vm: settledVM(func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.NodeName = "pve2" }), want: Step{Action: ActionRelease},
		},
		"InHA": {
			reason: "The HA manager would start it again, beside the VM that replaced it.", policy: v1alpha1.DeletionOrphan, vm: settledVM(orphaned, off),
			ha: inHA(proxmox.HAStarted, proxmox.DeletionDestroys), want: Step{Action: ActionRetire},
		},
		"IgnoredByHA": {
			reason: "It is out of the HA manager's hands.", policy: v1alpha1.DeletionOrphan, vm: settledVM(orphaned, off),
			ha: inHA(proxmox.HAIgnored, proxmox.DeletionDestroys), want: Step{Action: ActionRelease},
		},
		"EntryStaysInHA": {
			reason: "Its entry would stay, and somebody could have it started.", policy: v1alpha1.DeletionOrphan, vm: settledVM(orphaned, off),
			ha: inHA(proxmox.HAIgnored, proxmox.DeletionOrphans), want: Step{Action: ActionRetire},
		},

		"Unknown":             {reason: "Nobody can tell what it is for, so it stays as it is.", policy: v1alpha1.DeletionDelete, vm: settledVM(), unknown: true, want: Step{Action: ActionKeep, MayDelete: true}},
		"UnknownToKeep":       {reason: "The claim says that VMs stay.", policy: v1alpha1.DeletionOrphan, vm: settledVM(), unknown: true, want: Step{Action: ActionKeep}},
		"UnknownAndKeptSoFar": {reason: "It is not put at risk either.", policy: v1alpha1.DeletionDelete, vm: settledVM(orphaned), unknown: true, want: Step{Action: ActionKeep}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := Roles{Active: FirstVM, Retired: []string{"vm-0123456789"}}
			if tc.unknown {
				r = Roles{Active: FirstVM, Unknown: []string{"vm-0123456789"}}
			}

			ha := map[string]proxmox.ObservedHAResource{}
			if tc.ha != nil {
				ha[proxmox.HAResourceOf("vm-0123456789")] = *tc.ha
			}

			got := retire(Request{
				Roles: r, Observed: proxmox.State{VMs: map[string]proxmox.ObservedVM{FirstVM: settledVM(), "vm-0123456789": tc.vm}, HAResources: ha},
				Machine: &machine.Machine{DeletionPolicy: tc.policy, Lifecycle: v1alpha1.Lifecycle{Lost: tc.lost}},
			})

			if diff := cmp.Diff(map[string]Step{"vm-0123456789": tc.want}, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRunsSideBySide(t *testing.T) {
	cases := map[string]struct {
		reason  string
		machine machine.Machine
		want    bool
	}{
		"Nothing":    {reason: "They share nothing.", want: true},
		"DHCP":       {reason: "Each gets an address of its own.", machine: machine.Machine{NICs: []machine.NIC{{IPv4: machine.Addressing{Method: machine.MethodDHCP}, IPv6: machine.Addressing{Method: machine.MethodAuto}}}}, want: true},
		"Static":     {reason: "Both would have the address.", machine: machine.Machine{NICs: []machine.NIC{{IPv4: machine.Addressing{Method: machine.MethodStatic}}}}},
		"StaticIPv6": {reason: "The same for the other family.", machine: machine.Machine{NICs: []machine.NIC{{IPv6: machine.Addressing{Method: machine.MethodStatic}}}}},
		"SecondNIC":  {reason: "Every interface counts.", machine: machine.Machine{NICs: []machine.NIC{{}, {IPv4: machine.Addressing{Method: machine.MethodStatic}}}}},
		"MAC":        {reason: "Both would have the hardware address.", machine: machine.Machine{NICs: []machine.NIC{{MAC: "BC:24:11:00:00:01"}}}},
		"PCI":        {reason: "A device of the node has one user.", machine: machine.Machine{PCI: []string{"gpu0"}}},
		"USB":        {reason: "The same.", machine: machine.Machine{USB: []string{"coral"}}},
		"K3s":        {reason: "Both would register under one node name.", machine: machine.Machine{K3s: &machine.K3s{}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := RunsSideBySide(&tc.machine); got != tc.want {
				t.Errorf("%s\nRunsSideBySide(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
