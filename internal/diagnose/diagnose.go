package diagnose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Conditions of managed resources, and their reasons.
const (
	conditionReady     = "Ready"
	conditionSynced    = "Synced"
	conditionAsync     = "AsyncOperation"
	conditionLastAsync = "LastAsyncOperation"

	reasonError   = "ReconcileError"
	reasonPaused  = "ReconcilePaused"
	reasonOngoing = "Ongoing"
)

// Of finds out what is wrong with a managed resource, if anything is. class is the class of error that was reported of the
// machine before, ClassNoError or nothing where there was none.
//
// LastAsyncOperation is the outcome of the last operation that ended. It stays False long after all is well, so it is read
// only where the resource is not synced or not ready. While the provider tries again, though, Synced is True, and an
// error would come and go with every try: what was said of the last one holds until the new one has ended.
func Of[P, S any](o proxmox.Observed[P, S], class string) (Row, bool) {
	synced, last := o.Condition(conditionSynced), o.Condition(conditionLastAsync)

	switch {
	case paused(o):
		return pausedRow(o), true
	case isFalse(synced) && synced.Reason == reasonPaused: // Nobody pauses it any more: it is about to be looked at.
		return Row{}, false
	case isFalse(synced):
		r := explain(o)
		return r, r.Class != ClassNoError && !answersLook(o, r)
	case o.ObserveOnly(): // No operation was made of it as it is.
		return Row{}, false
	case isFalse(last) && isFalse(o.Condition(conditionReady)):
		r := match(last.Message, "")
		return r, r.Class != ClassNoError
	case isFalse(last) && isFalse(o.Condition(conditionAsync)) && o.Condition(conditionAsync).Reason == reasonOngoing:
		r := match(last.Message, "")
		return r, r.Class == class && class != ClassNoError
	}

	return Row{}, false
}

// Pauses says whether a managed resource should be paused for what is wrong with it, and names the error's row. An error
// of the resource as it was written before does not count: what is written now may cure it. (Failed operations do not say
// which generation they speak of, so whoever is about to write another one must not pause for them, either.) A resource
// that is being deleted is never paused: it could not go any more.
func Pauses[P, S any](o proxmox.Observed[P, S]) (row string, ok bool) {
	synced := o.Condition(conditionSynced)
	if !isFalse(synced) || synced.Reason != reasonError || !o.Fresh(conditionSynced) || o.Metadata.DeletionTimestamp != "" {
		return "", false
	}

	r := explain(o)
	if !r.Pauses {
		return "", false
	}

	return r.Name, true
}

// CutOff says whether the provider was stopped while it made something, and refuses to go on since it cannot tell whether it
// was made.
func CutOff[P, S any](o proxmox.Observed[P, S]) bool {
	return isFalse(o.Condition(conditionSynced)) && explain(o).Name == rowCutOff
}

// explain matches the text of a resource that is not synced.
func explain[P, S any](o proxmox.Observed[P, S]) Row {
	synced, last := o.Condition(conditionSynced), o.Condition(conditionLastAsync)

	after := ""
	if isFalse(last) {
		after = last.Message
	}

	return match(synced.Reason+": "+synced.Message, after)
}

// match is the first row of the table that a text fits. The text goes no further than this.
func match(text, after string) Row {
	for _, r := range rows {
		if r.text.MatchString(text) && (r.after == nil || r.after.MatchString(after)) {
			return r
		}
	}

	return other
}

func paused[P, S any](o proxmox.Observed[P, S]) bool {
	return o.Metadata.Annotations[proxmox.PausedAnnotation] == "true"
}

// pausedRow is why a managed resource is paused: the error that it was paused for, or somebody's own reason.
func pausedRow[P, S any](o proxmox.Observed[P, S]) Row {
	by := o.Metadata.Annotations[proxmox.PausedByAnnotation]
	if by == "" {
		r, _ := Named(rowPaused)
		return r
	}

	r, ok := Named(by)
	if !ok { // A release of the function that had other rows paused it.
		r = other
	}

	r.Paused, r.Retryable = true, false

	return r
}

// answersLook says whether an error is none, since it only answers the question whether a VM is there. The provider says so
// of resources that it may only look at; elsewhere the answer is that of an earlier look.
func answersLook[P, S any](o proxmox.Observed[P, S], r Row) bool {
	return (r.Name == rowNothingThere || r.Name == rowSilent) && (o.Kind == proxmox.VMKind || !o.ObserveOnly())
}

func isFalse(c proxmox.Condition) bool { return c.Status == "False" }
