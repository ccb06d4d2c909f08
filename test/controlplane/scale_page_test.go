package controlplane

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var writePage = flag.Bool("scale-page", false, "write docs/performance.md and its picture from the measurements in testdata/scale")

// TestScalePage: the table of docs/performance.md is that of the stored measurements.
func TestScalePage(t *testing.T) {
	if *writePage {
		writeScale(t)
	}

	page, err := os.ReadFile(scalePage)
	must(t, err)

	_, rest, _ := strings.Cut(string(page), scaleBegin)
	table, _, _ := strings.Cut(rest, scaleEnd)

	if diff := cmp.Diff(scaleTable(measurements(t)), table); diff != "" {
		t.Errorf("%s: -measured, +written; go test -run TestScalePage . -scale-page:\n%s", scalePage, diff)
	}
}
