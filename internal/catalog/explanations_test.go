package catalog

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestExplanations: keys of other tools, and what does here what they do there.
func TestExplanations(t *testing.T) {
	cases := map[string]struct{ reason, document, want string }{
		"Algorithm":  {"As the provider's own resource has it.", `{images: {mine: {url: x, checksumAlgorithm: sha256}}}`, "images.mine.checksumAlgorithm: Forbidden: unknown field: the algorithm stands before"},
		"Decompress": {"As Terraform has it.", `{images: {mine: {decompression_algorithm: zst}}}`, "images.mine.decompression_algorithm: Forbidden: unknown field: Proxmox does not unpack"},
		"Dots":       {"A name with dots.", `{images: {ubuntu-24.04: {content_type: iso}}}`, "images.ubuntu-24.04.content_type: Forbidden: unknown field: what is behind url"},
		"Datastore":  {"As Terraform has it.", `{images: {mine: {datastore_id: local}}}`, "images.mine.datastore_id: Forbidden: unknown field: a node downloads images"},
		"Password":   {"Of the image's own account.", `{images: {mine: {password: s3cret}}}`, "images.mine.password: Forbidden: unknown field: the account of a machine"},
		"Auth":       {"A private mirror.", `{images: {mine: {headers: {Authorization: s3cret}}}}`, "images.mine.headers: Forbidden: unknown field: the node downloads without"},
		"Format":     {"As the disk has it.", `{images: {mine: {format: raw}}}`, "images.mine.format: Forbidden: unknown field: the format is told"},
		"Sockets":    {"As Proxmox has it.", `{classes: {a: {sockets: 2}}}`, "classes.a.sockets: Forbidden: unknown field: a VM has one socket"},
		"Balloon":    {"As Proxmox has it.", `{classes: {a: {balloon: 1Gi}}}`, "classes.a.balloon: Forbidden: unknown field: what a VM keeps"},
		"GPU":        {"A class with a GPU.", `{classes: {a: {gpu: gpu0}}}`, "classes.a.gpu: Forbidden: unknown field: devices are those of a claim"},
		"Image":      {"A class as of a cloud's.", `{classes: {a: {image: debian-13}}}`, "classes.a.image: Forbidden: unknown field: a class is a size"},
		"Token":      {"Whoever reads the repository reads it.", `{sites: {home: {apiToken: a@pve!b=s3cret}}}`, "sites.home.apiToken: Forbidden: unknown field: a catalogue has neither address"},
		"Storages":   {"Of the whole cluster.", `{sites: {home: {storages: {local: [iso]}}}}`, "sites.home.storages: Forbidden: unknown field: each node has its own"},
		"Address":    {"As the provider's SSH has it.", `{sites: {home: {nodes: {pve: {address: 10.0.0.2}}}}}`, "sites.home.nodes.pve.address: Forbidden: unknown field: the provider asks Proxmox"},
		"VNet":       {"SDN.", `{sites: {home: {nodes: {pve: {vnets: [vnet1]}}}}}`, "sites.home.nodes.pve.vnets: Forbidden: unknown field: a VNet is a bridge"},
		"MTU":        {"Of all machines.", `{sites: {home: {network: {mtu: 9000}}}}`, "sites.home.network.mtu: Forbidden: unknown field: the MTU of a bridge"},
		"NodeMTU":    {"Of the node's bridges.", `{sites: {home: {nodes: {pve: {mtu: 9000}}}}}`, "sites.home.nodes.pve.mtu: Forbidden: unknown field: the MTU of a bridge"},
		"IPv6":       {"Beside the gateway.", `{sites: {home: {network: {gateway6: fe80::1}}}}`, "sites.home.network.gateway6: Forbidden: unknown field: a site has IPv4 alone"},
		"VLANs":      {"A trunk.", `{sites: {home: {network: {vlans: [20, 30]}}}}`, "sites.home.network.vlans: Forbidden: unknown field: an interface has one tag"},
		"DHCP":       {"It is the default.", `{sites: {home: {network: {dhcp: true}}}}`, "sites.home.network.dhcp: Forbidden: unknown field: it is of the claim"},
		"Nested":     {"It is none of the site's keys.", `{sites: {home.lab: {nodes: {pve: {datastores: {host: a}}}}}}`, "sites.home.lab.nodes.pve.datastores.host: Forbidden: unknown field; "},
		"SiteDots":   {"A name with dots.", `{sites: {home.lab: {nodes: {pve: {vnets: [a]}}}}}`, "sites.home.lab.nodes.pve.vnets: Forbidden: unknown field: a VNet is a bridge"},
		"VMID":       {"A template, as Proxmox names it.", `{images: {mine: {vmid: 9000}}}`, "images.mine.vmid: Forbidden: unknown field: a template to clone is named by its VMID"},
		"ISO":        {"An installer on a node.", `{images: {mine: {iso: local:iso/a.iso}}}`, "images.mine.iso: Forbidden: unknown field: a file of the node is volume"},
		"Endpoint":   {"As a K3sCluster has it.", `{clusters: {home: {endpoint: 192.168.4.210}}}`, "clusters.home.endpoint: Forbidden: unknown field: the address that nodes join is server"},
		"RangeStart": {"Another word for from.", `{sites: {home: {vmIds: {start: 100}}}}`, "sites.home.vmIds.start: Forbidden: unknown field; did you mean data.sites.home.vmIds.from?"},
		"Typo":       {"The decoder knows what was meant.", `{sites: {home: {network: {gatway: 10.0.0.1}}}}`, "sites.home.network.gatway: Forbidden: unknown field; did you mean"},
		"Elsewhere":  {"A key of another section.", `{clusters: {home: {mtu: 9000}}}`, "clusters.home.mtu: Forbidden: unknown field; "},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			document, err := yaml.YAMLToJSON([]byte(tc.document))
			if err != nil {
				t.Fatal(err)
			}

			_, errs := Decode(document, "data")
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "data."+tc.want) || strings.Contains(errs[0].Error(), "s3cret") {
				t.Errorf("%s\ngot  %v\nwant %q", tc.reason, errs, tc.want)
			}
		})
	}
}
