package upgrade

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// situations of day two that a store holds. A row that is added here is in the stores of later releases.
var situations = []situation{
	// Nothing is wrong.
	{name: "iso-first", example: isoMachine, arrange: func(*testing.T, *world.Machine) {}},
	{name: "iso-running", example: isoMachine, arrange: settledWith(`{}`)},
	{name: "native-first", example: nativeMachine, arrange: func(*testing.T, *world.Machine) {}},
	{name: "native-running", example: nativeMachine, arrange: settledWith(`{}`)},
	{name: "devices-running", example: devicesMachine, arrange: settledWith(`{}`)},
	{name: "stopped", example: "k3s-cluster/server-2", arrange: func(_ *testing.T, m *world.Machine) {
		m.Settle()
		m.Spec()["power"] = "Stopped"
		m.Settle()
	}},
	{name: "stopping", example: "nixos/dns01", arrange: settledWith(`{power: Stopped}`)},
	{name: "server-that-goes-with-its-claim", example: "k3s-cluster/server-1", arrange: settledWith(`{deletionPolicy: Delete}`)},
	{name: "server-that-goes-with-its-claim-first", example: "k3s-cluster/server-1", arrange: func(_ *testing.T, m *world.Machine) { m.Spec()["deletionPolicy"] = "Delete" }},
	{name: "orphaned", example: "plain-debian/files01", arrange: settledWith(`{deletionPolicy: Orphan}`)},

	// The VM is on its way.
	{name: "vm-applied", example: "k3s-cluster/server-2", arrange: func(_ *testing.T, m *world.Machine) {
		m.Apply(m.Call())
		m.Provide()
		m.Apply(m.Call())
	}},
	{name: "vm-in-the-making", example: "nixos/docker01", arrange: settledAnd(func(vm, _ map[string]any) {
		world.Report(vm, "False", "True", "True", "")
		delete(world.Object(vm["status"]), "atProvider")
	})},
	{name: "vm-could-not-be-made", example: "k3s-cluster/agent-1", arrange: settledAnd(func(vm, _ map[string]any) {
		world.Report(vm, "False", "False", "False", "create failed: async create failed: failed to create the resource: [{0 error creating VM: storage 'local-zfs' does not exist []}]")
		delete(world.Object(vm["status"]), "atProvider")
	})},
	{name: "vm-could-not-be-made-and-edited", example: "k3s-cluster/agent-1", arrange: func(t *testing.T, m *world.Machine) {
		settledAnd(func(vm, _ map[string]any) {
			world.Report(vm, "False", "False", "False", "create failed: async create failed: failed to create the resource: [{0 error creating VM: node 'pve1' does not exist []}]")
			delete(world.Object(vm["status"]), "atProvider")
		})(t, m)
		world.Object(m.Spec()["proxmox"])["node"] = "pve2"
	}},
	{name: "token-missing", example: "k3s-cluster/server-3", arrange: func(_ *testing.T, m *world.Machine) { m.Secrets = nil }},

	// Edits that are followed.
	{name: "edit-size", example: "plain-debian/files01", arrange: settledWith(`{size: {cores: 6, memory: 12Gi, disk: 90Gi}}`)},
	{name: "edit-hardware", example: "plain-debian/files01", arrange: settledWith(
		`{disks: [{name: more, size: 10Gi}, {name: data, size: 3Ti, backup: false}], nics: [{bridge: vmbr1, vlan: 31}, {bridge: vmbr2, dhcp: true}], tags: [b, a], onBoot: false, startup: {order: 3}}`)},

	// Edits that are held back.
	{name: "held-vmid", example: "appliance/haos", arrange: settledWith(`{proxmox: {vmId: 117}}`)},
	{name: "held-node", example: "k3s-cluster/server-3", arrange: settledWith(`{proxmox: {node: pve1}}`)},
	{name: "held-image", example: "k3s-cluster/server-2", arrange: settledWith(`{image: debian-13}`)},
	{name: "held-template", example: "nixos/dns01", arrange: settledWith(`{image: 9001}`)},
	{name: "held-shrink", example: "plain-debian/files01", arrange: settledWith(`{size: {disk: 20Gi}, disks: [{name: data, size: 1Ti}]}`)},
	{name: "held-removed-disk", example: "plain-debian/files01", arrange: settledWith(`{disks: []}`)},
	{name: "held-storage", example: "plain-debian/files01", arrange: settledWith(`{proxmox: {storage: tank}, disks: [{name: data, size: 2Ti, storage: tank}]}`)},
	{name: "held-firmware", example: devicesMachine, arrange: settledWith(`{firmware: {type: bios, secureBoot: false, tpm: false}}`)},
	{name: "held-bootstrap", example: "k3s-cluster/server-2", arrange: settledWith("bootstrap: {userData: \"#cloud-config\\ntimezone: Europe/Berlin\\n\"}")},
	{name: "held-network", example: "plain-debian/files01", arrange: settledWith(`{network: {ip: null, cidr: null, gateway: null, dns: null, domain: null, ipv6: null, dhcp: true}, nics: null}`)},

	// Trouble.
	{name: "agent-away", example: "k3s-cluster/server-2", arrange: settledAnd(func(_, at map[string]any) {
		for _, list := range []string{"networkInterfaceNames", "macAddresses", "ipv4Addresses", "ipv6Addresses"} {
			at[list] = []any{}
		}
	})},
	{name: "stopped-by-hand", example: "nixos/dns01", arrange: settledAnd(func(_, at map[string]any) { at["started"] = false })},
	{name: "moved", example: "k3s-cluster/server-2", arrange: settledAnd(func(vm, at map[string]any) {
		at["nodeName"] = "pve3"
		world.Report(vm, "True", "False", "True", `observe failed: diff contains "node_name" which requires replacement`)
	})},
	{name: "update-fails", example: "plain-debian/files01", arrange: settledAnd(func(vm, _ map[string]any) {
		world.Report(vm, "True", "False", "False", "update failed: async update failed: failed to update the resource: [{0 storage 'local-lvm' is not online []}]")
	})},
	{name: "disconnected", example: "nixos/docker01", arrange: settledAnd(func(vm, _ map[string]any) {
		world.Report(vm, "True", "False", "True", "observe failed: cannot run refresh: refresh failed: dial tcp 192.168.4.2:8006: connect: no route to host")
	})},
	{name: "vm-being-deleted", example: "plain-debian/files01", arrange: settledAnd(func(vm, _ map[string]any) {
		world.Object(vm["metadata"])["deletionTimestamp"] = "2026-01-02T00:00:00Z"
	})},
	{name: "files-gone", example: "k3s-cluster/server-2", arrange: func(_ *testing.T, m *world.Machine) {
		m.Settle()
		dropFiles(m)
	}},
	{name: "secret-gone", example: "k3s-cluster/server-3", arrange: func(_ *testing.T, m *world.Machine) {
		m.Settle()
		m.Secrets = nil
	}},
	{name: "wrong-claim", example: "k3s-cluster/server-2", arrange: settledWith(`{class: smal}`)},
	{name: "strange-resource", example: "nixos/dns01", arrange: func(_ *testing.T, m *world.Machine) {
		m.Settle()
		other := world.Object(world.Copy(m.Observed["vm"]))
		world.Object(world.Object(other["spec"])["forProvider"])["vmId"] = 999
		world.Object(world.Object(other["status"])["atProvider"])["id"] = "999"
		m.Observed["vm-other"] = other
	}},
}
