package resolve

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWarningsSayWhereAKeyStands: a value of the catalogue is not looked for in the claim.
func TestWarningsSayWhereAKeyStands(t *testing.T) {
	const document = `sites: {home: {nodes: {pve: {bridges: [vmbr0]}}, network: {gateway: 192.168.4.1, cidr: 24}}}
defaults: {site: home, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}
clusters:
  odd:
    server: https://192.168.4.210:6443
    version: v1.34.1+k3s1
    token: {file: /etc/rancher/k3s/token}
    disable: [flannel]
    proxy: {http: "http://proxy:3128", no: ["*.home.arpa"]}
    config: {quick-start: true, docker: true, flannel-conf: /etc/f.json, service-node-port-range: 20-40000, kubelet-arg: ["node-labels=a=b"], etcd-s3-config-secret: s3}
`

	cases := map[string]struct {
		reason, k3s string
		want        []string // Warnings about K3s, up to their first colon.
	}{
		"Cluster": {
			reason: "All stand in the catalogue.", k3s: "cluster: odd, role: server",
			want: []string{
				"data.clusters.odd.config", "data.clusters.odd.config[docker]", "data.clusters.odd.config[etcd-s3-config-secret]",
				"data.clusters.odd.config[flannel-conf]", "data.clusters.odd.config[kubelet-arg]", "data.clusters.odd.config[service-node-port-range]",
				"data.clusters.odd.disable", "data.clusters.odd.proxy.https", "data.clusters.odd.proxy.no",
			},
		},
		"Claim": {
			reason: "The claim's count before them.",
			k3s:    `cluster: odd, role: server, disable: [flannel], config: {quick-start: false, docker: true, flannel-conf: /etc/g.json, service-node-port-range: 22-30000, kubelet-arg: ["node-labels=c=d"], etcd-s3-config-secret: s4}`,
			want: []string{
				"data.clusters.odd.proxy.https", "data.clusters.odd.proxy.no", "spec.k3s.config", "spec.k3s.config[docker]", "spec.k3s.config[etcd-s3-config-secret]", "spec.k3s.config[flannel-conf]",
				"spec.k3s.config[kubelet-arg]", "spec.k3s.config[service-node-port-range]", "spec.k3s.disable",
			},
		},
		"Both": {
			reason: "Keys that nobody judges are named where they stand.", k3s: "cluster: odd, role: agent, config: {quicker-start: true}",
			want: []string{
				"data.clusters.odd.config", "data.clusters.odd.config[docker]", "data.clusters.odd.config[flannel-conf]", "data.clusters.odd.config[kubelet-arg]",
				"data.clusters.odd.proxy.https", "data.clusters.odd.proxy.no", "spec.k3s.config",
			},
		},
		"NoneDisabled": {
			reason: "An empty list disables nothing.", k3s: "cluster: odd, role: server, disable: []",
			want: []string{
				"data.clusters.odd.config", "data.clusters.odd.config[docker]", "data.clusters.odd.config[etcd-s3-config-secret]",
				"data.clusters.odd.config[flannel-conf]", "data.clusters.odd.config[kubelet-arg]", "data.clusters.odd.config[service-node-port-range]",
				"data.clusters.odd.proxy.https", "data.clusters.odd.proxy.no",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindNode, `{proxmox: {node: pve}, network: {ip: 192.168.4.53}, k3s: {`+tc.k3s+`}}`), aCatalog(t, document), Existing{})
			if m == nil {
				t.Fatalf("%s\nClaim(...): %v", tc.reason, errs)
			}

			var got []string

			for _, w := range m.Warnings {
				if where, _, _ := strings.Cut(w, ": "); strings.Contains(where, "config") || strings.Contains(where, "proxy") || strings.Contains(where, "disable") {
					got = append(got, where)
				}
			}

			slices.Sort(got)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
