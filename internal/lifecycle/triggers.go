package lifecycle

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A trigger is the value of spec.lifecycle.replace or spec.lifecycle.reboot: any text, for instance a date. A value that
// a VM has not seen yet starts what it stands for, once; values that it has seen, and none, start nothing.

// Asks says whether a trigger starts something: it is there, and was not seen before.
func Asks(trigger string, seen []string) bool {
	return trigger != "" && !slices.Contains(seen, trigger)
}

// with adds a trigger to those that were seen.
func with(seen []string, trigger string) []string {
	if !Asks(trigger, seen) {
		return seen
	}

	return append(slices.Clone(seen), trigger)
}

// ReadTriggers reads the list of triggers that an annotation of a VM remembers.
func ReadTriggers(vm proxmox.ObservedVM, annotation string) []string {
	list := vm.Metadata.Annotations[annotation]
	if list == "" {
		return nil
	}

	return strings.Split(list, ",")
}

// WriteTriggers is the value of an annotation that remembers triggers.
func WriteTriggers(triggers []string) string { return strings.Join(triggers, ",") }

// replaceTriggers are the values of spec.lifecycle.replace that led to a VM, the last one its own.
func replaceTriggers(vm proxmox.ObservedVM) []string {
	return ReadTriggers(vm, proxmox.ReplaceTriggersAnnotation)
}

func last(triggers []string) string {
	if len(triggers) == 0 {
		return ""
	}

	return triggers[len(triggers)-1]
}
