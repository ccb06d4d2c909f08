package cluster

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// TestWalk: a minor release that is two minor releases ahead is reached step by step: no server skips one, none loses its etcd, and a step begins when all
// nodes have taken the one before.
func TestWalk(t *testing.T) {
	for _, upgrade := range []v1alpha1.Upgrade{v1alpha1.UpgradeSystem, v1alpha1.UpgradeReplace} {
		t.Run(string(upgrade), func(t *testing.T) {
			spec := claimed(3, 2)
			spec.Upgrade = upgrade
			s := newStory(t, spec)
			s.complete(60)

			s.spec.Version = "v1.35"
			steps := k3s.Route(oldRelease, k3s.Newest("v1.35"))

			if len(steps) != 3 || steps[0] != newRelease {
				t.Fatalf("the route is %v", steps)
			}

			var taken []string

			for range 400 {
				p := s.call()

				if taken = append(taken, s.route.Version); len(taken) > 1 && taken[len(taken)-2] == s.route.Version {
					taken = taken[:len(taken)-1]
				} else if at := slices.Index(steps, s.route.Version); at > 0 {
					for name, n := range s.site.nodes {
						if k3s.OlderRelease(n.child.Version, steps[at-1]) {
							t.Fatalf("%s runs %s, and step %s begins", name, n.child.Version, s.route.Version)
						}
					}
				}

				checked := s.spec
				checked.Version = s.route.Version

				if errs := CheckUpgrade(checked, checked.Version, true, s.site.children()); len(errs) > 0 {
					t.Fatalf("step %s is refused: %v", s.route.Version, errs)
				}

				if p.State == v1alpha1.RolloutComplete && s.route.Version == steps[2] {
					break
				}

				if p.State == v1alpha1.RolloutComplete {
					t.Fatalf("the rollout is complete at %s", s.route.Version)
				}
			}

			if diff := cmp.Diff(steps, taken); diff != "" {
				t.Errorf("steps: -want, +got:\n%s", diff)
			}

			for name, n := range s.site.nodes {
				if n.child.Version != steps[2] {
					t.Errorf("%s runs %s", name, n.child.Version)
				}
			}

			if len(s.site.stops) > 0 {
				t.Errorf("etcd stopped: %v", s.site.stops)
			}
		})
	}
}

