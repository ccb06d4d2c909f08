package cluster

import (
	"encoding/json"

	"github.com/crossplane/function-sdk-go/errors"
)

// group is an object of a spec, empty where there is none.
func group(spec map[string]any, name string) map[string]any {
	if o, ok := spec[name].(map[string]any); ok {
		return o
	}

	return map[string]any{}
}

// fill an object with the fields that say something.
func fill(o map[string]any, fields map[string]any) error {
	filled, err := plain(fields)
	if err != nil {
		return err
	}

	for name, v := range filled {
		if !empty(v) {
			o[name] = v
		}
	}

	return nil
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	default:
		return false
	}
}

// plain is a value as encoding/json reads it.
func plain(from map[string]any) (map[string]any, error) {
	out := map[string]any{}

	b, err := json.Marshal(from)
	if err != nil {
		return nil, errors.Wrap(err, "cannot write the spec of a node")
	}

	if err := json.Unmarshal(b, &out); err != nil {
		return nil, errors.Wrap(err, "cannot read the spec of a node")
	}

	if out == nil {
		out = map[string]any{}
	}

	return out, nil
}

// text of a field of an object; empty where it has none.
func text(o map[string]any, name string) string {
	s, _ := o[name].(string)
	return s
}
