package status

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
)

// TestWhyFailed: each outcome that a guest can report has its words, as a part of a sentence.
func TestWhyFailed(t *testing.T) {
	failed := 0

	for name, report := range guestreport.K3sNames() {
		if report.State != guestreport.K3sFailed {
			continue
		}

		failed++

		if why := whyFailed(report.Outcome, "https://k3s:6443", "server-1"); why == "" || strings.HasSuffix(why, ".") {
			t.Errorf("%s: %q", name, why)
		}
	}

	if failed == 0 {
		t.Error("no outcome is known")
	}

	if why := whyFailed("refused", "", "server-1"); !strings.Contains(why, "`kubectl delete node server-1`") {
		t.Errorf("A person is told the command: %s", why)
	}

	if why := whyFailed("weather", "", ""); why != "" {
		t.Errorf("Nothing is made up about an outcome of another release: %s", why)
	}
}
