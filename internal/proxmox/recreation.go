package proxmox

import "time"

// A Recreation says whether the provider creates a VM again that was there before: it does so if it no longer finds the VM, for
// instance because a person deleted it in Proxmox. Name, notes and UUID are the same then; the disks are not.
type Recreation string

// What can be known of a recreation.
const (
	// RecreationNone: the VM is the one that it was.
	RecreationNone Recreation = "None"
	// RecreationUnderWay: the provider is creating the VM again, and has not found it yet.
	RecreationUnderWay Recreation = "UnderWay"
	// RecreationDone: the provider has created the VM again.
	RecreationDone Recreation = "Done"
)

// Recreating is the value of [CreatedAnnotation] while the provider creates a VM again. It names no creation: the provider marks
// each attempt, and a changed annotation makes it try again at once.
const Recreating = "again"

// RecreationOf a VM that exists. The evidence is the provider's mark of the creation, which the function noted when it first saw the
// VM; an adopted VM has none. Of a VM from a release that noted no mark, only a creation that is still under way shows.
func RecreationOf(vm ObservedVM) Recreation {
	_, creating := vm.Metadata.Annotations[CreatingAnnotation]
	mark, ready := CreationMark(vm), vm.Condition(ConditionReady)

	noted := vm.Metadata.Annotations[CreatedAnnotation]
	if noted == "" && vm.Metadata.Annotations[AdoptedAnnotation] != "" {
		noted = neverCreated
	}

	// A mark without a creation is left behind if the provider was stopped before it created anything. Each attempt has a mark of its
	// own, so once a creation was seen, its time does not count any more.
	since := noted == Recreating || !before(ready.LastTransitionTime, mark)

	switch {
	case creating || vm.ObserveOnly() || mark == neverCreated || noted == mark || !since:
		return RecreationNone
	case noted == "" && (ready.Reason != ReasonCreating || vm.Status.AtProvider.ID == ""):
		return RecreationNone
	case ready.IsTrue():
		return RecreationDone
	case ready.Reason == ReasonCreating:
		return RecreationUnderWay
	}

	return RecreationNone
}

// before says whether one time was before another. Nobody can tell of what is no time.
func before(a, b string) bool {
	first, err := time.Parse(time.RFC3339, a)
	if err != nil {
		return false
	}

	second, err := time.Parse(time.RFC3339, b)

	return err == nil && first.Before(second)
}
