package status

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Limits of a message about a spec: a claim with a thousand faults still has a condition that can be read.
const (
	maxFaults     = 20
	maxFaultRunes = 500
	maxFaultBytes = message.MaxBytes - 256 // The rest is for the sentence around them.
)

// A Subject is what a spec describes.
type Subject string

// The subjects.
const (
	OfMachine Subject = "machine"
	OfCluster Subject = "cluster"
	// OfContainer is an LXC container.
	OfContainer Subject = "container"
	// OfSite are bridges, VLAN interfaces and pools of a Proxmox cluster.
	OfSite Subject = "site"
)

// Invalid is the one condition of a run whose spec was not understood: ValidationFailed where a fault is the claim's, and
// ConfigurationError where all of them are somewhere else, for instance in the catalogue. It is InsufficientCapacity where nothing is
// wrong but that no node has room for a new VM. Every fault is named, with its path, once, in the order of the list.
func (s Subject) Invalid(errs field.ErrorList) Condition {
	reason := ReasonConfigurationError

	for _, err := range errs {
		if isClaimPath(err.Field) {
			reason = ReasonValidationFailed
		}
	}

	if needsRoom(errs) {
		reason = ReasonInsufficientCapacity
	}

	c := s.specInvalid(reason, "")
	if text := s.Refusal(errs); text != "" {
		c.Message = strings.ToUpper(text[:1]) + text[1:]
	}

	return c
}

// Refusal is what a person reads of a spec with faults, in the fatal result and in the condition: one fault a line where there are several, with
// its path, once, in the order of the list. Empty without faults. Crossplane writes some words in front of it, on the same line.
func (s Subject) Refusal(errs field.ErrorList) string {
	faults := linesOf(errs)

	switch {
	case needsRoom(errs):
		guest := "VM"
		if s == OfContainer {
			guest = "container"
		}

		return message.Text("no " + guest + " is created until a node has room for it: " + errs[0].Detail)
	case len(faults) == 0:
		return ""
	case len(faults) == 1:
		// On the same line, since `kubectl get events` shows no further one.
		return message.Text("the " + string(s) + " does not change until this is corrected: " + faults[0])
	default:
		return message.List(fmt.Sprintf("the %s does not change until these %d faults are corrected:", s, len(faults)), limited(faults))
	}
}

// Refused is what a person reads of faults in a spec whose other parts take effect. Empty without faults.
func (s Subject) Refused(errs field.ErrorList) string {
	switch faults := linesOf(errs); len(faults) {
	case 0:
		return ""
	case 1:
		return message.Text("This part of the " + string(s) + "'s claim is refused, and the rest takes effect: " + faults[0] + ".")
	default:
		return message.List("These parts of the "+string(s)+"'s claim are refused, and the rest takes effect:", limited(faults))
	}
}

// RefusedInOneLine is [Subject.Refused] among other sentences: it leaves several faults to the condition that names them.
func (s Subject) RefusedInOneLine(errs field.ErrorList) string {
	if faults := linesOf(errs); len(faults) > 1 {
		return fmt.Sprintf("%d parts of the %s's claim are refused, and the rest takes effect: condition %s names them.", len(faults), s, TypeSpecValid)
	}

	return s.Refused(errs)
}

// needsRoom says whether nothing is wrong with a spec but that no node has room for its VM.
func needsRoom(errs field.ErrorList) bool {
	return len(errs) == 1 && errs[0].Origin == resolve.OriginCapacity
}

// linesOf faults: each on a line, once.
func linesOf(errs field.ErrorList) []string {
	out := make([]string, 0, len(errs))

	for _, err := range errs {
		if text := cut(err.Field + ": " + message.Fault(err)); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}

	return out
}

// Failed is the one condition of a run that failed for another reason than the claim: the catalogue or the Composition's
// Input is wrong.
func (s Subject) Failed(err error) Condition {
	if err == nil {
		return s.specInvalid(ReasonConfigurationError, "")
	}

	return s.specInvalid(ReasonConfigurationError, message.Text(cut(err.Error())))
}

func (s Subject) specInvalid(reason, fault string) Condition {
	text := "The spec is invalid; the " + string(s) + " does not change."

	if fault != "" {
		text = "The " + string(s) + " does not change until this is corrected: " + fault
	}

	return Condition{Type: TypeSpecValid, Status: metav1.ConditionFalse, Reason: reason, Message: text}
}

// limited are as many faults as one can read, and as fit into a message as it is shown.
func limited(faults []string) []string {
	n, size := 0, 0

	for n < min(len(faults), maxFaults) {
		if size += len("\n  ") + len(message.Text(faults[n])); size > maxFaultBytes && n > 0 {
			break
		}

		n++
	}

	if more := len(faults) - n; more > 0 {
		return append(faults[:n:n], fmt.Sprintf("and %d more", more))
	}

	return faults
}

// isClaimPath says whether a path is one that a person typed into a claim.
func isClaimPath(path string) bool {
	first, _, _ := strings.Cut(path, ".")
	first, _, _ = strings.Cut(first, "[")

	return first == "spec" || first == "metadata"
}

func cut(text string) string {
	if utf8.RuneCountInString(text) <= maxFaultRunes {
		return text
	}

	return string([]rune(text)[:maxFaultRunes]) + "..."
}
