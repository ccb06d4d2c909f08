// Package change compares a VM with the VM that its claim describes, by the claim's fields, and knows for every field what
// changing it does to an existing VM. No other package knows.
package change

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

// An Effect is what a change does to a running VM.
type Effect string

// The effects of a change.
const (
	// InPlace: the change takes effect at once, and the VM keeps running.
	InPlace Effect = "InPlace"
	// Reboot: the provider writes the change at once, and it takes effect at the next power cycle.
	Reboot Effect = "Reboot"
	// Refused: an existing VM cannot have the change. Because of it, the provider would refuse all further changes, retry for
	// ever, or lose data. The VM keeps its value.
	Refused Effect = "Refused"
)

// A Change is one difference between a VM and its claim.
type Change struct {
	Field  string // As the person typed it, for instance spec.size.cores.
	Has    string // What the VM has; empty for none.
	Wanted string // What the claim says now; empty for none.
	Effect Effect
}

// AsTyped are changes with each field as the person typed it: typed has those that the table names otherwise, by the table's name.
func AsTyped(changes []Change, typed map[string]string) []Change {
	out := slices.Clone(changes)

	for i, c := range out {
		out[i].Field = cmp.Or(typed[c.Field], c.Field)
	}

	return out
}

// String is the change in one line that people read, for instance "spec.size.memory: 4 GiB to 8 GiB".
func (c Change) String() string {
	c.Has, c.Wanted = inGiB(c.Has), inGiB(c.Wanted)

	return c.Recorded()
}

// Recorded is the change as the hashes of approvals and refusals have it since the first release, for instance "spec.size.memory: 4096 MiB to 8192 MiB".
func (c Change) Recorded() string { return c.Field + ": " + orNone(c.Has) + " to " + orNone(c.Wanted) }

// binary is a size with a unit as claims have it.
var binary = regexp.MustCompile(`^([0-9]+)([GT]i)$`)

// inGiB writes a size as people read it, in GiB where it is a whole number of these; all other values stay as they are.
func inGiB(value string) string {
	if m := binary.FindStringSubmatch(value); m != nil {
		return m[1] + " " + m[2] + "B"
	}

	n, err := strconv.ParseInt(strings.TrimSuffix(value, " MiB"), 10, 64)
	if err != nil || !strings.HasSuffix(value, " MiB") {
		return value
	}

	return quantity.Words(n)
}

// Parse is the inverse of [Change.String], with sizes as people read them; false for a text that is no change in one line. An effect is not in it.
func Parse(line string) (Change, bool) {
	field, values, ok := strings.Cut(line, ": ")
	has, wanted, both := strings.Cut(values, " to ")

	return Change{Field: field, Has: noneOf(has), Wanted: noneOf(wanted)}, ok && both
}

func noneOf(v string) string {
	if v == none {
		return ""
	}

	return v
}

// none is a value that there is not.
const none = "none"

func orNone(v string) string {
	if v == "" {
		return none
	}

	return v
}
