package resolve

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

const containerCatalogue = `
images:
  debian-12-ct: {url: "https://download.example/debian-12-standard_12.7-1_amd64.tar.zst", checksum: "sha256:` +
	`2222222222222222222222222222222222222222222222222222222222222222"}
  own-ct: {url: "https://download.example/rootfs.tar.xz"}
  oci: {url: "oci://ghcr.io/you/nginx:1.29"}
  pulled: {url: "https://download.example/get?id=5", fileName: nginx.tar}
  kept: {volume: "local:vztmpl/nginx.tar"}
  node-ct: {volume: "local:vztmpl/alpine-3.20-default_20240908_amd64.tar.xz"}
  vm: {url: "https://download.example/debian-12.qcow2"}
  volume: {volume: "local:import/debian.qcow2"}
sites:
  home: {providerConfig: home, nodes: {pve: {datastores: {disks: zfs, images: nfs}}}, network: {bridge: br1, vlan: 7, cidr: 24, gateway: 10.0.0.1, domain: home.arpa, dns: [10.0.0.1]}}
  ipam: {providerConfig: home, nodes: {pve: {}}, network: {bridge: br1, pool: {kind: InClusterIPPool, name: lab}}}
  pooled: {providerConfig: home, nodes: {pve: {}}, network: {bridge: br1, cidr: 24, gateway: 10.0.0.1, pool: 10.0.0.50-10.0.0.59}}
defaults: {site: home}
`

// TestContainerOfAPool: which address a container has of its site's pool, where it has one already.
func TestContainerOfAPool(t *testing.T) {
	const spec = "{image: debian-12-ct, network: {pool: true}, proxmox: {site: pooled, node: pve, vmId: 150}}"

	has := Address{IP: "10.0.0.77", Prefix: 24, Gateway: "10.0.0.9"}
	kept := machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.77", Prefix: 24, Gateway: "10.0.0.1", Pool: &machine.AddressPool{}}
	byHand := kept
	byHand.Gateway = "10.0.0.9"

	for name, tc := range map[string]struct {
		reason string
		have   Existing
		want   machine.Addressing
	}{
		"Living":     {"It keeps its address, also outside the pool.", Existing{Node: "pve", Has: &Entries{}, Container: true, Address: has}, kept},
		"LivingDHCP": {"It keeps DHCP.", Existing{Node: "pve", Has: &Entries{}, Container: true}, machine.Addressing{Method: machine.MethodDHCP, Pool: &machine.AddressPool{}}},
		"Replacing":  {"It takes over the address of the old one.", Existing{Node: "pve", Address: has}, kept},
		"Adopted":    {"What somebody else made keeps its gateway, too.", Existing{Node: "pve", Has: &Entries{}, Container: true, Adopting: true, Address: has}, byHand},
		"AdoptedDHCP": {
			"Nobody writes an address into it.", Existing{Node: "pve", Has: &Entries{}, Container: true, Adopting: true}, machine.Addressing{Method: machine.MethodDHCP},
		},
	} {
		t.Run(name, func(t *testing.T) {
			claim := aClaim(t, "Container", spec)

			got, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), tc.have)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			if diff := cmp.Diff(tc.want, got.NICs[0].IPv4); diff != "" {
				t.Errorf("%s\nContainer(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestContainerHasTheGateway: an address that the catalogue's gateway takes is a fault of a claim, and of a container that has it already only a warning: it
// follows the rest of its claim.
func TestContainerHasTheGateway(t *testing.T) {
	const spec = "{image: debian-12-ct, network: {ip: 10.0.0.1/24}, proxmox: {site: pooled, node: pve, vmId: 150}}"

	living := func(ip string) Existing {
		return Existing{Node: "pve", Has: &Entries{}, Container: true, Address: Address{IP: ip, Prefix: 24}}
	}

	for name, tc := range map[string]struct {
		reason  string
		have    Existing
		faults  []string
		warning string
	}{
		"New":    {"Two hosts have one address.", Existing{}, []string{"spec.network.ip: Invalid value: \"10.0.0.1\": is the gateway of site pooled"}, ""},
		"Edited": {"So they have after an edit.", living("10.0.0.77"), []string{"spec.network.ip: Invalid value: \"10.0.0.1\": is the gateway of site pooled"}, ""},
		"Has":    {"The catalogue was edited later.", living("10.0.0.1"), nil, "10.0.0.1 is the gateway of site pooled (data.sites.pooled.network.gateway), and the container has it"},
	} {
		t.Run(name, func(t *testing.T) {
			claim := aClaim(t, "Container", spec)

			got, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), tc.have)
			if len(errs) != len(tc.faults) {
				t.Fatalf("%s\nwant %d faults, got %v", tc.reason, len(tc.faults), errs.ToAggregate())
			}

			for i, want := range tc.faults {
				if !strings.HasPrefix(errs[i].Error(), want) {
					t.Errorf("%s\nwant %s, got %v", tc.reason, want, errs[i])
				}
			}

			if tc.warning == "" {
				return
			}

			if !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, tc.warning) }) {
				t.Errorf("%s\nwant the warning %q, got %q", tc.reason, tc.warning, got.Warnings)
			}
		})
	}
}

