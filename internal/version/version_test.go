package version

import (
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	built := func(version string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: version}} }

	cases := map[string]struct {
		reason string
		linked string
		info   *debug.BuildInfo
		want   string
	}{
		"Linked":    {"the linker's version is the release's, whatever Go knows", "v0.2.0", built("v0.1.0"), "v0.2.0"},
		"Installed": {"go install builds a released module and links nothing", "", built("v0.2.0"), "v0.2.0"},
		"Checkout":  {"a checkout is no release", "", built("(devel)"), "unreleased"},
		"NoModule":  {"Go knows no version of a binary that was built from a file", "", built(""), "unreleased"},
		"NoInfo":    {"a binary without build information has a word for it, too", "", nil, "unreleased"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := of(tc.linked, tc.info); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
