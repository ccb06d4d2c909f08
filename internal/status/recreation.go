package status

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A recreationReport is about a VM that was gone from Proxmox, so that the provider created it again.
type recreationReport struct {
	plan *lifecycle.Plan
	vm   *activeVM
}

// noted is when the provider created the VM again; empty if it did not, or if a person has removed the note.
func (r *recreationReport) noted() string { return r.vm.notes[proxmox.RecreatedAnnotation] }

// news says whether this call notes that the provider created the VM again, and no call said so before.
func (r *recreationReport) news(before *v1alpha1.Status) bool {
	if r.noted() == "" || r.noted() == r.vm.seen.Metadata.Annotations[proxmox.RecreatedAnnotation] {
		return false
	}

	c := meta.FindStatusCondition(before.Conditions, TypeMachineReady)

	return c == nil || !strings.Contains(c.Message, r.message())
}

// underWay says whether the provider is creating the VM again.
func (r *recreationReport) underWay() bool {
	return r.vm.notes[proxmox.CreatedAnnotation] == proxmox.Recreating
}

// message says what happened, what is lost, and what to do.
func (r *recreationReport) message() string {
	return r.vm.title() + " was gone from Proxmox, and the provider created it again on " + message.Text(r.noted()) + ", with " + r.disks() +
		": restore your backup." + r.rejoin()
}

// progress says the same while the provider is at it.
func (r *recreationReport) progress() string {
	return r.vm.shortTitle() + " is gone from Proxmox, and the provider is creating it again on node " + r.vm.plannedNode() + ", with " + r.disks() + "."
}

// disks of the VM that is created again. Nobody knows the image of an adopted VM.
func (r *recreationReport) disks() string {
	if r.plan.Adopted {
		return "empty disks only"
	}

	return "a new boot disk and empty data disks"
}

// rejoin says what a K3s node needs: its cluster knows the node of before.
func (r *recreationReport) rejoin() string {
	k := r.vm.machine.K3s
	if k == nil || r.plan.Adopted {
		return ""
	}

	return " Run `kubectl delete node " + r.vm.machine.Hostname + "`: the VM cannot join its cluster before."
}

// note is the message with the way to remove it, after other sentences; empty where there is nothing to say.
func (r *recreationReport) note() string {
	if r.noted() == "" {
		return ""
	}

	return " " + r.message() + r.vm.fill(" To confirm that you have read this, run `kubectl annotate <resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> "+
		proxmox.RecreatedAnnotation+"-`.", Finding{Name: r.vm.name, Kind: proxmox.VMKind, APIVersion: r.vm.seen.APIVersion})
}
