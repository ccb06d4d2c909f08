package k3s

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAdditions(t *testing.T) {
	const endpoint = "https://k3s.home.arpa:6443"

	one := []Interface{{Name: "eth0", Addresses: []string{"172.16.5.21"}}}
	two := slices.Concat(one, []Interface{{Name: "eth1", Addresses: []string{"192.168.4.21", "fd00::21"}}})

	cases := map[string]struct {
		reason     string
		node       Node
		interfaces []Interface
		want       Additions
	}{
		"Server":       {"The endpoint is in the certificate of every server.", Node{Role: RoleServer, ServerURL: endpoint}, one, Additions{Names: []string{"k3s.home.arpa"}}},
		"FirstServer":  {"Of the first one, too: the others join by it.", Node{Role: RoleInit, ServerURL: endpoint}, one, Additions{Names: []string{"k3s.home.arpa"}}},
		"Address":      {"An address is a name in a certificate.", Node{Role: RoleServer, ServerURL: "https://[fd00::1]:6443"}, one, Additions{Names: []string{"fd00::1"}}},
		"Named":        {"It is there already.", Node{Role: RoleServer, ServerURL: endpoint, TLSSANs: []string{"x", "K3S.home.arpa"}}, one, Additions{}},
		"Agent":        {"An agent has no such certificate.", Node{Role: RoleAgent, ServerURL: endpoint}, one, Additions{}},
		"Alone":        {"A first server without an endpoint.", Node{Role: RoleInit}, one, Additions{}},
		"OneInterface": {"K3s has no choice.", Node{Role: RoleAgent, NodeIP: "172.16.5.21"}, one, Additions{}},
		"TwoInterfaces": {
			"Flannel takes the default route's interface otherwise.", Node{Role: RoleAgent, NodeIP: "172.16.5.21"}, two, Additions{Interface: "eth0"},
		},
		"DHCP": {"The interface is said, and K3s takes its address.", Node{Role: RoleAgent, FlannelIface: "eth0"}, two, Additions{}},
		"OwnAddress": {
			"The claim's own address is on another interface than that of config.yaml.",
			Node{Role: RoleAgent, FlannelIface: "eth0", Config: map[string]any{"node-ip": []any{"fd00::21"}}},
			two,
			Additions{Interface: "eth1"},
		},
		"OwnInterface": {"What the claim says stays.", Node{Role: RoleAgent, NodeIP: "172.16.5.21", Config: map[string]any{"flannel-iface": "eth1"}}, two, Additions{}},
		"Elsewhere":    {"Nobody knows where the address is.", Node{Role: RoleAgent, Config: map[string]any{"node-ip": "10.9.9.9"}}, two, Additions{}},
		"VPN":          {"The VPN has an interface of its own.", Node{Role: RoleAgent, NodeIP: "172.16.5.21", Config: map[string]any{"vpn-auth-file": "/etc/vpn"}}, two, Additions{}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.node.Additions(tc.interfaces)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
