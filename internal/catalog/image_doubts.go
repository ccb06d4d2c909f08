package catalog

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

var (
	otherProcessor = regexp.MustCompile(`(?:^|[-_.])(arm64|aarch64|armhf|armv7l?|ppc64el|ppc64le|s390x|riscv64)(?:[-_.]|$)`)
	otherCloud     = regexp.MustCompile(`[-_.](azure|ec2|amazonec2|aws|gce|gcp|hyperv|vagrant)(?:[-_.]|$)`)
	// Distributions that are built for x86-64-v3, by their images' names: those of the family of RHEL 10, of which AlmaLinux has a second image for v2, and
	// what has the level in its name.
	forV3   = regexp.MustCompile(`^(?:rocky|almalinux|centos-stream|rhel|ol)-?(?:[a-z]+-)*10(?:[-._u]|$)|(?:amd64|x86[-_]64)[-_]?v3`)
	forV2   = regexp.MustCompile(`(?:amd64|x86[-_]64)[-_]?v2`)
	ofTalos = regexp.MustCompile(`[/:.]talos[-_./]`) // Of an address, whose host it may be, or a volume.
	// Kernels of images for clouds: of Debian's genericcloud, which is without drivers for physical hardware by its own page, and of Ubuntu, whose package
	// linux-modules-extra is not installed (strongtz/i915-sriov-dkms issue 418).
	genericCloud = regexp.MustCompile(`^debian-[0-9a-z]+-genericcloud-`)
	cloudImage   = regexp.MustCompile(`-(?:server|minimal)-cloudimg-`)
	forIgnition  = regexp.MustCompile(`^(?:flatcar_|fedora-coreos-|rhcos-|scos-)`)
	// Of these, Flatcar does a part of a cloud-config, and the others nothing: coreos/ignition pull request 1844, coreos/fedora-coreos-tracker issue 1652.
	ofFlatcar = regexp.MustCompile(`^flatcar_`)
	// Windows, as Microsoft names the files of its installers and people those of their images.
	ofWindows   = regexp.MustCompile(`(?:^|[-_.])(?:win(?:dows)?[-_]?(?:10|11|20[0-9]{2}|server)|server_eval)(?:[-_.]|$)`)
	ofWindows11 = regexp.MustCompile(`(?:^|[-_.])win(?:dows)?[-_]?11(?:[-_.]|$)`)
	// Images whose root is read-only, and changes with a transactional update and a restart only.
	readOnlyRoot = regexp.MustCompile(`(?:^|[-_])(?:microos|leap-micro|sl-micro|sle-micro)(?:[-_.]|$)`)
	// Images whose systemd keeps cgroups of version 1 unless the kernel's command line says otherwise: NVIDIA/OpenShell pull request 360.
	ofFirstCgroups = regexp.MustCompile(`^(?:rocky|almalinux|centos|rhel|ol)-?(?:[a-z]+-)*[78](?:[-._u]|$)|` +
		`^(?:ubuntu-(?:18\.04|20\.04)|bionic|focal)-|^debian-(?:9|10)-`)
	// Images whose root is in a volume group: cloud-init grows the partition, and neither the volume nor its file system
	// (https://docs.cloud-init.io/en/latest/reference/modules.html, Growpart; canonical/cloud-init issue 3265).
	onLVM = regexp.MustCompile(`(?:^|[-_.])lvm(?:[-_.]|$)`)
	// Images with a kernel before 5.13.
	ofOldKernel = regexp.MustCompile(`^debian-11-`)
	forOpenRC   = regexp.MustCompile(`(?:^|[-_])alpine[-_]`)
	// Images for one of the two firmwares alone, by the words that Alpine, Fedora's unified kernels and others have in their names, and Home Assistant OS.
	forUEFI = regexp.MustCompile(`(?:^|[-_.])uefi(?:[-_.]|$)|^haos_ova-`)
	forBIOS = regexp.MustCompile(`(?:^|[-_.])bios(?:[-_.]|$)`)
	// Images whose boot loader nobody signed whose keys Proxmox enrols, Microsoft and the distributions': lxc/lxc-ci issue 176 (Alpine), rancher/k3os issue
	// 792 (Home Assistant OS). Talos signs a second image, with keys of its own.
	unsigned = regexp.MustCompile(`(?:^|[-_])alpine[-_]|^arch-linux-|^haos_ova-|^(?:free|open|net)bsd-|^(?:opnsense|pfsense|openwrt|cirros|chr|void)-|^nixos[-_.]`)
	// A movingURL is one at which distributions serve another file with each build.
	movingURL = regexp.MustCompile(`(?:/(?:current|latest|daily)/|[-_.]latest[-_.])`)
	// FreeBSD's own program for cloud-init's drive reads version 2 of its network configuration, and Proxmox writes version 1.
	ofNuageinit = regexp.MustCompile(`^freebsd-.+-cloudinit[-.]`)
	withInit    = regexp.MustCompile(`cloud-?init|cloudbase`)
)

