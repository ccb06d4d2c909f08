package render

import (
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Keep makes everything that is observed desired as it is, for a call that does not know enough to render.
func Keep(s proxmox.State) (map[string]proxmox.Manifest, error) {
	files := make(map[string]proxmox.File, len(s.Files))
	for name, o := range s.Files {
		files[name] = o.Retained(ours(o.Metadata.Metadata, false), mayDelete(o.Spec.ManagementPolicies))
	}

	images := make(map[string]proxmox.DownloadFile, len(s.DownloadFiles))
	for name, o := range s.DownloadFiles {
		images[name] = o.Retained(ours(o.Metadata.Metadata, true), false)
	}

	out, err := besideVM(s, files, images)
	if err != nil {
		return nil, err
	}

	if vm, ok := s.VMs[VMName]; ok {
		out[VMName], err = keepVM(vm)
	}

	return out, errors.Wrapf(err, "cannot keep %q", VMName)
}

func keepVM(o proxmox.ObservedVM) (proxmox.Manifest, error) {
	return proxmox.VMManifest(o.Retained(ours(o.Metadata.Metadata, true), mayDelete(o.Spec.ManagementPolicies)))
}

// ours are the labels and annotations that we write; the others belong to Crossplane and the provider.
func ours(m proxmox.Metadata, externalName bool) proxmox.Metadata {
	mine := func(k string) bool {
		return strings.HasPrefix(k, "homelab.io/") || externalName && k == proxmox.ExternalNameAnnotation
	}
	others := func(k, _ string) bool { return !mine(k) }

	m.Labels, m.Annotations = maps.Clone(m.Labels), maps.Clone(m.Annotations)
	maps.DeleteFunc(m.Labels, others)
	maps.DeleteFunc(m.Annotations, others)

	return m
}

func mayDelete(policies []string) bool { return slices.Contains(policies, "Delete") }
