package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// rulesOf a firewall, a line each: protocol, ports and sources.
func rulesOf(f *machine.Firewall) []string {
	if f == nil {
		return nil
	}

	var out []string
	for _, r := range f.Rules {
		out = append(out, strings.Join(strings.Fields(r.Macro+r.Protocol+" "+r.Port+" "+r.From+" "+r.Group), " "))
	}

	return out
}

// TestFirewallRules: what a preset accepts, from where.
func TestFirewallRules(t *testing.T) {
	const (
		private = "10.0.0.0/8,100.64.0.0/10,172.16.0.0/12,192.168.0.0/16"
		fixed   = `network: {ip: 192.168.4.53/24, gateway: 192.168.4.1}`
		sites   = `{sites: {home: {nodes: {pve: {}}, firewall: {groups: [web, db], ipSets: [lan], aliases: [nas]}}}, clusters: {
			vxlan: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1},
			wg: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, config: {flannel-backend: wireguard-native}},
			gw: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, config: {flannel-backend: host-gw, cluster-cidr: "10.44.0.0/16,fd44::/56"}},
			cni: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, config: {flannel-backend: none, disable-network-policy: true}},
			shared: {server: "https://192.168.4.210:7443", version: v1.33.6+k3s1, config: {embedded-registry: true, https-listen-port: 7443}}}}`
	)

	node := func(role, cluster, firewall string) string {
		return `{proxmox: {site: home, node: pve}, ` + fixed + `, firewall: ` + firewall + `, k3s: {role: ` + role + `, ` + cluster + `, token: {file: /etc/rancher/k3s/token}}, ` +
			`bootstrap: {snippets: {vendorData: "local:snippets/token.yaml"}}}`
	}
	mac := func(network, firewall string) string {
		return `{proxmox: {site: home, node: pve}, ` + network + `, firewall: ` + firewall + `}`
	}
	inside := func(rules ...string) []string {
		out := []string{"Ping", "tcp 22 192.168.4.0/24"}
		for _, r := range rules {
			out = append(out, strings.Replace(r, "private", private, 1))
		}

		return out
	}

	cases := map[string]struct {
		reason, kind, spec string
		want               []string
		warns              string
	}{
		"None":    {reason: "Nobody asks for rules.", kind: "Machine", spec: mac(fixed, `{}`)},
		"SSH":     {reason: "From the network of its address.", kind: "Machine", spec: mac(fixed, `{preset: ssh}`), want: inside()},
		"SSHDHCP": {reason: "Nobody knows its network.", kind: "Machine", spec: mac(`network: {dhcp: true}`, `{preset: ssh}`), want: []string{"Ping", "tcp 22 " + private}},
		"SSHNetworks": {
			reason: "Both of its networks, and those of both families.", kind: "Machine",
			spec: mac(`network: {ip: 192.168.4.53/24, ipv6: {ip: "2001:db8:4::53/64"}}, nics: [{bridge: vmbr1, ip: 10.30.0.5/24}, {bridge: vmbr2}]`, `{preset: ssh}`),
			want: []string{"Ping", "tcp 22 192.168.4.0/24,10.30.0.0/24", "tcp 22 2001:db8:4::/64"},
		},
		"SSHSLAAC": {
			reason: "Router advertisements do not name a network here.", kind: "Machine", spec: mac(`network: {ip: 192.168.4.53/24, ipv6: {auto: true}}`, `{preset: ssh}`),
			want: []string{"Ping", "tcp 22 192.168.4.0/24", "tcp 22 fc00::/7,fe80::/10"},
		},
		"Allow": {
			reason: "Ranges as Proxmox spells them, TCP without a word, and nothing twice.", kind: "Machine",
			spec: mac(fixed, `{preset: ssh, allow: [{port: 443}, {port: 30000-32767, protocol: udp, from: "2001:DB8::/32"}, {port: 22, from: 192.168.4.0/24, comment: again}, {port: "443"}]}`),
			want: inside("tcp 443", "udp 30000:32767 2001:db8::/32"),
		},
		"Named": {
			reason: "Names of the datacenter in one spelling, and security groups last, in their order, once.", kind: "Machine",
			spec: mac(fixed, `{preset: ssh, allow: [{group: web, comment: shop}, {port: 22, from: +lan}, {group: db}, {port: 22, from: +dc/lan}, {port: 2049, from: dc/nas}, {group: web}]}`),
			want: inside("tcp 22 +dc/lan", "tcp 2049 dc/nas", "web", "db"),
		},
		"Server": {
			reason: "VXLAN is the default of K3s.", kind: "K3sNode", spec: node("server", "cluster: vxlan", "{preset: k3s-server}"),
			want: inside("tcp 6443", "tcp 2379:2380 private", "tcp 10250 private", "udp 8472 private"),
		},
		"Agent":     {reason: "No API, no etcd.", kind: "K3sNode", spec: node("agent", "cluster: vxlan", "{preset: k3s-agent}"), want: inside("tcp 10250 private", "udp 8472 private")},
		"WireGuard": {reason: "The backend of its cluster.", kind: "K3sNode", spec: node("agent", "cluster: wg", "{preset: k3s-agent}"), want: inside("tcp 10250 private", "udp 51820:51821 private")},
		"SharedImages": {
			reason: "Nodes fetch images from each other, of agents at the port of the API, too.", kind: "K3sNode", spec: node("agent", "cluster: shared", "{preset: k3s-agent}"),
			want: inside("tcp 5001 private", "tcp 7443 private", "tcp 10250 private", "udp 8472 private"),
		},
		"SharedImagesServer": {
			reason: "The API is where the config says.", kind: "K3sNode", spec: node("server", "cluster: shared", "{preset: k3s-server}"),
			want: inside("tcp 7443", "tcp 2379:2380 private", "tcp 5001 private", "tcp 10250 private", "udp 8472 private"),
		},
		"NoEtcd": {
			reason: "Nobody asks a server without etcd for it.", kind: "K3sNode", spec: node("server", "cluster: vxlan, config: {disable-etcd: true}", "{preset: k3s-server}"),
			want: inside("tcp 6443", "tcp 10250 private", "udp 8472 private"),
		},
		"HostGateway": {
			reason: "Pods come under their own addresses.", kind: "K3sNode",
			spec: strings.Replace(node("agent", "cluster: gw", "{preset: k3s-agent}"), "192.168.4.1}", `192.168.4.1, ipv6: {ip: "fd04::53/64"}}`, 1),
			want: []string{
				"Ping", "tcp 22 192.168.4.0/24", "tcp 22 fd04::/64", "tcp 10250 " + private, "tcp 10250 fc00::/7,fe80::/10", "10.44.0.0/16", "fd44::/56",
			},
		},
		"OtherPlugin": {reason: "Nobody knows its ports.", kind: "K3sNode", spec: node("agent", "cluster: cni", "{preset: k3s-agent}"), want: inside("tcp 10250 private"), warns: "name them in spec.firewall.allow"},
		"UnknownBackend": {
			reason: "An agent without an entry of the catalogue does not know its servers' backend.", kind: "K3sNode",
			spec: node("agent", `clusterName: lab, server: "https://192.168.4.210:6443", version: v1.33.6+k3s1`, "{preset: k3s-agent}"),
			want: inside("tcp 10250 private", "udp 8472 private", "udp 51820:51821 private"),
		},
		"Public": {
			reason: "A network that is not private is its own all the same.", kind: "Machine", spec: mac(`network: {ip: 203.0.113.5/24}`, `{preset: k3s-agent}`),
			want: []string{"Ping", "tcp 22 203.0.113.0/24", "tcp 10250 " + private + ",203.0.113.0/24", "udp 8472 " + private + ",203.0.113.0/24", "udp 51820:51821 " + private + ",203.0.113.0/24"},
		},
		"SwitchOff": {
			reason: "An interface that the claim keeps out.", kind: "Machine", spec: mac(`network: {ip: 192.168.4.53/24, firewall: false}`, `{preset: ssh}`), want: inside(),
			warns: "spec.network.firewall is false, so spec.firewall does not filter this interface",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aMachine(t, tc.kind, tc.spec, sites, Existing{})
			if diff := cmp.Diff(tc.want, rulesOf(m.Firewall)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if got := strings.Join(m.Warnings, "\n"); tc.warns == "" && strings.Contains(got, "firewall") || !strings.Contains(got, tc.warns) {
				t.Errorf("%s\nwarnings: %q, want %q", tc.reason, got, tc.warns)
			}
		})
	}
}

