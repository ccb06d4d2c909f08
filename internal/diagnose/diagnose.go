package diagnose

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/memo"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Of returns the error of a managed resource, if it has one. class is the class of error that the machine reported before:
// ClassNoError, or empty, if there was none.
//
// Condition LastAsyncOperation is the result of the last finished operation. It stays False long after a recovery, so Of
// reads it only if the resource is not synced or not ready. While the provider retries, Synced is True, and the error would
// disappear and come back with every attempt: so Of keeps reporting the last error until the new attempt has finished.
func Of[P, S any](o proxmox.Observed[P, S], class string) (Row, bool) {
	synced, last := o.Condition(proxmox.ConditionSynced), o.Condition(proxmox.ConditionLastAsync)

	switch {
	case o.ObserveOnly() && o.Metadata.Reserves():
		return Row{}, false // It reserves an address, and the provider is not to touch it.
	case proxmox.IsPaused(o.Metadata.Annotations):
		return pausedRow(o), true
	case synced.IsFalse() && synced.Reason == proxmox.ReasonPaused: // The pause is lifted, and the provider has not polled the resource yet.
		return Row{}, false
	case synced.IsFalse():
		r := explain(o)
		return r, r.Class != ClassNoError && !answersVMIDCheck(o, r)
	case o.ObserveOnly(): // An observe-only resource has no operations.
		return Row{}, false
	case last.IsFalse() && o.Condition(proxmox.ConditionReady).IsFalse():
		r := match(last.Message, "")
		return r, r.Class != ClassNoError
	case last.IsFalse() && o.Working():
		r := match(last.Message, "")
		return r, r.Class == class && class != ClassNoError
	}

	return Row{}, false
}

// OnSilentNode says whether the Proxmox node that a managed resource is on does not answer. The provider would try for as long as it is away to delete what
// is there, and nobody could take the deletion back.
func OnSilentNode[P, S any](o proxmox.Observed[P, S]) bool {
	row, fails := Of(o, ClassNodeUnhealthy)

	return fails && row.Class == ClassNodeUnhealthy
}

// NodeAway says whether Proxmox does not reach the node that a managed resource is on. Its HA manager recovers what it manages there, unless it was
// told to ignore it.
func NodeAway[P, S any](o proxmox.Observed[P, S]) bool {
	row, fails := Of(o, ClassNodeUnhealthy)

	return fails && row.Name == "node.offline"
}

// Pauses reports whether the function should pause a managed resource because of its error, and names the error's row. An
// error of an earlier generation does not count, because the current generation may fix it. (Failed operations have no
// generation, so a caller that is about to write another generation must not pause for them.) A resource that is being
// deleted is never paused, because a paused resource cannot be deleted.
func Pauses[P, S any](o proxmox.Observed[P, S]) (row string, ok bool) {
	synced := o.Condition(proxmox.ConditionSynced)
	if !synced.IsFalse() || synced.Reason != proxmox.ReasonError || !o.Fresh(proxmox.ConditionSynced) || o.Metadata.DeletionTimestamp != "" {
		return "", false
	}

	r := explain(o)
	if !r.Pauses {
		return "", false
	}

	return r.Name, true
}

// NoLongerPauses reports whether an earlier release of the function paused resources for a row, and this release does not. A
// row that this release does not know stays a reason to pause, because nobody knows whether the error passes.
func NoLongerPauses(row string) bool {
	r, ok := Named(row)

	return ok && !r.Pauses
}

// CutOff reports whether the provider was stopped while it created the resource, and refuses to continue because it cannot
// tell whether the creation succeeded.
func CutOff[P, S any](o proxmox.Observed[P, S]) bool {
	return o.Condition(proxmox.ConditionSynced).IsFalse() && explain(o).Name == rowCutOff
}

// VMIDTaken reports whether the provider could not create a VM because another one has its VMID. Only a clone fails so.
func VMIDTaken(vm proxmox.ObservedVM) bool {
	row, _ := Pauses(vm)

	return row == rowVMIDTaken
}

// VMIDOfContainer reports whether Proxmox refused to create a VM because a container has its VMID, or something else that is no VM: a check finds none. The
// message names the number, so that it is not that of a creation before. A pause for it is over with the next edit of the VM.
func VMIDOfContainer(vm proxmox.ObservedVM) bool {
	if proxmox.IsPaused(vm.Metadata.Annotations) {
		return vm.Metadata.Annotations[proxmox.PausedByAnnotation] == rowVMIDOther
	}

	row, _ := Pauses(vm)
	said, id := vm.Condition(proxmox.ConditionSynced).Message, proxmox.VMIDOf(vm)

	names := func(form string) bool { return strings.Contains(said, fmt.Sprintf(form, id)) }

	return row == rowVMIDOther && (names("qemu-server/%d.conf'") || names("CT %d already exists"))
}

// explain returns the row of a resource that is not synced.
func explain[P, S any](o proxmox.Observed[P, S]) Row {
	synced, last := o.Condition(proxmox.ConditionSynced), o.Condition(proxmox.ConditionLastAsync)

	after := ""
	if last.IsFalse() {
		after = last.Message
	}

	return match(synced.Reason+": "+synced.Message, after)
}

// mostMatches of messages are remembered at once.
const mostMatches = 256

// matches are the rows of the messages that calls had before, by their checksum, because a message may be long and echo secrets: what is broken says the same
// once a minute, and the table has a hundred patterns.
var matches = memo.New[[sha256.Size]byte, Row](mostMatches) //nolint:gochecknoglobals // The messages decide the row.

// match returns the first row of the table that matches a message. It never returns the message itself.
func match(text, after string) Row {
	key := sha256.Sum256([]byte(strconv.Itoa(len(text)) + " " + text + after))

	row, _ := matches.Of(key, func() (Row, error) {
		for _, r := range rows {
			if r.text.MatchString(text) && (r.after == nil || r.after.MatchString(after)) {
				return specific(r, text, after), nil
			}
		}

		return other, nil
	})

	return row
}

// pausedRow returns the reason of a pause: the error for which the function paused the resource, or a pause by a person.
func pausedRow[P, S any](o proxmox.Observed[P, S]) Row {
	by := o.Metadata.Annotations[proxmox.PausedByAnnotation]
	if by == "" {
		r, _ := Named(rowPaused)
		return r
	}

	r, ok := Named(by)
	if !ok { // Another release of the function, with other rows, paused the resource.
		r = other
	}

	r.Paused, r.Retryable = true, false

	return r
}

// answersVMIDCheck reports whether an error is the result of a VMID check, or of a look whether a VM is in HA, and so not an error. The provider reports it for
// observe-only resources; on other resources it is left over from an earlier check.
func answersVMIDCheck[P, S any](o proxmox.Observed[P, S], r Row) bool {
	return (r.Name == rowNothingThere || r.Name == rowSilent) && (o.Kind == proxmox.VMKind || o.Kind == proxmox.HAResourceKind || !o.ObserveOnly())
}
