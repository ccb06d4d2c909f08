package catalog

import (
	"cmp"
	"path"
	"strings"
	"testing"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
)

func TestImageDoubts(t *testing.T) {
	const sum = "sha256:00"

	no, yes := false, true

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
		"ArchBasic":   {reason: "So it is here.", image: catalogue.Image{URL: "https://x.org/Arch-Linux-x86_64-basic-20260901.1.qcow2"}, want: []string{"basic images of Arch Linux have no cloud-init"}},
		"ArchCloud":   {reason: "It has it.", image: catalogue.Image{URL: "https://x.org/Arch-Linux-x86_64-cloudimg-20260901.1.qcow2"}},
		"SUSE":        {reason: "A wizard waits at the console.", image: catalogue.Image{Volume: "local:import/openSUSE-Leap-15.6-Minimal-VM.x86_64-kvm-and-xen.qcow2"}, want: []string{"kvm-and-xen images of SUSE are set up at their console"}},
		"SUSECloud":   {reason: "It has it.", image: catalogue.Image{URL: "https://x.org/openSUSE-Leap-15.6-Minimal-VM.x86_64-Cloud.qcow2"}},
		"Fedora":      {reason: "The server's image, which is no cloud's.", image: catalogue.Image{URL: "https://x.org/Fedora-Server-Guest-Generic-43-1.6.x86_64.qcow2"}, want: []string{"images of Fedora Server are set up at their console"}},
		"FedoraCloud": {reason: "It has it.", image: catalogue.Image{URL: "https://x.org/Fedora-Cloud-Base-Generic-43-1.6.x86_64.qcow2"}},
		"Kali":        {reason: "For a desktop, unpacked.", image: catalogue.Image{Volume: "local:import/kali-linux-2026.2-qemu-amd64.qcow2"}, want: []string{"images of Kali for desktops have no cloud-init"}},
		"Gentoo":      {reason: "One of the two that there are.", image: catalogue.Image{URL: "https://x.org/di-amd64-console-20260907T165007Z.qcow2"}, want: []string{"console images of Gentoo have no cloud-init"}},
		"GentooCloud": {reason: "The other one.", image: catalogue.Image{URL: "https://x.org/di-amd64-cloudinit-20260907T165007Z.qcow2"}},
		"FreeBSD":     {reason: "The plain one.", image: catalogue.Image{URL: "https://x.org/FreeBSD-14.3-RELEASE-amd64-zfs.qcow2"}, want: []string{"this image of FreeBSD has no cloud-init"}},
		"FreeBSDInit": {reason: "It reads a part of the drive.", image: catalogue.Image{URL: "https://x.org/FreeBSD-14.3-RELEASE-amd64-BASIC-CLOUDINIT-ufs.qcow2"}, want: []string{"nuageinit of FreeBSD"}},
		"AlpineTiny":  {reason: "No Python, and no cloud-init.", image: catalogue.Image{URL: "https://x.org/nocloud_alpine-3.22.0-x86_64-bios-tiny-r0.qcow2"}, want: []string{"tiny images of Alpine have tiny-cloud"}},
		"Appliance":   {reason: "Nothing of a claim reaches it.", image: catalogue.Image{URL: "https://x.org/haos_ova-15.0.qcow2"}, want: []string{"it is an appliance with a setup of its own"}},
		"Rebuilt":     {reason: "Somebody has put it in, and says so.", image: catalogue.Image{URL: "https://x.org/opnsense-25.7-cloudinit.qcow2"}},
		"RebuiltToo":  {reason: "The catalogue says so.", image: catalogue.Image{URL: "https://x.org/openwrt-24.10-x86-64.img", CloudInit: &yes}},
		"OtherName":   {reason: "No router of MikroTik.", image: catalogue.Image{URL: "https://x.org/chr-lab-base.qcow2"}},
		"Installer":   {reason: "It has none, and needs none.", image: catalogue.Image{Volume: "local:iso/OPNsense-25.7-dvd-amd64.iso"}},
		"SaidSoToo":   {reason: "The catalogue knows.", image: catalogue.Image{URL: "https://x.org/haos_ova-15.0.qcow2", CloudInit: &no}},
		"SaidSo":      {reason: "The catalogue knows.", image: catalogue.Image{URL: "https://x.org/debian-13-nocloud-amd64.qcow2", CloudInit: &no}},
		"Azure":       {reason: "It looks elsewhere for its data.", image: catalogue.Image{URL: "https://x.org/Rocky-9-Azure-Base.latest.x86_64.qcow2"}, want: []string{"the file is built for azure"}},
		"LVM":         {reason: "Its root stays as small as it is.", image: catalogue.Image{URL: "https://x.org/Rocky-9-GenericCloud-LVM-9.7-20260926.0.x86_64.qcow2", Checksum: sum}, want: []string{"its root is on LVM"}},
		"NoLVM":       {reason: "Its root grows.", image: catalogue.Image{URL: "https://x.org/Rocky-9-GenericCloud-Base-9.7-20260926.0.x86_64.qcow2", Checksum: sum}},
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

// TestPackedDisks: an archive with the disk of a VM is no container template, whatever its extension.
func TestPackedDisks(t *testing.T) {
	cases := map[string]struct {
		reason   string
		image    catalogue.Image
		template bool
		want     string // The fault of a VM.
	}{
		"Debian":   {"As Debian has it beside the .qcow2.", catalogue.Image{URL: "https://x.org/debian-13-generic-amd64-20260901-1.tar.xz"}, false, "unpack the file (tar -xf)"},
		"Kali":     {"It has no other one.", catalogue.Image{URL: "https://x.org/kali-linux-2026.2-cloud-genericcloud-amd64.tar.xz"}, false, "unpack the file (tar -xf)"},
		"Ubuntu":   {"Disk and kernel.", catalogue.Image{URL: "https://x.org/noble-server-cloudimg-amd64.tar.gz"}, false, "unpack the file (tar -xf)"},
		"Inside":   {"The name says what is in it.", catalogue.Image{URL: "https://x.org/mine.raw.tar.zst"}, false, "unpack the file (tar -xf)"},
		"FileName": {"The name that the node gives it.", catalogue.Image{URL: "https://x.org/dl", FileName: "mine.qcow2.tar.gz"}, false, "unpack the file (tar -xf)"},
		"Root":     {"Ubuntu's root file system is a template.", catalogue.Image{URL: "https://x.org/noble-server-cloudimg-amd64-root.tar.xz"}, true, "is a container template"},
		"RootOwn":  {"And one that somebody calls so.", catalogue.Image{URL: "https://x.org/debian-13-generic-amd64-rootfs.tar.xz"}, true, "is a container template"},
		"LXC":      {"Or so.", catalogue.Image{URL: "https://x.org/debian-12-generic-amd64-lxc.tar.gz"}, true, "is a container template"},
		"Daily":    {"Debian's of each day.", catalogue.Image{URL: "https://x.org/debian-sid-genericcloud-amd64-daily-20260901-2222.tar.xz"}, false, "unpack the file (tar -xf)"},
		"Proxmox":  {"And so is what pveam has.", catalogue.Image{URL: "https://x.org/debian-12-standard_12.7-1_amd64.tar.zst"}, true, "is a container template"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			i := Image{Image: tc.image}

			if why := NoTemplate("local:vztmpl/" + cmp.Or(tc.image.FileName, path.Base(tc.image.URL))); (why == "") != tc.template {
				t.Errorf("%s\nas a volume: %q", tc.reason, why)
			}

			_, faults := i.Download()
			if i.IsTemplate() != tc.template || len(faults) != 1 || !strings.Contains(faults[0].Detail, tc.want) {
				t.Errorf("%s\ngot  %t, %v\nwant %t, %q", tc.reason, i.IsTemplate(), faults, tc.template, tc.want)
			}
		})
	}
}

