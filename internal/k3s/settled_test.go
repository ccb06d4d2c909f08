package k3s

import (
	"strings"
	"testing"
)

// TestEveryCriticalKeyIsSettled: a new server with another value would not join, so that no message may send people there.
func TestEveryCriticalKeyIsSettled(t *testing.T) {
	for name, key := range configKeys() {
		if _, ok := SettledBy(name); key.Critical && !ok {
			t.Errorf("%s is critical: say in settled.go what to do about a new value in a cluster that exists", name)
		}
	}
}

// TestSettledBy: keys that a person writes, clauses that a sentence may end with.
func TestSettledBy(t *testing.T) {
	// Fields of their own in a claim.
	fields := map[string]bool{"disable": true, "node-label": true, "node-taint": true}

	for name, advice := range settled {
		if _, known := configKeys()[name]; !known && !fields[name] {
			t.Errorf("%s is no key", name)
		}

		if strings.HasSuffix(advice, ".") || advice == "" {
			t.Errorf("%s: a clause without a full stop, got %q", name, advice)
		}
	}

	for _, name := range []string{"kubelet-arg", "data-dir", "nonsense", ""} {
		if advice, ok := SettledBy(name); ok {
			t.Errorf("SettledBy(%q): a new VM does it, got %q", name, advice)
		}
	}
}
