package observe

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// replacementRequired is the condition on what the claim asks for and the VM cannot become.
func (s sight) replacementRequired() Condition {
	held := s.in.Rendered.Held
	if len(held) == 0 {
		return Condition{
			Type: TypeReplacementRequired, Status: status(false), Reason: ReasonNotRequired,
			Message: "The claim asks for nothing that its VM cannot become.",
		}
	}

	changes := make([]string, 0, len(held))
	for _, h := range held {
		changes = append(changes, fmt.Sprintf("%s (the VM has %s, the claim says %s)", h.Field, quote(h.Has), quote(h.Wanted)))
	}

	return Condition{
		Type: TypeReplacementRequired, Status: status(true), Reason: ReasonImmutableFieldChanged,
		Message: "The VM cannot follow these changes and keeps what it has: " + strings.Join(changes, ", ") + ". " + s.wayOut(),
	}
}

// wayOut says how to end the disagreement.
func (s sight) wayOut() string {
	out := "To take a change back, put the old value into the claim. To have it, make a new machine: " + s.newMachine() + "."

	if s.held(nodeField) {
		out += s.fill(" To another node, move the VM in Proxmox: `qm migrate <vmId> <target> --online`; the claim is in order after that.", finding{})
	}

	return out
}

// newMachine says how to replace a machine. An orphaned VM keeps its number, and a claim that is applied again would take
// it over as it is.
func (s sight) newMachine() string {
	out := "apply a claim under another name, move over, and delete this one"

	if s.in.Machine.DeletionPolicy == v1alpha1.DeletionDelete {
		out += "; or delete this claim and apply it again, which destroys the VM with its disks"
	}

	return out
}

// quote sets a value off; one that is not there is said in words.
func quote(value string) string {
	if value == "" {
		return "none"
	}

	return "`" + value + "`"
}
