package world

import "testing"

// TestWorksFor: a Plan is asked for its own Jobs, whichever Nodes they work on.
func TestWorksFor(t *testing.T) {
	u := Upgrader{jobs: map[string]*upgradeJob{"server-1": {plan: "servers"}, "server-2": {plan: "servers"}}}

	cases := map[string]struct {
		reason string
		plan   string
		want   bool
	}{
		"Own":   {"A Plan of several Nodes has a Job on one of them.", "servers", true},
		"Other": {"A Job of another Plan does not go with this one.", "agents", false},
		"Node":  {"A Plan is no Node.", "server-1", false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := u.WorksFor(tc.plan); got != tc.want {
				t.Errorf("%s\nWorksFor(%q) = %v, want %v", tc.reason, tc.plan, got, tc.want)
			}
		})
	}
}
