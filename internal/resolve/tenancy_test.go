package resolve

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// divided is a catalogue with two tenants, and a platform whose namespaces are no tenant's.
func divided(t *testing.T, tenancy string) catalog.Catalog {
	t.Helper()

	return aCatalog(t, `
classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}, large: {cores: 32, memory: 64Gi, disk: 500Gi}}
images: {debian-ct: {url: "http://download.proxmox.com/images/system/debian-12-standard_12.7-1_amd64.tar.zst", os: debian}, golden: {template: 9000, templateNode: n1, os: debian}}
defaults: {class: small, image: debian-13, site: lab, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}
sites:
  lab:
    nodes:
      n1: {bridges: [vmbr0, vmbr1], datastores: {disks: local-zfs, images: local, snippets: local}, storages: {local: [images, rootdir, import, snippets, vztmpl], local-zfs: [images, rootdir], slow: [images, rootdir]}, pci: [gpu0], usb: [stick]}
      n2: {bridges: [vmbr0, vmbr1], datastores: {disks: local-zfs, images: local, snippets: local}}
    network: {bridge: vmbr0, vlan: 30, gateway: 10.7.0.1, cidr: 24, pool: 10.7.0.50-10.7.0.89}
    vmIds: {from: 4000, to: 4999}
    sharedDatastores: [local-zfs, local]
    firewall: {groups: [web, admins], ipSets: [lan, offices], aliases: [nas]}
  other: {nodes: {m1: {}}}
clusters:
  home: {server: "https://10.7.0.210:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}
  work: {server: "https://10.7.0.211:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}
tenancy: `+tenancy)
}

// teamB is a tenant with every rule.
const teamB = `{default: Deny, tenants: {team-b: {
  namespaces: [team-b, "team-b-*"],
  sites: {lab: {nodes: [n1], bridges: {vmbr0: [30, 31]}, datastores: [local-zfs], pci: [], firewall: {groups: [web], ipSets: [lan]}, pool: team-b, addresses: 10.7.0.60-10.7.0.79, vmIds: {from: 4200, to: 4299}}},
  classes: [small], limits: {cores: 8, memory: 16Gi, disk: 200Gi}, images: [debian-13, debian-ct], clusters: {home: [agent]}, dns: ["*.team-b.lab.arpa"]},
  team-c: {namespaces: ["team-*"], allow: [adopt, ha, snippets, startup, templates, privileged, pin, mac, proxmoxSites]},
  team-d: {namespaces: [team-d], firewall: Required, classes: [small]}}}`

func claimIn(t *testing.T, namespace, kind, spec string) claim.Claim {
	t.Helper()

	c := aClaim(t, kind, spec)
	c.Identity.Namespace = namespace

	return c
}

