package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestAddressesInTime follows addresses through runs: what is known stays while the VM runs, and no longer.
func TestAddressesInTime(t *testing.T) {
	type wants struct {
		Ready     bool
		Phase     v1alpha1.Phase
		Primary   string
		Addresses []string
	}

	known := []string{"192.168.4.53", "2001:db8::53"}

	cases := map[string]struct {
		reason string
		in     func(*testing.T) Input
		want   wants
	}{
		"Blip": {
			reason: "The agent is away for a moment.",
			in:     func(t *testing.T) Input { t.Helper(); return edit(settled(t), silent) },
			want:   wants{true, v1alpha1.PhaseRunning, "192.168.4.53", known},
		},
		"BlipAfterAnOutage": {
			reason: "The agent is away while an error of the provider passes: the address that was known before both still counts.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(settled(t), silent)
				in.Previous.Phase = v1alpha1.PhaseFailed

				return in
			},
			want: wants{true, v1alpha1.PhaseRunning, "192.168.4.53", known},
		},
		"NewAddress": {
			reason: "A new lease replaces what was known.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) {
					vm.Status.AtProvider.IPv4Addresses[2] = []string{"192.168.4.99"}
					vm.Status.AtProvider.IPv6Addresses = nil
				})
			},
			want: wants{true, v1alpha1.PhaseRunning, "192.168.4.99", []string{"192.168.4.99"}},
		},
		"AddressLost": {
			reason: "An agent that answers and knows no address of ours is believed.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) {
					vm.Status.AtProvider.IPv4Addresses[2], vm.Status.AtProvider.IPv6Addresses[2] = nil, nil
				})
			},
			want: wants{false, v1alpha1.PhaseStarting, "", nil},
		},
		"AgentOfAnotherBootstrap": {
			reason: "A VM that was made without an agent stays ready when its claim describes bootstrap data with one.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(running(t), silent)
				in.agent(false)
				in.Previous = after(Machine(in))
				in.agent(true)
				in.Bootstrap.Hash = "bbbbbbbbbb"

				return in
			},
			want: wants{true, v1alpha1.PhaseRunning, "", nil},
		},
		"StartedAgain": {
			reason: "A VM that was stopped may come back with another address, so it waits for one.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(edit(settled(t), silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
				in.Previous = after(Machine(in))

				return edit(in, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = true })
			},
			want: wants{false, v1alpha1.PhaseStarting, "", nil},
		},
		"NoAgentStatic": {
			reason: "Without an agent the claim's own address is what is known.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(running(t), silent)
				in.agent(false)
				in.Machine.NICs = []machine.NIC{static("192.168.4.60", "")}

				return in
			},
			want: wants{true, v1alpha1.PhaseRunning, "192.168.4.60", []string{"192.168.4.60"}},
		},
		"NoAgentDHCP": {
			reason: "Without an agent and with DHCP nothing is known, and nothing is waited for.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(running(t), silent)
				in.agent(false)

				return in
			},
			want: wants{true, v1alpha1.PhaseRunning, "", nil},
		},
		"UnexpectedAgent": {
			reason: "An agent that nobody counted on is believed all the same.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := running(t)
				in.agent(false)

				return in
			},
			want: wants{true, v1alpha1.PhaseRunning, "192.168.4.53", known},
		},
		"VMGone": {
			reason: "A VM that is made again has no address of the one before.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Ready", Status: "False", Reason: "Creating"})
				})
			},
			want: wants{false, v1alpha1.PhaseCreating, "", nil},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := Machine(tc.in(t))
			got := wants{o.Ready["vm"], o.Status.Phase, o.Status.PrimaryAddress, o.Status.Addresses}

			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nMachine(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
