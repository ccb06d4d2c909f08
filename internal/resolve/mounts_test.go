package resolve

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestMounts: who sets up a data disk in the guest, and what an existing VM is spared.
func TestMounts(t *testing.T) {
	const (
		catalogue = `{
			images: {nixos: {template: 9000, os: nixos}, windows: {template: 9001, os: windows}, debian: {template: 9002, os: debian}},
			sites: {home: {nodes: {pve: {datastores: {snippets: local}}, bare: {}}}}}`
		data = `disks: [{name: data, size: 1Gi, filesystem: ext4, mountPath: /srv}]`
		long = `disks: [{name: backup-of-data, size: 1Gi, filesystem: xfs, mountPath: /srv}]`
	)

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		fault    string
		warning  string
	}{
		"Native":           {reason: "The catalogue names the datastore.", spec: `{proxmox: {site: home, node: pve}, image: debian, ` + data + `}`},
		"NoDatastore":      {reason: "Nobody says that the node stores snippets.", spec: `{proxmox: {site: home, node: bare}, image: debian, ` + data + `}`, fault: "datastores.snippets"},
		"NoDatastoreLater": {reason: "An existing VM does not depend on what the catalogue says today.", spec: `{proxmox: {site: home, node: bare}, image: debian, ` + data + `}`, existing: Existing{Node: "bare"}},
		"UserData":         {reason: "Its snippet goes to the default datastore already.", spec: `{proxmox: {site: home, node: bare}, image: debian, bootstrap: {userData: "#cloud-config\n"}, ` + data + `}`},
		"NixOS":            {reason: "The flake mounts it, without any snippet.", spec: `{proxmox: {site: home, node: bare}, image: nixos, ` + data + `}`},
		"NixOSLabel":       {reason: "A label of xfs is short, and two disks could have the same.", spec: `{proxmox: {site: home, node: bare}, image: nixos, ` + long + `}`, fault: "at most 12 characters"},
		"LongName":         {reason: "Elsewhere labels do not matter.", spec: `{proxmox: {site: home, node: pve}, image: debian, ` + long + `}`},
		"Windows":          {reason: "There is no mkfs.ext4.", spec: `{proxmox: {site: home, node: pve}, image: windows, ` + data + `}`, fault: "only a Linux guest"},
		"Adopted":          {reason: "Nothing in the guest changes, and the claim is valid.", spec: `{proxmox: {site: home, node: pve}, image: debian, ` + data + `}`, existing: Existing{Adopting: true}, warning: "mkfs.ext4 DEVICE"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, claim.KindMachine, tc.spec), aCatalog(t, catalogue), tc.existing)

			switch {
			case tc.fault == "" && len(errs) > 0, tc.fault != "" && (len(errs) != 1 || errs[0].Field != "spec.disks[0].filesystem" || !strings.Contains(errs[0].Detail, tc.fault)):
				t.Errorf("%s\nfaults: %v", tc.reason, errs)
			case tc.fault == "" && strings.Contains(strings.Join(m.Warnings, "\n"), "filesystem") != (tc.warning != ""), m != nil && !strings.Contains(strings.Join(m.Warnings, "\n"), tc.warning):
				t.Errorf("%s\nwarnings: %v", tc.reason, m.Warnings)
			}
		})
	}
}
