package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

func TestBuiltInCatalog(t *testing.T) {
	for _, err := range Catalog(catalog.BuiltIn()) {
		t.Errorf("The built-in catalogue has a fault: %v", err)
	}
}

func TestCatalog(t *testing.T) {
	cases := map[string]struct {
		reason   string
		document string
		want     []string // Fields at fault.
	}{
		"Right": {
			reason: "A catalogue of every kind of entry.",
			document: `{
				defaults: {class: a, adminUser: ops, sshAuthorizedKeys: [ssh-rsa AAAAB3Nza], pauseOnError: false, firewall: {preset: ssh, allow: [{port: 443}]}},
				classes: {a: {cores: 1, memory: 1Gi, disk: 5Gi, cpuType: custom-mine}, b: {cores: 1, memory: 1Gi, disk: 5Gi, cpuType: EPYC-Milan}},
				images: {t: {template: 9000, templateNode: pve, templateDisk: virtio0, os: nixos, convergeUnit: true}, v: {volume: "local:iso/x.iso"}, u: {url: "https://x.org/y.qcow2"}},
				sites: {s: {providerConfig: a, nodes: {pve: {bridges: [br0], storages: {local: [iso]}}}, network: {cidr: 24, gateway: 10.0.0.1}, vmIds: {from: 100, to: 100}}},
				clusters: {c: {server: "https://x:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, config: {node-ip: 10.0.0.1, secrets-encryption: true}}}}`,
		},
		"Defaults": {
			reason: "Defaults are a claim's values.", document: `{defaults: {adminUser: root, sshAuthorizedKeys: ["x"]}}`,
			want: []string{"data.defaults.adminUser", "data.defaults.sshAuthorizedKeys[0]"},
		},
		"DefaultFirewall": {
			reason:   "Its presets are for all guests.",
			document: `{defaults: {firewall: {preset: k3s-server, log: loud, allow: [{port: 0}, {group: web, port: 1}]}}}`,
			want: []string{
				"data.defaults.firewall.preset", "data.defaults.firewall.log", "data.defaults.firewall.allow[0].port", "data.defaults.firewall.allow[1].group",
			},
		},
		"Class": {
			reason: "A class is whole.", document: `{classes: {a: {cpuType: fast}}}`,
			want: []string{"data.classes.a.cores", "data.classes.a.memory", "data.classes.a.disk", "data.classes.a.cpuType"},
		},
		"Proxmox": {
			reason:   "A provider configuration reaches one Proxmox, whatever its sites are called.",
			document: `{sites: {a: {proxmox: dc1}, b: {proxmox: dc1, providerConfig: b}, c: {proxmox: dc2}, d: {}, e: {proxmox: "DC 1", providerConfig: e}}}`,
			want:     []string{"data.sites.e.proxmox", "data.sites.c.proxmox", "data.sites.d.proxmox"},
		},
		"Tenancy": {
			reason: "Rules name what the catalogue has, and a namespace is one tenant's.",
			document: `{sites: {s: {nodes: {n1: {}}}}, classes: {a: {cores: 1, memory: 1Gi, disk: 5Gi}}, images: {i: {template: 9000}}, clusters: {c: {}},
				tenancy: {default: deny, tenants: {
					a: {namespaces: [x, "Y"], sites: {s: {nodes: [n2], bridges: {"br 0": [4095]}, addresses: {kind: InClusterIPPool, name: p}, vmIds: {from: 200, to: 100}}, t: {}},
						classes: [b], images: [j], clusters: {c: [guest], d: []}, dns: ["A.b"], limits: {memory: lots}, quota: {disk: 1Ki, machines: -1}, allow: [all], firewall: Sometimes},
					b: {namespaces: [x], classes: [a], images: [i], clusters: {c: [agent]}, sites: {s: {nodes: [n1], bridges: {vmbr0: [0, 30]}, addresses: 10.0.0.1-10.0.0.9}}},
					c: {}}}}`,
			want: []string{
				"data.tenancy.default", "data.tenancy.tenants.a.namespaces[1]", "data.tenancy.tenants.a.dns[0]", "data.tenancy.tenants.a.classes",
				"data.tenancy.tenants.a.images", "data.tenancy.tenants.a.allow[0]", "data.tenancy.tenants.a.clusters.c[0]", "data.tenancy.tenants.a.clusters.d",
				"data.tenancy.tenants.a.sites.s.nodes", "data.tenancy.tenants.a.sites.s.bridges.\"br 0\"", "data.tenancy.tenants.a.sites.s.bridges.\"br 0\"[0]",
				"data.tenancy.tenants.a.sites.s.addresses", "data.tenancy.tenants.a.sites.s.vmIds.to", "data.tenancy.tenants.a.sites.t",
				"data.tenancy.tenants.a.firewall", "data.tenancy.tenants.a.limits.memory", "data.tenancy.tenants.a.quota.disk",
				"data.tenancy.tenants.a.quota.machines", "data.tenancy.tenants.b.namespaces[0]", "data.tenancy.tenants.c.namespaces",
			},
		},
		"ImageWithoutSource": {reason: "An image comes from somewhere.", document: `{images: {a: {os: debian}}}`, want: []string{"data.images.a"}},
		"ImageWithTwoSources": {
			reason: "An image comes from one place.", document: `{images: {a: {url: "https://x.org/y.img", template: 9000}}}`, want: []string{"data.images.a"},
		},
		"ImageFields": {
			reason:   "Fields go with their source.",
			document: `{images: {a: {template: 5, fileName: x, templateDisk: scsi31, templateNode: "p v", os: bsd, convergeUnit: true, disk: x, firmware: {type: efi}}, b: {volume: "x", templateNode: pve}}}`,
			want: []string{
				"data.images.a", "data.images.a.template", "data.images.a.templateNode", "data.images.a.templateDisk", "data.images.a.os",
				"data.images.a.convergeUnit", "data.images.a.disk", "data.images.a.firmware.type", "data.images.b.volume", "data.images.b",
			},
		},
		"TemplateDiskOfCloudInit": {
			reason: "Two drives have no one interface; an image without cloud-init has no other drive there.",
			document: `{images: {a: {template: 9000, templateDisk: scsi30}, b: {template: 9000, templateDisk: scsi30, cloudInit: true}, c: {template: 9000, templateDisk: scsi29},
				d: {template: 9000, templateDisk: scsi30, cloudInit: false}}}`,
			want: []string{"data.images.a.templateDisk", "data.images.b.templateDisk"},
		},
		"ClusterConfig": {
			reason:   "A cluster's settings are for servers or for agents.",
			document: `{clusters: {c: {config: {node-ip: 10.0.0.1, cluster-cidr: 10.0.0.0/8, nonsense: 1, disabel-etcd: true, server: x}}}}`,
			want:     []string{"data.clusters.c.config[disabel-etcd]", "data.clusters.c.config[server]"},
		},
		"ClusterNamespaces": {
			reason:   "Namespaces, and patterns of them.",
			document: `{clusters: {c: {namespaces: [infra-machines, "team-*", "*"]}, d: {namespaces: [Infra, a/b, "-a", infra, infra]}, e: {namespaces: []}}}`,
			want: []string{
				"data.clusters.d.namespaces[0]", "data.clusters.d.namespaces[1]", "data.clusters.d.namespaces[2]", "data.clusters.d.namespaces[4]", "data.clusters.e.namespaces",
			},
		},
		"Pools": {
			reason: "A pool is a range or a list of ranges, of single addresses, too.",
			document: `{sites: {
				text: {network: {cidr: 24, gateway: 10.0.0.1, pool: 10.0.0.50-10.0.0.99}}, list: {network: {cidr: 24, pool: [10.0.0.50-10.0.0.99, 10.0.0.7, " 10.0.0.9 - 10.0.0.20 "]}},
				small: {network: {cidr: 31, gateway: 10.0.0.1, pool: 10.0.0.0}}}}`,
		},
		"PoolsOfNothing": {
			reason:   "What is no range is named with its place.",
			document: `{sites: {a: {network: {cidr: 24, pool: {from: 10.0.0.1}}}, b: {network: {cidr: 24, pool: []}}, c: {network: {cidr: 24, pool: [10.0.0.5-10.0.0.4, x, 10.0.0.0/28, "::1-::9", 10.0.0.6]}}, d: {network: {cidr: 24, pool: ""}}, e: {network: {cidr: 24, pool: 5}}}}`,
			want: []string{
				"data.sites.a.network.pool", "data.sites.b.network.pool", "data.sites.c.network.pool[0]", "data.sites.c.network.pool[1]", "data.sites.c.network.pool[2]",
				"data.sites.c.network.pool[3]", "data.sites.d.network.pool", "data.sites.e.network.pool",
			},
		},
		"PoolsOfClusterAPI": {
			reason: "A pool of Cluster API has a group, a kind and a name; subnet and gateway come with its addresses.",
			document: `{sites: {
				ok: {network: {pool: {kind: InClusterIPPool, name: lab}}}, group: {network: {pool: {apiGroup: ipam.example.org, kind: Prefix, name: lab-1}}},
				a: {network: {pool: {kind: InClusterIPPool}}}, b: {network: {pool: {kind: inclusterippool, name: "a b"}}},
				c: {network: {pool: {apiGroup: "x y", kind: "In Cluster", name: lab, namespace: infra}}}, d: {network: {pool: {kind: 5, name: lab}}}}}`,
			want: []string{
				"data.sites.a.network.pool.name", "data.sites.b.network.pool.kind", "data.sites.b.network.pool.name", "data.sites.c.network.pool.namespace",
				"data.sites.c.network.pool.apiGroup", "data.sites.c.network.pool.kind", "data.sites.d.network.pool.kind",
			},
		},
		"PoolsOutside": {
			reason: "A pool is inside the subnet, without the addresses that no machine has, and names none twice.",
			document: `{sites: {
				a: {network: {pool: 10.0.0.50-10.0.0.99}}, b: {network: {cidr: 24, gateway: 10.0.1.1, pool: [10.0.0.50, 10.0.1.50]}}, c: {network: {cidr: 24, gateway: 10.0.0.1, pool: 10.0.0.0-10.0.0.9}},
				d: {network: {cidr: 24, pool: [10.0.0.200-10.0.0.255, 10.0.0.250]}}, e: {network: {cidr: 24, pool: [10.0.0.9, 10.0.1.9]}}}}`,
			want: []string{
				"data.sites.a.network.cidr", "data.sites.b.network.pool[0]", "data.sites.c.network.pool", "data.sites.c.network.pool", "data.sites.d.network.pool[0]",
				"data.sites.d.network.pool[1]", "data.sites.e.network.pool[1]",
			},
		},
		"Observation": {
			reason:   "A cluster is observed in one of the known ways, and a configuration of provider-kubernetes is a name.",
			document: `{clusters: {none: {observe: None}, here: {observe: Here}, lower: {observe: here}, with: {observe: Here, providerConfig: home}, alone: {providerConfig: home}}}`,
			want:     []string{"data.clusters.alone.providerConfig", "data.clusters.lower.observe"},
		},
		"ObservationOfAnotherCluster": {
			reason:   "Another cluster's Nodes are read with a configuration of provider-kubernetes, which has a name.",
			document: `{clusters: {c: {observe: Object, providerConfig: "a b"}, d: {observe: Object}, e: {observe: Object, providerConfig: home}}}`,
			want:     []string{"data.clusters.c.providerConfig", "data.clusters.d.providerConfig"},
		},
		"ProtectVolumes": {
			reason: "PersistentVolumes are read in Crossplane's own cluster only.",
			document: `{clusters: {
				here: {observe: Here, protectVolumes: true}, another: {observe: Object, providerConfig: home, protectVolumes: true}, none: {protectVolumes: true},
			}}`,
			want: []string{"data.clusters.another.protectVolumes", "data.clusters.none.protectVolumes"},
		},
		"ZoneLabel": {
			reason: "provider-kubernetes writes the label, on Nodes that are read, and follows the Proxmox node only.",
			document: `{clusters: {
				here: {observe: Here, providerConfig: home, zoneLabel: ProxmoxNode}, another: {observe: Object, providerConfig: home, zoneLabel: ProxmoxNode},
				no: {zoneLabel: None}, alone: {zoneLabel: ProxmoxNode}, unread: {observe: Here, zoneLabel: ProxmoxNode}, rack: {observe: Here, providerConfig: home, zoneLabel: Rack},
			}}`,
			want: []string{"data.clusters.alone.zoneLabel", "data.clusters.rack.zoneLabel", "data.clusters.unread.zoneLabel"},
		},
		"ObserveSnapshots": {
			reason:   "Snapshots are read in Crossplane's own cluster only.",
			document: `{clusters: {here: {observe: Here, observeSnapshots: true}, none: {observeSnapshots: true}}}`,
			want:     []string{"data.clusters.none.observeSnapshots"},
		},
		"Drain": {
			reason: "Jobs drain nodes within some minutes, with an image whose release is fixed, and provider-kubernetes creates them.",
			document: `{clusters: {
				a: {observe: Here, providerConfig: home, drain: {outages: true, image: "mirror:5000/kubectl:v1.34.1", timeoutMinutes: 720}},
				b: {observe: Here, drain: {outages: true}},
				c: {observe: Here, providerConfig: home, drain: {image: kubectl, timeoutMinutes: 0}},
				d: {observe: Here, providerConfig: home, drain: {image: "kubectl:v1 --all", timeoutMinutes: 721}},
				e: {observe: Here, providerConfig: home, drain: {image: "registry.k8s.io/kubectl@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}},
			}}`,
			want: []string{
				"data.clusters.b.drain", "data.clusters.c.drain.timeoutMinutes", "data.clusters.c.drain.image", "data.clusters.d.drain.timeoutMinutes",
				"data.clusters.d.drain.image",
			},
		},
		"Upgrade": {
			reason: "Nodes that share an entry are upgraded in place, or not at all; in place needs who writes Plans, what runs, and what is to run.",
			document: `{clusters: {
				a: {version: v1.33.6+k3s1, observe: Here, providerConfig: home, upgrade: SystemUpgrade},
				b: {version: v1.33.6+k3s1, upgrade: None},
				c: {version: v1.33.6+k3s1, upgrade: Replace},
				d: {version: v1.33.6+k3s1, observe: Here, upgrade: SystemUpgrade},
				e: {observe: Here, providerConfig: home, upgrade: SystemUpgrade},
				f: {upgrade: InPlace},
			}}`,
			want: []string{"data.clusters.c.upgrade", "data.clusters.d.upgrade", "data.clusters.e.version", "data.clusters.f.upgrade"},
		},
		"SystemUpgrade": {
			reason: "provider-kubernetes writes the Plans, into a namespace, and the image's tag is the release.",
			document: `{clusters: {
				a: {observe: Here, providerConfig: home, systemUpgrade: {namespace: upgrades, serviceAccount: upgrader, image: "mirror:5000/rancher/k3s-upgrade"}},
				b: {observe: Here, systemUpgrade: {namespace: upgrades}},
				c: {observe: Here, providerConfig: home, systemUpgrade: {namespace: "Not One", serviceAccount: "not one", image: "rancher/k3s-upgrade:v1.33.6-k3s1"}},
				d: {observe: Here, providerConfig: home, systemUpgrade: {image: k3s-upgrade}},
			}}`,
			want: []string{
				"data.clusters.b.systemUpgrade", "data.clusters.c.systemUpgrade.namespace", "data.clusters.c.systemUpgrade.serviceAccount",
				"data.clusters.c.systemUpgrade.image",
			},
		},
		"Capacity": {
			reason: "A node has more memory than it keeps for itself, and not more than a node can have.",
			document: `{sites: {s: {nodes: {
				a: {memory: 64Gi, cores: 16, reserve: 8Gi}, b: {memory: 65536}, c: {memory: 4Gi, reserve: 0}, d: {cores: 1024},
				e: {memory: 64 GB, cores: 0}, f: {memory: 2Gi}, g: {memory: 8Gi, reserve: 8Gi}, h: {reserve: 8Gi}, i: {memory: 8Gi, reserve: 1}, j: {memory: 0, cores: 1025},
			}}}}`,
			want: []string{
				"data.sites.s.nodes.e.cores", "data.sites.s.nodes.e.memory", "data.sites.s.nodes.f.memory", "data.sites.s.nodes.g.memory",
				"data.sites.s.nodes.h.memory", "data.sites.s.nodes.i.reserve", "data.sites.s.nodes.j.cores", "data.sites.s.nodes.j.memory",
			},
		},
		"Node": {
			reason: "A node has a node's name.", document: `{sites: {s: {nodes: {"a b": {usb: ["x y"]}}}}}`,
			want: []string{`data.sites.s.nodes."a b"`, `data.sites.s.nodes."a b".usb[0]`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := yaml.YAMLToJSON([]byte(tc.document))
			if err != nil {
				t.Fatal(err)
			}

			c, errs := catalog.Decode(b, "data")
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			var got []string
			for _, err := range Catalog(c) {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCatalog(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(Catalog(c), Catalog(Sound(c))); diff != "" {
				t.Errorf("What is marked as sound has no fault: Catalog(Sound(...)): -without marks, +with:\n%s", diff)
			}
		})
	}
}

// TestSound: an entry is marked where it has no fault, and the catalogue that was given stays as it is.
func TestSound(t *testing.T) {
	const document = `{"sites": {"whole": {"nodes": {"n1": {}, "n2": {"bridges": ["vmbr0"]}}}, "node": {"nodes": {"n1": {}, "n2": {"bridges": ["a b"]}}},
			"site": {"vmIds": {"from": 9, "to": 1}}, "undecoded": {"vmIds": "9"}, "none": {}},
		"clusters": {"right": {"version": "v1.36.5+k3s1"}, "wrong": {"version": "latest"}, "undecoded": {"config": 5}}}`

	c, errs := catalog.Decode([]byte(document), "data")
	c = c.WithFaults(errs, "data")
	got := Sound(c)

	sound := map[string]bool{}
	for name, s := range got.Sites {
		sound["sites/"+name] = s.Sound
	}

	for name, k := range got.Clusters {
		sound["clusters/"+name] = k.Sound
	}

	want := map[string]bool{
		"sites/whole": true, "sites/none": true, "sites/node": false, "sites/site": false, "sites/undecoded": false,
		"clusters/right": true, "clusters/wrong": false, "clusters/undecoded": false,
	}
	if diff := cmp.Diff(want, sound); diff != "" {
		t.Errorf("Sound(...): -want, +got:\n%s", diff)
	}

	again, errs := catalog.Decode([]byte(document), "data")
	if diff := cmp.Diff(again.WithFaults(errs, "data"), c); diff != "" {
		t.Errorf("Sound(...) changed the catalogue: -before, +after:\n%s", diff)
	}
}

// TestImageOS: the word for a system that is none of those with a word of its own.
func TestImageOS(t *testing.T) {
	const names = "must be debian, ubuntu, nixos, linux, windows or other, and for this one it is "

	for name, want := range map[string]string{
		"": "", "debian": "", "linux": "", "other": "",
		"rocky": names + "linux: write linux", "AlmaLinux-9": names + "linux: write linux", "l26": names + "linux: write linux", "haos": names + "linux: write linux",
		"win11": names + "windows: write windows", "Windows": names + "windows: write windows", "FreeBSD": names + "other: write other", "OPNsense": names + "other: write other",
		"debain": `supported values: "debian", "ubuntu", "nixos", "linux", "windows", "other"`,
	} {
		got := ""
		for _, err := range imageOS(field.NewPath("os"), name) {
			got += err.Detail
		}

		if got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", name, got, want)
		}
	}
}
