package resolve

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// dividedNames is a catalogue in which every name that is not of tenant team-b begins with zz. %s are defaults.
const dividedNames = `
classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}, zzclass: {cores: 32, memory: 64Gi, disk: 500Gi}}
images:
  zzgolden: {template: 9000, templateNode: zznode, os: debian}
  zzimage: {url: "https://cloud.debian.org/zz.qcow2", os: debian}
  ours: {template: 9001, templateNode: zznode, os: debian}
  zzct: {url: "http://download.proxmox.com/images/system/debian-12-standard_12.7-1_amd64.tar.zst", os: debian}
  debian-ct: {url: "http://download.proxmox.com/images/system/debian-12-standard_12.7-1_amd64.tar.zst", os: debian}
defaults: {%s, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}
sites:
  lab:
    nodes:
      n1: {bridges: [vmbr0, zzbr], datastores: {disks: local-zfs, images: zzfiles, snippets: zzfiles}, storages: {zzfiles: [import, snippets, vztmpl], local-zfs: [images, rootdir], zzdisks: [images, rootdir]}, pci: [zzgpu], usb: [zzstick, stick], memory: 8Gi}
      n3: {bridges: [vmbr0, zzbr, vmbr2], datastores: {disks: local-zfs, images: zzfiles, snippets: zzfiles}, pci: [zzgpu, gpu], usb: [zzstick, stick], memory: 8Gi}
      n4: {datastores: {disks: local-zfs}}
      zznode: {bridges: [vmbr0, zzbr, zzbr2, vmbr3], datastores: {disks: zzdisks2, images: zzfiles, snippets: zzfiles}, storages: {zzfiles: [import, snippets, vztmpl], zzdisks2: [images, rootdir], ours: [images, rootdir]}, pci: [zzgpu, zzgpu2, gpu2], usb: [zzstick, zzstick2]}
    network: {bridge: vmbr0, vlan: 30, gateway: 10.7.0.1, cidr: 24, pool: 10.7.0.50-10.7.0.89}
    vmIds: {from: 4000, to: 4999}
    sharedDatastores: [zzdisks, zzfiles]
    firewall: {groups: [zzgroup, web], ipSets: [zzset, lan], aliases: [zzalias]}
  bare: {nodes: {n9: {}, zzbare: {}}}
  zzsite: {nodes: {zzfar: {bridges: [zzbr3]}}, images: Strict}
clusters:
  home: {server: "https://10.7.0.210:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}
  zzcluster: {server: "https://10.7.0.211:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}, snippets: ["zzfiles:snippets/theirs.yaml"]}
tenancy: {tenants: {zzteam: {namespaces: [zzspace]}, team-b: {namespaces: [team-b], 
  sites: {lab: {nodes: [n1, n3, n4], bridges: {vmbr0: [30], vmbr2: [], vmbr3: []}, datastores: [local-zfs, ours], pci: [gpu, gpu2], usb: [stick], firewall: {groups: [web], ipSets: [lan]}}, bare: {nodes: [n9]}},
  classes: [small], images: [debian-13, debian-ct, ours], clusters: {home: [agent, server]}, allow: [adopt, ha, pin, snippets, templates]}}}`

// hiddenName is a name of somebody else's.
var hiddenName = regexp.MustCompile(`zz[a-z]+[0-9]*`)

// fieldsOfSites are those of a ProxmoxSite.
var fieldsOfSites = []string{
	"{proxmox: {site: %s}, pools: [{name: a}]}", "{proxmox: {site: lab}, nodes: {%s: {bridges: [{name: vmbr9}]}}}", "{nodes: {%s: {vlans: [{interface: eno1, tag: 5}]}}}",
	"{proxmox: {site: bare}, nodes: {%s: {bridges: [{name: vmbr9}]}}}",
}

