package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestSettings: what is in the claim of the cluster alone is checked where no API server does.
func TestSettings(t *testing.T) {
	word := func(field string) string {
		return "spec.nodes[1].lifecycle." + field + `: Invalid value: "a b": must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as "2026-11-20"`
	}

	cases := map[string]struct {
		reason string
		edit   func(*v1alpha1.K3sClusterSpec)
		want   []string
	}{
		"Right": {reason: "The cluster of the other tests.", edit: func(*v1alpha1.K3sClusterSpec) {}},
		"Least": {reason: "Nothing is said of rollouts.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Rollout, s.Token = v1alpha1.Rollout{}, nil }},
		"Most":  {reason: "All agents at once.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Rollout.MaxUnavailable = 100 }},
		"More": {
			reason: "No pool has more.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Rollout.MaxUnavailable = 101 },
			want: []string{"spec.rollout.maxUnavailable: Invalid value: 101: must be 1 to 100"},
		},
		"Less": {
			reason: "Nobody would ever have a turn.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Rollout.MaxUnavailable = -1 },
			want: []string{"spec.rollout.maxUnavailable: Invalid value: -1: must be 1 to 100"},
		},
		"Policies": {
			reason: "A word that nobody knows would be OnRequest.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Rollout.ReplacePolicy, s.Rollout.RebootPolicy = "Never", "Always" },
			want: []string{
				`spec.rollout.replacePolicy: Unsupported value: "Never": supported values: "OnRequest", "WhenNeeded"`,
				`spec.rollout.rebootPolicy: Unsupported value: "Always": supported values: "OnRequest", "WhenNeeded"`,
			},
		},
		"Tokens": {
			reason: "A token is nowhere in plain text by surprise.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Token = &v1alpha1.K3sToken{SecretRef: &v1alpha1.SecretKeyRef{Name: "token"}}
				s.JoinToken = &v1alpha1.K3sToken{SecretRef: &v1alpha1.SecretKeyRef{Name: "join"}}
			},
			want: []string{
				"spec.token.allowPlaintext: Required value: a token from a Secret is written into the snippet in plain text: set allowPlaintext: true to accept this, " +
					"or use file with a pre-placed snippet",
				"spec.joinToken.allowPlaintext: Required value: a token from a Secret is written into the snippet in plain text: set allowPlaintext: true to accept this, " +
					"or use file with a pre-placed snippet",
			},
		},
		"Lifecycle": {
			reason: "A word of a person becomes a name.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Nodes = []v1alpha1.ClusterNode{{Name: "server-0"}, {Name: "server-1", Lifecycle: v1alpha1.NodeLifecycle{
					Replace: "a b", Reboot: "a b", Joined: "a b", Force: "a b", Retry: "a b", Drain: "a b",
				}}}
			},
			want: []string{word("replace"), word("reboot"), word("joined"), word("force"), word("drain"), word("retry")},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 1)
			tc.edit(&spec)

			if diff := cmp.Diff(tc.want, texts(settings(field.NewPath("spec"), spec))); diff != "" {
				t.Errorf("%s\nsettings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
