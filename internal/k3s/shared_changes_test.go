package k3s

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSharedChanges(t *testing.T) {
	cases := map[string]struct {
		reason string
		a, b   map[string]any
		want   []string
	}{
		"Same":        {reason: "Nothing differs.", a: map[string]any{"cluster-cidr": "10.50.0.0/16"}, b: map[string]any{"cluster-cidr": "10.50.0.0/16"}},
		"Default":     {reason: "K3s has that by itself.", a: map[string]any{"cluster-cidr": "10.42.0.0/16", "flannel-backend": "vxlan"}},
		"Off":         {reason: "A switch that is not set is off.", a: map[string]any{"secrets-encryption": false}},
		"Spelling":    {reason: "A list has several forms.", a: map[string]any{"cluster-dns": []any{"10.43.0.10"}}, b: map[string]any{"cluster-dns": "10.43.0.10"}},
		"Others":      {reason: "What each server may have for itself.", a: map[string]any{"etcd-snapshot-retention": 5, "disable": []any{"traefik"}}},
		"Networks":    {reason: "Pods would be in two networks.", a: map[string]any{"cluster-cidr": "10.50.0.0/16"}, want: []string{"cluster-cidr"}},
		"On":          {reason: "Secrets would be encrypted by one server alone.", b: map[string]any{"secrets-encryption": true}, want: []string{"secrets-encryption"}},
		"ServiceLB":   {reason: "The one component that counts.", a: map[string]any{"disable": []any{"traefik", "servicelb"}}, b: map[string]any{"disable": []any{"traefik"}}, want: []string{"disable"}},
		"InOneString": {reason: "The same as K3s reads it.", a: map[string]any{"disable": "traefik,servicelb"}, b: map[string]any{"disable": []any{"servicelb"}}},
		"Several": {
			reason: "Each is named.", a: map[string]any{"flannel-backend": "none", "disable-network-policy": true},
			want: []string{"disable-network-policy", "flannel-backend"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := SharedOf(tc.a), SharedOf(tc.b)
			if diff := cmp.Diff([][]string{tc.want, tc.want}, [][]string{a.Changes(b), b.Changes(a)}); diff != "" {
				t.Errorf("%s\nChanges(...), and the other way round: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCriticalDefaults: a default of a key that is not critical, or not there, would be read by nobody.
func TestCriticalDefaults(t *testing.T) {
	for name := range criticalDefaults {
		if !configKeys()[name].Critical {
			t.Errorf("%s has a default, and is no critical key", name)
		}
	}

	for name, key := range configKeys() {
		if _, known := criticalDefaults[name]; key.Critical && key.Type != "bool" && !key.Secret && !known {
			t.Errorf("%s is critical and no switch, and has no default", name)
		}
	}
}
