package resolve

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInterfaceNames: cloud-init names the interfaces of a new guest, and another name is nobody's.
func TestInterfaceNames(t *testing.T) {
	const document = `
sites: {home: {nodes: {pve: {}}, network: {gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24}}}
images: {other: {url: "https://example.org/a.qcow2", os: other}}
clusters: {home: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}}}
`

	const names = "cloud-init names those of spec.network and spec.nics eth0, eth1 and so on. Write "

	const vpn = "spec.k3s.config[flannel-iface]: the guest has tailscale0 once a VPN is set up, and K3s does not start without it: install the VPN in runcmd of spec.bootstrap.userData, " +
		"which is over before K3s is installed, or have K3s set up Tailscale itself, with vpn-auth-file in place of flannel-iface."

	data := func(lines, more string) string {
		return `{proxmox: {site: home, node: pve}, network: {ip: 192.168.4.53}, bootstrap: {userData: "#cloud-config\n` + lines + `"}` + more + `}`
	}
	node := func(iface, more string) string {
		return `{proxmox: {site: home, node: pve}, network: {ip: 192.168.4.53}, k3s: {cluster: home, role: agent, config: {flannel-iface: ` + iface + `}}, bootstrap: {snippets: {vendorData: "local:snippets/token.yaml"}}` + more + `}`
	}

	cases := map[string]struct {
		reason, spec string
		existing     Existing
		want         string // The warning about interfaces; empty for none.
	}{
		"Slot":       {reason: "As an installed Debian has it.", spec: data(`runcmd: [ethtool -K ens18 tx off]`, ""), want: "spec.bootstrap.userData: line 2: the guest has no interface ens18: " + names + "eth0."},
		"SlotOfQ35":  {reason: "As q35 has it.", spec: data(`# ens18\nruncmd: [ip link set enp6s19 up]`, ", nics: [{bridge: vmbr1, dhcp: true}]"), want: "spec.bootstrap.userData: line 3: the guest has no interface enp6s19: " + names + "eth1."},
		"SlotBeyond": {reason: "The machine has one.", spec: data(`runcmd: [ip link set ens19 up]`, ""), want: "spec.bootstrap.userData: line 2: the guest has no interface ens19: " + names + "one of them."},
		"Order":      {reason: "Its name.", spec: data(`runcmd: [ip link set eth0 up]`, "")},
		"Passed":     {reason: "A device that is passed through has another place.", spec: data(`runcmd: [ip link set enp1s0 up, ls tokens18, ls ens180]`, "")},
		"Renamed":    {reason: "The claim asks for the name.", spec: data(`write_files: [{path: /etc/systemd/network/10-a.link, content: \"[Link]\\nName=ens18\\n\"}]`, "")},
		"Existing":   {reason: "Its first boot is over.", spec: data(`runcmd: [ethtool -K ens18 tx off]`, ""), existing: Existing{Node: "pve", Adopting: true}},
		"Other":      {reason: "Nobody knows the image.", spec: data(`runcmd: [ethtool -K ens18 tx off]`, ", image: other")},
		"Flannel":    {reason: "K3s ends.", spec: node("ens18", ""), want: "spec.k3s.config[flannel-iface]: the guest has no interface ens18, and K3s does not start without it: " + names + "eth0."},
		"FlannelTwo": {reason: "There is one.", spec: node("eth1", ""), want: "spec.k3s.config[flannel-iface]: the guest has no interface eth1, and K3s does not start without it: the machine has 1, which begin with eth0. Add one to spec.nics, or name another one."},
		"FlannelNIC": {reason: "There are two.", spec: node("eth1", ", nics: [{bridge: vmbr1, dhcp: true}]")},
		"FlannelVPN": {reason: "A program makes it, which somebody's snippet may install.", spec: node("tailscale0", "")},
		"NoVPN":      {reason: "Nothing installs it.", spec: strings.Replace(node("tailscale0", ""), `snippets: {vendorData: "local:snippets/token.yaml"}`, "", 1), want: vpn},
		"VPNOfK3s":   {reason: "K3s sets it up.", spec: strings.Replace(node("tailscale0, vpn-auth-file: /etc/vpn", ""), `snippets: {vendorData: "local:snippets/token.yaml"}`, "", 1)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, all := lastWarning(t, tc.spec, document, tc.existing, "has no interface", "once a VPN")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s\n%s", tc.reason, diff, all)
			}
		})
	}
}

// lastWarning of a claim that has one of some words in it, and all of them. With spec.k3s the claim is a K3sNode.
func lastWarning(t *testing.T, spec, document string, existing Existing, words ...string) (last string, all []string) {
	t.Helper()

	kind := kindMachine
	if strings.Contains(spec, "k3s:") {
		kind = kindNode
	}

	m, errs := Claim(aClaim(t, kind, spec), aCatalog(t, document), existing)
	if len(errs) > 0 {
		t.Fatalf("Claim(...): %v", errs)
	}

	for _, w := range m.Warnings {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(w, word) }) {
			last = w
		}
	}

	return last, m.Warnings
}
