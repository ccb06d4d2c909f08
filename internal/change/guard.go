package change

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Circumstances of a comparison, beside the two VMs.
type Circumstances struct {
	// Native says whether the claim leaves the user-data to Proxmox now.
	Native bool
	// AgentAtFirstBoot says whether a snippet of the first boot decides on the guest agent: a VM that exists has it or not, for good.
	AgentAtFirstBoot bool
	// Adopted says whether the VM was made by somebody else. Of such a one even what we always write stays as it is.
	Adopted bool
	// FirmwareSaid says whether the claim, or its image, names a firmware.
	FirmwareSaid bool
	// NodeUnsaid, OnBootUnsaid and BackupUnsaid say that the claim of an adopted VM does not name the node, the start at boot, and
	// whether the boot disk is backed up.
	NodeUnsaid, OnBootUnsaid, BackupUnsaid bool
	// SSDUnsaid says that the claim, of whatever VM, does not say whether the boot disk is an SSD.
	SSDUnsaid bool
	// NICs are the VM's interfaces as Proxmox reports them; none before it does.
	NICs []proxmox.ObservedDevice
	// AddressesStay says of the VM's interfaces, by their number, which keep an address that the claim changes: only a new VM can have the other one.
	AddressesStay []bool
	// Migrate says whether the VM may be moved to another node now.
	Migrate bool
	// OtherProxmox says that the claim's site is another Proxmox cluster than the VM's: its nodes, bridges and addresses are none for the VM.
	OtherProxmox bool
}

// A Guarded is what a living VM can become.
type Guarded struct {
	VM proxmox.VMParameters
	// Changes that make the VM of what it was made as.
	Changes []Change
	// Held are the changes that were wanted and are refused.
	Held []Change
}

// Guard makes a VM that is wanted into one that a living VM can become: it keeps what cannot change, and what its claim
// does not say.
//
// What the claim cannot say stays as it was made, so that a later release of this function, with other ideas of a good
// disk controller, changes no machine that runs.
func Guard(wanted, made proxmox.VMParameters, c Circumstances) Guarded {
	wanted = clone(wanted)

	for _, r := range rows {
		if r.unsaid != nil {
			r.unsaid(&wanted, made, c)
		}
	}

	out := clone(wanted)

	for _, r := range rows {
		if r.refuse != nil {
			r.refuse(&out, made, c)
		}
	}

	held := Compare(out, wanted)
	for i := range held {
		held[i].Effect = Refused
	}

	return Guarded{VM: out, Changes: Compare(made, out), Held: held}
}

// Outstanding are the changes that a running VM still has to take up, in the order of the table. has is what it runs with, by
// field; a field that is wanted as it runs, or that needs no power cycle, is none of them.
func Outstanding(has map[string]string, wanted proxmox.VMParameters) []Change {
	var (
		out    []Change
		values []value // Of one row.
	)

	left := maps.Clone(has)

	// As earlier releases noted it.
	if former, ok := left[formerCPUType]; ok {
		delete(left, formerCPUType)
		left[fieldCPUType] = former
	}

	for _, r := range rows {
		if r.values == nil {
			continue
		}

		values = r.values(values[:0], wanted)

		for _, v := range values {
			if h, ok := left[v.field]; ok {
				delete(left, v.field)

				if h != v.words && r.effect.on(wanted, v.field) == Reboot {
					out = append(out, Change{Field: v.field, Has: h, Wanted: v.words, Effect: Reboot})
				}
			}
		}
	}

	// What the VM is to lose has no value any more.
	for _, field := range slices.Sorted(maps.Keys(left)) {
		if left[field] != "" && Reboot.on(wanted, field) == Reboot {
			out = append(out, Change{Field: field, Has: left[field], Effect: Reboot})
		}
	}

	return out
}

// AsMade is what a VM was made with. Proxmox may have moved it since, and a person may have grown its disks, or emptied its CD drive; it stays where and
// as it is.
func AsMade(vm proxmox.ObservedVM) proxmox.VMParameters {
	p := proxmox.AsFound(vm)
	if n := vm.Status.AtProvider.NodeName; n != "" {
		p.NodeName = n
	}

	if id := proxmox.VMIDOf(vm); id != 0 {
		p.VMID = &id
	}

	return p
}
