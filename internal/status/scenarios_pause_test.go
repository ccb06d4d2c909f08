package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	invalid         = "vm (EnvironmentVM): The provider or Proxmox refuses a value of this managed resource."
	invalidIsPaused = invalid + " The function checks the claim's values before it renders them. So check unusual hardware in claim and catalogue (cpuType, firmware, cache, MAC address), and whether this Proxmox VE supports it. " +
		"Retrying does not help, so the function paused this resource until you edit the claim (a new value in spec.lifecycle.retry is enough). To delete this machine: delete the claim first, then remove the pause annotation: " +
		"`kubectl annotate environmentvms.virtualenvironmentvm.proxmoxbpg.crossplane.io -l homelab.io/machine=dns01,homelab.io/namespace=infra crossplane.io/paused-`." + ran
	wrongExtension   = "image-0123456789 (EnvironmentDownloadFile): Proxmox refuses the file name of the image."
	imageIsPaused    = wrongExtension + " Images for import must end in .qcow2, .raw or .vmdk: set images.nixos-25.05.fileName in the catalogue. Retrying does not help, so the function paused this resource until you edit the claim (a new value in spec.lifecycle.retry is enough). To delete this machine: delete the claim first, then remove the pause annotation: `kubectl annotate environmentdownloadfiles.virtualenvironmentdownloadfile.proxmoxbpg.crossplane.io -l homelab.io/machine=dns01,homelab.io/namespace=infra crossplane.io/paused-`."
	pausedBySomebody = "vm (EnvironmentVM): Somebody paused this managed resource, so the provider ignores it. Remove the annotation: " +
		"`kubectl annotate environmentvms.virtualenvironmentvm.proxmoxbpg.crossplane.io -l homelab.io/machine=dns01,homelab.io/namespace=infra crossplane.io/paused-`." + ran
)

// paused is how a managed resource is found that is paused, for an error's row where by names one.
func paused(by string) func(*proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		vm.Metadata.Annotations[proxmox.PausedAnnotation] = "true"
		if by != "" {
			vm.Metadata.Annotations[proxmox.PausedByAnnotation] = by
		}

		vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcilePaused"})
	}
}

// pauses are the moments of a managed resource that is paused.
func pauses() map[string]scenario {
	return map[string]scenario{
		"PausedForAnError": {
			reason: "An error that no retry can cure: its resource is paused from this call on, and the same words say so.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := fails(settled(t), "update failed: apply failed: Parameter verification failed. (cores: value must have a maximum value of 128): ")
				in.Paused = map[string]string{lifecycle.FirstVM: "render.invalid"}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase = v1alpha1.PhaseFailed }), Ready: readiness(false, true, true),
				Conditions: conditions(
					Condition{"MachineReady", "False", "ProviderError", invalid + " Condition ProviderHealthy says what to do."},
					Condition{"ProviderHealthy", "False", "ValidationFailed", invalidIsPaused},
				),
				Events: []Event{{Warning: true, Reason: "ValidationFailed", Message: invalidIsPaused}},
			},
		},
		"PausedStill": {
			reason: "While it is paused the provider says nothing of the error, and we say the same as before.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := fails(settled(t), "update failed: apply failed: Parameter verification failed. (cores: value must have a maximum value of 128): ")
				in.Paused = map[string]string{lifecycle.FirstVM: "render.invalid"}
				in.Previous = after(Machine(in))

				return edit(in, paused("render.invalid"))
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase = v1alpha1.PhaseFailed }), Ready: readiness(false, true, true),
				Conditions: conditions(
					Condition{"MachineReady", "False", "ProviderError", invalid + " Condition ProviderHealthy says what to do."},
					Condition{"ProviderHealthy", "False", "ValidationFailed", invalidIsPaused},
				),
			},
		},
		"Resumed": {
			reason: "The claim changed: the error counts no more, and whether it is cured is not known before the provider has looked.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(settled(t), paused("render.invalid"))
				in.Paused = map[string]string{lifecycle.FirstVM: "render.invalid"}
				in.Previous = after(Machine(in))
				in.Paused = nil

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(false, true, true),
				Conditions: conditions(
					Condition{"MachineReady", "False", "WaitingForProvider", "The provider will read VM 153 on node pve again, and then apply the claim."},
					Condition{"ProviderHealthy", "Unknown", "WaitingForProvider", "The pause was lifted, and the provider has not retried yet: vm."},
				),
			},
		},
		"PausedImage": {
			reason: "Something that the VM waits for is paused before there is a VM.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere, imageThere)
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.Waiting = []string{image}
				in.Paused = map[string]string{image: "image.extension"}

				f := in.State.DownloadFiles[image]
				f.Metadata.Annotations = map[string]string{proxmox.PausedAnnotation: "true", proxmox.PausedByAnnotation: "image.extension"}
				f.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "Synced", Status: "False", Reason: "ReconcilePaused"}}
				in.State.DownloadFiles[image] = f

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: map[string]bool{userData: false, metaData: false, image: false},
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "ProviderError", wrongExtension + " Condition ProviderHealthy says what to do."},
					Condition{"ProviderHealthy", "False", "ValidationFailed", imageIsPaused},
				),
				Events: []Event{{Warning: true, Reason: "ValidationFailed", Message: imageIsPaused}},
			},
		},
		"PausedBySomebody": {
			reason: "Somebody's own pause is theirs to end.",
			in: func(t *testing.T) Input {
				t.Helper()
				return edit(settled(t), paused(""))
			},
			want: Output{
				Status: made(nil), Ready: readiness(false, true, true),
				Conditions: conditions(
					Condition{
						"MachineReady", "False", "ProviderError",
						"vm (EnvironmentVM): Somebody paused this managed resource, so the provider ignores it. Condition ProviderHealthy says what to do.",
					},
					Condition{"ProviderHealthy", "False", "Paused", pausedBySomebody},
				),
				Events: []Event{{Warning: true, Reason: "Paused", Message: pausedBySomebody}},
			},
		},
	}
}
