package upgrade

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An announcement is a line of CHANGELOG.md that says what an upgrade changes in what is rendered:
//
//   - **New machines** `EnvironmentVM: spec.managementPolicies` changes from `["Observe","Create"]` to `["Observe"]`: the reason.
//
// It is about exactly this kind and this path, never about what is in it or around it.
type announcement struct {
	scope  string // newMachines, livingVMs or everyMachine.
	kind   string
	path   string
	what   string
	from   string // JSON; empty: any value.
	to     string
	reason string
	line   string
}

// The scopes of announcements. Only livingVMs may speak of what can harm a VM that exists, and has to say the values then; see
// difference.grave.
const (
	newMachines  = "New machines"
	livingVMs    = "Living VMs"
	everyMachine = "Every machine"
)

// outputHeading is the part of a version's chapter that is read.
const outputHeading = "### Rendered output"

var announcementPattern = regexp.MustCompile("^\\* \\*\\*(" + newMachines + "|" + livingVMs + "|" + everyMachine + ")\\*\\* " +
	"`([A-Za-z]+): ([^`]+)` (appears|vanishes|changes)( from `([^`]*)`)?( (?:to|as) `([^`]*)`)?: (.+)$")

// announcements of the versions above a release, newest first, by version.
func announcements(changelog, above string) (map[string][]announcement, error) {
	out := map[string][]announcement{}
	version, reading := "", false

	for _, line := range logicalLines(changelog) {
		switch {
		case strings.HasPrefix(line, "## "):
			version, _, _ = strings.Cut(strings.TrimPrefix(line, "## "), " ")
			reading = false

			if version == above {
				return out, nil
			}
		case strings.HasPrefix(line, "### "):
			reading = line == outputHeading
		case reading && strings.HasPrefix(line, "* "):
			a, err := readAnnouncement(line)
			if err != nil {
				return nil, err
			}

			out[version] = append(out[version], a)
		}
	}

	return nil, fmt.Errorf("CHANGELOG.md has no chapter %s", above)
}

// logicalLines are lines with the indented ones after them.
func logicalLines(text string) []string {
	var out []string

	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")

		if strings.HasPrefix(line, "  ") && len(out) > 0 {
			out[len(out)-1] += " " + strings.TrimSpace(line)
			continue
		}

		out = append(out, line)
	}

	return out
}

func readAnnouncement(line string) (announcement, error) {
	m := announcementPattern.FindStringSubmatch(line)
	if m == nil {
		return announcement{}, fmt.Errorf("CHANGELOG.md, %s: not understood: %s", outputHeading, line)
	}

	a := announcement{scope: m[1], kind: m[2], path: m[3], what: m[4], from: m[6], to: m[8], reason: m[9], line: line}

	if len(strings.Fields(a.reason)) < 3 {
		return a, fmt.Errorf("CHANGELOG.md: the reason is missing: %s", line)
	}

	return a, nil
}

// covers says whether the announcement is of a difference.
func (a announcement) covers(d difference) bool {
	switch {
	case a.kind != d.kind || a.path != d.path || a.what != d.what:
		return false
	case a.from != "" && a.from != d.from || a.to != "" && a.to != d.to:
		return false
	case d.grave():
		return a.scope == livingVMs && a.from == d.from && a.to == d.to
	case a.scope == livingVMs:
		return d.living
	case a.scope == newMachines:
		return !d.living
	default:
		return true
	}
}

// judge differences by announcements: every difference must be announced, and every announcement must be of one; of every
// machine, one of each sort.
func judge(found []difference, announced []announcement) (unannounced []difference, stale []announcement) {
	for _, d := range found {
		if !slices.ContainsFunc(announced, func(a announcement) bool { return a.covers(d) }) {
			unannounced = append(unannounced, d)
		}
	}

	for _, a := range announced {
		used := func(living bool) bool {
			return slices.ContainsFunc(found, func(d difference) bool { return d.living == living && a.covers(d) })
		}

		if a.scope == everyMachine && (!used(true) || !used(false)) || !used(true) && !used(false) {
			stale = append(stale, a)
		}
	}

	return unannounced, stale
}
