package lifecycle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A DrainState is how far the drain of a VM's Node has come, as the value of [proxmox.DrainAnnotation] says it.
type DrainState string

// The states.
const (
	// DrainNone: the function has not cordoned the Node, or has uncordoned it.
	DrainNone DrainState = "None"
	// DrainRunning: a Job cordons the Node and evicts its pods.
	DrainRunning DrainState = "Draining"
	// DrainDone: the Job has ended well; the Node stays cordoned.
	DrainDone DrainState = "Drained"
	// DrainUnfinished: the Job has failed, or was not in time, or nobody waits for it any more. The Node may be cordoned.
	DrainUnfinished DrainState = "Unfinished"
	// DrainUncordoning: a Job uncordons the Node.
	DrainUncordoning DrainState = "Uncordoning"
	// DrainUncordonFailed: that Job has failed.
	DrainUncordonFailed DrainState = "UncordonFailed"
)

// drained says whether a state keeps pods off the Node.
func (s DrainState) drained() bool { return s == DrainDone || s == DrainUnfinished }

// A Cordon says whose the cordon of a Node is that the function drains.
type Cordon string

// The cordons.
const (
	CordonOurs Cordon = ""
	// CordonBefore: somebody had cordoned the Node before it was drained, so it stays cordoned.
	CordonBefore Cordon = "cordoned-before"
)

// beforeWord begins the word of [DrainMemory.Before].
const beforeWord = "before-"

// A DrainMemory is what a VM remembers of the drains of its Node.
type DrainMemory struct {
	Attempt int // Of all Jobs that were begun.
	State   DrainState
	Cordon  Cordon
	// Before is the resourceVersion of the Node that was known when the Job that uncordons it was begun, where the Node is read now and then: it may be from
	// before the drain, and whatever is read since is not. Empty where a Node is read in each call.
	Before  string
	Trigger string // The value of spec.lifecycle.drain that was followed.
}

// String is the value of [proxmox.DrainAnnotation]; empty where no Job was ever begun.
func (m DrainMemory) String() string {
	if m.Attempt == 0 {
		return ""
	}

	words := []string{strconv.Itoa(m.Attempt), string(m.State)}
	if m.Cordon != CordonOurs {
		words = append(words, string(m.Cordon))
	}

	if m.Before != "" {
		words = append(words, beforeWord+m.Before)
	}

	return strings.Join(words, " ")
}

// ReadDrain reads what a VM remembers of the drains of its Node. What somebody broke is as good as nothing.
func ReadDrain(vm proxmox.ObservedVM) DrainMemory {
	out := DrainMemory{State: DrainNone, Trigger: vm.Metadata.Annotations[proxmox.DrainTriggerAnnotation]}

	words := strings.Fields(vm.Metadata.Annotations[proxmox.DrainAnnotation])
	if len(words) < 2 {
		return out
	}

	attempt, err := strconv.Atoi(words[0])
	known := []DrainState{DrainNone, DrainRunning, DrainDone, DrainUnfinished, DrainUncordoning, DrainUncordonFailed}

	if err != nil || attempt < 1 || !slices.Contains(known, DrainState(words[1])) {
		return out
	}

	out.Attempt, out.State = attempt, DrainState(words[1])

	for _, w := range words[2:] {
		if w == string(CordonBefore) {
			out.Cordon = CordonBefore
		} else if version, ok := strings.CutPrefix(w, beforeWord); ok {
			out.Before = version
		}
	}

	return out
}

// isDraining says whether a Job drains the Node of a VM.
func isDraining(vm proxmox.ObservedVM) bool { return ReadDrain(vm).State == DrainRunning }
