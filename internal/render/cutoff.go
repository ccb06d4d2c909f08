package render

import (
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Annotations of the provider's reconciler: when it began to make something last, and when that failed last.
const (
	createPending = "crossplane.io/external-create-pending"
	createFailed  = "crossplane.io/external-create-failed"
)

// resume lets the provider go on with what it was stopped in the middle of making. It marks a managed resource before it
// makes something, and again when that is made; where the second mark lacks, it refuses to do anything until somebody has
// looked, since there could be two of the thing. Of what has a fixed name there is one: the provider finds it, and a snippet
// is written with the same bytes once more. A VM whose number Proxmox chooses is left to a person.
func resume[P, S any](out *proxmox.Resource[P], o proxmox.Observed[P, S]) {
	named := o.Kind == proxmox.FileKind || o.Metadata.ExternalName() != ""
	if !named || !diagnose.CutOff(o) && !resumed(o.Metadata.Metadata) {
		return
	}

	if out.Metadata.Annotations == nil {
		out.Metadata.Annotations = map[string]string{}
	}

	// The mark has to stay: without it, the one before it would count again. The provider does not notice it, but the other one.
	out.Metadata.Annotations[createFailed] = o.Metadata.Annotations[createPending]
	out.Metadata.Annotations[proxmox.ResumedAnnotation] = o.Metadata.Annotations[createPending]
}

// resumed says whether the mark of a failure is that of [resume].
func resumed(m proxmox.Metadata) bool {
	at := m.Annotations[createPending]

	return at != "" && m.Annotations[proxmox.ResumedAnnotation] == at
}
