package compose

import (
	std "cmp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// TestClusterOfAMinor: a new cluster has the newest release of the minor release that its claim names, and one that lives keeps what was decided.
func TestClusterOfAMinor(t *testing.T) {
	cases := map[string]struct {
		reason  string
		version string // v1.36 if it is empty.
		before  map[string]any
		want    string
		channel any
	}{
		"Birth":  {reason: "The newest one in the table.", want: k3s.Newest("v1.36")},
		"Stable": {reason: "The newest one of the channel, with what it stands for.", version: k3s.Stable, want: k3s.Newest(k3s.StableMinor), channel: "stable is v1.36, as of November 2026"},
		"Pinned": {reason: "As it was decided.", before: map[string]any{"minor": "v1.36", "route": []any{"v1.36.0+k3s1"}, "version": "v1.36.0+k3s1"}, want: "v1.36.0+k3s1"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := clusterRequest(t)
			composite := req.GetObserved().GetComposite().GetResource()
			composite.GetFields()["spec"].GetStructValue().GetFields()["version"] = content(t, map[string]any{"v": std.Or(tc.version, "v1.36")}).GetFields()["v"]

			if tc.before != nil {
				composite.GetFields()["status"] = content(t, map[string]any{"s": tc.before}).GetFields()["s"]
			}

			rsp := Answer(req)
			spec := rsp.GetDesired().GetResources()["server-0"].GetResource().GetFields()["spec"].GetStructValue().AsMap()
			seen := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().AsMap()
			node, _ := spec["k3s"].(map[string]any)

			got := map[string]any{"node": node["version"], "version": seen["version"], "minor": seen["minor"], "route": seen["route"], "channel": seen["channel"]}
			want := map[string]any{"node": tc.want, "version": tc.want, "minor": std.Or(tc.version, "v1.36"), "route": []any{tc.want}, "channel": tc.channel}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s\n%v", tc.reason, diff, rsp.GetResults())
			}
		})
	}
}
