package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// A Severity says whether somebody refuses what was written.
type Severity string

const (
	// Error is what the API server or the function refuses: the claim does not take effect.
	Error Severity = "error"
	// Warning is what is accepted and has no effect, or probably not the one that was meant.
	Warning Severity = "warning"
)

// A Fault of a file.
type Fault struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`   // From 1.
	Column   int      `json:"column"` // From 1, in letters.
	Path     string   `json:"path,omitempty"`
	Message  string   `json:"message"`
	Severity Severity `json:"severity"`
	Kind     string   `json:"kind,omitempty"` // Of the object, as it was written.
	Name     string   `json:"name,omitempty"`
}

// String is a fault on one line, as compilers print them and editors read them: file:line:column: path: message.
func (f Fault) String() string {
	out := fmt.Sprintf("%s:%d:%d: ", f.File, f.Line, f.Column)

	if f.Severity == Warning {
		out += "warning: "
	}

	if f.Path != "" {
		out += f.Path + ": "
	}

	return out + f.Message
}

// withoutHidden leaves out what a claim says of a part of the catalogue that others may not read, where the fault in it is said, too.
func withoutHidden(faults []Fault) []Fault {
	return slices.DeleteFunc(faults, func(f Fault) bool {
		return strings.HasPrefix(f.Message, "cannot be read, because of a fault in") && slices.ContainsFunc(faults, func(of Fault) bool {
			return of.File == f.File && of.Severity == Error && strings.HasPrefix(of.Path, f.Path+".")
		})
	})
}

// withoutHalves leaves out what is wrong with a field of which a file has a second one: it is about one half of what was typed, at the place of the other.
func withoutHalves(faults []Fault) []Fault {
	halves := slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return !strings.HasPrefix(f.Message, manifest.IsTwice) })

	return slices.DeleteFunc(faults, func(f Fault) bool {
		return slices.ContainsFunc(halves, func(half Fault) bool {
			return f != half && f.File == half.File && f.Kind == half.Kind && f.Name == half.Name && !strings.HasPrefix(f.Message, manifest.IsTwice) &&
				(f.Path == half.Path || strings.HasPrefix(f.Path, half.Path+"."))
		})
	})
}

// sorted faults: those of a file in its order, the files in theirs; each fault once.
func sorted(faults []Fault, files []string) []Fault {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(slices.Index(files, a.File), slices.Index(files, b.File)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})

	return slices.CompactFunc(faults, func(a, b Fault) bool { return a == b })
}
