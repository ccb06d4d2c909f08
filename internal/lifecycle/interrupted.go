package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// RetryInterruptedCreate says whether the provider may go on with a creation in whose middle it was stopped.
//
// The provider marks a managed resource before it creates something, and again when that is created. Where the second mark
// lacks, it refuses to do anything until somebody has looked, since there could be two of the thing. Of a thing with a fixed
// name there is one: the provider finds it, and writes a snippet with the same bytes once more. A VM whose VMID Proxmox
// chooses is left to a person.
func RetryInterruptedCreate[P, S any](o proxmox.Observed[P, S]) bool {
	named := o.Kind == proxmox.FileKind || o.Metadata.ExternalName() != ""

	return named && (diagnose.CutOff(o) || CreateRetried(o.Metadata.Metadata))
}

// CreateRetried says whether the mark of a failed creation is ours, since it lets the provider retry an interrupted one. The
// mark has to stay: without it, the mark before it would count again.
func CreateRetried(m proxmox.Metadata) bool {
	began := m.Annotations[proxmox.CreatePendingAnnotation]

	return began != "" && m.Annotations[proxmox.ResumedAnnotation] == began
}