// withoutInit are the images that do nothing, or not all, of what cloud-init is to do, by the names of their files, and the file to take in their place.
var withoutInit = []struct { //nolint:gochecknoglobals // A constant table.
	name          *regexp.Regexp
	what, instead string
}{
	{regexp.MustCompile(`^debian-[0-9a-z]+-nocloud-`), "Debian's nocloud images have no cloud-init", "take generic or genericcloud in its place"},
	{regexp.MustCompile(`^arch-linux-x86_64-basic-`), "basic images of Arch Linux have no cloud-init", "take cloudimg in its place"},
	// harvester/docs pull request 494: all variants but Cloud are set up at the console.
	{regexp.MustCompile(`-kvm-and-xen[-.]`), "kvm-and-xen images of SUSE are set up at their console, and have no cloud-init", "take Cloud in its place"},
	{
		regexp.MustCompile(`^fedora-server-(?:kvm|guest)-`), "images of Fedora Server are set up at their console, and have no cloud-init",
		"take Fedora-Cloud-Base-Generic in its place",
	},
	{
		regexp.MustCompile(`^kali-linux-.+-(?:qemu|vmware|virtualbox|hyperv)-`), "images of Kali for desktops have no cloud-init",
		"take cloud-genericcloud in its place",
	},
	{regexp.MustCompile(`^di-amd64-console-`), "console images of Gentoo have no cloud-init", "take di-amd64-cloudinit in its place"},
	{
		regexp.MustCompile(`^freebsd-.+-(?:release|stable|current)-amd64(?:-basic-ci)?(?:-(?:ufs|zfs))?\.`),
		"this image of FreeBSD has no cloud-init", "take BASIC-CLOUDINIT in its place",
	},
	{
		regexp.MustCompile(`(?:^|[-_])alpine[-_].+-tiny(?:-|\.)`), "tiny images of Alpine have tiny-cloud, which does little of what cloud-init does",
		"take the file with cloudinit in its name",
	},
	{regexp.MustCompile(`^(?:haos_|opnsense|pfsense|openwrt|chr-[0-9])`), "it is an appliance with a setup of its own, and has no cloud-init", "set it up at its console"},
}

// Doubts are what the name of an image's file says about VMs with it: that they do not boot, or that nobody can log in. They are told by conventions of
// distributions, so that somebody may know better.
func (i Image) Doubts() []string {
	address, name := i.file()

	var out []string

	why := deaf(name)

	if processor := otherProcessorOf(address, name); processor != "" {
		out = append(out, "the file is for processors of "+processor+": a VM of a Proxmox node with another one does not boot it. For Intel and AMD, take the file for amd64 or x86_64")
	}

	switch parts := otherCloud.FindStringSubmatch(name); {
	case i.CloudInit != nil, path.Ext(name) == ".iso": // The catalogue says so itself; and an installer has none, which nobody has to say.
	case why != "":
		out = append(out, why)
	case ofNuageinit.MatchString(name):
		out = append(out, "nuageinit of FreeBSD does not read the network's configuration as Proxmox writes it: the machine takes an address over DHCP, whatever the claim says")
	case parts != nil:
		out = append(out, "the file is built for "+parts[1]+", and its cloud-init may not look at the drive that Proxmox has for it: take the file for any cloud, such as generic or genericcloud")
	}

	if onLVM.MatchString(name) {
		out = append(out, "its root is on LVM, which cloud-init does not grow: the guest keeps the image's few GiB however large its disk is. Take the image without LVM, "+
			"such as GenericCloud-Base, or grow the volume with runcmd in bootstrap.userData (lvextend --resizefs)")
	}

	return append(out, i.moves(address)...)
}

// deaf says of the name of a file in lower case that a VM with it is not set up by cloud-init, and what to do; empty where nothing is known.
func deaf(name string) string {
	for _, i := range withoutInit {
		// Somebody has built one with it where its name says so.
		if i.name.MatchString(name) && !withInit.MatchString(name) {
			return i.what + ", so that a machine has neither its address nor its account: " + i.instead + ", or set cloudInit: false"
		}
	}

	return ""
}

// TemplateDoubts are what the name of a container template's file says about containers made of it: that they do not start.
func (i Image) TemplateDoubts() []string {
	address, name := i.file()

	var out []string

	if processor := otherProcessorOf(address, name); processor != "" {
		out = append(out, "the template is for processors of "+processor+": a container has those of its node, and does not start on another one (Exec format error). For Intel and AMD, take the file for amd64")
	}

	return append(out, i.moves(address)...)
}

// file is the path of an image's address, and the name of its file in lower case.
func (i Image) file() (address, name string) {
	if u, err := url.Parse(i.URL); err == nil {
		address = u.Path
	}

	return address, strings.ToLower(path.Base(cmp.Or(address, i.Volume)))
}

