package resolve

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// accounts checks the account and its keys against the image and against who writes the user-data, which is known once all else is
// resolved. A machine that has its VM is not judged: its first boot is over.
func accounts(g *given, n *notes, m *machine.Machine) {
	if g.existing.Has != nil || g.existing.Adopting || !m.Boot.CloudInit {
		return
	}

	at := g.at.Child("bootstrap", "adminUser")
	if g.spec.Bootstrap.AdminUser == "" {
		at = g.catalog.Defaults.Path("adminUser")
	}

	native := !m.RendersUserData() && g.spec.Bootstrap.Snippets.UserData == ""

	switch name := m.Access.AdminUser; {
	case len(m.Access.SSHAuthorizedKeys) == 0:
	case m.Boot.OS.HasAccount(name):
		n.add(field.Invalid(at, name, "is a system account of "+string(m.Boot.OS)+", which cloud-init leaves as it is, so nobody could log in: choose another name, such as ops"))
	case native && m.Boot.OS.HasGroup(name):
		n.add(field.Invalid(at, name, "is a group of "+string(m.Boot.OS)+", and the user-data that Proxmox generates cannot create an account with the name of a group: "+
			"choose another name, such as ops, or have the function render the user-data: set spec.bootstrap.userData, for instance to \"#cloud-config\""))
	}

	wholeKeys(g, n, m.Access)

	for _, doubt := range g.userData().Doubts(guestOf(m)) {
		if near := message.Meant(doubt.Unknown, cloudinit.TopKeys()); near != "" {
			doubt.Text += "; did you mean " + near + "?"
		}

		n.warn("spec.bootstrap.userData: %s.", doubt.Text)
	}

	interfaceNames(g, n, m)
	ownAddresses(g, n, m)
	loginPort(g, n, m)

	if native {
		withoutOptions(g, n, m.Access)
	}
}

// loginPort warns of a firewall that opens the port of SSH, and none of those at which the user-data have sshd listen: nobody could log in. What a security
// group opens, nobody knows.
func loginPort(g *given, n *notes, m *machine.Machine) {
	ports := g.userData().SSHPorts()
	if !m.Firewall.Filters() || len(ports) == 0 || !m.Firewall.Opens("22") || slices.ContainsFunc(ports, m.Firewall.Opens) {
		return
	}

	n.warn("%s: opens TCP 22, and bootstrap.userData have sshd listen at %s, where nobody reaches it: add {port: %s} to spec.firewall.allow, or leave sshd at 22.",
		m.Firewall.From.Field(), strings.Join(ports, " and "), ports[0])
}

// guestOf is what a cloud-config finds on a new machine. A template brings disks of its own, and so does a controller that is passed through.
func guestOf(m *machine.Machine) cloudinit.Guest {
	out := cloudinit.Guest{Default: m.Boot.OS.DefaultUser(), StaysOn: m.Power == v1alpha1.PowerRunning, BrokenKey: validate.UselessSSHKey}
	out.Fixed = len(m.NICs) > 0 && !slices.ContainsFunc(m.NICs, func(n machine.NIC) bool { return n.IPv4.Method != machine.MethodStatic })

	if len(m.Access.SSHAuthorizedKeys) > 0 {
		out.Account = m.Access.AdminUser
	}

	if out.Default != "" {
		out.Has, out.HasGroup = m.Boot.OS.HasAccount, m.Boot.OS.HasGroup
	}

	switch {
	case m.K3s != nil:
		out.Bootstrap = cloudinit.BootstrapK3s
	case m.Nix != nil:
		out.Bootstrap = cloudinit.BootstrapNixOS
	}

	for _, d := range m.Disks {
		if d.MountPath != "" {
			out.Mounted = append(out.Mounted, cloudinit.Disk{Name: d.Name, MountPath: d.MountPath})
		}
	}

	if m.Boot.Source != machine.SourceClone && len(m.PCI) == 0 && len(m.USB) == 0 {
		out.Disks = []cloudinit.Disk{{}}
		for _, d := range m.Disks {
			out.Disks = append(out.Disks, cloudinit.Disk{Name: d.Name, MountPath: d.MountPath})
		}
	}

	return out
}

