package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
				defaults: {class: a, adminUser: ops, sshAuthorizedKeys: [ssh-rsa AAAAB3Nza], pauseOnError: false},
				classes: {a: {cores: 1, memory: 1Gi, disk: 5Gi, cpuType: custom-mine}, b: {cores: 1, memory: 1Gi, disk: 5Gi, cpuType: EPYC-Milan}},
				images: {t: {template: 9000, templateNode: pve, templateDisk: virtio0, os: nixos, convergeUnit: true}, v: {volume: "local:iso/x.iso"}, u: {url: "https://x.org/y.qcow2"}},
				sites: {s: {providerConfig: a, nodes: {pve: {bridges: [br0], storages: {local: [iso]}}}, network: {cidr: 24, gateway: 10.0.0.1}, vmIds: {from: 100, to: 100}}},
				clusters: {c: {server: "https://x:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, config: {node-ip: 10.0.0.1, secrets-encryption: true}}}}`,
		},
		"Defaults": {
			reason: "Defaults are a claim's values.", document: `{defaults: {adminUser: root, sshAuthorizedKeys: ["x"]}}`,
			want: []string{"data.defaults.adminUser", "data.defaults.sshAuthorizedKeys[0]"},
		},
		"Class": {
			reason: "A class is whole.", document: `{classes: {a: {cpuType: fast}}}`,
			want: []string{"data.classes.a.cores", "data.classes.a.memory", "data.classes.a.disk", "data.classes.a.cpuType"},
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
		"ClusterConfig": {
			reason:   "A cluster's settings are for servers or for agents.",
			document: `{clusters: {c: {config: {node-ip: 10.0.0.1, cluster-cidr: 10.0.0.0/8, nonsense: 1, server: x}}}}`,
			want:     []string{"data.clusters.c.config[nonsense]", "data.clusters.c.config[server]"},
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
		})
	}
}
