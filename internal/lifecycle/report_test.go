package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// reporting is a VM with one more link, as the agent lists it: with a hardware address, and without IP addresses.
func reporting(name string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		at := &vm.Status.AtProvider
		at.NetworkInterfaceNames, at.MACAddresses = append(at.NetworkInterfaceNames, name), append(at.MACAddresses, "3e:52:1a:00:00:01")
		at.IPv4Addresses = append(at.IPv4Addresses, nil)
	}
}

func observeOnly(vm *proxmox.ObservedVM) { vm.Spec.ManagementPolicies = proxmox.ObserveOnly() }

func TestReports(t *testing.T) {
	joined := guestreport.K3s{State: guestreport.K3sJoined}
	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		k3s    guestreport.K3s
		nix    guestreport.Nix
	}{
		"Joined":    {reason: "The node joined.", vm: settledVM(reporting("k3s-joined")), k3s: joined},
		"Failed":    {reason: "The outcome is in the words of the guest's metrics.", vm: settledVM(reporting("k3s-bad-refused")), k3s: guestreport.K3s{State: guestreport.K3sFailed, Outcome: "refused"}},
		"Applied":   {reason: "The machine converged.", vm: settledVM(reporting("nix-ok-3f9a0c")), nix: guestreport.Nix{State: guestreport.NixApplied, Revision: "3f9a0c"}},
		"Nothing":   {reason: "There is no VM."},
		"Old":       {reason: "A guest that does not report.", vm: settledVM()},
		"Mute":      {reason: "The guest agent does not answer.", vm: settledVM(mute)},
		"Two":       {reason: "Nobody knows which counts.", vm: settledVM(reporting("k3s-waiting"), reporting("k3s-joined"))},
		"Off":       {reason: "What a stopped VM reported is over.", vm: settledVM(reporting("k3s-joined"), off)},
		"Foreign":   {reason: "The VM under the VMID that is checked is not ours.", vm: settledVM(reporting("k3s-joined"), observeOnly)},
		"OutOfSync": {reason: "The last poll failed: nobody knows how old the word is.", vm: settledVM(reporting("k3s-joined"), reports("Synced", "False", "ReconcileError"))},
		"BeingMade": {reason: "Nothing is known of it.", vm: settledVM(reporting("k3s-joined"), reports("Ready", "False", "Creating"))},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.k3s, K3sReport(tc.vm)); diff != "" {
				t.Errorf("%s\nK3s: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.nix, NixReport(tc.vm)); diff != "" {
				t.Errorf("%s\nNixOS: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReportIsNoAddress: a VM is ready by an address of its own, never by a report.
func TestReportIsNoAddress(t *testing.T) {
	asked := Readiness{Running: true, GuestAgent: true}

	if vm := settledVM(mute, reporting("k3s-joined")); Ready(vm, asked) {
		t.Error("a link without addresses made a VM ready")
	}

	// Somebody gives the link the MAC address of the VM's interface, and an address.
	twin := settledVM(mute, reporting("k3s-joined"), func(vm *proxmox.ObservedVM) {
		vm.Status.AtProvider.MACAddresses, vm.Status.AtProvider.IPv4Addresses = []string{"bc:24:11:00:00:01"}, [][]string{{"10.9.9.9"}}
	})
	if Ready(twin, asked) || len(proxmox.GuestAddresses(twin)[0]) > 0 {
		t.Errorf("an address of a report counts: %v", proxmox.GuestAddresses(twin))
	}

	if vm := settledVM(reporting("k3s-bad-endpoin")); !Ready(vm, asked) {
		t.Error("a VM with an address is not ready because of a report")
	}
}