func TestRouteOf(t *testing.T) {
	newest := k3s.Newest("v1.36")
	of := func(versions ...string) map[string]Child {
		out := map[string]Child{}
		for i, v := range versions {
			out[string(rune('a'+i))] = Child{Role: v1alpha1.K3sServer, Joined: true, Version: v, VersionSeen: true}
		}

		return out
	}

	cases := map[string]struct {
		reason   string
		version  string
		upgrade  v1alpha1.Upgrade
		children map[string]Child
		before   Route
		want     Route
	}{
		"Release": {reason: "A release is taken as it is.", version: newRelease, want: Route{Version: newRelease}},
		"Unknown": {reason: "It is refused elsewhere.", version: "v1.99", want: Route{Minor: "v1.99", Version: "v1.99"}},
		"Birth": {
			reason: "A new cluster has the newest release.", version: "v1.36", want: Route{Minor: "v1.36", Releases: []string{newest}, Version: newest},
		},
		"Pinned": {
			reason: "A later release of the function changes nothing.", version: "v1.36", upgrade: v1alpha1.UpgradeSystem, children: of("v1.36.0+k3s1"),
			before: Route{Minor: "v1.36", Releases: []string{"v1.36.0+k3s1"}, Version: "v1.36.0+k3s1"},
			want:   Route{Minor: "v1.36", Releases: []string{"v1.36.0+k3s1"}, Version: "v1.36.0+k3s1"},
		},
		"Another": {
			reason: "The claim names another minor release.", version: "v1.36", upgrade: v1alpha1.UpgradeSystem, children: of("v1.35.0+k3s1"),
			before: Route{Minor: "v1.35", Releases: []string{"v1.35.0+k3s1"}, Version: "v1.35.0+k3s1"},
			want:   Route{Minor: "v1.36", Releases: []string{newest}, Version: newest},
		},
		"Stable": {
			reason: "A channel is the minor release that it stands for.", version: "stable", upgrade: v1alpha1.UpgradeSystem, children: of("v1.35.0+k3s1"),
			want: Route{Minor: "stable", Releases: k3s.Route("v1.35.0+k3s1", k3s.Newest(k3s.StableMinor)), Version: k3s.Route("v1.35.0+k3s1", k3s.Newest(k3s.StableMinor))[0]},
		},
		"StablePinned": {
			reason: "A release of the function that knows another stable one changes nothing.", version: "stable", upgrade: v1alpha1.UpgradeSystem, children: of("v1.35.0+k3s1"),
			before: Route{Minor: "stable", Releases: []string{"v1.35.0+k3s1"}, Version: "v1.35.0+k3s1"},
			want:   Route{Minor: "stable", Releases: []string{"v1.35.0+k3s1"}, Version: "v1.35.0+k3s1"},
		},
		"Newer": {
			reason: "Nobody goes back within the minor release.", version: "v1.36", upgrade: v1alpha1.UpgradeSystem, children: of("v1.36.99+k3s1", "v1.36.0+k3s1"),
			want: Route{Minor: "v1.36", Releases: []string{"v1.36.99+k3s1"}, Version: "v1.36.99+k3s1"},
		},
		"NoRollout": {
			reason: "Nobody takes steps; a skipped minor release is refused.", version: "v1.36", upgrade: v1alpha1.UpgradeNone, children: of("v1.34.1+k3s1"),
			want: Route{Minor: "v1.36", Releases: []string{newest}, Version: newest},
		},
		"RolloutLater": {
			reason: "Its last step is the one that was decided.", version: "v1.36", upgrade: v1alpha1.UpgradeSystem, children: of("v1.34.1+k3s1"),
			before: Route{Minor: "v1.36", Releases: []string{"v1.36.0+k3s1"}, Version: "v1.36.0+k3s1"},
			want: Route{
				Minor: "v1.36", Releases: []string{k3s.Newest("v1.35"), "v1.36.0+k3s1"}, Version: k3s.Newest("v1.35"),
			},
		},
		"NotSeen": {
			reason: "A step that was begun is not taken back while nobody can tell what runs.", version: "v1.36", upgrade: v1alpha1.UpgradeSystem,
			children: map[string]Child{"a": {Joined: true, Version: "v1.34.1+k3s1"}},
			before:   Route{Minor: "v1.36", Releases: []string{"v1.35.6+k3s1", "v1.36.0+k3s1"}, Version: "v1.36.0+k3s1"},
			want:     Route{Minor: "v1.36", Releases: []string{"v1.35.6+k3s1", "v1.36.0+k3s1"}, Version: "v1.36.0+k3s1"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 1)
			spec.Version, spec.Upgrade = tc.version, tc.upgrade

			if diff := cmp.Diff(tc.want, RouteOf(spec, tc.children, tc.before)); diff != "" {
				t.Errorf("%s\nRouteOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestChannel: the status says what stable stands for, as of when, and where a cluster stays that was decided for before.
func TestChannel(t *testing.T) {
	known := "stable is " + k3s.StableMinor + ", as of " + k3s.StableAsOf

	for name, tc := range map[string]struct {
		route Route
		want  string
	}{
		"Minor":  {route: Route{Minor: "v1.36", Releases: []string{"v1.36.0+k3s1"}}},
		"Stable": {route: Route{Minor: "stable", Releases: []string{"v1.35.0+k3s1", k3s.Newest("stable")}}, want: known},
		"Before": {route: Route{Minor: "stable", Releases: []string{"v1.35.0+k3s1"}}, want: known + "; the cluster stays at v1.35.0+k3s1 until version names another release"},
	} {
		if got := tc.route.Channel(); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestUnknownMinor: of a cluster that lives only the version is refused, with the ones that there are.
func TestUnknownMinor(t *testing.T) {
	spec := claimed(1, 0)
	spec.Version = "v1.99"

	const want = `spec.version: Invalid value: "v1.99": is no minor release of K3s that the function knows: there are stable, v1.29, `

	got := texts(CheckUpgrade(spec, spec.Version, true, nil))
	if len(got) != 1 || got[0][:len(want)] != want {
		t.Errorf("CheckUpgrade(...) = %q", got)
	}
}

// TestReleaseOrMinor: what the version of a cluster can be is said to who writes a channel or a range, and a minor release without its v is answered with it.
func TestReleaseOrMinor(t *testing.T) {
	for value, want := range map[string]string{
		"1.36":   "must be a release of K3s, such as v1.36.5+k3s1, or a minor release with its v: v1.36",
		"latest": "must be a release of K3s, vX.Y.Z+k3sN, such as v1.36.5+k3s1, or stable or a minor release from v1.",
		"1.99":   "must be a release of K3s, vX.Y.Z+k3sN, such as v1.36.5+k3s1, or stable or a minor release from v1.",
		"v1.36.": "must be a release of K3s, vX.Y.Z+k3sN, such as v1.36.5+k3s1, or stable or a minor release from v1.",
	} {
		if got := releaseOrMinor(value); !strings.HasPrefix(got, want) {
			t.Errorf("%s: want %q, got %q", value, want, got)
		}
	}
}
