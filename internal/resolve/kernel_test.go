package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFitsKernel: images that are older than what K3s needs of a kernel, and files of containerd that K3s does not take.
func TestFitsKernel(t *testing.T) {
	const document = `sites: {home: {nodes: {pve: {bridges: [vmbr0]}}, network: {gateway: 192.168.4.1, cidr: 24}}}
images:
  focal: {url: "https://x.lab/focal-server-cloudimg-amd64.img", os: ubuntu}
  noble: {url: "https://x.lab/noble-server-cloudimg-amd64.img", os: ubuntu}
  bullseye: {url: "https://x.lab/debian-11-generic-amd64.qcow2", os: debian}
  trixie: {url: "https://x.lab/debian-13-generic-amd64.qcow2", os: debian}
  rocky8: {volume: "local:import/Rocky-8-GenericCloud-Base.latest.x86_64.qcow2", os: linux}
  rocky9: {volume: "local:import/Rocky-9-GenericCloud-Base.latest.x86_64.qcow2", os: linux}
  stream8: {url: "https://x.lab/CentOS-Stream-GenericCloud-8-20240603.0.x86_64.qcow2", os: linux}
defaults: {site: home, image: noble, adminUser: ops, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}
clusters: {home: {server: "https://k3s.lab:6443", version: v1.35.1+k3s1, token: {file: /etc/rancher/k3s/token}}}
`

	const (
		groups = ": its processes are in cgroups of version 1"
		rules  = "spec.k3s.config[kube-proxy-arg]: proxy-mode=nftables needs Linux 5.13"
		file   = "spec.bootstrap.userData: /var/lib/rancher/k3s/agent/etc/containerd/config.toml: K3s writes this file anew"
	)

	node := func(image, k3s string) string {
		return "{proxmox: {node: pve}, image: " + image + ", network: {ip: 192.168.4.53}, k3s: {cluster: home, role: agent" + k3s + "}}"
	}
	data := func(yaml, k3s string) string {
		return `{proxmox: {node: pve}, image: rocky8, network: {ip: 192.168.4.53}, bootstrap: {userData: "#cloud-config\n` + yaml + `"}, k3s: {cluster: home, role: agent` + k3s + `}}`
	}

	const (
		nft   = ", config: {kube-proxy-arg: [proxy-mode=nftables]}"
		older = ", version: v1.34.5+k3s1"
		write = "write_files: [{path: /var/lib/rancher/k3s/agent/etc/containerd/config.toml, content: x}]"
	)

	cases := map[string]struct {
		reason, spec string
		existing     Existing
		want         []string
	}{
		"Focal":    {reason: "Ubuntu has them in one tree since 21.10.", spec: node("focal", ""), want: []string{groups}},
		"Rocky8":   {reason: "The family of RHEL has since 9.", spec: node("rocky8", ""), want: []string{groups}},
		"Stream8":  {reason: "The number is elsewhere in the name.", spec: node("stream8", ""), want: []string{groups}},
		"Rocky9":   {reason: "A later one.", spec: node("rocky9", "")},
		"Noble":    {reason: "A later one.", spec: node("noble", "")},
		"Debian11": {reason: "Debian has them since 11.", spec: node("bullseye", "")},
		"Before":   {reason: "The kubelet still starts.", spec: node("rocky8", older)},
		"Told":     {reason: "It is told to.", spec: node("rocky8", ", config: {kubelet-arg: [fail-cgroupv1=false]}")},
		"Line":     {reason: "The document changes the kernel's command line.", spec: data(`runcmd: [grubby --update-kernel=ALL --args=systemd.unified_cgroup_hierarchy=1]`, "")},
		"Lives":    {reason: "Its guest is what it is.", spec: node("rocky8", ""), existing: Existing{Node: "pve"}},
		"Rules":    {reason: "Its kernel is 5.10.", spec: node("bullseye", nft), want: []string{rules}},
		"RulesNew": {reason: "Its kernel is 6.12.", spec: node("trixie", nft)},
		"Config":   {reason: "K3s' own file.", spec: data(write, older), want: []string{file}},
		"Docker":   {reason: "containerd is somebody else's.", spec: data("write_files: [{path: /etc/containerd/config.toml, content: x}]", older+", config: {docker: true}")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindNode, tc.spec), aCatalog(t, document), tc.existing)
			if len(errs) > 0 {
				t.Fatalf("%s\nClaim(...): %v", tc.reason, errs)
			}

			var got []string

			for _, w := range m.Warnings {
				for _, begin := range []string{groups, rules, file, "userData: /etc/containerd/config.toml"} {
					if strings.Contains(w, begin) {
						got = append(got, begin)
					}
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