// fieldsWithNames are the fields of a claim that name something of the catalogue, each with what is around it.
var fieldsWithNames = []string{
	"{class: %s}", "{image: %s}", "{image: '%s:latest'}", "{image: %s.qcow2}", "{image: '%s:4101/vm-4101-disk-0.qcow2'}", "{image: '%s:import/x.raw'}",
	"{proxmox: {site: %s}}", "{proxmox: {site: %s, node: n1}}", "{proxmox: {node: %s}}", "{proxmox: {site: lab, node: %s}}", "{proxmox: {site: lab, avoid: [%s]}}",
	"{proxmox: {site: lab, avoid: [n1, n3, n4, %s]}}", "{proxmox: {site: bare, node: %s}}", "{proxmox: {site: lab, storage: %s}}", "{proxmox: {site: lab, node: n1, storage: %s}}", "{proxmox: {site: lab, node: n4, storage: %s}}",
	"{proxmox: {site: lab, bridge: %s}}", "{proxmox: {site: lab, node: n1}, network: {dhcp: true, bridge: %s}}", "{proxmox: {site: lab, node: n4}, network: {dhcp: true, bridge: %s}}", "{proxmox: {site: lab}, nics: [{bridge: %s, dhcp: true}]}",
	"{proxmox: {site: lab, node: n4}, devices: {pci: [{mapping: %s}]}, firmware: {machine: q35}}", "{proxmox: {site: lab}, devices: {pci: [{mapping: %s}]}, firmware: {machine: q35}}",
	"{proxmox: {site: lab, node: n3}, devices: {usb: [{mapping: %s}]}}", "{proxmox: {site: lab, node: n4}, devices: {usb: [{mapping: %s}]}}",
	"{proxmox: {site: lab, node: n1}, disks: [{name: d, size: 1Gi, storage: %s}]}", "{proxmox: {site: lab, node: n4}, disks: [{name: d, size: 1Gi, storage: %s}]}",
	"{proxmox: {site: lab}, ha: {enabled: true}, disks: [{name: d, size: 1Gi, storage: %s}]}", "{proxmox: {site: lab}, size: {memory: 900Gi}, notes: %s}", "{proxmox: {site: lab, node: n1}, size: {memory: 900Gi}, notes: %s}",
	"{proxmox: {site: lab}, bootstrap: {snippets: {vendorData: '%s:snippets/theirs.yaml'}}}", "{proxmox: {site: lab}, lifecycle: {lost: %s}}", "{proxmox: {site: lab}, adopt: {vmId: 4101}, network: {dhcp: true, bridge: %s}}",
	"{proxmox: {site: lab}, firewall: {allow: [{group: %s}]}}", "{proxmox: {site: lab}, firewall: {allow: [{port: 22, from: +%s}]}}", "{proxmox: {site: lab}, firewall: {allow: [{port: 22, from: +dc/%s}]}}",
	"{proxmox: {site: lab}, firewall: {allow: [{port: 22, from: dc/%s}]}}",
	"{proxmox: {site: lab}, network: {ip: 10.7.0.211}, notes: %s}", "{proxmox: {site: lab}, network: {ip: 10.7.0.0}, hostname: %s}", "{proxmox: {site: lab, node: n1}, image: ours, notes: %s}",
}

// fieldsOfNodes are the same of a K3sNode.
var fieldsOfNodes = []string{
	"{proxmox: {site: lab}, k3s: {role: agent, cluster: %s}}", "{proxmox: {site: lab}, network: {ip: 10.7.0.211}, k3s: {role: server, cluster: %s}}",
	"{proxmox: {site: lab}, bootstrap: {snippets: {vendorData: '%s:snippets/theirs.yaml'}}, k3s: {role: agent, cluster: home}}",
	"{proxmox: {site: lab}, network: {ip: 10.7.0.60}, notes: %s, k3s: {role: server, cluster: home, disable: [servicelb], init: true}, bootstrap: {userData: \"#cloud-config\\nwrite_files:\\n" +
		"- path: /var/lib/rancher/k3s/server/manifests/lb.yaml\\n  content: |\\n    kind: IPAddressPool\\n    spec: {addresses: [10.7.0.200-10.7.0.220]}\\n\"}}",
}

// TestTenantsLearnNoNames: whatever a tenant's claim has in a field, new or edited, no refusal, warning or reason tells a name of the catalogue that the tenant may
// not use, unless the claim says it, or it is a default, which each claim has that does not say the field.
func TestTenantsLearnNoNames(t *testing.T) {
	t.Parallel()

	const ours = "class: small, image: debian-13"

	own := []string{"nothing", "n1", "n9", "lab", "bare", "smal", "small", "hom", "debia", "debian-ct", "vmbr2", "vmbr3", "vmbr", "gpu", "gpu2", "stick", "ours", "local-zfs"}
	all := slices.Clone(own)

	for _, name := range slices.Compact(slices.Sorted(slices.Values(hiddenName.FindAllString(dividedNames, -1)))) {
		all = append(all, name, name[:len(name)-1]) // As it is, and with a typing error.
	}

	slices.Sort(all)

	for defaults, words := range map[string][]string{
		ours + ", site: lab": slices.Compact(all), ours: own, ours + ", site: zzsit": {"n1"},
		"class: zzclas, image: zzimag, site: lab": {"n1", "gpu2"}, "class: zzclass, image: zzgolden, site: zzsite": {"n1", "local-zfs"},
	} {
		t.Run(defaults, func(t *testing.T) {
			t.Parallel()

			cat := aCatalog(t, fmt.Sprintf(dividedNames, defaults))

			for _, word := range words {
				for _, format := range fieldsWithNames {
					tellsNoNames(t, kindMachine, fmt.Sprintf(format, word), defaults, cat)
					tellsNoNames(t, claim.KindContainer, fmt.Sprintf(format, word), defaults, cat)
				}

				for _, format := range fieldsOfSites {
					tellsNoNames(t, claim.KindProxmoxSite, fmt.Sprintf(format, word), defaults, cat)
				}

				for _, format := range fieldsOfNodes {
					tellsNoNames(t, claim.KindK3sNode, fmt.Sprintf(format, word), defaults, cat)
				}
			}
		})
	}
}

