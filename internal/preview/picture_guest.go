package preview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A guest is a VM or a container in a picture.
type guest struct {
	class string // Of its box: vm or container.
	name  string
	what  string // VM or container, and its VMID.
	size  string // Empty where nobody knows it.
	disks []string
	nics  []guestNIC
}

// A guestNIC is an interface of a guest.
type guestNIC struct {
	bridge    string // With its VLAN.
	addresses string // Each with a comma before it.
}

// guestsByNode are the VMs and containers that were rendered, by their Proxmox node.
func guestsByNode(all []Rendered) (map[string][]guest, error) {
	nodes := map[string][]guest{}

	var machines []Rendered
	for _, r := range all {
		machines = append(machines, r.all()...)
	}

	for _, r := range machines {
		if r.Err != nil {
			continue
		}

		state, err := r.state()
		if err != nil {
			return nil, err
		}

		for _, name := range slices.Sorted(maps.Keys(state.Containers)) {
			c := state.Containers[name]
			node := c.Spec.ForProvider.NodeName
			nodes[node] = append(nodes[node], guestOfContainer(c))
		}

		// The provider also looks whether a VM has the VMID of a container.
		if kindOf(r.Turn.Composite) == claim.KindContainer {
			continue
		}

		for _, name := range slices.Sorted(maps.Keys(state.VMs)) {
			vm := state.VMs[name]
			node := vm.Spec.ForProvider.NodeName
			nodes[node] = append(nodes[node], r.guestOfVM(vm))
		}
	}

	return nodes, nil
}

func (r Rendered) guestOfVM(vm proxmox.ObservedVM) guest {
	p := vm.Spec.ForProvider

	if vm.ObserveOnly() && r.adopts() {
		return guest{class: "vm", name: p.Name, what: fmt.Sprintf("VM %d (the provider only reads it)", proxmox.VMIDOf(vm))}
	}

	out := guest{class: "vm", name: p.Name, what: vmName(vm), size: size(p)}

	for _, d := range p.Disk {
		out.disks = append(out.disks, fmt.Sprintf("%d GiB on %s", d.Size, d.DatastoreID))
	}

	for i, n := range p.NetworkDevice {
		out.nics = append(out.nics, guestNIC{n.Bridge + vlan(n), addresses(p, i)})
	}

	return out
}

func guestOfContainer(c proxmox.ObservedContainer) guest {
	p := c.Spec.ForProvider
	out := guest{class: "container", name: cmp.Or(p.Hostname(), c.Metadata.Labels[proxmox.MachineLabel]), what: fmt.Sprintf("container %d", proxmox.VMIDOfContainer(c))}

	if c.ObserveOnly() {
		out.what += " (the provider only looks whether it is there)"
	}

	if len(p.CPU) > 0 && len(p.Memory) > 0 {
		out.size = sizeOf(p.CPU[0].Cores, p.MemoryMiB())
	}

	for _, d := range p.Disk {
		out.disks = append(out.disks, fmt.Sprintf("%d GiB on %s", d.Size, d.DatastoreID))
	}

	for _, m := range p.MountPoint {
		if m.Size != "" {
			out.disks = append(out.disks, strings.Replace(m.Size, "G", " GiB", 1)+" on "+m.Volume)
		}
	}

	for i, n := range p.NetworkInterface {
		nic := guestNIC{bridge: n.Bridge}
		if n.VLANID != 0 {
			nic.bridge += fmt.Sprintf(" VLAN %d", n.VLANID)
		}

		for _, init := range p.Initialization {
			if i < len(init.IPConfig) {
				for _, a := range slices.Concat(init.IPConfig[i].IPv4, init.IPConfig[i].IPv6) {
					nic.addresses += ", " + through(a)
				}
			}
		}

		out.nics = append(out.nics, nic)
	}

	return out
}

// through is an address, and the gateway behind it.
func through(a proxmox.IPAddress) string {
	if a.Gateway == "" {
		return a.Address
	}

	return a.Address + " via " + a.Gateway
}
