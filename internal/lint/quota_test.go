package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestQuota: a claim that alone is more than its tenant may have is refused by render, and so by lint.
func TestQuota(t *testing.T) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam"

	catalogue := func(quota string) string {
		return "\n---\n" + environment("defaults: {site: home, sshAuthorizedKeys: ["+key+"]}\nsites: {home: {nodes: {pve: {}}, network: {bridge: vmbr0, gateway: 192.168.4.1, cidr: 24}, vmIds: {from: 4000, to: 4999}}}\n"+
			"tenancy: {tenants: {a: {namespaces: [infra-machines], allow: [templates], quota: "+quota+"}}}")
	}

	vm := aMachine("size: {cores: 2, memory: 4Gi, disk: 30Gi}\nnetwork: {dhcp: true}")
	container := aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nsize: {cores: 1, memory: 1Gi, disk: 8Gi}\nnetwork: {dhcp: true}")
	cluster := aCluster("version: v1.36.5+k3s1\nendpoint: https://k3s.home.arpa:6443\ntoken: {secretRef: {name: t}, allowPlaintext: true, trustOnFirstUse: true}\n" +
		"servers: {count: 3, class: small}\nnodes: [{name: server-0, ip: 192.168.4.61}, {name: server-1, ip: 192.168.4.62}, {name: server-2, ip: 192.168.4.63}]")

	for name, tc := range map[string]struct {
		reason, document string
		want             []string
	}{
		"Room":      {"It fits.", vm + catalogue("{memory: 4Gi}"), nil},
		"Memory":    {"It does not.", vm + catalogue("{memory: 2Gi}"), []string{"spec.size.memory: tenant a has no room for this: this one alone has 4096Mi, and all may have 2048Mi"}},
		"None":      {"There may be none.", vm + catalogue("{machines: 0}"), []string{"kind: tenant a has no room for this: this one has 1 machine, and all may have 0 machines"}},
		"Container": {"A container counts as well.", container + catalogue("{disk: 4Gi}"), []string{"spec.size.disk: tenant a has no room for this: this one alone has 8Gi, and all may have 4Gi"}},
		"Cluster":   {"The nodes count together, and the first that has no room is told.", cluster + catalogue("{machines: 1}"), []string{"kind: tenant a has no room for this: its other machines have 1 machine, this one has 1 machine, and all may have 1 machine"}},
		"Fits":      {"Three are three.", cluster + catalogue("{machines: 3}"), nil},
		"Stranger":  {"Another namespace has no quota.", strings.Replace(vm, "infra-machines", "lab", 1) + catalogue("{machines: 0}"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string

			for _, f := range Check([]manifest.Raw{{File: "c.yaml", Documents: manifest.RawDocuments([]byte(tc.document))}}, nil, Options{}).Faults {
				if said, _, quota := strings.Cut(f.String(), " (EnvironmentConfig machine-catalog: data.tenancy"); quota {
					_, said, _ = strings.Cut(said, ": ")
					got = append(got, said)
				} else if f.Severity != Warning {
					t.Errorf("another fault: %s", f)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
