package cloudinit

import (
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/crossplane/function-sdk-go/errors"
)

// valueNode converts a value of Document.Extra into YAML. It sorts the keys of
// maps, so that the same value gives the same bytes.
func valueNode(value any) (*yaml.Node, error) {
	switch v := value.(type) {
	case nil:
		return plainNode(tagNull, "null"), nil
	case string:
		return textNode(v), nil
	case bool:
		return boolNode(v), nil
	case int:
		return plainNode("!!int", strconv.Itoa(v)), nil
	case int64:
		return plainNode("!!int", strconv.FormatInt(v, 10)), nil
	case float64:
		return floatNode(v), nil
	case []string:
		return textsNode(v), nil
	case []any:
		return listNode(v)
	case map[string]any:
		return mapNode(v)
	default:
		return nil, errors.Errorf("cannot write a value of type %T as cloud-config", value)
	}
}

// floatNode writes whole numbers as integers, because all numbers from JSON are float64.
func floatNode(v float64) *yaml.Node {
	const exact = 1 << 53
	if whole := int64(v); v == float64(whole) && -exact < whole && whole < exact {
		return plainNode("!!int", strconv.FormatInt(whole, 10))
	}

	return plainNode("!!float", strconv.FormatFloat(v, 'f', -1, 64))
}

func listNode(values []any) (*yaml.Node, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}

	for _, value := range values {
		node, err := valueNode(value)
		if err != nil {
			return nil, err
		}

		list.Content = append(list.Content, node)
	}

	return list, nil
}

func mapNode(values map[string]any) (*yaml.Node, error) {
	m := newMapping()

	for _, key := range slices.Sorted(maps.Keys(values)) {
		node, err := valueNode(values[key])
		if err != nil {
			return nil, errors.Wrapf(err, "key %q", key)
		}

		m.add(key, node)
	}

	return m.node, nil
}

// mapping builds a YAML mapping, in the order of the calls.
type mapping struct {
	node *yaml.Node
}

func newMapping() mapping {
	return mapping{node: &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}}
}

func (m mapping) add(key string, value *yaml.Node) {
	m.node.Content = append(m.node.Content, textNode(key), value)
}

// The add methods below leave out unset values.

func (m mapping) addText(key, value string) {
	if value != "" {
		m.add(key, textNode(value))
	}
}

func (m mapping) addBool(key string, value *bool) {
	if value != nil {
		m.add(key, boolNode(*value))
	}
}

func (m mapping) addTexts(key string, values []string) {
	if len(values) > 0 {
		m.add(key, textsNode(values))
	}
}
