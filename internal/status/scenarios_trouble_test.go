package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	takesItsPlace = "set spec.lifecycle.replace to a new value: a new VM replaces this VM, which then is destroyed with all its disks, data disks included " +
		"(change or remove a fixed spec.proxmox.vmId in the same commit). Or apply a new claim under another name, move your data, and delete this claim"
	heldBack = "The VM cannot make these changes and keeps its own values: spec.proxmox.node (the VM has `pve`, the claim has `pve2`), " +
		"spec.image (the VM has `local:import/nixos.qcow2`, the claim has `local:import/debian.qcow2`). To undo a change, write the VM's value into the claim, or into the catalogue if that changed. To make it, " + takesItsPlace + ". " +
		"To change the node, set spec.proxmox.migrate to true, or move the VM in Proxmox: `qm migrate 153 <target> --online`."
	bootstrapChanged = "The claim, or its catalogue, describes other bootstrap data than the VM was created with. The VM keeps running with its old data. To use the new data, " + takesItsPlace + "."
)

// troubles are the moments in which somebody has to know something.
func troubles() map[string]scenario {
	return map[string]scenario{
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
					current, notRequired, nothingPending, numberOurs,
					{
						"ProviderHealthy", "False", "NetworkError", "vm (EnvironmentVM): The provider cannot reach the Proxmox API. Check endpoint in the credentials Secret (https://host:8006/), " +
							"whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy blocks port 8006 for the provider's pod. The provider retries automatically." + ran,
					},
				},
				Events: []Event{{Warning: true, Reason: "NetworkError", Message: "vm (EnvironmentVM): The provider cannot reach the Proxmox API. Check endpoint in the credentials Secret (https://host:8006/), " +
					"whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy blocks port 8006 for the provider's pod. The provider retries automatically." + ran}},
			},
		},
		"ReplacementRequired": {
			reason: "Every change that the VM cannot follow is named with what it has and what the claim says; the status repeats what the VM has.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Boot.Image = "debian-13"
				in.Machine.Placement.Node = "pve2"
				in.Plan.Held = []change.Change{
					{Field: "spec.proxmox.node", Has: "pve", Wanted: "pve2"},
					{Field: "spec.image", Has: "local:import/nixos.qcow2", Wanted: "local:import/debian.qcow2"},
				}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					s.Refused = []string{"spec.proxmox.node: pve to pve2", "spec.image: local:import/nixos.qcow2 to local:import/debian.qcow2"}
				}), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"ReplacementRequired", "True", "ImmutableFieldChanged", heldBack}),
				Events:     []Event{{Warning: true, Reason: "ReplacementRequired", Message: heldBack}},
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
				Conditions: conditions(Condition{"BootstrapCurrent", "False", "BootstrapChanged", bootstrapChanged}),
				Events:     []Event{{Warning: true, Reason: "BootstrapChanged", Message: bootstrapChanged}},
			},
		},
		"TokenSecretMissing": {
			reason: "A running node whose token Secret went away keeps running; nobody can tell whether its bootstrap is current.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Bootstrap.Hash, in.Bootstrap.Lack = "", tokenLack()

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true),
				Conditions: []Condition{specValid, machineRunning, {
					"BootstrapCurrent", "Unknown", "TokenSecretMissing", "Secret k3s-join-token with the K3s token, in the claim's namespace, cannot be read, so the function cannot compare the bootstrap data of claim and VM. A running VM keeps running. Apply the Secret.",
				}, notRequired, nothingPending, numberOurs, noError},
			},
		},
		"NotFrozen": {
			reason: "A machine whose user-data Proxmox makes has nothing that is fixed, and no hash.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Bootstrap.Hash = ""
				in = edit(in, func(vm *proxmox.ObservedVM) { delete(vm.Metadata.Annotations, proxmox.BootstrapHashAnnotation) })

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Bootstrap = nil }), Ready: readiness(true, true, true),
				Conditions: []Condition{
					specValid, machineRunning,
					{"BootstrapCurrent", "True", "NotFrozen", "This machine has no frozen bootstrap data."},
					notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
	}
}
