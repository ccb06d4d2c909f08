package controlplane

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// unhealthy is what a claim says of an error of the provider that hides its VM.
func unhealthy(reason, message string) []word {
	return []word{{"ProviderHealthy", "False", reason, message}, {"MachineReady", "False", "ProviderError", ""}, {"Ready", "not True", "", ""}}
}

// troublesOfAccess keep the provider away from a machine that lives.
func troublesOfAccess() map[string]trouble {
	return map[string]trouble{
		"Credentials": {
			reason: "A token that is not valid any more is named.", hurt: breaks("auth"),
			says: unhealthy("AuthenticationError", "Check api_token in the credentials Secret"),
		},
		"Permission": {
			reason: "A privilege that is missing is named.", hurt: breaks("permission"),
			says: unhealthy("AuthenticationError", "VM.Audit"),
		},
		"Network": {
			reason: "Proxmox that cannot be reached is named.", hurt: breaks("network"),
			says: unhealthy("NetworkError", "cannot reach the Proxmox API"),
		},
		"NodeDown": {
			reason: "A node that is down is named.", hurt: breaks("node"),
			says: unhealthy("NodeUnhealthy", "Check that the node is on and in the cluster"),
		},
		"AgentHangs": {
			reason: "A look that Terraform does not end is named.", hurt: breaks("agent"),
			says: unhealthy("ProviderError", "agent"),
		},
		"CreationUnknown": {
			reason: "A provider that was killed in the middle of a creation does not know what it did. What has a number goes on by itself.",
			hurt: func(r *rig, claim *unstructured.Unstructured, _ int) func() {
				return r.annotated(claim, "crossplane.io/external-create-pending", time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
			},
			says: []word{{"MachineReady", "True", "Running", ""}, {"ProviderHealthy", "True", "NoError", ""}, {"Ready", "True", "", ""}},
		},
		"FullAtEdit": {
			reason: "A disk that cannot grow is named, and the VM runs on.", hurt: breaks("quota"), told: true,
			edit: setting("size.disk", "50Gi"),
			says: []word{{"ProviderHealthy", "False", "QuotaExceeded", "pvesm status"}},
		},
	}
}

// troublesOfBirth keep a machine from being made.
func troublesOfBirth() map[string]trouble {
	born := func(reason, message string) []word {
		return []word{{"ProviderHealthy", "False", reason, message}, {"Ready", "not True", "", ""}}
	}
	// What is new has no name in Proxmox yet, so the provider begins to make it: only the look comes before.
	withData := setting("bootstrap.userData", "#cloud-config\ntimezone: Europe/Berlin\n")

	return map[string]trouble{
		"CredentialsAtBirth": {
			reason: "Nothing is made without a valid token.", unborn: true, hurt: breaks("auth"), says: born("AuthenticationError", "api_token"),
		},
		"NetworkAtBirth": {
			reason: "Nothing is made where Proxmox is not reached.", unborn: true, hurt: breaks("network"), says: born("NetworkError", "firewall"),
		},
		"NodeDownAtBirth": {
			reason: "Nothing is made on a node that is down.", unborn: true, hurt: breaks("node"), says: born("NodeUnhealthy", "Check that the node is on"),
		},
		"Full": {
			reason: "A datastore that is full is named.", unborn: true, hurt: breaks("quota"), says: born("QuotaExceeded", "pvesm status"),
		},
		"SSH": {
			reason: "A snippet that cannot be written is named, and no VM is made without it.", unborn: true, claim: withData, hurt: breaks("ssh"),
			says: append(born("NetworkError", "over SSH"), word{"MachineReady", "False", "ProviderError", "user-data"}),
		},
		"NoNode": {
			reason: "A node that does not exist is named.", unborn: true, claim: setting("proxmox.node", "pve9"), hurt: unhurt, cure: setting("proxmox.node", "pve"),
			says: born("ConfigurationError", "Proxmox has no node pve9"),
		},
		"NoImage": {
			reason: "An image that is not there is named.", unborn: true, claim: setting("image", "local:import/none.qcow2"),
			hurt: func(r *rig, _ *unstructured.Unstructured, _ int) func() {
				return func() { r.world.AddVolume(standin.Volume{Node: "pve", ID: "local:import/none.qcow2"}) }
			},
			says: born("ConfigurationError", "image"),
		},
		"SnippetMissing": {
			reason: "A VM whose own snippet is not there is created, and starts by itself when the snippet is there.", unborn: true,
			claim: setting("bootstrap.snippets", map[string]any{"vendorData": "local:snippets/none.yaml"}),
			hurt: func(r *rig, _ *unstructured.Unstructured, _ int) func() {
				return func() { r.world.AddVolume(standin.Volume{Node: "pve", ID: "local:snippets/none.yaml"}) }
			},
			says: born("ConfigurationError", "A snippet of the VM"), does: []string{"create VM %d on pve", "change VM %d"}, again: true,
		},
		"HalfMade": {
			reason: "A VM that was half made is named, and is made anew with another number.", unborn: true, hurt: breaks("half-made"),
			cure: func(claim *unstructured.Unstructured) *unstructured.Unstructured {
				return with(with(claim, "lifecycle.replace", "again"), "proxmox.vmId", int64(5591))
			},
			says: born("Tainted", "raise spec.size.disk"), does: []string{"create VM %d on pve"},
		},
	}
}

// troublesOfVMs are what people, guests and other programs do to a VM.
func troublesOfVMs() map[string]trouble {
	return map[string]trouble{
		"AgentGone": {
			reason: "An agent that falls silent takes nothing back.",
			claim:  setting("bootstrap.userData", "#cloud-config\ntimezone: Europe/Berlin\n"), // It installs an agent.
			hurt:   hand(func(vm *standin.VM) { vm.Agent = false }, func(vm *standin.VM) { vm.Agent = true }),
			says: []word{
				{"MachineReady", "True", "Running", "status has its last known addresses"}, {"Ready", "True", "", ""}, {"ProviderHealthy", "True", "NoError", ""},
			},
		},
		"Moved": {
			reason: "A VM that was moved is followed.", told: true,
			hurt: hand(func(vm *standin.VM) { vm.Node = "pve2" }, func(vm *standin.VM) { vm.Node = "pve" }),
			says: []word{
				{"MachineReady", "True", "Running", "on node pve2"},
				{"Ready", "True", "", ""},
				{"ProviderHealthy", "True", "NoError", ""},
				{"ReplacementRequired", "True", "ImmutableFieldChanged", "spec.proxmox.node"},
			},
		},
		"Stopped": {
			reason: "A VM that somebody stopped is started.", hurt: hand(func(vm *standin.VM) { vm.Stop() }, nil),
			says: []word{{"MachineReady", "True", "Running", ""}, {"Ready", "True", "", ""}}, does: []string{"change VM %d", "start VM %d"},
		},
		"Renamed": {
			reason: "A change by hand is taken back.", hurt: hand(func(vm *standin.VM) { vm.Config["name"] = "other" }, nil),
			says: []word{{"Ready", "True", "", ""}}, does: []string{"change VM %d"},
		},
		"Gone": {
			reason: "A VM that somebody removed is made again under its number.",
			hurt: func(r *rig, _ *unstructured.Unstructured, id int) func() {
				r.world.Remove(id)

				return func() {}
			},
			says: []word{{"Ready", "True", "", ""}}, does: []string{"create VM %d on pve", "start VM %d"},
		},
	}
}
