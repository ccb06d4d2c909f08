package gitops

import "testing"

// TestPackages holds the health checks of provider and packages to packages in every state.
func TestPackages(t *testing.T) {
	cases := map[string]struct {
		reason  string
		state   string
		changes []change
		want    string
	}{
		"NoStatus":   {"Crossplane has not seen it yet.", "configuration-healthy", []change{without("status")}, inProgress},
		"Installing": {"Unhealthy is what every package is while it is installed.", "configuration-healthy", []change{becomes("Healthy", "False", "UnhealthyPackageRevision")}, inProgress},
		"Healthy":    {"It is there.", "configuration-healthy", nil, current},
		"Upgraded": {
			"It is healthy, and another version than Git says.", "configuration-healthy",
			[]change{committed(set("ghcr.io/homelab-io/x:v0.2.0", "spec", "package"))},
			inProgress,
		},
		"NoSuchVersion": {"The version before works on.", "configuration-missing-version", nil, inProgress},
		"Kind":          {"The kind is there.", "definition-healthy", nil, current},
		"KindWithoutCRD": {
			"The Configuration is healthy a moment before its kinds are there.", "definition-healthy",
			[]change{becomes("Established", "False", "WatchingCompositeResource")},
			inProgress,
		},
	}

	for name, tc := range cases {
		for _, cluster := range clusters {
			t.Run(name+"/"+cluster, func(t *testing.T) {
				o := recorded(t, cluster, tc.state)
				for _, c := range tc.changes {
					c(t, o)
				}

				for _, layer := range []string{"provider", "packages"} {
					if got := judge(t, cluster, layer, o); got != tc.want {
						t.Errorf("%s %s: %s, want %s", tc.reason, layer, got, tc.want)
					}
				}
			})
		}
	}
}
