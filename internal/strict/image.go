package strict

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// imageField is the field of a claim with the name of an image.
const imageField = "image"

// imageFile adds why nothing is made of the file of a URL that somebody typed in a claim in place of an image's name: what the catalogue, into which the URL is
// to be written, would say next. The URL itself may have a password.
func (d *decoder) imageFile(at *field.Path, url any) {
	typed, _ := url.(string)
	if !strings.HasPrefix(typed, "https://") && !strings.HasPrefix(typed, "http://") {
		return
	}

	file, why := message.FileOfURL(typed), message.NoDiskFile
	if d.root.Name() == "ContainerSpec" {
		why = message.NoTemplateFile
	}

	if fault := why(file); file != "" && fault != "" {
		d.add(field.Invalid(at, message.Excerpt(file), fault))
	}
}
