package catalog

import (
	"strings"
	"testing"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
)

func TestImageDoubts(t *testing.T) {
	const sum = "sha256:00"

	no := false

	cases := map[string]struct {
		reason string
		image  catalogue.Image
		want   []string
	}{
		"Ubuntu":      {reason: "A dated build.", image: catalogue.Image{URL: "https://cloud-images.ubuntu.com/noble/20260926/noble-server-cloudimg-amd64.img", Checksum: sum}},
		"Debian":      {reason: "For any cloud.", image: catalogue.Image{URL: "https://cloud.debian.org/images/cloud/trixie/20260901-1/debian-13-genericcloud-amd64-20260901-1.qcow2", Checksum: sum}},
		"Alpine":      {reason: "nocloud is cloud-init's name for such a drive.", image: catalogue.Image{URL: "https://x.org/nocloud_alpine-3.22.0-x86_64-bios-cloudinit-r0.qcow2"}},
		"Arm":         {reason: "Another processor's.", image: catalogue.Image{URL: "https://x.org/noble-server-cloudimg-arm64.img?x=1"}, want: []string{"the file is for processors of arm64"}},
		"ArmVolume":   {reason: "A file on the node is told by its name, too.", image: catalogue.Image{Volume: "local:import/Fedora-Cloud-Base-Generic-42.aarch64.qcow2"}, want: []string{"the file is for processors of aarch64"}},
		"ArmFolder":   {reason: "As images.linuxcontainers.org has them.", image: catalogue.Image{URL: "https://x.org/images/debian/trixie/arm64/cloud/20260926/disk.qcow2"}, want: []string{"the file is for processors of arm64"}},
		"ArmMirror":   {reason: "A folder of another name.", image: catalogue.Image{URL: "https://x.org/arm64-and-amd64/noble.img"}},
		"ArmWord":     {reason: "It is part of another word.", image: catalogue.Image{URL: "https://x.org/alarm64bit.qcow2"}},
		"NoCloudInit": {reason: "Nobody can log in.", image: catalogue.Image{URL: "https://x.org/debian-13-nocloud-amd64.qcow2"}, want: []string{"Debian's nocloud images have no cloud-init"}},
		"SaidSo":      {reason: "The catalogue knows.", image: catalogue.Image{URL: "https://x.org/debian-13-nocloud-amd64.qcow2", CloudInit: &no}},
		"Azure":       {reason: "It looks elsewhere for its data.", image: catalogue.Image{URL: "https://x.org/Rocky-9-Azure-Base.latest.x86_64.qcow2"}, want: []string{"the file is built for azure"}},
		"Moving":      {reason: "The checksum holds until the next build.", image: catalogue.Image{URL: "https://x.org/noble/current/noble.img", Checksum: sum}, want: []string{"the address serves another file with each build"}},
		"MovingName":  {reason: "As Rocky Linux names it.", image: catalogue.Image{URL: "https://x.org/Rocky-9-GenericCloud.latest.x86_64.qcow2", Checksum: sum}, want: []string{"the address serves another file with each build"}},
		"MovingFree":  {reason: "Nothing is held against it.", image: catalogue.Image{URL: "https://x.org/noble/current/noble.img"}},
		"Template":    {reason: "It has no file.", image: catalogue.Image{Template: 9000}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Image{Image: tc.image}.Doubts()

			same := len(got) == len(tc.want)
			for i := range tc.want {
				same = same && strings.HasPrefix(got[i], tc.want[i])
			}

			if !same {
				t.Errorf("%s\ngot  %q\nwant %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestTemplateDoubts(t *testing.T) {
	cases := map[string]struct {
		reason string
		image  catalogue.Image
		want   []string
	}{
		"Proxmox":   {reason: "As pveam has it.", image: catalogue.Image{URL: "http://x.org/system/debian-12-standard_12.7-1_amd64.tar.zst", Checksum: "sha256:00"}},
		"Arm":       {reason: "Another processor's.", image: catalogue.Image{URL: "http://x.org/system/debian-12-standard_12.7-1_arm64.tar.zst"}, want: []string{"the template is for processors of arm64"}},
		"ArmFolder": {reason: "As images.linuxcontainers.org has them.", image: catalogue.Image{URL: "https://x.org/images/debian/trixie/arm64/default/20260926/rootfs.tar.xz"}, want: []string{"the template is for processors of arm64"}},
		"ArmVolume": {reason: "A file on the node.", image: catalogue.Image{Volume: "local:vztmpl/alpine-3.22-default_20250617_arm64.tar.xz"}, want: []string{"the template is for processors of arm64"}},
		"Moving":    {reason: "The checksum holds until the next build.", image: catalogue.Image{URL: "https://x.org/noble/current/noble-root.tar.xz", Checksum: "sha256:00"}, want: []string{"the address serves another file with each build"}},
		"Cloud":     {reason: "No container has cloud-init.", image: catalogue.Image{URL: "https://x.org/noble-azure-root.tar.xz"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Image{Image: tc.image}.TemplateDoubts()

			same := len(got) == len(tc.want)
			for i := range min(len(got), len(tc.want)) {
				same = same && strings.HasPrefix(got[i], tc.want[i])
			}

			if !same {
				t.Errorf("%s\ngot  %q\nwant %q", tc.reason, got, tc.want)
			}
		})
	}
}
