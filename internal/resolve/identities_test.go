package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const identitiesCatalogue = `
images:
  debian: {url: "https://download.example/debian-13.qcow2", os: debian}
  golden: {template: 9001, templateNode: pve1, os: debian, templateDisk: scsi0}
sites:
  lab:
    nodes:
      pve1: {datastores: {disks: local-lvm}}
      pve2: {datastores: {disks: local-zfs}}
      pve3: {datastores: {disks: ceph}}
      pve4: {datastores: {disks: tank}}
    sharedDatastores: [ceph]
    network: {gateway: 10.20.0.1, dns: [10.20.0.53], cidr: 24, domain: lab.example}
  edge: {nodes: {pve1: {datastores: {disks: tank}}}, network: {gateway: 10.30.0.255, cidr: 24}}
  bare: {nodes: {pve1: {datastores: {disks: tank}}, pve2: {datastores: {disks: tank}}}}
clusters:
  one: {server: "https://10.20.0.10:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, tlsSANs: [10.20.0.10]}
  two: {server: "https://k3s.lab.example:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}}
defaults: {site: lab, image: debian, adminUser: ops, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGSk0000000000000000000000000000000000000000 ops@lab"]}
`

// TestWhoseAddress: an address that the catalogue knows to be somebody else's is refused, with whose it is and what to take instead.
func TestWhoseAddress(t *testing.T) {
	const ownAddress = "data.clusters.one.server: Invalid value: \"https://10.20.0.10:6443\": is the node's own address, which answers nothing while the node is replaced: name a virtual IP, a DNS name of all servers, or another server"

	cases := map[string]struct {
		reason string
		kind   string
		spec   string
		have   Existing
		faults []string
		warns  []string // Parts of warnings; what has none of them passes.
	}{
		"Free":    {reason: "Nobody has it.", kind: "Machine", spec: "{network: {ip: 10.20.0.60}}"},
		"DHCP":    {reason: "Nobody knows it.", kind: "Machine", spec: "{network: {dhcp: true}}"},
		"Gateway": {reason: "It would take the home off the network.", kind: "Machine", spec: "{network: {ip: 10.20.0.1}}", faults: []string{"spec.network.ip: Invalid value: \"10.20.0.1\": is the gateway of site lab (data.sites.lab.network.gateway): take another address of 10.20.0.0/24"}},
		"GatewayOnSecondInterface": {
			reason: "Every interface counts.", kind: "Machine", spec: "{network: {ip: 10.20.0.60}, nics: [{bridge: vmbr1, ip: 10.20.0.1, cidr: 24}]}",
			faults: []string{"spec.nics[0].ip: Invalid value: \"10.20.0.1\": is the gateway of site lab (data.sites.lab.network.gateway): take another address of 10.20.0.0/24"},
		},
		"GatewayOfAContainer": {
			reason: "Containers have addresses, too.", kind: "Container", spec: "{image: 'local:vztmpl/debian-12.tar.zst', network: {ip: 10.20.0.1}, proxmox: {node: pve1, vmId: 150}}",
			faults: []string{"spec.network.ip: Invalid value: \"10.20.0.1\": is the gateway of site lab (data.sites.lab.network.gateway): take another address of 10.20.0.0/24"},
		},
		"GatewayThatTheVMHas": {
			reason: "A claim that stands is no fault from one release to the next.", kind: "Machine", spec: "{network: {ip: 10.20.0.1}}",
			have:  Existing{Node: "pve1", Address: Address{IP: "10.20.0.1", Prefix: 24}},
			warns: []string{"and the machine has it: one of the two does not answer"},
		},
		"GatewayOfTheSubnetsEdge": {
			reason: "No host can be the site's gateway either.", kind: "Machine", spec: "{network: {ip: 10.30.0.60}, proxmox: {site: edge}}",
			faults: []string{"data.sites.edge.network.gateway: Invalid value: \"10.30.0.255\": is the broadcast address of the subnet 10.30.0.0/24: its hosts have 10.30.0.1 to 10.30.0.254, and no gateway"},
		},
		"GatewayOfAnotherPrefix": {
			reason: "In the claim's own subnet it is a host.", kind: "Machine", spec: "{network: {ip: 10.30.0.60/23}, proxmox: {site: edge}}",
		},
		"GatewayOfTheEdgeThatTheVMHas": {
			reason: "A claim that stands is no fault from one release to the next.", kind: "Machine", spec: "{network: {ip: 10.30.0.60}, proxmox: {site: edge}}",
			have: Existing{Node: "pve1", Address: Address{IP: "10.30.0.60", Prefix: 24}},
		},
		"PrefixBeyondTheSite": {
			reason: "It would look for the neighbours' network on its own link.", kind: "Machine", spec: "{network: {ip: 10.20.0.60/16}}",
			faults: []string{"spec.network.ip: Invalid value: \"10.20.0.60/16\": 10.20.0.0/16 reaches beyond 10.20.0.0/24, the site's network (data.sites.lab.network.cidr), and the machine would look for the hosts of the rest on its own link, where they never answer: write 10.20.0.60/24, or correct the site"},
		},
		"PrefixBeyondTheSiteOfAContainer": {
			reason: "Containers have addresses, too.", kind: "Container", spec: "{image: 'local:vztmpl/debian-12.tar.zst', network: {ip: 10.20.0.60, cidr: 23}, proxmox: {node: pve1, vmId: 150}}",
			faults: []string{"spec.network.ip: Invalid value: \"10.20.0.60/23\": 10.20.0.0/23 reaches beyond 10.20.0.0/24, the site's network (data.sites.lab.network.cidr), and the container would look for the hosts of the rest on its own link, where they never answer: write 10.20.0.60/24, or correct the site"},
		},
		"PrefixBeyondTheSiteThatTheVMHas": {
			reason: "A claim that stands is no fault from one release to the next.", kind: "Machine", spec: "{network: {ip: 10.20.0.60/16}}",
			have: Existing{Node: "pve1", Address: Address{IP: "10.20.0.60", Prefix: 16}},
		},
		"PrefixOfAnotherNetwork": {
			reason: "The claim's own gateway is that of another network than the site's.", kind: "Machine", spec: "{network: {ip: 10.20.0.60/16, gateway: 10.20.255.1}}",
		},
		"PrefixOfNoNetwork": {
			reason: "No network is that large.", kind: "Machine", spec: "{network: {ip: 10.20.0.60}, nics: [{bridge: vmbr1, ip: 192.168.9.5, cidr: 2}]}",
			faults: []string{"spec.nics[0].ip: Invalid value: \"192.168.9.5/2\": must have the prefix length of its network, such as 24: no network is as large as 192.0.0.0/2"},
		},
		"PrefixOfAPart": {
			reason: "It works where the gateway lets it.", kind: "Machine", spec: "{network: {ip: 10.20.0.10/28}}",
			warns: []string{"spec.network.ip: 10.20.0.10/28 is a part of 10.20.0.0/24, the site's network (data.sites.lab.network.cidr)"},
		},
		"NameServer": {
			reason: "The machine is most likely the name server itself; until that runs, it can ask nobody.", kind: "Machine", spec: "{network: {ip: 10.20.0.53}}",
			warns: []string{"data.sites.lab.network.dns[0]: 10.20.0.53 is the guest itself: unless a name server runs in it"},
		},
		"NameServerOfTheClaim": {
			reason: "It says itself, alone, and its image has none.", kind: "Machine", spec: "{network: {ip: 10.20.0.60, dns: [127.0.0.1, 10.20.0.60]}, bootstrap: {userData: \"#cloud-config\\npackages: [unbound]\"}}",
			faults: []string{"spec.network.dns[0]: Invalid value: \"127.0.0.1\": is the guest itself, and images of debian have no name server: it would resolve no name, and could install none. Write another one, also beside it"},
		},
		"NameServerThatTheVMHas": {
			reason: "A claim that stands is no fault.", kind: "Machine", spec: "{network: {ip: 10.20.0.60, dns: [127.0.0.1]}}", have: Existing{Node: "pve1", Address: Address{IP: "10.20.0.60", Prefix: 24}},
		},
		"NameServerOfATemplate": {
			reason: "A template may have one.", kind: "Container", spec: "{image: 'local:vztmpl/debian-12.tar.zst', network: {ip: 10.20.0.60, dns: [127.0.0.1]}, proxmox: {node: pve1, vmId: 150}}",
			warns: []string{"spec.network.dns[0]: 127.0.0.1 is the guest itself: unless a name server runs in it"},
		},
		"NameServerInUserData": {
			reason: "Another one until it runs.", kind: "Machine", spec: "{network: {ip: 10.20.0.60, dns: [127.0.0.1]}, bootstrap: {userData: \"#cloud-config\\nbootcmd: [ln -sf /etc/resolv.own /etc/resolv.conf]\"}}",
			warns: []string{"spec.network.dns[0]: 127.0.0.1 is the guest itself: unless a name server runs in it"},
		},
		"NameServerOfTwo": {reason: "It asks the other one meanwhile.", kind: "Machine", spec: "{network: {ip: 10.20.0.53, dns: [10.20.0.53, 10.20.0.54]}}"},
		"Endpoint": {
			reason: "It may be the load balancer of the servers.", kind: "Machine", spec: "{network: {ip: 10.20.0.10}}",
			warns: []string{"10.20.0.10 is where cluster one is joined"},
		},
		"EndpointOfServer": {
			reason: "A server of the cluster is whom the others join; that it is a poor endpoint is another fault.", kind: "K3sNode",
			spec: "{network: {ip: 10.20.0.10}, k3s: {cluster: one, role: server, init: true}}", faults: []string{ownAddress},
		},
		"EndpointOfAgent": {
			reason: "An agent answers no joins.", kind: "K3sNode", spec: "{network: {ip: 10.20.0.10}, k3s: {cluster: one, role: agent}}",
			faults: []string{"spec.network.ip: Invalid value: \"10.20.0.10\": is where cluster one is joined (data.clusters.one.server), and the machine is no server of it: take another address of 10.20.0.0/24", ownAddress},
		},
		"EndpointOfAnother": {
			reason: "Neither does a server of another cluster.", kind: "K3sNode", spec: "{network: {ip: 10.20.0.10}, k3s: {cluster: two, role: server, init: true}}",
			faults: []string{"spec.network.ip: Invalid value: \"10.20.0.10\": is where cluster one is joined (data.clusters.one.server), and the machine is no server of it: take another address of 10.20.0.0/24"},
		},
		"NoGateway": {
			reason: "It reaches its own subnet only.", kind: "Machine", spec: "{network: {ip: 10.9.0.60, cidr: 24}, proxmox: {site: bare}}",
			warns: []string{"neither claim nor site has a gateway, so the machine has no default route"},
		},
		"TwoGateways": {
			reason: "Which one the guest takes is left to chance.", kind: "Machine", spec: "{network: {ip: 10.20.0.60}, nics: [{bridge: vmbr1, ip: 10.9.0.60, cidr: 24, gateway: 10.9.0.1}]}",
			warns: []string{"spec.network (10.20.0.1) and spec.nics[0] (10.9.0.1) each bring a default route"},
		},
		"GatewayAndDHCP": {
			reason: "A DHCP server sends one.", kind: "Machine", spec: "{network: {ip: 10.20.0.60}, nics: [{bridge: vmbr1, dhcp: true}]}",
			warns: []string{"spec.network (10.20.0.1) and spec.nics[0] (by DHCP) each bring a default route"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			faults, warnings := resolved(t, tc.kind, tc.spec, tc.have)

			if diff := cmp.Diff(tc.faults, faults); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			for _, w := range tc.warns {
				if !strings.Contains(warnings, w) {
					t.Errorf("%s\nno warning has %q: %s", tc.reason, w, warnings)
				}
			}

			if len(tc.warns) == 0 && (strings.Contains(warnings, "default route") || strings.Contains(warnings, "address")) {
				t.Errorf("%s\nwarnings: %s", tc.reason, warnings)
			}
		})
	}
}

