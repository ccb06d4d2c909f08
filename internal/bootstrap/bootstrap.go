// Package bootstrap decides how a machine gets its first configuration, and builds its user-data and meta-data. It is the only
// package that knows all kinds of machines.
package bootstrap

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/datadisks"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/nixos"
)

// A Mode is how a machine gets its first configuration.
type Mode string

// The modes.
const (
	// ModeNone: the image does not read a cloud-init drive.
	ModeNone Mode = "None"
	// ModeNative: Proxmox generates the user-data from the VM's settings. The provider needs no SSH, because it writes no file
	// to the node.
	ModeNative Mode = "Native"
	// ModeSnippets: the user placed the user-data on the node.
	ModeSnippets Mode = "Snippets"
	// ModeRendered: the function renders the user-data, and the provider writes it to the node over SSH.
	ModeRendered Mode = "Rendered"
)

// A Bootstrap is a machine's first configuration.
type Bootstrap struct {
	Mode Mode

	// Volume IDs of snippets that the user placed on the node; empty if there are none.
	UserDataID, VendorDataID, MetaDataID string

	// GuestAgent is true if the guest will run the QEMU guest agent.
	GuestAgent bool
	// Hash identifies the bootstrap data that the claim describes. A release with another constant script has the same hash.
	// Empty if the first boot freezes nothing.
	Hash string
	// Lack is the key of a Secret without which there is no user-data; nil if nothing is missing.
	Lack *Lack
	// Undetermined is true if the user-data that the claim describes depends on an entry that the catalogue lacks. Only an existing
	// VM has such a bootstrap: it keeps its user-data.
	Undetermined bool

	// NoAgent is why nothing installs the guest agent on a Debian or Ubuntu machine; empty where something does, or the claim says no.
	NoAgent string

	// asRendered is the user-data that the function would render in the place of Proxmox's, to compare it with that of a VM whose claim asked for more than
	// Proxmox generates; nil where there is none. Mode Native only.
	asRendered func() *Bootstrap

	// disks are the data disks that the user-data sets up, if it is rendered for no other reason.
	disks datadisks.Mounts

	// document is the user-data without the label of the Node: a node with the label is as current as one without it.
	document cloudinit.Document
	// nodeUID is the value of that label, empty without K3s. labelled says whether new user-data has it: the catalogue can begin and end
	// the observation of a cluster while a VM exists.
	nodeUID  string
	labelled bool
	// additions are in a file beside K3s' config.yaml, which is no part of document either.
	additions k3s.Additions
	// interfaces are those that the additions of an existing VM can name, empty for none. Nil without K3s.
	interfaces []string
	vendor     cloudinit.Document
	metaData   cloudinit.MetaData
}

// New returns a machine's bootstrap. token is the K3s token from the machine's Secret, nil if the Secret is missing; secrets are the
// contents of the machine's files from Secrets, in their order. New returns all faults of the claim's own cloud-config at once.
func New(m *machine.Machine, token *string, secrets ...Content) (*Bootstrap, field.ErrorList) {
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
	case ModeNone:
		return b, nil
	case ModeNative:
		b.addAgent(m)
		b.asRendered = func() *Bootstrap {
			out := &Bootstrap{Mode: ModeRendered}
			if m.BootstrapUndetermined() || len(out.compose(m, nil, nil)) > 0 {
				return nil
			}

			return out
		}

		return b, nil
	case ModeSnippets:
		// The user's snippet should install the agent, because without it the function does not learn the address.
		b.GuestAgent = true
		b.Hash = hash(b.UserDataID, b.VendorDataID, b.MetaDataID)

		return b, nil
	case ModeRendered:
	}

	if m.BootstrapUndetermined() {
		b.Undetermined = true
		return b, nil
	}

	if m.K3s != nil && m.K3s.TokenSecret != nil && token == nil {
		b.Lack = &Lack{
			Secret: m.K3s.TokenSecret.Name, Key: m.K3s.TokenSecret.Key, For: "the K3s token", Token: true,
			Field: "spec.k3s.token.secretRef.key (or in clusters.<cluster> of the catalogue)",
		}
	}

	b.GuestAgent = b.GuestAgent || installsAgent(m)

	if m.Nix == nil && m.K3s == nil && m.UserData == "" && len(m.Secrets) == 0 && m.SecretStore == nil {
		b.disks = mounts(m)
	}

	return b, b.compose(m, token, secrets)
}

