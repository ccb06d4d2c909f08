package resolve

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

var digitsPattern = regexp.MustCompile(`^[0-9]+$`)

// bootInterface is the interface of the boot disk, unless the template has another one.
const bootInterface = "scsi0"

// bootDisk resolves the image: the boot disk's source, and the guest.
type bootDisk struct {
	g *given
	n *notes
}

// resolve looks up the image, and resolves the source of the boot disk, which is as large as the image needs it. The image of an adopted VM is unknown
// unless the claim names it: then the image has no name and no source.
func (r bootDisk) resolve(diskGiB int64) (machine.Boot, catalog.Image) {
	b := machine.Boot{DiskGiB: diskGiB, Interface: bootInterface}

	if r.g.existing.Adopting && r.g.spec.Image == "" {
		b.CloudInit = true
		return b, catalog.Image{}
	}

	n := r.g.choose(string(r.g.spec.Image), r.g.at.Child("image"), string(r.g.catalog.Defaults.Image), "image", catalog.DefaultImage)
	b.Image = n.name

	image, faults := r.findImage(n)
	if len(faults) > 0 {
		if !r.n.keeps(r.g, machine.PartImage, faults, string(r.g.spec.Image), appliedImage) {
			return b, catalog.Image{}
		}

		image = r.g.existing.Has.Image
		if r.g.nix != nil {
			image.OS = string(machine.OSNixOS)
		}
	}

	b.DiskGiB = sizes(r).fitImage(b.Image, image, b.DiskGiB)
	r.source(n, image, &b)

	if r.g.isNew() && len(faults) == 0 {
		for _, doubt := range image.Doubts() {
			r.n.warn("Image %s: %s.", message.Excerpt(n.name), doubt)
		}
	}

	if len(faults) > 0 {
		b.Interface = cmp.Or(image.TemplateDisk, bootInterface)
	}

	b.OS = r.guest(image, b.Source)
	b.CloudInit = b.Source != machine.SourceISO
	b.GuestAgent = b.OS == machine.OSNixOS && b.Source != machine.SourceISO
	b.ConvergeUnit = image.ConvergeUnit

	if image.CloudInit != nil {
		b.CloudInit = *image.CloudInit
	}

	if image.GuestAgent != nil {
		b.GuestAgent = *image.GuestAgent
	}

	return b, image
}

// findImage finds the image in the catalogue. A number is a template, and a name with a colon is a volume: both are images
// without further properties.
func (r bootDisk) findImage(n named) (catalog.Image, field.ErrorList) {
	if len(n.doubt) > 0 {
		return catalog.Image{}, n.doubt
	}

	_, listed := r.g.catalog.Images[n.name]

	switch {
	case listed:
	case digitsPattern.MatchString(n.name):
		id, err := strconv.ParseInt(n.name, 10, 64)
		if err != nil || id < 100 || id > 999999999 {
			return catalog.Image{}, field.ErrorList{field.Invalid(n.at, message.Excerpt(n.name), "the VMID of a template is a number from 100 to 999999999")}
		}

		return catalog.Image{Image: catalogue.Image{Template: id}}, nil
	case strings.Contains(n.name, ":"):
		if _, err := catalog.ParseVolume(n.name); err != nil {
			if rule := r.otherwise(n.name); rule != "" {
				return catalog.Image{}, field.ErrorList{field.Invalid(n.at, message.Excerpt(n.name), rule).WithOrigin(catalog.OriginUnknown)}
			}

			return catalog.Image{}, field.ErrorList{field.Invalid(n.at, message.Excerpt(n.name), err.Error())}
		}

		return catalog.Image{Image: catalogue.Image{Volume: n.name}}, nil
	default:
		if rule := r.otherwise(n.name); rule != "" {
			return catalog.Image{}, field.ErrorList{field.Invalid(n.at, message.Excerpt(n.name), rule).WithOrigin(catalog.OriginUnknown)}
		}
	}

	image, faults := r.g.catalog.Image(n.at, n.name)
	faults = withOtherKind(r.g.catalog, "", n.name, faults)

	if len(faults) == 0 && image.BuiltIn() {
		faults = r.g.overridden(n, imagesAt+n.name, image.URL)
	}

	if len(faults) == 0 {
		faults = validate.Image(image)
	}

	return image, faults
}