// TestNobodyLearnsNoNames: a namespace that is no tenant's and may have nothing is told no name of the catalogue, and of a name that nobody has that
// it may use none.
func TestNobodyLearnsNoNames(t *testing.T) {
	t.Parallel()

	const defaults = "class: small, image: debian-13, site: lab"

	cat := aCatalog(t, strings.Replace(fmt.Sprintf(dividedNames, defaults), "tenancy: {", "tenancy: {default: Deny, ", 1))

	for _, word := range []string{"nothing", "n1", "lab", "smal", "zzclas", "zzgolde", "zzgolden", "zzsit", "zzclustr", "zznod", "zzgp", "zzb", "stic"} {
		for _, format := range fieldsWithNames {
			tellsNoNamesIn(t, "guest", kindMachine, fmt.Sprintf(format, word), defaults, cat)
			tellsNoNamesIn(t, "guest", claim.KindContainer, fmt.Sprintf(format, word), defaults, cat)
		}

		for _, format := range fieldsOfSites {
			tellsNoNamesIn(t, "guest", claim.KindProxmoxSite, fmt.Sprintf(format, word), defaults, cat)
		}

		for _, format := range fieldsOfNodes {
			tellsNoNamesIn(t, "guest", claim.KindK3sNode, fmt.Sprintf(format, word), defaults, cat)
		}
	}

	for _, name := range []string{"zzclas", "zzclass", "zzgolden", "zzgolde", "zzsite", "zzsit"} {
		for kind, format := range map[string]string{"class": "{class: %s}", "image": "{image: %s}", "site": "{proxmox: {site: %s}}"} {
			want := "namespace guest may use no " + kind + " (data.tenancy.default)"

			for _, err := range refusals(claimIn(t, "guest", kindMachine, fmt.Sprintf(format, name)), cat) {
				if err.Field == "spec."+kind && !strings.HasSuffix(err.Error(), want) {
					t.Errorf("%s %s: want %q, got %v", kind, name, want, err)
				}
			}
		}
	}
}

// TestTenantsLearnNoNamesOfFaults: the fault of a rule that names what the catalogue does not have is told to the tenant, and to whoever writes the catalogue with the
// names that there are.
func TestTenantsLearnNoNamesOfFaults(t *testing.T) {
	t.Parallel()

	const defaults = "class: small, image: debian-13, site: lab"

	for _, edit := range [][2]string{
		{"nodes: [n1, n3, n4]", "nodes: [n1, zznod]"},
		{"classes: [small]", "classes: [small, zzclas]"},
		{"images: [debian-13", "images: [zzgolde, debian-13"},
		{"clusters: {home: [agent", "clusters: {zzcluste: [], home: [agent"},
		{"bare: {nodes: [n9]}", "zzsit: {}"},
		{"firewall: {groups: [web]", "firewall: {groups: [zzgrou]"},
	} {
		document := strings.ReplaceAll(fmt.Sprintf(dividedNames, defaults), edit[0], edit[1])
		cat := aCatalog(t, document)

		tellsNoNames(t, kindMachine, "{}", defaults+edit[1], cat)

		tenant, _ := cat.Tenancy.TenantOf("team-b")
		if said := validate.Tenant(cat, tenant).ToAggregate().Error(); !strings.Contains(said, "did you mean zz") {
			t.Errorf("%s: the catalogue's author is told %s", edit[1], said)
		}
	}
}

