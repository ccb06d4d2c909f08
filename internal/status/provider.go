package status

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Conditions of managed resources.
const (
	managedReady   = "Ready"
	managedSynced  = "Synced"
	reasonDeleting = "Deleting"
	reasonPaused   = "ReconcilePaused"
)

// A finding is an error that the provider reports of a managed resource.
type finding struct {
	row diagnose.Row

	name       string // Of the composed resource.
	kind       string
	apiVersion string
}

// findings are the errors that the provider reports, the VMs' first, then by kind and name. class is the class of error
// that was reported before, NoError where there was none.
func findings(in Input, class string) []finding {
	return slices.Concat(
		findingsOf(in, in.State.VMs, proxmox.VMKind, class),
		findingsOf(in, in.State.Files, proxmox.FileKind, class),
		findingsOf(in, in.State.DownloadFiles, proxmox.DownloadFileKind, class),
	)
}

func findingsOf[P, S any](in Input, observed map[string]proxmox.Observed[P, S], kind, class string) []finding {
	var out []finding

	for _, name := range slices.Sorted(maps.Keys(observed)) {
		o := observed[name]
		if r, wrong := told(in, o, name, class); wrong {
			out = append(out, finding{row: r, name: name, kind: kind, apiVersion: o.APIVersion})
		}
	}

	return out
}

// told is what is wrong with a managed resource, where it is as it is rendered now: paused for an error from this call on,
// or, where its claim changed, from this call on no more.
func told[P, S any](in Input, o proxmox.Observed[P, S], name, class string) (diagnose.Row, bool) {
	r, wrong := diagnose.Of(o, class)

	if by, ok := in.Paused[name]; ok {
		if named, ok := diagnose.Named(by); ok {
			r = named
		}

		r.Paused = true

		return r, true
	}

	if in.Desired.Has(name) && r.Paused {
		return diagnose.Row{}, false
	}

	return r, wrong
}

func isFalse(c proxmox.Condition) bool { return c.Status == "False" }

// pausedUntil goes with an error for which a managed resource is paused. While a composite is deleted nobody renders it, so
// an annotation that is taken off then stays off.
const pausedUntil = " Retrying does not help, so the function paused this resource until you edit the claim (a new value in spec.lifecycle.retry " +
	"is enough). To delete this machine: delete the claim first, then remove the pause annotation: " +
	"`kubectl annotate <resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> crossplane.io/paused-`."

// providerHealthy is the condition on what the provider reports. Errors that a person must see to come first, and give
// the reason; what is to be said of several resources is said once.
func (s reporter) providerHealthy() Condition {
	if len(s.findings) == 0 {
		return s.noFinding()
	}

	sorted := urgentFirst(s.findings)
	affected := map[string][]finding{}

	var texts []string

	for _, f := range sorted {
		text := s.said(f)
		if affected[text] == nil {
			texts = append(texts, text)
		}

		affected[text] = append(affected[text], f)
	}

	for i, text := range texts {
		texts[i] = names(affected[text]) + ": " + text
	}

	return Condition{Type: TypeProviderHealthy, Status: status(false), Reason: sorted[0].row.Class, Message: strings.Join(texts, " ")}
}

// said is what a person is told of an error.
func (s reporter) said(f finding) string {
	out := f.row.Meaning + " " + f.row.Remedy

	switch {
	case f.row.Paused:
		out += pausedUntil
	case f.row.Retryable:
		out += " The provider retries automatically."
	}

	return s.fill(out, f)
}

// noFinding is the condition where no error is known. Whether one is cured is not known before the provider has tried again.
func (s reporter) noFinding() Condition {
	again := slices.Concat(
		allResumed(s.in, s.in.State.VMs), allResumed(s.in, s.in.State.Files), allResumed(s.in, s.in.State.DownloadFiles),
	)
	if len(again) > 0 {
		return Condition{
			Type: TypeProviderHealthy, Status: metav1.ConditionUnknown, Reason: ReasonWaitingForProvider,
			Message: "The pause was lifted, and the provider has not retried yet: " + strings.Join(again, ", ") + ".",
		}
	}

	return Condition{Type: TypeProviderHealthy, Status: status(true), Reason: ReasonNoError, Message: "The provider reports no error."}
}