// TestContainer compares whole containers.
func TestContainer(t *testing.T) {
	no, zero := false, int64(0)

	for name, tc := range map[string]struct {
		reason string
		spec   string
		have   Existing
		want   func(c *machine.Container)
	}{
		"Smallest": {
			reason: "Class, site and template are from the catalogue.",
			spec:   "{image: debian-12-ct, proxmox: {node: pve, vmId: 150}}",
			want: func(c *machine.Container) {
				c.NICs = []machine.NIC{{Bridge: "br1", VLAN: 7, IPv4: machine.Addressing{Method: machine.MethodDHCP}, Firewall: &no}}
			},
		},
		"OnTheNode": {
			reason: "A template of the catalogue may be on the node already, and nothing is downloaded.",
			spec:   "{image: node-ct, proxmox: {node: pve, vmId: 150}}",
			want: func(c *machine.Container) {
				c.NICs = []machine.NIC{{Bridge: "br1", VLAN: 7, IPv4: machine.Addressing{Method: machine.MethodDHCP}, Firewall: &no}}
				c.Boot.Image, c.OS = "node-ct", "alpine"
				c.Template = machine.ContainerTemplate{Volume: "local:vztmpl/alpine-3.20-default_20240908_amd64.tar.xz"}
			},
		},
		"Adopted": {
			reason: "An adopted container keeps what its claim does not say, and is protected.",
			spec:   "{proxmox: {node: pve}, adopt: {vmId: 113}}",
			have:   Existing{Adopting: true},
			want: func(c *machine.Container) {
				c.Class, c.Cores, c.MemoryMiB, c.Boot, c.CPUType = "", 0, 0, machine.Boot{}, ""
				c.Template, c.OS, c.SwapMiB, c.Nesting, c.Unprivileged = machine.ContainerTemplate{}, "", nil, nil, nil
				c.Placement.VMID, c.Adopt, c.Protection, c.Unsaid = 0, &v1alpha1.Adopt{VMID: 113}, true, machine.Unsaid{}
				c.NICs = []machine.NIC{{IPv4: machine.Addressing{Method: machine.MethodDHCP}}}
				c.KeepsOwn = machine.ContainerKeeps{Network: true, Hostname: true, OnBoot: true, Notes: true, Startup: true, Disks: true}
				c.Warnings = nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := &machine.Container{
				Machine: machine.Machine{
					Identity: machine.Identity{Kind: "Container", Name: "dns01", Namespace: "infra", Composite: "dns01", UID: "uid-1"}, Hostname: "dns01", Domain: "home.arpa",
					DNS: []string{"10.0.0.1"}, Tags: []string{}, Class: "small", Cores: 2, MemoryMiB: 4096, CPUType: "x86-64-v2-AES", BuiltIn: []string{"class"}, Typed: map[string]string{"spec.network.firewall": "spec.firewall"},
					Boot: machine.Boot{Image: "debian-12-ct", DiskGiB: 30}, Power: v1alpha1.PowerRunning, OnBoot: true,
					DeletionPolicy: v1alpha1.DeletionDelete, Lifecycle: v1alpha1.Lifecycle{RebootPolicy: v1alpha1.RebootOnRequest}, PauseOnError: true,
					Placement: machine.Placement{
						Site: "home", ProviderConfig: "home", ProviderConfigKind: "ClusterProviderConfig", Node: "pve", VMID: 150,
						ImageDatastore: "nfs", SnippetDatastore: "local", DiskDatastore: "zfs",
					},
					Warnings: []string{"Nobody can log in over SSH: neither spec.bootstrap.sshAuthorizedKeys nor the catalogue's defaults.sshAuthorizedKeys have a key. " +
						"`pct enter 150` on the node opens a shell."},
				},
				Template: machine.ContainerTemplate{
					Volume: "nfs:vztmpl/debian-12-standard_12.7-1_amd64-58941873.tar.zst",
					Download: &machine.Download{
						URL: "https://download.example/debian-12-standard_12.7-1_amd64.tar.zst", FileName: "debian-12-standard_12.7-1_amd64-58941873.tar.zst",
						Checksum: strings.Repeat("2", 64), ChecksumAlgorithm: "sha256",
					},
				},
				OS: "debian", SwapMiB: &zero, Nesting: &no, Unprivileged: new(true), KeysUnsaid: true,
			}
			tc.want(want)

			claim := aClaim(t, "Container", tc.spec)

			got, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), tc.have)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestContainerLosesDefaults: a container that exists has none of what is built in, where the catalogue gave it more. Its claim gets a fault, so
// that nothing changes.
func TestContainerLosesDefaults(t *testing.T) {
	const (
		spec  = "{image: 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst', proxmox: {node: pve, vmId: 150}}"
		class = "catalogue.defaults.class: Required value: the claim names none, and the catalogue has no default"
		site  = "catalogue.defaults.site: Required value: the claim names none, and the catalogue has no default"
	)

	for name, tc := range map[string]struct {
		reason string
		spec   string
		have   Existing
		want   []string
	}{
		"New":      {"A new container takes what is built in.", spec, Existing{}, nil},
		"Lost":     {"The catalogue gave both.", spec, Existing{Container: true, BuiltIn: []string{}}, []string{class, site}},
		"LostOne":  {"The catalogue gave the site only.", spec, Existing{Container: true, BuiltIn: []string{"class"}}, []string{site}},
		"NeverHad": {"It never had either.", spec, Existing{Container: true, BuiltIn: []string{"class", "site"}}, nil},
		"Said": {
			"The claim says the class.", "{class: small, image: 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst', proxmox: {node: pve, vmId: 150}}",
			Existing{Container: true, BuiltIn: []string{"site"}},
			nil,
		},
		"Adopted": {
			"An adopted container has its own size.", "{proxmox: {node: pve}, adopt: {vmId: 113}}",
			Existing{Adopting: true, Container: true, BuiltIn: []string{"site"}},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			claim := aClaim(t, "Container", tc.spec)

			m, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, "{}"), tc.have)

			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if m != nil && tc.have.Container && slices.ContainsFunc(m.BuiltIn, func(name string) bool { return !slices.Contains(tc.have.BuiltIn, name) }) {
				t.Errorf("%s: a default that was lost is none that it never had: %v", tc.reason, m.BuiltIn)
			}
		})
	}
}