// TestTenantsLearnNoNamesOfFaultyNodes: a site with a fault in a node of others is as unusable as any with a fault, and the tenant is told that once.
func TestTenantsLearnNoNamesOfFaultyNodes(t *testing.T) {
	t.Parallel()

	const hidden = "data.sites.lab.nodes: Invalid value: cannot be read, because of a fault in a node that this namespace may not use: nothing new is made until whoever writes the catalogue corrects it"

	cases := map[string]struct {
		reason, namespace string
		edits             [][2]string
		want              []string
	}{
		"Others":   {reason: "Two faults, and no name.", namespace: "team-b", edits: [][2]string{{"zznode: {bridges", "zznode: {memroy: 1, usbs: [], bridges"}}, want: []string{hidden}},
		"Own":      {reason: "A node of its own is named.", namespace: "team-b", edits: [][2]string{{"n4: {", "n4: {memroy: 1, "}}, want: []string{"data.sites.lab.nodes.n4.memroy"}},
		"Platform": {reason: "Who is no tenant is told all.", edits: [][2]string{{"zznode: {bridges", "zznode: {memroy: 1, bridges"}}, want: []string{"data.sites.lab.nodes.zznode.memroy"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			document := fmt.Sprintf(dividedNames, "class: small, image: debian-13, site: lab")
			for _, e := range tc.edits {
				document = strings.Replace(document, e[0], e[1], 1)
			}

			b, err := yaml.YAMLToJSON([]byte(document))
			if err != nil {
				t.Fatal(err)
			}

			c, faults := catalog.Decode(b, "data")
			_, errs := Claim(claimIn(t, tc.namespace, kindMachine, "{}"), catalog.Merge(catalog.BuiltIn(), c.WithFaults(faults, "data")), Existing{})

			for i := range max(len(errs), len(tc.want)) {
				if i >= len(errs) || i >= len(tc.want) || !strings.HasPrefix(errs[i].Error(), tc.want[i]) {
					t.Fatalf("%s\nwant %q\ngot  %v", tc.reason, tc.want, errs)
				}
			}
		})
	}
}

func tellsNoNames(t *testing.T, kind, spec, defaults string, cat catalog.Catalog) {
	t.Helper()
	tellsNoNamesIn(t, "team-b", kind, spec, defaults, cat)
}

// tellsNoNamesIn a namespace.
func tellsNoNamesIn(t *testing.T, namespace, kind, spec, defaults string, cat catalog.Catalog) {
	t.Helper()

	document := map[string]any{}
	if err := yaml.Unmarshal([]byte("{kind: "+kind+", metadata: {name: dns01, namespace: "+namespace+", uid: uid-1}, spec: "+spec+"}"), &document); err != nil {
		t.Fatal(err)
	}

	c := claim.Decode(document)
	applied := decoded(t, namespace, "", kind, "{proxmox: {site: lab}}")

	for name, e := range map[string]Existing{
		"New": {}, "Adopting": {Adopting: true}, "Lives": {Node: "n1", DiskDatastore: "local-zfs", Has: &Entries{}, Applied: &applied}, "LivesElsewhere": {Node: "n7", Has: &Entries{}, Applied: &applied},
	} {
		told := toldOfClaim(c, cat, e)

		for _, text := range told {
			for _, hidden := range hiddenName.FindAllString(text, -1) {
				if !slices.Contains(hiddenName.FindAllString(spec+defaults, -1), hidden) {
					t.Errorf("%s %s (%s, defaults: {%s}) is told of %s: %s", kind, spec, name, defaults, hidden, text)
				}
			}
		}
	}
}

// toldOfClaim is all that the author of a claim is told of it.
func toldOfClaim(c claim.Claim, cat catalog.Catalog, e Existing) (told []string) {
	var (
		errs field.ErrorList
		made *machine.Machine
	)

	switch {
	case c.ProxmoxSite != nil:
		_, errs = ProxmoxSite(c.Identity, *c.ProxmoxSite, c.Faults, cat, e)
	case c.Container != nil:
		var out *machine.Container
		if out, errs = Container(c.Identity, *c.Container, c.Faults, cat, e); out != nil {
			made = &out.Machine
		}
	default:
		made, errs = Claim(c, cat, e)
	}

	for _, err := range errs {
		told = append(told, err.Error())
	}

	if made != nil {
		told = append(told, said(made.Warnings, made.Placement.Choice)...)
	}

	return told
}

// said is what a claim without faults is told of its machine.
func said(warnings []string, choice *machine.Choice) []string {
	if choice == nil {
		return warnings
	}

	return append(slices.Clone(warnings), choice.Reason)
}
