// Package why says in one paragraph what a machine waits for, since when, and what to do. It reads the machine's conditions, and takes what
// they mean from docs/conditions.md, so that there is one text of each.
package why

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/homelab-io/function-proxmox-machine/docs"
)

// A row of docs/conditions.md: what a reason means.
type row struct {
	means string
	todo  string // Empty where the row has none.
	waits bool   // Whether means is what the machine waits for.
}

// nothing is what is to be done about a reason that a claim asks for, such as that a VM is in HA no more. Who waits reads "Wait.", and who may take something
// back more than this.
const nothing = "Nothing."

// sees are the conditions that say more, where there is nothing to do but to see them, or to wait.
func (r row) sees() []string {
	if !strings.HasPrefix(r.todo, "See `") && !strings.HasPrefix(r.todo, "Wait") {
		return nil
	}

	var out []string
	for _, m := range codes.FindAllStringSubmatch(r.todo, -1) {
		out = append(out, m[1])
	}

	return out
}

// saidIn a message is what is to be done if the message has all the commands and fields of it, with the values of the machine, or is what the row refers to.
func (r row) saidIn(said string) bool {
	all := codes.FindAllStringSubmatch(r.todo, -1)

	return strings.HasPrefix(r.todo, "Do what the message says") || len(all) > 0 && !slices.ContainsFunc(all, func(m []string) bool {
		return !strings.Contains(said, m[1])
	})
}

// A table of the rows, and of the status of each condition in which there is nothing to do.
type table struct {
	rows map[string]row    // By type, status and reason.
	good map[string]string // By type; "either" for a condition that is good in both.
}

// read the document once.
var read = sync.OnceValue(func() table { return parse(docs.Conditions) }) //nolint:gochecknoglobals // A constant that takes a while to parse.

var (
	heading = regexp.MustCompile(`^## (\w+)$`)
	code    = regexp.MustCompile("^`(\\w+)`$")
	codes   = regexp.MustCompile("`([^`]+)`")
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

func parse(document string) table {
	out := table{rows: map[string]row{}, good: map[string]string{}}
	section, waits := "", false

	for line := range strings.Lines(document) {
		line = strings.TrimSpace(line)

		if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1]
			continue
		}

		if !strings.HasPrefix(line, "|") {
			continue
		}

		cells := split(line)

		m := code.FindStringSubmatch(cells[0])

		switch {
		case len(cells) < 3:
		case cells[0] == "reason":
			waits = strings.Contains(cells[2], "waits for")
		case m != nil && section == "":
			out.good[m[1]] = cells[2]
		case m != nil:
			r := row{means: cells[2], waits: waits}
			if len(cells) > 3 {
				r.todo = cells[3]
			}

			out.rows[key(section, cells[1], m[1])] = r
		}
	}

	return out
}

func key(conditionType, status, reason string) string {
	return conditionType + " " + status + " " + reason
}

// split a row of a table into cells, without links.
func split(line string) []string {
	var out []string

	for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		out = append(out, strings.TrimSpace(link.ReplaceAllString(cell, "$1")))
	}

	return out
}