// TestNeedsV3: the processors that an image's programs are built for.
func TestNeedsV3(t *testing.T) {
	cases := map[string]struct {
		reason string
		image  catalogue.Image
		want   bool
	}{
		"Rocky":      {"As Rocky Linux names it.", catalogue.Image{URL: "https://x.org/Rocky-10-GenericCloud-Base-10.0-20250609.1.x86_64.qcow2"}, true},
		"RockyMoves": {"Without a date.", catalogue.Image{URL: "https://x.org/Rocky-10-GenericCloud.latest.x86_64.qcow2"}, true},
		"Alma":       {"As AlmaLinux names it.", catalogue.Image{URL: "https://x.org/AlmaLinux-10-GenericCloud-10.0-20250528.0.x86_64.qcow2"}, true},
		"AlmaV2":     {"Its image for older processors.", catalogue.Image{URL: "https://x.org/AlmaLinux-10-GenericCloud-10.0-20250528.0.x86_64_v2.qcow2"}, false},
		"CentOS":     {"The release comes later in the name.", catalogue.Image{URL: "https://x.org/CentOS-Stream-GenericCloud-10-20250520.0.x86_64.qcow2"}, true},
		"RHEL":       {"A file on the node.", catalogue.Image{Volume: "local:import/rhel-10.0-x86_64-kvm.qcow2"}, true},
		"Oracle":     {"As Oracle names it.", catalogue.Image{URL: "https://x.org/OL10U0_x86_64-kvm-b266.qcow2"}, true},
		"Level":      {"A build of a distribution for newer processors.", catalogue.Image{URL: "https://x.org/ubuntu-25.10-server-cloudimg-amd64v3.img"}, true},
		"RockyOlder": {"It needs v2.", catalogue.Image{URL: "https://x.org/Rocky-9-GenericCloud-Base-9.6-20250531.0.x86_64.qcow2"}, false},
		"RockyMinor": {"10 is no release of its own there.", catalogue.Image{URL: "https://x.org/Rocky-8-GenericCloud-Base-8.10-20240528.0.x86_64.qcow2"}, false},
		"Debian":     {"It boots on any.", catalogue.Image{URL: "https://x.org/debian-10-genericcloud-amd64.qcow2"}, false},
		"Template":   {"It has no file.", catalogue.Image{Template: 9000}, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (Image{Image: tc.image}).NeedsV3(); got != tc.want {
				t.Errorf("%s\ngot  %t\nwant %t", tc.reason, got, tc.want)
			}
		})
	}
}

