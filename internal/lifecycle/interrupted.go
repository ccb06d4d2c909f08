package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// RetryInterruptedCreate says whether the provider may retry a creation that was interrupted by a stop of the provider.
//
// The provider annotates a managed resource before it creates the VM or file, and again afterwards. Without the second annotation
// it does nothing until a person has checked, since a retry could create a second VM. With a fixed name or VMID there is only
// one: the provider finds the VM, or writes the same snippet again. Of a firewall, it writes the same options again, and refuses to write rules
// beside others. Only a person can check a VM whose VMID Proxmox chose.
func RetryInterruptedCreate[P, S any](o proxmox.Observed[P, S]) bool {
	named := o.Kind == proxmox.FileKind || o.Kind == proxmox.FirewallOptionsKind || o.Kind == proxmox.FirewallRulesKind || o.Metadata.ExternalName() != ""

	return named && (diagnose.CutOff(o) || CreateRetried(o.Metadata.Metadata))
}

// CreateRetried says whether the function wrote the annotation of a failed creation, with which the provider retries an
// interrupted one. The annotation has to stay: without it, the provider would find the creation interrupted again.
func CreateRetried(m proxmox.Metadata) bool {
	began := m.Annotations[proxmox.CreatePendingAnnotation]

	return began != "" && m.Annotations[proxmox.ResumedAnnotation] == began
}

// maxLooks is how often the provider is asked to read a VM once more whose creation it does not remember. Its own polls, some minutes apart, are
// left after that.
const maxLooks = 8

// looksAgain says whether the provider is to read a VM once more, of which it has reported too little to tell whose it is. It reads a VM whole only
// when its managed resource has another generation. A provider that does not say which generation its report is about is not asked, since nobody
// could tell when it has answered.
func looksAgain(vm proxmox.ObservedVM) bool {
	answered := vm.Fresh(proxmox.ConditionSynced) && !vm.Undated() && !vm.Working()

	return proxmox.Unread(vm) && answered && proxmox.Looks(vm.Spec.ForProvider) < maxLooks
}