// keysPath is where the machine's SSH keys are written: in the claim, or in the catalogue.
func keysPath(g *given) *field.Path {
	if g.spec.Bootstrap.SSHAuthorizedKeys == nil {
		return g.catalog.Defaults.Path("sshAuthorizedKeys")
	}

	return g.at.Child("bootstrap", "sshAuthorizedKeys")
}

// wholeKeys refuses SSH keys that were cut off when somebody copied them.
func wholeKeys(g *given, n *notes, has machine.Access) {
	for i, key := range has.SSHAuthorizedKeys {
		if broken := validate.BrokenSSHKey(key); broken != "" {
			n.add(field.Invalid(keysPath(g).Index(i), message.Excerpt(key), broken))
		}
	}
}

// withoutOptions refuses SSH keys with OpenSSH's options where the function does not write them.
func withoutOptions(g *given, n *notes, has machine.Access) {
	at := keysPath(g)

	for i, key := range has.SSHAuthorizedKeys {
		if validate.HasSSHOptions(key) {
			n.add(field.Invalid(at.Index(i), message.Excerpt(key), noOptions(g)))
		}
	}
}

// searchDomains refuses several search domains where Proxmox completes the host name with all of them, blanks included (get_hostname_fqdn in
// src/PVE/QemuServer/Cloudinit.pm of qemu-server). An existing VM's guest would get that name at its next power cycle. An adopted VM keeps its drive.
func searchDomains(g *given, n *notes, m *machine.Machine) {
	search := m.Search()
	if len(m.SearchDomains) == 0 || !strings.Contains(search, " ") || strings.Contains(m.Hostname, ".") || g.existing.Adopting || !m.Boot.CloudInit {
		return
	}

	if m.RendersUserData() || g.spec.Bootstrap.Snippets.UserData != "" {
		return
	}

	example := m.Hostname + "." + strings.Fields(search)[0]
	n.add(field.Invalid(g.at.Child("network", "searchDomains"), field.OmitValueType{}, "the user-data that Proxmox generates completes a host name without a domain with all "+
		"search domains, so the guest would be "+message.Excerpt(m.Hostname+"."+search)+": set spec.hostname: "+message.Excerpt(example)+
		", or have the function render the user-data: set spec.bootstrap.userData, for instance to \"#cloud-config\""))
}

// longestHostname is HOST_NAME_MAX of Linux.
const longestHostname = 64

// longName warns of a full name that a guest cannot take as its host name. cloud-init of the RHEL family takes the full one
// (https://github.com/canonical/cloud-init/issues/3033), that of Debian and Ubuntu what stands before the first point.
func longName(g *given, n *notes, m *machine.Machine) {
	full := m.FullHostname()
	if len(full) <= longestHostname || m.Boot.OS != machine.OSLinux || !m.Boot.CloudInit || !g.isNew() {
		return
	}

	n.warn("%s: the full name %s is longer than the %d characters that Linux takes as a host name: on images of the RHEL family, whose cloud-init takes the full one, the guest keeps "+
		"the name of its image. Shorten spec.hostname, or the domain.", g.at.Child("hostname"), message.Excerpt(full), longestHostname)
}

// noOptions says why a key may have no options here, and what to do.
func noOptions(g *given) string {
	if g.container {
		return "has options before the key, and Proxmox takes bare keys for a container: remove the options, and write them into ~/.ssh/authorized_keys of the container"
	}

	return "has options before the key, and Proxmox takes bare keys for the user-data that it generates: remove the options, or have the function render the " +
		"user-data: set spec.bootstrap.userData, for instance to \"#cloud-config\""
}
