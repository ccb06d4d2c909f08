package cloudinit

import (
	"encoding/base64"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	maxDepth = 64
	// maxNodes limits a document in which aliases of aliases multiply.
	maxNodes = 50_000
	// longestNumber is below Python's limit for converting a string to an integer.
	longestNumber = 4000
	mergeKey      = "<<"
)

// A normaliser copies a tree into the form for output: aliases
// resolved, no comments, block style, strings in the style of textNode.
// It keeps unquoted scalars unchanged, because "yes" or "0644" has another meaning in
// cloud-init's YAML 1.1 than in this package's YAML 1.2.
type normaliser struct {
	faults *faults
	nodes  int
	open   map[*yaml.Node]bool // Anchors that are being resolved, to stop at a loop.
	full   bool
}

func newNormaliser(faults *faults) *normaliser {
	return &normaliser{faults: faults, open: map[*yaml.Node]bool{}}
}

// mapping returns the normalised root.
func (n *normaliser) mapping(root *yaml.Node) *yaml.Node {
	return n.node(root, 0)
}

// null replaces a refused value.
func null(line int) *yaml.Node {
	node := plainNode(tagNull, "null")
	node.Line = line

	return node
}

func (n *normaliser) node(in *yaml.Node, depth int) *yaml.Node {
	n.nodes++

	switch {
	case n.full:
		return null(in.Line)
	case n.nodes > maxNodes:
		n.full = true
		n.faults.add(in.Line, "contains more than %d values after resolving its aliases", maxNodes)

		return null(in.Line)
	case depth > maxDepth:
		n.faults.add(in.Line, "is nested deeper than %d levels", maxDepth)

		return null(in.Line)
	}

	if in.Style&yaml.TaggedStyle != 0 && in.Tag != tagString && in.Tag != tagBinary {
		n.faults.add(in.Line, "has an explicit YAML tag; only !!str and !!binary can be used")

		return null(in.Line)
	}

	switch in.Kind {
	case yaml.AliasNode:
		return n.alias(in, depth)
	case yaml.MappingNode:
		return n.pairs(in, depth)
	case yaml.SequenceNode:
		out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: in.Line}
		for _, item := range in.Content {
			out.Content = append(out.Content, n.node(item, depth+1))
		}

		return out
	default:
		n.checkScalar(in)

		return scalar(in)
	}
}

// Unquoted words that PyYAML parses as a number, a date or its own kind of value,
// and then fails to convert. cloud-init would ignore the whole document.
var (
	pythonDate  = regexp.MustCompile(`^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d.*)?$`)
	pythonValue = regexp.MustCompile(`^(?:=|<<|[-+]?0[bx]_+)$`)
)

func (n *normaliser) checkScalar(in *yaml.Node) {
	switch {
	case in.Tag == tagBinary:
		if _, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(in.Value), "")); err != nil {
			n.faults.add(in.Line, "has a !!binary value that is not base64")
		}
	case in.Style != 0:
	case pythonDate.MatchString(in.Value) && (in.Tag != "!!timestamp" || strings.HasPrefix(in.Value, "0000")),
		pythonValue.MatchString(in.Value), len(in.Value) > longestNumber && strings.Trim(in.Value, "+-0123456789_") == "":
		n.faults.add(in.Line, "has an unquoted value that cloud-init cannot read; put it in quotes")
	}
}

func (n *normaliser) alias(in *yaml.Node, depth int) *yaml.Node {
	target := in.Alias
	if n.open[target] {
		n.faults.add(in.Line, "has an alias inside its own anchor")

		return null(in.Line)
	}

	n.open[target] = true
	defer delete(n.open, target)

	return n.node(target, depth)
}

func (n *normaliser) pairs(in *yaml.Node, depth int) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: in.Line}
	seen := make(map[string]int, len(in.Content)/2)

	for i := 0; i+1 < len(in.Content); i += 2 {
		key, ok := n.key(in.Content[i], depth)
		if !ok {
			continue
		}

		// Some YAML parsers treat 1 and "1" as one key.
		if first, twice := seen[key.Value]; twice {
			n.faults.add(key.Line, "has a duplicate key; the first is on line %d", first)

			continue
		}

		seen[key.Value] = key.Line

		out.Content = append(out.Content, key, n.node(in.Content[i+1], depth+1))
	}

	return out
}

// key returns a mapping's key, which must be a scalar and, at the top level, a string.
func (n *normaliser) key(in *yaml.Node, depth int) (*yaml.Node, bool) {
	switch {
	case in.Kind != yaml.ScalarNode || in.Style&yaml.TaggedStyle != 0:
		n.faults.add(in.Line, "has a key that is not plain text")
	case in.Value == mergeKey && in.Style == 0:
		n.faults.add(in.Line, "has a merge key (<<); write the keys themselves")
	case depth == 0 && in.Tag != tagString, in.Tag == tagNull:
		n.faults.add(in.Line, "has a key that is not text")
	default:
		n.nodes++
		n.checkScalar(in)

		return scalar(in), true
	}

	return nil, false
}

// scalar copies a scalar. It reformats only quoted strings and block strings.
func scalar(in *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: yaml.ScalarNode, Tag: in.Tag, Value: in.Value, Line: in.Line}

	switch {
	case in.Tag == tagBinary:
		out.Style = yaml.TaggedStyle
		out.Value = strings.Join(strings.Fields(in.Value), "")
	case in.Tag == tagString && (in.Style != 0 || strings.Contains(in.Value, "\n")):
		out.Style = textStyle(in.Value)
	}

	return out
}
