package preview

import (
	"regexp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// asNotes is a change of a description in Proxmox as a change of the claim's notes, in one line; any other change is as it was. What the function adds
// to the notes is left out where only the notes change.
func asNotes(c change.Change) change.Change {
	if strings.HasSuffix(c.Field, ".comment") {
		return withoutMarks(c)
	}

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

// siteMark is what the function writes behind the comment of a part of a ProxmoxSite.
var siteMark = regexp.MustCompile(` ?\[ProxmoxSite [^\]]+\]$`)

// withoutMarks is a change of a comment without the mark behind it, if both have the same one: only a person's words change.
func withoutMarks(c change.Change) change.Change {
	if has, wanted := siteMark.FindString(c.Has), siteMark.FindString(c.Wanted); strings.TrimSpace(has) == strings.TrimSpace(wanted) {
		c.Has, c.Wanted = strings.TrimSuffix(c.Has, has), strings.TrimSuffix(c.Wanted, wanted)
	}

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
