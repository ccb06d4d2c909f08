package rehearse

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A guest is a VM that runs, as its guest has it.
type guest struct {
	machine string
	isNode  bool // Of K3s.
	vm      proxmox.VMParameters
}

// guests of all machines, in their order; no two are of one machine and VMID.
func guests(p *play) (keys []string, all map[string]guest) {
	all = map[string]guest{}

	for _, m := range p.cluster.Machines {
		for _, id := range slices.Sorted(maps.Keys(m.Proxmox.VMs)) {
			vm := m.Proxmox.VMs[id]
			if vm.Running == nil || !world.Owns(m, vm) {
				continue
			}

			has, is := vm.InGuest(id)
			g := guest{machine: p.labelOf(m), isNode: strings.TrimPrefix(fmt.Sprint(m.Composite["kind"]), "X") == "K3sNode", vm: parametersOf(p, has)}
			// Proxmox moves an interface at once.
			g.vm.NetworkDevice = parametersOf(p, is).NetworkDevice

			key := fmt.Sprint(g.machine, " ", id)
			keys, all[key] = append(keys, key), g
		}
	}

	return keys, all
}

// moved are warnings about interfaces that an edit takes to another bridge or VLAN while their guests run with the addresses that they had before: all is done,
// and nobody reaches such a guest unless both are one network.
func moved(p *play, before map[string]guest) (out []string) {
	var all []Wait

	keys, now := guests(p)
	for _, key := range keys {
		if was, ran := before[key]; ran {
			all = append(all, now[key].movedFrom(was)...)
		}
	}

	for _, w := range together(all) {
		out = append(out, w.Machine+": "+w.Message)
	}

	return out
}

// movedFrom is where the interfaces of a guest were.
func (g guest) movedFrom(was guest) (out []Wait) {
	for i, nic := range g.vm.NetworkDevice {
		if i >= len(was.vm.NetworkDevice) || networkOf(nic) == networkOf(was.vm.NetworkDevice[i]) {
			continue
		}

		address := addressOf(g.vm, i)
		if address == "" || address != addressOf(was.vm, i) {
			continue
		}

		says := "the guest keeps its address, so that it is reached there only if that is the network of its address, too"

		if address == dhcp {
			// K3s knows a node by its first interface.
			if !g.isNode || i > 0 {
				continue
			}

			says = "if that is another network, DHCP gives it another address there, with which K3s does not know the node"
		}

		out = append(out, Wait{Machine: g.machine, Message: fmt.Sprintf("NIC %d goes from %s to %s while the VM runs: %s", i, networkOf(was.vm.NetworkDevice[i]), networkOf(nic), says)})
	}

	return out
}

const dhcp = "dhcp"

// addressOf an interface, of the first family that it has.
func addressOf(vm proxmox.VMParameters, nic int) string {
	for _, d := range vm.Initialization {
		if nic >= len(d.IPConfig) {
			continue
		}

		for _, a := range slices.Concat(d.IPConfig[nic].IPv4, d.IPConfig[nic].IPv6) {
			address, _, _ := strings.Cut(a.Address, "/")
			return address
		}
	}

	return ""
}

// networkOf an interface, in words.
func networkOf(d proxmox.NetworkDevice) string {
	if d.VLANID == nil || *d.VLANID == 0 {
		return d.Bridge
	}

	return fmt.Sprintf("VLAN %d of %s", *d.VLANID, d.Bridge)
}
