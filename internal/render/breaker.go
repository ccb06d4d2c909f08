package render

import (
	"encoding/json"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// breaker pauses a managed resource that the provider would try for ever in vain, until the claim, or what is made of it,
// changes. It returns the row of the error, empty where the resource is not paused.
//
// A paused resource cannot be deleted either, so one that only waits for something to be mended outside is left alone: that
// recovers by itself.
func breaker[P, S any](r Request, out *proxmox.Resource[P], o proxmox.Observed[P, S]) string {
	unpause(&out.Metadata)

	before := o.Metadata.Annotations[diagnose.PausedByAnnotation]
	row, hopeless := diagnose.Pauses(o)

	if !r.Machine.PauseOnError || o.ObserveOnly() || before == "" && !hopeless {
		return ""
	}

	hash := r.pausedFor(out.Spec.ForProvider)

	switch {
	case before != "" && o.Metadata.Annotations[proxmox.PausedForAnnotation] == hash:
		row = before
	case before != "", r.pausedFor(o.Spec.ForProvider) != hash:
		// Something else is wanted now, so that it is tried; an error that was reported of before says nothing of it.
		return ""
	}

	if out.Metadata.Annotations == nil {
		out.Metadata.Annotations = map[string]string{}
	}

	out.Metadata.Annotations[proxmox.PausedAnnotation] = "true"
	out.Metadata.Annotations[diagnose.PausedByAnnotation] = row
	out.Metadata.Annotations[proxmox.PausedForAnnotation] = hash

	return row
}

// release keeps what is paused and would go now for one more call, without the pause: with it, nobody could delete it.
func release[P, S any](w *work, rendered map[string]proxmox.Resource[P], observed map[string]proxmox.Observed[P, S]) {
	for name, o := range observed {
		if _, stays := rendered[name]; !stays && paused(o.Metadata.Metadata) {
			rendered[name] = asWritten(o)
			w.going[name] = true
		}
	}
}

// pausedFor identifies what a resource was paused for: all that the person wrote, and what was made of it.
func (r Request) pausedFor(forProvider any) string {
	b, err := json.Marshal(forProvider)
	if err != nil {
		return ""
	}

	return r.Machine.Identity.Hash("pause", r.Intent, string(b))
}

func paused(m proxmox.Metadata) bool { return m.Annotations[diagnose.PausedByAnnotation] != "" }

func unpause(m *proxmox.Metadata) {
	for _, a := range []string{proxmox.PausedAnnotation, diagnose.PausedByAnnotation, proxmox.PausedForAnnotation} {
		delete(m.Annotations, a)
	}
}
