package k3s

import "testing"

// TestFromRKE2: no key of K3s is one of RKE2 alone, whose keys people take along.
func TestFromRKE2(t *testing.T) {
	for _, key := range sortedKeys(configKeys()) {
		if got := FromRKE2(key); got != "" {
			t.Errorf("K3s has key %s: %s", key, got)
		}
	}

	cases := map[string]struct {
		reason, key string
		want        bool
	}{
		"Plugin": {"Of the first lines of RKE2's documentation.", "cni", true},
		"Mount":  {"Of a pod that K3s does not have.", "kube-apiserver-extra-mount", true},
		"Image":  {"The same.", "kube-scheduler-image", true},
		"Later":  {"A later release of K3s may have it.", "quick-start", false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// The list of keys refuses what is like one of them, as a typing error.
			if got := FromRKE2(tc.key); (got != "") != tc.want {
				t.Errorf("%s\ngot %q", tc.reason, got)
			}

			if faults := ValidateConfig(RoleServer, map[string]any{tc.key: "x"}, nil); len(faults) > 0 {
				t.Errorf("%s\nfaults: %v", tc.reason, faults)
			}
		})
	}
}