func allResumed[P, S any](in Input, observed map[string]proxmox.Observed[P, S]) []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(observed)) {
		if resumed(in, observed[name], name) {
			out = append(out, name)
		}
	}

	return out
}

// resumed says whether a managed resource was paused, and is so no more from this call on, or from an earlier one that the
// provider has not noticed yet.
func resumed[P, S any](in Input, o proxmox.Observed[P, S], name string) bool {
	_, paused := in.Paused[name]

	return in.Desired.Has(name) && !paused && o.Condition(managedSynced).Reason == reasonPaused
}

// fill puts the machine's own names into a text of the table. What is not known stays as it is.
func (s reporter) fill(text string, f finding) string {
	m := s.in.Machine
	// An option of kubectl says the namespace where the managed resources are in it.
	if m.Identity.Namespace == "" || namespaced(f) {
		text = strings.ReplaceAll(text, ",homelab.io/namespace=<namespace>", "")
	}

	known := map[string]string{
		"<node>": m.Placement.Node, "<site>": m.Placement.Site, "<image>": m.Boot.Image, "<machine>": m.Identity.Name,
		"<namespace>": m.Identity.Namespace,
		"<resource>":  resource(f, m.Identity),
	}

	if id := s.numberOf(f.name); id != 0 {
		known["<vmId>"] = strconv.FormatInt(id, 10)
	}

	if node := s.nodeOf(f.name); node != "" {
		known["<node>"] = node
	}

	for _, placeholder := range slices.Sorted(maps.Keys(known)) {
		if known[placeholder] != "" {
			text = strings.ReplaceAll(text, placeholder, known[placeholder])
		}
	}

	return text
}

// resource is a kind of managed resource as kubectl takes it. The group has to be there: the kinds of the provider's
// flavours have the same names.
func resource(f finding, id machine.Identity) string {
	out := strings.ToLower(f.kind) + "s." + group(f)

	if namespaced(f) && id.Namespace != "" {
		out += " -n " + id.Namespace
	}

	return out
}

// namespaced says whether the managed resource is in its claim's namespace.
func namespaced(f finding) bool { return strings.HasSuffix(group(f), ".m.crossplane.io") }

// group of the managed resource's kind.
func group(f finding) string {
	out, _, _ := strings.Cut(f.apiVersion, "/")

	return out
}

// urgentFirst puts what does not pass by itself before what may.
func urgentFirst(all []finding) []finding {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b finding) int { return cmp.Compare(urgency(a), urgency(b)) })

	return out
}

func urgency(f finding) int {
	if f.row.Retryable {
		return 1
	}

	return 0
}

// names of resources, those of one kind together.
func names(all []finding) string {
	var kinds, out []string

	byKind := map[string][]string{}

	for _, f := range all {
		if byKind[f.kind] == nil {
			kinds = append(kinds, f.kind)
		}

		byKind[f.kind] = append(byKind[f.kind], f.name)
	}

	for _, kind := range kinds {
		out = append(out, strings.Join(byKind[kind], ", ")+" ("+kind+")")
	}

	return strings.Join(out, ", ")
}

// blocking are the errors that keep the VM from being as it should: its own, and, before it is made, those of what it is
// to be made from. Where it is stopped to make way for another VM, that one's are as bad.
func (s reporter) blocking() []finding {
	return slices.DeleteFunc(slices.Clone(s.findings), func(f finding) bool {
		switch {
		case f.name == s.name, !s.made && s.in.Desired.Has(f.name):
			return false
		case s.stoppedForReplacement():
			return f.name != s.replacing().New
		}

		return true
	})
}

// failing says whether the provider reports an error of a managed resource. Between two tries of an update that fails, the
// resource is found and synced all the same.
func (s reporter) failing(name string) bool {
	return slices.ContainsFunc(s.findings, func(f finding) bool { return f.name == name })
}
