package lint

import (
	"cmp"
	"fmt"
	"slices"
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

// sorted faults: those of a file in its order, the files in theirs; each fault once.
func sorted(faults []Fault, files []string) []Fault {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(slices.Index(files, a.File), slices.Index(files, b.File)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})

	return slices.CompactFunc(faults, func(a, b Fault) bool { return a == b })
}