func TestTenancyRefuses(t *testing.T) {
	const pool = "proxmox: {pool: team-b}"

	node := func(k3s string) string { return "{" + pool + ", k3s: {role: agent, " + k3s + "}}" }

	cases := map[string]struct {
		reason, namespace, kind, spec string
		want                          []string // Fields, each with a part of what is said of it.
	}{
		"Modest":    {reason: "All within the rules.", namespace: "team-b", spec: "{" + pool + "}"},
		"Pattern":   {reason: "A namespace of a pattern is the tenant's, too.", namespace: "team-b-dev", spec: "{" + pool + ", class: large}", want: []string{"spec.class: no class of tenant team-b", "spec.size.cores: at most 8", "spec.size.memory: at most 16384Mi", "spec.size.disk: at most 200Gi"}},
		"Own":       {reason: "Sizes of the claim's own count as far as the limits go.", namespace: "team-b", spec: "{" + pool + ", size: {cores: 8, memory: 16Gi, disk: 100Gi}, disks: [{name: d, size: 100Gi}]}"},
		"TooLarge":  {reason: "All disks count together.", namespace: "team-b", spec: "{" + pool + ", size: {cores: 9, disk: 101Gi}, disks: [{name: d, size: 100Gi}]}", want: []string{"spec.size.cores: at most 8", "spec.size.disk: at most 200Gi"}},
		"NoLimits":  {reason: "Where nothing limits sizes, a class of the list does.", namespace: "team-d", spec: "{firewall: {preset: ssh}, network: {dhcp: true, firewall: true}, size: {cores: 4}}", want: []string{"spec.size.cores: at most 2"}},
		"Firewall":  {reason: "A VM without a firewall, and an interface that is not behind it.", namespace: "team-d", spec: "{}", want: []string{"spec.network.firewall: must be true", "spec.firewall: {preset: ssh}"}},
		"Switched":  {reason: "A firewall that is switched off is none.", namespace: "team-d", spec: "{firewall: {preset: ssh, enabled: false}, network: {dhcp: true, firewall: true}}", want: []string{"spec.firewall: {preset: ssh}"}},
		"Named":     {reason: "What its lists have of the datacenter's firewall.", namespace: "team-b", spec: "{" + pool + ", firewall: {allow: [{group: web}, {port: 22, from: +lan}, {port: 22, from: +dc/lan}]}}"},
		"Others":    {reason: "What they do not have; a list that is left out has nothing.", namespace: "team-b", spec: "{" + pool + ", firewall: {allow: [{group: admins}, {port: 22, from: +dc/offices}, {port: 22, from: dc/nas}]}}", want: []string{"spec.firewall.allow[0].group: is no security group of tenant team-b", "spec.firewall.allow[1].from: sites.lab.firewall.ipSets", `spec.firewall.allow[2].from: "dc/nas": is no alias`}},
		"NoneAtAll": {reason: "Unlike other lists, one that is left out allows nothing.", namespace: "team-c", spec: "{firewall: {allow: [{group: web}]}}", want: []string{"spec.firewall.allow[0].group: is no security group of tenant team-c"}},
		"Nobody":    {reason: "A namespace that is no tenant's.", namespace: "infra", spec: "{}", want: []string{"metadata.namespace: is Deny"}},
		"Platform":  {reason: "What has no namespace is the platform's.", namespace: "", spec: "{class: large, proxmox: {node: n2}}"},
		"Everybody": {reason: "A tenant without lists reaches all, and needs its words.", namespace: "team-c", spec: "{class: large, image: golden, proxmox: {node: n1, storage: local-zfs}, network: {dhcp: true, mac: 'BC:24:11:00:00:01', bridge: vmbr1}, devices: {pci: [{mapping: gpu0}]}, firmware: {type: UEFI, machine: q35}}"},
		"Site":      {reason: "Another site.", namespace: "team-b", spec: "{proxmox: {pool: team-b, site: other}}", want: []string{"spec.proxmox.site: no site of tenant team-b"}},
		"Node":      {reason: "Another node, and none may be chosen.", namespace: "team-b", spec: "{proxmox: {pool: team-b, node: n2}}", want: []string{"spec.proxmox.node: has no pin", "spec.proxmox.node: no node of tenant team-b"}},
		"Avoid":     {reason: "To leave nodes out is to choose.", namespace: "team-b", spec: "{proxmox: {pool: team-b, avoid: [n9]}}", want: []string{"spec.proxmox.avoid: has no pin"}},
		"Bridge":    {reason: "Another bridge; of every interface.", namespace: "team-b", spec: "{" + pool + ", network: {dhcp: true, bridge: vmbr1}, nics: [{bridge: vmbr1}]}", want: []string{"spec.network.bridge: no bridge", "spec.nics[0].bridge: no bridge"}},
		"VLAN":      {reason: "Another VLAN, and none.", namespace: "team-b", spec: "{proxmox: {pool: team-b, vlan: 99}, nics: [{bridge: vmbr0}]}", want: []string{"spec.proxmox.vlan: there are: 30, 31", "spec.nics[0].vlan: there are: 30, 31"}},
		"Datastore": {reason: "Another datastore, of the boot disk and of a data disk.", namespace: "team-b", spec: "{proxmox: {pool: team-b, storage: local}, disks: [{name: d, size: 1Gi, storage: slow}]}", want: []string{"spec.proxmox.storage: no datastore", "spec.disks[0].storage: no datastore"}},
		"PCI":       {reason: "An empty list has nothing.", namespace: "team-b", spec: "{" + pool + ", devices: {pci: [{mapping: gpu0}]}, firmware: {machine: q35}}", want: []string{"spec.devices.pci[0].mapping: no PCI device"}},
		"USB":       {reason: "A list that is left out has everything.", namespace: "team-b", spec: "{" + pool + ", devices: {usb: [{mapping: stick}]}}"},
		"NoPool":    {reason: "Proxmox' pool is the tenant's.", namespace: "team-b", spec: "{}", want: []string{"spec.proxmox.pool: must be team-b"}},
		"Address":   {reason: "An address of others.", namespace: "team-b", spec: "{" + pool + ", network: {ip: 10.7.0.81}}", want: []string{"spec.network.ip: there are: 10.7.0.60-10.7.0.79"}},
		"Addresses": {reason: "An address of the tenant's, and one that the pool has for it.", namespace: "team-b", spec: "{" + pool + ", network: {ip: 10.7.0.61}}"},
		"IPv6":      {reason: "The rules have no IPv6 address.", namespace: "team-b", spec: "{" + pool + ", network: {ip: 10.7.0.61, ipv6: {ip: fd00::1, cidr: 64}}}", want: []string{"spec.network.ipv6.ip: are IPv4"}},
		"VMID":      {reason: "A VMID of others.", namespace: "team-b", spec: "{proxmox: {pool: team-b, vmId: 4300}}", want: []string{"spec.proxmox.vmId: from 4200 to 4299"}},
		"Image":     {reason: "Another image.", namespace: "team-b", spec: "{" + pool + ", image: ubuntu-24.04}", want: []string{"spec.image: no image of tenant team-b"}},
		"Template":  {reason: "A VMID, also of a template that the catalogue has by another name.", namespace: "team-b", spec: "{" + pool + ", image: \"9000\"}", want: []string{"spec.image: has no templates"}},
		"Adopt":     {reason: "Somebody's VM.", namespace: "team-b", spec: "{" + pool + ", adopt: {vmId: 108}}", want: []string{"spec.adopt: has no adopt"}},
		"Snippets":  {reason: "A file of the node.", namespace: "team-b", spec: "{" + pool + ", bootstrap: {snippets: {vendorData: \"local:snippets/k3s-token.yaml\"}}}", want: []string{"spec.bootstrap.snippets.vendorData: has no snippets"}},
		"MAC":       {reason: "A MAC address of the claim's own.", namespace: "team-b", spec: "{" + pool + ", network: {dhcp: true, mac: 'BC:24:11:00:00:01'}}", want: []string{"spec.network.mac: has no mac"}},
		"HA":        {reason: "A node with such a VM can restart itself under everybody.", namespace: "team-b", spec: "{" + pool + ", ha: {enabled: true}}", want: []string{"spec.ha: has no ha"}},
		"AllAtOnce": {reason: "What is wrong besides is said together with what the rules refuse.", namespace: "team-b", spec: "{" + pool + ", class: large, hostname: Not_One, startup: {order: 1}}", want: []string{
			"spec.hostname: invalid characters", "spec.startup: has no startup", "spec.class: no class of tenant team-b", "spec.size.cores: at most 8", "spec.size.memory: at most 16384Mi", "spec.size.disk: at most 200Gi",
		}},
		"NoHA":      {reason: "Switched off, it is none.", namespace: "team-b", spec: "{" + pool + ", ha: {enabled: false}}"},
		"Startup":   {reason: "A delay holds what others have on the node.", namespace: "team-b", spec: "{" + pool + ", startup: {order: 1, upDelaySeconds: 86400}}", want: []string{"spec.startup: has no startup"}},
		"StableMAC": {reason: "One that follows from the name is nobody else's.", namespace: "team-b", spec: "{" + pool + ", network: {dhcp: true, stableMAC: true}}"},
		"DNS":       {reason: "A name of others.", namespace: "team-b", spec: "{" + pool + ", network: {dhcp: true, dnsRecord: www.lab.arpa}}", want: []string{"spec.network.dnsRecord: no name of tenant team-b"}},
		"OwnDNS":    {reason: "A name of the tenant's.", namespace: "team-b", spec: "{" + pool + ", network: {dhcp: true, dnsRecord: www.team-b.lab.arpa}}"},
		"Cluster":   {reason: "Another cluster.", namespace: "team-b", kind: claim.KindK3sNode, spec: node("cluster: work"), want: []string{"spec.k3s.cluster: no cluster of tenant team-b"}},
		"Agent":     {reason: "An agent of a cluster of the tenant's.", namespace: "team-b", kind: claim.KindK3sNode, spec: node("cluster: home")},
		"Server":    {reason: "A server there would have a vote.", namespace: "team-b", kind: claim.KindK3sNode, spec: "{" + pool + ", k3s: {role: server, cluster: home}}", want: []string{"spec.k3s.role: no role of tenant team-b"}},
		"OwnServer": {reason: "A cluster of the tenant's own.", namespace: "team-b", kind: claim.KindK3sNode, spec: node("server: \"https://10.7.0.70:6443\", version: v1.33.6+k3s1, token: {file: /t/oken}")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = kindMachine
			}

			_, errs := Claim(claimIn(t, tc.namespace, kind, tc.spec), divided(t, teamB), Existing{})

			var got []string

			for i, err := range errs {
				text := err.Error()

				if i < len(tc.want) {
					path, part, _ := strings.Cut(tc.want[i], ": ")
					if err.Field == path && strings.Contains(text, part) {
						text = tc.want[i]
					}
				}

				got = append(got, text)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTenancyChooses: what the function chooses is the tenant's, too.
func TestTenancyChooses(t *testing.T) {
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		c := claimIn(t, "team-b", kindMachine, "{proxmox: {pool: team-b}, network: {pool: true}}")
		c.Identity.Name = name

		m, errs := Claim(c, divided(t, teamB), Existing{})
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}

		type chosen struct {
			Node   string
			VMIDs  machine.Range
			Ranges []string
		}

		got := chosen{Node: m.Placement.Node, VMIDs: *m.Placement.VMIDRange}
		for _, r := range m.NICs[0].IPv4.Pool.Ranges {
			got.Ranges = append(got.Ranges, r.String())
		}

		if diff := cmp.Diff(chosen{"n1", machine.Range{From: 4200, To: 4299}, []string{"10.7.0.60-10.7.0.79"}}, got); diff != "" {
			t.Errorf("machine %s: -want, +got:\n%s", name, diff)
		}
	}
}

// TestTenancyLeavesWhatExists: rules that come later refuse what an edit newly asks for, and nothing else.
func TestTenancyLeavesWhatExists(t *testing.T) {
	const before = "{class: large, size: {cores: 30}, proxmox: {node: n2}, network: {dhcp: true, bridge: vmbr1}}"

	cases := map[string]struct {
		reason, spec, applied string
		want                  []string
	}{
		"Same":    {reason: "It stays as it is.", spec: before, applied: before},
		"Allowed": {reason: "An edit within the rules is applied.", spec: "{notes: x, class: large, size: {cores: 30}, proxmox: {node: n2}, network: {dhcp: true, bridge: vmbr1}}", applied: before},
		"Smaller": {reason: "Less than before may still be too much.", spec: "{class: large, size: {cores: 20}, proxmox: {node: n2}, network: {dhcp: true, bridge: vmbr1}}", applied: before},
		"Larger":  {reason: "More may not.", spec: "{class: large, size: {cores: 31}, proxmox: {node: n2}, network: {dhcp: true, bridge: vmbr1}}", applied: before, want: []string{"spec.size.cores"}},
		"New":     {reason: "Another thing beyond the rules may not.", spec: "{class: large, size: {cores: 30}, proxmox: {node: n2}, network: {dhcp: true, bridge: vmbr1, mac: 'BC:24:11:00:00:01'}}", applied: before, want: []string{"spec.network.mac"}},
		"Unknown": {reason: "Without knowing what was applied, every rule counts.", spec: "{class: large, proxmox: {node: n2, pool: team-b}}", want: []string{"spec.proxmox.node", "spec.class", "spec.size.cores", "spec.size.memory", "spec.size.disk", "spec.proxmox.node"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := Existing{Node: "n2", Has: &Entries{}}

			if tc.applied != "" {
				applied := claimIn(t, "team-b", kindMachine, tc.applied)
				e.Applied = &applied
			}

			_, errs := Claim(claimIn(t, "team-b", kindMachine, tc.spec), divided(t, teamB), e)

			var got []string
			for _, err := range errs {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%v\nClaim(...): -want, +got:\n%s", tc.reason, errs, diff)
			}
		})
	}
}

// TestTenancyKeepsALabel: the label of another tenant stays where the VM has its tag, and is refused where an edit brings it.
func TestTenancyKeepsALabel(t *testing.T) {
	cases := map[string]struct {
		reason, label string
		tags          []string
		want          []string
	}{
		"Kept":    {reason: "It was there before the rules.", label: "Team-C", tags: []string{"web", "tenant_team-c"}},
		"Brought": {reason: "The tag of another tenant would come to a VM that has none.", label: "team-c", tags: []string{"web"}, want: []string{"metadata.labels[tenant-id]"}},
		"Other":   {reason: "One of another one would become that of a third one.", label: "team-d", tags: []string{"tenant_team-c"}, want: []string{"metadata.labels[tenant-id]"}},
		"Own":     {reason: "The own one may come.", label: "team-b"},
		"None":    {reason: "The label may go.", tags: []string{"tenant_team-c"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			applied := claimIn(t, "team-b", kindMachine, "{proxmox: {pool: team-b}}")
			now := claimIn(t, "team-b", kindMachine, "{proxmox: {pool: team-b}}")
			now.Identity.Tenant = tc.label

			_, errs := Claim(now, divided(t, teamB), Existing{Node: "n1", Has: &Entries{}, Applied: &applied, Tenant: TenantTagged(tc.tags)})

			var got []string
			for _, err := range errs {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%v\nClaim(...): -want, +got:\n%s", tc.reason, errs, diff)
			}
		})
	}
}

// TestTenancyUnread: rules that nobody can read allow nothing new.
func TestTenancyUnread(t *testing.T) {
	for name, tenancy := range map[string]string{
		"Key": `{tenants: {team-b: {namespaces: [team-b], clases: [small]}}}`, "Limit": `{tenants: {team-b: {namespaces: [team-b], limits: {memory: lots}}}}`,
		"Word": `{tenants: {team-b: {namespaces: [team-b], allow: [everything]}}}`,
	} {
		c, faults := catalog.Decode(jsonOf(t, "{sites: {lab: {nodes: {n1: {}}}}, tenancy: "+tenancy+"}"), "data")
		c = catalog.Merge(catalog.BuiltIn(), c.WithFaults(faults, "data"))

		if _, errs := Claim(claimIn(t, "team-b", kindMachine, "{proxmox: {site: lab}}"), c, Existing{}); len(errs) == 0 || !strings.HasPrefix(errs[0].Field, "data.tenancy.tenants.team-b") {
			t.Errorf("%s: want the catalogue's fault, got %v", name, errs)
		}

		applied := claimIn(t, "team-b", kindMachine, "{proxmox: {site: lab}}")
		if _, errs := Claim(applied, c, Existing{Node: "n1", Has: &Entries{}, Applied: &applied}); len(errs) > 0 {
			t.Errorf("%s: an existing VM is refused: %v", name, errs)
		}
	}
}

// TestTenancyUnreadByOthers: a fault in the rules of other tenants is told once, without their names, and one's own as it is.
func TestTenancyUnreadByOthers(t *testing.T) {
	const rules = `{tenants: {team-a: {namespaces: [team-a], clases: [small], limts: {}}, team-b.dev: {namespaces: [dev], alow: []}, team-b: {namespaces: [team-b], sties: {}}}}`

	cases := map[string]struct {
		reason, namespace string
		want              []string
	}{
		"Own":    {"Its own fault, and that there are others.", "team-b", []string{"data.tenancy.tenants", "data.tenancy.tenants.team-b.sties"}},
		"Dotted": {"A name that begins with another tenant's.", "dev", []string{"data.tenancy.tenants", "data.tenancy.tenants.team-b.dev.alow"}},
		"Nobody": {"A namespace that is no tenant's has no rules of its own.", "guest", []string{"data.tenancy.tenants"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, faults := catalog.Decode(jsonOf(t, "{sites: {lab: {nodes: {n1: {}}}}, tenancy: "+rules+"}"), "data")
			_, errs := Claim(claimIn(t, tc.namespace, kindMachine, "{proxmox: {site: lab}}"), catalog.Merge(catalog.BuiltIn(), c.WithFaults(faults, "data")), Existing{})

			var got []string

			for _, err := range errs {
				if strings.HasPrefix(err.Field, "data.") {
					got = append(got, err.Field)
				}

				if strings.Contains(err.Error(), "team-a") {
					t.Errorf("%s It reads: %v", tc.reason, err)
				}
			}

			slices.Sort(got)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// jsonOf a document in YAML.
func jsonOf(t *testing.T, document string) []byte {
	t.Helper()

	b, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		t.Fatal(err)
	}

	return b
}

// refusals of a claim of any kind.
func refusals(c claim.Claim, cat catalog.Catalog) (errs field.ErrorList) {
	switch {
	case c.Container != nil:
		_, errs = Container(c.Identity, *c.Container, c.Faults, cat, Existing{})
	case c.ProxmoxSite != nil:
		_, errs = ProxmoxSite(c.Identity, *c.ProxmoxSite, c.Faults, cat, Existing{})
	default:
		_, errs = Claim(c, cat, Existing{})
	}

	return errs
}

func TestTenancyOfOtherKinds(t *testing.T) {
	cases := map[string]struct {
		reason, namespace, tenant, kind, spec string
		want                                  []string
	}{
		"Container":  {reason: "A container has a VM's rules.", namespace: "team-b", kind: "Container", spec: "{image: debian-ct, proxmox: {node: n1, vmId: 4300, pool: team-b, storage: slow}, network: {ip: 10.7.0.90}}", want: []string{"spec.proxmox.node", "spec.proxmox.storage", "spec.proxmox.vmId", "spec.network.ip"}},
		"Privileged": {reason: "Root on the node.", namespace: "team-b", kind: "Container", spec: "{image: debian-ct, unprivileged: false, proxmox: {node: n1, vmId: 4200, pool: team-b}, disks: [{path: /d, size: 300Gi, storage: slow}]}", want: []string{"spec.proxmox.node", "spec.unprivileged", "spec.size.disk", "spec.disks[0].storage"}},
		"Sites":      {reason: "Bridges of nodes are everybody's.", namespace: "team-b", kind: "ProxmoxSite", spec: "{proxmox: {site: lab}, pools: [{name: team-b}]}", want: []string{"kind"}},
		"SitesOf":    {reason: "With its word.", namespace: "team-c", kind: "ProxmoxSite", spec: "{proxmox: {site: lab}, pools: [{name: team-b}]}"},
		"Label":      {reason: "The label of another tenant.", namespace: "team-b", tenant: "team-a", spec: "{proxmox: {pool: team-b}}", want: []string{"metadata.labels[tenant-id]"}},
		"OwnLabel":   {reason: "One's own.", namespace: "team-b", tenant: "Team-B", spec: "{proxmox: {pool: team-b}}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = kindMachine
			}

			c := aClaim(t, kind, tc.spec)
			c.Identity.Namespace, c.Identity.Tenant = tc.namespace, tc.tenant

			var got []string

			for _, err := range refusals(c, divided(t, teamB)) {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
