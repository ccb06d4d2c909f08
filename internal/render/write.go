package render

import (
	"encoding/json"
	"maps"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Result has the managed resources that Crossplane is to apply.
type Result struct {
	proxmox.Desired

	// Objects of provider-kubernetes, by composed resource name; nil where there are none.
	Objects map[string]object.Object
	// Jobs that drain and uncordon Nodes: their Objects, by composed resource name; nil where there are none.
	Jobs map[string]object.Of[object.Job]
	// Plans of system-upgrade-controller: their Objects, by composed resource name; nil where there are none.
	Plans map[string]object.Of[object.Plan]
	// Zones of Nodes: the Object that writes the label, by composed resource name; nil where there is none.
	Zones map[string]object.Of[object.ZoneManifest]
	// AddressClaims on pools of Cluster API's IPAM, by composed resource name; nil where there are none.
	AddressClaims map[string]ipam.Claim
	// Paused are the composed resources that an error has paused, with the name of the error's row in package diagnose.
	Paused map[string]string
}

// A writer writes the managed resources of one machine.
type writer struct {
	r *Request

	plan        *lifecycle.Plan
	description *Description
	paused      map[string]string
}

// Write what a plan decides. The manifests are complete but for what Crossplane adds.
func Write(r *Request, plan *lifecycle.Plan, d Description) Result {
	paused := map[string]string{}
	w := writer{r: r, plan: plan, description: &d, paused: paused}
	out := proxmox.Desired{VMs: w.vms(), Files: w.files(), DownloadFiles: d.Images, HAResources: w.haResources(), Firewalls: w.firewalls()}

	finish(w, out.VMs, r.Observed.VMs, plan.Leaving())
	finish(w, out.Files, r.Observed.Files, keepPaused(out.Files, r.Observed.Files))
	finish(w, out.DownloadFiles, r.Observed.DownloadFiles, keepPaused(out.DownloadFiles, r.Observed.DownloadFiles))
	finish(w, out.HAResources, r.Observed.HAResources, keepPaused(out.HAResources, r.Observed.HAResources))

	finish(w, out.Firewalls.Options, r.Observed.Firewalls.Options, keepPaused(out.Firewalls.Options, r.Observed.Firewalls.Options))
	finish(w, out.Firewalls.Rules, r.Observed.Firewalls.Rules, keepPaused(out.Firewalls.Rules, r.Observed.Firewalls.Rules))

	return Result{Desired: out, Objects: w.objects(), Jobs: w.jobs(), Plans: w.plans(), Zones: w.zones(), AddressClaims: w.addressClaims(), Paused: paused}
}

// files are the snippets that are to be. A VM whose edit waits needs no snippets on the node that it would move to.
func (w writer) files() map[string]proxmox.File {
	if !w.plan.Stands() {
		return w.description.Files
	}

	at := change.AsMade(w.r.Observed.VMs[w.r.Roles.Active]).NodeName
	out := maps.Clone(w.description.Files)

	maps.DeleteFunc(out, func(name string, f proxmox.File) bool {
		_, there := w.r.Observed.Files[name]

		return !there && f.Spec.ForProvider.NodeName != at
	})

	return out
}

// keepPaused keeps paused resources that are no longer desired for one more call, which removes the pause: a paused resource
// cannot be deleted.
func keepPaused[P, S any](desired map[string]proxmox.Resource[P], observed map[string]proxmox.Observed[P, S]) (leaving map[string]bool) {
	leaving = map[string]bool{}

	for name, o := range observed {
		if _, stays := desired[name]; !stays && lifecycle.PausedByUs(o.Metadata.Metadata) {
			desired[name], leaving[name] = asWritten(o), true
		}
	}

	return leaving
}

// finish writes into the managed resources of one kind whether the provider may work on them: pauses, and retries of
// creations in whose middle it was stopped.
func finish[P, S any](w writer, desired map[string]proxmox.Resource[P], observed map[string]proxmox.Observed[P, S], leaving map[string]bool) {
	for name, r := range desired {
		o := observed[name]
		row := ""

		// A paused resource cannot be deleted, so a VM that retires is never paused.
		if !leaving[name] && w.r.Machine.PauseOnError {
			row = lifecycle.Pause(o, r.Spec.ForProvider, func(p P) string { return w.purpose(p) })
		}

		pause(&r.Metadata, row, func() string { return w.purpose(r.Spec.ForProvider) })

		if w.plan.Steps[name].Action == lifecycle.ActionReserve {
			annotate(&r.Metadata, proxmox.PausedAnnotation, "true")
		}

		if row != "" {
			w.paused[name] = row
		}

		Resume(&r.Metadata, o)

		desired[name] = r
	}
}

// Resume has the provider create a resource once more, in the middle of whose creation it was stopped.
func Resume[P, S any](m *proxmox.Metadata, o proxmox.Observed[P, S]) {
	if lifecycle.RetryInterruptedCreate(o) {
		began := o.Metadata.Annotations[proxmox.CreatePendingAnnotation]
		annotate(m, proxmox.CreateFailedAnnotation, began)
		annotate(m, proxmox.ResumedAnnotation, began)
	}
}

// pause writes the error that pauses a managed resource; an empty row removes the pause.
func pause(m *proxmox.Metadata, row string, purpose func() string) {
	if row == "" {
		for _, a := range []string{proxmox.PausedAnnotation, proxmox.PausedByAnnotation, proxmox.PausedForAnnotation} {
			delete(m.Annotations, a)
		}

		return
	}

	annotate(m, proxmox.PausedAnnotation, "true")
	annotate(m, proxmox.PausedByAnnotation, row)
	annotate(m, proxmox.PausedForAnnotation, purpose())
}

// purpose identifies the state in which a resource is paused: the whole claim, and the manifest rendered from it.
func (w writer) purpose(forProvider any) string {
	b, err := json.Marshal(forProvider)
	if err != nil {
		return ""
	}

	return w.r.Machine.Identity.Hash("pause", w.r.Intent, string(b))
}
