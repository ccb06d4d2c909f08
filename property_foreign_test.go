package main

import (
	"strconv"
	"testing"
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

// foreignVM with a number.
func foreignVM(t testing.TB, id int) map[string]any {
	t.Helper()

	vm := object(runtimeCopy(fromYAML(t, strangeVM)))
	vm["id"], vm["vmId"] = strconv.Itoa(id), float64(id)

	return vm
}
