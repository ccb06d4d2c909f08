package preview

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// asNotes is a change of a description in Proxmox as a change of the claim's notes, in one line; any other change is as it was. What the function adds
// to the notes is left out where only the notes change.
func asNotes(c change.Change) change.Change {
	if c.Field != "description" {
		return c
	}

	has, hasOrigin := splitDescription(c.Has)
	wanted, origin := splitDescription(c.Wanted)

	if hasOrigin == origin {
		c.Field, c.Has, c.Wanted = "spec.notes", has, wanted
	}

	c.Has, c.Wanted = strings.ReplaceAll(c.Has, "\n", `\n`), strings.ReplaceAll(c.Wanted, "\n", `\n`)

	return c
}

// splitDescription in Proxmox: the claim's notes, and whose VM or container it is, which the function adds.
func splitDescription(text string) (notes, origin string) {
	i := strings.LastIndex(text, "\n\n")
	if i < 0 && strings.Contains(text, "managed by Crossplane") {
		return "", text
	}

	if i < 0 || !strings.Contains(text[i:], "managed by Crossplane") {
		return text, ""
	}

	return text[:i], text[i+len("\n\n"):]
}
