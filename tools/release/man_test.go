package main

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestManPages: the pages of this repository are those that check asks for, and the same bytes in another time zone.
func TestManPages(t *testing.T) {
	at := time.Date(2026, time.November, 30, 23, 0, 0, 0, time.UTC)

	first, err := manPages(t.Context(), "../..", t.TempDir(), at)
	must(t, err)
	must(t, checkMan(platform{"linux", "arm64"}, first))

	t.Setenv("TZ", "Pacific/Auckland") // Where it is December.

	second, err := manPages(t.Context(), "../..", t.TempDir(), at)
	must(t, err)

	if diff := cmp.Diff(first, second, cmp.AllowUnexported(file{})); diff != "" {
		t.Errorf("two builds of the pages differ: -first, +second:\n%s", diff)
	}

	if !slices.ContainsFunc(first, func(f file) bool { return f.name == "man/man1/kubectl-machine-plan.1.gz" }) {
		t.Error("there is no page of plan")
	}

	if err := checkMan(platform{"windows", "amd64"}, first); err == nil {
		t.Error("pages for Windows, where nobody has man, were not caught")
	}
}

// TestCompressed: the same text is the same bytes, and is compressed.
func TestCompressed(t *testing.T) {
	text := bytes.Repeat([]byte("kubectl machine "), 100)

	first, err := compressed(text)
	must(t, err)

	second, err := compressed(text)
	must(t, err)

	if !bytes.Equal(first, second) || len(first) > len(text)/2 {
		t.Errorf("%d and %d bytes of %d", len(first), len(second), len(text))
	}
}
