package resolve

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// defaultSecretMode is the mode of a file from a Secret.
const defaultSecretMode = "0600"

// secrets resolves the files that come from Secrets.
func (r bootDisk) secrets() {
	if len(r.spec.Bootstrap.Secrets) == 0 {
		return
	}

	at := r.at.Child("bootstrap", "secrets")

	if r.existing.Adopting {
		r.warn("spec.bootstrap.secrets: the VM was not created by the function, which changes nothing in its guest.")
		return
	}

	b := r.out.Boot

	switch {
	case r.id.Namespace == "":
		r.add(field.Forbidden(at, "the function reads Secrets only from the claim's namespace, and a cluster scoped composite without a claim has no namespace: "+
			"use bootstrap.snippets.vendorData"))
	case r.spec.Bootstrap.Snippets.UserData != "":
		r.add(field.Forbidden(at, "bootstrap.snippets.userData is already the whole user-data: write the files there"))
	case b.OS == machine.OSWindows || b.OS == machine.OSOther:
		r.add(field.Forbidden(at, "only a Linux guest writes files for root: name an image with os: debian, ubuntu, nixos or linux"))
	case b.CloudInit && r.lacksSnippets():
		r.add(field.Forbidden(at, "the files are part of a cloud-init snippet, and the catalogue names no datastore for snippets of node "+
			message.Excerpt(r.out.Placement.Node)+" (datastores.snippets): name it"))
	}

	for _, s := range r.spec.Bootstrap.Secrets {
		r.out.Secrets = append(r.out.Secrets, machine.SecretFile{
			Secret: s.SecretRef.Name, Key: s.SecretRef.Key, Path: s.Path, Mode: cmp.Or(s.Mode, defaultSecretMode),
		})
	}
}
