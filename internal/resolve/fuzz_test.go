package resolve

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// FuzzClaim mutates whole composites: no panic, the same answer twice, and either a machine or a fault.
func FuzzClaim(f *testing.F) {
	for _, spec := range []string{
		`{"proxmox": {"node": "pve"}}`,
		`{"image": "nixos", "proxmox": {"site": "home"}, "nix": {"flakeRef": "github:a/b"}, "network": {"ip": "10.0.0.5", "ipv6": {"auto": true}}}`,
		`{"k3s": {"cluster": "home", "role": "agent", "config": {"a": 1}}, "image": 9000, "size": {"memory": 1}, "disks": [{"name": "a", "size": 5}]}`,
		`{"lifecycle": {"replace": "a", "rebootPolicy": "WhenNeeded"}, "adopt": {"vmId": 108}, "proxmox": {"site": "home", "node": "pve", "migrate": true}, "k3s": {"role": "server"}}`,
		`{"k3s": {"role": "server", "init": true}, "image": "local:iso/x.iso", "nics": [{"bridge": "br1", "ip": "::1"}], "devices": {"pci": [{}]}}`,
	} {
		f.Add(spec, "K3sNode", "", false)
		f.Add(spec, "XMachine", "pve", false)
		f.Add(spec, "Machine", "b", true)
	}

	c := aCatalog(f, `
images: {nixos: {template: 9000, os: nixos, disk: 20Gi}, broken: {url: "x"}}
sites: {home: {nodes: {pve: {bridges: [vmbr0], storages: {local: [import]}}, b: {pci: []}}, network: {gateway: 10.0.0.1, cidr: 24}, vmIds: {from: 100, to: 101}}}
clusters: {home: {server: "https://x:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, config: {cluster-cidr: 10.0.0.0/8, node-ip: 10.0.0.1}}}
`)

	f.Fuzz(func(t *testing.T, spec, kind, node string, adopting bool) {
		composite := func() map[string]any {
			var s any
			if json.Unmarshal([]byte(spec), &s) != nil {
				return nil
			}

			return map[string]any{"kind": kind, "metadata": map[string]any{"name": "m", "namespace": "n"}, "spec": s}
		}

		if composite() == nil {
			return
		}

		answer := func() (*machine.Machine, []string) {
			decoded := claim.Decode(composite())
			m, errs := Claim(decoded, c, Existing{Node: node, Adopting: adopting})

			var out []string
			for _, err := range errs {
				out = append(out, err.Error())
			}

			return m, out
		}

		m, errs := answer()
		if (m == nil) == (len(errs) == 0) {
			t.Fatalf("Claim(%s): want a machine or faults, got %v and %v", spec, m, errs)
		}

		for range 3 {
			m2, errs2 := answer()
			if diff := cmp.Diff(m, m2) + cmp.Diff(errs, errs2); diff != "" {
				t.Fatalf("Claim(%s) is not deterministic: %s", spec, diff)
			}
		}
	})
}

func BenchmarkClaim(b *testing.B) {
	document := map[string]any{}
	if err := yaml.Unmarshal([]byte(`
kind: K3sNode
metadata: {name: server-2, namespace: infra, uid: u}
spec:
  class: small
  role: k3s-server
  tags: [core]
  network: {ip: 192.168.4.212, mac: "BC:24:11:00:00:53"}
  proxmox: {site: home}
  disks: [{name: data, size: 5Gi}]
  bootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI ops@home]}
  k3s: {cluster: home, role: server, labels: {a: b}, taints: ["a=b:NoSchedule"]}
`), &document); err != nil {
		b.Fatal(err)
	}

	c := aCatalog(b, `
sites: {home: {nodes: {pve: {bridges: [vmbr0], storages: {local-lvm: [images], local: [import, snippets]}}}, network: {gateway: 192.168.4.1, cidr: 24}, vmIds: {from: 1000, to: 1999}}}
clusters: {home: {server: "https://x:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, config: {secrets-encryption: true}}}
`)

	b.ReportAllocs()

	for b.Loop() {
		decoded := claim.Decode(document)
		if _, errs := Claim(decoded, c, Existing{}); len(errs) > 0 {
			b.Fatal(errs.ToAggregate())
		}
	}
}
