package k3s

import (
	"encoding/json"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/memo"
)

// mostTexts are remembered at once: a config.yaml has about 300 bytes, and its key about as many.
const mostTexts = 4096

// configs are the config.yaml of nodes, by the JSON of what they are made of.
var configs = memo.New[string, string](mostTexts) //nolint:gochecknoglobals // What a text is made of decides what it is.

// textOf a value is the text that somebody makes of it, or made of an equal one. Two values are equal if their JSON is.
func textOf(known *memo.Memo[string, string], value any, makeText func() (string, error)) (string, error) {
	key, err := json.Marshal(value)
	if err != nil {
		return "", errors.Wrap(err, "cannot compare configurations")
	}

	return known.Of(string(key), makeText)
}
