package catalog

import (
	"cmp"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// templateVolumePattern is the form of a container template on a node.
var templateVolumePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*:vztmpl/[A-Za-z0-9_][A-Za-z0-9._+-]*\.tar\.(gz|xz|zst)$`)

// ParseTemplateVolume checks the volume of a container template, as storage:vztmpl/file, and returns the name of its file; empty where the
// volume is none.
func ParseTemplateVolume(id string) string {
	if len(id) > 255 || !templateVolumePattern.MatchString(id) {
		return ""
	}

	_, file, _ := strings.Cut(id, "/")

	return file
}

// ContainerTemplate resolves the download of a container template: an image with the URL of one. As with [Image.Download], the file's name has a
// hash of URL and checksum.
func (i Image) ContainerTemplate() (machine.Download, field.ErrorList) {
	return i.download(acceptTemplate)
}

// acceptTemplate is the [splitter] of container templates. They keep their extensions.
func acceptTemplate(at *field.Path, name string, _ bool) (stem, extension string, fault *field.Error) {
	if why := message.NoTemplateFile(name); why != "" {
		return "", "", field.Invalid(at, message.Excerpt(name), why)
	}

	stem, extension = message.SplitTemplate(name)

	return stem, extension, nil
}

// NoTemplate says of a volume, or the name of a file, why no container is made of it although its extension is a template's; empty for any other one.
func NoTemplate(id string) string {
	if !message.HasPackedDisk(id[strings.LastIndexByte(id, '/')+1:]) {
		return ""
	}

	return "has the disk of a VM in it, and no root file system of a container: "
}

// IsTemplate says whether an image is a container template, by the name of its file: that of its URL, or a volume on the node.
func (i Image) IsTemplate() bool {
	if i.Volume != "" {
		return ParseTemplateVolume(i.Volume) != "" && NoTemplate(i.Volume) == ""
	}

	_, extension := message.SplitTemplate(cmp.Or(i.FileName, message.FileOfURL(i.URL)))

	return extension != ""
}

// SourceFaults are those of an image with a URL: of a container template where its file is one, and of an image of VMs elsewhere.
func (i Image) SourceFaults() field.ErrorList {
	if i.IsTemplate() {
		_, faults := i.ContainerTemplate()
		return faults
	}

	_, faults := i.Download()

	return faults
}
