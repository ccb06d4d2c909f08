package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestListedElsewhere: what one node of a site lists is there only, and not on nodes without a list.
func TestListedElsewhere(t *testing.T) {
	const site = `{sites: {home: {nodes: {pve1: {}, pve2: {pci: [gpu], usb: [stick], bridges: [vmbr0, lab], datastores: {disks: tank}}, pve3: {pci: [nic]}}}}}`

	cases := map[string]struct {
		reason string
		spec   string
		node   string // Empty: refused.
		want   string
	}{
		"PCI":             {reason: "A machine goes to its GPU.", spec: `{proxmox: {site: home}, devices: {pci: [{mapping: gpu}]}}`, node: "pve2"},
		"PCIElsewhere":    {reason: "And nowhere else.", spec: `{proxmox: {site: home, node: pve1}, devices: {pci: [{mapping: gpu}]}}`, want: "spec.devices.pci[0].mapping"},
		"USB":             {reason: "The same for USB.", spec: `{proxmox: {site: home}, devices: {usb: [{mapping: stick}]}}`, node: "pve2"},
		"Bridge":          {reason: "The same for bridges.", spec: `{proxmox: {site: home, bridge: lab}}`, node: "pve2"},
		"BridgeElsewhere": {reason: "The same for bridges.", spec: `{proxmox: {site: home, node: pve1, bridge: lab}}`, want: "spec.proxmox.bridge"},
		"NIC":             {reason: "Of every interface.", spec: `{proxmox: {site: home, node: pve3}, nics: [{bridge: lab}]}`, want: "spec.nics[0].bridge"},
		"Datastore":       {reason: "The same for datastores.", spec: `{proxmox: {site: home, storage: tank}}`, node: "pve2"},
		"DataDisk":        {reason: "Of every disk.", spec: `{proxmox: {site: home, node: pve1}, disks: [{name: data, size: 1Gi, storage: tank}]}`, want: "spec.disks[0].storage"},
		"Nowhere":         {reason: "What no node lists may be anywhere.", spec: `{proxmox: {site: home, node: pve1}, devices: {usb: [{mapping: dongle}]}}`, node: "pve1"},
		"NoNodeHasBoth":   {reason: "Two nodes each have one half.", spec: `{proxmox: {site: home}, devices: {pci: [{mapping: gpu}, {mapping: nic}]}}`, want: "spec.devices.pci[1].mapping"},
		"Default":         {reason: "Every Proxmox VE has the default bridge.", spec: `{proxmox: {site: home, node: pve1, bridge: vmbr0}}`, node: "pve1"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, site), Existing{})

			switch {
			case tc.node == "" && (len(errs) == 0 || errs[0].Field != tc.want):
				t.Errorf("%s\nClaim(...): want a fault in %s, got %v", tc.reason, tc.want, errs)
			case tc.node != "" && (len(errs) > 0 || m.Placement.Node != tc.node):
				t.Errorf("%s\nClaim(...): want node %s, got %v, %v", tc.reason, tc.node, m, errs)
			}
		})
	}
}

