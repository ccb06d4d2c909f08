package bootstrap

import (
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

const agentPackage = "qemu-guest-agent"

// installsAgent reports whether the rendered user-data installs the guest agent, for an image without it.
func installsAgent(m *machine.Machine) bool {
	if m.InstallAgent != nil && !*m.InstallAgent {
		return false
	}

	return m.Boot.OS == machine.OSDebian || m.Boot.OS == machine.OSUbuntu || m.Boot.OS == machine.OSLinux
}

// installAgent adds the guest agent to a document.
func installAgent(d *cloudinit.Document) {
	no, yes := false, true
	d.PackageUpdate = &yes
	d.PackageUpgrade = &no
	d.Packages = []string{agentPackage}
	// Debian's unit is static: it cannot be enabled, so start it.
	d.RunCmd = [][]string{{"systemctl", "start", "--no-block", agentPackage + ".service"}}
}

// addAgent makes vendor-data that installs the guest agent beside the user-data that Proxmox generates. Without the agent, Proxmox
// does not know the guest's addresses, and shuts it down by ACPI only.
//
// A snippet needs a datastore and SSH to the node, which such a machine did without before: unless the claim asks for the agent, the
// catalogue must say where the node stores snippets.
func (b *Bootstrap) addAgent(m *machine.Machine) {
	asked := m.InstallAgent != nil && *m.InstallAgent

	switch {
	case m.Boot.GuestAgent, m.InstallAgent != nil && !asked:
		return
	case m.Boot.OS != machine.OSDebian && m.Boot.OS != machine.OSUbuntu && !(asked && m.Boot.OS == machine.OSLinux):
		return
	case m.Snippets.VendorData != "":
		b.NoAgent = "your vendor-data snippet is in its place; install qemu-guest-agent there, and set guestAgent: true at the image in the catalogue"
	case !asked && m.Placement.SnippetSource == machine.SnippetsUnserved:
		b.NoAgent = "datastore " + m.Placement.SnippetDatastore + ", which the catalogue names for snippets of node " + m.Placement.Node +
			" (datastores.snippets), does not serve content type snippets. Name another one there, or have it serve snippets and add that to its storages in the catalogue; " +
			"or set spec.bootstrap.guestAgent to false to do without the agent"
	case !asked && m.Placement.SnippetSource == machine.SnippetsGuessed:
		b.NoAgent = "no catalogue names the datastore for snippets of node " + m.Placement.Node + " (datastores.snippets). Name it there, or set " +
			"spec.bootstrap.guestAgent to true to use " + m.Placement.SnippetDatastore + ", or to false to do without the agent"
	default:
		installAgent(&b.vendor)
		b.GuestAgent = true
	}
}

// InstallsAgent says whether there is vendor-data that installs the guest agent; mode Native only.
func (b *Bootstrap) InstallsAgent() bool { return len(b.vendor.Packages) > 0 }

// VendorData returns the vendor-data; only if InstallsAgent.
func (b *Bootstrap) VendorData() ([]byte, error) { return b.vendor.Marshal() }
