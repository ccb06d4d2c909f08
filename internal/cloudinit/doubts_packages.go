package cloudinit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// otherNames are packages by the names that other distributions have for them, and what Debian and Ubuntu call them.
var otherNames = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"iscsi-initiator-utils": "open-iscsi", "nfs-utils": "nfs-common", "bind-utils": "bind9-dnsutils", "vim-enhanced": "vim",
	"device-mapper-multipath": "multipath-tools",
	// Names that several packages provide, of which apt chooses none (actions/runner-images issue 11028), and packages that are gone.
	"netcat": "netcat-openbsd", "httpd": "apache2", "python": "python3", "python-pip": "python3-pip", "libgl1-mesa-glx": "libgl1",
	"openssh-clients": "openssh-client", "nmap-ncat": "ncat", "procps-ng": "procps", "shadow-utils": "passwd", "iputils": "iputils-ping",
}

// notPackaged are programs that Debian and Ubuntu have no package for, and where the packages are.
var notPackaged = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"docker-ce": "Docker's archive", "docker-ce-cli": "Docker's archive", "containerd.io": "Docker's archive",
	"docker-compose-plugin": "Docker's archive", "docker-buildx-plugin": "Docker's archive",
	"kubeadm": "Kubernetes' archive", "kubelet": "Kubernetes' archive", "helm": "Helm's archive", "tailscale": "Tailscale's archive",
	"terraform": "HashiCorp's archive",
}

// partsOfDebian are packages of Debian outside of main, the only part of its archive that its cloud images ask:
// https://packages.debian.org/trixie. Ubuntu's ask all.
var partsOfDebian = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"zfsutils-linux": "contrib", "zfs-dkms": "contrib", "zfs-initramfs": "contrib", "virtualbox-guest-utils": "contrib", "ttf-mscorefonts-installer": "contrib",
	"nvidia-driver": "non-free", "nvidia-kernel-dkms": "non-free", "nvidia-smi": "non-free", "unrar": "non-free", "snmp-mibs-downloader": "non-free",
	"firmware-linux": "non-free-firmware", "firmware-linux-nonfree": "non-free-firmware", "firmware-misc-nonfree": "non-free-firmware",
	"firmware-amd-graphics": "non-free-firmware",
	"firmware-realtek":      "non-free-firmware", "firmware-iwlwifi": "non-free-firmware", "intel-microcode": "non-free-firmware",
	"amd64-microcode": "non-free-firmware",
}

const noneInstalled = "cloud-init fails there, and older ones then install none of the list, the guest agent included"

// doubtsOfPackages are about packages that the archives of Debian and Ubuntu do not have. Nothing is said of other images.
func (g Guest) doubtsOfPackages(root, packages *yaml.Node) []Doubt {
	if g.Has == nil {
		return nil
	}

	var out []Doubt

	sources := lookup(lookup(root, "apt"), "sources") != nil || lookup(root, "apt_sources") != nil ||
		lookup(root, "bootcmd") != nil || lookup(root, keyWriteFiles) != nil

	for i, item := range items(packages) {
		name := item
		if parts := items(item); len(parts) > 0 {
			name = parts[0]
		}

		debian, other := otherNames[name.Value]
		from, missing := notPackaged[name.Value]
		part := partsOfDebian[name.Value]

		switch {
		case other:
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: packages[%d]: Debian and Ubuntu have no package %s: write %s. Otherwise %s", name.Line, i, name.Value, debian, noneInstalled)})
		case name.Value == "k3s":
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: packages[%d]: there is no package k3s: a K3sNode installs K3s. With it here, %s", name.Line, i, noneInstalled)})
		case part != "" && g.Default == "debian" && !sources:
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: packages[%d]: %s is in %s of Debian's archive, and the cloud images ask main alone: add "+
				"apt: {sources: {%s: {source: deb http://deb.debian.org/debian $RELEASE %s}}}. Otherwise %s", name.Line, i, name.Value, part, part, part, noneInstalled)})
		case missing && !sources:
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: packages[%d]: Debian and Ubuntu have no package %s, which is in %s: add that to apt.sources, with its key. Otherwise %s", name.Line, i, name.Value, from, noneInstalled)})
		}
	}

	return out
}

