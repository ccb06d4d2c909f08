package world

import "strings"

// ByHand makes a VM that is nobody's in the cluster. Its snippets are on all nodes.
func (p *Proxmox) ByHand(id int, config map[string]any) *VM {
	vm := &VM{Config: config}
	if config["started"] == true {
		vm.Running = Object(Copy(config))
	}

	for _, v := range vm.snippets() {
		p.Snippets["* "+v] = true
	}

	p.VMs[id] = vm

	return vm
}

// Restore a VM from a backup, over itself, as `qmrestore --force` does: its configuration is that of the backup, and it is stopped.
func (p *Proxmox) Restore(id int, edit func(config map[string]any)) *VM {
	was := p.VMs[id]
	vm := &VM{Owner: was.Owner, Config: Object(Copy(was.Config)), back: true, before: was.before, macs: was.macs}
	vm.Config["started"] = false
	edit(vm.Config)
	p.VMs[id] = vm

	return vm
}

// Start a VM. Proxmox refuses where a snippet is not on the VM's node; only our snippets are known here.
func (p *Proxmox) Start(id int) {
	vm := p.VMs[id]

	for _, v := range vm.snippets() {
		if strings.HasSuffix(v, "-data.yaml") && !p.sees(vm.Node(), v) {
			p.cluster.Fault("VM %d does not start: %s is not on node %s", id, v, vm.Node())
		}
	}

	vm.Config["started"], vm.Running = true, Object(Copy(vm.Config))
	vm.readDrive()
	vm.Starts++
	vm.boot = ""
}

// Stop a VM or a container.
func (p *Proxmox) Stop(id int) {
	if c := p.Containers[id]; c != nil {
		c.Config["started"] = false
		return
	}

	vm := p.VMs[id]
	vm.Config["started"], vm.Running = false, nil
}

// Eject the medium of a VM's CD drive, whose file is gone from its datastore.
func (p *Proxmox) Eject(id int) {
	for _, d := range List(p.VMs[id].Config["cdrom"]) {
		p.VMs[id].mediaGone = append(p.VMs[id].mediaGone, Object(d)["fileId"])
		Object(d)["fileId"] = "none"
	}
}

// Grow a disk, as `qm disk resize` does.
func (p *Proxmox) Grow(id int, iface string, sizeGiB int) {
	p.cluster.T.Helper()

	for _, d := range List(p.VMs[id].Config["disk"]) {
		if Object(d)["interface"] == iface {
			Object(d)["size"] = float64(sizeGiB)
			return
		}
	}

	p.cluster.T.Fatalf("VM %d has no disk %s", id, iface)
}

// free is the next free VMID; Proxmox begins with 100.
func (p *Proxmox) free() int {
	for id := 100; ; id++ {
		if p.VMs[id] == nil && p.Containers[id] == nil {
			return id
		}
	}
}
