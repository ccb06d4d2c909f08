package resolve

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
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

	wholeKeys(r)

	for _, doubt := range cloudinit.Doubts(r.spec.Bootstrap.UserData, len(r.out.Access.SSHAuthorizedKeys) > 0) {
		if near := message.Meant(doubt.Unknown, cloudinit.TopKeys()); near != "" {
			doubt.Text += "; did you mean " + near + "?"
		}

		r.warn("spec.bootstrap.userData: %s.", doubt.Text)
	}

	if native {
		r.withoutOptions()
	}
}

// keysPath is where the machine's SSH keys are written: in the claim, or in the catalogue.
func keysPath(r *resolver) *field.Path {
	if r.spec.Bootstrap.SSHAuthorizedKeys == nil {
		return r.catalog.Defaults.Path("sshAuthorizedKeys")
	}

	return r.at.Child("bootstrap", "sshAuthorizedKeys")
}

// wholeKeys refuses SSH keys that were cut off when somebody copied them.
func wholeKeys(r *resolver) {
	for i, key := range r.out.Access.SSHAuthorizedKeys {
		if broken := validate.BrokenSSHKey(key); broken != "" {
			r.add(field.Invalid(keysPath(r).Index(i), message.Excerpt(key), broken))
		}
	}
}

// withoutOptions refuses SSH keys with OpenSSH's options where the function does not write them.
func (r *resolver) withoutOptions() {
	at := keysPath(r)

	for i, key := range r.out.Access.SSHAuthorizedKeys {
		if validate.HasSSHOptions(key) {
			r.add(field.Invalid(at.Index(i), message.Excerpt(key), r.noOptions()))
		}
	}
}

// searchDomains refuses several search domains where Proxmox completes the host name with all of them, blanks included (get_hostname_fqdn in
// src/PVE/QemuServer/Cloudinit.pm of qemu-server). An existing VM's guest would get that name at its next power cycle. An adopted VM keeps its drive.
func (r *resolver) searchDomains() {
	search := r.out.Search()
	if len(r.out.SearchDomains) == 0 || !strings.Contains(search, " ") || strings.Contains(r.out.Hostname, ".") || r.existing.Adopting || !r.out.Boot.CloudInit {
		return
	}

	if r.out.RendersUserData() || r.spec.Bootstrap.Snippets.UserData != "" {
		return
	}

	example := r.out.Hostname + "." + strings.Fields(search)[0]
	r.add(field.Invalid(r.at.Child("network", "searchDomains"), field.OmitValueType{}, "the user-data that Proxmox generates completes a host name without a domain with all "+
		"search domains, so the guest would be "+message.Excerpt(r.out.Hostname+"."+search)+": set spec.hostname: "+message.Excerpt(example)+
		", or have the function render the user-data: set spec.bootstrap.userData, for instance to \"#cloud-config\""))
}

// noOptions says why a key may have no options here, and what to do.
func (r *resolver) noOptions() string {
	if r.container {
		return "has options before the key, and Proxmox takes bare keys for a container: remove the options, and write them into ~/.ssh/authorized_keys of the container"
	}

	return "has options before the key, and Proxmox takes bare keys for the user-data that it generates: remove the options, or have the function render the " +
		"user-data: set spec.bootstrap.userData, for instance to \"#cloud-config\""
}
