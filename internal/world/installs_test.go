package world

import "testing"

func TestInstalls(t *testing.T) {
	spec := func(version string) map[string]any {
		return map[string]any{"k3s": map[string]any{"role": "server", "version": version}}
	}
	node := func(joined bool) map[string]any {
		return map[string]any{"vmId": int64(4101), "k3sVersion": "v1.36.5+k3s1", "kubernetes": map[string]any{"joined": joined, "version": "v1.36.6+k3s1"}}
	}

	cases := map[string]struct {
		reason       string
		spec, status map[string]any
		want         string
	}{
		"Claim":     {"A new VM installs what its claim says.", spec("v1.36.4+k3s1"), nil, "v1.36.4+k3s1"},
		"Catalogue": {"Where the claim leaves it to the catalogue, the bootstrap data have it.", spec(""), map[string]any{"k3sVersion": "v1.36.5+k3s1"}, "v1.36.5+k3s1"},
		"Loaded":    {"A node that runs keeps what it was upgraded to.", spec("v1.36.4+k3s1"), node(true), "v1.36.6+k3s1"},
		"Another":   {"What another VM's Node had is nothing to this one.", spec(""), node(false), "v1.36.5+k3s1"},
		"Nobody":    {"Nobody says anything.", spec(""), nil, BornWith},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := &Machine{Composite: map[string]any{"spec": tc.spec, "status": tc.status}}
			if got := installs(m, 4101); got != tc.want {
				t.Errorf("%s\ninstalls(m, 4101) = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
