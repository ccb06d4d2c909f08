package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A bootstrapReport is about what the VM's cloud-init drive holds.
type bootstrapReport struct {
	machine *machine.Machine
	now     *bootstrap.Bootstrap // As the claim describes it.
	plan    *lifecycle.Plan
	vm      *activeVM
}

// condition is the condition on the VM's bootstrap data, which is read once, when the VM first starts.
func (b *bootstrapReport) condition() Condition {
	c := Condition{Type: TypeBootstrapCurrent, Status: status(true)}
	now, made := b.now.Hash, b.hash()

	switch {
	case isAdopted(b.plan):
		c.Reason = ReasonAdopted
		c.Message = "The VM was adopted, so the function did not write its bootstrap data."
	case b.now.Lacks != "":
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonTokenSecretMissing
		c.Message = "Secret " + b.now.Lacks + " with the K3s token, in the claim's namespace, cannot be read, so the function cannot compare " +
			"the bootstrap data of claim and VM. A running VM keeps running. Apply the Secret."
	case b.outdated():
		c.Status, c.Reason = status(false), ReasonBootstrapChanged
		c.Message = "The claim describes other bootstrap data than the VM was created with. The VM keeps running with its old data. To use the new data, " +
			newMachine(b.machine) + "."
	case now == "" && made == "":
		c.Reason = ReasonNotFrozen
		c.Message = "This machine has no frozen bootstrap data."

		if why := b.now.NoAgent; why != "" && !b.vm.hasGuestAgent() {
			c.Message += " Its first boot installs no guest agent: " + why + "."
		}
	default:
		c.Reason = ReasonCurrent
		c.Message = "VM and claim have the same bootstrap data."
	}

	return c
}

// outdated says whether the VM was made with other bootstrap data than the claim describes, or may have been.
func (b *bootstrapReport) outdated() bool {
	return b.vm.made && !isAdopted(b.plan) && (b.now.Lacks != "" || b.now.Hash != b.hash())
}

// hash identifies the bootstrap data that the VM was or will be made with; empty where nothing is rendered.
func (b *bootstrapReport) hash() string {
	if b.vm.made {
		return b.vm.seen.Metadata.Annotations[proxmox.BootstrapHashAnnotation]
	}

	return b.now.Hash
}

// status is nil where nothing is rendered.
func (b *bootstrapReport) status() *v1alpha1.BootstrapStatus {
	out := v1alpha1.BootstrapStatus{Hash: b.hash()}

	if b.outdated() {
		out.PendingHash = b.now.Hash
	}

	if out == (v1alpha1.BootstrapStatus{}) {
		return nil
	}

	return &out
}
