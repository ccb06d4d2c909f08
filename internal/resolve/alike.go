package resolve

import (
	"reflect"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// alike says whether two resolutions of a claim make no difference to a living VM, of which the first one lacks defaults. The source
// and the firmware of a boot disk never change; name servers and domain never go away.
func alike(without, with machine.Machine) bool {
	if len(without.DNS) == 0 {
		with.DNS = without.DNS
	}

	if without.Domain == "" {
		with.Domain = ""
	}

	if len(without.Access.SSHAuthorizedKeys) == 0 {
		with.Access = without.Access
	}

	for _, m := range []*machine.Machine{&without, &with} {
		m.Boot = machine.Boot{DiskGiB: m.Boot.DiskGiB, Backup: m.Boot.Backup, Cache: m.Boot.Cache}
		m.Firmware, m.Class, m.Kept, m.BuiltIn, m.Overrides = nil, "", nil, nil, nil
		m.Placement.Site, m.Placement.ImageDatastore, m.Placement.SnippetDatastore = "", "", ""
		m.Placement.VMIDRange, m.Placement.VMIDRangePath = nil, ""
	}

	return reflect.DeepEqual(without, with)
}
