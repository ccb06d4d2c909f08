package k3s

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoute(t *testing.T) {
	cases := map[string]struct {
		reason, from, to string
		want             []string
	}{
		"Same":      {"There is no way to go.", "v1.36.5+k3s1", "v1.36.5+k3s1", nil},
		"Back":      {"Nor is there one back.", "v1.36.5+k3s1", "v1.35.6+k3s1", nil},
		"Patch":     {"Within a minor release.", "v1.36.0+k3s1", "v1.36.5+k3s1", []string{"v1.36.5+k3s1"}},
		"NextMinor": {"Nothing is in between.", "v1.35.0+k3s1", "v1.36.1+k3s1", []string{"v1.36.1+k3s1"}},
		"Minors":    {"Each minor release once, by its newest release.", "v1.34.1+k3s1", "v1.36.5+k3s1", []string{"v1.35.6+k3s1", "v1.36.5+k3s1"}},
		"Etcd": {
			"The release that repairs the members comes before the one with etcd 3.6.", "v1.33.6+k3s1", "v1.35.6+k3s1",
			[]string{"v1.33.7+k3s3", "v1.34.9+k3s1", "v1.35.6+k3s1"},
		},
		"Repaired": {"It is left out where the servers have it.", "v1.33.7+k3s3", "v1.34.9+k3s1", []string{"v1.34.9+k3s1"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Route(tc.from, tc.to)); diff != "" {
				t.Errorf("%s\nRoute(%q, %q): -want, +got:\n%s", tc.reason, tc.from, tc.to, diff)
			}
		})
	}
}

func TestInSteps(t *testing.T) {
	cases := map[string]struct {
		reason, from, to string
		skips            bool
		want             string
	}{
		"Several": {
			"Each minor release once.", "v1.30.6+k3s1", "v1.33.7+k3s3", true,
			"upgrade to a release of v1.31 first: one after the other, v1.31.10+k3s1, v1.32.11+k3s3, v1.33.7+k3s3",
		},
		"Etcd": {
			"By the release that etcd needs before.", "v1.33.6+k3s1", "v1.35.6+k3s1", true,
			"upgrade to a release of v1.34 first: one after the other, v1.33.7+k3s3, v1.34.9+k3s1, v1.35.6+k3s1",
		},
		"Later":      {"The table ends before.", "v1.90.1+k3s1", "v1.92.1+k3s1", true, "upgrade to a release of v1.91 first"},
		"NextMinor":  {"It skips none.", "v1.33.6+k3s1", "v1.34.2+k3s1", false, ""},
		"Patch":      {"Nor does a release of the same minor release.", "v1.33.6+k3s1", "v1.33.7+k3s3", false, ""},
		"Back":       {"The way back is none that skips.", "v1.36.5+k3s1", "v1.33.6+k3s1", false, ""},
		"Unreadable": {"Nobody can tell.", "custom", "v1.36.5+k3s1", false, ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Skips(tc.from, tc.to); got != tc.skips {
				t.Errorf("%s\nSkips(%q, %q): got %t", tc.reason, tc.from, tc.to, got)
			}

			if !tc.skips {
				return
			}

			if diff := cmp.Diff(tc.want, InSteps(tc.from, tc.to)); diff != "" {
				t.Errorf("%s\nInSteps(%q, %q): -want, +got:\n%s", tc.reason, tc.from, tc.to, diff)
			}
		})
	}
}

// TestRoutes: between any two releases in the table, no step skips a minor release or is one that etcd does not survive.
func TestRoutes(t *testing.T) {
	for _, from := range etcds() {
		for _, to := range etcds() {
			route := Route(from.release, to.release)
			if OlderRelease(from.release, to.release) && (len(route) == 0 || route[len(route)-1] != to.release) {
				t.Fatalf("from %s to %s: %v", from.release, to.release, route)
			}

			at := from.release
			for _, next := range route {
				was, _ := MinorOf(at)
				is, _ := MinorOf(next)

				if is > was+1 || EtcdHop(at, next).Verdict != HopFine {
					t.Errorf("from %s to %s: %v; the step from %s to %s is none", from.release, to.release, route, at, next)
				}

				at = next
			}
		}
	}
}

func TestNewest(t *testing.T) {
	for _, minor := range Minors() {
		newest := Newest(minor)
		if !IsMinor(minor) || newest == "" || slices.ContainsFunc(etcds(), func(r etcdRelease) bool { return sameMinor(r.release, newest) && OlderRelease(newest, r.release) }) {
			t.Errorf("the newest release of %s is %q", minor, newest)
		}
	}

	if got := Newest(Stable); got == "" || !IsMinor(Stable) || got != Newest(StableMinor) || !IsOf(got, Stable) {
		t.Errorf("the newest release of the stable channel is %q", got)
	}

	for _, none := range []string{"v1.1", "latest", "v1.36.0+k3s1", ""} {
		if got := Newest(none); got != "" {
			t.Errorf("Newest(%q) = %q", none, got)
		}
	}
}
