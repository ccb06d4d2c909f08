package lint

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

var update = flag.Bool("update", false, "rewrite the file of expected results")

// A mistake that people make.
type mistake struct {
	reason   string
	document string
}

// aMachine is the claim of a Machine with these lines of spec, which begin in line 5.
func aMachine(spec string) string {
	return "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01, namespace: infra-machines}\nspec:\n" + indented(spec)
}

// aNode is the claim of a K3sNode with these lines of spec, which begin in line 5.
func aNode(spec string) string {
	return "apiVersion: homelab.io/v1alpha1\nkind: K3sNode\nmetadata: {name: agent-1, namespace: infra-machines}\nspec:\n" + indented(spec)
}

// aCluster is the claim of a K3sCluster with these lines of spec, which begin in line 5.
func aCluster(spec string) string {
	return "apiVersion: homelab.io/v1alpha1\nkind: K3sCluster\nmetadata: {name: lab, namespace: infra-machines}\nspec:\n" + indented(spec)
}

// aProxmoxSite is the claim of a ProxmoxSite with these lines of spec, which begin in line 5.
func aProxmoxSite(spec string) string {
	return "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra-machines}\nspec:\n" + indented(spec)
}

// aContainerClaim is the claim of a Container with these lines of spec, which begin in line 5.
func aContainerClaim(spec string) string {
	return "apiVersion: homelab.io/v1alpha1\nkind: Container\nmetadata: {name: web, namespace: infra-machines}\nspec:\n" + indented(spec)
}

// mistakesOfSpelling are values that name another spelling of a right one: the message has the value to write.
func mistakesOfSpelling() map[string]mistake {
	return map[string]mistake{
		"PrefixWithSlash":    {"a slash before the prefix length", aMachine("network: {ip: 192.168.4.61, cidr: /24}\nproxmox: {node: pve1}")},
		"AddressWithNetmask": {"a netmask behind the address", aMachine("network: {ip: 192.168.4.61/255.255.255.0}\nproxmox: {node: pve1}")},
		"DomainWithCapitals": {"capitals in a domain", aMachine("network: {ip: 192.168.4.61/24, domain: Home.Arpa}\nproxmox: {node: pve1}")},
		"DomainWithDots":     {"dots around a domain", aMachine("network: {ip: 192.168.4.61/24, domain: .home.arpa.}\nproxmox: {node: pve1}")},
		"CPUTypeInLowerCase": {"a CPU type in lower case", aMachine("size: {cpuType: x86-64-v2-aes}\nproxmox: {node: pve1}")},
		"ChipsetInUpperCase": {"a chipset in upper case", aMachine("firmware: {machine: Q35}\nproxmox: {node: pve1}")},
		"ChipsetShort":       {"a fixed chipset without the word before it", aMachine("firmware: {machine: q35-9.2}\nproxmox: {node: pve1}")},
		"BalloonOff":         {"ballooning switched off, as qm has it", aMachine("size: {memoryFloor: 0}\nproxmox: {node: pve1}")},
		"DisplayMemory":      {"the memory of a display", aMachine("vga: {type: qxl, memory: 64}\nproxmox: {node: pve1}")},
		"DisplayGL":          {"a display for which the node lacks libraries", aMachine("vga: {type: virtio-gl}\nproxmox: {node: pve1}")},
		"ChipsetOfQEMU":      {"a chipset as Proxmox's page names it", aMachine("firmware: {machine: i440fx}\nproxmox: {node: pve1}")},
		"CacheDefault":       {"a cache mode as Proxmox's page names it", aMachine("bootDisk: {cache: default}\nproxmox: {node: pve1}")},
		"NotesCut":           {"a number sign in notes", aMachine("notes: rack #4\nproxmox: {node: pve1}")},
		"MountAtProc":        {"a mount point over the kernel's", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\ndisks: [{path: /proc/x, size: 1Gi}]\nproxmox: {node: pve1, vmId: 150}")},
		"TemplateOfNobody":   {"a template that the catalogue does not have", aContainerClaim("image: debian-12-standard\nproxmox: {node: pve1, vmId: 150}")},
		"EncryptedWithSOPS":  {"a file that SOPS encrypted", aMachine("class: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]") + "sops: {mac: \"ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\", version: 3.8.1}\n"},
	}
}

func mistakesOfClusters() map[string]mistake {
	const token = "token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n"

	return map[string]mistake{
		"ClusterOfTwo":       {"two servers", aCluster(token + "cluster: home\nservers: {count: 2}")},
		"ClusterClass":       {"a class of nobody, once for all servers", aCluster(token + "cluster: home\nservers: {count: 3, class: tiny}")},
		"ClusterPoolClass":   {"a class of nobody, of agents", aCluster(token + "cluster: home\nservers: {count: 1}\nagents: [{name: worker, count: 5, class: tiny}]")},
		"ClusterField":       {"a field of K3sNodes", aCluster(token + "cluster: home\nrole: server\nservers: {}")},
		"ClusterTemplate":    {"a field of a single machine for all", aCluster(token + "cluster: home\nservers: {template: {network: {ip: 192.168.4.1}}}")},
		"ClusterNodeUnknown": {"a node that no pool can have", aCluster(token + "cluster: home\nservers: {}\nnodes: [{name: server-9, ip: 192.168.4.50}]")},
		"ClusterNoToken":     {"nobody can join", aCluster("servers: {count: 3}\nendpoint: \"https://192.168.4.79:6443\"\nversion: v1.33.6+k3s1")},
		"ClusterUpgrade":     {"a word that is none", aCluster(token + "cluster: home\nupgrade: System\nservers: {count: 1}")},
		"ClusterUpgradeOf":   {"an upgrade that needs more of the catalogue", aCluster(token + "cluster: home\nupgrade: SystemUpgrade\nservers: {count: 1}")},
		"ClusterUserData":    {"what a node would refuse, once for all servers", aCluster(token + "cluster: home\nversion: v1.36.5+k3s1\nservers: {count: 3, template: {bootstrap: {userData: \"hostname: x\"}}}")},
		"ClusterAllAtOnce":   {"faults of the whole claim and of its nodes", aCluster(token + "cluster: home\nservers: {count: 2, snapshots: {schedule: daily}}\nagents: [{name: my_pool, count: 2, class: tiny}]")},
		"ClusterUntrusted":   {"the short token alone", aCluster("token: {secretRef: {name: k3s-token}, allowPlaintext: true}\nservers: {count: 3}\nendpoint: \"https://192.168.4.79:6443\"\nversion: v1.33.6+k3s1")},
	}
}

// environment is a catalogue with these lines of data, which begin in line 5.
func environment(data string) string {
	return "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata:\n" + indented(data)
}

func indented(lines string) string {
	return "  " + strings.ReplaceAll(lines, "\n", "\n  ") + "\n"
}

// where a claim is when nothing else is wrong.
const where = "proxmox: {node: pve1}\n"

// TestMistakes has what natural mistakes are answered with. Read the golden file: it is what people get.
func TestMistakes(t *testing.T) {
	t.Parallel()

	catalogue, err := manifest.ReadRaw([]string{"testdata/catalogue.yaml"}, nil)
	if err != nil {
		t.Fatal(err)
	}

	all := map[string]mistake{}
	for _, table := range []map[string]mistake{mistakesOfForm(), mistakesOfFields(), mistakesOfValues(), mistakesOfNames(), mistakesOfK3s(), mistakesOfClusters(), mistakesOfSpelling(), mistakesOfCatalogues(), mistakesOfTheFirstHour(), mistakesOfShape(), mistakesOfOtherTools(), mistakesOfFlux(), mistakesOfNotation(), mistakesOfHabits(), mistakesOfNewcomers(), mistakesOfHomelabs(), mistakesOfTheSecondRound(), mistakesOfReading(), mistakesFromElsewhere(), useless()} {
		for name, m := range table {
			if _, twice := all[name]; twice {
				t.Fatalf("two mistakes are called %s", name)
			}

			all[name] = m
		}
	}

	if len(all) < 90 {
		t.Errorf("there are only %d mistakes", len(all))
	}

	var got strings.Builder

	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := all[name]
		report := Check([]manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(m.document))}}, catalogue, Options{})

		if len(report.Faults) == 0 {
			t.Errorf("%s (%s) has no fault:\n%s", name, m.reason, m.document)
		}

		fmt.Fprintf(&got, "== %s: %s\n%s--\n", name, m.reason, m.document)

		for _, f := range report.Faults {
			if f.Line < 1 || f.Column < 1 || strings.ContainsAny(f.String(), "\n\t") {
				t.Errorf("%s: a fault is one line with a place: %q", name, f.String())
			}

			if strings.Contains(f.String(), "hunter2") || strings.Contains(f.String(), "must-not-be-shown") {
				t.Errorf("%s: a fault shows a secret: %s", name, f)
			}

			fmt.Fprintln(&got, f)
		}

		fmt.Fprintln(&got)
	}

	isGolden(t, "testdata/mistakes.txt", got.String())
}

