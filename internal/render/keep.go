package render

import (
	"maps"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Keep makes everything that is observed desired as it is, for a call that does not know enough to render.
func Keep(s proxmox.State) (map[string]proxmox.Manifest, error) {
	out := map[string]proxmox.Manifest{}

	err := errors.Join(keep(out, s.VMs), keep(out, s.Files), keep(out, s.DownloadFiles))

	return out, err
}

func keep[P, S any](to map[string]proxmox.Manifest, observed map[string]proxmox.Observed[P, S]) error {
	for name, o := range observed {
		m, err := proxmox.ManifestOf(asWritten(o))
		if err != nil {
			return errors.Wrapf(err, "composed resource %q", name)
		}

		to[name] = m
	}

	return nil
}

// asWritten is a resource as it was last written.
func asWritten[P, S any](o proxmox.Observed[P, S]) proxmox.Resource[P] {
	r := o.Retained(ours(o.Metadata.Metadata), false)
	r.Spec.ManagementPolicies = o.Spec.ManagementPolicies

	// A snippet's external name is the provider's to set.
	if o.Kind == proxmox.FileKind {
		delete(r.Metadata.Annotations, proxmox.ExternalNameAnnotation)
	}

	return r
}

// ours are the labels and annotations that we write; the others belong to Crossplane and the provider.
func ours(m proxmox.Metadata) proxmox.Metadata {
	mine := func(k string) bool {
		return strings.HasPrefix(k, "homelab.io/") || k == proxmox.ExternalNameAnnotation || k == proxmox.PausedAnnotation && paused(m) ||
			k == createFailed && resumed(m)
	}
	others := func(k, _ string) bool { return !mine(k) }

	out := proxmox.Metadata{Labels: maps.Clone(m.Labels), Annotations: map[string]string{}}
	maps.Copy(out.Annotations, m.Annotations)
	maps.DeleteFunc(out.Labels, others)
	maps.DeleteFunc(out.Annotations, others)

	return out
}
