package lint

import (
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A linter has what it read, sorted, and the faults so far.
type linter struct {
	options    Options
	claims     []object
	composites []object // Of kinds that claims have composites of.
	catalogues []*catalogue
	misshapen  []object // Of the content of a catalogue, and not of its form.
	secrets    []object
	configs    []object // Of the provider.
	right      []judgedClaim
	links      map[string][]link // See [linksOf]; nil before anybody has asked.
	foreign    int               // Catalogues from this index on are not reported.
	alone      bool              // Whether a person named one file, in which nothing is other people's.
	unread     bool              // Whether there is a catalogue that is no YAML.
	faults     []Fault
}

// catalogueOf a claim: of several, the one that is nearest to the claim's file; of several there, one that the Compositions read.
func (l *linter) catalogueOf(o object) *catalogue {
	var best *catalogue

	nearest := -1

	for _, c := range l.catalogues {
		near := sharedFolders(c.file, o.file)
		read := near == nearest && best.name() != l.options.Catalogue && c.name() == l.options.Catalogue

		if near > nearest || read {
			best, nearest = c, near
		}
	}

	return best
}

// sharedFolders is how many folders two files share, from the top; one more for the same file.
func sharedFolders(a, b string) int {
	if a == b {
		return 1 << 16
	}

	x, y := strings.Split(filepath.ToSlash(filepath.Dir(a)), "/"), strings.Split(filepath.ToSlash(filepath.Dir(b)), "/")

	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}

	return n
}

// add a fault of an object at the place that its path names.
func (l *linter) add(o object, path, text string, severity Severity) {
	l.faults = append(l.faults, o.fault(position(o.node, path), path, text, severity))
}

// addAtKey adds a fault of a field that should not be there, at its name.
func (l *linter) addAtKey(o object, path, text string, severity Severity) {
	l.faults = append(l.faults, o.fault(keyOf(o.node, path), path, text, severity))
}

// put a fault at its place: what should not be there at its name, everything else at the value.
func (l *linter) put(o object, path string, err *field.Error) {
	err = asTyped(o, path, err)
	text := message.Fault(err)

	if err.Type == field.ErrorTypeForbidden {
		l.faults = append(l.faults, o.fault(keyOf(o.node, path), keyAsTyped(o, path), text, Error))
		return
	}

	l.add(o, path, text, Error)
}
