package packages

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
)

// TestRightsOfCrossplane: what the documentation has people apply gives Crossplane all that it needs of a kind, and nothing else.
func TestRightsOfCrossplane(t *testing.T) {
	read := []any{"get", "list", "watch"}
	compose := []any{"get", "list", "watch", "create", "update", "patch", "delete"}

	cases := map[string]struct {
		reason string
		file   string
		want   []any
	}{
		"DNSEndpoints": {
			reason: "The function composes them.",
			file:   "install/dns/dns.yaml",
			want:   []any{rule(externaldns.Group, "dnsendpoints", compose...)},
		},
		"AddressClaims": {
			reason: "The function composes claims, and reads the addresses that the pool gives them.",
			file:   "install/ipam/ipam.yaml",
			want:   []any{rule(ipam.Group, "ipaddressclaims", compose...), rule(ipam.Group, "ipaddresses", read...)},
		},
		"Nodes": {
			reason: "The function asks for the Nodes of the cluster that it runs in, and only provider-kubernetes may delete one.",
			file:   "install/observe/nodes.yaml",
			want:   []any{rule("", "nodes", read...)},
		},
		"PersistentVolumes": {
			reason: "The function asks for them before a machine goes.",
			file:   "install/observe/volumes.yaml",
			want:   []any{rule("", "persistentvolumes", read...)},
		},
		"Snapshots": {
			reason: "The function says how old the newest snapshot of etcd is.",
			file:   "install/observe/snapshots.yaml",
			want:   []any{rule("k3s.cattle.io", "etcdsnapshotfiles", read...)},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := documents(t, filepath.Join(root, tc.file))
			if len(all) != 1 || all[0]["kind"] != "ClusterRole" {
				t.Fatalf("%s\nwant one ClusterRole, got %v", tc.reason, all)
			}

			if diff := cmp.Diff(tc.want, all[0]["rules"]); diff != "" {
				t.Errorf("%s\nrules: -want, +got:\n%s", tc.reason, diff)
			}

			metadata, _ := all[0]["metadata"].(map[string]any)
			if diff := cmp.Diff(map[string]any{"rbac.crossplane.io/aggregate-to-crossplane": "true"}, metadata["labels"]); diff != "" {
				t.Errorf("%s\nCrossplane does not get the rights: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// rule of a role about one resource.
func rule(group, resource string, verbs ...any) any {
	return map[string]any{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": verbs}
}
