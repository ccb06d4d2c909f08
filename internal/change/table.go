package change

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A value is one property of a VM as text, with the claim's field for it. Equal texts mean no change.
type value struct {
	field string
	words string
}

// A row is one kind of property of VMs. Rows differ in what they read and write, so each brings its own code.
type row struct {
	// values appends those of the property. A property without a field in the claim has no values; unsaid keeps it.
	values func([]value, proxmox.VMParameters) []value
	// effect of changing one of the values.
	effect Effect
	// detail: a value counts only where both VMs have the property of which it is a detail.
	detail bool
	// unsaid makes a VM keep what its claim does not mention; nothing is reported.
	unsaid func(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances)
	// refuse makes a VM keep what the claim changes and the VM cannot change; the change is reported as refused.
	refuse func(to *proxmox.VMParameters, made proxmox.VMParameters, c Circumstances)
}

// rows is the only table of what becomes of a change. Sources: provider.md, sections 3.1 and 3.3, as provider-lab.md and the
// runs of test/provider correct it.
var rows = []row{ //nolint:gochecknoglobals // A constant table.
	{values: one("spec.proxmox.vmId", vmID), effect: Refused, refuse: keepVMID},
	{values: one("spec.proxmox.node", node), effect: InPlace, unsaid: unsaidNode, refuse: keepNode},
	{values: one("spec.image", bootSource), effect: Refused, unsaid: unsaidImage, refuse: keepImage},
	{values: one("spec.firmware", firmware), effect: Refused, unsaid: unsaidFirmware, refuse: keepFirmware},

	{values: one("spec.hostname", func(p proxmox.VMParameters) string { return p.Name }), effect: InPlace},
	{values: one("description", func(p proxmox.VMParameters) string { return p.Description }), effect: InPlace},
	{values: one("spec.tags", tags), effect: InPlace},
	{values: one("spec.proxmox.pool", func(p proxmox.VMParameters) string { return p.PoolID }), effect: InPlace, unsaid: unsaidPool, refuse: keepPool},
	{values: one("spec.power", power), effect: InPlace},
	{values: one("spec.onBoot", onBoot), effect: InPlace, unsaid: unsaidOnBoot},
	{values: one("spec.startup", startup), effect: InPlace, unsaid: unsaidStartup},

	{values: one("spec.size.cores", cores), effect: Reboot},
	{values: one(fieldCPUType, cpuType), effect: Reboot},
	{values: one("spec.size.memory", memory), effect: Reboot},
	{values: one("spec.size.memoryFloor", memoryFloor), effect: Reboot, unsaid: unsaidMemoryFloor},
	{values: one("spec.vga.type", display), effect: Reboot, unsaid: unsaidDisplay},
	{values: one("guest agent", agent), effect: Reboot, unsaid: unsaidAgent},

	{values: diskSizes, effect: InPlace, unsaid: unsaidDisks, refuse: keepDisks},
	{values: diskStorage, effect: Refused, detail: true},
	{values: diskBackups, effect: InPlace, detail: true},
	{values: diskCaches, effect: Reboot, detail: true},
	{values: diskDiscards, effect: Reboot, detail: true},
	{values: diskSSDs, effect: Reboot, detail: true},

	{values: bridges, effect: InPlace, unsaid: unsaidInterfaces, refuse: keepInterfaces},
	{values: vlans, effect: InPlace, detail: true},
	{values: macs, effect: InPlace, detail: true, refuse: keepMACs},
	{values: firewalls, effect: InPlace, detail: true},
	{values: mtus, effect: InPlace, detail: true},

	{values: one("spec.devices.pci", pci), effect: Reboot},
	{values: one("spec.devices.usb", usb), effect: Reboot},

	{values: one("spec.network.dns", dnsServers), effect: Reboot, unsaid: unsaidInitialization, refuse: keepInitialization},
	{values: searchDomains, effect: Reboot},
	{values: addresses, effect: Reboot, refuse: keepAddresses},
	{values: account, effect: Reboot, detail: true},
	{values: one("spec.bootstrap.sshAuthorizedKeys", keys), effect: Reboot},

	{unsaid: unsaidHardware},
}

// on a VM, the effect of changing a field. What is on the cloud-init drive of a guest that reads it once is not seen at any power cycle: see [ReadsDriveOnce].
func (e Effect) on(vm proxmox.VMParameters, field string) Effect {
	if e == Reboot && isOnDrive(field) && ReadsDriveOnce(vm) {
		return InPlace
	}

	return e
}

// one is the value of a property that a VM has once.
func one(field string, words func(proxmox.VMParameters) string) func([]value, proxmox.VMParameters) []value {
	return func(to []value, p proxmox.VMParameters) []value { return append(to, value{field, words(p)}) }
}

// Compare says how one VM differs from another, in the order of the table.
func Compare(has, wanted proxmox.VMParameters) []Change {
	var (
		out            []Change
		before, wishes []value // Of one row, in the memory of the row before: every call compares its VMs some times.
	)

	for _, r := range rows {
		if r.values == nil {
			continue
		}

		before, wishes = r.values(before[:0], has), r.values(wishes[:0], wanted)

		for _, d := range differences(before, wishes, r.detail) {
			d.Effect = r.effect.on(has, d.Field)
			out = append(out, d)
		}
	}

	return out
}

// differences of two lists of values. A value that only one list has is none in the other list, unless it is a detail.
func differences(has, wanted []value, detail bool) []Change {
	var out []Change

	for _, h := range has {
		if w := words(wanted, h.field); w != h.words && (!detail || contains(wanted, h.field)) {
			out = append(out, Change{Field: h.field, Has: h.words, Wanted: w})
		}
	}

	for _, w := range wanted {
		if !contains(has, w.field) && w.words != "" && !detail {
			out = append(out, Change{Field: w.field, Wanted: w.words})
		}
	}

	return out
}

func words(values []value, field string) string {
	for _, v := range values {
		if v.field == field {
			return v.words
		}
	}

	return ""
}

func contains(values []value, field string) bool {
	for _, v := range values {
		if v.field == field {
			return true
		}
	}

	return false
}
