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
		images map[string]any
		want   string // The fault; empty: the VM is created.
	}{
		"Another": {
			reason: "Who clones it reads its disks.",
			want:   "spec.image: |153 is the VMID of a VM of another claim of this Proxmox|Use an image of the catalogue",
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

				if tc.images != nil {
					b.Catalogue = world.Object(world.Copy(b.Catalogue))
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