// NeedsV3 says of an image, by the name of its file, that its programs are built for processors of x86-64-v3: its first program ends on any other one, and the
// kernel with it (VirtualBox/virtualbox issue 642, ublue-os/cayo issue 88).
func (i Image) NeedsV3() bool {
	_, name := i.file()

	return forV3.MatchString(name) && !forV2.MatchString(name)
}

// Driverless says of an image, by the name of its file, why its guest may have no driver for a device that is passed through, and how it gets one. words are
// those of a user-data that knows it. All are empty where nothing is known.
func (i Image) Driverless() (why, remedy string, words []string) {
	_, name := i.file()

	switch {
	case genericCloud.MatchString(name):
		return "genericcloud images of Debian are without drivers for physical hardware", "Take Debian's generic image in place of genericcloud", []string{"linux-image-"}
	case cloudImage.MatchString(name):
		return "images of Ubuntu for clouds are without linux-modules-extra, in which are those of GPUs such as i915 and of serial sticks",
			"Write packages: [linux-generic] in spec.bootstrap.userData, and restart the machine once with spec.lifecycle.reboot", []string{"linux-generic", "linux-image-generic", "linux-modules-extra", "nvidia"}
	}

	return "", "", nil
}

// Windows says of an image, by the name of its file, that it is one of Windows, and that it is Windows 11.
func (i Image) Windows() (is, eleven bool) {
	_, name := i.file()

	return ofWindows.MatchString(name), ofWindows11.MatchString(name)
}

// SetUpOtherwise says of an image, by the name of its file, why a first boot that needs commands of cloud-init and systemd does not happen; empty where
// nothing is known against it. An image that is deaf reads nothing of a cloud-config at all.
func (i Image) SetUpOtherwise() (why string, deaf bool) {
	_, name := i.file()

	switch {
	case ofTalos.MatchString(strings.ToLower(i.URL + i.Volume)): // siderolabs/talos issue 12814.
		return "Talos takes its own configuration, as a file of bootstrap.snippets.userData of a Machine, and no cloud-config", true
	case forIgnition.MatchString(name): // flatcar/Flatcar issue 1040, kubermatic/operating-system-manager pull request 272.
		return "it takes Ignition, as a file of bootstrap.snippets.userData of a Machine, and runs no commands of a cloud-config", !ofFlatcar.MatchString(name)
	case forOpenRC.MatchString(name): // k3s-io/k3s-ansible issue 463.
		return "Alpine has OpenRC, and no systemd", false
	}

	return "", false
}

// Starts says of an image, by the name of its file, which firmware alone it starts with, and whether Secure Boot refuses its boot loader. Empty and false where
// nothing is known.
func (i Image) Starts() (with string, refused bool) {
	_, name := i.file()

	switch uefi, bios := forUEFI.MatchString(name), forBIOS.MatchString(name); {
	case uefi && !bios:
		with = v1alpha1.FirmwareUEFI
	case bios && !uefi:
		with = v1alpha1.FirmwareBIOS
	}

	return with, unsigned.MatchString(name) || ofTalos.MatchString(strings.ToLower(i.URL+i.Volume))
}

// ReadOnlyRoot says of an image, by the name of its file, that its root is read-only: K3s' programs, which the first boot writes into /usr/local/bin, may find
// no place (kubernetes-sigs/kubespray pull request 13449), and what SELinux lets them do comes with a transactional update and a restart (k3s-io/k3s issue
// 5191).
func (i Image) ReadOnlyRoot() bool {
	_, name := i.file()

	return readOnlyRoot.MatchString(name)
}

// FirstCgroups says of an image, by the name of its file, that its processes are in cgroups of version 1, without which the kubelet starts no more since
// Kubernetes v1.35.
func (i Image) FirstCgroups() bool {
	_, name := i.file()

	return ofFirstCgroups.MatchString(name)
}

// OldKernel says of an image, by the name of its file, that its kernel is older than 5.13, which kube-proxy needs for nftables.
func (i Image) OldKernel() bool {
	_, name := i.file()

	return ofOldKernel.MatchString(name) || ofFirstCgroups.MatchString(name)
}

// otherProcessorOf is the processor that is neither Intel's nor AMD's and that the name of an image's file has, or a folder of its address, as
// images.linuxcontainers.org has them; empty for none.
func otherProcessorOf(address, name string) string {
	if parts := otherProcessor.FindStringSubmatch(name); parts != nil {
		return parts[1]
	}

	for folder := range strings.SplitSeq(strings.ToLower(path.Dir(address)), "/") {
		if parts := otherProcessor.FindStringSubmatch(folder); parts != nil && parts[0] == folder {
			return folder
		}
	}

	return ""
}

// moves says that an address serves another file with each build, to an image with a checksum.
func (i Image) moves(address string) []string {
	if i.Checksum == "" || !movingURL.MatchString(strings.ToLower(address)) {
		return nil
	}

	return []string{"the address serves another file with each build of the distribution, which then has another checksum: no further node can download it. Take the address of a dated build"}
}
