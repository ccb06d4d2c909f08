package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestAnnounced: an edit whose fields do not tell what becomes of nodes that run is told in sentences, while it is on its way.
func TestAnnounced(t *testing.T) {
	const (
		replaced = "spec.nodes: no entry gives server-1 the address 10.0.0.2 any more, and a VM keeps its address: in its turn, the VM is replaced by one that "
		kept     = " To keep the VM, write {name: server-1, ip: 10.0.0.2} again."
		token    = "spec.token (or joinToken): an edit of it has no effect on nodes that run: a node needs the token to join, and not afterwards. New VMs get the new token, and join " +
			"only if it is the cluster's, too: docs/bootstrap.md, \"How to provide the token\"."
		founder = "spec.token: server-0 keeps the token with which it began the cluster until its VM is replaced: leave Secret old where it is."
	)

	secret := func(name string) *v1alpha1.K3sToken {
		return &v1alpha1.K3sToken{SecretRef: &v1alpha1.SecretKeyRef{Name: name, Key: "token"}, AllowPlaintext: true, TrustOnFirstUse: true}
	}

	cases := map[string]struct {
		reason string
		edit   func(*v1alpha1.K3sClusterSpec)
		want   []string
		after  []string // What is still said when the rollout is complete.
	}{
		"Nothing": {reason: "More memory is told by its field.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Servers.Class = "xlarge" }},
		"Gone":    {reason: "The entry is gone.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Nodes = s.Nodes[1:] }, want: []string{replaced + "asks for its address over DHCP." + kept}},
		"Other":   {reason: "The entry has another one.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Nodes[0].IP = "10.0.0.9" }, want: []string{replaced + "has 10.0.0.9." + kept}},
		"OnRequest": {
			reason: "Nothing is replaced.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Nodes, s.Rollout.ReplacePolicy = s.Nodes[1:], v1alpha1.ReplaceOnRequest
			},
		},
		"VMID": {
			reason: "The VM keeps what its entry does not say any more.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Nodes[1].VMID = nil },
			want: []string{"spec.nodes: no entry gives server-2 the VMID 4150 any more: its VM keeps it, and a VM that replaces it gets another one."},
		},
		"Node": {
			reason: "A new VM goes where there is room.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Nodes[1].ProxmoxNode = "" },
			want: []string{"spec.nodes: no entry gives server-2 the Proxmox node pve2 any more: its VM keeps it, and a VM that replaces it may get another one."},
		},
		"MAC": {
			reason: "The reservation on the DHCP server is for the old one.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Nodes[1].MAC = "" },
			want: []string{"spec.nodes: no entry gives server-2 the MAC address BC:24:11:00:00:53 any more: its VM keeps it, and a VM that replaces it gets another one, which a reservation " +
				"on a DHCP server does not know."},
		},
		"OtherVMID": {reason: "An edit that is refused is told by its condition.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Nodes[1].VMID = new(int64(4151)) }},
		"JoinToken": {
			reason: "The founder has no use of it.", edit: func(s *v1alpha1.K3sClusterSpec) { s.JoinToken = secret("join") },
			want: []string{token},
		},
		"Token": {
			reason: "The founder keeps its own for good.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Token = secret("new") },
			want:  []string{founder, token},
			after: []string{founder},
		},
		"SameKey": {
			reason: "It is the same Secret and the same key, in fewer words.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Token = secret("old"); s.Token.SecretRef.Key = "" },
		},
		"OtherKey": {
			reason: "It is another token of the same Secret.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Token = secret("old"); s.Token.SecretRef.Key = "next" },
			want:  []string{founder, token},
			after: []string{founder},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 0)
			spec.Token, spec.Nodes = secret("old"), []v1alpha1.ClusterNode{{Name: "server-1", IP: "10.0.0.2"}, {Name: "server-2", VMID: new(int64(4150)), ProxmoxNode: "pve2", MAC: "BC:24:11:00:00:53"}}

			s := newStory(t, spec)
			s.complete(40)

			if got := s.call().Announced; len(got) > 0 {
				t.Errorf("before the edit: %v", got)
			}

			tc.edit(&s.spec)

			if diff := cmp.Diff(tc.want, s.call().Announced); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			for range 80 {
				s.call()
			}

			if diff := cmp.Diff(tc.after, s.call().Announced); diff != "" {
				t.Errorf("%s\nafterwards: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSameSecret: two tokens of one Secret are one, whatever else is said of them.
func TestSameSecret(t *testing.T) {
	token := func(name, key string) map[string]any {
		return map[string]any{"secretRef": map[string]any{"name": name, "key": key}}
	}

	cases := map[string]struct {
		reason string
		a, b   map[string]any
		want   bool
	}{
		"Same":     {"The default is said by one of them.", token("k3s", ""), token("k3s", "token"), true},
		"OtherKey": {"It is another token.", token("k3s", ""), token("k3s", "next"), false},
		"Other":    {"It is another Secret.", token("k3s", "token"), token("new", "token"), false},
		"Files":    {"Neither is in a Secret.", map[string]any{"file": "/a"}, map[string]any{"file": "/b"}, false},
		"None":     {"The catalogue has it.", nil, nil, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := sameSecret(tc.a, tc.b); got != tc.want {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
