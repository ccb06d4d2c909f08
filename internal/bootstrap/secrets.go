package bootstrap

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// maxSecretBytes is the largest content of a file from a Secret. Eight of them and the claim's own cloud-config fit into a snippet.
const maxSecretBytes = 64 << 10

// A Content is one key of a Secret.
type Content struct {
	Value *string  // Nil if the Secret or its key is missing.
	Keys  []string // All keys of the Secret, sorted; nil if there is no Secret.
}

// A Lack is a key of a Secret without which there is no user-data.
type Lack struct {
	Secret, Key string
	// For is what the content is for: "the K3s token", or a file.
	For string
	// Field is where the claim names the key.
	Field string
	// Keys are the keys of the Secret, sorted, if the Secret exists and lacks the key; nil if there is no Secret.
	Keys []string
	// Unfit is why the content cannot be written; empty if it is missing. It never shows the content.
	Unfit string
	// Token is true for the K3s token.
	Token bool
}

// lackOf is what a file from a Secret lacks; nil if it can be written.
func lackOf(f machine.SecretFile, i int, c Content) *Lack {
	out := &Lack{
		Secret: f.Secret, Key: f.Key, For: "the content of " + f.Path, Field: fmt.Sprintf("spec.bootstrap.secrets[%d].secretRef.key", i), Keys: c.Keys,
	}

	switch {
	case c.Value == nil:
		return out
	case *c.Value == "":
		out.Unfit = "is empty"
	case len(*c.Value) > maxSecretBytes:
		out.Unfit = fmt.Sprintf("is %d bytes long, and a file has at most %d", len(*c.Value), maxSecretBytes)
	case !utf8.ValidString(*c.Value):
		out.Unfit = "is not UTF-8 text"
	default:
		return nil
	}

	return out
}

// addSecrets adds the files that come from Secrets. Rules are those of the claim's own cloud-config.
func (b *Bootstrap) addSecrets(d *cloudinit.Document, m *machine.Machine, rules cloudinit.Rules, contents []Content) field.ErrorList {
	var (
		errs  field.ErrorList
		files []cloudinit.File
	)

	for i, f := range m.Secrets {
		if why := rules.Refuse(*d, f.Path); why != "" {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "bootstrap", "secrets").Index(i).Child("path"), f.Path+" cannot be written here: "+why))
		}

		var c Content
		if i < len(contents) {
			c = contents[i]
		}

		if lack := lackOf(f, i, c); lack != nil {
			b.Lack = cmp.Or(b.Lack, lack)

			continue
		}

		files = append(files, cloudinit.File{Path: f.Path, Permissions: f.Mode, Owner: "root:root", Content: *c.Value, Secret: true})
	}

	d.WriteFiles = append(d.WriteFiles, files...)

	return errs
}

// HasSecrets says whether the user-data has files from Secrets.
func (b *Bootstrap) HasSecrets() bool {
	for _, f := range b.document.WriteFiles {
		if f.Secret {
			return true
		}
	}

	return false
}
