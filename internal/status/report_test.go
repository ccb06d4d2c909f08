package status

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// A scenario is a moment in a machine's life. docs/conditions.md shows them by name.
type scenario struct {
	reason string
	in     func(*testing.T) Input
	want   Output
}

// The conditions of a machine about which there is nothing to say.
var (
	specValid      = Condition{"SpecValid", "True", "Valid", "The spec is valid and rendered."}
	current        = Condition{"BootstrapCurrent", "True", "Current", "VM and claim have the same bootstrap data."}
	notRequired    = Condition{"ReplacementRequired", "False", "NotRequired", "No replacement needed."}
	nothingPending = Condition{"RebootPending", "False", "NothingPending", "No change waits for a power cycle."}
	numberOurs     = Condition{"VMIDInUse", "False", "NumberFree", "No other VM is known to have VMID 153."}
	noError        = Condition{"ProviderHealthy", "True", "NoError", "The provider reports no error."}
	creating       = Condition{"MachineReady", "False", "Creating", "The provider creates the VM on node pve, and starts it."}
	machineRunning = Condition{"MachineReady", "True", "Running", "VM 153 on node pve runs."}
)

// conditions are those of dns01 when it runs, with some in the place of those of their types.
func conditions(other ...Condition) []Condition {
	return with([]Condition{specValid, machineRunning, current, notRequired, nothingPending, numberOurs, noError}, other...)
}

// unmadeConditions are those of dns01 before there is a VM.
func unmadeConditions(other ...Condition) []Condition {
	return with([]Condition{specValid, creating, current, notRequired, nothingPending, numberOurs, noError}, other...)
}

// with puts conditions in the place of those of their types, and behind them those that not every machine has.
func with(all []Condition, other ...Condition) []Condition {
	for _, c := range other {
		if i := slices.IndexFunc(all, func(o Condition) bool { return o.Type == c.Type }); i >= 0 {
			all[i] = c
			continue
		}

		all = append(all, c)
	}

	return all
}

// made is dns01's status once there is a VM; change makes it the case's own.
func made(change func(*v1alpha1.Status)) v1alpha1.Status {
	id := int64(153)
	s := v1alpha1.Status{
		Phase: v1alpha1.PhaseRunning, VMID: &id, Node: "pve",
		PrimaryAddress: "192.168.4.53", Addresses: []string{"192.168.4.53", "2001:db8::53"},
		Class: "small", Size: &v1alpha1.ResolvedSize{Cores: 2, MemoryMiB: 4096, DiskGiB: 30}, Image: "nixos-25.05",
		Hostname: "dns01.home.arpa", Power: v1alpha1.PowerRunning,
		Bootstrap: &v1alpha1.BootstrapStatus{Hash: hash},
	}

	if change != nil {
		change(&s)
	}

	return s
}

// unmade is dns01's status before there is a VM.
func unmade(phase v1alpha1.Phase) v1alpha1.Status {
	return made(func(s *v1alpha1.Status) {
		s.Phase, s.VMID, s.PrimaryAddress, s.Addresses = phase, nil, "", nil
		if phase != v1alpha1.PhaseCreating {
			s.Node = ""
		}
	})
}

// readiness of dns01's resources.
func readiness(vm, snippets, img bool) map[string]bool {
	return map[string]bool{lifecycle.FirstVM: vm, userData: snippets, metaData: snippets, image: img}
}

// scenarios are all moments that are tested, by name.
func scenarios() map[string]scenario { return maps.Clone(allScenarios()) }

// allScenarios are made once: some need bootstrap data, which take long to write. A scenario makes a new input each time that it is asked for one.
var allScenarios = sync.OnceValue(func() map[string]scenario {
	out := map[string]scenario{}
	for _, some := range []map[string]scenario{births(), lives(), bootstraps(), troubles(), numbers(), adoptions(), reboots(), replacements(), pauses(), unmanaged(), catalogues(), outages(), recreations(), nodes(), convergences(), nodeReports(), drains(), zones(), upgrades(), approvals(), waveScenarios(), availabilities(), firewalls(), records(), spreads()} {
		maps.Copy(out, some)
	}

	return out
})

func TestMachine(t *testing.T) {
	for name, tc := range scenarios() {
		t.Run(name, func(t *testing.T) {
			got := Machine(tc.in(t))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nMachine(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMachineTwice: the second of two runs has nothing to tell, and everything else stays as the first one left it. The
// status of a machine that is not ready may change once more, where an address is known from before.
func TestMachineTwice(t *testing.T) {
	for name, tc := range scenarios() {
		t.Run(name, func(t *testing.T) {
			in := tc.in(t)
			first := Machine(in)

			in.Previous = after(first)
			second := Machine(in)

			if len(second.Events) > 0 {
				t.Errorf("a run without a change has events: %v", second.Events)
			}

			second.Events = first.Events
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("a run without a change: -first, +second:\n%s", diff)
			}
		})
	}
}

func TestMachineConditionTypes(t *testing.T) {
	want := []string{
		TypeSpecValid, TypeMachineReady, TypeBootstrapCurrent, TypeReplacementRequired, TypeRebootPending, TypeVMIDInUse, TypeProviderHealthy,
	}

	for name, tc := range scenarios() {
		in, want := tc.in(t), want

		var got []string
		for _, c := range Machine(in).Conditions {
			got = append(got, c.Type)
		}

		// A machine whose Node is or was read has four more.
		if slices.Contains(got, TypeNodeJoined) {
			want = slices.Concat(want, []string{TypeNodeJoined, TypeNodeReady, TypeEtcdMember, TypeVersionCurrent})
		}

		// A Node whose zone follows its VM, or did, has one more. It was never drained.
		_, zoned := zones()[name]
		if zoned {
			want = append(slices.Clone(want), TypeZoneLabelled)
		}

		// A machine that converges to a flake has one more.
		if in.Machine.Nix != nil {
			want = append(slices.Clone(want), TypeConverged)
		}

		if _, reported := nodeReports()[name]; reported {
			continue
		}

		// A node that is or was drained has one more.
		if _, drained := drains()[name]; drained {
			want = append(slices.Clone(want), TypeNodeDrained)
		}

		// A machine whose edits are, or were, to be approved has one more.
		if _, asks := approvals()[name]; asks {
			want = append(slices.Clone(want), TypeApproved)
		}

		// So has one of a group.
		if _, grouped := waveScenarios()[name]; grouped {
			want = append(slices.Clone(want), TypeRolloutFinished)
		}

		// A machine in HA, or that was, has one more.
		if _, available := availabilities()[name]; available {
			want = append(slices.Clone(want), TypeHighlyAvailable)
		}

		if name == "ConvergenceOver" {
			want = append(slices.Clone(want), TypeConverged)
		}

		// A machine that has, or had, a firewall has one more.
		if _, walled := firewalls()[name]; walled {
			want = append(slices.Clone(want), TypeFirewallApplied)
		}

		// A machine that has, or had, a DNS record has one more.
		if _, named := records()[name]; named {
			want = append(slices.Clone(want), TypeDNSRecorded)
		}

		// A machine that has met one which it is kept apart from has one more.
		if _, met := spreads()[name]; met {
			want = append(slices.Clone(want), TypeSpreadBroken)
		}

		_, drained := drains()[name]
		_, upgraded := upgrades()[name]

		if _, reads := nodes()[name]; (reads || drained || upgraded || zoned) != slices.Contains(got, TypeNodeJoined) {
			t.Errorf("%s: conditions on a Node, and nobody reads one: %v", name, got)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: every run has the same conditions in the same order: -want, +got:\n%s", name, diff)
		}
	}
}
