package catalog

import (
	"regexp"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	volumePattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9._-]*):([a-z0-9]+)/([A-Za-z0-9_][A-Za-z0-9._+~()-]*)$`)
	imagesPattern = regexp.MustCompile(`^[0-9]+$`)
)

// The content types of the disks of VMs, and of files of which disks are made.
const (
	contentImages = "images"
	contentImport = "import"
)

// A Volume is a file on a node from which a machine can boot.
type Volume struct {
	ID        string
	Datastore string
	// Content is the content type that the datastore must serve: iso, import or images.
	Content string
	Source  machine.Source
}

// ParseVolume parses a volume ID of Proxmox VE, storage:type/file. The type of the file decides how a machine boots from it:
//
//	local:iso/debian-12.iso             an installer, put into the CD drive of a machine with an empty disk
//	local:iso/noble.img                 a disk image, imported over SSH; for Proxmox VE before 8.4
//	local:import/noble.qcow2            a disk image, imported (also .raw and .vmdk)
//	local:9000/base-9000-disk-0.qcow2   the disk of another VM, imported
func ParseVolume(id string) (Volume, error) {
	v, err := parseVolume(id)
	if why := OCI(id); err != nil && why != "" {
		err = errors.New(why)
	}

	return v, err
}

func parseVolume(id string) (Volume, error) {
	const forms = "write a disk image as storage:import/file.qcow2, an installer as storage:iso/file.iso"

	if strings.Contains(id, "://") {
		const rule = "a URL is not a volume: add it to the images of the catalogue under a name"

		if file := message.FileOfURL(id); file != "" && message.NoDiskFile(file) != "" {
			return Volume{}, errors.Errorf("%s; and of its file, %s: %s", rule, message.Excerpt(file), message.NoDiskFile(file))
		}

		return Volume{}, errors.New(rule)
	}

	m := volumePattern.FindStringSubmatch(id)
	if m == nil {
		return Volume{}, errors.Errorf("must be a volume as storage:type/file, without further folders, blanks or special characters: %s", forms)
	}

	v := Volume{ID: id, Datastore: m[1], Content: m[2]}
	content, file := m[2], strings.ToLower(m[3])

	switch packed := message.Packed(file); {
	case packed != "" && (content == "iso" || content == contentImport):
		return Volume{}, errors.New(packed + ", and name the one that comes out: " + forms)
	case content == "iso" && strings.HasSuffix(file, ".iso"):
		v.Source = machine.SourceISO
	case content == "iso" && strings.HasSuffix(file, ".img"):
		v.Source = machine.SourceDiskFile
	case content == "iso":
		return Volume{}, errors.New("a file of content type iso must end with .iso (an installer) or .img (a disk image)")
	case content == contentImport && importable(file):
		v.Source = machine.SourceImport
	case content == contentImport && strings.HasSuffix(file, ".img"):
		return Volume{}, errors.New("a file of content type import must end with .qcow2, .raw or .vmdk: `qemu-img info` on the node says which of them it is; rename it")
	case content == contentImport:
		return Volume{}, errors.New("a file of content type import must end with .qcow2, .raw or .vmdk")
	case content == contentImages || imagesPattern.MatchString(content):
		v.Source, v.Content = machine.SourceImport, contentImages
	default:
		return Volume{}, errors.Errorf("a machine cannot boot from content type %s: %s", content, forms)
	}

	return v, nil
}

// OfVM says whether a volume is a disk of a VM, or of a container, rather than a file that somebody uploaded: Proxmox keeps disks in a folder with the
// VMID of their owner (parse_volname in src/PVE/Storage/Plugin.pm of pve-storage).
func (v Volume) OfVM() bool { return v.Content == contentImages }

// importable reports whether Proxmox VE imports a file with this name.
func importable(file string) bool {
	return strings.HasSuffix(file, ".qcow2") || strings.HasSuffix(file, ".raw") || strings.HasSuffix(file, ".vmdk")
}
