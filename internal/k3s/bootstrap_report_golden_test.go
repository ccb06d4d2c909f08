package k3s

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var reportTimes = regexp.MustCompile(`(?m)_seconds \d+$`)

// TestBootstrapReportGolden: the whole report of a success, which tools/observability compares with what alerts and panels ask for.
func TestBootstrapReportGolden(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const golden = "testdata/k3s_bootstrap.prom"

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.expect("The cluster answers.", 0)

	report := reportTimes.ReplaceAllString(r.read(metricsFile), "_seconds 1700000000")

	if *update {
		r.try(os.WriteFile(golden, []byte(report), 0o600))
	}

	want, err := os.ReadFile(golden)
	r.try(err)

	if diff := cmp.Diff(string(want), report); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