// TestEditsOfAnExistingVM: a name that an edit brings in must be on the VM's node; the others are the VM's already.
func TestEditsOfAnExistingVM(t *testing.T) {
	const site = `{sites: {home: {nodes: {pve1: {bridges: [vmbr0, vmbr1], pci: [other], datastores: {disks: zfs}, storages: {zfs: [images], local: [import]}}, pve2: {pci: [gpu]}}}}}`

	before := aClaim(t, kindMachine, `{proxmox: {site: home}, devices: {pci: [{mapping: lost}]}, disks: [{name: data, size: 1Gi}]}`)
	bridged := aClaim(t, kindMachine, `{proxmox: {site: home}, network: {dhcp: true, bridge: gone}}`)

	cases := map[string]struct {
		reason  string
		spec    string
		applied *claim.Claim
		want    bool
	}{
		"Edited":    {reason: "The GPU is on another node.", spec: `{proxmox: {site: home}, devices: {pci: [{mapping: gpu}]}}`, applied: &before, want: true},
		"HadBefore": {reason: "The catalogue lost it, and the VM has it.", spec: `{proxmox: {site: home}, devices: {pci: [{mapping: lost}]}}`, applied: &before},
		"DiskMoved": {reason: "A disk stays where it is, and freezes nothing else.", spec: `{proxmox: {site: home}, disks: [{name: data, size: 1Gi, storage: tank}]}`, applied: &before},
		"DiskAdded": {reason: "A new disk has to have a place.", spec: `{proxmox: {site: home}, disks: [{name: data, size: 1Gi}, {name: more, size: 1Gi, storage: tank}]}`, applied: &before, want: true},
		"Bridge": {
			reason: "Proxmox unplugs the interface before it finds that the bridge is not there.",
			spec:   `{proxmox: {site: home}, network: {dhcp: true, bridge: lab}}`, applied: &before, want: true,
		},
		"BridgeByItsOldName": {reason: "The same for the field of before.", spec: `{proxmox: {site: home, bridge: lab}}`, applied: &before, want: true},
		"BridgeThere":        {reason: "The node has it.", spec: `{proxmox: {site: home}, network: {dhcp: true, bridge: vmbr1}}`, applied: &before},
		"BridgeLost":         {reason: "The catalogue lost it, and the VM has it.", spec: `{proxmox: {site: home}, network: {dhcp: true, bridge: gone}}`, applied: &bridged},
		"BridgeRespelled":    {reason: "The same bridge in the other field.", spec: `{proxmox: {site: home, bridge: gone}}`, applied: &bridged},
		"Unknown":            {reason: "Nobody knows what the VM was made with.", spec: `{proxmox: {site: home}, devices: {pci: [{mapping: gpu}]}}`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, site), Existing{Node: "pve1", Applied: tc.applied})
			if got := len(errs) > 0; got != tc.want {
				t.Errorf("%s\nClaim(...): want refused %t, got %v", tc.reason, tc.want, errs)
			}
		})
	}
}

// TestEditsOfAnExistingContainer: the same for containers.
func TestEditsOfAnExistingContainer(t *testing.T) {
	const (
		site = `{sites: {home: {nodes: {pve1: {bridges: [vmbr0, vmbr1]}}}}}`
		base = `image: local:vztmpl/debian-12.tar.zst, size: {cores: 1, memory: 1Gi, disk: 8Gi}, proxmox: {site: home, node: pve1, vmId: 150}`
	)

	before := aClaim(t, "Container", `{`+base+`, network: {dhcp: true, bridge: gone}, nics: [{bridge: lost, dhcp: true}]}`)

	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"Kept":   {reason: "The catalogue lost the bridges, and the container has them.", spec: `network: {dhcp: true, bridge: gone}, nics: [{bridge: lost, dhcp: true}]`},
		"Edited": {reason: "The interface would be unplugged.", spec: `network: {dhcp: true, bridge: lab}, nics: [{bridge: lost, dhcp: true}]`, want: []string{"spec.network.bridge"}},
		"NIC":    {reason: "Of every interface.", spec: `network: {dhcp: true, bridge: gone}, nics: [{bridge: lab, dhcp: true}]`, want: []string{"spec.nics[0].bridge"}},
		"There":  {reason: "The node has it.", spec: `network: {dhcp: true, bridge: vmbr1}, nics: [{bridge: lost, dhcp: true}]`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := aClaim(t, "Container", `{`+base+`, `+tc.spec+`}`)

			_, errs := Container(now.Identity, *now.Container, now.Faults, aCatalog(t, site), Existing{Has: &Entries{}, Applied: &before, Node: "pve1", DiskDatastore: "zfs"})

			var got []string
			for _, err := range errs {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nfaults: -want, +got:\n%s\n%v", tc.reason, diff, errs)
			}
		})
	}
}

