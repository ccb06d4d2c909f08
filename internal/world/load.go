package world

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
)

// Load what was observed of a composite into the world: its composed resources, and in Proxmox and Kubernetes what these say that there is. ofNodes are
// the composed resources of the nodes of a K3sCluster, by the names of their composites. What a VM is written to be, it is; whether it runs, and its MAC
// addresses, are as the provider reports them.
func Load(m *Machine, composed []map[string]any, ofNodes map[string][]map[string]any) {
	m.cluster.T.Helper()

	for _, o := range composed {
		name := Annotation(o, "crossplane.io/composition-resource-name")
		m.Observed[name] = o

		if m.nodes != nil && isNode(o) {
			m.nodes.load(m, name, o, ofNodes[fmt.Sprint(Object(o["metadata"])["name"])])
			continue
		}

		loadProxmox(m, name, o)
	}

	for _, o := range composed {
		if node := Object(Object(Object(o["status"])["atProvider"])["manifest"]); o["kind"] == ObjectKind && node["kind"] == "Node" {
			loadNode(m, Object(Copy(node)))
		}
	}
}

// Loaded says that everything which was observed is loaded. A snippet that a VM reads and that no managed resource of this world wrote is somebody else's: that of
// a person, of a control plane before this one, or of a claim that is not in this world. It is there, and stays.
func Loaded(c *Cluster) {
	for _, p := range c.proxmoxes {
		for _, vm := range p.VMs {
			for _, v := range vm.snippets() {
				if !p.hasSnippet(v) {
					p.Snippets["* "+v] = true
				}
			}
		}
	}
}

// load a node, whose composite it is.
func (n *Nodes) load(m *Machine, name string, o map[string]any, composed []map[string]any) {
	node := n.add(m, name)
	n.take(m, name, Object(o["metadata"]))
	Load(node, composed, nil)
}

// loadProxmox loads what a managed resource says that there is in Proxmox.
func loadProxmox(m *Machine, name string, o map[string]any) {
	forProvider, at := Object(terraformed(Object(Object(o["spec"])["forProvider"]))), Object(Object(o["status"])["atProvider"])
	external := Annotation(o, ExternalName)

	reads := o["kind"] == VMKind || o["kind"] == ContainerKind || isSitePart(o) || kindOf(o) == FirewallRulesKind && strings.Contains(external, "/")

	if at["id"] == nil || Policies(o) == onlyObserves && !reads {
		return
	}

	_, number, imports := strings.Cut(external, "/")
	if !imports {
		number = external
	}

	id, err := strconv.Atoi(number)

	switch {
	case kindOf(o) == FirewallOptionsKind, kindOf(o) == FirewallRulesKind:
		loadFirewall(m.Proxmox, o, forProvider)
	case kindOf(o) == HAResourceKind:
		m.Proxmox.loadHA(external, o, forProvider)
	case o["kind"] == FileKind:
		m.Proxmox.Snippets[fmt.Sprint(forProvider["nodeName"], " ", external)] = true
	case isSitePart(o) && Policies(o) == onlyObserves:
		if m.Proxmox.SiteParts[external] == nil { // Somebody else's.
			m.Proxmox.SiteParts[external] = Object(Copy(at))
		}
	case isSitePart(o):
		m.Proxmox.SiteParts[external] = Object(Copy(forProvider))
	case err != nil:
	case o["kind"] == VMKind && imports:
		if m.Proxmox.VMs[id] == nil { // A person's VM, or that of a machine that is not in this world.
			m.Proxmox.ByHand(id, Object(Copy(at)))
		}
	case o["kind"] == VMKind:
		loadVM(m, name, id, forProvider, at)
	case o["kind"] == ContainerKind && imports:
		if m.Proxmox.Containers[id] == nil { // Somebody's, as above.
			m.Proxmox.Containers[id] = &Container{Config: withoutID(at)}
		}
	case o["kind"] == ContainerKind:
		m.Provider.owns(name)
		m.Proxmox.Containers[id] = &Container{Config: Object(Copy(forProvider))}
	}
}

// withoutID is what the provider reports of a container, without what it adds.
func withoutID(at map[string]any) map[string]any {
	out := Object(Copy(at))
	delete(out, "id")

	return out
}

// loadFirewall that a managed resource wrote: its options, or its rules.
func loadFirewall(p *Proxmox, o, forProvider map[string]any) {
	id := firewallID(o)
	if p.Firewalls[id] == nil {
		p.Firewalls[id] = &Firewall{}
	}

	switch {
	case kindOf(o) == FirewallOptionsKind:
		p.Firewalls[id].Options = maps.Clone(forProvider)
	case Policies(o) == onlyObserves: // Somebody's.
		p.Firewalls[id].Rules = List(Copy(Object(Object(o["status"])["atProvider"])["rule"]))
	default:
		p.Firewalls[id].Rules = List(Copy(forProvider["rule"]))
	}
}

// loadVM that a managed resource owns.
func loadVM(m *Machine, name string, id int, forProvider, at map[string]any) {
	vm := &VM{Owner: OwnerOf(m, name), Config: configOf(forProvider), written: forProvider["nodeName"], Starts: 1, found: true, macs: map[int]string{}}
	vm.Config["started"] = at["started"]

	for i := range List(vm.Config["networkDevice"]) {
		if mac := Object(At(List(at["networkDevice"]), i))["macAddress"]; mac != nil {
			vm.macs[i] = fmt.Sprint(mac)
		}
	}

	if vm.Config["started"] == true {
		vm.Running = Object(Copy(vm.Config))
		vm.readDrive()
	}

	for _, link := range List(at["networkInterfaceNames"]) {
		if says, _ := link.(string); guestreport.ReadNix([]string{says}).State != guestreport.NixUnknown {
			vm.Report = says
		}
	}

	m.Provider.owns(name)
	m.Proxmox.VMs[id] = vm
}

// loadNode of Kubernetes: it is registered by the machine's VM that has its system UUID.
func loadNode(m *Machine, node map[string]any) {
	name, info := fmt.Sprint(Object(node["metadata"])["name"]), Object(Object(node["status"])["nodeInfo"])
	m.cluster.AddNode(name, node)

	for id, vm := range m.Proxmox.VMs {
		for _, s := range List(vm.Config["smbios"]) {
			if system, _ := Object(s)["uuid"].(string); strings.EqualFold(system, fmt.Sprint(info["systemUUID"])) && system != "" {
				vm.boot, _ = info["bootID"].(string)
				m.cluster.passwords[name], m.cluster.registrants[name] = id, vm.Owner
				holds(m, name, vm)
			}
		}
	}
}
