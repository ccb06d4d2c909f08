package resolve

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// accounts checks the account and its keys against the image and against who writes the user-data, which is known once all else is
// resolved. A machine that has its VM is not judged: its first boot is over.
func (r *resolver) accounts() {
	if r.existing.Has != nil || r.existing.Adopting || !r.out.Boot.CloudInit {
		return
	}

	at := r.at.Child("bootstrap", "adminUser")
	if r.spec.Bootstrap.AdminUser == "" {
		at = r.catalog.Defaults.Path("adminUser")
	}

	native := !r.out.RendersUserData() && r.spec.Bootstrap.Snippets.UserData == ""

	switch name := r.out.Access.AdminUser; {
	case len(r.out.Access.SSHAuthorizedKeys) == 0:
	case r.out.Boot.OS.HasAccount(name):
		r.add(field.Invalid(at, name, "is a system account of "+string(r.out.Boot.OS)+", which cloud-init leaves as it is, so nobody could log in: choose another name, such as ops"))
	case native && r.out.Boot.OS.HasGroup(name):
		r.add(field.Invalid(at, name, "is a group of "+string(r.out.Boot.OS)+", and the user-data that Proxmox generates cannot create an account with the name of a group: "+
			"choose another name, such as ops, or have the function render the user-data: set spec.bootstrap.userData, for instance to \"#cloud-config\""))
	}

	if native {
		r.withoutOptions()
	}
}

// withoutOptions refuses SSH keys with OpenSSH's options where the function does not write them.
func (r *resolver) withoutOptions() {
	at := r.at.Child("bootstrap", "sshAuthorizedKeys")
	if r.spec.Bootstrap.SSHAuthorizedKeys == nil {
		at = r.catalog.Defaults.Path("sshAuthorizedKeys")
	}

	for i, key := range r.out.Access.SSHAuthorizedKeys {
		if validate.HasSSHOptions(key) {
			r.add(field.Invalid(at.Index(i), message.Excerpt(key), r.noOptions()))
		}
	}
}

// noOptions says why a key may have no options here, and what to do.
func (r *resolver) noOptions() string {
	if r.container {
		return "has options before the key, and Proxmox takes bare keys for a container: remove the options, and write them into ~/.ssh/authorized_keys of the container"
	}

	return "has options before the key, and Proxmox takes bare keys for the user-data that it generates: remove the options, or have the function render the " +
		"user-data: set spec.bootstrap.userData, for instance to \"#cloud-config\""
}
