package world

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A VM of Proxmox.
type VM struct {
	Owner   string         // The managed resource that made or took it; empty for one that is nobody's.
	Config  map[string]any // As the provider reports it.
	Running map[string]any // What it runs with: its config when it was started last. Nil while it is stopped.
	Starts  int            // How often it was started since the provider or a person made it.
	Report  string         // The link by which its guest reports on itself; empty where there is none.
	Silent  bool           // Whether its guest agent is switched on and does not answer.
	Reports int            // How often its kubelet has repeated itself, where nothing changed.

	found     bool           // Whether it was there before the world began.
	created   bool           // Whether the provider created it, and has not changed it since. Its first start is a part of that.
	leaves    bool           // Whether it waits for its destruction.
	looked    bool           // Whether the provider has looked at it in the place of another VM.
	back      bool           // Whether somebody restored it from a backup, with another configuration than the provider saw last.
	written   any            // The node that its managed resource named last.
	macs      map[int]string // MAC addresses that Proxmox made up before the world began, by card.
	before    int            // How many VMs had its VMID before it: none of them had a boot ID that it has.
	read      map[string]any // The cloud-init drive, and the name, as a guest read them that reads them once; nil before its first boot, and for any other.
	plugs     int            // How often its first interface was plugged in elsewhere, or anew, while it ran.
	cut       int            // How many turns of its guest it is not reached for, since that was done last.
	boot      string         // The boot ID of its guest, where it was started before the world began and not since.
	fenced    bool           // Whether the HA manager has seen that its node died, and has yet to move it.
	mediaGone []any          // What was in its CD drive, and whose file is gone from its datastore.
	parts     int            // How many more looks of the provider find a part of it alone.
}

// Marks are what the provider's next look at the VM depends on, and that is no part of its configuration.
func (vm *VM) Marks() string {
	return fmt.Sprint(vm.created, vm.leaves, vm.looked, vm.back, vm.found, vm.fenced, vm.parts)
}

// nameMACs in a configuration: Proxmox makes up a MAC address that nobody names, and has it there, whether the VM runs or not.
func (vm *VM) nameMACs(id int, config map[string]any) {
	for i, d := range List(config["networkDevice"]) {
		if Object(d)["macAddress"] == nil {
			Object(d)["macAddress"] = cmp.Or(vm.macs[i], fmt.Sprintf("BC:24:11:0A:%02X:%02X", id%256, i))
		}
	}
}

// Node that the VM is on.
func (vm *VM) Node() string { return fmt.Sprint(vm.Config["nodeName"]) }

// snippets that the VM's cloud-init drive is made of.
func (vm *VM) snippets() []string {
	var out []string

	for _, i := range List(vm.Config["initialization"]) {
		for _, file := range []string{"userDataFileId", "metaDataFileId"} {
			if v, _ := Object(i)[file].(string); v != "" {
				out = append(out, v)
			}
		}
	}

	return out
}

// look at a VM. A provider that was restarted while it created the VM reads first no name, and then a disk without an interface (see [proxmox.Unread]).
func (vm *VM) look(id int) map[string]any {
	if vm.parts == 0 {
		return vm.Seen(id)
	}

	at := map[string]any{"id": strconv.Itoa(id), "nodeName": vm.Node()}

	if vm.parts--; vm.parts == 0 {
		at["name"], at["disk"] = vm.Config["name"], []any{map[string]any{"size": 8.0}}
	}

	return at
}

// Seen is a VM as the provider reports it.
func (vm *VM) Seen(id int) map[string]any {
	at := Object(Copy(vm.Config))
	if _, ok := at["started"]; !ok {
		at["started"] = false
	}

	at["id"], at["vmId"] = strconv.Itoa(id), float64(id)
	vm.nameMACs(id, at)

	agent := List(at["agent"])
	if vm.Running == nil || len(agent) == 0 || Object(agent[0])["enabled"] != true || vm.Silent {
		return at
	}

	names, macs, v4, v6 := []any{"lo"}, []any{"00:00:00:00:00:00"}, []any{[]any{"127.0.0.1"}}, []any{[]any{"::1"}}

	for i, d := range List(at["networkDevice"]) {
		mac := fmt.Sprint(Object(d)["macAddress"])
		names, macs = append(names, "eth"+strconv.Itoa(i)), append(macs, strings.ToLower(mac))
		v4, v6 = append(v4, []any{fmt.Sprintf("192.168.4.12%d", i)}), append(v6, []any{"fe80::1"})
	}

	if vm.Report != "" {
		// A dummy link has an address of its own, and the provider reports null for a link without IP addresses.
		names, macs, v4, v6 = append(names, vm.Report), append(macs, "3E:52:1A:00:00:01"), append(v4, nil), append(v6, nil)
	}

	at["networkInterfaceNames"], at["macAddresses"], at["ipv4Addresses"], at["ipv6Addresses"] = names, macs, v4, v6

	return at
}