// trusts is an option of a source that says which key apt is to take, or that it is to take none.
var trusts = regexp.MustCompile(`\[[^\]]*(?:signed-by|trusted)=`)

// keyring is the file that a source names for its key. cloud-init replaces $KEY_FILE by the file that it writes (canonical/cloud-init issue 6345,
// woodpecker-ci/autoscaler pull request 154).
var keyring = regexp.MustCompile(`\[[^\]]*signed-by=(/[^\s\],]+)`)

// doubtsOfSources are about archives of packages without a key, which apt refuses, and archives of Ubuntu alone.
func (g Guest) doubtsOfSources(root, apt *yaml.Node) []Doubt {
	sources := lookup(apt, "sources")

	// A command of bootcmd may fetch the key, too, before apt looks for it.
	writes := func(file string) bool {
		return lookup(root, "bootcmd") != nil || slices.ContainsFunc(items(lookup(root, keyWriteFiles)), func(f *yaml.Node) bool {
			return orNothing(lookup(f, "path")).Value == file
		})
	}

	if sources == nil || sources.Kind != yaml.MappingNode {
		return nil
	}

	var out []Doubt

	for i := 0; i+1 < len(sources.Content); i += 2 {
		name, entry := sources.Content[i], sources.Content[i+1]
		source := lookup(entry, "source")

		if why := doubtOfSourceLine(source); why != "" {
			out = append(out, Doubt{Text: why})
		}

		known := lookup(entry, "key") != nil || lookup(entry, "keyid") != nil
		if file := keyring.FindStringSubmatch(orNothing(source).Value); known && file != nil && !writes(file[1]) {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: apt.sources: source names a file for its key that nobody writes, and cloud-init writes key and keyid elsewhere, so that apt installs nothing from it: "+
				"write signed-by=$KEY_FILE", source.Line)})
		}

		if source != nil && g.Default == "debian" && strings.HasPrefix(strings.TrimSpace(source.Value), "ppa:") {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: apt.sources: there are no PPAs for Debian, and cloud-init fails at one: take an archive that is built for Debian, or an image of Ubuntu", source.Line)})
		}

		if source == nil || known || trusts.MatchString(source.Value) || !strings.HasPrefix(strings.TrimSpace(source.Value), "deb") ||
			archiveOfImage.MatchString(source.Value) {
			continue
		}

		out = append(out, Doubt{Text: fmt.Sprintf("line %d: apt.sources: an archive without key or keyid is not trusted, so that apt installs nothing from it: add its key, and signed-by=$KEY_FILE in source", name.Line)})
	}

	return out
}

// doubtsOfProxies are about proxies without a scheme, which apt does not use: "Unsupported proxy configured" (apt, methods/http.cc).
func doubtsOfProxies(apt *yaml.Node) []Doubt {
	var out []Doubt

	for _, key := range []string{"proxy", "http_proxy", "https_proxy"} {
		proxy := lookup(apt, key)
		if proxy == nil || proxy.Tag != "!!str" || proxy.Value == "" || strings.EqualFold(proxy.Value, "direct") || strings.Contains(proxy.Value, "://") {
			continue
		}

		out = append(out, Doubt{Text: fmt.Sprintf("line %d: apt.%s: apt gives up at a proxy without a scheme, and installs nothing: write http:// before it", proxy.Line, key)})
	}

	return out
}

