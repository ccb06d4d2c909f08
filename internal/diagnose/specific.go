package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
)

// specific returns a row that says what its message says more exactly than its pattern: which privilege is missing, and why an operation failed that left an
// object half made. It says only words of the tables and of Proxmox's own list of privileges, nothing else of the message.
func specific(r Row, text, after string) Row {
	switch r.Name {
	case rowPermission:
		return lacking(r, text)
	case rowTaintedStart, rowTaintedOther:
		return because(r, after)
	}

	return r
}

// refusal is Proxmox's message of a missing privilege: the path, and the privileges, of which any is enough.
var refusal = regexp.MustCompile(`Permission check failed \((/[^,\s)]*), ([A-Za-z.|]+)\)`)

// lacking is the row of a missing privilege with that privilege's name, and the kind of thing that it is for.
func lacking(r Row, text string) Row {
	found := refusal.FindStringSubmatch(text)
	if found == nil {
		return r
	}

	path, names := found[1], strings.Split(found[2], "|")
	if slices.ContainsFunc(names, func(name string) bool { return !privilege.Known(name) }) {
		return r
	}

	r.Meaning = "The provider's token lacks the privilege " + strings.Join(strings.Fields(strings.Join(names, " or ")+" "+privilege.On(path)), " ") + " in Proxmox."

	return r
}

// causes are the rows that can say why a task of Proxmox failed.
var causes = slicesOf(nodeRows, deviceRows, startRows, imageRows, storageRows) //nolint:gochecknoglobals // A constant table.

// because is the row of an object that an operation left half made, with what made the operation fail.
func because(r Row, after string) Row {
	i := slices.IndexFunc(causes, func(c Row) bool { return c.text.MatchString(after) && c.after == nil })
	if i < 0 {
		return r
	}

	r.Meaning = causes[i].Meaning + " " + r.Meaning
	r.Remedy = causes[i].Remedy + " " + then[r.Name]

	return r
}
