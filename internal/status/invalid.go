package status

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Limits of a message about a spec: a claim with a thousand faults still has a condition that can be read.
const (
	maxFaults     = 20
	maxFaultRunes = 500
	maxFaultBytes = message.MaxBytes - 256 // The rest is for the sentence around them.
)

// Invalid is the one condition of a run whose spec was not understood: ValidationFailed where a fault is the claim's, and
// ConfigurationError where all of them are somewhere else, for instance in the catalogue. Every fault is named, with its
// path, once, in the order of the list.
func Invalid(errs field.ErrorList) Condition {
	reason := ReasonConfigurationError

	faults := make([]string, 0, len(errs))

	for _, err := range errs {
		if isClaimPath(err.Field) {
			reason = ReasonValidationFailed
		}

		if text := cut(err.Error()); !slices.Contains(faults, text) {
			faults = append(faults, text)
		}
	}

	return specInvalid(reason, faults)
}

// Failed is the one condition of a run that failed for another reason than the claim: the catalogue or the Composition's
// Input is wrong.
func Failed(err error) Condition {
	var faults []string
	if err != nil {
		faults = []string{cut(err.Error())}
	}

	return specInvalid(ReasonConfigurationError, faults)
}

func specInvalid(reason string, faults []string) Condition {
	message := "The spec is invalid; the machine does not change."

	if len(faults) > 0 {
		message = "The machine does not change until this is corrected: " + strings.Join(limited(faults), "; ")
	}

	return Condition{Type: TypeSpecValid, Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

// limited are as many faults as one can read, and as fit into a message as it is shown.
func limited(faults []string) []string {
	n, size := 0, 0

	for n < min(len(faults), maxFaults) {
		if size += len("; ") + len(message.Text(faults[n])); size > maxFaultBytes && n > 0 {
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
