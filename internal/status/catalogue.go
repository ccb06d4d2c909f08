package status

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// specCondition is the condition on a spec that was understood, as far as the catalogue has what it needs.
func specCondition(m *machine.Machine) Condition {
	c := Condition{Type: TypeSpecValid, Status: Truth(true), Reason: ReasonValid, Message: "The spec is valid and rendered."}

	kept, warnings := m.Kept, limited(m.Warnings)
	if len(kept) == 0 {
		c.Message = message.Text(strings.Join(append([]string{c.Message}, warnings...), " "))
		return c
	}

	return KeptCondition("VM", kept, warnings)
}

// KeptCondition is the condition on a spec with names that the catalogue lacks, of which the VM, the container or the site keeps what it has.
func KeptCondition(what string, kept []machine.Kept, warnings []string) Condition {
	var (
		parts  []string
		faults field.ErrorList
	)

	for _, k := range kept {
		parts = append(parts, string(k.Part))
		faults = append(faults, k.Faults...)
	}

	head := "The " + what + " keeps its own " + strings.Join(parts, "; ") + ", because the catalogue lacks what the claim names; all other fields of the " +
		"claim take effect. "

	if len(warnings) > 0 {
		head += strings.Join(warnings, " ") + " "
	}

	return Condition{
		Type: TypeSpecValid, Status: Truth(false), Reason: ReasonCatalogueEntryMissing,
		Message: message.List(head+"Correct the catalogue or the claim:", limited(linesOf(faults))),
	}
}

// WarningEvents are those of the warnings that the condition on the spec did not have before.
func WarningEvents(warnings []string, was []metav1.Condition) []Event {
	var out []Event

	before := meta.FindStatusCondition(was, TypeSpecValid)

	for _, w := range limited(warnings) {
		if before == nil || !strings.Contains(before.Message, w) {
			out = append(out, Event{Warning: true, Reason: EventSpecWarning, Message: w})
		}
	}

	return out
}

// KeptFields are the fields of a spec that name the entries which the catalogue lacks.
func KeptFields(kept []machine.Kept) []string {
	var out []string

	for _, k := range kept {
		switch k.Part {
		case machine.PartSize:
			out = append(out, "class")
		case machine.PartImage:
			out = append(out, "image")
		case machine.PartSite, machine.PartStorage, machine.PartBridge, machine.PartProvider:
			out = append(out, "proxmox")
		case machine.PartSubnet:
			out = append(out, "network")
		case machine.PartCluster, machine.PartToken:
			out = append(out, "k3s")
		case machine.PartFirewall:
			out = append(out, "firewall")
		case machine.PartAccess:
		}
	}

	return out
}
