package manifest

import (
	"regexp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	conflictMark = regexp.MustCompile(`^(<{7}|>{7})( |$)`)
	// A variable in a flow mapping outside of quotes: its braces are YAML's.
	bareVariable = regexp.MustCompile(`^[^#"']*[\[{,:]\s*[^\s"'{}\[\],#]*(\$\{[A-Za-z_])`)
	keyAndValue  = regexp.MustCompile(`^ *(?:- +)?([A-Za-z][A-Za-z0-9-]*):[^\s:/]`)
)

// conflict is the fault of a document in which a merge of Git left its marks.
func conflict(d Document) (Fault, bool) {
	for i, line := range strings.Split(string(d.Text), "\n") {
		if conflictMark.MatchString(line) {
			return Fault{
				Line: d.Line + i, Column: 1,
				Message: "is the mark of a merge that Git could not finish: keep what is right of the two sides, and remove the lines <<<<<<<, ======= and >>>>>>>",
			}, true
		}
	}

	return Fault{}, false
}

// variable is the fault of a document with a placeholder whose braces YAML reads as an object.
func variable(d Document) (Fault, bool) {
	for i, line := range strings.Split(string(d.Text), "\n") {
		if at := bareVariable.FindStringSubmatchIndex(line); at != nil {
			return faultAt(d, i, at[2], "${...} is a placeholder, and within braces no YAML: put it into quotes, and "+message.Placeholder), true
		}
	}

	return Fault{}, false
}

// noBlank is the fault of a key whose colon has no blank behind it: YAML reads it as text that goes on in the next line, where the parser complains.
func noBlank(d Document, line int) (Fault, bool) {
	lines := strings.Split(string(d.Text), "\n")

	for _, n := range []int{line - 1, line} {
		if n < 1 || n > len(lines) {
			continue
		}

		if at := keyAndValue.FindStringSubmatchIndex(lines[n-1]); at != nil {
			key := lines[n-1][at[2]:at[3]]

			return faultAt(d, n-1, at[2], "is no YAML: a blank is missing behind the colon of "+key), true
		}
	}

	return Fault{}, false
}
