package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// saying are the warnings of a machine that have a word.
func saying(t *testing.T, kind, spec, document, word string) []string {
	t.Helper()

	var out []string

	for _, w := range aMachine(t, kind, spec, document, Existing{}).Warnings {
		if strings.Contains(w, word) {
			out = append(out, w)
		}
	}

	return out
}

// TestLoginPort: sshd at another port than the firewall opens is reached by nobody.
func TestLoginPort(t *testing.T) {
	const said = "spec.firewall: opens TCP 22, and bootstrap.userData have sshd listen at 2222, where nobody reaches it: add {port: 2222} to spec.firewall.allow, or leave sshd at 22."

	for name, tc := range map[string]struct {
		reason, firewall, content string
		want                      []string
	}{
		"Preset":   {"It opens 22 alone.", "{preset: ssh}", "Port 2222", []string{said}},
		"Rule":     {"So does a rule.", "{preset: none, allow: [{port: 22}, {port: 80}]}", "Port 2222", []string{said}},
		"Opened":   {"As it should be.", "{preset: ssh, allow: [{port: 2222}]}", "Port 2222", nil},
		"Range":    {"A range has it.", "{preset: ssh, allow: [{port: \"2000-3000\"}]}", "Port 2222", nil},
		"Below":    {"A range below it has not.", "{preset: ssh, allow: [{port: \"2000-2221\"}]}", "Port 2222", []string{said}},
		"Datagram": {"Another protocol does not.", "{preset: ssh, allow: [{port: 2222, protocol: udp}]}", "Port 2222", []string{said}},
		"Both":     {"One of two ports is enough.", "{preset: ssh}", "Port 22\\nPort 2222", nil},
		"Without":  {"Nobody wants SSH from outside.", "{allow: [{port: 80}]}", "Port 2222", nil},
		"Off":      {"It filters nothing.", "{enabled: false, preset: ssh}", "Port 2222", nil},
		"Same":     {"sshd's own port, written out.", "{preset: ssh}", "Port 22", nil},
		"Silent":   {"Other settings of sshd.", "{preset: ssh}", "PermitRootLogin no", nil},
	} {
		spec := `{proxmox: {node: pve}, network: {ip: 192.168.4.53/24, gateway: 192.168.4.1}, firewall: ` + tc.firewall +
			`, bootstrap: {userData: "#cloud-config\nwrite_files: [{path: /etc/ssh/sshd_config.d/a.conf, content: \"` + tc.content + `\"}]\n"}}`
		if diff := cmp.Diff(tc.want, saying(t, "Machine", spec, `{}`, "sshd listen")); diff != "" {
			t.Errorf("%s: %s\n-want, +got:\n%s", name, tc.reason, diff)
		}
	}
}

// TestBalancerOnServer: HAProxy takes the port of the API on a server, and on an agent nobody's.
func TestBalancerOnServer(t *testing.T) {
	for role, want := range map[string]int{"server": 1, "agent": 0} {
		spec := `{proxmox: {node: pve}, network: {ip: 192.168.4.53/24, gateway: 192.168.4.1}, k3s: {role: ` + role + `, server: "https://192.168.4.79:6443", version: v1.33.6+k3s1, token: {file: /t/oken}}, ` +
			`bootstrap: {userData: "#cloud-config\nwrite_files: [{path: /etc/haproxy/haproxy.cfg, content: \"bind *:6443\"}]\n"}}`
		if got := saying(t, claim.KindK3sNode, spec, `{}`, "/etc/haproxy/haproxy.cfg: listens at 6443"); len(got) != want {
			t.Errorf("%s: got %v, want %d", role, got, want)
		}
	}
}

// TestSharedExternalAddress: one external address in the config of a cluster is that of all its nodes.
func TestSharedExternalAddress(t *testing.T) {
	const said = "data.clusters.home.config[node-external-ip]: all nodes that have this config have one external address, and with flannel-external-ip each sends the packets of its pods for any other node there, " +
		"where they do not arrive: remove flannel-external-ip, or give each node its own address, in config of a K3sNode."

	for name, tc := range map[string]struct {
		reason, config, own string
		want                []string
	}{
		"Shared":  {"Each node is at the router.", "{node-external-ip: 203.0.113.7, flannel-backend: wireguard-native, flannel-external-ip: true}", "{}", []string{said}},
		"Own":     {"The node says its own.", "{node-external-ip: 203.0.113.7, flannel-backend: wireguard-native, flannel-external-ip: true}", "{node-external-ip: 203.0.113.8}", nil},
		"Inside":  {"flannel takes the other addresses.", "{node-external-ip: 203.0.113.7}", "{}", nil},
		"First":   {"The only node, maybe.", "{node-external-ip: 203.0.113.7, flannel-backend: wireguard-native, flannel-external-ip: true}", "first", nil},
		"Nowhere": {"There is none.", "{flannel-backend: wireguard-native, flannel-external-ip: true}", "{}", nil},
	} {
		document := `{sites: {home: {nodes: {pve: {}}}}, clusters: {home: {server: "https://k3s.home.arpa:6443", version: v1.33.6+k3s1, config: ` + tc.config + `}}}`
		spec := `{proxmox: {site: home, node: pve}, network: {ip: 192.168.4.53/24, gateway: 192.168.4.1}, k3s: {cluster: home, role: agent, token: {file: /t/oken}, config: ` + tc.own + `}}`
		if tc.own == "first" {
			spec = `{proxmox: {site: home, node: pve}, network: {ip: 192.168.4.53/24, gateway: 192.168.4.1}, k3s: {cluster: home, role: server, init: true, token: {file: /t/oken}}}`
		}

		if diff := cmp.Diff(tc.want, saying(t, claim.KindK3sNode, spec, document, "one external address")); diff != "" {
			t.Errorf("%s: %s\n-want, +got:\n%s", name, tc.reason, diff)
		}

		// With flannel-external-ip all nodes reach each other at such addresses, as K3s' documentation has it.
		if got := saying(t, claim.KindK3sNode, spec, document, "is no address of this machine"); len(got) > 0 {
			t.Errorf("%s: %s\ngot %v", name, tc.reason, got)
		}
	}
}
