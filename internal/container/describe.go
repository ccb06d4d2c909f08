package container

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// Describe is the container of a claim as it would be created today, under a composed resource name.
func Describe(m *machine.Container, name string) proxmox.ContainerParameters {
	id := VMIDOf(m)
	interfaces, addresses := nics(m.NICs)

	p := proxmox.ContainerParameters{
		NodeName:         m.Placement.Node,
		VMID:             &id,
		Description:      description(m, name),
		Tags:             append([]string{}, m.Tags...),
		PoolID:           m.Placement.Pool,
		StartOnBoot:      m.OnBoot,
		Startup:          render.Startup(m.Startup),
		Unprivileged:     is(m.Unprivileged),
		Protection:       m.ProxmoxProtection,
		OperatingSystem:  []proxmox.ContainerOS{{TemplateFileID: m.Template.Volume, Type: m.OS}},
		CPU:              []proxmox.ContainerCPU{{Cores: m.Cores}},
		Memory:           []proxmox.ContainerMemory{{Dedicated: m.MemoryMiB, Swap: number(m.SwapMiB)}},
		Disk:             []proxmox.RootFS{{DatastoreID: m.Placement.DiskDatastore, Size: m.Boot.DiskGiB, Replicate: true}},
		MountPoint:       mountPoints(m),
		NetworkInterface: interfaces,
		Initialization:   []proxmox.ContainerInit{initialization(m, addresses)},
	}

	if is(m.Nesting) {
		p.Features = []proxmox.ContainerFeature{{Nesting: true}}
	}

	return p
}

// VMIDOf a claim's container.
func VMIDOf(m *machine.Container) int64 {
	if m.Placement.VMID == 0 && m.Adopt != nil {
		return m.Adopt.VMID
	}

	return m.Placement.VMID
}

// description has the claim's notes, and tells an administrator in Proxmox where the container comes from. The identity in it tells a container that we
// made from any other that has its VMID.
func description(m *machine.Container, guest string) string {
	origin := fmt.Sprintf("%s, %s), managed by Crossplane: change the claim in Git.", m.Identity.Origin(), m.Identity.UUID(guest))
	if m.Notes == "" {
		return origin
	}

	return m.Notes + "\n\n" + origin
}

// identity of a claim's container, in its notes.
var identity = regexp.MustCompile(`\(homelab\.io, ([0-9a-f-]{36})\)`)

// identityIn the notes that were written of a container; empty where there is none.
func identityIn(notes string) string {
	m := identity.FindStringSubmatch(notes)
	if m == nil {
		return ""
	}

	return m[1]
}

func mountPoints(m *machine.Container) []proxmox.MountPoint {
	var out []proxmox.MountPoint
	for _, d := range m.MountPoints {
		out = append(out, proxmox.MountPoint{Path: d.Path, Volume: d.Datastore, Size: fmt.Sprintf("%dG", d.SizeGiB), Backup: d.Backup})
	}

	return out
}

// initialization is what Proxmox configures in the guest, with the addresses of all interfaces.
func initialization(m *machine.Container, addresses []proxmox.IPConfig) proxmox.ContainerInit {
	out := proxmox.ContainerInit{Hostname: m.Hostname, IPConfig: addresses}

	if search := m.Search(); len(m.DNS) > 0 || search != "" {
		out.DNS = []proxmox.DNS{{Domain: search, Servers: m.DNS}}
	}

	if keys := m.Access.SSHAuthorizedKeys; len(keys) > 0 {
		out.UserAccount = []proxmox.ContainerAccount{{Keys: keys}}
	}

	return out
}

func is(b *bool) bool { return b != nil && *b }

func number(n *int64) int64 {
	if n == nil {
		return 0
	}

	return *n
}

// sameText says whether two texts are the same to a reader: Proxmox ends a description with a line end.
func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
