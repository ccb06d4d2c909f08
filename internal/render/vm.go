package render

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// agentTimeout is how long the provider waits for the guest agent at every poll of a VM. A poll may take three minutes in all, so
// with the default of 15 minutes a VM without an agent could never become ready.
const agentTimeout = "15s"

// parameters of the VM that the claim describes, as it would be created today. It has a VMID only if one was picked.
func (d describer) parameters(ids proxmox.Initialization) proxmox.VMParameters {
	m := d.r.Machine

	p := proxmox.VMParameters{
		NodeName:        m.Placement.Node,
		Name:            m.Hostname,
		Description:     description(m),
		Tags:            append([]string{}, m.Tags...),
		PoolID:          m.Placement.Pool,
		Started:         lifecycle.StartedAtBirth(d.r.Situation),
		OnBoot:          m.OnBoot,
		Startup:         Startup(m.Startup),
		StopOnDestroy:   true,
		PurgeOnDestroy:  true,
		OperatingSystem: []proxmox.OperatingSystem{{Type: operatingSystem(m.Boot.OS)}},
		CPU:             []proxmox.CPU{{Cores: m.Cores, Sockets: 1, Type: m.CPUType}},
		Memory:          []proxmox.Memory{{Dedicated: m.MemoryMiB, Floating: m.MemoryFloorMiB}},
		Agent:           []proxmox.Agent{{Enabled: d.r.Bootstrap.GuestAgent, Timeout: agentTimeout, Trim: true, Type: "virtio"}},
		ScsiHardware:    "virtio-scsi-single",
		BootOrder:       bootOrder(m.Boot),
		Disk:            disks(m),
		CDROM:           cdrom(m.Boot),
		Clone:           clone(m),
		NetworkDevice:   networkDevices(m.NICs),
		SerialDevice:    []proxmox.SerialDevice{{Device: "socket"}},
		VGA:             display(m.VGA),
		Initialization:  d.initialization(ids),
		SMBIOS:          []proxmox.SMBIOS{{UUID: m.Identity.UUID(d.r.Roles.Described())}},
	}
	firmware(&p, m)
	devices(&p, m)

	if id := d.r.VMID.VMID; id != 0 {
		p.VMID = &id
	}

	return p
}

// display of the VM; nil where it is not said.
func display(name string) []proxmox.VGA {
	if name == "" {
		return nil
	}

	return []proxmox.VGA{{Type: name}}
}

// description has the claim's notes, and tells an administrator in Proxmox where the VM comes from.
func description(m *machine.Machine) string {
	if m.Notes == "" {
		return origin(m.Identity)
	}

	return m.Notes + "\n\n" + origin(m.Identity)
}

func origin(id machine.Identity) string {
	return id.Origin() + "), managed by Crossplane. Change the claim in Git: changes made here are undone."
}

// operatingSystem is Proxmox's name for a family of guests.
func operatingSystem(os machine.OS) string {
	switch os {
	case machine.OSWindows:
		return "win11"
	case machine.OSOther:
		return "other"
	case machine.OSDebian, machine.OSUbuntu, machine.OSNixOS, machine.OSLinux:
		return "l26"
	}

	return "l26"
}

// nodeDefault leaves an order or a delay to the node.
const nodeDefault = -1

// Startup is the place of a VM or of a container in the start order of its node; nil if the claim has none: an order of nothing but defaults never
// converges.
func Startup(place *v1alpha1.Startup) []proxmox.Startup {
	if machine.NoStartup(place) {
		return nil
	}

	s := proxmox.Startup{Order: nodeDefault, UpDelay: nodeDefault, DownDelay: nodeDefault}
	for to, from := range map[*int64]*int64{
		&s.Order: place.Order, &s.UpDelay: place.UpDelaySeconds, &s.DownDelay: place.DownDelaySeconds,
	} {
		if from != nil {
			*to = *from
		}
	}

	return []proxmox.Startup{s}
}
