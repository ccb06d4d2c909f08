package message

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// templateExtensions are the extensions of the container templates that Proxmox VE unpacks ($VZTMPL_EXT_RE_1 in PVE/Storage.pm of pve-storage).
var templateExtensions = []string{".tar.gz", ".tar.xz", ".tar.zst"} //nolint:gochecknoglobals // A constant table.

// packedDisk is an archive with the disk of a VM in it, as Debian, Kali and Ubuntu name theirs beside the disk itself, and others by the extension within.
var packedDisk = regexp.MustCompile(`^debian-[0-9a-z]+-(?:nocloud|generic|genericcloud)-(?:amd64|arm64|ppc64el)(?:-daily)?(?:-[0-9]+)*\.tar\.|` +
	`^kali-linux-.+-genericcloud-[0-9a-z]+\.tar\.|-cloudimg-[0-9a-z]+\.tar\.|\.(?:raw|img|qcow2|vmdk)\.tar\.`)

var notInFileName = regexp.MustCompile(`[^A-Za-z0-9._+-]+`)

// FileOfURL is the last part of a URL's path. Characters that a datastore does not accept are replaced.
func FileOfURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}

	name := notInFileName.ReplaceAllString(path.Base(u.Path), "-")

	return strings.TrimLeft(name, ".+-")
}

// HasPackedDisk says whether a file, by its name, is an archive with the disk of a VM in it.
func HasPackedDisk(name string) bool { return packedDisk.MatchString(strings.ToLower(name)) }

// SplitTemplate splits the name of a container template's file into stem and extension; both are empty for any other file, as for the packed disk of a VM.
func SplitTemplate(name string) (stem, extension string) {
	if HasPackedDisk(name) {
		return "", ""
	}

	for _, e := range templateExtensions {
		if s, ok := strings.CutSuffix(strings.ToLower(name), e); ok && s != "" {
			return name[:len(s)], e
		}
	}

	return "", ""
}

// NoTemplateFile says why a container is not made of a file of this name; empty where it is.
func NoTemplateFile(name string) string {
	if _, extension := SplitTemplate(name); extension != "" {
		return ""
	}

	return "a container is created from a template that ends with " + OneOf(templateExtensions) + "; an image of a VM is none"
}

// NoDiskFile says of the name of an installer, a template or a packed file why the disk of a VM is not made of such a download, and what to do; empty of any
// other name.
func NoDiskFile(name string) string {
	if strings.EqualFold(path.Ext(name), ".iso") {
		return "the function does not download installers: put the file on the node and name it as a volume, such as local:iso/debian-12.iso; or name a cloud image, a file that " +
			"ends with .qcow2, .raw, .vmdk or .img"
	}

	if _, template := SplitTemplate(name); template != "" {
		return "is a container template, of which a Container is made: a VM needs an image of a disk, a .qcow2 file. Name such an image in the claim, or write kind: Container there"
	}

	if packed := Packed(name); packed != "" {
		return packed + "; serve the file that comes out, or put it on the node and name it as a volume"
	}

	return ""
}

// Packed says of a file that others are packed into what to do first; empty of any other one.
func Packed(name string) string {
	extension := strings.ToLower(path.Ext(name))
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), extension), ".tar") {
		extension = ".ova" // An archive, too.
	}

	tool := map[string]string{".xz": "unxz", ".gz": "gunzip", ".zst": "unzstd", ".bz2": "bunzip2", ".zip": "unzip", ".7z": "7z x", ".ova": "tar -xf"}[extension]
	if tool == "" {
		return ""
	}

	return "Proxmox cannot import compressed images: unpack the file (" + tool + ")"
}
