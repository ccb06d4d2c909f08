// Package change compares what a VM has with what it is to have, field by field, in the words of a claim, and knows for
// every field what changing it does to a living VM. It is the one place that knows.
package change

// An Effect is what a change does to a VM that runs.
type Effect string

// The effects of a change.
const (
	// InPlace takes effect at once, and the VM keeps running.
	InPlace Effect = "InPlace"
	// Reboot is written at once, and takes effect when the VM is stopped and started.
	Reboot Effect = "Reboot"
	// Refused cannot be made while the VM lives: the provider would refuse all further changes for it, try for ever, or lose
	// data. The VM keeps what it has.
	Refused Effect = "Refused"
)

// A Change is one difference between a VM and its claim.
type Change struct {
	Field  string // As the person typed it, for instance spec.size.cores.
	Has    string // What the VM has; empty for none.
	Wanted string // What the claim says now; empty for none.
	Effect Effect
}

// String is the change in one line, for instance "spec.size.cores: 2 to 4".
func (c Change) String() string { return c.Field + ": " + orNone(c.Has) + " to " + orNone(c.Wanted) }

func orNone(v string) string {
	if v == "" {
		return "none"
	}

	return v
}
