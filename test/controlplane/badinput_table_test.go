package controlplane

import "strings"

// A wrong value in a claim that is in order but for it.
type wrong struct {
	path  string // In the spec, as a person types it.
	value any
	// field and says are what must be in the message: where the fault is, and what would be right.
	field, says string
	// birth says that it matters only until the VM is there.
	birth bool
}

func list(items ...any) []any { return items }

type tree = map[string]any

// refusedAtOnce are wrong values that the API server refuses, so that nobody can commit them. What is right is said in words, but
// for amounts of memory and disk: a rule in words for a value that is a number or a text is beyond the API servers of some years ago.
func refusedAtOnce() map[string]wrong {
	return map[string]wrong{
		"TextForNumber":    {"proxmox.vlan", "abc", "spec.proxmox.vlan", "numeric", false},
		"NumberForText":    {"hostname", int64(123), "spec.hostname", "string", false},
		"TextForTruth":     {"onBoot", "yes", "spec.onBoot", "bool", false},
		"TextForList":      {"tags", "core", "spec.tags", "list", false},
		"TextForObject":    {"proxmox", "pve", "spec.proxmox", "map", false},
		"UnknownField":     {"proxmox.vmid", int64(153), "spec.proxmox.vmid", "not declared", false},
		"OtherKindsField":  {"k3s", tree{"role": "server"}, "spec.k3s", "not declared", false},
		"VLAN":             {"proxmox.vlan", int64(4095), "spec.proxmox.vlan", "4094", false},
		"VMID":             {"proxmox.vmId", int64(99), "spec.proxmox.vmId", "100", false},
		"Cores":            {"size.cores", int64(0), "spec.size.cores", "1", false},
		"MemoryUnit":       {"size.memory", "4GB", "spec.size.memory", "[kKmMgGtT]", false},
		"Hostname":         {"hostname", "Web_01", "spec.hostname", "must be a DNS name", false},
		"Power":            {"power", "on", "spec.power", `"Running", "Stopped", "Unmanaged"`, false},
		"DeletionPolicy":   {"deletionPolicy", "Retain", "spec.deletionPolicy", `"Delete", "Orphan"`, false},
		"Firmware":         {"firmware", tree{"type": "efi"}, "spec.firmware.type", `"BIOS", "UEFI"`, false},
		"SecureBoot":       {"firmware", tree{"secureBoot": true}, "spec.firmware", "UEFI", false},
		"NoAddress":        {"network", tree{"dns": list("192.168.4.1")}, "spec.network", "dhcp", false},
		"TwoAddresses":     {"network.dhcp", true, "spec.network", "exactly one", false},
		"PrefixTwice":      {"network.ip", "192.168.4.53/16", "spec.network.cidr", "contradicts", false},
		"PrefixInIP":       {"network.ip", "192.168.4.53/33", "spec.network.ip", "cidr", false},
		"Trigger":          {"lifecycle", tree{"reboot": "true"}, "spec.lifecycle.reboot", "acts once for each new value", false},
		"NotAnIP":          {"network.ip", "192.168.4.256", "spec.network.ip", "IPv4", false},
		"GatewayOutside":   {"network.gateway", "192.168.5.1", "spec.network", "subnet", false},
		"MAC":              {"network.mac", "BC-24-11-00-00-53", "spec.network.mac", "BC:24:11:00:00:53", false},
		"Bridge":           {"proxmox.bridge", "vmbr0; rm", "spec.proxmox.bridge", "such as vmbr0", false},
		"DiskWithoutName":  {"disks", list(tree{"size": "5Gi"}), "spec.disks", "name", false},
		"DiskTwice":        {"disks", list(tree{"name": "a", "size": "5Gi"}, tree{"name": "a", "size": "6Gi"}), "spec.disks", "uplicate", false},
		"SnippetElsewhere": {"bootstrap.snippets", tree{"vendorData": "/var/lib/vz/x.yaml"}, "spec.bootstrap.snippets.vendorData", "must be datastore:snippets/file", false},
		"TemplateInTag":    {"tags", list("${path.root}"), "spec.tags[0]", "must hold only letters", false},
		"HugeUserData":     {"bootstrap.userData", strings.Repeat("A", 300_000), "spec.bootstrap.userData", "262144", false},
		"AdminUser":        {"bootstrap.adminUser", "Ops Team", "spec.bootstrap.adminUser", "must be a Linux account", false},
	}
}

// refusedByFunction are wrong values that a schema cannot know.
func refusedByFunction() map[string]wrong {
	return map[string]wrong{
		"Class":          {"class", "smal", "spec.class", "did you mean small?", false},
		"Image":          {"image", "debian-21", "spec.image", "did you mean debian-12?", false},
		"Site":           {"proxmox.site", "hom", "spec.proxmox.site", "no site", true}, // Of a VM that exists it is immutable.
		"MemorySmall":    {"size.memory", "64Mi", "spec.size.memory", "128 MB", false},
		"MemoryLarge":    {"size.memory", "3Ti", "spec.size.memory", "2 TB", false},
		"DiskNotWhole":   {"size.disk", "1536Mi", "spec.size.disk", "write 1Gi or 2Gi", false},
		"DiskBelowImage": {"size.disk", "1Gi", "spec.size.disk", "needs a disk of at least", true},
		"HostnameIsIP":   {"hostname", "192.168.4.53", "spec.hostname", "must be a name, not an address", false},
		"NoPrefix":       {"network.cidr", nil, "spec.network.cidr", "neither claim nor site has one", false},
		"Loopback":       {"network", tree{"ip": "127.0.0.1", "cidr": int64(24)}, "spec.network.ip", "the address of a machine, not a loopback", false},
		"Broadcast":      {"network", tree{"ip": "192.168.4.255", "cidr": int64(24)}, "spec.network.ip", "broadcast address", false},
		"GatewayIsSelf":  {"network", tree{"ip": "192.168.4.1", "cidr": int64(24), "gateway": "192.168.4.1"}, "spec.network.gateway", "own address", false},
		"MulticastMAC":   {"network.mac", "01:00:5E:00:00:01", "spec.network.mac", "must not be a multicast address", false},
		"AddressTwice": {
			"nics", list(tree{"bridge": "vmbr1", "ip": "192.168.4.60", "cidr": int64(24)}, tree{"bridge": "vmbr1", "ip": "192.168.4.60", "cidr": int64(24)}),
			"spec.nics[1].ip", "is there twice", false,
		},
		"Tenant":      {"tags", list("tenant_acme"), "spec.tags[0]", "label tenant-id", false},
		"NoNode":      {"proxmox.node", nil, "spec.proxmox.node", "must be the Proxmox node", true},
		"NixOnDebian": {"nix", tree{"flakeRef": "github:a/b"}, "spec.image", "nix needs a NixOS image", false},
		"AdminRoot":   {"bootstrap.adminUser", "root", "spec.bootstrap.adminUser", "must not be root", false},
		"PrivateKey": {
			"bootstrap.sshAuthorizedKeys", list("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n-----END OPENSSH PRIVATE KEY-----"),
			"spec.bootstrap.sshAuthorizedKeys[0]", "this is a private key", false,
		},
		"CloudConfig": {"bootstrap.userData", "#cloud-config\nusers: [", "spec.bootstrap.userData", "line", false},
	}
}
