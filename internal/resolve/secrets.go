package resolve

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// defaultSecretMode is the mode of a file from a Secret.
const defaultSecretMode = "0600"

// secretFiles are the files that come from Secrets.
func secretFiles(g *given, n *notes, m *machine.Machine) []machine.SecretFile {
	if len(g.spec.Bootstrap.Secrets) == 0 {
		return nil
	}

	at := g.at.Child("bootstrap", "secrets")

	if g.existing.Adopting {
		n.warn("spec.bootstrap.secrets: the VM was not created by the function, which changes nothing in its guest.")
		return nil
	}

	b := m.Boot

	switch {
	case g.id.Namespace == "":
		n.add(field.Forbidden(at, "the function reads Secrets only from the claim's namespace, and a cluster scoped composite without a claim has no namespace: "+
			"use bootstrap.snippets.vendorData"))
	case g.spec.Bootstrap.Snippets.UserData != "":
		n.add(field.Forbidden(at, "bootstrap.snippets.userData is already the whole user-data: write the files there"))
	case b.OS == machine.OSWindows || b.OS == machine.OSOther:
		n.add(field.Forbidden(at, "only a Linux guest writes files for root: name an image with os: debian, ubuntu, nixos or linux"))
	case b.CloudInit && lacksSnippets(g, m.Placement):
		n.add(field.Forbidden(at, "the files are part of a cloud-init snippet, and the catalogue names no datastore for snippets of node "+
			message.Excerpt(m.Placement.Node)+" (datastores.snippets): name it"))
	}

	out := make([]machine.SecretFile, 0, len(g.spec.Bootstrap.Secrets))
	for _, s := range g.spec.Bootstrap.Secrets {
		out = append(out, machine.SecretFile{
			Secret: s.SecretRef.Name, Key: s.SecretRef.Key, Path: s.Path, Mode: cmp.Or(s.Mode, defaultSecretMode),
		})
	}

	return out
}