// TestFirewallSwitches: a firewall that is on has the switches of the interfaces on; one that is off, or none, leaves them.
func TestFirewallSwitches(t *testing.T) {
	for firewall, want := range map[string]bool{`{preset: ssh}`: true, `{}`: true, `{enabled: false, preset: ssh}`: false} {
		m := aMachine(t, "Machine", `{proxmox: {node: pve}, nics: [{bridge: vmbr1}], firewall: `+firewall+`}`, `{}`, Existing{})

		for i, n := range m.NICs {
			if n.Firewall == nil || *n.Firewall != want {
				t.Errorf("%s: interface %d: %v, want %v", firewall, i, n.Firewall, want)
			}
		}
	}
}

// TestFirewallNames: what rules name of the datacenter's firewall is in the catalogue, before anything is written.
func TestFirewallNames(t *testing.T) {
	const listed = `{sites: {home: {nodes: {pve: {}}, firewall: {groups: [web], ipSets: [lan, mgmt], aliases: [nas]}}, bare: {nodes: {pve: {}}}}}`

	at := func(site, rules string) string {
		return `{proxmox: {site: ` + site + `, node: pve}, firewall: {allow: [` + rules + `]}}`
	}

	cases := map[string]struct {
		reason, kind, catalogue, spec string
		want                          []string
	}{
		"Listed": {reason: "The site has all of them.", spec: at("home", "{group: web}, {port: 22, from: +lan}, {port: 22, from: +dc/mgmt}, {port: 22, from: dc/nas}")},
		"Typos": {
			reason: "Each with the names of its own kind.", spec: at("home", "{group: wbe}, {port: 22, from: +lna}, {port: 22, from: dc/other}"),
			want: []string{
				`spec.firewall.allow[0].group: Invalid value: "wbe": site 'home' has no security group of this name. If Proxmox has it (Datacenter, Firewall), add it to data.sites.home.firewall.groups; did you mean web?`,
				`spec.firewall.allow[1].from: Invalid value: "+lna": site 'home' has no IP set of this name. If Proxmox has it (Datacenter, Firewall), add it to data.sites.home.firewall.ipSets; did you mean lan? There are: lan, mgmt`,
				`spec.firewall.allow[2].from: Invalid value: "dc/other": site 'home' has no alias of this name. If Proxmox has it (Datacenter, Firewall), add it to data.sites.home.firewall.aliases; there are: nas`,
			},
		},
		"MixedUp": {
			reason: "The site lists the name as something else.", spec: at("home", "{group: nas}, {port: 22, from: +dc/nas}, {port: 22, from: dc/lan}, {port: 22, from: +web}"),
			want: []string{
				`spec.firewall.allow[0].group: Invalid value: "nas": site 'home' has no security group of this name, but an alias: write from: dc/nas, beside a port`,
				`spec.firewall.allow[1].from: Invalid value: "+dc/nas": site 'home' has no IP set of this name, but an alias: write from: dc/nas, beside a port`,
				`spec.firewall.allow[2].from: Invalid value: "dc/lan": site 'home' has no alias of this name, but an IP set: write from: +dc/lan, beside a port`,
				`spec.firewall.allow[3].from: Invalid value: "+web": site 'home' has no IP set of this name, but a security group: the whole rule is {group: web}`,
			},
		},
		"NoLists": {
			reason: "A site that lists none.", spec: at("bare", "{group: web}"),
			want: []string{`spec.firewall.allow[0].group: Invalid value: "web": site 'bare' has no security group of this name. If Proxmox has it (Datacenter, Firewall), add it to data.sites.bare.firewall.groups; there are none`},
		},
		"NoSite": {
			reason: "A machine without a site.", catalogue: "{}", spec: `{proxmox: {node: pve}, firewall: {allow: [{port: 22, from: +lan}]}}`,
			want: []string{`spec.firewall.allow[0].from: Invalid value: "+lan": names IP set lan of a datacenter, and the machine has no site: name a site (proxmox.site, or defaults.site in the catalogue) whose firewall.ipSets lists it`},
		},
		"Container": {
			reason: "A container's rules are the same.", kind: "Container", spec: `{image: "local:vztmpl/debian.tar.zst", os: debian, proxmox: {site: bare, node: pve, vmId: 150}, firewall: {allow: [{port: 22, from: dc/nas}]}}`,
			want: []string{`spec.firewall.allow[0].from: Invalid value: "dc/nas": site 'bare' has no alias of this name. If Proxmox has it (Datacenter, Firewall), add it to data.sites.bare.firewall.aliases; there are none`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = "Machine"
			}

			sites := tc.catalogue
			if sites == "" {
				sites = listed
			}

			var got []string

			for _, err := range refusals(aClaim(t, kind, tc.spec), aCatalog(t, sites)) {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
