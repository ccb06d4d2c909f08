package claims

import (
	"fmt"
	"strings"
)

func wrongFigures() map[string]wrong {
	return map[string]wrong{
		"MemoryBelowMinimum": {
			reason: "E20 words this.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 64Mi}}`),
			want: one("spec.size.memory", "memory 64Mi is below minimum of 128 MB"),
		},
		"MemoryAboveMaximum": {
			reason: "E10 has the range.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 3Ti}}`),
			want: one("spec.size.memory", "memory 3Ti is above maximum of 2 TB"),
		},
		"MemoryUnit": {
			reason: "GB is no unit of Kubernetes or Proxmox.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 4GB}}`), xrd: true,
			want: one("spec.size.memory", "must be a whole number with a unit"),
		},
		"MemoryFraction": {
			reason: "A fraction has to be written in a smaller unit.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 1.5Gi}}`), xrd: true,
			want: one("spec.size.memory", "must be a whole number with a unit"),
		},
		"MemoryNegative": {
			reason: "There is no negative memory.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: -4096}}`),
			want: one("spec.size.memory", "must be a whole number with a unit"),
		},
		"DiskNotWhole": {
			reason: "Disks are whole GiB.", claim: aMachine(`{proxmox: {node: pve}, size: {disk: 1536Mi}}`),
			want: one("spec.size.disk", "write 1Gi or 2Gi"),
		},
		"DiskTooLarge": {
			reason: "E11 has the range.", claim: aMachine(`{proxmox: {node: pve}, size: {disk: 200Ti}}`),
			want: one("spec.size.disk", "disk 200Ti is above maximum of 100 TB"),
		},
		"DiskBelowImage": {
			reason: "An image does not fit on a smaller disk.", claim: aMachine(`{proxmox: {node: pve}, size: {disk: 2Gi}}`),
			want: one("spec.size.disk", "image ubuntu-24.04 needs a disk of at least 4Gi"),
		},
		"NoCores": {
			reason: "E12 has the range.", claim: aMachine(`{proxmox: {node: pve}, size: {cores: 0}}`), xrd: true,
			want: one("spec.size.cores", "0: must be a whole number from 1 to 1024"),
		},
		"ManyCores": {
			reason: "E12 has the range.", claim: aMachine(`{proxmox: {node: pve}, size: {cores: 1025}}`), xrd: true,
			want: one("spec.size.cores", "1025: must be a whole number from 1 to 1024"),
		},
		"HostnameUpperCase": {
			reason: "DNS names are in lower case here.", claim: aMachine(`{proxmox: {node: pve}, hostname: DNS01}`), xrd: true,
			want: one("spec.hostname", "VM name contains invalid characters"),
		},
		"HostnameUnderscore": {
			reason: "The provider takes DNS names only.", claim: aMachine(`{proxmox: {node: pve}, hostname: web_01}`), xrd: true,
			want: one("spec.hostname", "VM name contains invalid characters"),
		},
		"HostnameSpace": {
			reason: "The provider takes DNS names only.", claim: aMachine(`{proxmox: {node: pve}, hostname: my vm}`), xrd: true,
			want: one("spec.hostname", "VM name contains invalid characters"),
		},
		"HostnameLocalhost": {
			reason: "Every machine has that name for itself.", claim: aMachine(`{proxmox: {node: pve}, hostname: localhost}`), want: one("spec.hostname", "is each machine's name for itself"),
		},
		"HostnameAddress": {
			reason: "An address is no name.", claim: aMachine(`{proxmox: {node: pve}, hostname: 192.168.4.53}`),
			want: one("spec.hostname", "must be a name, not an address"),
		},
		"HostnameTooLong": {
			reason: "200 characters are the limit.", claim: aMachine(`{proxmox: {node: pve}, hostname: "` + strings.Repeat("a.", 120) + `a"}`), xrd: true,
			want: one("spec.hostname", "must be at most 200 characters long"),
		},
		"HostnameEmpty": {
			reason: "A host name that was written is not empty.", claim: aMachine(`{proxmox: {node: pve}, hostname: ""}`), xrd: true,
			want: one("spec.hostname", "must not be empty"),
		},
		"NameWithDigit": {
			reason: "Rule 11: the provider prints its SSH key.", claim: document("Machine", "{name: 1web, namespace: default}", `{proxmox: {node: pve}}`), xrd: true,
			want: one("metadata.name", `"1web": must start with a letter`),
		},
		"NameWithDot": {
			reason: "Rule 11: the provider prints its SSH key.", claim: document("Machine", "{name: web.1, namespace: default}", `{proxmox: {node: pve}}`), xrd: true,
			want: one("metadata.name", `"web.1": must start with a letter`),
		},
		"Role":     {reason: "A role becomes a tag.", claim: aMachine(`{proxmox: {node: pve}, role: "DNS server"}`), xrd: true, want: one("spec.role", "must hold only lower case letters")},
		"Tag":      {reason: "Tags have their own letters.", claim: aMachine(`{proxmox: {node: pve}, tags: [core, "a;b"]}`), xrd: true, want: one("spec.tags[1]", "must hold only letters")},
		"TagTwice": {reason: "A tag is there once.", claim: aMachine(`{proxmox: {node: pve}, tags: [core, core]}`), xrd: true, want: one("spec.tags[1]", "Duplicate")},
		"TagOfTenant": {
			reason: "Nobody tags his machine as another's.", claim: aMachine(`{proxmox: {node: pve}, tags: [tenant_acme]}`),
			want: one("spec.tags[0]", "set the label tenant-id instead"),
		},
		"TenantsDiffer": {
			reason: "Two labels for one thing must agree.",
			claim:  document("Machine", "{name: m, namespace: default, labels: {tenant-id: a, tenant.sankofa.nexus/id: b}}", `{proxmox: {node: pve}}`),
			want:   one("metadata.labels[tenant-id]", "names another tenant"),
		},
		"Power":           {reason: "Three states.", claim: aMachine(`{proxmox: {node: pve}, power: "on"}`), xrd: true, want: one("spec.power", `supported values: "Running", "Stopped", "Unmanaged"`)},
		"DeletionPolicy":  {reason: "Two policies.", claim: aMachine(`{proxmox: {node: pve}, deletionPolicy: Retain}`), xrd: true, want: one("spec.deletionPolicy", `supported values: "Delete", "Orphan"`)},
		"StartupOrder":    {reason: "Orders are not negative.", claim: aMachine(`{proxmox: {node: pve}, startup: {order: -1}}`), xrd: true, want: one("spec.startup.order", "must be a whole number from 0")},
		"VMIDTooSmall":    {reason: "Proxmox starts at 100.", claim: aMachine(`{proxmox: {node: pve, vmId: 99}}`), xrd: true, want: one("spec.proxmox.vmId", "99: must be a whole number from 100 to 999999999")},
		"VMIDTooLarge":    {reason: "Proxmox ends at 999999999.", claim: aMachine(`{proxmox: {node: pve, vmId: 1000000000}}`), xrd: true, want: one("spec.proxmox.vmId", "must be a whole number from 100 to 999999999")},
		"VLANTooLarge":    {reason: "VLAN 4095 is reserved.", claim: aMachine(`{proxmox: {node: pve, vlan: 4095}}`), xrd: true, want: one("spec.proxmox.vlan", "must be a whole number from 1 to 4094")},
		"VLANZero":        {reason: "VLAN 0 is no VLAN.", claim: aMachine(`{proxmox: {node: pve, vlan: 0}}`), xrd: true, want: one("spec.proxmox.vlan", "must be a whole number from 1 to 4094")},
		"NodeName":        {reason: "A node's name is a host's.", claim: aMachine(`{proxmox: {node: "pve 1"}}`), xrd: true, want: one("spec.proxmox.node", "must be the name of a Proxmox node")},
		"BridgeName":      {reason: "E13 has the letters.", claim: aMachine(`{proxmox: {node: pve, bridge: "vmbr0; rm"}}`), xrd: true, want: one("spec.proxmox.bridge", "must be the name of a bridge")},
		"StorageName":     {reason: "A datastore's name has no colon.", claim: aMachine(`{proxmox: {node: pve, storage: "local:disk"}}`), xrd: true, want: one("spec.proxmox.storage", "must be the name of a Proxmox datastore")},
		"PoolName":        {reason: "A pool's name has no blank.", claim: aMachine(`{proxmox: {node: pve, pool: "my pool"}}`), xrd: true, want: one("spec.proxmox.pool", "must be the name of a Proxmox resource pool")},
		"DiskWithoutName": {reason: "A disk is known by its name.", claim: aMachine(`{proxmox: {node: pve}, disks: [{size: 5Gi}]}`), xrd: true, want: one("spec.disks[0].name", "Required")},
		"DiskWithoutSize": {reason: "A disk has a size.", claim: aMachine(`{proxmox: {node: pve}, disks: [{name: data}]}`), xrd: true, want: one("spec.disks[0].size", "Required")},
		"DiskNameTwice": {
			reason: "Two disks have two names.", claim: aMachine(`{proxmox: {node: pve}, disks: [{name: data, size: 5Gi}, {name: data, size: 6Gi}]}`), xrd: true,
			want: one("spec.disks[1].name", "Duplicate"),
		},
		"DiskNameTooLong": {
			reason: "The name is the serial number, of 20 characters.", claim: aMachine(`{proxmox: {node: pve}, disks: [{name: aaaaaaaaaaaaaaaaaaaaa, size: 5Gi}]}`), xrd: true,
			want: one("spec.disks[0].name", "must be at most 20 characters long"),
		},
		"DiskCache": {reason: "Cache modes are Proxmox'.", claim: aMachine(`{proxmox: {node: pve}, bootDisk: {cache: fast}}`), xrd: true, want: one("spec.bootDisk.cache", `"writeback"`)},
		"ManyDisks": {
			reason: "There are 30 places for disks, and 16 of them are ours.", xrd: true,
			claim: aMachine(`{proxmox: {node: pve}, disks: [` + manyDisks(17) + `]}`), want: one("spec.disks", "has 17 items and must have at most 16"),
		},
		"MappingName": {reason: "Raw addresses need root.", claim: aMachine(`{proxmox: {node: pve}, devices: {pci: [{mapping: "0000:01:00.0"}]}}`), xrd: true, want: one("spec.devices.pci[0].mapping", "is the address of a device, which Proxmox lets only root@pam name, and no API token is root@pam: make a resource mapping of it once")},
		"MappingTwice": {
			reason: "A device is passed once.", claim: aMachine(`{proxmox: {node: pve}, devices: {usb: [{mapping: coral}, {mapping: coral}]}}`), xrd: true,
			want: one("spec.devices.usb[1].mapping", "Duplicate"),
		},
		"Chipset":          {reason: "Chipsets are QEMU's.", claim: aMachine(`{proxmox: {node: pve}, firmware: {machine: i440fx}}`), xrd: true, want: one("spec.firmware.machine", "must be q35, pc")},
		"CPUType":          {reason: "Proxmox knows its processors.", claim: aMachine(`{proxmox: {node: pve}, size: {cpuType: hoost}}`), want: one("spec.size.cpuType", `"hoost": must be a CPU type of Proxmox, such as host or x86-64-v3`)},
		"CPUTypeOption":    {reason: "A type is a name, and no list of options.", claim: aMachine(`{proxmox: {node: pve}, size: {cpuType: "host,flags=+aes"}}`), xrd: true, want: one("spec.size.cpuType", "must be a CPU type of Proxmox")},
		"FloorAboveMemory": {reason: "A floor is below the ceiling.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 2Gi, memoryFloor: 4Gi}}`), want: one("spec.size.memoryFloor", `"4Gi": must be at most the memory of the VM, which is 2048Mi`)},
		"FloorAboveClass":  {reason: "So is it where the class has the memory.", claim: aMachine(`{proxmox: {node: pve}, class: micro, size: {memoryFloor: 1Ti}}`), want: one("spec.size.memoryFloor", "must be at most the memory of the VM")},
		"FloorNoAmount":    {reason: "It is an amount of memory.", claim: aMachine(`{proxmox: {node: pve}, size: {memoryFloor: half}}`), xrd: true, want: one("spec.size.memoryFloor", `"half"`)},
		"FloorOfAdopted":   {reason: "Nobody knows what the floor is below.", claim: aMachine(`{proxmox: {node: pve}, adopt: {vmId: 108}, size: {memoryFloor: 1Gi}}`), want: one("spec.size.memory", "memoryFloor needs the memory of an adopted VM")},
		"Display":          {reason: "Proxmox has these.", claim: aMachine(`{proxmox: {node: pve}, vga: {type: nvidia}}`), xrd: true, want: one("spec.vga.type", `"nvidia": supported values: "std"`)},
		"Notes":            {reason: "Proxmox has 8 KiB for all of it.", claim: aMachine(`{proxmox: {node: pve}, notes: ` + strings.Repeat("a", 4097) + `}`), xrd: true, want: one("spec.notes", "must be at most 4096 characters long")},
		"NotesControl":     {reason: "Notes are text.", claim: aMachine(`{proxmox: {node: pve}, notes: "a\e[31mb"}`), want: one("spec.notes", "must be text of lines, without control characters")},
		"SSDOnVirtIO":      {reason: "The bus has no such setting.", claim: aMachine(`{proxmox: {node: pve}, image: virtio-template, bootDisk: {ssd: true}}`), want: one("spec.bootDisk.ssd", "the boot disk of the image is virtio0, and Proxmox has no such setting for the bus virtio")},
		"Firmware":         {reason: "Two kinds.", claim: aMachine(`{proxmox: {node: pve}, firmware: {type: efi}}`), xrd: true, want: one("spec.firmware.type", `"BIOS", "UEFI"`)},
		"AdminUser":        {reason: "Linux has rules for accounts.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {adminUser: "Ops Team"}}`), xrd: true, want: one("spec.bootstrap.adminUser", "must be a Linux account")},
		"AdminRoot":        {reason: "Root does not log in.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {adminUser: root}}`), want: one("spec.bootstrap.adminUser", "must not be root")},
		"SnippetElsewhere": {
			reason: "Snippets are in their own folder.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {snippets: {vendorData: "/var/lib/vz/snippets/x.yaml"}}}`), xrd: true,
			want: one("spec.bootstrap.snippets.vendorData", "must be a file on the Proxmox node as datastore:snippets/file"),
		},
		"SnippetBelow": {
			reason: "Proxmox knows no folders below snippets.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {snippets: {metaData: "local:snippets/a/b.yaml"}}}`), xrd: true,
			want: one("spec.bootstrap.snippets.metaData", "must be a file on the Proxmox node"),
		},
	}
}

func manyDisks(n int) string {
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, fmt.Sprintf("{name: d%d, size: 5Gi}", i))
	}

	return strings.Join(out, ", ")
}
