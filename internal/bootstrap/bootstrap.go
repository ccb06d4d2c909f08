// Package bootstrap decides how a machine gets its first configuration, and makes the documents for it. It is the one
// place where the kinds of machines meet.
package bootstrap

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A Mode is how a machine gets its first configuration.
type Mode string

// The modes.
const (
	// ModeNone: the image does not read a cloud-init drive.
	ModeNone Mode = "None"
	// ModeNative: Proxmox makes the user-data from the VM's settings. Nothing is written to the node, so the provider
	// needs no SSH.
	ModeNative Mode = "Native"
	// ModeSnippets: the user-data is on the node already.
	ModeSnippets Mode = "Snippets"
	// ModeRendered: the user-data is rendered, and the provider writes it to the node over SSH.
	ModeRendered Mode = "Rendered"
)

// A Bootstrap is a machine's first configuration.
type Bootstrap struct {
	Mode Mode

	// Volume ids of snippets that are on the node already; empty where there are none.
	UserDataID, VendorDataID, MetaDataID string

	// GuestAgent says whether the guest will run the QEMU guest agent.
	GuestAgent bool
	// Hash identifies what the claim describes, not how this program writes it down: a newer build with a better script
	// has the same. Empty where nothing of it is fixed on the first boot.
	Hash string
	// Lacks names the Secret that could not be read; empty otherwise. Without it there is no user-data.
	Lacks string

	document cloudinit.Document
	metaData cloudinit.MetaData
}

// New decides on a machine's bootstrap. token is the K3s token from the Secret that the machine names, nil where that
// could not be read. All faults of the claim's own cloud-config are returned at once.
func New(m *machine.Machine, token *string) (*Bootstrap, field.ErrorList) {
	b := &Bootstrap{
		Mode:         mode(m),
		UserDataID:   m.Snippets.UserData,
		VendorDataID: m.Snippets.VendorData,
		MetaDataID:   m.Snippets.MetaData,
		GuestAgent:   m.Boot.GuestAgent,
	}

	if errs := check(m, b.Mode); len(errs) > 0 {
		return nil, errs
	}

	switch b.Mode {
	case ModeNone, ModeNative:
		return b, nil
	case ModeSnippets:
		// A snippet that makes a machine of the homelab.io API installs the agent: without it nobody learns its address.
		b.GuestAgent = true
		b.Hash = hash(b.UserDataID, b.VendorDataID, b.MetaDataID)

		return b, nil
	case ModeRendered:
	}

	if m.K3s != nil && m.K3s.TokenSecret != nil && token == nil {
		b.Lacks = m.K3s.TokenSecret.Name
	}

	b.GuestAgent = b.GuestAgent || installsAgent(m.Boot.OS)

	return b, b.compose(m, token)
}

// mode of a machine. User-data is rendered only where something needs it.
func mode(m *machine.Machine) Mode {
	switch {
	case !m.Boot.CloudInit:
		return ModeNone
	case m.Snippets.UserData != "":
		return ModeSnippets
	case m.Nix != nil, m.K3s != nil, m.UserData != "":
		return ModeRendered
	}

	return ModeNative
}

// check finds what a mode cannot do. A claim that asks for more than its image can would be half obeyed in silence.
func check(m *machine.Machine, mode Mode) field.ErrorList {
	var errs field.ErrorList

	spec := field.NewPath("spec")
	userData := spec.Child("bootstrap", "userData")

	switch mode {
	case ModeSnippets:
		if m.UserData != "" {
			errs = append(errs, field.Forbidden(userData, "bootstrap.snippets.userData is already the whole user-data; put this into that file"))
		}
	case ModeNone:
		for path, asked := range map[*field.Path]bool{
			userData:                            m.UserData != "",
			spec.Child("bootstrap", "snippets"): m.Snippets != (snippets{}),
			spec.Child("nix"):                   m.Nix != nil,
			spec.Child("k3s"):                   m.K3s != nil,
		} {
			if asked {
				errs = append(errs, field.Forbidden(path, "the image "+m.Boot.Image+" does not read cloud-init data"))
			}
		}
	case ModeNative, ModeRendered:
	}

	return sortErrors(errs)
}

// UserData is the user-data to write; mode Rendered only.
func (b *Bootstrap) UserData() ([]byte, error) { return b.document.Marshal() }

// Formerly is the same user-data as earlier releases of this program wrote it down, with the scripts that they had. A snippet
// that a VM was made with, and that was lost, is written again byte by byte or not at all, since its name is a hash.
func (b *Bootstrap) Formerly() ([][]byte, error) {
	var out [][]byte

	former := k3s.Former()

	for _, path := range slices.Sorted(maps.Keys(former)) {
		i := slices.IndexFunc(b.document.WriteFiles, func(f cloudinit.File) bool { return f.Path == path && f.Constant })
		if i < 0 {
			continue
		}

		for _, content := range former[path] {
			d := b.document
			d.WriteFiles = slices.Clone(d.WriteFiles)
			d.WriteFiles[i].Content = content

			data, err := d.Marshal()
			if err != nil {
				return nil, err
			}

			out = append(out, data)
		}
	}

	return out, nil
}

// MetaData is the meta-data to write; mode Rendered only.
func (b *Bootstrap) MetaData() ([]byte, error) { return b.metaData.Marshal() }

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])[:10]
}
