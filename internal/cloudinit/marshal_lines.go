package cloudinit

import (
	"bytes"
	"strings"
)

// The stand-in for the files whose lines are written without the YAML library, and what that writes of it.
const (
	standIn      = "/stand/in"
	standInLines = "  - path: " + standIn + "\n    content: ''\n"
)

// lines writes the document's own files as the YAML library writes them, in a twentieth of its time: it examines each character of a script
// several times. It returns nil if one of the files
// is not a script of plain text: then the library writes all of them.
func (d Document) lines() []byte {
	size := 0

	for _, f := range d.WriteFiles {
		if !isPlainPath(f.Path) || isReserved(f.Path) || f.Path == standIn || !hasPlainFields(f) || !isScript(f.Content) {
			return nil
		}

		size += len(f.Content) + len(f.Content)/4
	}

	if len(d.WriteFiles) == 0 {
		return nil
	}

	var out bytes.Buffer

	out.Grow(size)

	for _, f := range d.WriteFiles {
		f.writeLines(&out)
	}

	return out.Bytes()
}

// writeLines writes the entry of a file as File.node describes it.
func (f File) writeLines(out *bytes.Buffer) {
	out.WriteString("  - path: " + f.Path + "\n")

	if f.Permissions != "" {
		out.WriteString("    permissions: '" + f.Permissions + "'\n")
	}

	if f.Owner != "" {
		out.WriteString("    owner: " + f.Owner + "\n")
	}

	if f.Append {
		out.WriteString("    append: true\n")
	}

	if f.Defer {
		out.WriteString("    defer: true\n")
	}

	out.WriteString("    content: |")

	switch {
	case !strings.HasSuffix(f.Content, "\n"):
		out.WriteByte('-')
	case strings.HasSuffix(f.Content, "\n\n"):
		out.WriteByte('+')
	}

	out.WriteByte('\n')

	for line := range strings.Lines(f.Content) {
		if line != "\n" {
			out.WriteString("      ")
		}

		out.WriteString(line)
	}

	if !strings.HasSuffix(f.Content, "\n") {
		out.WriteByte('\n')
	}
}

// hasPlainFields says whether the fields beside path and content are what they are in nearly every file.
func hasPlainFields(f File) bool {
	user, group, _ := strings.Cut(f.Owner, ":")

	return strings.Trim(f.Permissions, "01234567") == "" && (f.Owner == "" || isName(user) && isName(group))
}

// isScript says whether a text becomes a literal block: lines of ASCII without blanks at their ends.
func isScript(text string) bool {
	if text == "" || text[0] <= ' ' || text[len(text)-1] == ' ' || strings.Contains(text, " \n") || strings.IndexByte(text, '\n') < 0 {
		return false
	}

	for _, c := range []byte(text) {
		if (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}

	return true
}
