package fake

import (
	"regexp"
	"strings"
)

var (
	// quotedText is a value in a message, as a person typed it.
	quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	// faultHead begins one fault in a list of faults: the path of a field and the kind of the fault.
	faultHead = regexp.MustCompile(`(?:^|[\[,;:] )?\[?((?:EnvironmentConfig \S+: |Input: )?[A-Za-z][\w.\[\]/$-]*: (?:Invalid value|Required value|Forbidden|Unsupported value|Duplicate value|Not found)\b)`)
	// doing is what a step of the program could not do, by its verb.
	doing = regexp.MustCompile(`^cannot \w+`)
)

// SaidTwice is a part of an error that stands in it before: a segment of a chain "a: b: c" that is repeated, or a verb of "cannot
// read the file: cannot read". Empty where the error says each thing once. Of a list of faults, each fault is a chain of its own.
func SaidTwice(message string) string {
	message = quotedText.ReplaceAllString(message, `""`)

	// A fault on each line; what stands before them is said of each.
	if head, lines, ok := strings.Cut(message, "\n"); ok {
		for line := range strings.SplitSeq(lines, "\n") {
			if r := repeated(strings.TrimSuffix(head, ":") + ": " + strings.TrimSpace(line)); r != "" {
				return r
			}
		}

		return ""
	}

	faults := faultHead.FindAllStringSubmatchIndex(message, -1)
	if len(faults) == 0 {
		return repeated(message)
	}

	// What stands before the first fault is said of each.
	prefix := message[:faults[0][2]]

	for i, at := range faults {
		end := len(message)
		if i+1 < len(faults) {
			end = faults[i+1][2]
		}

		if r := repeated(prefix + message[at[2]:end]); r != "" {
			return r
		}
	}

	return ""
}

// repeated segment of one chain, or verb; empty where there is none.
func repeated(chain string) string {
	seen := map[string]bool{}

	for segment := range strings.SplitSeq(chain, ": ") {
		segment = strings.Trim(segment, " ,;[]")
		verb := doing.FindString(segment)

		switch {
		case segment == "" || segment == `""`:
		case seen[segment]:
			return segment
		case verb != "" && seen[verb]:
			return verb
		}

		seen[segment], seen[verb] = true, verb != "" || seen[verb]
	}

	return ""
}