// TestReadOnlyRoot: images into which nobody writes programs.
func TestReadOnlyRoot(t *testing.T) {
	cases := map[string]struct {
		reason string
		image  catalogue.Image
		want   bool
	}{
		"MicroOS":   {"As openSUSE names it.", catalogue.Image{URL: "https://x.org/openSUSE-MicroOS.x86_64-OpenStack-Cloud.qcow2"}, true},
		"LeapMicro": {"The same, of Leap.", catalogue.Image{URL: "https://x.org/openSUSE-Leap-Micro.x86_64-Default-qcow.qcow2"}, true},
		"SLMicro":   {"And of SUSE.", catalogue.Image{Volume: "local:import/SL-Micro.x86_64-6.1-Default-qcow-GM.qcow2"}, true},
		"Leap":      {"It is an ordinary system.", catalogue.Image{URL: "https://x.org/openSUSE-Leap-15.6-Minimal-VM.x86_64-Cloud.qcow2"}, false},
		"Micro":     {"Another word.", catalogue.Image{URL: "https://x.org/microservice-debian.qcow2"}, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (Image{Image: tc.image}).ReadOnlyRoot(); got != tc.want {
				t.Errorf("%s\ngot  %t\nwant %t", tc.reason, got, tc.want)
			}
		})
	}
}

// TestSetUpOtherwise: images that do nothing of what a cloud-config and units of systemd say.
func TestSetUpOtherwise(t *testing.T) {
	cases := map[string]struct {
		reason string
		image  catalogue.Image
		want   string // From its beginning.
		deaf   bool
	}{
		"Factory":     {"The file's name does not say it.", catalogue.Image{URL: "https://factory.talos.dev/image/37/v1.9.1/nocloud-amd64.raw"}, "Talos", true},
		"Release":     {"Nor does it on GitHub.", catalogue.Image{URL: "https://github.com/siderolabs/talos/releases/download/v1.9.1/nocloud-amd64.raw"}, "Talos", true},
		"TalosVolume": {"A file on the node.", catalogue.Image{Volume: "local:import/talos-1.9.raw"}, "Talos", true},
		"Flatcar":     {"As Flatcar names it.", catalogue.Image{URL: "https://x.org/flatcar_production_proxmoxve_image.img"}, "it takes Ignition", false},
		"CoreOS":      {"As Fedora names it.", catalogue.Image{URL: "https://x.org/fedora-coreos-42.20250609.3.0-proxmoxve.x86_64.qcow2"}, "it takes Ignition", true},
		"Alpine":      {"As Alpine names it.", catalogue.Image{URL: "https://x.org/nocloud_alpine-3.22.0-x86_64-bios-cloudinit-r0.qcow2"}, "Alpine", false},
		"Fedora":      {"It has both.", catalogue.Image{URL: "https://x.org/Fedora-Cloud-Base-Generic-42-1.1.x86_64.qcow2"}, "", false},
		"Template":    {"It has no file.", catalogue.Image{Template: 9000}, "", false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, deaf := Image{Image: tc.image}.SetUpOtherwise()
			if !strings.HasPrefix(got, tc.want) || (got == "") != (tc.want == "") || deaf != tc.deaf {
				t.Errorf("%s\ngot  %q, %t\nwant %q, %t", tc.reason, got, deaf, tc.want, tc.deaf)
			}
		})
	}
}

// TestWindows: images of Windows, by their names.
func TestWindows(t *testing.T) {
	cases := map[string]struct {
		reason     string
		image      catalogue.Image
		is, eleven bool
	}{
		"Eleven":    {"As Microsoft names it.", catalogue.Image{Volume: "local:iso/Win11_24H2_English_x64.iso"}, true, true},
		"Written":   {"As people write it.", catalogue.Image{Volume: "local:iso/windows-11.iso"}, true, true},
		"Server":    {"An evaluation.", catalogue.Image{Volume: "local:iso/26100.1742.240906-0331.ge_release_svc_refresh_SERVER_EVAL_x64FRE_en-us.iso"}, true, false},
		"Volume":    {"For subscribers.", catalogue.Image{Volume: "local:iso/en-us_windows_server_2025_updated_x64_dvd.iso"}, true, false},
		"Built":     {"Somebody's own.", catalogue.Image{URL: "https://x.org/win2022.qcow2"}, true, false},
		"Drivers":   {"For Windows, which it is not.", catalogue.Image{Volume: "local:iso/virtio-win-0.1.271.iso"}, false, false},
		"OtherWord": {"It is part of one.", catalogue.Image{Volume: "local:iso/darwin11.iso"}, false, false},
		"Template":  {"It has no file.", catalogue.Image{Template: 9000}, false, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if is, eleven := (Image{Image: tc.image}).Windows(); is != tc.is || eleven != tc.eleven {
				t.Errorf("%s\ngot  %t, %t\nwant %t, %t", tc.reason, is, eleven, tc.is, tc.eleven)
			}
		})
	}
}
