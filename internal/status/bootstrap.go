package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// bootstrapCurrent is the condition on the VM's bootstrap data, which is read once, when the VM first starts.
func (s reporter) bootstrapCurrent() Condition {
	c := Condition{Type: TypeBootstrapCurrent, Status: status(true)}
	now, made := s.in.Bootstrap.Hash, s.bootstrapHash()

	switch {
	case s.isAdopted():
		c.Reason = ReasonAdopted
		c.Message = "The VM was adopted, so the function did not write its bootstrap data."
	case s.in.Bootstrap.Lacks != "":
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonTokenSecretMissing
		c.Message = "Secret " + s.in.Bootstrap.Lacks + " with the K3s token, in the claim's namespace, cannot be read, so the function cannot compare " +
			"the bootstrap data of claim and VM. A running VM keeps running. Apply the Secret."
	case s.in.Bootstrap.Undetermined:
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonCatalogueEntryMissing
		c.Message = "The bootstrap data of the claim depends on an entry that the catalogue lacks (condition SpecValid), so the function cannot " +
			"compare the bootstrap data of claim and VM. The VM keeps running with its data. Add the entry to the catalogue."
	case s.outdated():
		c.Status, c.Reason = status(false), ReasonBootstrapChanged
		c.Message = "The claim describes other bootstrap data than the VM was created with. The VM keeps running with its old data. To use the new data, " +
			s.newMachine() + "."
	case now == "" && made == "":
		c.Reason = ReasonNotFrozen
		c.Message = "This machine has no frozen bootstrap data."
	default:
		c.Reason = ReasonCurrent
		c.Message = "VM and claim have the same bootstrap data."
	}

	return c
}

// outdated says whether the VM was made with other bootstrap data than the claim describes, or may have been.
func (s reporter) outdated() bool {
	return s.made && !s.isAdopted() && (s.in.Bootstrap.Lacks != "" || s.in.Bootstrap.Undetermined || s.in.Bootstrap.Hash != s.bootstrapHash())
}

// bootstrapHash identifies the bootstrap data that the VM was or will be made with; empty where nothing is rendered.
func (s reporter) bootstrapHash() string {
	if s.made {
		return s.vm.Metadata.Annotations[proxmox.BootstrapHashAnnotation]
	}

	return s.in.Bootstrap.Hash
}

func (s reporter) bootstrapStatus() *v1alpha1.BootstrapStatus {
	out := v1alpha1.BootstrapStatus{Hash: s.bootstrapHash()}

	if s.outdated() {
		out.PendingHash = s.in.Bootstrap.Hash
	}

	if out == (v1alpha1.BootstrapStatus{}) {
		return nil
	}

	return &out
}
