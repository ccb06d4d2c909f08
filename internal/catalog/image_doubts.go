package catalog

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"
)

var (
	otherProcessor = regexp.MustCompile(`(?:^|[-_.])(arm64|aarch64|armhf|armv7l?|ppc64el|ppc64le|s390x|riscv64)(?:[-_.]|$)`)
	otherCloud     = regexp.MustCompile(`[-_.](azure|ec2|amazonec2|aws|gce|gcp|hyperv|vagrant)(?:[-_.]|$)`)
	withoutInit    = regexp.MustCompile(`^debian-[0-9a-z]+-nocloud-`)
	// A movingURL is one at which distributions serve another file with each build.
	movingURL = regexp.MustCompile(`(?:/(?:current|latest|daily)/|[-_.]latest[-_.])`)
)

// Doubts are what the name of an image's file says about VMs with it: that they do not boot, or that nobody can log in. They are told by conventions of
// distributions, so that somebody may know better.
func (i Image) Doubts() []string {
	address := ""
	if u, err := url.Parse(i.URL); err == nil {
		address = u.Path
	}

	name := strings.ToLower(path.Base(cmp.Or(address, i.Volume)))

	var out []string

	if parts := otherProcessor.FindStringSubmatch(name); parts != nil {
		out = append(out, "the file is for processors of "+parts[1]+": a VM of a Proxmox node with another one does not boot it. For Intel and AMD, take the file for amd64 or x86_64")
	}

	switch parts := otherCloud.FindStringSubmatch(name); {
	case i.CloudInit != nil && !*i.CloudInit:
	case withoutInit.MatchString(name):
		out = append(out, "Debian's nocloud images have no cloud-init, so that a machine has neither its address nor its account: take generic or genericcloud in its place, or set cloudInit: false")
	case parts != nil:
		out = append(out, "the file is built for "+parts[1]+", and its cloud-init may not look at the drive that Proxmox has for it: take the file for any cloud, such as generic or genericcloud")
	}

	if i.Checksum != "" && movingURL.MatchString(strings.ToLower(address)) {
		out = append(out, "the address serves another file with each build of the distribution, which then has another checksum: no further node can download it. Take the address of a dated build")
	}

	return out
}