// Addresses of archives: one with a scheme, as of http://, file:/ and mirror+file:/, and that of a line of sources.list(5).
var (
	withScheme   = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*:/|^cdrom:`)
	lineOfSource = regexp.MustCompile(`^deb(?:-src)?\s+(?:\[[^\]]*\]\s+)?([^\s\[$]\S*)`)
)

// doubtsOfMirrors are about archives without a scheme: apt then reads none of its sources ("The list of sources could not be read").
func doubtsOfMirrors(apt *yaml.Node) []Doubt {
	var out []Doubt

	judge := func(key string, n *yaml.Node, address string) {
		if address != "" && !withScheme.MatchString(address) {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: apt.%s: apt reads no source at all where one has an address without a scheme, and installs nothing: write http:// before it", n.Line, key)})
		}
	}

	for _, key := range []string{"primary", "security"} {
		for _, mirror := range items(lookup(apt, key)) {
			for _, n := range append(items(lookup(mirror, "search")), orNothing(lookup(mirror, "uri"))) {
				judge(key, n, n.Value)
			}
		}
	}

	sources := orNothing(lookup(apt, "sources"))
	for i := 1; i < len(sources.Content) && sources.Kind == yaml.MappingNode; i += 2 {
		n := orNothing(lookup(sources.Content[i], "source"))
		if found := lineOfSource.FindStringSubmatch(strings.TrimSpace(n.Value)); found != nil {
			judge("sources", n, found[1])
		}
	}

	return out
}

// archiveOfImage are archives whose keys images have, and what is probably a mirror of one.
var archiveOfImage = regexp.MustCompile(`\$(?:MIRROR|PRIMARY|SECURITY)|(?:debian\.org|ubuntu\.com)/|/(?:debian|ubuntu)/?\s+\S+\s+main\b`)

// isOff says whether a mode of growpart is that which grows nothing.
func isOff(mode *yaml.Node) bool { return mode.Value == "off" || mode.Value == "false" }

// otherFamilies are modules of cloud-init that Debian and Ubuntu do not run, and what to do there.
var otherFamilies = map[string]string{ //nolint:gochecknoglobals // A constant table: the distros of cloudinit/config/cc_*.py.
	"resolv_conf": "set spec.network.dns and spec.network.searchDomains", "manage_resolv_conf": "set spec.network.dns and spec.network.searchDomains",
	"yum_repos": "use apt", "yum_repo_dir": "use apt", "zypper": "use apt", "apk_repos": "use apt", "rh_subscription": "remove it",
}

// doubtOfModule is about a key that does nothing on Debian and Ubuntu, or keeps the boot disk from having its size; empty for any other key.
func (g Guest) doubtOfModule(root *yaml.Node, key string, value *yaml.Node) string {
	instead, other := otherFamilies[key]
	mode := lookup(value, "mode")

	switch off := value.Value == "false" || value.Value == "no" || value.Value == "off"; {
	case key == "timezone" && g.Has != nil:
		return doubtOfZone(value)
	case key == "snap" && g.Default == "debian" && len(orNothing(lookup(value, "commands")).Content) > 0 && !anyCommand(root, containing("snap"), "bootcmd"):
		return "snap finds no program snap, which images of Debian do not have, and comes before packages: write apt-get install -y snapd and the commands into runcmd, or take an image of Ubuntu"
	case other && g.Has != nil && !off:
		return key + " has no effect on Debian and Ubuntu: " + instead
	case key == "resize_rootfs" && off, key == "growpart" && mode != nil && isOff(mode):
		return key + " leaves the root file system as small as the image's, whatever spec.size.disk says: remove it"
	}

	return ""
}

//nolint:gochecknoglobals // Constants.
var (
	variable     = regexp.MustCompile(`\$\(|` + "`" + `|\$\{?([A-Za-z_][A-Za-z0-9_.]*)\}?`)
	ofSourceLine = []string{"RELEASE", "MIRROR", "PRIMARY", "SECURITY", "KEY_FILE"} // add_apt_sources of cloudinit/config/cc_apt_configure.py.
)

// doubtOfSourceLine says that a source of packages has what a shell would fill in, and cloud-init does not; empty for none.
func doubtOfSourceLine(source *yaml.Node) string {
	for _, found := range variable.FindAllStringSubmatch(orNothing(source).Value, -1) {
		if !slices.Contains(ofSourceLine, found[1]) {
			return fmt.Sprintf("line %d: apt.sources: source has what a shell fills in, and cloud-init fills in $RELEASE, $MIRROR and $KEY_FILE alone, so that apt finds nothing there: write $RELEASE for the release of the image", source.Line)
		}
	}

	return ""
}
