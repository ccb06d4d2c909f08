package world

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Proxmox is a cluster of Proxmox VE: VMs, snippets, and what the provider did to them.
type Proxmox struct {
	VMs      map[int]*VM
	Snippets map[string]bool // By node and volume, with a blank between them; node * is all of them.
	Done     []string        // "make 100", "stop 100", "change cpu of 100", ...
	HA       map[int]string  // The requested states of the HA manager, by VMID.
	// Firewalls of VMs, by VMID. Proxmox deletes one with its VM.
	Firewalls map[int]*Firewall
	// Containers by VMID.
	Containers map[int]*Container
	// SiteParts are interfaces of nodes, by node and name with a colon between them, and pools by name.
	SiteParts map[string]map[string]any
	// SilentAgents says whether the guest agents of new VMs do not answer.
	SilentAgents bool
	// Dead are Proxmox nodes that do not answer. Nothing on them can be read, changed or deleted.
	Dead []string
	// BeforeCreate is called when the provider has seen that there is no VM with a VMID, and before it creates one.
	BeforeCreate func(id int)

	cluster *Cluster
	made    map[int]int // How many VMs the provider made with a VMID.
}

// A VM of Proxmox.
type VM struct {
	Owner   string         // The managed resource that made or took it; empty for one that is nobody's.
	Config  map[string]any // As the provider reports it.
	Running map[string]any // What it runs with: its config when it was started last. Nil while it is stopped.
	Starts  int            // How often it was started since the provider or a person made it.
	Report  string         // The link by which its guest reports on itself; empty where there is none.
	Silent  bool           // Whether its guest agent is switched on and does not answer.

	created bool           // Whether the provider created it, and has not changed it since. Its first start is a part of that.
	leaves  bool           // Whether it waits for its destruction.
	looked  bool           // Whether the provider has looked at it in the place of another VM.
	written any            // The node that its managed resource named last.
	macs    map[int]string // MAC addresses that Proxmox made up before the world began, by card.
	before  int            // How many VMs had its VMID before it: none of them had a boot ID that it has.
	boot    string         // The boot ID of its guest, where it was started before the world began and not since.
}

// NewProxmox that has nothing to do with the cluster's other ones.
func (c *Cluster) NewProxmox() *Proxmox {
	return &Proxmox{
		VMs: map[int]*VM{}, Snippets: map[string]bool{}, HA: map[int]string{}, Firewalls: map[int]*Firewall{}, Containers: map[int]*Container{},
		SiteParts: map[string]map[string]any{}, cluster: c, made: map[int]int{},
	}
}

func (p *Proxmox) note(format string, args ...any) {
	p.Done = append(p.Done, fmt.Sprintf(format, args...))
}

// Report is all that there is in Proxmox.
func (p *Proxmox) Report() map[string]any {
	out := map[string]any{}
	for id, vm := range p.VMs {
		out[strconv.Itoa(id)] = []any{vm.Config, vm.Running}
	}

	for id, c := range p.Containers {
		out["container "+strconv.Itoa(id)] = c.Config
	}

	for name, part := range p.SiteParts {
		out["site "+name] = part
	}

	return out
}

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

// Start a VM. Proxmox refuses where a snippet is not on the VM's node; only our snippets are known here.
func (p *Proxmox) Start(id int) {
	vm := p.VMs[id]

	for _, v := range vm.snippets() {
		if strings.HasSuffix(v, "-data.yaml") && !p.Snippets[vm.Node()+" "+v] && !p.Snippets["* "+v] {
			p.cluster.Fault("VM %d does not start: %s is not on node %s", id, v, vm.Node())
		}
	}

	vm.Config["started"], vm.Running = true, Object(Copy(vm.Config))
	vm.Starts++
	vm.boot = ""
}

// Stop a VM.
func (p *Proxmox) Stop(id int) {
	vm := p.VMs[id]
	vm.Config["started"], vm.Running = false, nil
}

// Die lets a Proxmox node be without power for good: what is on it is off, and says what it said before.
func (p *Proxmox) Die(node string) {
	p.Dead = append(p.Dead, node)

	for _, vm := range p.VMs {
		if vm.Node() == node {
			vm.Running = nil
		}
	}
}

// DestroyByHand destroys a VM behind the provider's back, with its disks. What is made with its VMID has another password for its Node, which K3s refuses
// until somebody has deleted that.
func (p *Proxmox) DestroyByHand(id int) {
	delete(p.VMs, id)

	for node, has := range p.cluster.passwords {
		if has == id {
			p.cluster.passwords[node] = noVM
		}
	}
}

// noVM is the VMID of none.
const noVM = -1

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

// lostSnippets: a VM whose snippets are on no node any more never starts again, also one that was let go of.
func (p *Proxmox) lostSnippets() {
	for id, vm := range p.VMs {
		if vm.leaves {
			continue
		}

		for _, v := range vm.snippets() {
			there := false
			for s := range p.Snippets {
				there = there || strings.HasSuffix(s, " "+v)
			}

			if strings.HasSuffix(v, ".user-data.yaml") && !there {
				p.cluster.Fault("VM %d lost its snippet %s", id, v)
			}
		}
	}
}

// leave is what becomes of the VM of a managed resource that goes.
func (p *Proxmox) leave(external, owner string, destroy bool) {
	id, err := strconv.Atoi(external)

	vm, there := p.VMs[id]
	if err != nil || !there {
		return
	}

	if vm.Owner != owner {
		if destroy {
			p.cluster.Fault("%s destroys VM %d, which is not its own", owner, id)
		}

		return
	}

	if destroy {
		if p.inHA(id) {
			p.cluster.Fault("VM %d is destroyed while the HA manager keeps it %s", id, p.HA[id])
		}

		delete(p.HA, id) // purge: a VM that the HA manager ignores.
		p.note("destroy %d", id)
		delete(p.VMs, id)
		delete(p.Firewalls, id)

		return
	}

	p.note("let go of %d", id)
	vm.Owner = ""
}

// free is the next free VMID; Proxmox begins with 100.
func (p *Proxmox) free() int {
	for id := 100; ; id++ {
		if _, ok := p.VMs[id]; !ok {
			return id
		}
	}
}

// Seen is a VM as the provider reports it.
func (vm *VM) Seen(id int) map[string]any {
	at := Object(Copy(vm.Config))
	if _, ok := at["started"]; !ok {
		at["started"] = false
	}

	at["id"], at["vmId"] = strconv.Itoa(id), float64(id)

	// Proxmox makes up a MAC address that nobody names, and has it in the configuration, whether the VM runs or not.
	for i, d := range List(at["networkDevice"]) {
		if Object(d)["macAddress"] == nil {
			Object(d)["macAddress"] = cmp.Or(vm.macs[i], fmt.Sprintf("BC:24:11:0A:%02X:%02X", id%256, i))
		}
	}

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
