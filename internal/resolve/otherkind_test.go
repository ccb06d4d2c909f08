package resolve

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestOtherKind: a name of another kind of thing is named for what it is, behind the names that there are.
func TestOtherKind(t *testing.T) {
	const catalogue = `{
		defaults: {site: home}, classes: {big: {cores: 4, memory: 8Gi, disk: 40Gi}}, images: {debian: {template: 9002, os: debian}},
		clusters: {lab: {server: "https://10.0.0.1:6443"}},
		sites: {home: {nodes: {pve: {bridges: [vmbr0], pci: [gpu0], storages: {local-zfs: [images, rootdir], local: [snippets, import]}, datastores: {disks: local-zfs, images: local, snippets: local}}}}}}`

	cases := map[string]struct{ reason, spec, want string }{
		"NodeDatastore":  {"The form of Proxmox has both.", `image: debian, proxmox: {node: local-zfs}`, "there are: pve. local-zfs is a datastore of site home: it belongs into spec.proxmox.storage"},
		"NodeSite":       {"A site of one node.", `image: debian, proxmox: {node: home}`, "home is a site: it belongs into spec.proxmox.site"},
		"SiteNode":       {"The same.", `image: debian, proxmox: {site: pve}`, "pve is a node of site home: it belongs into spec.proxmox.node"},
		"StorageNode":    {"The columns of pvesm.", `image: debian, proxmox: {node: pve, storage: pve}`, "pve is a node of site home: it belongs into spec.proxmox.node"},
		"BridgeStorage":  {"Two lines of a form.", `image: debian, proxmox: {node: pve}, network: {dhcp: true, bridge: local-zfs}`, "local-zfs is a datastore of site home"},
		"ClassImage":     {"Both swapped.", `class: debian, image: debian, proxmox: {node: pve}`, "debian is an image: it belongs into spec.image"},
		"ImageClass":     {"The same.", `class: big, image: big, proxmox: {node: pve}`, "big is a class: it belongs into spec.class"},
		"ImageCluster":   {"A name of the catalogue.", `class: big, image: lab, proxmox: {node: pve}`, "lab is a cluster: it belongs into spec.k3s.cluster"},
		"StorageMapping": {"A device.", `image: debian, proxmox: {node: pve, storage: gpu0}`, "gpu0 is a PCI mapping of site home: it belongs into spec.devices.pci"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(aClaim(t, claim.KindMachine, "{"+tc.spec+"}"), aCatalog(t, catalogue), Existing{})

			var all []string
			for _, err := range errs {
				all = append(all, err.Error())
			}

			text := strings.Join(all, "\n")
			if !strings.Contains(text, tc.want) {
				t.Errorf("%s\ngot %s\nwant %s", tc.reason, text, tc.want)
			}
		})
	}
}

// TestNoOtherKind: what nothing has is said to be nothing else.
func TestNoOtherKind(t *testing.T) {
	c := aCatalog(t, `{classes: {big: {cores: 4}}, sites: {home: {nodes: {pve: {bridges: [vmbr0]}}}}}`)

	for _, name := range []string{"", "pve9", "Big", "vmbr", "vmbr0"} {
		if got := otherKind(c, aBridge, name); got != "" {
			t.Errorf("%q: got %q, want nothing", name, got)
		}
	}
}
