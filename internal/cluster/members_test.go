package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestJoinToken: which token the nodes of a claim join with, and which one starts the cluster.
func TestJoinToken(t *testing.T) {
	own := func(name string, trust bool) *v1alpha1.K3sToken {
		return &v1alpha1.K3sToken{SecretRef: &v1alpha1.SecretKeyRef{Name: name}, AllowPlaintext: true, TrustOnFirstUse: trust}
	}

	cases := map[string]struct {
		reason        string
		token, join   *v1alpha1.K3sToken
		founds, joins string // Names of Secrets; empty for what the catalogue has.
	}{
		"Trusted":   {reason: "A short token that nobody checks is that of all.", token: own("short", true), founds: "short", joins: "short"},
		"Untrusted": {reason: "One that does not name the cluster's CA is for the first server alone.", token: own("short", false), founds: "short"},
		"Two":       {reason: "A full one is for those that join.", token: own("short", false), join: own("full", false), founds: "short", joins: "full"},
		"Both":      {reason: "And it comes before the short one.", token: own("short", true), join: own("full", false), founds: "short", joins: "full"},
		"Catalogue": {reason: "A claim need not have any."},
	}

	named := func(spec map[string]any) string {
		k := group(spec, "k3s")
		return text(group(group(k, "token"), "secretRef"), "name")
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			members, err := Members(identity, v1alpha1.K3sClusterSpec{Cluster: "home", Token: tc.token, JoinToken: tc.join}, false)
			if err != nil {
				t.Fatal(err)
			}

			got := map[string]string{"first": named(members[0].Founder)}
			for _, m := range members {
				got[m.Node] = named(m.Spec)
			}

			want := map[string]string{"first": tc.founds, "server-0": tc.joins, "server-1": tc.joins, "server-2": tc.joins}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
