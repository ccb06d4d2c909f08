package k3s

import (
	"strings"
	"testing"
)

func TestOlderRelease(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, a, b string
		want         bool
	}{
		"Minor":      {"A minor release counts as a number.", "v1.9.1+k3s1", "v1.33.6+k3s1", true},
		"Patch":      {"So does a patch.", "v1.33.6+k3s1", "v1.33.10+k3s1", true},
		"OwnNumber":  {"K3s numbers its own releases of one of Kubernetes.", "v1.33.6+k3s1", "v1.33.6+k3s2", true},
		"Candidate":  {"A candidate comes before its release.", "v1.33.6-rc1+k3s1", "v1.33.6+k3s1", true},
		"Same":       {"None is older than itself.", "v1.33.6+k3s1", "v1.33.6+k3s1", false},
		"Later":      {"The other way round.", "v1.34.2+k3s1", "v1.33.6+k3s1", false},
		"Unreadable": {"Nobody can tell.", "latest", "v1.33.6+k3s1", false},
		"Nothing":    {"Nor of no release.", "v1.33.6+k3s1", "", false},
	} {
		if got := OlderRelease(tc.a, tc.b); got != tc.want {
			t.Errorf("%s: %s\nwant %t, got %t", name, tc.reason, tc.want, got)
		}
	}
}

func TestIsRelease(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		want         bool
	}{
		"Release":   {"As its maintainers tag it.", "v1.33.6+k3s1", true},
		"Candidate": {"So is a candidate.", "v1.33.6-rc1+k3s1", true},
		"Other":     {"A kubelet of another distribution.", "v1.33.6+rke2r1", false},
		"Plain":     {"Of none.", "v1.33.6", false},
		"Shell":     {"A Node can report any text, and the version becomes a part of a script.", "v1.33.6+k3s1;reboot", false},
		"Line":      {"Nor a second line.", "v1.33.6+k3s1\n", false},
		"Long":      {"The API takes 64 characters.", "v1.33." + strings.Repeat("6", 60) + "+k3s1", false},
	} {
		if got := IsRelease(tc.text); got != tc.want {
			t.Errorf("%s: %s\nwant %t, got %t", name, tc.reason, tc.want, got)
		}
	}
}

func TestMinorOf(t *testing.T) {
	for release, want := range map[string]int{"v1.33.6+k3s1": 33, "v1.9.0": 9, "latest": -1, "v1.x.1": -1, "v2.1.0": -1, "": -1} {
		got, ok := MinorOf(release)
		if !ok {
			got = -1
		}

		if got != want {
			t.Errorf("%q: want %d, got %d", release, want, got)
		}
	}
}
