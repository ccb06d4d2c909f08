package lint

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestDoubtsOfASite: names in the catalogue that are good ones, and those of other things.
func TestDoubtsOfASite(t *testing.T) {
	cases := map[string]struct {
		reason, site string
		want         []string // Beginnings, after the position.
	}{
		"Sound": {reason: "Bridges, and a share.", site: "{nodes: {pve: {bridges: [vmbr0, lan]}}, sharedDatastores: [nas], network: {bridge: lan}}"},
		"Ports": {
			reason: "A guest is on a bridge.", site: "{nodes: {pve: {bridges: [bond0, vmbr0, eno1]}}, network: {bridge: bond0}}",
			want: []string{"data.sites.home.nodes.pve.bridges[0]: bond0: has", "data.sites.home.nodes.pve.bridges[2]: eno1: has", "data.sites.home.network.bridge: bond0: has"},
		},
		"Local": {
			reason: "Each node has its own one.", site: "{nodes: {pve: {}}, sharedDatastores: [ceph, local-zfs]}",
			want: []string{"data.sites.home.sharedDatastores[1]: local-zfs: Proxmox's installer"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			faults := Check([]manifest.Raw{{File: "c.yaml", Documents: manifest.RawDocuments([]byte(environment("sites:\n  home: " + tc.site)))}}, nil, Options{}).Faults

			same := len(faults) == len(tc.want)
			for i := range min(len(faults), len(tc.want)) {
				_, said, _ := strings.Cut(faults[i].String(), "warning: ")
				same = same && strings.HasPrefix(said, tc.want[i])
			}

			if !same {
				t.Errorf("%s\ngot  %v\nwant %q", tc.reason, faults, tc.want)
			}
		})
	}
}