// codenames of the releases that the built-in catalogue has images of.
var codenames = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"bookworm": "debian-12", "trixie": "debian-13", "noble": "ubuntu-24.04",
}

// foreign are names of systems other than Linux, as people write them for an image that nobody has put into the catalogue.
var foreign = regexp.MustCompile(`(?i)^(?:(windows|win-?(?:\d|server|xp))|(macos|osx|freebsd|openbsd|opnsense|pfsense|truenas))`)

// What there is to do instead of an image of another system.
const (
	inContainer = "; a container shares the kernel of its node, which is Linux: make it a Machine"
	asVM        = ". Put an installation medium or a template into images of the catalogue: docs/workloads.md has both"
)

// noLinux is the rule on the name of another system; empty for any other name.
func noLinux(name, instead string) string {
	system := foreign.FindStringSubmatch(name)
	switch {
	case system == nil:
		return ""
	case system[1] != "":
		return "there is no image of Windows" + instead
	default:
		return "there is no image of " + strings.ToLower(system[2]) + instead
	}
}

// otherwise is the rule on a name of an image that is written as tools for containers or a folder of files have it, or by a
// release's code name: debian:13, debian:latest, debian-13.qcow2, trixie. Empty for any other name.
func (r bootDisk) otherwise(name string) string {
	const none = "there is no image of that name; "

	if other := noLinux(name, asVM); other != "" && !slices.ContainsFunc(r.g.images(), foreign.MatchString) {
		return other
	}

	base, ofContainers := strings.CutSuffix(name, ":latest")
	plain := cmp.Or(codenames[strings.ToLower(name)], name)

	for _, ending := range []string{".qcow2", ".img", ".raw", ".vmdk", ".iso"} {
		plain = strings.TrimSuffix(plain, ending)
	}

	switch other := strings.ReplaceAll(plain, ":", "-"); {
	case other != name && r.lists(other):
		return none + "did you mean " + other + "?"
	case ofContainers && slices.ContainsFunc(r.g.images(), func(there string) bool { return strings.HasPrefix(there, base) }),
		other != name && r.g.catalog.Reader != nil && !strings.Contains(name, "/"):
		// A tenant gets one answer, whether the catalogue has such an image beyond its list or not.
		return none + message.There(r.g.images(), base)
	default:
		return ""
	}
}

// lists says whether the catalogue has an image of this name, of which a message may tell.
func (r bootDisk) lists(name string) bool {
	_, ok := r.g.catalog.Images[name]

	return ok && r.g.catalog.Tells(catalog.KindImage, "", name)
}

// source notes the source of the boot disk.
func (r bootDisk) source(n named, image catalog.Image, b *machine.Boot) {
	switch {
	case image.URL != "":
		d, errs := image.Download()
		r.n.add(errs...)

		b.Source, b.Download = machine.SourceDownload, &d
	case image.Volume != "":
		v, err := catalog.ParseVolume(image.Volume)
		if err != nil {
			r.n.add(field.Invalid(n.at, message.Excerpt(image.Volume), err.Error()))
		}

		b.Source, b.Volume = v.Source, v.ID
	case image.Template != 0:
		b.Source = machine.SourceClone
		b.Template = &machine.Template{VMID: image.Template, Node: image.TemplateNode}
		b.Interface = cmp.Or(image.TemplateDisk, bootInterface)

		if image.TemplateDisk == "" && r.g.existing.Node == "" {
			r.n.warn("Image %s: the boot disk of template %d is assumed on %s. `qm config %d` on its node shows where it is; if it is elsewhere, the VM "+
				"boots an empty disk: set images.<image>.templateDisk in the catalogue.", message.Excerpt(n.name), image.Template, bootInterface, image.Template)
		}
	}
}

// guest returns the operating system of an image. For a plain template or volume it is unknown, except that a claim with nix
// needs NixOS.
func (r bootDisk) guest(image catalog.Image, source machine.Source) machine.OS {
	switch {
	case image.OS != "":
		return machine.OS(image.OS)
	case image.From == "" && r.g.nix != nil && source != machine.SourceISO:
		return machine.OSNixOS
	case source == machine.SourceISO:
		return machine.OSOther
	default:
		return machine.OSLinux
	}
}
