package status

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// pausedUntil goes with an error for which a managed resource is paused. While a composite is deleted nobody renders it, so
// an annotation that is taken off then stays off.
const pausedUntil = " Retrying does not help, so the function paused this resource until you edit the claim (a new value in spec.lifecycle.retry " +
	"is enough). To delete this machine: delete the claim first, then remove the pause annotation: " +
	"`kubectl annotate <resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> crossplane.io/paused-`."

// providerErrors are what the provider reports of the machine's managed resources.
type providerErrors struct {
	plan    *lifecycle.Plan
	desired proxmox.Desired
	state   proxmox.State
	paused  map[string]string // By composed resource name, the row of the error for which this call pauses it.
	vm      *activeVM
	found   []Finding
}

// condition is the condition on what the provider reports.
func (e *providerErrors) condition() Condition {
	if len(e.found) == 0 {
		return e.noFinding()
	}

	c := unhealthy(e.found, e.said)
	c.Message += e.lastSeen()

	return c
}

// lastSeen says that the VM ran when the provider last read it: an error of the provider stops no VM, and that is the first thing that people ask.
func (e *providerErrors) lastSeen() string {
	if !e.vm.made || !e.vm.seen.Status.AtProvider.Started {
		return ""
	}

	return " " + e.vm.title() + " ran when the provider last read it."
}

// said is what a person is told of an error.
func (e *providerErrors) said(f Finding) string {
	out := f.Row.Meaning + " " + f.Row.Remedy

	switch {
	case f.Row.Paused:
		out += pausedUntil
	case retried(f.Row):
		out += retries
	}

	return e.vm.fill(out, f)
}

// noFinding is the condition where no error is known. Whether one is cured is not known before the provider has tried again.
func (e *providerErrors) noFinding() Condition {
	again := slices.Concat(
		allResumed(e, e.state.VMs), allResumed(e, e.state.Files), allResumed(e, e.state.DownloadFiles), allResumed(e, e.state.HAResources),
		allResumed(e, e.state.Firewalls.Options), allResumed(e, e.state.Firewalls.Rules),
	)
	if len(again) > 0 {
		return Condition{
			Type: TypeProviderHealthy, Status: metav1.ConditionUnknown, Reason: ReasonWaitingForProvider,
			Message: "The pause was lifted, and the provider has not retried yet: " + strings.Join(again, ", ") + ".",
		}
	}

	return healthy()
}

func allResumed[P, S any](e *providerErrors, observed map[string]proxmox.Observed[P, S]) []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(observed)) {
		if resumed(e, observed[name], name) {
			out = append(out, name)
		}
	}

	return out
}

// names of resources, those of one kind together.
func names(all []Finding) string {
	var kinds, out []string

	byKind := map[string][]string{}

	for _, f := range all {
		if byKind[f.Kind] == nil {
			kinds = append(kinds, f.Kind)
		}

		byKind[f.Kind] = append(byKind[f.Kind], f.Name)
	}

	for _, kind := range kinds {
		out = append(out, strings.Join(byKind[kind], ", ")+" ("+kind+")")
	}

	return strings.Join(out, ", ")
}

// blocking are the errors that keep the VM from being as it should: its own, and, before it is made, those of what it is
// to be made from. Where it is stopped for the VM that replaces it, those of that VM are as bad.
func (e *providerErrors) blocking() []Finding {
	return slices.DeleteFunc(slices.Clone(e.found), func(f Finding) bool {
		switch {
		case f.Name == e.vm.name, !e.vm.made && e.desired.Has(f.Name):
			return false
		case e.vm.stoppedForReplacement():
			return f.Name != replacing(e.plan).New
		}

		return true
	})
}

// has says whether the provider reports an error of a managed resource. Between two tries of an update that fails, the
// resource is found and synced all the same.
func (e *providerErrors) has(name string) bool {
	return slices.ContainsFunc(e.found, func(f Finding) bool { return f.Name == name })
}

// failedToWrite says whether the VM has an error of something that was to be written.
func (e *providerErrors) failedToWrite() bool {
	return e.vm.seen.WriteFailed() && slices.ContainsFunc(e.found, func(f Finding) bool { return f.Name == e.vm.name })
}
