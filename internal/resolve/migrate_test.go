package resolve

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

func TestMigrate(t *testing.T) {
	const document = `
images:
  gone: {url: "https://x.org/y.qcow2"}
sites:
  home:
    nodes:
      here: {bridges: [vmbr0], storages: {zfs: [images], local: [import, snippets, iso]}, pci: [gpu0]}
      there: {bridges: [vmbr0], storages: {zfs: [images], tank: [images], local: [snippets]}, pci: []}
      bare: {bridges: [vmbr1], storages: {tank: [images]}, pci: []}
  open: {}
`

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		node     string
		want     []string // Beginnings of the faults.
	}{
		"Fits": {
			reason:   "A node that has what the VM has is taken, though the VM could not be made there.",
			spec:     `{image: gone, proxmox: {site: home, node: there, migrate: true, storage: zfs}}`,
			existing: Existing{Node: "here", DiskDatastore: "zfs"}, node: "there",
		},
		"Lacks": {
			reason: "What the node lacks is said before the VM is on its way.",
			spec: `{image: "local:iso/x.iso", proxmox: {site: home, node: bare, migrate: true, storage: tank}, devices: {pci: [{mapping: gpu0}]},
				nics: [{bridge: vmbr1}], disks: [{name: a, size: 1Gi, storage: zfs}]}`,
			existing: Existing{Node: "here", DiskDatastore: "zfs"},
			want: []string{
				`spec.proxmox.bridge: Invalid value: "vmbr0": network bridge 'vmbr0' does not exist on node 'bare'`,
				`spec.proxmox.node: Invalid value: "zfs": datastore 'zfs' does not exist on node 'bare'; there are: tank`,
				`spec.disks[0].storage: Invalid value: "zfs"`,
				`spec.image: Invalid value: "local": datastore 'local' does not exist on node 'bare'`,
				`spec.devices.pci[0].mapping: Invalid value: "gpu0": PCI mapping 'gpu0' does not exist on node 'bare'`,
			},
		},
		"Unknown": {
			reason: "A VM cannot go to a node that is not there.",
			spec:   `{proxmox: {site: home, node: pve9, migrate: true}}`, existing: Existing{Node: "here"},
			want: []string{`spec.proxmox.node: Invalid value: "pve9": node 'pve9' does not exist in site 'home'; there are: `},
		},
		"UnknownSite": {
			reason: "Where the site lists no nodes, nothing is known to be wrong.",
			spec:   `{proxmox: {site: open, node: pve9, migrate: true}}`, existing: Existing{Node: "here"}, node: "pve9",
		},
		"NoMigration": {
			reason: "Without migrate the VM stays, whatever the node lacks.",
			spec:   `{proxmox: {site: home, node: bare}}`, existing: Existing{Node: "here"}, node: "bare",
		},
		"Arrived": {
			reason: "A VM that is there is there, whatever the catalogue has lost since.",
			spec:   `{proxmox: {site: home, node: bare, migrate: true}}`, existing: Existing{Node: "bare"}, node: "bare",
		},
		"New": {
			reason: "A new VM is made on its node.",
			spec:   `{proxmox: {site: home, node: here, migrate: true, storage: zfs}}`, node: "here",
		},
		"Adopted": {
			reason: "A VM that was taken over moves, too.",
			spec:   `{proxmox: {site: home, node: bare, migrate: true}, adopt: {vmId: 108}}`, existing: Existing{Node: "here", DiskDatastore: "zfs", Adopting: true},
			want: []string{
				`spec.proxmox.node: Invalid value: "zfs": datastore 'zfs' does not exist on node 'bare'; there are: tank`,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, document), tc.existing)

			if diff := beginnings(tc.want, errs); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}

			if m != nil && m.Placement.Node != tc.node {
				t.Errorf("%s\nClaim(...): want node %q, got %q", tc.reason, tc.node, m.Placement.Node)
			}
		})
	}
}

// TestNoNode: that the site has no such node is told of a guest that stays where it is, and refuses nothing else of the claim.
func TestNoNode(t *testing.T) {
	const document = `
sites:
  home: {nodes: {pve1: {bridges: [vmbr0]}, pve2: {bridges: [vmbr0]}}}
  open: {}
`

	for name, tc := range map[string]struct{ reason, kind, spec, node, want string }{
		"Missing":   {"A typing error.", kindMachine, `{proxmox: {site: home, node: pve9}}`, "pve1", "node 'pve9' does not exist in site 'home'; there are: pve1, pve2"},
		"Container": {"The same.", "Container", `{image: "local:vztmpl/debian-12.tar.zst", proxmox: {site: home, node: pve9, vmId: 153}}`, "pve1", "node 'pve9' does not exist in site 'home'; there are: pve1, pve2"},
		"There":     {"The site has it.", kindMachine, `{proxmox: {site: home, node: pve2}}`, "pve1", ""},
		"Same":      {"A node that the catalogue has lost since is the guest's all the same.", kindMachine, `{proxmox: {site: home, node: pve7}}`, "pve7", ""},
		"Unsaid":    {"The claim names none.", kindMachine, `{proxmox: {site: home}}`, "pve7", ""},
		"Unlisted":  {"A site without nodes takes each name.", kindMachine, `{proxmox: {site: open, node: pve9}}`, "pve1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			claim, existing := aClaim(t, tc.kind, tc.spec), Existing{Node: tc.node}

			var placed machine.Placement

			if tc.kind == kindMachine {
				m, errs := Claim(claim, aCatalog(t, document), existing)
				if len(errs) > 0 {
					t.Fatal(errs)
				}

				placed = m.Placement
			} else {
				c, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, document), existing)
				if len(errs) > 0 {
					t.Fatal(errs)
				}

				placed = c.Placement
			}

			if placed.NoNode != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, placed.NoNode)
			}
		})
	}
}
