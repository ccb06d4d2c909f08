package resolve

import (
	"strings"
	"testing"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
)

// TestHaveServe: nobody is told to have a datastore serve what those of its kind cannot.
func TestHaveServe(t *testing.T) {
	const (
		set   = "un `pvesm set tank --content "
		node  = " as root on the node, then add "
		there = " to its storages in the catalogue"
	)

	cases := map[string]struct {
		reason  string
		serves  []string
		content string
		want    string
	}{
		"Folder":     {"It has files already.", []string{"iso", "vztmpl"}, "snippets", "R" + set + "iso,snippets,vztmpl`" + node + "snippets" + there},
		"FolderDisk": {"It may have disks, too.", []string{"backup", "iso"}, "images", "R" + set + "backup,images,iso`" + node + "images" + there},
		"Container":  {"Both are disks.", []string{"images"}, "rootdir", "R" + set + "images,rootdir`" + node + "rootdir" + there},
		"Blocks": {
			"ZFS, most likely.", []string{"images", "rootdir"}, "snippets", "ZFS, LVM and Ceph RBD hold disks and no files: if it is one of these, name another one " +
				"(pvesm status --content snippets lists them). If it is a folder or a share, r" + set + "images,rootdir,snippets`" + node + "snippets" + there,
		},
		"Backups": {
			"A server of backups, most likely.", []string{"backup"}, "images", "A Proxmox Backup Server holds backups alone: if it is one, name another one " +
				"(pvesm status --content images lists them). If it is a folder or a share, r" + set + "backup,images`" + node + "images" + there,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := haveServe("tank", tc.serves, tc.content); got != tc.want {
				t.Errorf("%s\ngot  %s\nwant %s", tc.reason, got, tc.want)
			}

			var contents catalogue.Contents
			for _, c := range tc.serves {
				contents = append(contents, catalogue.Content(c))
			}

			fault := Datastore(nil, "pve", catalogue.Node{Storages: map[string]catalogue.Contents{"tank": contents}}, "tank", tc.content)
			if fault == nil || !strings.HasSuffix(fault.Detail, tc.want) {
				t.Errorf("%s\ngot %v", tc.reason, fault)
			}
		})
	}
}

// TestNoBridges: a new machine on what has the name of a port is warned, wherever the name comes from, and no living one.
func TestNoBridges(t *testing.T) {
	const warned = "has the name of a network port or a bond"

	cases := map[string]struct {
		reason, spec, catalogue string
		want                    int
	}{
		"Claim":   {"Nobody lists the node's bridges.", "{proxmox: {node: pve}, network: {dhcp: true, bridge: eno1}, nics: [{bridge: bond0}]}", "{}", 2},
		"Site":    {"The catalogue's default.", "{proxmox: {site: home, node: pve}}", "{sites: {home: {nodes: {pve: {}}, network: {bridge: bond0}}}}", 1},
		"Bridges": {"The usual.", "{proxmox: {node: pve}, nics: [{bridge: vnet1}]}", "{}", 0},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, "Machine", tc.spec), aCatalog(t, tc.catalogue), Existing{})
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			if got := strings.Count(strings.Join(m.Warnings, "\n"), warned); got != tc.want {
				t.Errorf("%s\nwant %d warnings, got %q", tc.reason, tc.want, m.Warnings)
			}
		})
	}
}
