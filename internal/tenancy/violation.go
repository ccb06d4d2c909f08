package tenancy

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Violation is one thing that a claim asks for and its tenant may not have.
type Violation struct {
	// Fault has the path of the rule in its Origin, and the value of what is forbidden.
	Fault *field.Error
	// rule and value tell a violation from others, whatever its words are.
	rule, value string
	// amount of what may shrink; 0 where nothing is counted.
	amount int64
}

func violation(rule, value string, key *field.Path, fault *field.Error) Violation {
	return Violation{Fault: fault.WithOrigin(key.String()), rule: rule, value: value}
}

// withValue is a fault whose text does not say its value.
func withValue(fault *field.Error, value string) *field.Error {
	fault.BadValue = message.Excerpt(value)

	return fault
}

// Beyond are the violations that are not in a list of earlier ones. What was too large before may be smaller now, and too large still.
func Beyond(now, before []Violation) (out field.ErrorList) {
	had := map[[2]string]int64{}
	for _, v := range before {
		had[[2]string{v.rule, v.value}] = v.amount
	}

	for _, v := range now {
		if amount, is := had[[2]string{v.rule, v.value}]; !is || v.amount > amount {
			out = append(out, v.Fault)
		}
	}

	return out
}
