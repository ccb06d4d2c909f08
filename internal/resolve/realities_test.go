package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestWhatNoHostCanHave: addresses and sizes that work on nobody's machine, as people write them.
func TestWhatNoHostCanHave(t *testing.T) {
	const document = `sites: {home: {nodes: {pve: {bridges: [vmbr0, vmbr1]}}, network: {gateway: 192.168.4.1, cidr: 24}}}
defaults: {site: home, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}`

	server := func(url string) string {
		return "{network: {ip: 192.168.4.50}, k3s: {role: agent, version: v1.33.6+k3s1, token: {file: /t/oken}, server: \"" + url + "\"}}"
	}

	sized := func(role, size string) string {
		return "{size: " + size + ", network: {ip: 192.168.4.50}, k3s: {role: " + role + ", version: v1.33.6+k3s1, token: {file: /t/oken}, server: \"https://k3s.home.arpa:6443\"}}"
	}

	bound := func(network, config string) string {
		return "{network: " + network + ", k3s: {role: server, version: v1.33.6+k3s1, token: {file: /t/oken}, server: \"https://k3s.home.arpa:6443\", config: " + config + "}}"
	}

	boundServer := func(config string) string {
		return "{network: {ip: 192.168.4.50}, k3s: {role: server, version: v1.33.6+k3s1, token: {file: /t/oken}, tlsSANs: [192.168.4.79], server: \"https://k3s.home.arpa:6443\", config: " + config + "}}"
	}

	cases := map[string]struct {
		reason, kind, spec string
		existing           Existing
		want               []string // What is said, from its beginning to a semicolon, of faults and then of warnings.
	}{
		"Loopback":  {reason: "Each node would ask itself.", kind: claim.KindK3sNode, spec: server("https://127.0.0.1:6443"), want: []string{"spec.k3s.server: must be the address of a host that all nodes reach"}},
		"Localhost": {reason: "By name, too.", kind: claim.KindK3sNode, spec: server("https://localhost:6443"), want: []string{"spec.k3s.server: is each node itself"}},
		"LinkLocal": {reason: "Nobody routes there.", kind: claim.KindK3sNode, spec: server("https://169.254.1.1:6443"), want: []string{"spec.k3s.server: must be the address of a host that all nodes reach"}},
		"IPv6":      {reason: "In brackets.", kind: claim.KindK3sNode, spec: server("https://[::1]:6443"), want: []string{"spec.k3s.server: must be the address of a host that all nodes reach"}},
		"Broadcast": {reason: "Of the node's own subnet.", kind: claim.KindK3sNode, spec: server("https://192.168.4.255:6443"), want: []string{"spec.k3s.server: is the broadcast address of the subnet 192.168.4.0/24"}},
		"NoPort":    {reason: "A load balancer may listen at 443.", kind: claim.KindK3sNode, spec: server("https://192.168.4.210"), want: []string{"warning: spec.k3s.server: https://192.168.4.210 has no port"}},
		"OtherPort": {
			reason: "Nobody listens at the one, unless a load balancer does.", kind: claim.KindK3sNode, spec: boundServer("{https-listen-port: 7443}"),
			want: []string{"warning: spec.k3s.server: nodes join at port 6443, and the servers listen for them at 7443 (https-listen-port): unless a load balancer passes it on, write https://k3s.home.arpa:7443."},
		},
		"Supervisor": {
			reason: "Nodes join at the supervisor, wherever the API is.", kind: claim.KindK3sNode, spec: boundServer("{https-listen-port: 6443, supervisor-port: 9345}"),
			want: []string{"warning: spec.k3s.server: nodes join at port 6443, and the servers listen for them at 9345 (supervisor-port)"},
		},
		"SamePort": {reason: "K3s' own, written out.", kind: claim.KindK3sNode, spec: boundServer("{https-listen-port: 6443}")},
		"RKE2":     {reason: "A guide of another program.", kind: claim.KindK3sNode, spec: server("https://[fd00::1]:9345"), want: []string{"warning: spec.k3s.server: nodes join at port 9345, and the servers listen for them at 6443 (the default of K3s; 9345 is that of RKE2): unless a load balancer passes it on, write https://[fd00::1]:6443."}},
		"Etcd":     {reason: "The other port that servers open to each other.", kind: claim.KindK3sNode, spec: server("https://192.168.4.210:2379"), want: []string{"warning: spec.k3s.server: nodes join at port 2379, and the servers listen for them at 6443 (the default of K3s; 2379 is that of etcd): unless a load balancer passes it on, write https://192.168.4.210:6443."}},
		"Proxmox":  {reason: "The address of the node in place of the server's.", kind: claim.KindK3sNode, spec: server("https://192.168.4.2:8006"), want: []string{"warning: spec.k3s.server: nodes join at port 8006, and the servers listen for them at 6443 (the default of K3s; 8006 is that of Proxmox VE): unless a load balancer passes it on"}},
		"ProxmoxName": {
			reason: "K3s runs in VMs.", kind: claim.KindK3sNode, spec: server("https://PVE.home.arpa:6443"),
			want: []string{"warning: spec.k3s.server: https://PVE.home.arpa:6443 is the name of Proxmox node pve (data.sites.home.nodes.pve), and K3s runs in VMs: unless a load balancer on the node passes it on, no node joins."},
		},
		"Multicast": {
			reason: "k3s-io/k3s issue 2085: Go's resolver asks name servers alone.", kind: claim.KindK3sNode, spec: server("https://k3s.local:6443"),
			want: []string{"warning: spec.k3s.server: k3s.local is a name of mDNS, as all below local are, and K3s asks name servers alone, of which images with systemd-resolved ask none for it, so that no node joins: " +
				"name an address, or a name that your name server has, such as https://k3s.home.arpa:6443."},
		},
		"MulticastSearched": {
			reason: "systemd-resolved asks a name server for its search domains.", kind: claim.KindK3sNode,
			spec: "{network: {ip: 192.168.4.50, domain: local}, k3s: {role: server, version: v1.33.6+k3s1, token: {file: /t/oken}, server: \"https://k3s.local:6443\"}}",
		},
		"MulticastInside": {reason: "It only has the word in it.", kind: claim.KindK3sNode, spec: server("https://k3s.local.home.arpa:6443")},
		"Balancer":        {reason: "A load balancer may listen anywhere.", kind: claim.KindK3sNode, spec: server("https://192.168.4.210:8443")},
		"Right":           {reason: "What is meant.", kind: claim.KindK3sNode, spec: server("https://192.168.4.210:6443")},
		"Small":           {reason: "K3s' documentation says 2 GiB.", kind: claim.KindK3sNode, spec: sized("server", "{cores: 2, memory: 1Gi}"), want: []string{"warning: spec.size.memory: 1024Mi is less than the 2Gi that a K3s server needs"}},
		"OneCore":         {reason: "And two cores.", kind: claim.KindK3sNode, spec: sized("server", "{cores: 1, memory: 4Gi}"), want: []string{"warning: spec.size.cores: 1 is less than the 2 cores"}},
		"SmallAgent":      {reason: "An agent needs less.", kind: claim.KindK3sNode, spec: sized("agent", "{cores: 1, memory: 256Mi}"), want: []string{"warning: spec.size.memory: 256Mi is less than the 512Mi"}},
		"SmallClass": {
			reason: "What was typed is the class.", kind: claim.KindK3sNode,
			spec: "{class: micro, network: {ip: 192.168.4.50}, k3s: {role: server, version: v1.33.6+k3s1, token: {file: /t/oken}, server: \"https://k3s.home.arpa:6443\"}}",
			want: []string{"warning: spec.class: memory of micro: 1024Mi is less than the 2Gi that a K3s server needs"},
		},
		"SmallFloor": {
			reason: "What ballooning leaves a server is what it has when it matters.", kind: claim.KindK3sNode, spec: sized("server", "{cores: 2, memory: 4Gi, memoryFloor: 1Gi}"),
			want: []string{"warning: spec.size.memoryFloor: when its Proxmox node is short of memory, the server is left with 1024Mi"},
		},
		"FloorOfServer": {
			reason: "Kubernetes knows of no balloon.", kind: claim.KindK3sNode, spec: sized("server", "{cores: 2, memory: 8Gi, memoryFloor: 4Gi}"),
			want: []string{"warning: spec.size.memoryFloor: Kubernetes counts on the memory that the guest has when K3s starts, here up to 8192Mi, and places pods by it."},
		},
		"FloorOfAgent": {
			reason: "Nor on an agent.", kind: claim.KindK3sNode, spec: sized("agent", "{cores: 2, memory: 8Gi, memoryFloor: 2Gi}"),
			want: []string{"warning: spec.size.memoryFloor: Kubernetes counts on the memory"},
		},
		"FloorIsAll": {reason: "Nothing is taken back.", kind: claim.KindK3sNode, spec: sized("agent", "{cores: 2, memory: 8Gi, memoryFloor: 8Gi}")},
		"FloorOfDevice": {
			reason: "A VM with a device gives nothing back, which another warning says.", kind: claim.KindK3sNode, spec: strings.Replace(sized("agent", "{cores: 2, memory: 8Gi, memoryFloor: 2Gi}"), "{", "{devices: {pci: [{mapping: gpu0}]}, ", 1),
			want: []string{"warning: spec.size.memoryFloor: the node cannot take memory back from a VM with PCI devices, so this has no effect.", "warning: spec.devices: the guest may have no driver"},
		},
		"FloorOfMachine": {reason: "No Kubernetes counts on it.", kind: kindMachine, spec: "{size: {memory: 8Gi, memoryFloor: 2Gi}, network: {ip: 192.168.4.50}}"},
		"BaseCPU": {
			reason: "Many a guide for Proxmox says kvm64.", kind: kindMachine, spec: "{size: {cpuType: kvm64}, network: {ip: 192.168.4.50}}",
			want: []string{"warning: spec.size.cpuType: kvm64 has neither SSE4 nor AES: Rocky Linux 9 and others do not boot"},
		},
		"BoundElsewhere": {
			reason: "K3s cannot listen there.", kind: claim.KindK3sNode, spec: bound("{ip: 192.168.4.50}", "{bind-address: 10.0.0.5}"),
			want: []string{"warning: spec.k3s.config[bind-address]: 10.0.0.5 is no address of this machine (192.168.4.50): K3s does not start"},
		},
		"NodeElsewhere": {
			reason: "The kubelet looks for it, in each family.", kind: claim.KindK3sNode, spec: bound("{ip: 192.168.4.50}", `{node-ip: "192.168.4.50,192.168.4.51"}`),
			want: []string{"warning: spec.k3s.config[node-ip]: 192.168.4.51 is no address of this machine (192.168.4.50)"},
		},
		"BoundAnywhere": {reason: "Every interface has it.", kind: claim.KindK3sNode, spec: bound("{ip: 192.168.4.50}", "{bind-address: 0.0.0.0, node-ip: 192.168.4.50}")},
		"BoundByDHCP": {
			reason: "Nobody knows which one it gets.", kind: claim.KindK3sNode, spec: bound(`{dhcp: true, mac: "BC:24:11:00:00:01"}`, "{node-ip: 192.168.4.51}"),
		},
		"NameServer": {reason: "No name server answers there.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50, dns: [192.168.4.255]}}", want: []string{"spec.network.dns[0]: is the broadcast address of the subnet 192.168.4.0/24"}},
		"Nowhere":    {reason: "Nor there.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50, dns: [0.0.0.0]}}", want: []string{"spec.network.dns[0]: must be the address of a name server"}},
		"Itself":     {reason: "It can ask nobody.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50, dns: [127.0.0.1]}}", want: []string{"spec.network.dns[0]: is the guest itself, and images of ubuntu have no name server"}},
		"Unsafe":     {reason: "A power cut loses what the guest believes to be written.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, bootDisk: {cache: unsafe}}", want: []string{"warning: spec.bootDisk.cache: with unsafe, Proxmox writes to the disk when it likes"}},
		"Reported": {
			reason: "The cloud-config knows the machine's network and keys.", kind: kindMachine,
			spec: `{network: {ip: 192.168.4.50}, bootstrap: {userData: "#cloud-config\nruncmd: [dhclient]\nssh_authorized_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA a, 'https://github.com/ann.keys']"}}`,
			want: []string{
				"warning: spec.bootstrap.userData: line 2: runcmd[0] asks a DHCP server for an address beside the fixed one of spec.network",
				"warning: spec.bootstrap.userData: line 3: ssh_authorized_keys[0] is cut off", "warning: spec.bootstrap.userData: line 3: ssh_authorized_keys[1] is an address, and nobody fetches keys from it",
			},
		},
		"NotReported": {
			reason: "With an address of DHCP, and a whole key.", kind: kindMachine,
			spec: `{network: {dhcp: true}, bootstrap: {userData: "#cloud-config\nruncmd: [dhclient]\nssh_authorized_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam a]"}}`,
		},
		"Writeback":  {reason: "It writes when the guest asks for it.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, bootDisk: {cache: writeback}}"},
		"Restarts":   {reason: "The node would not join.", kind: claim.KindK3sNode, spec: strings.TrimSuffix(bound("{ip: 192.168.4.50}", "{}"), "}") + `, bootstrap: {userData: "#cloud-config\nruncmd: [reboot]"}}`, want: []string{"warning: spec.bootstrap.userData: line 2: runcmd[0] restarts or stops the machine before its bootstrap for K3s"}},
		"GoneFlag":   {reason: "The kubelet does not start.", kind: claim.KindK3sNode, spec: bound("{ip: 192.168.4.50}", "{kubelet-arg: [container-runtime=remote]}"), want: []string{"spec.k3s.config[kubelet-arg]: item 1: the kubelet has no argument container-runtime since v1.27"}},
		"ManyPods":   {reason: "Some get no address.", kind: claim.KindK3sNode, spec: bound("{ip: 192.168.4.50}", "{kubelet-arg: [max-pods=300]}"), want: []string{"warning: spec.k3s.config[kubelet-arg]: max-pods is 300"}},
		"Gateway":    {reason: "A router has an address.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50/24, gateway: 192.168.4.255}}", want: []string{"spec.network.gateway: is the broadcast address of the subnet 192.168.4.0/24"}},
		"Twice":      {reason: "One subnet through two interfaces.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, nics: [{bridge: vmbr0, ip: 192.168.4.51, cidr: 24}]}", want: []string{"warning: spec.network and spec.nics[0] are both in 192.168.4.0/24 on bridge vmbr0"}},
		"Elsewhere":  {reason: "The guest knows one way to all of them.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, nics: [{bridge: vmbr1, ip: 192.168.4.51, cidr: 24}]}", want: []string{"warning: spec.network and spec.nics[0] are both in 192.168.4.0/24, on two networks (bridge vmbr0 and bridge vmbr1)"}},
		"Tagged":     {reason: "A VLAN is another network, too.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, nics: [{bridge: vmbr0, vlan: 30, ip: 192.168.4.51, cidr: 24}]}", want: []string{"warning: spec.network and spec.nics[0] are both in 192.168.4.0/24, on two networks (bridge vmbr0 and bridge vmbr0, VLAN 30)"}},
		"Wider":      {reason: "A prefix length that swallows the other network.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, nics: [{bridge: vmbr1, ip: 192.168.9.51, cidr: 16}]}", want: []string{"warning: spec.network is in 192.168.4.0/24, and spec.nics[0] in 192.168.0.0/16, which overlap"}},
		"Alone":      {reason: "An address without neighbours.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, nics: [{bridge: vmbr1, ip: 192.168.4.51, cidr: 32}]}"},
		"Apart":      {reason: "Another subnet.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, nics: [{bridge: vmbr1, ip: 192.168.5.51, cidr: 24}]}"},
		"Lives":      {reason: "It has routes of its own, or nobody misses them.", kind: kindMachine, spec: "{network: {ip: 192.168.4.50}, nics: [{bridge: vmbr1, ip: 192.168.4.51, cidr: 24}]}", existing: Existing{Node: "pve"}},
		"Advertised": {reason: "Pods ask nobody.", kind: claim.KindK3sNode, spec: boundServer("{advertise-address: 10.0.0.5}"), want: []string{"warning: spec.k3s.config[advertise-address]: 10.0.0.5 is no address of this machine (192.168.4.50), and neither"}},
		"Virtual":    {reason: "The servers' certificates have it.", kind: claim.KindK3sNode, spec: boundServer("{advertise-address: 192.168.4.79}")},
		"External": {
			reason: "K3s advertises it, and the router sends nobody back.", kind: claim.KindK3sNode, spec: boundServer("{node-external-ip: \"203.0.113.7,fd00::7\"}"),
			want: []string{"warning: spec.k3s.config[node-external-ip]: 203.0.113.7 is no address of this machine (192.168.4.50), and neither the endpoint nor tlsSANs of its cluster name it"},
		},
		"ExternalSaid": {reason: "K3s advertises the other one.", kind: claim.KindK3sNode, spec: boundServer("{node-external-ip: 203.0.113.7, advertise-address: 192.168.4.50}")},
		"OwnAddress":   {reason: "K3s' default, written out.", kind: claim.KindK3sNode, spec: boundServer("{advertise-address: 192.168.4.50}")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, tc.kind, tc.spec), aCatalog(t, document), tc.existing)

			var said []string
			for _, err := range errs {
				said = append(said, err.Field+": "+err.Detail)
			}

			if m != nil {
				for _, w := range m.Warnings {
					said = append(said, "warning: "+w)
				}
			}

			for i, s := range said {
				if i < len(tc.want) && strings.HasPrefix(s, tc.want[i]) {
					said[i] = tc.want[i]
				}
			}

			if diff := cmp.Diff(tc.want, said); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