// TestCloneElsewhere: Proxmox clones on the template's node, onto a datastore that this node sees.
func TestCloneElsewhere(t *testing.T) {
	const cannot = "does not see. Use an image with a URL, or a template on each node (an image for each in the catalogue), or a datastore that all nodes see " +
		"(sites.<site>.sharedDatastores lists those), or create the VM on node pve1"

	cases := map[string]struct {
		reason string
		spec   string
		have   Existing
		fault  string
		warns  bool
	}{
		"SameNode":    {reason: "The template is there.", spec: "{image: golden, proxmox: {node: pve1}}"},
		"ChosenNode":  {reason: "The function chooses the template's node.", spec: "{image: golden}"},
		"Local":       {reason: "Proxmox answers that the storage is not available on the node.", spec: "{image: golden, proxmox: {node: pve2}}", fault: cannot},
		"NotShared":   {reason: "The site lists what its nodes share, and this is none of it.", spec: "{image: golden, proxmox: {node: pve4}}", fault: cannot},
		"Shared":      {reason: "All nodes see it.", spec: "{image: golden, proxmox: {node: pve3}}"},
		"Unknown":     {reason: "The site does not say what its nodes share.", spec: "{image: golden, proxmox: {site: bare, node: pve2}}", warns: true},
		"LocalByName": {reason: "Proxmox' own datastores are local.", spec: "{image: golden, proxmox: {site: bare, node: pve2, storage: local-lvm}}", fault: cannot},
		"Lives":       {reason: "It was cloned, or moved there.", spec: "{image: golden, proxmox: {node: pve2}}", have: Existing{Node: "pve2"}},
		"NoNode":      {reason: "A template without a node is on the VM's.", spec: "{image: '9001', proxmox: {node: pve2}}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			faults, warnings := resolved(t, "Machine", tc.spec, tc.have)

			if got := strings.Join(faults, "\n"); !strings.Contains(got, tc.fault) || (got == "") != (tc.fault == "") {
				t.Errorf("%s\nfaults: %s", tc.reason, got)
			}

			if got := strings.Contains(warnings, "template 9001 is on node pve1"); got != tc.warns {
				t.Errorf("%s\nwarnings: %s", tc.reason, warnings)
			}
		})
	}
}

// resolved are the faults of a claim with the catalogue of these tests, and its warnings in one text.
func resolved(t *testing.T, kind, spec string, have Existing) (faults []string, warnings string) {
	t.Helper()

	return resolvedWith(t, identitiesCatalogue, kind, spec, have)
}

// resolvedWith is [resolved] with another catalogue.
func resolvedWith(t *testing.T, catalogue, kind, spec string, have Existing) (faults []string, warnings string) {
	t.Helper()

	claim, cat := aClaim(t, kind, spec), aCatalog(t, catalogue)

	if claim.Container != nil {
		m, errs := Container(claim.Identity, *claim.Container, claim.Faults, cat, have)
		if m != nil {
			warnings = strings.Join(m.Warnings, "\n")
		}

		return words(errs), warnings
	}

	m, errs := Claim(claim, cat, have)
	if m != nil {
		warnings = strings.Join(m.Warnings, "\n")
	}

	return words(errs), warnings
}

// words of faults.
func words(errs field.ErrorList) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}

	return out
}