func TestSeveralSites(t *testing.T) {
	cases := map[string]struct {
		reason    string
		spec      string
		catalogue string
		existing  Existing
		want      string
	}{
		"Several": {
			reason: "Nobody may guess where a machine belongs.", spec: `{proxmox: {node: pve}}`, catalogue: `{sites: {home: {}, lab: {}}}`,
			want: "spec.proxmox.site: Required value: must name a site, because the catalogue has several and no defaults.site; there are: lab, home",
		},
		"Default": {reason: "The catalogue says which.", spec: `{proxmox: {node: pve}}`, catalogue: `{defaults: {site: lab}, sites: {home: {}, lab: {}}}`},
		"Said":    {reason: "The claim says which.", spec: `{proxmox: {node: pve, site: lab}}`, catalogue: `{sites: {home: {}, lab: {}}}`},
		"One":     {reason: "There is nothing to choose.", spec: `{proxmox: {node: pve}}`, catalogue: `{sites: {home: {}}}`},
		"None":    {reason: "There is nothing to choose.", spec: `{proxmox: {node: pve}}`, catalogue: `{}`},
		"Living":  {reason: "A VM is where it is.", spec: `{proxmox: {node: pve}}`, catalogue: `{sites: {home: {}, lab: {}}}`, existing: Existing{Node: "pve"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, tc.catalogue), tc.existing)

			got := ""
			if len(errs) > 0 {
				got = errs.ToAggregate().Error()
			}

			if got != tc.want {
				t.Errorf("%s\nClaim(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestWarnings are about claims that are valid, and do not do what a person probably expects.
func TestWarnings(t *testing.T) {
	const (
		keys = `defaults: {sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam a"], site: home}`
		home = `{` + keys + `, sites: {home: {nodes: {pve: {}}, network: {gateway: 192.168.4.1, cidr: 24}}}}`
		open = `{` + keys + `, sites: {home: {images: Open, nodes: {pve: {}}}}}`
		node = `k3s: {role: server, server: "https://k3s.home.arpa:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}}`
	)

	cases := map[string]struct {
		reason    string
		kind      string
		spec      string
		catalogue string
		existing  Existing
		want      string // Part of the only warning; empty: none.
	}{
		"NoKey": {reason: "Nobody gets in.", spec: `{proxmox: {node: pve}}`, catalogue: `{}`, want: "Nobody can log in over SSH"},
		"Key":   {reason: "Somebody does.", spec: `{}`, catalogue: home},
		"Windows": {
			reason: "Nobody expects SSH there.", spec: `{proxmox: {site: home}, image: win}`,
			catalogue: `{sites: {home: {nodes: {pve: {}}}}, images: {win: {template: 9000, templateDisk: scsi0, os: windows}}}`,
		},
		"KeyInUserData": {reason: "Somebody does.", spec: `{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\nssh_import_id: [gh:ops]\n"}}`, catalogue: `{}`},
		"KeyInSnippet":  {reason: "Nobody knows.", spec: `{proxmox: {node: pve}, bootstrap: {snippets: {vendorData: "local:snippets/x.yaml"}}}`, catalogue: `{}`},
		"Inside":        {reason: "The site's gateway applies.", spec: `{network: {ip: 192.168.4.9}}`, catalogue: home},
		"Outside":       {reason: "No gateway, no default route.", spec: `{network: {ip: 192.168.5.9}}`, catalogue: home, want: "192.168.5.9/24 is outside the subnet of gateway 192.168.4.1"},
		"OwnGateway":    {reason: "The claim says one.", spec: `{network: {ip: 192.168.5.9, gateway: 192.168.5.1}}`, catalogue: home},
		"ServerDHCP":    {reason: "Its address may change.", kind: kindNode, spec: `{` + node + `}`, catalogue: home, want: "a K3s server must keep its address"},
		"ServerMAC":     {reason: "The DHCP server knows it.", kind: kindNode, spec: `{network: {dhcp: true, mac: "BC:24:11:00:00:53"}, ` + node + `}`, catalogue: home},
		"ServerStatic":  {reason: "It keeps its address.", kind: kindNode, spec: `{network: {ip: 192.168.4.9}, ` + node + `}`, catalogue: home},
		"Unobserved": {
			reason: "Nobody would ever see the Node.", kind: kindNode, catalogue: home, want: "spec.k3s.readyWhen: Ready counts as VM",
			spec: `{network: {ip: 192.168.4.9}, k3s: {role: agent, server: "https://k3s.home.arpa:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, readyWhen: Ready}}`,
		},
		"WaitsForReport": {
			reason: "The guest says when K3s has served.", kind: kindNode, catalogue: home,
			spec: `{network: {ip: 192.168.4.9}, k3s: {role: agent, server: "https://k3s.home.arpa:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, readyWhen: Joined}}`,
		},
		"WaitsForNoReport": {
			reason: "The guest says nothing.", kind: kindNode, catalogue: home, want: "spec.k3s.readyWhen: Joined counts as VM",
			spec: `{network: {ip: 192.168.4.9}, bootstrap: {report: None}, k3s: {role: agent, server: "https://k3s.home.arpa:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, readyWhen: Joined}}`,
		},
		"Template":      {reason: "A guess about the template is said.", spec: `{image: 9000}`, catalogue: open, want: "the boot disk of template 9000 is assumed on scsi0"},
		"TemplateKnown": {reason: "No guess.", spec: `{image: nixos}`, catalogue: `{` + keys + `, sites: {home: {nodes: {pve: {}}}}, images: {nixos: {template: 9000, templateDisk: virtio0}}}`},
		"TemplateOfAVM": {reason: "The VM has its disk.", spec: `{image: 9000}`, catalogue: home, existing: Existing{Node: "pve"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = kindMachine
			}

			got := aMachine(t, kind, tc.spec, tc.catalogue, tc.existing).Warnings
			if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)) {
				t.Errorf("%s\nWarnings: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestOwnAddress: a server that asks itself whether its cluster exists gets no answer when it is replaced.
func TestOwnAddress(t *testing.T) {
	spec := func(server, more string) string {
		return `{proxmox: {node: pve}, hostname: server-1, network: {ip: 192.168.4.9, cidr: 24, gateway: 192.168.4.1, domain: home.arpa}, k3s: {role: server, version: v1.33.6+k3s1, token: {file: /etc/t/oken}, server: "` + server + `"` + more + `}}`
	}

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		want     bool
	}{
		"Address":  {reason: "Its own address.", spec: spec("https://192.168.4.9:6443", ""), want: true},
		"Init":     {reason: "Above all the first server's.", spec: spec("https://192.168.4.9:6443", ", init: true"), want: true},
		"Name":     {reason: "Its own name.", spec: spec("https://server-1:6443", ""), want: true},
		"FullName": {reason: "Its own name, in full.", spec: spec("https://SERVER-1.home.arpa:6443", ""), want: true},
		"Other":    {reason: "Another server.", spec: spec("https://192.168.4.10:6443", "")},
		"Living":   {reason: "K3s is installed, and its claim must not freeze.", spec: spec("https://192.168.4.9:6443", ""), existing: Existing{Node: "pve"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(aClaim(t, kindNode, tc.spec), aCatalog(t, `{}`), tc.existing)
			if got := len(errs) == 1 && errs[0].Field == "spec.k3s.server"; got != tc.want || !tc.want && len(errs) > 0 {
				t.Errorf("%s\nClaim(...): want refused %t, got %v", tc.reason, tc.want, errs)
			}
		})
	}
}

// TestFamilies: a node without an address in a family of its cluster's pods would never join.
func TestFamilies(t *testing.T) {
	const dual = `config: {cluster-cidr: "10.42.0.0/16,fd00:42::/56", service-cidr: "10.43.0.0/16,fd00:43::/112"}`

	spec := func(role, ipv6, more string) string {
		return `{proxmox: {node: pve}, network: {ip: 192.168.4.9, cidr: 24, gateway: 192.168.4.1` + ipv6 + `}, k3s: {cluster: home, role: ` + role + more + `}}`
	}

	cases := map[string]struct {
		reason   string
		spec     string
		config   string
		existing Existing
		want     []string
	}{
		"Server":     {reason: "It has no IPv6 address.", spec: spec("server", "", ""), config: dual, want: []string{"spec.network.ipv6"}},
		"Agent":      {reason: "Agents do not have the setting, and need the address.", spec: spec("agent", "", ""), config: dual, want: []string{"spec.network.ipv6"}},
		"Static":     {reason: "It has both.", spec: spec("server", `, ipv6: {ip: "fd00::9", cidr: 64}`, ""), config: dual},
		"Advertised": {reason: "It gets the other.", spec: spec("server", `, ipv6: {auto: true}`, ""), config: dual},
		"Own":        {reason: "The person knows better.", spec: spec("server", "", `, config: {node-ip: "192.168.4.9,fd00::9"}`), config: dual},
		"OwnOne": {
			reason: "K3s compares the families, and ends.", spec: spec("server", `, ipv6: {auto: true}`, `, config: {node-ip: 192.168.4.9}`), config: dual,
			want: []string{"spec.k3s.config[node-ip]"},
		},
		"OwnLess":   {reason: "The pods have IPv4 alone.", spec: spec("server", "", `, config: {node-ip: 192.168.4.9}`), config: `config: {cluster-cidr: 10.42.0.0/16}`},
		"OwnLiving": {reason: "K3s is installed.", spec: spec("server", "", `, config: {node-ip: 192.168.4.9}`), config: dual, existing: Existing{Node: "pve"}},
		"IPv4":      {reason: "It needs no IPv6.", spec: spec("server", "", ""), config: `config: {cluster-cidr: 10.42.0.0/16}`},
		"Living":    {reason: "K3s is installed.", spec: spec("server", "", ""), config: dual, existing: Existing{Node: "pve"}},
		"Services": {
			reason: "K3s refuses a service network of other families.", spec: spec("server", `, ipv6: {auto: true}`, ""),
			config: `config: {cluster-cidr: "10.42.0.0/16,fd00:42::/56"}`, want: []string{"spec.k3s.config[service-cidr]"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			document := `clusters: {home: {server: "https://k3s.home.arpa:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, ` + tc.config + `}}`
			_, errs := Claim(aClaim(t, kindNode, tc.spec), aCatalog(t, document), tc.existing)

			var got []string
			for _, err := range errs {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): faults: -want, +got:\n%s\n%v", tc.reason, diff, errs)
			}
		})
	}
}

// TestBridgeOfTheSite: a bridge that an edit of the catalogue brings to a living VM or container must be on its node; otherwise it keeps its own, with its VLAN.
func TestBridgeOfTheSite(t *testing.T) {
	type want struct {
		Bridge string
		VLAN   int64
		Kept   []string // The faults, by part.
		Faults []string
	}

	const at = `data.sites.home.network.bridge`

	lacks := []string{"network bridge and VLAN: " + at}

	cases := map[string]struct {
		reason  string
		network string // Of the site.
		spec    string // Behind the rest of the claim.
		has     string // The bridge that it has; empty: there is none.
		want    want
	}{
		"There":   {reason: "The node has it.", network: `{bridge: vmbr1, vlan: 20}`, has: "vmbr0", want: want{Bridge: "vmbr1", VLAN: 20}},
		"Lost":    {reason: "It keeps its interface.", network: `{bridge: vmbr9, vlan: 20}`, has: "vmbr0", want: want{Bridge: "vmbr0", VLAN: 10, Kept: lacks}},
		"OnOther": {reason: "The list of another node has it.", network: `{bridge: lab}`, has: "vmbr0", want: want{Bridge: "vmbr0", VLAN: 10, Kept: lacks}},
		"HasIt":   {reason: "The node's list is wrong, and nothing changes.", network: `{bridge: vmbr9, vlan: 20}`, has: "vmbr9", want: want{Bridge: "vmbr9", VLAN: 20}},
		"Claims": {
			reason: "The VLAN of the claim is no word of the catalogue.", network: `{bridge: vmbr9}`, spec: `, network: {dhcp: true, vlan: 30}`, has: "vmbr0",
			want: want{Bridge: "vmbr0", VLAN: 30, Kept: lacks},
		},
		"ClaimsBridge": {
			reason: "The catalogue's bridge is not used.", network: `{bridge: vmbr9, vlan: 20}`, spec: `, network: {dhcp: true, bridge: vmbr1}`, has: "vmbr1",
			want: want{Bridge: "vmbr1", VLAN: 20},
		},
		"New": {reason: "One that does not exist is refused.", network: `{bridge: vmbr9}`, want: want{Faults: []string{at}}},
	}

	for name, tc := range cases {
		for kind, spec := range map[string]string{
			kindMachine: `proxmox: {site: home, node: pve1}`,
			"Container": `image: local:vztmpl/debian-12.tar.zst, size: {cores: 1, memory: 1Gi, disk: 8Gi}, proxmox: {site: home, node: pve1, vmId: 150}`,
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				now := aClaim(t, kind, "{"+spec+tc.spec+"}")
				c := aCatalog(t, `{defaults: {class: small, image: ubuntu-24.04}, sites: {home: {network: `+tc.network+`, nodes: {pve1: {bridges: [vmbr0, vmbr1]}, pve2: {bridges: [lab]}}}}}`)

				var e Existing
				if tc.has != "" {
					e = Existing{Has: &Entries{}, Applied: &now, Node: "pve1", DiskDatastore: "zfs"}
					e.Has.Site.Network.Bridge, e.Has.Site.Network.VLAN = tc.has, 10
				}

				var (
					m    *machine.Machine
					errs field.ErrorList
					got  want
				)

				if kind == kindMachine {
					m, errs = Claim(now, c, e)
				} else if ct, faults := Container(now.Identity, *now.Container, now.Faults, c, e); len(faults) > 0 {
					errs = faults
				} else {
					m = &ct.Machine
				}

				for _, err := range errs {
					got.Faults = append(got.Faults, err.Field)
				}

				if m != nil {
					got.Bridge, got.VLAN = m.NICs[0].Bridge, m.NICs[0].VLAN
					for _, k := range m.Kept {
						got.Kept = append(got.Kept, string(k.Part)+": "+k.Faults[0].Field)
					}
				}

				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\n-want, +got:\n%s\n%v", tc.reason, diff, errs)
				}
			})
		}
	}
}
