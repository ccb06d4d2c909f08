// Package tools tests how the scripts of hack keep the tools that they build.
package tools

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// A checkout has hack/cached.sh, and a script that builds a tool with it. What is built is what the tool was built from.
type checkout struct {
	dir, cache string
}

const script = `#!/bin/sh
set -eu
. "$(dirname "$0")/cached.sh"
build() {
	echo "$PINS" >>"$LOG"
	sleep "$LASTS"
	echo "half" >"$1"
	[ "$PINS" != bad ]
	echo "$PINS" >"$1"
	chmod +x "$1"
}
cached tool "$PINS" build
`

func newCheckout(t *testing.T, cache string) checkout {
	t.Helper()

	c := checkout{dir: t.TempDir(), cache: cache}

	cached, err := os.ReadFile("../../hack/cached.sh")
	if err == nil {
		err = os.Mkdir(filepath.Join(c.dir, "hack"), 0o700)
	}

	err = errors.Join(err,
		os.WriteFile(filepath.Join(c.dir, "hack", "cached.sh"), cached, 0o600),
		program.Write(filepath.Join(c.dir, "hack", "tool.sh"), []byte(script), 0o700),
	)
	if err != nil {
		t.Fatal(err)
	}

	return c
}

// make the tool as it is pinned.
func (c checkout) make(t *testing.T, pins, lasts string) error {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), filepath.Join(c.dir, "hack", "tool.sh"))
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+c.cache, "PINS="+pins, "LASTS="+lasts, "LOG="+c.log())

	return cmd.Run()
}

func (c checkout) log() string { return filepath.Join(c.cache, "log") }

// builds are what was built, for all checkouts.
func (c checkout) builds(t *testing.T) string {
	t.Helper()

	b, err := os.ReadFile(c.log())
	if err != nil {
		t.Fatal(err)
	}

	return strings.Join(strings.Fields(string(b)), " ")
}

// tool is what the checkout's link leads to.
func (c checkout) tool(t *testing.T) string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(c.dir, ".tools", "bin", "tool"))
	if err != nil {
		t.Fatal(err)
	}

	return strings.TrimSpace(string(b))
}

// TestCached lets checkouts with one cache build a tool.
func TestCached(t *testing.T) {
	type step struct {
		checkout int
		pins     string
		fails    bool
	}

	cases := map[string]struct {
		reason string
		steps  []step
		builds string
		tools  []string // Of each checkout, in the end.
	}{
		"Twice": {
			reason: "What is there is not built again.",
			steps:  []step{{pins: "a"}, {pins: "a"}},
			builds: "a", tools: []string{"a"},
		},
		"OtherCheckout": {
			reason: "A fresh checkout takes what another one has built.",
			steps:  []step{{pins: "a"}, {checkout: 1, pins: "a"}},
			builds: "a", tools: []string{"a", "a"},
		},
		"OtherPins": {
			reason: "A link to what is not pinned any more is replaced.",
			steps:  []step{{pins: "a"}, {pins: "b"}},
			builds: "a b", tools: []string{"b"},
		},
		"PinsSideBySide": {
			reason: "Checkouts with different pins do not disturb each other.",
			steps:  []step{{pins: "a"}, {checkout: 1, pins: "b"}, {pins: "a"}},
			builds: "a b", tools: []string{"a", "b"},
		},
		"Fails": {
			reason: "Of a build that fails nothing is left: not half a tool, and not in the place of the one before.",
			steps:  []step{{pins: "a"}, {pins: "bad", fails: true}, {pins: "a"}},
			builds: "a bad", tools: []string{"a"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cache := t.TempDir()
			all := []checkout{newCheckout(t, cache), newCheckout(t, cache)}

			for _, s := range tc.steps {
				if err := all[s.checkout].make(t, s.pins, "0"); (err != nil) != s.fails {
					t.Fatalf("%s\n%s: %v", tc.reason, s.pins, err)
				}
			}

			if got := all[0].builds(t); got != tc.builds {
				t.Errorf("%s\nbuilt: %q, want %q", tc.reason, got, tc.builds)
			}

			for i, want := range tc.tools {
				if got := all[i].tool(t); got != want {
					t.Errorf("%s\ncheckout %d has %q, want %q", tc.reason, i, got, want)
				}
			}

			kept, err := filepath.Glob(filepath.Join(cache, "function-proxmox-machine", "tools", "tool", "*", "*"))
			if err != nil {
				t.Fatal(err)
			}

			for _, file := range kept {
				if filepath.Base(file) != "tool" {
					t.Errorf("%s\n%s is left", tc.reason, file)
				}
			}
		})
	}
}

// TestCachedAtOnce has two checkouts want the same tool at the same time.
func TestCachedAtOnce(t *testing.T) {
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("no flock: both build")
	}

	cache := t.TempDir()
	all := []checkout{newCheckout(t, cache), newCheckout(t, cache)}

	var wait sync.WaitGroup

	for _, c := range all {
		wait.Go(func() {
			if err := c.make(t, "a", "1"); err != nil {
				t.Error(err)
			}
		})
	}

	wait.Wait()

	if got := all[0].builds(t); got != "a" {
		t.Errorf("built: %q, want once", got)
	}

	for i, c := range all {
		if got := c.tool(t); got != "a" {
			t.Errorf("checkout %d has %q", i, got)
		}
	}
}
