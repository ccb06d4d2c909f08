package claim

import (
	"regexp"
	"testing"
)

// TestPatternsHaveNoHyphens: a path is compared with underscores for its hyphens, so that a pattern with a hyphen between letters matches none.
func TestPatternsHaveNoHyphens(t *testing.T) {
	between := regexp.MustCompile(`[a-zA-Z]-[a-zA-Z]`)
	classes := regexp.MustCompile(`\[[^\]]*\]`)

	for _, table := range [][]explainedField{explanations, habits, k3sParts, siteParts} {
		for _, e := range table {
			if p := classes.ReplaceAllString(e.pattern.String(), ""); between.MatchString(p) {
				t.Errorf("write _ for the hyphen in %s", e.pattern)
			}
		}
	}

	for _, path := range []string{"spec.devices.pci[0].x-vga", "spec.devices.pci[0].legacy-igd", "spec.firmware.ms-cert", "spec.firmware.pre-enrolled-keys", "spec.nix.access-tokens"} {
		if explanation(KindMachine, path) == "" {
			t.Errorf("%s is not explained", path)
		}
	}
}