// TestContainerFaults: all faults of a claim at once, each with what would be right.
func TestContainerFaults(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"Nothing": {
			"A container has a VMID and a template; the function chooses a node.", "{proxmox: {}}",
			[]string{"spec.image: Required value", "spec.proxmox.vmId: Required value"},
		},
		"ImageOfAVM": {
			"The image of a VM is no template.", "{image: vm, proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.image: Invalid value: "vm": is an image for VMs: a container is created from a template; there are: debian-12-ct, node-ct, own-ct`},
		},
		"VolumeOfAVM": {
			"Neither is a volume of the catalogue.", "{image: volume, proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.image: Invalid value: "volume": is an image for VMs: a container is created from a template; there are: debian-12-ct, node-ct, own-ct`},
		},
		"OCI": {
			"Nor is an image of a registry.", "{image: oci, proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.image: Invalid value: "oci": ` + catalog.OCI("oci://nginx") + "; there are: debian-12-ct, node-ct, own-ct"},
		},
		"OCIFileName": {
			"Nor its archive at an address.", "{image: pulled, proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.image: Invalid value: "pulled": ` + catalog.OCI("nginx.tar") + "; there are: debian-12-ct, node-ct, own-ct"},
		},
		"OCIVolume": {
			"Nor its archive on the node.", "{image: kept, proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.image: Invalid value: "kept": ` + catalog.OCI("nginx.tar") + "; there are: debian-12-ct, node-ct, own-ct"},
		},
		"OCIName": {
			"Nor its name without a tag.", "{image: docker.io/library/nginx, proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.image: Invalid value: "docker.io/library/nginx": ` + catalog.OCI("oci://nginx") + "; there are: debian-12-ct, node-ct, own-ct"},
		},
		"OtherVolume": {
			"A volume of another content type is none.", "{image: 'local:iso/debian.iso', proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.image: Invalid value: "local:iso/debian.iso": must be a container template on the node`},
		},
		"UnknownDistribution": {
			"Nobody knows how Proxmox is to configure the container.", "{image: own-ct, proxmox: {node: pve, vmId: 150}}",
			[]string{"spec.os: Required value: must be the distribution of the template, because the name of its file, rootfs-"},
		},
		"Privileged": {
			"Only root@pam sets features of a privileged container.",
			"{image: debian-12-ct, unprivileged: false, features: {nesting: true}, proxmox: {node: pve, vmId: 150}}",
			[]string{"spec.features: Forbidden: Proxmox lets only root@pam set features of a privileged container"},
		},
		"Disks": {
			"A path is that of one mount point.",
			"{image: debian-12-ct, disks: [{path: /srv/a, size: 1Gi}, {path: /srv/a, size: 0}, {path: ../b, size: 1Gi}], proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.disks[1].path: Duplicate value: "/srv/a"`, "spec.disks[1].size: Invalid value", "spec.disks[2].path: Invalid value"},
		},
		"Network": {
			"An interface has one address.", "{image: debian-12-ct, network: {dhcp: true, ip: 10.0.0.9/24}, proxmox: {node: pve, vmId: 150}}",
			[]string{"spec.network: Invalid value: set exactly one of dhcp: true, pool: true and ip"},
		},
		"NoPool": {
			"The site has none.", "{image: debian-12-ct, network: {pool: true}, proxmox: {node: pve, vmId: 150}}",
			[]string{"spec.network.pool: Invalid value: its site has no address pool"},
		},
		"PoolOfClusterAPI": {
			"No IPAddressClaim is kept for a container.", "{image: debian-12-ct, network: {pool: true}, proxmox: {site: ipam, node: pve, vmId: 150}}",
			[]string{"spec.network.pool: Invalid value: the site's pool is InClusterIPPool lab of Cluster API, and a container takes an address of a range of addresses only"},
		},
		"BridgeOfNoPool": {
			"The addresses are of the site's network.", "{image: debian-12-ct, network: {pool: true, bridge: br2, vlan: 9}, proxmox: {site: pooled, node: pve, vmId: 150}}",
			[]string{"spec.network.bridge: Invalid value", "spec.network.vlan: Invalid value: 9"},
		},
		"PoolOfAdopted": {
			"An adopted container has its address.", "{network: {pool: true}, proxmox: {site: pooled, node: pve}, adopt: {vmId: 150}}",
			[]string{"spec.network.pool: Forbidden: an adopted container keeps its own address"},
		},
		"Sizes": {
			"A container has its own limits.", "{image: debian-12-ct, size: {cores: 200, swap: many}, proxmox: {node: pve, vmId: 150}}",
			[]string{"spec.size.cores: Invalid value: 200", `spec.size.swap: Invalid value: "many": swap must be a whole number`},
		},
		"Reboot": {
			"A truth value triggers nothing.", "{image: debian-12-ct, lifecycle: {reboot: 'yes'}, proxmox: {node: pve, vmId: 150}}",
			[]string{`spec.lifecycle.reboot: Invalid value: "yes": acts once for each new value`},
		},
		"Adopt": {
			"The VMIDs of a claim agree.", "{adopt: {vmId: 113}, proxmox: {node: pve, vmId: 114}}",
			[]string{"spec.adopt.vmId: Invalid value: 113: must be the VMID in proxmox.vmId, which is 114"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			claim := aClaim(t, "Container", tc.spec)

			_, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), Existing{})
			if len(errs) != len(tc.want) {
				t.Errorf("%s\ngot %d faults, want %d: %v", tc.reason, len(errs), len(tc.want), errs)
			}

			for i, want := range tc.want {
				if i < len(errs) && !strings.HasPrefix(errs[i].Error(), want) {
					t.Errorf("%s\nfault %d: got %q, want %q...", tc.reason, i, errs[i].Error(), want)
				}
			}
		})
	}
}

