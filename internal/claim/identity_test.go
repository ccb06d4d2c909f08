package claim

import (
	"strings"
	"testing"
)

// TestNamespaceOfANode: a node of a K3sCluster without a claim of its own has the namespace of the cluster's claim, and nobody else gets a
// namespace, and with it its Secrets, by a label.
func TestNamespaceOfANode(t *testing.T) {
	const controller = `{"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sCluster", "name": "home-x7k2p", "uid": "u", "controller": true}`

	node := func(edits ...string) string {
		return strings.NewReplacer(edits...).Replace(`{"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sNode",
			"metadata": {"name": "home-x7k2p-server-0", "labels": {"crossplane.io/claim-name": "home", "crossplane.io/claim-namespace": "infra"},
				"ownerReferences": [` + controller + `]},
			"spec": {"k3s": {"role": "server"}}}`)
	}

	cases := map[string]struct {
		reason   string
		document string
		want     string
	}{
		"OfACluster":    {"Crossplane copies the label of the cluster's composite.", node(), "infra"},
		"LaterVersion":  {"The controller's version may be another one.", node(`v1alpha1", "kind": "XK3sC`, `v1", "kind": "XK3sC`), "infra"},
		"SecondOwner":   {"Only the controller counts, wherever it stands.", node(controller, `{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "v"}, `+controller), "infra"},
		"NoClaim":       {"Crossplane 1.20 writes an empty label where the cluster has no claim.", node(`"infra"`, `""`), ""},
		"NoLabel":       {"Crossplane 2 writes none.", node(`"crossplane.io/claim-namespace": "infra"`, `"a": "b"`), ""},
		"LabelNoText":   {"A label is text.", node(`"infra"`, `7`), ""},
		"NoOwner":       {"Somebody wrote the label.", node(controller, ""), ""},
		"NoOwners":      {"Somebody wrote the label.", node(`"ownerReferences": [`+controller+`]`, `"ownerReferences": "home"`), ""},
		"NoController":  {"An owner that is not the controller composed nothing.", node(`"controller": true`, `"controller": false`), ""},
		"ControllerSet": {"Nor is one that says nothing of it.", node(`, "controller": true`, ``), ""},
		"ControllerNo":  {"YAML has other words for true.", node(`"controller": true`, `"controller": "true"`), ""},
		"OtherGroup":    {"Anybody may define a kind of that name.", node(`[{"apiVersion": "homelab.io/`, `[{"apiVersion": "evil.io/`), ""},
		"CoreGroup":     {"A kind without a group is none of ours.", node(`[{"apiVersion": "homelab.io/v1alpha1"`, `[{"apiVersion": "v1"`), ""},
		"LongerGroup":   {"A group that begins alike is another one.", node(`[{"apiVersion": "homelab.io/`, `[{"apiVersion": "homelab.io.evil/`), ""},
		"OtherKind":     {"An XMachine composes no nodes.", node(`"XK3sCluster"`, `"XMachine"`), ""},
		"ClaimKind":     {"The claim controls nothing; its composite does.", node(`"XK3sCluster"`, `"K3sCluster"`), ""},
		"TwoOwners": {
			"An object has one controller, and this one's is another.",
			node(controller, strings.Replace(controller, "true", "false", 1)+`, {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x", "uid": "v", "controller": true}`), "",
		},
		"Machine":                {"A cluster composes nodes only.", node(`"XK3sNode"`, `"XMachine"`, `"k3s": {"role": "server"}`, ``), ""},
		"Namespaced":             {"A namespaced composite is in its own namespace, whatever its labels say.", node(`"XK3sNode"`, `"K3sNode"`, `"name": "home-x7k2p-server-0"`, `"name": "n", "namespace": "mine"`), "mine"},
		"ClusterScopedClaimKind": {"The kind of the claims is composed in a namespace.", node(`"XK3sNode"`, `"K3sNode"`), ""},
		"OwnClaim":               {"A node with a claim of its own is the claim's.", node(`"spec": {`, `"spec": {"claimRef": {"name": "n", "namespace": "mine"}, `), "mine"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := Decode(composite(t, tc.document))

			if c.Identity.Namespace != tc.want || len(c.Faults) > 0 {
				t.Errorf("%s\nnamespace %q, want %q; faults %v\n%s", tc.reason, c.Identity.Namespace, tc.want, c.Faults, tc.document)
			}

			if name != "OwnClaim" && c.Identity.Name != c.Identity.Composite {
				t.Errorf("%s\nits name is %q, and not its own, %q", tc.reason, c.Identity.Name, c.Identity.Composite)
			}
		})
	}
}

// TestIsOfClaim: a node that a cluster has adopted has no claim any more, and the name and namespace that it had of it.
func TestIsOfClaim(t *testing.T) {
	const metadata = `"name": "server-1-x7k2p"`

	node := func(owner string) map[string]any {
		return composite(t, `{"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sNode", "metadata": {`+metadata+owner+`},
			"spec": {"claimRef": {"name": "server-1", "namespace": "infra"}, "k3s": {"role": "server"}}}`)
	}

	cases := map[string]struct {
		reason string
		owner  string
		want   bool
	}{
		"Claimed": {"Its claim writes it.", "", true},
		"Adopted": {"A cluster does.", `, "ownerReferences": [{"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sCluster", "name": "home", "controller": true}]`, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := node(tc.owner)
			if got := IsOfClaim(o); got != tc.want {
				t.Errorf("%s IsOfClaim is %v", tc.reason, got)
			}

			if id := Decode(o).Identity; id.Name != "server-1" || id.Namespace != "infra" || id.Composite != "server-1-x7k2p" {
				t.Errorf("%s The machine is %+v", tc.reason, id)
			}
		})
	}
}