// mode returns the mode of a machine. The function renders user-data only if a field of the claim needs it.
func mode(m *machine.Machine) Mode {
	switch {
	case !m.Boot.CloudInit:
		return ModeNone
	case m.Snippets.UserData != "":
		return ModeSnippets
	case m.RendersUserData():
		return ModeRendered
	}

	return ModeNative
}

// mounts are the disks that the rendered user-data formats and mounts. On NixOS the flake does.
func mounts(m *machine.Machine) datadisks.Mounts {
	if m.Boot.OS == machine.OSNixOS {
		return nil
	}

	return m.Mounts()
}

// check refuses fields that a mode does not support. Otherwise the function would silently ignore them.
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

// Describes says whether the claim describes the bootstrap data with a hash, as this release or an earlier one wrote it.
func (b *Bootstrap) Describes(hash string) bool {
	return hash == b.Hash || hash != "" && hash == b.FormerHash()
}

// FormerHash is the hash of the same claim in releases before v0.2.0, whose VMs are current. Mode Rendered only; empty if there is no
// hash. It costs as much as the hash, so it is computed for a VM that has another one.
func (b *Bootstrap) FormerHash() string {
	if b.Mode != ModeRendered || b.Hash == "" {
		return ""
	}

	return hash(b.document.WithFormerContent().Fingerprint(), b.VendorDataID, b.MetaDataID)
}

// UserData returns the user-data; mode Rendered only.
func (b *Bootstrap) UserData() ([]byte, error) { return b.marshal(b.labelled, b.additions) }

// marshal returns the user-data with or without the label of the Node, and with additions to K3s' config.yaml.
func (b *Bootstrap) marshal(labelled bool, a k3s.Additions) ([]byte, error) {
	d, err := b.with(labelled, a)
	if err != nil {
		return nil, err
	}

	return d.Marshal()
}

// Formerly returns the same user-data as rendered by earlier releases: with their scripts, and without what they did not write; and as
// rendered while the catalogue's observation of the cluster was another one. A lost snippet of an existing VM must be written again
// with identical bytes, because its name is a hash.
func (b *Bootstrap) Formerly() ([][]byte, error) {
	now, err := b.UserData()
	if err != nil {
		return nil, err
	}

	var out [][]byte

	for _, release := range cloudinit.FormerReleases() {
		d := b.document.As(release)
		d.WriteFiles = slices.Clone(d.WriteFiles)

		for _, former := range []map[string]string{k3s.Former()[release], nixos.Former()[release]} {
			for i, f := range d.WriteFiles {
				if content, changed := former[f.Path]; changed && f.Constant {
					d.WriteFiles[i].Content = content
				}
			}
		}

		data, err := d.Marshal()
		if err != nil {
			return nil, err
		}

		if !bytes.Equal(data, now) {
			out = append(out, data)
		}
	}

	for _, v := range b.variants() {
		data, err := b.marshal(v.labelled, v.additions)
		if err != nil {
			return nil, err
		}

		out = append(out, data)
	}

	return out, nil
}

// A variant is what the user-data of an existing VM can have beside what its claim asks for.
type variant struct {
	labelled  bool
	additions k3s.Additions
}

// variants of the user-data but the present one: with and without the label of the Node, the name of the cluster's endpoint, and the interface of
// the pod network, which an interface that comes or goes changes.
func (b *Bootstrap) variants() []variant {
	labels := []bool{b.labelled}
	if b.nodeUID != "" {
		labels = append(labels, !b.labelled)
	}

	names, interfaces := [][]string{b.additions.Names}, []string{b.additions.Interface}
	if len(b.additions.Names) > 0 {
		names = append(names, nil)
	}

	for _, i := range b.interfaces {
		if !slices.Contains(interfaces, i) {
			interfaces = append(interfaces, i)
		}
	}

	var out []variant

	for _, labelled := range labels {
		for _, n := range names {
			for _, i := range interfaces {
				out = append(out, variant{labelled, k3s.Additions{Names: n, Interface: i}})
			}
		}
	}

	return out[1:]
}

// MetaData returns the meta-data; mode Rendered only.
func (b *Bootstrap) MetaData() ([]byte, error) { return b.metaData.Marshal() }

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])[:10]
}
