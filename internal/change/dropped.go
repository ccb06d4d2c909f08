package change

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Dropped field is one that a claim said until an edit, and that a guest keeps when nothing says it any more.
type Dropped struct {
	Field string // With spec in front.
	// Next is what a guest has of it that replaces this one, as the end of a sentence; empty where none does.
	Next string
}

// pinned are fields that every guest keeps, and that the next one gets anew.
var pinned = []Dropped{ //nolint:gochecknoglobals // A constant table.
	{"spec.proxmox.vmId", "gets another one"},
	{"spec.proxmox.node", "may get another one"},
	{"spec.network.mac", "gets another one, which a reservation on a DHCP server does not know"},
}

// Pinned are the warnings of an edit that takes out of a claim what its guest keeps. was is the spec that had arrived, and is that of now.
func Pinned(guest string, was, is map[string]any) []string {
	var out []string

	for _, d := range pinned {
		if has, dropped := d.From(was, is); dropped {
			out = append(out, d.Keeps(guest, fmt.Sprint(has)))
		}
	}

	return out
}

// From says whether an edit took the field out of a spec, and what it said.
func (d Dropped) From(was, is map[string]any) (has any, dropped bool) {
	return at(was, d.Field), was != nil && at(was, d.Field) != nil && at(is, d.Field) == nil
}

// Keeps says that the guest keeps its value, and for how long.
func (d Dropped) Keeps(guest, has string) string {
	text := fmt.Sprintf("%s: the claim says it no longer. The %s keeps %s", d.Field, guest, message.Excerpt(has))
	if d.Next != "" {
		text += ", and one that replaces it " + d.Next
	}

	return text + "."
}

// at is the value of a spec at a path; nil for none.
func at(spec map[string]any, path string) any {
	var value any = spec

	for name := range strings.SplitSeq(strings.TrimPrefix(path, "spec."), ".") {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}

	return value
}
