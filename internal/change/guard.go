package change

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Circumstances of a comparison, beside the two VMs.
type Circumstances struct {
	// Native says whether the claim leaves the user-data to Proxmox now.
	Native bool
	// Adopted says whether the VM was made by somebody else. Of such a one even what we always write stays as it is.
	Adopted bool
	// FirmwareSaid says whether the claim, or its image, names a firmware.
	FirmwareSaid bool
	// Migrate says whether the VM may be moved to another node now.
	Migrate bool
}

// Guard makes a VM that is wanted into one that a living VM can become: it keeps what cannot change, and what its claim
// does not say. It returns that VM, and what it held back.
//
// What the claim cannot say stays as it was made, so that a later release of this function, with other ideas of a good
// disk controller, changes no machine that runs.
func Guard(wanted, made proxmox.VMParameters, c Circumstances) (proxmox.VMParameters, []Change) {
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

	return out, held
}

// Current is a value of a VM in the words of a [Change]; empty where it has none.
func Current(p proxmox.VMParameters, field string) string {
	for _, r := range rows {
		if r.values == nil {
			continue
		}

		if v := r.values(p); contains(v, field) {
			return words(v, field)
		}
	}

	return ""
}

// RebootFields are the fields of a VM that need a power cycle, in the order of the table.
func RebootFields(p proxmox.VMParameters) []string {
	var out []string

	for _, r := range rows {
		if r.values == nil || r.effect != Reboot {
			continue
		}

		for _, v := range r.values(p) {
			out = append(out, v.field)
		}
	}

	return out
}
