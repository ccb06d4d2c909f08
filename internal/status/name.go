package status

import (
	"strconv"
	"strings"
	"unicode"
)

// Limits of a name that somebody else gave, in characters: of a VM or a node, and of a machine with its namespace.
const (
	maxForeignName    = 63
	maxForeignMachine = 127
)

// foreignVM is a VM that is not the machine's, in messages.
func foreignVM(id int64, name, node string) string {
	out := "VM " + strconv.FormatInt(id, 10)
	if name != "" {
		out += " (" + foreign(name, maxForeignName) + ")"
	}

	if node != "" {
		out += " on node " + plain(node, maxForeignName)
	}

	return out
}

// foreign sets off a name that somebody else gave.
func foreign(name string, limit int) string { return quote(plain(name, limit)) }

// plain is a name that somebody else gave, on one line and of a limited length.
func plain(name string, limit int) string {
	out := []rune(strings.Map(func(r rune) rune {
		if r == '`' || r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '_'
		}

		return r
	}, name))

	return string(out[:min(len(out), limit)])
}

// quote sets a value off; one that is not there is said in words.
func quote(value string) string {
	if value == "" {
		return "none"
	}

	return "`" + value + "`"
}
