package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// PausedByUs says whether an error paused a managed resource, and not a person.
func PausedByUs(m proxmox.Metadata) bool { return m.Annotations[proxmox.PausedByAnnotation] != "" }

// Pause names the error for which a managed resource is paused from this call on, as a row of package diagnose; empty where
// it is not paused, or no more. purpose hashes the claim and a manifest: the observed resource's, and the rendered one's.
//
// If only an edit of the claim can fix an error, the provider would retry for ever. So the resource stays paused until the claim,
// or the manifest rendered from it, changes. A paused resource cannot be deleted, so an error that can pass without an edit
// pauses nothing.
func Pause[P, S any](o proxmox.Observed[P, S], rendered P, purpose func(P) string) (row string) {
	before := o.Metadata.Annotations[proxmox.PausedByAnnotation]
	row, hopeless := diagnose.Pauses(o)

	if o.ObserveOnly() || before == "" && !hopeless {
		return ""
	}

	hash := purpose(rendered)

	switch {
	case before != "" && o.Metadata.Annotations[proxmox.PausedForAnnotation] == hash && !diagnose.NoLongerPauses(before):
		return before
	case before != "", purpose(o.Spec.ForProvider) != hash:
		// The provider has not tried the new manifest yet; the error is about the one before.
		return ""
	}

	return row
}
