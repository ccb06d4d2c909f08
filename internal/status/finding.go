package status

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Finding is an error that the provider reports of a managed resource.
type Finding struct {
	Row diagnose.Row

	Name       string // Of the composed resource.
	Kind       string
	APIVersion string
	// Node is the Proxmox node that the managed resource is written for; empty for none.
	Node string
}

// Findings are the errors that the provider reports of managed resources of a kind, by name. isNone says which of them are no errors; nil for none.
func Findings[P, S any](observed map[string]proxmox.Observed[P, S], kind string, isNone func(proxmox.Observed[P, S]) bool) []Finding {
	var out []Finding

	for _, name := range slices.Sorted(maps.Keys(observed)) {
		o := observed[name]
		if r, wrong := diagnose.Of(o, ""); wrong && (isNone == nil || !isNone(o)) {
			out = append(out, Finding{Row: r, Name: name, Kind: cmp.Or(kind, o.Kind), APIVersion: o.APIVersion, Node: proxmox.NodeOf(o)})
		}
	}

	return out
}

// ProviderHealthy is the condition on what the provider reports of the managed resources of a container or a site: each error by itself, those that a person
// must see to first. known has the values of placeholders, beside those that every claim has.
func ProviderHealthy(found []Finding, id machine.Identity, known func(Finding) map[string]string) Condition {
	if len(found) == 0 {
		return healthy()
	}

	return unhealthy(found, func(f Finding) string {
		text := f.Row.Meaning + " " + f.Row.Remedy
		if retried(f.Row) {
			text += retries
		}

		return fill(text, f, id, known(f))
	})
}

// unhealthy is the condition where the provider reports errors: those that a person must see to come first, and give the reason; what is to be said of
// several resources is said once.
func unhealthy(found []Finding, said func(Finding) string) Condition {
	sorted := urgentFirst(found)
	affected := map[string][]Finding{}

	var texts []string

	for _, f := range sorted {
		text := said(f)
		if affected[text] == nil {
			texts = append(texts, text)
		}

		affected[text] = append(affected[text], f)
	}

	for i, text := range texts {
		texts[i] = names(affected[text]) + ": " + text
	}

	return Condition{Type: TypeProviderHealthy, Status: Truth(false), Reason: sorted[0].Row.Class, Message: strings.Join(texts, " ")}
}

// retried says whether the provider tries again by itself: it does not while a person has paused the managed resource, which may end without an edit, too.
func retried(r diagnose.Row) bool { return r.Retryable && r.Class != diagnose.ClassPaused }

// retries goes with an error that may pass by itself.
const retries = " The provider retries automatically."

// healthy is the condition where the provider reports none.
func healthy() Condition {
	return Condition{Type: TypeProviderHealthy, Status: Truth(true), Reason: ReasonNoError, Message: "The provider reports no error."}
}

// urgentFirst puts what does not pass by itself before what may.
func urgentFirst(all []Finding) []Finding {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(urgency(a), urgency(b)) })

	return out
}

func urgency(f Finding) int {
	if f.Row.Retryable {
		return 1
	}

	return 0
}
