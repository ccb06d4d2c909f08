package world

import (
	"fmt"
	"strconv"
)

// A Proxmox is a cluster of Proxmox VE: VMs, snippets, and what the provider did to them.
type Proxmox struct {
	VMs      map[int]*VM
	Snippets map[string]bool // By node and volume, with a blank between them; node * is all of them.
	Done     []string        // "make 100", "stop 100", "change cpu of 100", ...
	HA       map[int]string  // The requested states of the HA manager, by VMID.
	// HAOptions are what the entries of the HA manager have beside, by VMID: comment, group and failback.
	HAOptions map[int]map[string]any
	// Firewalls of VMs, by VMID. Proxmox deletes one with its VM.
	Firewalls map[int]*Firewall
	// LacksSources are the IP sets and aliases that the datacenter's firewall does not have, as rules name them.
	LacksSources map[string]bool
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
	made    map[int]int  // How many VMs the provider made with a VMID.
	lost    map[int]bool // What was destroyed by hand, by VMID: nobody knew that when they wrote for it.
}

// NewProxmox that has nothing to do with the cluster's other ones.
func (c *Cluster) NewProxmox() *Proxmox {
	p := &Proxmox{
		VMs: map[int]*VM{}, Snippets: map[string]bool{}, HA: map[int]string{}, HAOptions: map[int]map[string]any{}, Firewalls: map[int]*Firewall{}, Containers: map[int]*Container{},
		SiteParts: map[string]map[string]any{}, cluster: c, made: map[int]int{}, lost: map[int]bool{},
	}
	c.proxmoxes = append(c.proxmoxes, p)

	return p
}

// Proxmoxes of the cluster's machines, also of those that are gone, in the order in which they came.
func (c *Cluster) Proxmoxes() []*Proxmox { return c.proxmoxes }

// nodeOf the VM or container that has a VMID; empty where nothing has it.
func (p *Proxmox) nodeOf(id int) string {
	if vm := p.VMs[id]; vm != nil {
		return vm.Node()
	}

	if c := p.Containers[id]; c != nil {
		return fmt.Sprint(c.Config["nodeName"])
	}

	return ""
}

func (p *Proxmox) note(format string, args ...any) {
	p.Done = append(p.Done, fmt.Sprintf(format, args...))
}

// Report is all that there is in Proxmox.
func (p *Proxmox) Report() map[string]any {
	out := map[string]any{}
	for id, vm := range p.VMs {
		out[strconv.Itoa(id)] = []any{vm.Config, vm.Running, vm.fenced}
	}

	for id, c := range p.Containers {
		out["container "+strconv.Itoa(id)] = c.Config
	}

	for name, part := range p.SiteParts {
		out["site "+name] = part
	}

	return out
}
