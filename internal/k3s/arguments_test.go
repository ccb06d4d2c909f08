package k3s

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArguments(t *testing.T) {
	cases := map[string]struct {
		reason string
		config map[string]any
		want   []Argument
	}{
		"Own":    {reason: "K3s has no key for it.", config: map[string]any{"kubelet-arg": []any{"max-pods=200"}, "node-ip": "10.0.0.1"}},
		"Labels": {reason: "Labels are checked in their field.", config: map[string]any{"kubelet-arg": []any{"v=2", "--node-labels=a=b"}}, want: []Argument{{"kubelet-arg", "node-labels", "spec.k3s.labels"}}},
		"Other":  {reason: "A name means something to one program only.", config: map[string]any{"kube-scheduler-arg": "node-labels=a=b"}},
		"Range": {
			reason: "Who compares networks reads the key.", config: map[string]any{"kube-apiserver-arg": "service-cluster-ip-range=10.96.0.0/12"},
			want: []Argument{{"kube-apiserver-arg", "service-cluster-ip-range", "service-cidr in the config of the cluster"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Arguments(tc.config)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNoComponent: no word that K3s deploys something for is said to be none, and what is proposed is a component, or a key.
func TestNoComponent(t *testing.T) {
	for _, word := range components() {
		if got := NoComponent(word); got != "" {
			t.Errorf("%s is a component, and is said to be none: %s", word, got)
		}
	}

	for word, want := range map[string]string{"network-policy": "set disable-network-policy: true in config", "klipper-lb": "write servicelb", "my-manifest": ""} {
		if got := NoComponent(word); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}
