package k3s

import (
	"encoding/json"
	"sync"

	"github.com/crossplane/function-sdk-go/errors"
)

// mostTexts are remembered at once: a config.yaml has about 300 bytes, and its key about as many.
const mostTexts = 4096

// configs are the config.yaml of nodes.
var configs texts //nolint:gochecknoglobals // What a text is made of decides what it is, so that nobody can tell whether it was remembered.

// texts are remembered by what they are made of.
type texts struct {
	mu sync.Mutex
	by map[string]string
}

// of a value is the text that somebody makes of it, or made of an equal one. Two values are equal if their JSON is.
func (t *texts) of(value any, makeText func() (string, error)) (string, error) {
	key, err := json.Marshal(value)
	if err != nil {
		return "", errors.Wrap(err, "cannot compare configurations")
	}

	t.mu.Lock()
	text, known := t.by[string(key)]
	t.mu.Unlock()

	if known {
		return text, nil
	}

	text, err = makeText()
	if err != nil {
		return "", err
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	if t.by == nil || len(t.by) >= mostTexts {
		t.by = map[string]string{}
	}

	t.by[string(key)] = text

	return text, nil
}
