package resolve

import (
	"strings"
	"testing"
)

// TestManifests: a new node hears of manifests that K3s does not deploy as they are written, and a node that runs does not.
func TestManifests(t *testing.T) {
	const (
		text  = `"#cloud-config\nwrite_files: [{path: /var/lib/rancher/k3s/server/manifests/traefik.yaml, content: 'kind: ConfigMap'}]"`
		says  = "spec.bootstrap.userData: /var/lib/rancher/k3s/server/manifests/traefik.yaml: K3s writes this file anew whenever it starts"
		agent = "spec.bootstrap.userData: /var/lib/rancher/k3s/server/manifests/traefik.yaml: an agent deploys no manifests"
	)

	spec := func(role, more string) string {
		return `{proxmox: {node: pve}, network: {ip: 192.168.4.9, cidr: 24, gateway: 192.168.4.1}, bootstrap: {userData: ` + text + `}, k3s: {cluster: home, role: ` + role + more + `}}`
	}

	cases := map[string]struct {
		reason, spec string
		existing     Existing
		want         string
	}{
		"Server": {reason: "K3s has a file of that name.", spec: spec("server", ""), want: says},
		"Agent":  {reason: "It deploys nothing.", spec: spec("agent", ""), want: agent},
		"Folder": {reason: "K3s' folder is elsewhere.", spec: spec("server", ", config: {data-dir: /srv/k3s}")},
		"Living": {reason: "cloud-init has run.", spec: spec("server", ""), existing: Existing{Node: "pve"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindNode, tc.spec), aCatalog(t, `clusters: {home: {server: "https://k3s.home.arpa:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}}}`), tc.existing)
			if len(errs) > 0 {
				t.Fatalf("%s\nClaim(...): %v", tc.reason, errs)
			}

			all := strings.Join(m.Warnings, "\n")
			if !strings.Contains(all, tc.want) || tc.want == "" && strings.Contains(all, "manifests") {
				t.Errorf("%s\nwarnings: %q, want %q", tc.reason, all, tc.want)
			}
		})
	}
}