// isGolden holds what people get against a file; -update writes it.
func isGolden(t *testing.T, file, got string) {
	t.Helper()

	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (go test ./internal/lint -update rewrites it): -want, +got:\n%s", file, diff)
	}
}

func mistakesOfForm() map[string]mistake {
	const claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01}\n"

	return map[string]mistake{
		"Tab":             {"an editor indents with tabs", claim + "spec:\n\tproxmox: {node: pve1}\n"},
		"TabInside":       {"a tab after blanks", claim + "spec:\n  proxmox:\n  \tnode: pve1\n"},
		"Indentation":     {"a field one blank too far left", claim + "spec:\n  class: small\n proxmox: {node: pve1}\n"},
		"NoBlank":         {"no blank after the colon", claim + "spec:\n  class:small\n  proxmox: {node: pve1}\n"},
		"NoBlankInside":   {"no blank after a colon, and more lines", claim + "spec:\n  size:\n    memory:4Gi\n    cores: 2\n"},
		"Conflict":        {"a merge is not finished", claim + "<<<<<<< HEAD\nspec: {}\n=======\nspec: {power: Stopped}\n>>>>>>> other\n"},
		"Variable":        {"a placeholder of Flux in braces", claim + "spec:\n  proxmox: {node: pve1, vmId: ${VMID}}\n"},
		"OctalConfig":     {"a mode without quotes, in a setting of K3s: one fault, and not the advice to write another number", aNode("k3s: {role: server, init: true, config: {write-kubeconfig-mode: 0644}}")},
		"VariableInName":  {"a placeholder of Flux behind other letters, in braces and without quotes", aMachine(where + "network: {dnsRecord: web-${env}.home.arpa}")},
		"VariableText":    {"a placeholder of Flux in quotes", aMachine(where + "network: {ip: \"${IP}\"}")},
		"VariableDefault": {"a placeholder with a default", aMachine(where + "hostname: ${NAME:-dns01}")},
		"VariableHelm":    {"a placeholder of Helm in quotes", aMachine(where + "hostname: \"{{ .Values.name }}\"")},
		"ExternalName":    {"an external name, as people know it of managed resources", strings.Replace(aMachine(where), "metadata: {", "metadata: {annotations: {crossplane.io/external-name: pve1/108}, ", 1)},
		"Paused":          {"a claim paused by hand, and committed", strings.Replace(aMachine(where), "metadata: {", "metadata: {annotations: {crossplane.io/paused: \"true\"}, ", 1)},
		"Replaced":        {"sync options that Argo CD has for other kinds", strings.Replace(aMachine(where), "metadata: {", "metadata: {annotations: {argocd.argoproj.io/sync-options: \"Replace=true,Force=true\"}, ", 1)},
		"Hook":            {"a hook of a chart", strings.Replace(aMachine(where), "metadata: {", "metadata: {annotations: {helm.sh/hook: post-install}, ", 1)},
		"Octal":           {"a VMID with a zero in front", aMachine("proxmox: {node: pve1, vmId: 04001}")},
		"OctalText":       {"a number where text is wanted is shown as typed", aMachine(where + "role: 010\nlifecycle: {reboot: 20261120}")},
		"NoBlankAlone":    {"no blank after the colon, and nothing else", claim + "spec:\n  power:Running\n"},
		"OctalCatalogue":  {"a VLAN with a zero in front", environment("sites: {home: {nodes: {pve1: {bridges: [vmbr0]}}, network: {bridge: vmbr0, vlan: 0100}}}")},
		"OpenQuote":       {"a quote is not closed", claim + "spec:\n  class: \"small\n  proxmox: {node: pve1}\n"},
		"OpenBrace":       {"a brace is not closed", claim + "spec:\n  proxmox: {node: pve1\n"},
		"KeyTwice":        {"a field twice, of which Kubernetes keeps one", aMachine("class: small\n" + where + "class: gpu")},
		"KeyTwiceBelow":   {"the same in a list", aMachine(where + "disks:\n  - {name: data, size: 5Gi, size: 6Gi}")},
		"NoSpec":          {"fields of the spec at the top", claim + "class: small\nproxmox: {node: pve1}\n"},
		"NoVersion":       {"apiVersion is missing", "kind: Machine\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"Fragment":        {"a part of the docs, with spec", "spec:\n  class: medium\n  proxmox: {node: pve1}\n"},
		"FragmentFields":  {"fields of a spec alone", "class: medium\nnetwork: {dhcp: true}\n"},
		"FragmentNamed":   {"with a name", "name: web\nunprivileged: true\n"},
		"FragmentCluster": {"of a cluster", "spec:\n  servers: {count: 3}\n"},
		"FragmentKind":    {"with a kind alone", "kind: Machine\nclass: medium\n"},
		"FragmentOthers":  {"another project's spec", "spec:\n  containers: []\n"},
		"NoKind":          {"kind is missing", "apiVersion: homelab.io/v1alpha1\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"NeitherOfThem":   {"only a spec", "metadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"OldVersion":      {"a version that does not exist", "apiVersion: homelab.io/v1\nkind: Machine\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"GroupMisspelt":   {"another domain", "apiVersion: homelab.com/v1alpha1\nkind: Machine\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"NoGroup":         {"the version alone", "apiVersion: v1alpha1\nkind: Machine\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"KindCase":        {"a kind in lower case", "apiVersion: homelab.io/v1alpha1\nkind: machine\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"KindPlural":      {"a kind as kubectl's list has it", "apiVersion: homelab.io/v1alpha1\nkind: K3sNodes\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"KindOther":       {"a kind of nobody", "apiVersion: homelab.io/v1alpha1\nkind: VirtualMachine\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"Composite":       {"the composite's kind", "apiVersion: homelab.io/v1alpha1\nkind: XMachine\nmetadata: {name: files01}\nspec: {proxmox: {node: pve1}}\n"},
		"List":            {"the second item of a List is wrong", "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: homelab.io/v1alpha1\n    kind: Machine\n    metadata: {name: a}\n    spec: {proxmox: {node: pve1}}\n  - apiVersion: homelab.io/v1alpha1\n    kind: Machine\n    metadata: {name: b}\n    spec: {klass: small, proxmox: {node: pve1}}\n"},
		"SecondDocument":  {"the second document is wrong, and a third is no YAML", aMachine(where) + "---\n" + strings.Replace(aMachine("class: smal\n"+where), "files01", "files02", 1) + "---\nspec: [\n"},
		"NotAnObject":     {"a list of claims without a List", "- apiVersion: homelab.io/v1alpha1\n  kind: Machine\n"},
		"Text":            {"no manifest at all", "hello\n"},
		"SpecList":        {"the spec with hyphens", claim + "spec:\n  - class: small\n  - proxmox: {node: pve1}\n"},
		"SpecEmpty":       {"K3s needs a few fields", "apiVersion: homelab.io/v1alpha1\nkind: K3sNode\nmetadata: {name: agent-1}\nspec:\n"},
		"SameName":        {"a copied claim whose name was not changed", aMachine(where) + "---\n" + aMachine("class: gpu\n"+where)},
		"Status":          {"a status is the function's", aMachine(where) + "status: {phase: Running}\n"},
		"MetadataText":    {"metadata is a name", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: files01\nspec: {proxmox: {node: pve1}}\n"},
		"MetadataUnknown": {"a typing error in metadata", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01, namepsace: infra}\nspec: {proxmox: {node: pve1}}\n"},
		"LabelNumber":     {"a label's value is text", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files01, labels: {team: 7, prod: true}}\nspec: {proxmox: {node: pve1}}\n"},
		"NameUnderscore":  {"a name with an underscore", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: files_01}\nspec: {proxmox: {node: pve1}}\n"},
		"NameUpper":       {"a name with capitals", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: Files01}\nspec: {proxmox: {node: pve1}}\n"},
		"NameDigit":       {"a name that begins with a digit", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: 3dprinter}\nspec: {proxmox: {node: pve1}}\n"},
		"NameNumber":      {"a name of digits is a number in YAML", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: 104}\nspec: {proxmox: {node: pve1}}\n"},
		"NameMissing":     {"no name", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {namespace: infra}\nspec: {proxmox: {node: pve1}}\n"},
	}
}

func mistakesOfFields() map[string]mistake {
	return map[string]mistake{
		"CloudConfigKey":   {"a key that cloud-init does not have", aMachine(where + "bootstrap:\n  userData: |\n    #cloud-config\n    run_cmd: [ls]\n    autoinstall: {version: 1}")},
		"DiskThread":       {"a setting of Terraform's provider", aMachine(where + "disks: [{name: data, size: 10Gi, iothread: true, interface: scsi1}]")},
		"DiskPhysical":     {"a physical disk", aMachine(where + "disks: [{name: data, size: 10Gi, path: /dev/disk/by-id/ata-x}]")},
		"Trunk":            {"several VLANs on one interface", aMachine(where + "network: {dhcp: true, trunks: [10, 20]}")},
		"InterfaceName":    {"the name that the guest gives an interface", aMachine(where + "network: {dhcp: true, name: ens18}")},
		"IPv6Word":         {"a word for an object", aMachine(where + "network: {dhcp: true, ipv6: slaac}")},
		"IPv6Field":        {"another word for auto", aMachine(where + "network: {dhcp: true, ipv6: {slaac: true}}")},
		"HAGroup":          {"a group of the HA manager", aMachine(where + "ha: {enabled: false, group: pve1}")},
		"Display":          {"a word for an object", aMachine(where + "vga: serial0")},
		"Delay":            {"a delay as in Proxmox", aMachine(where + "startup: {order: 1, up: 30}")},
		"ClusterReplicas":  {"the count of a Deployment", aCluster("cluster: home\nmasters: {count: 3}\nservers: {replicas: 3}")},
		"ContainerBind":    {"a folder of the node", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 153}\ndisks: [{path: /srv, size: 8Gi, volume: /tank}]\nlxc: {a: b}")},
		"ContainerCloud":   {"cloud-init in a container", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 153}\nnics: []\nha: {enabled: true}\nbootstrap: {userData: x, password: hunter2, adminUser: ops}")},
		"ContainerActions": {"what a machine has", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 153}\navailability: High\nfirewall: {preset: k3s-agent}\nlifecycle: {replace: a, retry: b, approval: Always}")},
		"ContainerSpread":  {"spread as a list", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, vmId: 153, spread: [dns]}")},
		"ContainerPool":    {"an address of the pool, for a container that has one", aContainerClaim("proxmox: {node: pve1}\nadopt: {vmId: 153}\nnetwork: {pool: true}")},
		"ContainerWord":    {"Proxmox's own form", aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve1, ctId: 153}\nfeatures: nesting=1")},
		"UnknownField":     {"a typing error", aMachine("clas: small\n" + where)},
		"KClass":           {"another spelling", aMachine("klass: small\n" + where)},
		"VMIDCase":         {"as Proxmox writes it", aMachine("proxmox: {node: pve1, vmid: 104}")},
		"VMIDCaps":         {"as people write it", aMachine("proxmox: {node: pve1, vmID: 104}")},
		"SnakeCase":        {"underscores", aMachine(where + "boot_disk: {cache: none}")},
		"KebabCase":        {"hyphens", aMachine(where + "deletion-policy: Delete")},
		"Singular":         {"one disk", aMachine(where + "disk: 40Gi")},
		"Plural":           {"several images", aMachine(where + "images: debian-13")},
		"Tag":              {"one tag", aMachine(where + "tag: core")},
		"MemoryAtTop":      {"memory belongs to size", aMachine(where + "memory: 4Gi")},
		"CPU":              {"another word for cores", aMachine(where + "size: {cpu: 2, ram: 4Gi}")},
		"CPUAtTop":         {"another word, in another place", aMachine(where + "cpus: 2")},
		"NodeAtTop":        {"the node belongs to proxmox", aMachine("node: pve1")},
		"IPAtTop":          {"the address belongs to network", aMachine(where + "ip: 192.168.4.53")},
		"SSHKeys":          {"another word, in another place", aMachine(where + "sshKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ]")},
		"Gateway":          {"the gateway belongs to network", aMachine(where + "gateway: 192.168.4.1")},
		"DNSServers":       {"another word", aMachine(where + "network: {dhcp: true, nameservers: [1.1.1.1]}")},
		"Datastore":        {"Proxmox's word", aMachine("proxmox: {node: pve1, datastore: local-zfs}")},
		"MountPoint":       {"another word", aMachine(where + "disks: [{name: data, size: 40Gi, filesystem: ext4, mountpoint: /srv/data}]")},
		"K3sInMachine":     {"a field of the other kind", aMachine(where + "k3s: {cluster: home, role: agent}")},
		"UserDataAtTop":    {"user-data belongs to bootstrap", aMachine(where + "userData: |\n  #cloud-config\n")},
		"Replicas":         {"there are no replicas", aMachine(where + "replicas: 3")},
		"CrossplaneFields": {"a misspelt field of Crossplane's", aMachine(where + "compositionReff: {name: x}")},
	}
}

func mistakesOfValues() map[string]mistake {
	return map[string]mistake{
		"TextForNumber":      {"a tag is a number", aMachine("proxmox: {node: pve1, vlan: abc}")},
		"QuotedNumber":       {"a number in quotes", aMachine(where + "size: {cores: \"2\"}")},
		"HalfCore":           {"there are no half cores", aMachine(where + "size: {cores: 1.5}")},
		"NoCores":            {"none at all", aMachine(where + "size: {cores: 0}")},
		"MemoryNumber":       {"a number without a unit is MiB", aMachine(where + "size: {memory: 4}")},
		"MemoryGB":           {"a unit that is no unit of Kubernetes", aMachine(where + "size: {memory: 4GB}")},
		"MemoryBlank":        {"a blank before the unit", aMachine(where + "size: {memory: 4 Gi}")},
		"MemoryLower":        {"a unit in lower case", aMachine(where + "size: {memory: 4gb}")},
		"DiskMega":           {"too small", aMachine(where + "size: {disk: 40Mi}")},
		"DiskTooSmall":       {"smaller than the image", aMachine(where + "size: {disk: 1}")},
		"DataDiskNoSize":     {"no size", aMachine(where + "disks: [{name: data}]")},
		"DataDiskNoName":     {"no name", aMachine(where + "disks: [{size: 40Gi}]")},
		"DataDiskText":       {"a size for a disk", aMachine(where + "disks: [40Gi]")},
		"DisksObject":        {"disks as an object", aMachine(where + "disks: {data: 500Gi}")},
		"DisksText":          {"disks as a size", aMachine(where + "disks: 500Gi")},
		"DiskNamesTwice":     {"the same name twice", aMachine(where + "disks:\n  - {name: data, size: 5Gi}\n  - {name: data, size: 6Gi}")},
		"DiskNameUnderscore": {"an underscore", aMachine(where + "disks: [{name: my_data, size: 5Gi}]")},
		"MountWithoutFormat": {"a folder without a file system", aMachine(where + "disks: [{name: data, size: 5Gi, mountPath: /srv}]")},
		"MountRelative":      {"a relative folder", aMachine(where + "disks: [{name: data, size: 5Gi, filesystem: ext4, mountPath: srv/data}]")},
		"FilesystemZFS":      {"a file system that the first boot cannot make", aMachine(where + "disks: [{name: data, size: 5Gi, filesystem: zfs, mountPath: /srv/data}]")},
		"PCIText":            {"a mapping as text", aMachine(where + "devices: {pci: [gpu0]}")},
		"PCISingle":          {"a mapping without a list", aMachine(where + "devices: {pci: gpu0}")},
		"PCIObject":          {"an object without a list", aMachine(where + "devices: {pci: {mapping: gpu0}}")},
		"DevicesList":        {"devices as a list", aMachine(where + "devices: [gpu0]")},
		"PCIAddress":         {"an address in place of a mapping", aMachine(where + "devices: {pci: [{mapping: \"0000:01:00.0\"}]}")},
		"NICText":            {"a bridge as text", aMachine(where + "nics: [vmbr1]")},
		"ProxmoxText":        {"the node as text", aMachine("proxmox: pve1")},
		"NetworkText":        {"an address as text", aMachine(where + "network: 192.168.4.53")},
		"NetworkDHCPText":    {"dhcp as text", aMachine(where + "network: dhcp")},
		"NetworkList":        {"one network in a list", aMachine(where + "network:\n  - dhcp: true")},
		"SizeText":           {"a class as size", aMachine(where + "size: small")},
		"HostnameObject":     {"an object for text", aMachine(where + "hostname: {name: files01}")},
		"TagsText":           {"tags as text", aMachine(where + "tags: core")},
		"TagsCommas":         {"tags as Proxmox shows them", aMachine(where + "tags: core;infra")},
		"TagBlank":           {"a tag with a blank", aMachine(where + "tags: [home lab]")},
		"TagTwice":           {"a tag twice", aMachine(where + "tags: [core, core]")},
		"IPWithPrefix":       {"a prefix length in dhcp's place", aMachine(where + "network: {ip: 192.168.4.53/33}")},
		"IPWrong":            {"no address", aMachine(where + "network: {ip: 192.168.4.530}")},
		"IPWord":             {"the method in place of the address", aMachine(where + "network: {ip: dhcp}")},
		"IPAndDHCP":          {"both", aMachine(where + "network: {ip: 192.168.4.53, dhcp: true}")},
		"NetworkEmpty":       {"neither", aMachine(where + "network: {dns: [1.1.1.1]}")},
		"CIDRNetmask":        {"a netmask", aMachine(where + "network: {ip: 192.168.4.53, cidr: 255.255.255.0}")},
		"GatewayElsewhere":   {"a gateway of another subnet", aMachine(where + "network: {ip: 192.168.4.53, cidr: 24, gateway: 192.168.5.1}")},
		"DNSText":            {"a name server without a list", aMachine(where + "network: {dhcp: true, dns: 1.1.1.1}")},
		"DNSName":            {"a name server by name", aMachine(where + "network: {dhcp: true, dns: [dns.google]}")},
		"MACDashes":          {"a MAC address as Windows writes it", aMachine(where + "network: {dhcp: true, mac: BC-24-11-00-00-53}")},
		"HostnameUnderscore": {"an underscore", aMachine(where + "hostname: files_01")},
		"HostnameUpper":      {"capitals", aMachine(where + "hostname: Files01")},
		"VMIDAuto":           {"a word for the default", aMachine("proxmox: {node: pve1, vmId: auto}")},
		"VMIDSmall":          {"Proxmox begins at 100", aMachine("proxmox: {node: pve1, vmId: 42}")},
		"VLANZero":           {"0 for none", aMachine("proxmox: {node: pve1, vlan: 0}")},
		"PowerCase":          {"lower case", aMachine(where + "power: running")},
		"PowerOff":           {"another word", aMachine(where + "power: off")},
		"PowerBool":          {"a truth value", aMachine(where + "power: true")},
		"OnBootText":         {"yes in quotes", aMachine(where + "onBoot: \"yes\"")},
		"OnBootNumber":       {"1, as Proxmox has it", aMachine(where + "onBoot: 1")},
		"DeletionPolicy":     {"lower case", aMachine(where + "deletionPolicy: orphan")},
		"Retain":             {"Kubernetes' word", aMachine(where + "deletionPolicy: Retain")},
		"FirmwareText":       {"firmware as text", aMachine(where + "firmware: uefi")},
		"FirmwareOVMF":       {"Proxmox's word", aMachine(where + "firmware: {type: ovmf}")},
		"RebootTrue":         {"a truth value", aMachine(where + "lifecycle: {reboot: true}")},
		"RebootDate":         {"a date without quotes is no text in YAML", aMachine(where + "lifecycle: {reboot: 2026-11-20 10:00}")},
		"PrivateKey":         {"a private key", aMachine(where + "bootstrap:\n  sshAuthorizedKeys:\n    - |\n      -----BEGIN OPENSSH PRIVATE KEY-----\n      b3BlbnNzaC1rZXktdjEAAAAA\n      -----END OPENSSH PRIVATE KEY-----")},
		"KeyPath":            {"the file in place of the key", aMachine(where + "bootstrap: {sshAuthorizedKeys: [~/.ssh/id_ed25519.pub]}")},
		"KeysText":           {"a key without a list", aMachine(where + "bootstrap: {sshAuthorizedKeys: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ}")},
		"UserDataObject":     {"user-data as an object", aMachine(where + "bootstrap:\n  userData:\n    packages: [nginx]")},
		"UserDataNoHeader":   {"user-data without its first line", aMachine(where + "bootstrap:\n  userData: |\n    packages: [nginx]")},
		"Root":               {"root as account", aMachine(where + "bootstrap: {adminUser: root}")},
		"FlakePath":          {"a folder as flake", aMachine("image: debian-13\n" + where + "nix: {flakeRef: ./hosts}")},
		"FlakeText":          {"a flake as text", aMachine(where + "nix: github:me/hosts")},
		"AdoptNumber":        {"a VMID as text of an object", aMachine(where + "adopt: 104")},
		"AdoptApproveTrue":   {"an approval of anything", aMachine(where + "adopt: {vmId: 104, approve: true}")},
		"Null":               {"a null in a list", aMachine(where + "tags: [core, null]")},
		"Empty":              {"empty text", aMachine(where + "hostname: \"\"")},
		"ManyAtOnce":         {"all faults at once, in the order of the file", aMachine("hostname: A_b\nklass: small\nproxmox: {vlan: abc, vmid: 5, node: pve1}\nimage: nowhere\nsize: {memory: 64Mi, cores: two}")},
	}
}

func mistakesOfNames() map[string]mistake {
	return map[string]mistake{
		"Class":        {"a typing error", aMachine("class: smal\n" + where)},
		"ClassPlural":  {"another form of a word", aMachine("class: servers\n" + where)},
		"ClassUnknown": {"no class at all", aMachine("class: t3.micro\n" + where)},
		"ClassUpper":   {"capitals", aMachine("class: Small\n" + where)},
		"Image":        {"a typing error", aMachine("image: debain-13\n" + where)},
		"ImageColon":   {"a container's image", aMachine("image: debian:13\n" + where)},
		"ImageURL":     {"an image's URL", aMachine("image: https://cloud.debian.org/images/cloud/trixie/latest/debian-13-genericcloud-amd64.qcow2\n" + where)},
		"Node":         {"a typing error", aMachine("proxmox: {node: pve11}")},
		"NodeDomain":   {"a node by its full name", aMachine("proxmox: {node: pve1.home.arpa}")},
		"Site":         {"a site that does not exist", aMachine("proxmox: {node: pve1, site: work}")},
		"Bridge":       {"a bridge that the node does not have", aMachine("proxmox: {node: pve2, bridge: vmbr1}")},
		"Storage":      {"a datastore that does not exist", aMachine("proxmox: {node: pve1, storage: local-lvm}")},
		"StorageType":  {"a datastore that holds no disks", aMachine("proxmox: {node: pve1, storage: local}")},
		"Mapping":      {"a mapping of another node", aMachine("proxmox: {node: pve2}\ndevices: {pci: [{mapping: gpu0}]}")},
		"MappingTypo":  {"a typing error", aMachine(where + "devices: {pci: [{mapping: gpu1}]}")},
		"USBMapping":   {"a mapping for PCI in USB", aMachine(where + "devices: {usb: [{mapping: gpu0}]}")},
		"SameVMID":     {"two machines with one VMID", aMachine("proxmox: {node: pve1, vmId: 104}") + "---\n" + strings.Replace(aMachine("proxmox: {node: pve2, vmId: 104}"), "files01", "files02", 1)},
		"SameAddress":  {"two machines with one address", aMachine(where+"network: {ip: 192.168.4.53}") + "---\n" + strings.Replace(aMachine(where+"network: {ip: 192.168.4.53}"), "files01", "files02", 1)},
		"SameMAC":      {"two machines with one MAC address", aMachine(where+"network: {dhcp: true, mac: \"BC:24:11:00:00:53\"}") + "---\n" + aNode("network: {dhcp: true, mac: \"bc:24:11:00:00:53\"}\nk3s: {cluster: home, role: agent}")},
		"SameHostname": {"two nodes of a cluster with one host name", aNode("k3s: {cluster: home, role: agent}") + "---\n" + strings.Replace(aNode("hostname: agent-1\nk3s: {cluster: home, role: agent}"), "name: agent-1,", "name: agent-2,", 1)},
		"SameVMIDOfContainer": {"a machine and a container with one VMID and one address", aMachine("proxmox: {node: pve1, vmId: 150}\nnetwork: {ip: 192.168.4.53}") + "---\n" +
			aContainerClaim("image: local:vztmpl/debian-12.tar.zst\nproxmox: {node: pve1, vmId: 150}\nnetwork: {ip: 192.168.4.53}")},
		"SameAddressOfNode": {"a machine and a node of a cluster with one address", aMachine(where+"network: {ip: 192.168.4.53}") + "---\n" +
			aCluster("token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\ncluster: home\nservers: {}\nnodes: [{name: server-1, ip: 192.168.4.53}]")},
		"SameNameOfACluster": {
			"what a K3sCluster makes beside others of its names: a node of the catalogue's cluster, a machine in another namespace, a K3sNode in its own one, and one that it adopts",
			aCluster("cluster: home\nservers: {count: 3}\nnodes: [{name: server-0, ip: 192.168.4.61}, {name: server-1, ip: 192.168.4.62}, {name: server-2, adopt: lab-server-2}]") + "---\n" +
				aNode("hostname: lab-server-0\nk3s: {cluster: home, role: agent}") + "---\n" +
				strings.Replace(aMachine(where+"hostname: lab-server-1"), "namespace: infra", "namespace: other", 1) + "---\n" +
				strings.Replace(aNode("k3s: {cluster: home, role: agent}"), "name: agent-1,", "name: lab-server-1,", 1) + "---\n" +
				strings.Replace(aNode("k3s: {cluster: home, role: agent}"), "name: agent-1,", "name: lab-server-2,", 1),
		},
		"SamePart": {
			"two claims of one bridge and one pool", aProxmoxSite("nodes: {pve1: {bridges: [{name: vmbr7}]}}\npools: [{name: k3s}]") + "---\n" +
				strings.Replace(aProxmoxSite("nodes: {pve1: {bridges: [{name: vmbr7}]}, pve2: {bridges: [{name: vmbr7}]}}\npools: [{name: k3s}]"), "{name: ", "{name: other-", 1),
		},
		"SameHostNameOfMachines": {"two machines with one host name, in two namespaces", aMachine(where+"hostname: files") + "---\n" +
			strings.Replace(aMachine(where+"hostname: Files"), "namespace: infra", "namespace: other", 1) + "---\n" +
			strings.Replace(aMachine(where+"hostname: files\nnetwork: {dhcp: true, domain: other.arpa}"), "files01", "files03", 1)},
		"SameAddress6": {"two machines with one IPv6 address, written in two ways", aMachine(where+"network: {dhcp: true, ipv6: {ip: \"fd00::53/64\"}}") + "---\n" +
			strings.Replace(aMachine(where+"network: {dhcp: true, ipv6: {ip: \"fd00:0:0::53\", cidr: 64}}"), "files01", "files02", 1)},
		"SameAddressOfHost": {"a machine with the address of a bridge", aMachine(where+"network: {ip: 192.168.4.53}") + "---\n" +
			"apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra-machines}\nspec:\n" +
			indented("proxmox: {site: home}\nnodes:\n  pve1:\n    bridges:\n      - {name: vmbr7, address: 192.168.4.53/24}")},
		"SameInOneClaim": {"one address and one MAC address for two interfaces are a fault, said once", aMachine(where +
			"network: {ip: 192.168.4.53, mac: \"BC:24:11:00:00:53\"}\nnics: [{bridge: vmbr0, ip: 192.168.4.53, mac: \"bc:24:11:00:00:53\"}]")},
		"GatewayAddress":     {"the address of the gateway", aMachine(where + "network: {ip: 192.168.4.1}")},
		"EndpointAddress":    {"the address of the cluster's endpoint", aNode("network: {ip: 192.168.4.210}\nk3s: {cluster: home, role: agent, server: \"https://192.168.4.79:6443\"}")},
		"MachineByHabit":     {"fields of cloud-init, Terraform and Kubernetes", aMachine(where + "disk: 40Gi\ncount: 3\npackages: [nginx]\npassword: hunter2\nresources: {memory: 4Gi}")},
		"ContainerTerraform": {"fields of a Terraform provider", aContainerClaim("ostemplate: local:vztmpl/debian-12.tar.zst\nproxmox: {node: pve1, vmId: 150}\nprivileged: true\nrootfs: {size: 8G}\nmountpoints: [{mp: /data}]")},
		"NodeIsDatastore":    {"a datastore where a node belongs", aMachine("proxmox: {node: local-zfs}")},
		"BridgeIsVLAN":       {"an interface for a VLAN where a bridge belongs", aMachine("proxmox: {node: pve1}\nnetwork: {dhcp: true, bridge: vmbr0.100}")},
		"ContainerKeyctl":    {"a feature for root@pam", aContainerClaim("image: local:vztmpl/debian-12.tar.zst\nproxmox: {node: pve1, vmId: 150}\nfeatures: {nesting: true, keyctl: true}")},
		"ContainerDevices":   {"devices, as other tools name them", aContainerClaim("image: local:vztmpl/debian-12.tar.zst\nproxmox: {node: pve1, vmId: 150}\ndev0: /dev/net/tun\ntun: true\ndevice_passthrough: []\nfeatures: {tun: true, nfs: true, idmap: x}")},
		"ContainerLimits":    {"what a container has in Proxmox alone", aContainerClaim("image: local:vztmpl/debian-12.tar.zst\nproxmox: {node: pve1, vmId: 150}\ncpulimit: 2\nsize: {cpuUnits: 100}\ntimezone: host\ncmode: shell\nclone: 900\nlxcConfig: x")},
		"ContainerPct": {"fields of the provider, and options of disks and interfaces", aContainerClaim("image: local:vztmpl/debian-12.tar.zst\nproxmox: {node: pve1, vmId: 150}\noperating_system: {}\nuser_account: {}\nprotection: true\nnetwork_device: []\n" +
			"network: {ip: 192.168.4.53, rate: 10, name: eth0}\ndisks: [{path: /srv, size: 8Gi, acl: true, mountOptions: [noatime]}]")},
		"FirewallByHabit": {"words of Proxmox's own firewall", aContainerClaim("image: local:vztmpl/debian-12.tar.zst\nproxmox: {node: pve1, vmId: 150}\nnetwork: {ip: 192.168.4.53}\nfirewall: {policyIn: DROP, output_policy: ACCEPT, macfilter: true, dhcp: true, " +
			"allow: [{port: 53, macro: DNS, source: 10.0.0.0/8, proto: udp, action: ACCEPT}]}")},
		"StoreByHabit": {"words of Vault's own agent", aMachine(where + "bootstrap: {vault: {}, secretStore: {url: \"https://bao.lab:8200\", tls_skip_verify: true, jwt: {}, appRole: {roleID: a, secret_id: b, path: auth/approle}, " +
			"files: [{path: /etc/a, secret: a, field: b, key: c}]}}")},
		"StoreCertificateByHabit": {"words of other tools for certificates and rotation", aMachine(where + "bootstrap: {secretStore: {address: \"https://bao.lab:8200\", refreshInterval: 1h, schedule: daily, tls: {cert: /etc/a.crt, key: /etc/a.key}, " +
			"files: [{path: /etc/a, secret: a, field: b, reload: a.service}]}}")},
		"StoreRestartsK3s": {"a restart of all servers at a time of the store's choosing", aMachine(where + "bootstrap: {secretStore: {address: \"https://bao.lab:8200\", tls: {}, refresh: 12h, " +
			"files: [{path: /etc/rancher/k3s/registries.yaml, secret: a, field: b, restart: [k3s.service]}]}}")},
		"TerraformByHabit": {"words of Terraform and Kubernetes", aMachine(where + "import: 104\nantiAffinity: [web]\nlifecycle: {ignore_changes: [tags]}\nha: {enabled: true, failback: true}")},
		"SiteByHabit": {"what other tools make of a node's network", "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra-machines}\nspec:\n  pools: [{poolid: k3s, name: k3s, members: [100]}]\n" +
			"  sdn: {}\n  nodes:\n    pve1:\n      ovsBridges: []\n      interfaces: []\n      bridges: [{name: vmbr2, bridge_ports: [enp2s0], bridge_vids: 2-4094}]\n      vlans: [{interface: vmbr0, tag: 30, vid: 30}]\n"},
		"ContainerIDMap": {"users that only root@pam may map", aContainerClaim("image: local:vztmpl/debian-12.tar.zst\nproxmox: {node: pve1, vmId: 150}\nidmap: [\"u 0 100000 1000\"]")},
		"ImageNumber":    {"an image whose name YAML takes for a number", aMachine(where + "image: 24.04")},
		"PCIRaw":         {"a PCI device by its address", aMachine(where + "devices: {pci: [{id: \"0000:01:00.0\"}]}")},
		"USBRaw":         {"a USB device by its number", aMachine(where + "devices: {usb: [{host: \"10c4:ea60\"}]}")},
		"BridgeOfBridge": {"a bridge as a port, the gateway's address, and a subnet that holds the site's", "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra-machines}\nspec:\n" +
			indented("proxmox: {site: home}\nnodes:\n  pve1:\n    bridges:\n      - {name: vmbr7, ports: [vmbr0], address: 192.168.4.1/24}\n      - {name: vmbr8, address: 192.168.9.9/16}\n      - {name: vmbr9, address: 127.0.0.2/8}\n      - {name: vmbr10, address: 10.0.9.255/24}\n      - {name: lo}")},
		"NoDefaultGate": {"an address outside of the gateway's subnet", aMachine(where + "network: {ip: 10.0.0.53, cidr: 24}")},
	}
}

func mistakesOfK3s() map[string]mistake {
	return map[string]mistake{
		"RoleMaster":     {"the old word", aNode(where + "k3s: {cluster: home, role: master}")},
		"RoleWorker":     {"another word", aNode(where + "k3s: {cluster: home, role: worker}")},
		"RoleUpper":      {"capitals", aNode(where + "k3s: {cluster: home, role: Server}")},
		"RoleMissing":    {"no role", aNode(where + "k3s: {cluster: home}")},
		"Cluster":        {"a typing error", aNode(where + "k3s: {cluster: hom, role: agent}")},
		"ClusterMissing": {"no cluster", aNode(where + "k3s: {role: agent}")},
		"K3sMissing":     {"no k3s at all", aNode(where)},
		"K3sText":        {"a role as text", aNode(where + "k3s: agent")},
		"K3sVersion":     {"a version without K3s' part", aNode(where + "k3s: {cluster: home, role: agent, version: 1.33.6}")},
		"TokenText":      {"a token in the claim", aNode(where + "k3s:\n  cluster: home\n  role: agent\n  token: K10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa::server:secret-that-must-not-be-shown")},
		"TokenShort":     {"a short password in every place of a token", aNode(where + "k3s:\n  cluster: home\n  role: agent\n  token: {secretRef: hunter2, file: {password: hunter2}}")},
		"TokenShortest":  {"a short password in place of a token", aNode(where + "k3s: {cluster: home, role: agent, token: hunter2}")},
		"SecretsText":    {"a password in place of a list of Secrets", aMachine(where + "bootstrap: {secrets: hunter2}")},
		"SecretsWords":   {"a password in place of a Secret", aMachine(where + "bootstrap: {secrets: [hunter2, {secretRef: hunter2, path: {password: hunter2}}]}")},
		"TokenPlain":     {"a Secret without consent", aNode(where + "k3s: {cluster: home, role: agent, token: {secretRef: {name: k3s-join-token}}}")},
		"TokenName":      {"a Secret by its name", aNode(where + "k3s: {cluster: home, role: agent, token: {secretRef: k3s-join-token, allowPlaintext: true}}")},
		"ServerNoPort":   {"a server without scheme and port", aNode(where + "k3s: {role: agent, server: 192.168.4.210, version: v1.33.6+k3s1, token: {file: /etc/token}}\nbootstrap: {snippets: {vendorData: \"local:snippets/t.yaml\"}}")},
		"TaintObject":    {"a taint as Kubernetes has it", aNode(where + "k3s: {cluster: home, role: agent, taints: [{key: gpu, value: \"true\", effect: NoSchedule}]}")},
		"LabelsList":     {"labels as a list", aNode(where + "k3s: {cluster: home, role: agent, labels: [gpu=true]}")},
		"LabelBool":      {"a label's value is text", aNode(where + "k3s: {cluster: home, role: agent, labels: {gpu: true}}")},
		"DisableOnAgent": {"a server's field", aNode(where + "k3s: {cluster: home, role: agent, disable: [traefik]}")},
		"ConfigUnknown":  {"a typing error in K3s' own config", aNode(where + "k3s: {cluster: home, role: agent, config: {node-labels: [a=b]}}")},
		"InitAgent":      {"an agent begins no cluster", aNode(where + "k3s: {cluster: home, role: agent, init: true}")},
	}
}

func mistakesOfCatalogues() map[string]mistake {
	return map[string]mistake{
		"CatalogueNoData":         {"the catalogue without data", "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\nclasses:\n  small: {cores: 2, memory: 4Gi, disk: 30Gi}\n"},
		"CatalogueValueless":      {"names without a value, one of them of the site's only node", environment("classes: {tiny: }\nimages: {own: }\nsites:\n  lab:\n    nodes:\n      pve1:\n  other:\nclusters: {c: null}\ntenancy: {tenants: {acme: }}") + "---\n" + aMachine("class: tiny\nproxmox: {site: lab}")},
		"CatalogueStorage":        {"a datastore without its content types", environment("sites:\n  lab:\n    nodes:\n      pve1: {storages: {local: }, datastores: {disks: local}}")},
		"CatalogueBare":           {"the content alone", "classes:\n  small: {cores: 2, memory: 4Gi, disk: 30Gi}\n"},
		"CatalogueVersion":        {"another version", strings.Replace(environment("classes: {}"), "v1beta1", "v1", 1)},
		"CatalogueFormat":         {"a version that nobody knows", environment("apiVersion: catalogue.homelab.io/v2\nclasses: {small: {cores: 2, memory: 4Gi, disk: 30Gi}}")},
		"CatalogueName":           {"another name", strings.Replace(environment("classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}}"), "name: machine-catalog", "name: catalogue", 1)},
		"CatalogueSection":        {"a section in the singular", environment("class: {small: {cores: 2, memory: 4Gi, disk: 30Gi}}")},
		"CatalogueField":          {"a typing error in a class", environment("classes:\n  small: {corez: 2, memory: 4Gi, disk: 30Gi}")},
		"CatalogueUpgradeReplace": {"nobody replaces K3sNodes in turns", environment("clusters:\n  lab: {server: \"https://192.168.4.210:6443\", version: v1.33.6+k3s1, upgrade: Replace}")},
		"CatalogueUpgradeBlind":   {"nobody could write Plans", environment("clusters:\n  lab: {server: \"https://192.168.4.210:6443\", version: v1.33.6+k3s1, upgrade: SystemUpgrade}")},
		"CatalogueUpgradeWord":    {"another word", environment("clusters:\n  lab: {server: \"https://192.168.4.210:6443\", version: v1.33.6+k3s1, upgrade: InPlace}")},
		"CatalogueMemory":         {"a class without memory", environment("classes:\n  small: {cores: 2, disk: 30Gi}")},
		"CatalogueClassText":      {"a class as text", environment("classes:\n  small: 2")},
		"CatalogueClassList":      {"classes as a list", environment("classes:\n  - {name: small, cores: 2, memory: 4Gi, disk: 30Gi}")},
		"CatalogueImageSources":   {"an image with two sources", environment("images:\n  noble: {url: \"https://mirror.home.arpa/noble.img\", template: 9000}")},
		"CatalogueImageURL":       {"an image as text", environment("images:\n  noble: https://cloud.debian.org/image.qcow2")},
		"CatalogueImageDots":      {"a place in an entry whose name has dots", environment("images:\n  ubuntu-26.04: {url: \"https://mirror.home.arpa/noble.img\", checksum: abc, disk: 4Gi}")},
		"CatalogueDefault":        {"a default that does not exist", environment("defaults: {class: smal}\nclasses:\n  little: {cores: 2, memory: 4Gi, disk: 30Gi}")},
		"CatalogueFirewall":       {"a default firewall for nodes of one role", environment("defaults: {firewall: {preset: k3s-server, allow: [{port: 0}]}}")},
		"CatalogueFirewallKey":    {"a misspelt key of the default firewall", environment("defaults: {firewall: {presett: ssh}}\nsites:\n  home: {nodes: {pve1: {}}}") + "---\n" + aMachine("class: small\nproxmox: {site: home}")},
		"CatalogueFirewallName":   {"a name in the default firewall that the site does not list", environment("defaults: {firewall: {allow: [{group: wbe}]}}\nsites:\n  home: {nodes: {pve1: {}}, firewall: {groups: [web]}}") + "---\n" + aMachine("class: small\nproxmox: {site: home}")},
		"CatalogueNodes":          {"nodes as a list", environment("sites:\n  home: {nodes: [pve1, pve2]}")},
		"CatalogueNodeMemory":     {"memory in the unit of a data sheet, and a misspelt key", environment("sites:\n  home: {nodes: {pve1: {memory: 64 GB, reserve: 8Gi}, pve2: {memroy: 64Gi}}}")},
		"CatalogueMemoryLeft":     {"nodes without memory beside others", environment("sites:\n  home: {nodes: {pve1: {memory: 64Gi}, pve2: {cores: 16}, pve3: {reserve: 4Gi}}}")},
		"CatalogueNoRoom":         {"a class that no node has room for", environment("classes:\n  huge: {cores: 8, memory: 96Gi, disk: 30Gi}\nsites:\n  home: {nodes: {pve1: {memory: 64Gi}, pve2: {memory: 32Gi, cores: 4}}}") + "---\n" + aMachine("class: huge\nproxmox: {site: home}")},
		"AvoidUnknown":            {"a misspelt node in avoid", aMachine("class: small\nproxmox: {avoid: [pvee1]}")},
		"SpreadList":              {"spread as a list", aMachine("class: small\nproxmox: {spread: [dns]}")},
		"CatalogueGateway":        {"a gateway with a prefix length", environment("sites:\n  home: {nodes: {pve1: {}}, network: {gateway: 192.168.4.1/24}}")},
		"CatalogueRange":          {"a range backwards", environment("sites:\n  home: {vmIds: {from: 4199, to: 4100}}")},
		"CatalogueRangeText":      {"a range as text", environment("sites:\n  home: {vmIds: 4100-4199}")},
		"CatalogueDatastore":      {"a datastore that storages does not list", environment("sites:\n  home: {nodes: {pve1: {storages: {local: [import, snippets]}, datastores: {disks: local-zfs}}}}")},
		"CatalogueContent":        {"a content type in Proxmox's web interface", environment("sites:\n  home: {nodes: {pve1: {storages: {local: [Disk image]}}}}")},
		"CatalogueServer":         {"a server without its port's scheme", environment("clusters:\n  home: {server: \"192.168.4.210:6443\", version: v1.33.6+k3s1}")},
		"CatalogueOneEndpoint":    {"two clusters that are joined at one address", environment("clusters:\n  home: {server: \"https://192.168.4.210:6443\"}\n  lab: {server: \"https://192.168.4.210:6443\"}\n  edge: {server: \"https://192.168.4.210:7443\"}")},
		"CatalogueAndClaim":       {"a claim in the catalogue's file, whose class has a fault", environment("classes:\n  small: {cores: 2, memory: 4Gi, disk: 30Gi}\n  tiny: {cores: 1, memory: 1, disk: 10Gi}\nsites:\n  home: {nodes: {pve1: {}}}") + "---\n" + aMachine("class: tiny\nimage: debain-13\nproxmox: {node: pve1}")},
		"ClaimInCatalogue":        {"a claim below data", environment("spec: {class: small}")},
		"CataloguePool":           {"a pool with the gateway in it", environment("sites:\n  home: {network: {gateway: 192.168.4.1, cidr: 24, pool: 192.168.4.1-192.168.4.99}}")},
		"CataloguePoolBackwards":  {"a pool backwards, and outside of the subnet", environment("sites:\n  home: {network: {gateway: 192.168.4.1, cidr: 24, pool: [192.168.4.99-192.168.4.50, 192.168.5.50]}}")},
		"CataloguePoolNamed":      {"a pool of Cluster API without a name, with a key that there is not, and as a plural", environment("sites:\n  home: {network: {pool: {kind: inclusterippools, nam: lab}}}")},
		"CataloguePoolCIDR":       {"a pool as a subnet", environment("sites:\n  home: {network: {gateway: 192.168.4.1, pool: 192.168.4.64/27}}")},
	}
}

func useless() map[string]mistake {
	return map[string]mistake{
		"UselessSize":           {"the class says the same", aMachine("class: small\nsize: {memory: 4096Mi}\n" + where)},
		"UselessClass":          {"the size says all", aMachine("class: small\nsize: {cores: 3, memory: 5Gi, disk: 50Gi}\n" + where)},
		"UselessHostname":       {"the name of the claim", aMachine("hostname: files01\n" + where)},
		"UselessGateway":        {"the site has it", aMachine(where + "network: {ip: 192.168.4.53, cidr: 24, gateway: 192.168.4.1, dns: [192.168.4.1]}")},
		"UselessBridge":         {"the site has it", aMachine("proxmox: {node: pve1, bridge: vmbr0}")},
		"UselessPrefix":         {"the prefix length in the address has an effect on who reads it", aMachine(where + "network: {ip: 192.168.4.53/24, bridge: vmbr0}")},
		"FormerSpelling":        {"a spelling of the first release", aMachine("protection: true\nfirmware: {type: uefi}\n" + where)},
		"FormerCatalogue":       {"a spelling of the first release in the catalogue", environment("defaults: {protection: true}\nimages:\n  mine: {template: 9000, firmware: {type: uefi}}")},
		"UselessStartup":        {"Proxmox does not start the VM", aMachine(where + "onBoot: false\nstartup: {order: 2}")},
		"UselessAvoid":          {"the claim names the node", aMachine("class: small\nproxmox: {node: pve1, avoid: [pve2]}")},
		"UselessContainerAvoid": {"the claim names the node", aContainerClaim("proxmox: {node: pve1, avoid: [pve2]}\nadopt: {vmId: 153}")},
		"UselessJoined":         {"no node of a cluster", aMachine(where + "lifecycle: {joined: \"1\", drain: \"2\"}")},
		"UselessReboot":         {"a VM that is switched off", aMachine(where + "power: Stopped\nlifecycle: {reboot: \"1\"}")},
		"UselessUserData":       {"an adopted VM has its guest", aMachine(where + "adopt: {vmId: 104}\nbootstrap: {adminUser: me}")},
		"UselessVersion":        {"the cluster has it", aNode(where + "k3s: {cluster: home, role: agent, version: v1.33.6+k3s1, server: \"https://192.168.4.210:6443\"}")},
		"UselessReadyWhen":      {"nobody reads the Nodes of the cluster", aNode(where + "k3s: {cluster: home, role: agent, readyWhen: Ready}")},
		"UselessDrain":          {"nobody may drain", aNode(where + "k3s: {cluster: home, role: agent, drain: true}")},
	}
}
