package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestOneCommand: a datastore that lacks several contents is to serve them by one command, because Proxmox replaces the whole list; and what a container is
// created from is asked of a datastore as an image is.
func TestOneCommand(t *testing.T) {
	const (
		of          = `{sites: {home: {network: {bridge: vmbr0}, nodes: {pve: {storages: {tank: [iso], zfs: [rootdir]}, datastores: `
		file        = `{disks: tank, images: tank, snippets: tank}}}}}}`
		blocks      = `{disks: zfs, images: zfs, snippets: tank}}}}}}`
		elsewhere   = `{disks: zfs, snippets: tank}}}}}, images: {ct: {url: "https://x.org/debian-12-standard_12.7-1_amd64.tar.zst"}, kept: {volume: "tank:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst"}}}`
		lacks       = "datastore 'tank' on node 'pve' does not serve content type '"
		vm          = "{proxmox: {site: home, node: pve}, network: {dhcp: true}, bootstrap: {guestAgent: true}}"
		ct          = `, os: debian, proxmox: {site: home, node: pve, vmId: 150}, network: {dhcp: true}}`
		template    = `{image: "tank:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst"` + ct
		noTemplates = lacks + "vztmpl'; it serves: iso. Run `pvesm set tank --content iso,snippets,vztmpl` as root on the node, then add snippets, vztmpl to its storages in the catalogue."
		all         = "Run `pvesm set tank --content images,import,iso,snippets` as root on the node, then add images, import, snippets to its storages in the catalogue"
	)

	cases := map[string]struct {
		reason, kind, spec, catalogue string
		existing                      Existing
		want                          map[string]string
	}{
		"Three": {reason: "Each fault has the command for all.", kind: claim.KindMachine, spec: vm, catalogue: of + file, want: map[string]string{
			"disks": lacks + "images'; it serves: iso. " + all, "images": lacks + "import'; it serves: iso. " + all, "snippets": lacks + "snippets'; it serves: iso. " + all,
		}},
		"Template": {reason: "The claim's own volume.", kind: claim.KindContainer, spec: template, catalogue: of + blocks, want: map[string]string{
			"warning": "Image tank:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst: " + noTemplates,
		}},
		"OfCatalogue": {reason: "One of the catalogue.", kind: claim.KindContainer, spec: `{image: "kept"` + ct, catalogue: of + elsewhere, want: map[string]string{
			"warning": "Image kept: " + noTemplates,
		}},
		"Living": {reason: "Nobody needs the template again.", kind: claim.KindContainer, spec: template, catalogue: of + blocks, existing: Existing{Node: "pve"}},
		"Serves": {
			reason: "It does.", kind: claim.KindContainer, spec: template,
			catalogue: `{sites: {home: {network: {bridge: vmbr0}, nodes: {pve: {storages: {tank: [vztmpl], zfs: [rootdir]}, datastores: {disks: zfs}}}}}}`,
		},
		"Unlisted": {reason: "Nobody knows what it serves.", kind: claim.KindContainer, spec: template, catalogue: `{sites: {home: {network: {bridge: vmbr0}, nodes: {pve: {}}}}}`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := aClaim(t, tc.kind, tc.spec)

			got := map[string]string{}
			var faults field.ErrorList

			if c.Container != nil {
				var ct *machine.Container

				ct, faults = Container(c.Identity, *c.Container, c.Faults, aCatalog(t, tc.catalogue), tc.existing)
				for _, w := range ct.Warnings {
					if strings.HasPrefix(w, "Image ") {
						got["warning"] = w
					}
				}
			} else {
				_, faults = Claim(c, aCatalog(t, tc.catalogue), tc.existing)
			}

			for _, f := range faults {
				got[f.Field[strings.LastIndex(f.Field, ".")+1:]] = f.Detail
			}

			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHaveServeBesides: a datastore of disks alone is not told to serve files because its disks are to be of VMs, too.
func TestHaveServeBesides(t *testing.T) {
	const want = "Run `pvesm set tank --content images,rootdir` as root on the node, then add images to its storages in the catalogue"

	if got := haveServe("tank", []string{"rootdir"}, contentDisks, contentImport, contentSnippets); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
