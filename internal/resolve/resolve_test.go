package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// aCatalog in YAML over the built-in one.
func aCatalog(t testing.TB, document string) catalog.Catalog {
	t.Helper()

	b, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		t.Fatal(err)
	}

	c, errs := catalog.Decode(b, "data")
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	return catalog.Merge(catalog.BuiltIn(), c)
}

// aClaim of a kind with a spec in YAML.
func aClaim(t testing.TB, kind, spec string) claim.Claim {
	t.Helper()

	document := map[string]any{}
	if err := yaml.Unmarshal([]byte("{kind: "+kind+", metadata: {name: dns01, namespace: infra, uid: uid-1}, spec: "+spec+"}"), &document); err != nil {
		t.Fatal(err)
	}

	c := claim.Decode(document)
	if len(c.Faults) > 0 {
		t.Fatal(c.Faults.ToAggregate())
	}

	return c
}

// aMachine that a claim becomes.
func aMachine(t testing.TB, kind, spec, document string, s Existing) *machine.Machine {
	t.Helper()

	m, errs := Claim(aClaim(t, kind, spec), aCatalog(t, document), s)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	return m
}

const (
	kindMachine = "Machine"
	kindNode    = "K3sNode"
)

func TestPrecedence(t *testing.T) {
	const key1, key2 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh a@b", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJi a@b"

	const document = `
defaults: {class: tiny, image: base, site: home, adminUser: admin, sshAuthorizedKeys: ["` + key1 + `"]}
classes:
  tiny: {cores: 1, memory: 512Mi, disk: 4Gi, cpuType: host}
  small: {cores: 3, memory: 3Gi, disk: 33Gi}
images:
  base: {template: 9000, os: debian, templateDisk: virtio0}
sites:
  home: {providerConfig: home, providerConfigKind: ProviderConfig, nodes: {pve: {datastores: {disks: zfs, images: nfs}}}, network: {bridge: br1, vlan: 7, domain: home.arpa, dns: [10.0.0.1]}}
`

	type want struct {
		Class, CPUType, Image, Site, ProviderConfig, ProviderConfigKind, Node, Bridge, Domain, User, Key string
		Disks, Images, Snippets                                                                          string
		Cores, MemoryMiB, DiskGiB, VLAN                                                                  int64
		DNS                                                                                              []string
	}

	cases := map[string]struct {
		reason    string
		spec      string
		catalogue string
		want      want
	}{
		"BuiltIn": {
			reason: "Without a catalogue, what Proxmox VE has after its installation is used.",
			spec:   `{proxmox: {node: pve}}`, catalogue: `{}`,
			want: want{
				Class: "small", CPUType: "x86-64-v2-AES", Image: "ubuntu-24.04", ProviderConfig: "default", ProviderConfigKind: "ClusterProviderConfig",
				Node: "pve", Bridge: "vmbr0", User: "ops", Disks: "local-lvm", Images: "local", Snippets: "local", Cores: 2, MemoryMiB: 4096, DiskGiB: 30,
			},
		},
		"Catalogue": {
			reason: "The catalogue is laid over what is built in.",
			spec:   `{}`, catalogue: document,
			want: want{
				Class: "tiny", CPUType: "host", Image: "base", Site: "home", ProviderConfig: "home", ProviderConfigKind: "ProviderConfig", Node: "pve",
				Bridge: "br1", Domain: "home.arpa", User: "admin", Key: key1, Disks: "zfs", Images: "nfs", Snippets: "local",
				Cores: 1, MemoryMiB: 512, DiskGiB: 4, VLAN: 7, DNS: []string{"10.0.0.1"},
			},
		},
		"Claim": {
			reason: "The claim is laid over the catalogue. A class of the catalogue replaces the built-in one of its name.",
			spec: `{class: small, size: {cores: 5}, image: debian-13, network: {dhcp: true, domain: x.arpa, dns: [9.9.9.9]},
				proxmox: {storage: zfs, bridge: br2, vlan: 8}, bootstrap: {adminUser: me, sshAuthorizedKeys: [" ` + key2 + ` "]}}`,
			catalogue: document,
			want: want{
				Class: "small", CPUType: "x86-64-v2-AES", Image: "debian-13", Site: "home", ProviderConfig: "home", ProviderConfigKind: "ProviderConfig", Node: "pve",
				Bridge: "br2", Domain: "x.arpa", User: "me", Key: key2, Disks: "zfs", Images: "nfs", Snippets: "local",
				Cores: 5, MemoryMiB: 3072, DiskGiB: 33, VLAN: 8, DNS: []string{"9.9.9.9"},
			},
		},
		"NoKeys": {
			reason: "An empty list of keys is a word, too.",
			spec:   `{bootstrap: {sshAuthorizedKeys: []}}`, catalogue: document,
			want: want{
				Class: "tiny", CPUType: "host", Image: "base", Site: "home", ProviderConfig: "home", ProviderConfigKind: "ProviderConfig", Node: "pve",
				Bridge: "br1", Domain: "home.arpa", User: "admin", Disks: "zfs", Images: "nfs", Snippets: "local",
				Cores: 1, MemoryMiB: 512, DiskGiB: 4, VLAN: 7, DNS: []string{"10.0.0.1"},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aMachine(t, kindMachine, tc.spec, tc.catalogue, Existing{})
			p, n := m.Placement, m.NICs[0]
			got := want{
				Class: m.Class, CPUType: m.CPUType, Image: m.Boot.Image, Site: p.Site, ProviderConfig: p.ProviderConfig, ProviderConfigKind: p.ProviderConfigKind,
				Node: p.Node, Bridge: n.Bridge, Domain: m.Domain, User: m.Access.AdminUser, Key: strings.Join(m.Access.SSHAuthorizedKeys, ","),
				Disks: p.DiskDatastore, Images: p.ImageDatastore, Snippets: p.SnippetDatastore,
				Cores: m.Cores, MemoryMiB: m.MemoryMiB, DiskGiB: m.Boot.DiskGiB, VLAN: n.VLAN, DNS: m.DNS,
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDefaultsAtFault(t *testing.T) {
	_, errs := Claim(aClaim(t, kindMachine, `{}`), aCatalog(t, `defaults: {class: hug, image: nowhere, site: mars, adminUser: Root User, sshAuthorizedKeys: [x]}`), Existing{})

	var got []string
	for _, err := range errs {
		got = append(got, err.Field)
	}

	want := []string{"data.defaults.class", "data.defaults.image", "data.defaults.site", "data.defaults.adminUser", "data.defaults.sshAuthorizedKeys[0]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("A default at fault is reported where it was written.\nClaim(...): -want, +got:\n%s", diff)
	}
}

func TestFirmware(t *testing.T) {
	const document = `
images:
  template: {template: 9000}
  uefi-template: {template: 9001, firmware: {type: uefi, machine: q35}}
  uefi: {volume: "local:import/x.qcow2", firmware: {type: uefi, secureBoot: true, tpm: true, machine: pc-q35-9.0}}
`

	cases := map[string]struct {
		reason string
		spec   string
		want   *v1alpha1.Firmware
	}{
		"Default":       {reason: "BIOS on q35.", spec: `{proxmox: {node: pve}}`, want: &v1alpha1.Firmware{Type: "BIOS", Machine: "q35"}},
		"Claim":         {reason: "The claim's word.", spec: `{proxmox: {node: pve}, firmware: {machine: pc-i440fx-8.1}}`, want: &v1alpha1.Firmware{Type: "BIOS", Machine: "pc-i440fx-8.1"}},
		"Image":         {reason: "The image's word.", spec: `{proxmox: {node: pve}, image: uefi}`, want: &v1alpha1.Firmware{Type: "UEFI", SecureBoot: true, TPM: true, Machine: "pc-q35-9.0"}},
		"ClaimOnImage":  {reason: "Field by field.", spec: `{proxmox: {node: pve}, image: uefi, firmware: {machine: q35}}`, want: &v1alpha1.Firmware{Type: "UEFI", SecureBoot: true, TPM: true, Machine: "q35"}},
		"OtherFirmware": {reason: "There is no Secure Boot with a BIOS.", spec: `{proxmox: {node: pve}, image: uefi, firmware: {type: bios}}`, want: &v1alpha1.Firmware{Type: "BIOS", TPM: true, Machine: "pc-q35-9.0"}},
		"Clone":         {reason: "A clone has its template's.", spec: `{proxmox: {node: pve}, image: template}`, want: nil},
		"CloneOfNumber": {reason: "So has that of a number.", spec: `{proxmox: {node: pve}, image: 9000}`, want: nil},
		"CloneImage":    {reason: "The catalogue knows its templates.", spec: `{proxmox: {node: pve}, image: uefi-template, firmware: {tpm: true}}`, want: &v1alpha1.Firmware{Type: "UEFI", TPM: true, Machine: "q35"}},
		"CloneClaim":    {reason: "The chipset of a clone is its template's unless somebody says it.", spec: `{proxmox: {node: pve}, image: template, firmware: {type: uefi}}`, want: &v1alpha1.Firmware{Type: "UEFI"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, aMachine(t, kindMachine, tc.spec, document, Existing{}).Firmware); diff != "" {
				t.Errorf("%s\nFirmware: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTags(t *testing.T) {
	c := aClaim(t, kindMachine, `{proxmox: {node: pve}, role: dns, tags: [Zeta, core, CORE, role_dns, tenant_acme]}`)
	c.Identity.Tenant = "Acme"

	m, errs := Claim(c, catalog.BuiltIn(), Existing{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	if diff := cmp.Diff([]string{"core", "role_dns", "tenant_acme", "zeta"}, m.Tags); diff != "" {
		t.Errorf("Tags are in lower case, sorted, each once.\nTags: -want, +got:\n%s", diff)
	}
}

func TestBootDisk(t *testing.T) {
	const document = `
classes: {tiny: {cores: 1, memory: 512Mi, disk: 2Gi}}
images: {large: {template: 9000, disk: 20Gi}}
`

	if m := aMachine(t, kindMachine, `{proxmox: {node: pve}, class: tiny, image: large}`, document, Existing{}); m.Boot.DiskGiB != 20 {
		t.Errorf("A class's disk is raised to what the image needs: want 20, got %d", m.Boot.DiskGiB)
	}

	// The image's smallest disk was raised in the catalogue after the VM was made.
	spec := `{proxmox: {node: pve}, size: {disk: 10Gi}, image: large}`
	if m := aMachine(t, kindMachine, spec, document, Existing{Node: "pve"}); m.Boot.DiskGiB != 10 {
		t.Errorf("A VM that was made keeps its disk: want 10, got %d", m.Boot.DiskGiB)
	}
}

func TestFaultsTogether(t *testing.T) {
	c := claim.Decode(map[string]any{
		"kind": "XMachine", "metadata": map[string]any{"name": "A_1"},
		"spec": map[string]any{
			"class": "nowhere", "role": "A", "typo": true, "network": "dhcp", "proxmox": map[string]any{"vlan": "x", "site": "mars"},
		},
	})
	if len(c.Faults) == 0 {
		t.Fatal("want faults")
	}

	m, errs := Claim(c, catalog.BuiltIn(), Existing{})
	if m != nil {
		t.Error("a machine came back")
	}

	var got []string
	for _, err := range errs {
		got = append(got, err.Field)
	}

	want := []string{"metadata.name", "spec.network", "spec.proxmox.vlan", "spec.typo", "spec.role", "spec.class", "spec.proxmox.site"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Faults of decoding, of the claim and of looking up come back at once, each field once.\nClaim(...): -want, +got:\n%s", diff)
	}
}
