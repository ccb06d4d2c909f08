package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	againAt   = "2026-11-22T02:29:42Z"
	again     = "VM 153 on node pve was gone from Proxmox, and the provider created it again on " + againAt + ", with a new boot disk and empty data disks: restore your backup."
	againRead = " To confirm that you have read this, run `kubectl annotate environmentvms.virtualenvironmentvm.proxmoxbpg.crossplane.io " +
		"-l homelab.io/machine=dns01,homelab.io/namespace=infra homelab.io/recreated-`."
)

// noted is a VM that is rendered with annotations.
func noted(in *Input, annotations map[string]string) {
	vm := in.Desired.VMs[lifecycle.FirstVM]
	vm.Metadata.Annotations = annotations
	in.Desired.VMs[lifecycle.FirstVM] = vm
}

// recreations are the moments of a VM that somebody deleted in Proxmox.
func recreations() map[string]scenario {
	recreated := map[string]string{proxmox.CreatedAnnotation: againAt, proxmox.RecreatedAnnotation: againAt}

	return map[string]scenario{
		"Recreating": {
			reason: "The provider did not find the VM, and creates it again: what is lost is said at once.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				noted(&in, map[string]string{proxmox.CreatedAnnotation: proxmox.Recreating})

				return edit(in, func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Ready", Status: "False", Reason: "Creating"})
				})
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseCreating, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: conditions(Condition{
					"MachineReady", "False", "Creating",
					"VM 153 is gone from Proxmox, and the provider is creating it again on node pve, with a new boot disk and empty data disks.",
				}),
			},
		},
		"Recreated": {
			reason: "The VM runs again, and stays marked until somebody has read it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				noted(&in, recreated)

				return in
			},
			want: Output{
				Status: made(func(*v1alpha1.Status) {}), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"MachineReady", "True", "Recreated", "VM 153 on node pve runs. " + again + againRead}),
				Events:     []Event{{Warning: true, Reason: "Recreated", Message: again}},
			},
		},
		"RecreatedBefore": {
			reason: "What is noted already is no event.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				noted(&in, recreated)

				return edit(in, func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.RecreatedAnnotation] = againAt })
			},
			want: Output{
				Status: made(func(*v1alpha1.Status) {}), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{"MachineReady", "True", "Recreated", "VM 153 on node pve runs. " + again + againRead}),
			},
		},
		"RecreatedAdopted": {
			reason: "Nobody knows the image of an adopted VM, so even its boot disk is empty. It does not get ready, and that is said all the same.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Adopted = true
				noted(&in, recreated)

				return edit(edit(in, silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStarting, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: conditions(Condition{
					"MachineReady", "False", "Starting",
					"VM 153 on node pve is stopped, and the provider starts it. VM 153 on node pve was gone from Proxmox, and the provider created it again on " +
						againAt + ", with empty disks only: restore your backup." + againRead,
				}, adopted, Condition{"VMIDInUse", "False", "NumberAdopted", "The claim adopted the VM with this VMID."}),
				Events: []Event{{
					Warning: true, Reason: "Recreated",
					Message: "VM 153 on node pve was gone from Proxmox, and the provider created it again on " + againAt + ", with empty disks only: restore your backup.",
				}},
			},
		},
		"RecreatedK3s": {
			reason: "A K3s node whose Node is still there cannot join.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.K3s = &machine.K3s{Role: v1alpha1.K3sAgent}
				noted(&in, recreated)

				return in
			},
			want: Output{
				Status: made(func(*v1alpha1.Status) {}), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{
					"MachineReady", "True", "Recreated",
					"VM 153 on node pve runs. " + again + " Run `kubectl delete node dns01`: the VM cannot join its cluster before." + againRead,
				}),
				Events: []Event{{Warning: true, Reason: "Recreated", Message: again + " Run `kubectl delete node dns01`: the VM cannot join its cluster before."}},
			},
		},
	}
}
