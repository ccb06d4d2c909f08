package resolve

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

var digitsPattern = regexp.MustCompile(`^[0-9]+$`)

// bootInterface is the interface of the boot disk, unless the template has another one.
const bootInterface = "scsi0"

// bootDisk resolves the image: the boot disk's source, the guest, and the firmware.
type bootDisk struct{ *resolver }

// resolve looks up the image, and resolves the source of the boot disk. The image of an adopted VM is unknown unless the claim
// names it: then the image has no name and no source.
func (r bootDisk) resolve() {
	if r.existing.Adopting && r.spec.Image == "" {
		r.out.Boot.Interface, r.out.Boot.CloudInit = bootInterface, true
		return
	}

	n := r.choose(string(r.spec.Image), r.at.Child("image"), string(r.catalog.Defaults.Image), "image", catalog.DefaultImage)
	b := &r.out.Boot
	b.Image = n.name
	b.Interface = bootInterface

	image, faults := r.findImage(n)
	if len(faults) > 0 {
		if !r.keeps(machine.PartImage, faults, string(r.spec.Image), appliedImage) {
			return
		}

		image = r.existing.Has.Image
		if r.nix != nil {
			image.OS = string(machine.OSNixOS)
		}
	}

	r.image = image
	sizes(r).fitImage()
	r.source(n, image)

	if r.out.Keeps(machine.PartImage) {
		b.Interface = cmp.Or(image.TemplateDisk, bootInterface)
	}

	b.OS = r.guest(image)
	b.CloudInit = b.Source != machine.SourceISO
	b.GuestAgent = b.OS == machine.OSNixOS && b.Source != machine.SourceISO
	b.ConvergeUnit = image.ConvergeUnit

	if image.CloudInit != nil {
		b.CloudInit = *image.CloudInit
	}

	if image.GuestAgent != nil {
		b.GuestAgent = *image.GuestAgent
	}
}

// findImage finds the image in the catalogue. A number is a template, and a name with a colon is a volume: both are images
// without further properties.
func (r bootDisk) findImage(n named) (catalog.Image, field.ErrorList) {
	if len(n.doubt) > 0 {
		return catalog.Image{}, n.doubt
	}

	_, listed := r.catalog.Images[n.name]

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
			// As container images are named.
			if other := strings.ReplaceAll(n.name, ":", "-"); r.lists(other) {
				return catalog.Image{}, field.ErrorList{field.Invalid(n.at, message.Excerpt(n.name), "there is no image of that name; did you mean "+other+"?")}
			}

			return catalog.Image{}, field.ErrorList{field.Invalid(n.at, message.Excerpt(n.name), err.Error())}
		}

		return catalog.Image{Image: catalogue.Image{Volume: n.name}}, nil
	}

	image, faults := r.catalog.Image(n.at, n.name)
	if len(faults) == 0 {
		faults = validate.Image(image)
	}

	return image, faults
}

// lists says whether the catalogue has an image of this name.
func (r bootDisk) lists(name string) bool {
	_, ok := r.catalog.Images[name]

	return ok
}

// source resolves the source of the boot disk.
func (r bootDisk) source(n named, image catalog.Image) {
	b := &r.out.Boot

	switch {
	case image.URL != "":
		d, errs := image.Download()
		r.add(errs...)

		b.Source, b.Download = machine.SourceDownload, &d
	case image.Volume != "":
		v, err := catalog.ParseVolume(image.Volume)
		if err != nil {
			r.add(field.Invalid(n.at, message.Excerpt(image.Volume), err.Error()))
		}

		b.Source, b.Volume = v.Source, v.ID
	case image.Template != 0:
		b.Source = machine.SourceClone
		b.Template = &machine.Template{VMID: image.Template, Node: image.TemplateNode}
		b.Interface = cmp.Or(image.TemplateDisk, bootInterface)

		if image.TemplateDisk == "" && r.existing.Node == "" {
			r.warn("Image %s: the boot disk of template %d is assumed on %s. `qm config %d` on its node shows where it is; if it is elsewhere, the VM "+
				"boots an empty disk: set images.<image>.templateDisk in the catalogue.", message.Excerpt(n.name), image.Template, bootInterface, image.Template)
		}
	}
}

// guest returns the operating system of an image. For a plain template or volume it is unknown, except that a claim with nix
// needs NixOS.
func (r bootDisk) guest(image catalog.Image) machine.OS {
	switch {
	case image.OS != "":
		return machine.OS(image.OS)
	case image.From == "" && r.nix != nil && r.out.Boot.Source != machine.SourceISO:
		return machine.OSNixOS
	case r.out.Boot.Source == machine.SourceISO:
		return machine.OSOther
	default:
		return machine.OSLinux
	}
}

// firmware resolves the firmware: the claim's fields over the image's. A clone keeps its template's firmware, and an adopted VM
// keeps its own, for all fields that the claim leaves out.
func (r bootDisk) firmware() {
	claimed, image := r.spec.Firmware, r.image.Firmware
	has := ""

	switch {
	case r.existing.Adopting:
		image, has = nil, "an adopted VM keeps its own firmware"
	case r.out.Boot.Source == machine.SourceClone:
		has = "a clone keeps its template's firmware"
	}

	if has != "" && claimed == nil && image == nil {
		return
	}

	f := v1alpha1.Firmware{}
	if image != nil {
		f = *image
	}

	if claimed != nil {
		if claimed.Type != "" && claimed.Type != f.Type {
			// Secure Boot belongs to the image's firmware, which the claim replaces.
			f.Type, f.SecureBoot = claimed.Type, false
		}

		f.SecureBoot = f.SecureBoot || claimed.SecureBoot
		f.TPM = f.TPM || claimed.TPM
		f.Machine = cmp.Or(claimed.Machine, f.Machine)
	}

	if has != "" {
		if f.Type == "" {
			r.add(field.Required(r.at.Child("firmware", "type"), has+": set type to that firmware, BIOS or UEFI, or leave firmware out"))
		}
	} else {
		f.Type = cmp.Or(f.Type, v1alpha1.FirmwareBIOS)
		f.Machine = cmp.Or(f.Machine, "q35")
	}

	r.out.Firmware = &f
}

// needsCloudInit refuses fields that need cloud-init if the image does not read cloud-init data.
func (r bootDisk) needsCloudInit() {
	if r.out.Boot.Source == "" || r.out.Boot.CloudInit {
		return
	}

	b := r.spec.Bootstrap
	deaf := fmt.Sprintf("image %s does not read cloud-init data, so this would have no effect: configure it in the guest", message.Excerpt(r.out.Boot.Image))

	for _, f := range []struct {
		name string
		set  bool
	}{
		{"adminUser", b.AdminUser != ""},
		{"guestAgent", b.GuestAgent != nil && *b.GuestAgent},
		{"sshAuthorizedKeys", len(b.SSHAuthorizedKeys) > 0},
		{"secretStore", b.SecretStore != nil},
		{"secrets", len(b.Secrets) > 0},
		{"snippets", b.Snippets != v1alpha1.Snippets{}},
		{"userData", b.UserData != ""},
	} {
		if f.set {
			r.add(field.Forbidden(r.at.Child("bootstrap", f.name), deaf))
		}
	}

	if r.spec.Network != nil && r.spec.Network.IP != "" {
		r.add(field.Forbidden(r.at.Child("network", "ip"), deaf+", and set dhcp: true or leave network out"))
	}

	if r.spec.Network != nil && r.spec.Network.Pool {
		r.add(field.Forbidden(r.at.Child("network", "pool"), deaf+", and set dhcp: true or leave network out"))
	}
}
