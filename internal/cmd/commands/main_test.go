package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPages: docs/commands has the page of each command as the program is, and no other.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, false); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(read(t, dir), read(t, filepath.Join("..", "..", "..", "docs", "commands"))); diff != "" {
		t.Errorf("docs/commands is not what the program says (make commands writes it): -program, +pages:\n%s", diff)
	}
}

// TestManPages: each command has one, with its exit codes and examples.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, true); err != nil {
		t.Fatal(err)
	}

	plan := read(t, filepath.Join(dir, "man1"))["kubectl-machine-plan.1"]
	for _, want := range []string{".SH EXAMPLE", "Exit codes", "effect of --fail-on", ".SH OPTIONS"} {
		if !strings.Contains(strings.ReplaceAll(plan, `\-`, "-"), want) {
			t.Errorf("want %q in\n%s", want, plan)
		}
	}
}

// TestSourceDate: pages of the same sources are the same, whenever and wherever they are written.
func TestSourceDate(t *testing.T) {
	now := time.Date(2026, time.November, 1, 3, 0, 0, 0, time.FixedZone("NZDT", 13*60*60))

	cases := map[string]struct{ reason, epoch, want string }{
		"Sources": {"the time of the sources counts, in UTC", "1788220800", "Sep 2026"},
		"None":    {"without it, it is now", "", "Oct 2026"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := sourceDate(tc.epoch, now)
			if err != nil || got.Format("Jan 2006") != tc.want || got.Location() != time.UTC {
				t.Errorf("%s: want %s in UTC, got %s, %v", tc.reason, tc.want, got, err)
			}
		})
	}

	if _, err := sourceDate("yesterday", now); err == nil {
		t.Error("a word is no SOURCE_DATE_EPOCH")
	}
}

func read(t *testing.T, folder string) map[string]string {
	t.Helper()

	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) < 10 {
		t.Fatalf("%s has %d pages: %v", folder, len(entries), err)
	}

	out := map[string]string{}

	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name())) //nolint:gosec // A page.
		if err != nil {
			t.Fatal(err)
		}

		out[e.Name()] = string(b)
	}

	return out
}
