package observe

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
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
	willBeCurrent  = Condition{"BootstrapCurrent", "True", "Current", "The VM will be made with the bootstrap data that the claim describes."}
	current        = Condition{"BootstrapCurrent", "True", "Current", "The VM was made with the bootstrap data that the claim describes."}
	notRequired    = Condition{"ReplacementRequired", "False", "NotRequired", "The claim asks for nothing that its VM cannot become."}
	noError        = Condition{"ProviderHealthy", "True", "NoError", "The provider reports no error."}
	machineRunning = Condition{"MachineReady", "True", "Running", "VM 153 on node pve runs."}
)

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
		s.Phase, s.VMID, s.Node, s.PrimaryAddress, s.Addresses = phase, nil, "", "", nil
	})
}

// readiness of dns01's resources.
func readiness(vm, snippets, img bool) map[string]bool {
	return map[string]bool{render.VMName: vm, userData: snippets, metaData: snippets, image: img}
}

func scenarios() map[string]scenario {
	return map[string]scenario{
		"WaitingForSnippets": {
			reason: "Nothing is there yet: the VM waits for its snippets and its image, which are named.",
			in: func(*testing.T) Input {
				in := dns01()
				delete(in.Rendered.Manifests, render.VMName)
				in.Rendered.Waiting = []string{image, metaData, userData}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: false, metaData: false, image: false},
				Conditions: []Condition{specValid, {
					"MachineReady", "False", "WaitingForSnippets", "The VM is made when its cloud-init snippets are on datastore local of node pve (meta-data-0123456789, user-data-0123456789) " +
						"and its cloud image is on datastore local of node pve (image-0123456789).",
				}, willBeCurrent, notRequired, noError},
			},
		},
		"WaitingForImage": {
			reason: "The snippets are written, the image still downloads.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere)
				delete(in.Rendered.Manifests, render.VMName)
				in.Rendered.Waiting = []string{image}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: true, metaData: true, image: false},
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "WaitingForImage", "The VM is made when its cloud image is on datastore local of node pve (image-0123456789)."},
					willBeCurrent, notRequired, noError,
				},
			},
		},
		"WaitingForToken": {
			reason: "Without the Secret of its K3s token nothing is rendered, and the Secret is named.",
			in: func(*testing.T) Input {
				in := dns01()
				in.Rendered.Manifests, in.Rendered.BootstrapHash = nil, ""
				in.Bootstrap.Hash, in.Bootstrap.Lacks = "", "k3s-join-token"

				return in
			},
			want: Output{
				Status: func() v1alpha1.Status { s := unmade(v1alpha1.PhasePending); s.Bootstrap = nil; return s }(),
				Ready:  map[string]bool{},
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "WaitingForToken", "The VM is made when its K3s token is there: Secret k3s-join-token in the claim's namespace, with the key that the claim names."},
					{
						"BootstrapCurrent", "Unknown", "TokenSecretMissing", "Secret k3s-join-token with the K3s token, in the claim's namespace, cannot be read, so nobody can tell what the claim describes. " +
							"A VM that runs keeps running; apply the Secret.",
					},
					notRequired, noError,
				},
			},
		},
		"JustRendered": {
			reason: "The VM is in this very response: the provider is about to make it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere, imageThere)

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseCreating), Ready: readiness(false, true, true),
				Conditions: []Condition{specValid, {"MachineReady", "False", "Creating", "The provider makes the VM on node pve."}, willBeCurrent, notRequired, noError},
			},
		},
		"MissingStatus": {
			reason: "The managed resource was just created and has no status at all; its VM may be in the making.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, "# vm\nkind: EnvironmentVM\nspec: {forProvider: {nodeName: pve, vmId: 153}}\n", snippetsThere, imageThere)

				return in
			},
			want: Output{
				Status: func() v1alpha1.Status { s := unmade(v1alpha1.PhaseCreating); s.Node = "pve"; return s }(), Ready: readiness(false, true, true),
				Conditions: []Condition{specValid, {"MachineReady", "False", "Creating", "The provider makes the VM on node pve."}, current, notRequired, noError},
			},
		},
		"FoundBeforeItsStatus": {
			reason: "The provider says Ready one reconcile before it fills in the status: the VM is there, and nothing else is known.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(running(t), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider = proxmox.VMObservation{} })
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseCreating, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "Creating", "The provider makes the VM on node pve."},
					current, notRequired, noError,
				},
				Events: []Event{{Reason: "VMCreated", Message: "The VM was made."}},
			},
		},
		"WaitingForAddress": {
			reason: "The VM runs and its guest agent is not up yet: no address, not ready, and a word on what to check.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(running(t), silent)
				in.Previous = v1alpha1.Status{Phase: v1alpha1.PhaseCreating}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStarting, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: []Condition{specValid, {
					"MachineReady", "False", "WaitingForAddress", "VM 153 on node pve runs, and its guest agent has not reported an address yet; the provider asks every few minutes. " +
						"If it stays so: does qemu-guest-agent run in the guest, and may the provider's token ask it (VM.GuestAgent.Audit, before Proxmox VE 9 VM.Monitor)?",
				}, current, notRequired, noError},
				Events: []Event{{Reason: "VMCreated", Message: "The VM was made."}},
			},
		},
		"Running": {
			reason: "All is well: own addresses only, IPv4 first, and both events of a first time.",
			in:     running,
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{specValid, machineRunning, current, notRequired, noError},
				Events: []Event{
					{Reason: "VMCreated", Message: "The VM was made."},
					{Reason: "BecameReady", Message: "VM 153 on node pve runs."},
				},
			},
		},
		"Settled": {
			reason: "All is well and nothing happened since: no event.",
			in:     settled,
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{specValid, machineRunning, current, notRequired, noError},
			},
		},
		"AgentGone": {
			reason: "A guest agent that falls silent takes nothing back: still ready, with the last known addresses.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), silent)
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "True", "Running", "VM 153 on node pve runs. Its guest agent does not answer; its addresses are the last known ones."},
					current, notRequired, noError,
				},
			},
		},
		"Starting": {
			reason: "Somebody stopped the VM in Proxmox: it is started again, has no address meanwhile, and is not ready.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(edit(settled(t), silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStarting, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "Starting", "VM 153 on node pve is stopped, and is started by the provider."},
					current, notRequired, noError,
				},
			},
		},
		"Stopping": {
			reason: "The claim asks for Stopped and the VM still runs.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Power = v1alpha1.PowerStopped

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Power = v1alpha1.PowerStopped }), Ready: readiness(false, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "Stopping", "VM 153 on node pve runs, and is shut down by the provider; a guest that does not answer takes up to half an hour."},
					current, notRequired, noError,
				},
			},
		},
		"Stopped": {
			reason: "A VM that is stopped as asked is ready, without an address.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(edit(settled(t), silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
				in.Machine.Power = v1alpha1.PowerStopped
				in.Previous.Conditions[1] = metav1.Condition{Type: "MachineReady", Status: "False", Reason: "Stopping"}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					s.Phase, s.Power, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStopped, v1alpha1.PowerStopped, "", nil
				}),
				Ready: readiness(true, true, true),
				Conditions: []Condition{
					specValid, {"MachineReady", "True", "Stopped", "VM 153 on node pve is stopped, as asked."},
					current, notRequired, noError,
				},
				Events: []Event{{Reason: "BecameReady", Message: "VM 153 on node pve is stopped, as asked."}},
			},
		},
		"Deleting": {
			reason: "Somebody deleted the managed resource of the VM: it says so, and is not ready.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Ready", Status: "False", Reason: "Deleting"})
				})
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseCreating, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "Deleting", "The managed resource of the VM is being deleted, and the VM with it if the resource may delete it. It is made again after that."},
					current, notRequired, noError,
				},
			},
		},
		"NetworkError": {
			reason: "Proxmox cannot be reached: not ready, the last known state stays, and the phase with it.",
			in: func(t *testing.T) Input {
				t.Helper()

				return fails(settled(t), `observe failed: cannot run refresh: refresh failed: failed to get resources list of type ("vm") for cluster: failed to perform HTTP GET request `+
					`(path: cluster/resources?type=vm) - Reason: Get "https://pve:8006/api2/json/cluster/resources?type=vm": dial tcp 192.168.4.2:8006: connect: connection refused`)
			},
			want: Output{
				Status: made(nil), Ready: readiness(false, true, true),
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "ProviderError", "vm (EnvironmentVM): The provider cannot reach the Proxmox API. Condition ProviderHealthy says what to do."},
					current, notRequired,
					{
						"ProviderHealthy", "False", "NetworkError", "vm (EnvironmentVM): The provider cannot reach the Proxmox API. Check endpoint in the credentials Secret (https://host:8006/), " +
							"whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy stands between the provider's pod and port 8006. It is tried again by itself.",
					},
				},
				Events: []Event{{Warning: true, Reason: "NetworkError", Message: "vm (EnvironmentVM): The provider cannot reach the Proxmox API. Check endpoint in the credentials Secret (https://host:8006/), " +
					"whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy stands between the provider's pod and port 8006. It is tried again by itself."}},
			},
		},
		"ReplacementRequired": {
			reason: "Every change that the VM cannot follow is named with what it has and what the claim says; the status repeats what the VM has.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Boot.Image = "debian-13"
				in.Machine.Placement.Node = "pve2"
				in.Rendered.Held = []render.Held{
					{Field: "spec.proxmox.node", Has: "pve", Wanted: "pve2"},
					{Field: "spec.image", Has: "local:import/nixos.qcow2", Wanted: "local:import/debian.qcow2"},
				}

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{specValid, machineRunning, current, {
					"ReplacementRequired", "True", "ImmutableFieldChanged", "The VM cannot follow these changes and keeps what it has: spec.proxmox.node (the VM has `pve`, the claim says `pve2`), " +
						"spec.image (the VM has `local:import/nixos.qcow2`, the claim says `local:import/debian.qcow2`). To take a change back, put the old value into the claim. " +
						"To have it, make a new machine: apply a claim under another name, move over, and delete this one; or delete this claim and apply it again, which destroys the VM with its disks. " +
						"To another node, move the VM in Proxmox: `qm migrate 153 <target> --online`; the claim is in order after that.",
				}, noError},
				Events: []Event{{Warning: true, Reason: "ReplacementRequired", Message: "The VM cannot follow these changes and keeps what it has: spec.proxmox.node (the VM has `pve`, the claim says `pve2`), " +
					"spec.image (the VM has `local:import/nixos.qcow2`, the claim says `local:import/debian.qcow2`). To take a change back, put the old value into the claim. " +
					"To have it, make a new machine: apply a claim under another name, move over, and delete this one; or delete this claim and apply it again, which destroys the VM with its disks. " +
					"To another node, move the VM in Proxmox: `qm migrate 153 <target> --online`; the claim is in order after that."}},
			},
		},
		"BootstrapChanged": {
			reason: "An edit of bootstrap data leaves a VM that was made alone and ready, and says so.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Bootstrap.Hash = "bbbbbbbbbb"

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Bootstrap.PendingHash = "bbbbbbbbbb" }), Ready: readiness(true, true, true),
				Conditions: []Condition{specValid, machineRunning, {
					"BootstrapCurrent", "False", "BootstrapChanged", "The claim describes other bootstrap data than the VM was made with. The VM keeps running as it is; only a new machine gets the new data: " +
						"apply a claim under another name, or delete this one and apply it again.",
				}, notRequired, noError},
				Events: []Event{{Warning: true, Reason: "BootstrapChanged", Message: "The claim describes other bootstrap data than the VM was made with. The VM keeps running as it is; " +
					"only a new machine gets the new data: apply a claim under another name, or delete this one and apply it again."}},
			},
		},
		"TokenSecretMissing": {
			reason: "A running node whose token Secret went away keeps running; nobody can tell whether its bootstrap is current.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Bootstrap.Hash, in.Bootstrap.Lacks = "", "k3s-join-token"

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{specValid, machineRunning, {
					"BootstrapCurrent", "Unknown", "TokenSecretMissing", "Secret k3s-join-token with the K3s token, in the claim's namespace, cannot be read, so nobody can tell what the claim describes. " +
						"A VM that runs keeps running; apply the Secret.",
				}, notRequired, noError},
			},
		},
		"NotFrozen": {
			reason: "A machine whose user-data Proxmox makes has nothing that is fixed, and no hash.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Bootstrap.Hash, in.Rendered.BootstrapHash = "", ""

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Bootstrap = nil }), Ready: readiness(true, true, true),
				Conditions: []Condition{
					specValid, machineRunning,
					{"BootstrapCurrent", "True", "NotFrozen", "Nothing of this machine's bootstrap data is fixed when its VM is made."},
					notRequired, noError,
				},
			},
		},
	}
}

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
	want := []string{TypeSpecValid, TypeMachineReady, TypeBootstrapCurrent, TypeReplacementRequired, TypeProviderHealthy}

	for name, tc := range scenarios() {
		var got []string
		for _, c := range Machine(tc.in(t)).Conditions {
			got = append(got, c.Type)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: every run has the same conditions in the same order: -want, +got:\n%s", name, diff)
		}
	}
}
