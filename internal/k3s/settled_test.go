package k3s

import (
	"os"
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

// TestDocsSettle keeps docs/clusters.md true: its table names each key, and no other.
func TestDocsSettle(t *testing.T) {
	b, err := os.ReadFile("../../docs/clusters.md")
	if err != nil {
		t.Fatal(err)
	}

	_, chapter, _ := strings.Cut(string(b), "## Settings of a cluster that exists\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")

	var named strings.Builder

	for line := range strings.Lines(chapter) {
		if strings.HasPrefix(line, "| `") {
			named.WriteString(strings.Split(line, "|")[1])
		}
	}

	for name := range settled {
		if !strings.Contains(named.String(), "`"+name+"`") {
			t.Errorf("%s is not in the table of docs/clusters.md", name)
		}
	}

	for i, word := range strings.Split(named.String(), "`") {
		if _, key := configKeys()[word]; i%2 == 1 && key && settled[word] == "" {
			t.Errorf("docs/clusters.md names %s, for which a new VM is the way", word)
		}
	}
}
