package lint

import (
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// position is the node that a fault's path names, as it is to be marked: a scalar itself, and of everything else its key. Where the
// path leads to what is not there, it is the innermost object that is.
func position(n *yamlv3.Node, path string) *yamlv3.Node {
	mark := n

	for path != "" {
		key, child, rest, found := step(n, path)
		if !found {
			break
		}

		n, path = child, strings.TrimPrefix(rest, ".")

		switch {
		case n.Kind == yamlv3.ScalarNode && path == "":
			mark = n
		case key != nil:
			mark = key
		default:
			mark = n
		}
	}

	return mark
}

// keyOf is the key that a path names; the position where there is none.
func keyOf(n *yamlv3.Node, path string) *yamlv3.Node {
	mark := position(n, path)

	for path != "" {
		key, child, rest, found := step(n, path)
		if !found {
			return mark
		}

		if n, path = child, strings.TrimPrefix(rest, "."); path == "" && key != nil {
			return key
		}
	}

	return mark
}

// step goes down to the child that a path begins with. Keys may have dots, so the longest one that fits counts.
func step(n *yamlv3.Node, path string) (key, child *yamlv3.Node, rest string, found bool) {
	n = resolved(n)

	if strings.HasPrefix(path, "[") {
		index, after, ok := strings.Cut(path[1:], "]")
		if !ok {
			return nil, nil, "", false
		}

		key, child = childOf(n, index)

		return key, child, after, child != nil
	}

	longest := -1

	for k, v := range pairs(n) {
		for _, name := range []string{message.Key(k.Value), k.Value, asJSON(k)} {
			after, ok := strings.CutPrefix(path, name)
			if ok && len(name) > longest && (after == "" || after[0] == '.' || after[0] == '[') {
				key, child, rest, longest = k, v, after, len(name)
			}
		}
	}

	return key, child, rest, longest >= 0
}

// asJSON is a key as kubectl writes it: YAML 1.1 takes no, off, yes and on for truth values.
func asJSON(key *yamlv3.Node) string {
	if key.Style != 0 {
		return key.Value
	}

	switch strings.ToLower(key.Value) {
	case "y", "yes", "on":
		return "true"
	case "n", "no", "off":
		return "false"
	default:
		return key.Value
	}
}

// childOf a mapping by its key, or of a list by its index. key is nil in a list.
func childOf(n *yamlv3.Node, name string) (key, child *yamlv3.Node) {
	n = resolved(n)

	if n.Kind == yamlv3.SequenceNode {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Content) {
			return nil, resolved(n.Content[i])
		}

		// Some faults name an item of a list by its name.
		for _, item := range n.Content {
			if _, v := childOf(resolved(item), "name"); v != nil && resolved(item).Kind == yamlv3.MappingNode && v.Value == name {
				return nil, resolved(item)
			}
		}

		return nil, nil
	}

	for k, v := range pairs(n) {
		if k.Value == name {
			return k, resolved(v)
		}
	}

	return nil, nil
}

// resolved is what an alias stands for.
func resolved(n *yamlv3.Node) *yamlv3.Node {
	if n.Kind == yamlv3.AliasNode && n.Alias != nil {
		return n.Alias
	}

	return n
}

// pairs of a mapping; those that it merges after its own.
func pairs(n *yamlv3.Node) func(yield func(k, v *yamlv3.Node) bool) {
	return func(yield func(k, v *yamlv3.Node) bool) {
		if n.Kind != yamlv3.MappingNode {
			return
		}

		all := n.Content

		for i := 0; i+1 < len(n.Content); i += 2 {
			if m := resolved(n.Content[i+1]); n.Content[i].Tag == "!!merge" && m.Kind == yamlv3.MappingNode {
				all = append(slices.Clone(all), m.Content...)
			}
		}

		for i := 0; i+1 < len(all); i += 2 {
			if all[i].Tag != "!!merge" && !yield(all[i], resolved(all[i+1])) {
				return
			}
		}
	}
}