// TestContainerLosesEntries: a container that exists keeps what the catalogue has lost, and all other fields of its claim count. A name that the claim
// did not have before is a mistake of the claim.
func TestContainerLosesEntries(t *testing.T) {
	const spec = "{class: gone, image: gone, power: Stopped, deletionPolicy: Orphan, proxmox: {site: gone, node: pve, vmId: 150}}"

	has := &Entries{Site: catalog.Site{Site: catalogue.Site{ProviderConfig: "home"}}}
	has.Class.Cores, has.Class.Memory, has.Class.Disk = 3, "3Gi", "12Gi"
	has.Site.Network.Bridge = "vmbr7"

	applied := aClaim(t, "Container", spec)
	other := aClaim(t, "Container", "{class: small, image: gone, proxmox: {site: gone, node: pve, vmId: 150}}")
	now := aClaim(t, "Container", spec)

	m, errs := Container(now.Identity, *now.Container, now.Faults, aCatalog(t, containerCatalogue), Existing{Has: has, Applied: &applied, Node: "pve", DiskDatastore: "zfs"})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	var parts []machine.Part
	for _, k := range m.Kept {
		parts = append(parts, k.Part)
	}

	if diff := cmp.Diff([]machine.Part{machine.PartSize, machine.PartSite, machine.PartImage}, parts); diff != "" {
		t.Errorf("kept: -want, +got:\n%s", diff)
	}

	if m.Cores != 3 || m.MemoryMiB != 3072 || m.NICs[0].Bridge != "vmbr7" || m.Placement.ProviderConfig != "home" || m.Power != v1alpha1.PowerStopped ||
		m.DeletionPolicy != v1alpha1.DeletionOrphan {
		t.Errorf("%+v", m)
	}

	for name, e := range map[string]Existing{"Edited": {Has: has, Applied: &other, Node: "pve"}, "New": {}} {
		if _, errs := Container(now.Identity, *now.Container, now.Faults, aCatalog(t, containerCatalogue), e); len(errs) == 0 {
			t.Errorf("%s: a class that there is not is no fault", name)
		}
	}
}

// TestMountPointsParentsFirst: Proxmox mounts them in the order of their numbers, and the parent would hide the child.
func TestMountPointsParentsFirst(t *testing.T) {
	claim := aClaim(t, "Container", "{image: debian-12-ct, proxmox: {node: pve, vmId: 150}, disks: [{path: /srv/data/db, size: 1Gi}, {path: /var, size: 1Gi}, {path: /srv, size: 1Gi}, {path: /srv/data, size: 1Gi}]}")

	m, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), Existing{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	var got []string
	for _, p := range m.MountPoints {
		got = append(got, p.Path)
	}

	if diff := cmp.Diff([]string{"/var", "/srv", "/srv/data", "/srv/data/db"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
