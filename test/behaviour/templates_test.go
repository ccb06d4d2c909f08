package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestTemplateOfAnotherClaim: a VM that another claim has is nobody's template, unless the catalogue says so.
func TestTemplateOfAnotherClaim(t *testing.T) {
	cases := map[string]struct {
		reason string
		open   bool // Whether the site lets claims name any VMID.
		images map[string]any
		want   string // The fault; empty: the VM is created.
	}{
		"Unnamed": {
			reason: "It may be anybody's.",
			want:   "spec.image: |no image of the catalogue is template 153|images: {my-template: {template: 153}}",
		},
		"Another": {
			reason: "Who clones it reads its disks.", open: true,
			want: "spec.image: |153 is the VMID of a VM of another claim of this Proxmox|Use an image of the catalogue",
		},
		"Named": {reason: "The platform's word.", images: map[string]any{"template": float64(153), "templateDisk": "virtio0"}},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				a, b := two(t, in)
				a.restAlone()

				delete(world.Object(b.Spec()["proxmox"]), "vmId")
				delete(b.Spec(), "nix")
				b.Spec()["image"] = "153"

				b.Catalogue = world.Object(world.Copy(b.Catalogue))
				if tc.open {
					b.SetSite("home", "images", "Open")
				}

				if tc.images != nil {
					world.Object(world.Object(b.Catalogue["data"])["images"])["of-a"] = tc.images
				}

				if tc.want != "" {
					b.refused(b.Call(), strings.Split(tc.want, "|")...)
					return
				}

				b.says(b.Rest(), map[string]string{"MachineReady": "Running"})
			})
		}
	}
}
