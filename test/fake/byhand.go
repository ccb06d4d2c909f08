package fake

import (
	"strconv"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// strangeVM is what the provider reads of a VM that no function made: disks on other buses and in other orders, cards and
// drives that no claim can say, and things that are not there.
const strangeVM = `
name: by-hand
nodeName: pve2
description: "made by hand: ${HOME}"
started: true
onBoot: false
tags: [old, Zoo]
bios: ovmf
machine: pc-q35-8.1
efiDisk: [{datastoreId: tank, type: 4m, preEnrolledKeys: true}]
scsiHardware: lsi
bootOrder: [virtio3, net0]
acpi: true
template: false
protection: false
tabletDevice: false
keyboardLayout: de
operatingSystem: [{type: win10}]
cpu: [{cores: 3, sockets: 2, type: host, numa: true, units: 100}]
memory: [{dedicated: 6144, floating: 2048, shared: 0}]
agent: [{enabled: true, timeout: 15m, trim: false, type: virtio}]
disk:
- {interface: sata1, datastoreId: tank, size: 500, fileFormat: raw, pathInDatastore: vm-1-disk-1, aio: native, backup: false, cache: writeback, discard: ignore, iothread: false, replicate: true, ssd: false}
- {interface: virtio3, datastoreId: local-zfs, size: 64, fileFormat: raw, pathInDatastore: vm-1-disk-0, aio: io_uring, backup: true, cache: none, discard: ignore, iothread: false, replicate: false, ssd: false}
networkDevice:
- {bridge: vmbr1, model: e1000, macAddress: "BC:24:11:AA:BB:CC", firewall: true, enabled: true, vlanId: 40, mtu: 1450}
- {bridge: vmbr0, model: virtio, macAddress: "BC:24:11:AA:BB:CD", firewall: false, enabled: true, vlanId: 0}
cdrom: [{fileId: none, interface: ide2}]
hostpci: [{device: hostpci1, mapping: gpu1, pcie: false, rombar: true, xvga: true}]
vga: [{type: qxl, memory: 32}]
smbios: [{serial: x}]
`

// StrangeVM has a VMID and the configuration of strangeVM.
func StrangeVM(t testing.TB, id int) map[string]any {
	t.Helper()

	vm := world.FromYAML(t, strangeVM)
	vm["id"], vm["vmId"] = strconv.Itoa(id), float64(id)

	return vm
}

// HandMade is a VM that somebody made in Proxmox, as the provider reports it, with some of it changed.
func HandMade(t testing.TB, edits ...string) map[string]any {
	t.Helper()

	vm := world.FromYAML(t, `
name: nas
nodeName: pve
started: true
onBoot: true
tags: [old]
bios: seabios
machine: pc
scsiHardware: virtio-scsi-pci
bootOrder: [scsi0, ide2]
acpi: true
tabletDevice: true
keyboardLayout: de
operatingSystem: [{type: l26}]
cpu: [{cores: 3, sockets: 1, type: host, numa: false}]
memory: [{dedicated: 6144, floating: 2048}]
agent: [{enabled: false, timeout: 15m, trim: true, type: virtio}]
disk:
- {interface: scsi0, datastoreId: local-zfs, size: 64, fileFormat: raw, pathInDatastore: vm-108-disk-0, aio: io_uring, backup: true, cache: none, discard: ignore, iothread: false, replicate: true, ssd: false}
- {interface: sata1, datastoreId: tank, size: 500, fileFormat: raw, pathInDatastore: vm-108-disk-1, aio: native, backup: false, cache: writeback, discard: ignore, iothread: false, replicate: true, ssd: false}
networkDevice: [{bridge: vmbr0, model: e1000, macAddress: "BC:24:11:AA:BB:CC", firewall: true, enabled: true}]
initialization: [{datastoreId: local-zfs, interface: ide2, ipConfig: [{ipv4: [{address: 192.168.4.8/24, gateway: 192.168.4.1}]}], userAccount: [{username: admin, keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam old@home"]}]}]
vga: [{type: qxl, memory: 32}]
`)

	for _, e := range edits {
		world.Merge(vm, world.FromYAML(t, e))
	}

	return vm
}
