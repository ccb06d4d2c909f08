package machine

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// A Container is one LXC container in plain figures. What it has in common with a VM is in the [Machine]; what only VMs have is empty there.
type Container struct {
	Machine

	// Template that a new container is created from; zero for an adopted container whose claim names none.
	Template ContainerTemplate
	// OS is the distribution of the template, as Proxmox spells it.
	OS string
	// SwapMiB is nil where an adopted container keeps its own.
	SwapMiB *int64
	// Nesting is nil where an adopted container keeps its own.
	Nesting *bool
	// Unprivileged is nil where an adopted container keeps its own.
	Unprivileged *bool
	// ProxmoxProtection is Proxmox's own option "protection"; nil where the claim does not say it.
	ProxmoxProtection *bool
	// MountPoints beside the root file system, parents first, else in the order of the claim.
	MountPoints []MountPoint
	// KeysUnsaid says that the claim names no SSH keys, so that those of the catalogue count.
	KeysUnsaid bool
	// KeepsOwn is what an adopted container keeps, because its claim does not say it.
	KeepsOwn ContainerKeeps
}

// DiskGiB of the root file system and all mount points together.
func (c *Container) DiskGiB() int64 {
	out := c.Machine.DiskGiB()
	for _, m := range c.MountPoints {
		out += m.SizeGiB
	}

	return out
}

// ContainerKeeps are the settings that an adopted container keeps, because its claim does not say them.
type ContainerKeeps struct {
	Network  bool // The interfaces, name servers and domain.
	Bridge   bool
	VLAN     bool
	DNS      bool
	Hostname bool
	OnBoot   bool
	Notes    bool
	Startup  bool
	Disks    bool
}

// A ContainerTemplate is what a container is created from.
type ContainerTemplate struct {
	Volume   string    // As storage:vztmpl/file.
	Download *Download // Nil where the template is on the node already.
}

// A MountPoint is a volume of a container beside its root file system.
type MountPoint struct {
	Path      string // In the container.
	SizeGiB   int64
	Datastore string
	Backup    bool
}

// NoStartup is the empty place in a start order, which says nothing.
func NoStartup(s *v1alpha1.Startup) bool { return s == nil || *s == (v1alpha1.Startup{}) }
