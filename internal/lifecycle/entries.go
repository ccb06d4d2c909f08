package lifecycle

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// entriesOf are what a living VM has, in the form of a catalogue's entries, as it was last written.
func entriesOf(vm proxmox.ObservedVM) *resolve.Entries {
	p := vm.Spec.ForProvider

	return &resolve.Entries{Class: classOf(p), Image: imageOf(p), Site: siteOf(vm), Access: accessOf(p), DataDisks: len(p.Disk) > 1}
}

func classOf(p proxmox.VMParameters) catalog.Class {
	var out catalog.Class

	if len(p.CPU) > 0 {
		out.Cores, out.CPUType = p.CPU[0].Cores, p.CPU[0].Type
	}

	if len(p.Memory) > 0 {
		out.Memory = v1alpha1.Quantity(fmt.Sprintf("%dMi", p.Memory[0].Dedicated))
	}

	if i := change.BootDisk(p); i >= 0 {
		out.Disk = v1alpha1.Quantity(fmt.Sprintf("%dGi", p.Disk[i].Size))
	}

	return out
}

// imageOf is the source of a VM's boot disk, as far as the VM tells. Which Linux the guest is, it does not tell.
func imageOf(p proxmox.VMParameters) catalog.Image {
	hasDrive := len(p.Initialization) > 0
	hasAgent := len(p.Agent) > 0 && p.Agent[0].Enabled
	out := catalog.Image{Image: catalogue.Image{OS: string(machine.OSLinux), CloudInit: &hasDrive, GuestAgent: &hasAgent, Firmware: firmwareOf(p)}}

	if len(p.OperatingSystem) > 0 {
		switch p.OperatingSystem[0].Type {
		case "win11":
			out.OS = string(machine.OSWindows)
		case "other":
			out.OS = string(machine.OSOther)
		}
	}

	if i := change.BootDisk(p); i >= 0 {
		out.TemplateDisk, out.Volume = p.Disk[i].Interface, cmp.Or(p.Disk[i].ImportFrom, p.Disk[i].FileID)
	}

	switch {
	case len(p.Clone) > 0:
		out.Template, out.TemplateNode, out.Volume = p.Clone[0].VMID, p.Clone[0].NodeName, ""
	case out.Volume == "" && len(p.CDROM) > 0 && p.CDROM[0].FileID != proxmox.NoMedium:
		out.Volume = p.CDROM[0].FileID
	}

	return out
}

// firmwareOf a VM; nil for a clone with the firmware of its template.
func firmwareOf(p proxmox.VMParameters) *v1alpha1.Firmware {
	if p.Machine == "" {
		return nil
	}

	out := &v1alpha1.Firmware{Type: v1alpha1.FirmwareBIOS, Machine: p.Machine, TPM: len(p.TPMState) > 0}
	if p.Bios == "ovmf" {
		out.Type = v1alpha1.FirmwareUEFI
	}

	out.SecureBoot = slices.ContainsFunc(p.EFIDisk, func(e proxmox.EFIDisk) bool { return e.PreEnrolledKeys })

	return out
}

// siteOf is the provider configuration of a VM, and the network of its first interface.
func siteOf(vm proxmox.ObservedVM) catalog.Site {
	p, ref := vm.Spec.ForProvider, vm.Spec.ProviderConfigRef
	out := catalog.Site{Site: catalogue.Site{ProviderConfig: ref.Name, ProviderConfigKind: ref.Kind}}
	n := &out.Network

	if len(p.NetworkDevice) > 0 {
		n.Bridge = p.NetworkDevice[0].Bridge
		if tag := p.NetworkDevice[0].VLANID; tag != nil {
			n.VLAN = *tag
		}
	}

	if len(p.Initialization) == 0 {
		return out
	}

	GuestNetwork(n, p.Initialization[0].DNS, p.Initialization[0].IPConfig)

	return out
}

// GuestNetwork writes into a site's network what Proxmox told a guest of it: name servers, and the subnet of the first interface.
func GuestNetwork(to *catalogue.SiteNetwork, dns []proxmox.DNS, config []proxmox.IPConfig) {
	if len(dns) > 0 {
		to.DNS = dns[0].Servers
		to.Domain, _ = dns[0].Search() // The others are the claim's.
	}

	if len(config) > 0 && len(config[0].IPv4) > 0 {
		a := config[0].IPv4[0]
		if prefix, err := netip.ParsePrefix(a.Address); err == nil {
			to.CIDR, to.Gateway = int64(prefix.Bits()), a.Gateway
		}
	}
}

func accessOf(p proxmox.VMParameters) machine.Access {
	if len(p.Initialization) == 0 || len(p.Initialization[0].UserAccount) == 0 {
		return machine.Access{}
	}

	a := p.Initialization[0].UserAccount[0]

	return machine.Access{AdminUser: a.Username, SSHAuthorizedKeys: a.Keys}
}
