package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	octal = regexp.MustCompile(`^0[0-7]+$`)
	// cutText is a comment that is probably none: # without a blank after it.
	cutText = regexp.MustCompile(`^#[^\s#!]`)
)

// octals warns of numbers that begin with a zero: kubectl reads them as octal, so that they are others than those that were typed.
func octals(o object, known []Fault) []Fault {
	var out []Fault

	for _, name := range []string{"spec", "data"} {
		if _, n := childOf(o.node, name); n != nil {
			out = append(out, octalsBelow(o, known, name, n)...)
		}
	}

	return out
}

func octalsBelow(o object, known []Fault, path string, n *yamlv3.Node) []Fault {
	var out []Fault

	switch n.Kind {
	case yamlv3.MappingNode:
		for k, v := range pairs(n) {
			out = append(out, octalsBelow(o, known, path+"."+message.Key(k.Value), v)...)
		}
	case yamlv3.SequenceNode:
		for i, item := range n.Content {
			out = append(out, octalsBelow(o, known, fmt.Sprintf("%s[%d]", path, i), resolved(item))...)
		}
	case yamlv3.ScalarNode:
		value, err := strconv.ParseInt(n.Value, 8, 64)
		if n.Style != 0 || !octal.MatchString(n.Value) || err != nil {
			return nil
		}

		typed := strings.TrimLeft(n.Value, "0")
		if strconv.FormatInt(value, 10) != typed {
			text := fmt.Sprintf("%s begins with a zero, so YAML reads it as octal, which is %d: write %s", n.Value, value, typed)
			if f := o.fault(n, path, text, Warning); !faulty(known, f) {
				out = append(out, f)
			}
		}
	case yamlv3.DocumentNode, yamlv3.AliasNode:
	}

	return out
}

// cutNotes warns of free text that YAML cuts off: what follows a blank and # is a comment, also right before a number such as #4.
func cutNotes(o object) []Fault {
	_, spec := childOf(o.node, "spec")
	if spec == nil {
		return nil
	}

	return cutNotesBelow(o, "spec", spec)
}

func cutNotesBelow(o object, path string, n *yamlv3.Node) []Fault {
	var out []Fault

	switch n.Kind {
	case yamlv3.MappingNode:
		for k, v := range pairs(n) {
			at := path + "." + message.Key(k.Value)

			if slices.Contains([]string{"notes", "comment"}, k.Value) && v.Kind == yamlv3.ScalarNode && v.Style == 0 && cutText.MatchString(v.LineComment) {
				whole := v.Value + " " + v.LineComment
				out = append(out, o.fault(v, at, fmt.Sprintf("YAML takes %q for a comment, and the text ends before it: put the text in quotes, as in %q", cut(v.LineComment), cut(whole)), Warning))
			}

			out = append(out, cutNotesBelow(o, at, v)...)
		}
	case yamlv3.SequenceNode:
		for i, item := range n.Content {
			out = append(out, cutNotesBelow(o, fmt.Sprintf("%s[%d]", path, i), resolved(item))...)
		}
	case yamlv3.ScalarNode, yamlv3.DocumentNode, yamlv3.AliasNode:
	}

	return out
}

// faulty says whether a fault at the place of another one is known, whichever way each writes its path.
func faulty(known []Fault, at Fault) bool {
	return slices.ContainsFunc(known, func(f Fault) bool {
		return f.File == at.File && f.Line == at.Line && f.Column == at.Column && f.Severity == Error
	})
}

// asTyped is a fault in the words of the file: its number as it was typed, which YAML reads as another one, and a word that YAML reads as true or false.
func asTyped(o object, path string, err *field.Error) *field.Error {
	n := position(o.node, path)
	if n.Kind != yamlv3.ScalarNode || err.Type == field.ErrorTypeForbidden {
		return err
	}

	out := *err

	switch err.BadValue.(type) {
	case float64, int64, int:
		if n.Style == 0 && yamlNumber.MatchString(n.Value) {
			out.BadValue = number(n.Value)
		}
	case bool:
		if n.Style == 0 && yamlTruth.MatchString(n.Value) {
			out.BadValue = number(n.Value)
		}
	}

	return &out
}

var yamlNumber = regexp.MustCompile(`^[-+]?[0-9][0-9a-zA-Z_.+-]*$`)

// yamlTruth are the words that YAML 1.1, and with it kubectl, reads as true or false.
var yamlTruth = regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false)$`)

// A number as it was typed, or a word for true or false.
type number string

// GoString is a number's: messages show it without quotes.
func (n number) GoString() string { return string(n) }

// keyAsTyped is a path with its last key as it was typed, where YAML reads another one: on as true.
func keyAsTyped(o object, path string) string {
	n, i := keyOf(o.node, path), strings.LastIndex(path, ".")+1
	if last := path[i:]; n.Kind == yamlv3.ScalarNode && n.Style == 0 && (last == "true" || last == "false") && yamlTruth.MatchString(n.Value) {
		return path[:i] + n.Value
	}

	return path
}
