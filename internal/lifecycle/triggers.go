package lifecycle

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

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
