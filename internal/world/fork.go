package world

import (
	"maps"
	"reflect"
	"slices"
)

// A Forked world is a copy of one, that goes on by itself: neither sees what becomes of the other. What nobody changes is shared: the Function, what
// machines have as catalogue, Secrets and neighbours, and what they asked for last.
type Forked struct {
	Cluster *Cluster

	machines  map[*Machine]*Machine
	proxmoxes map[*Proxmox]*Proxmox
	objects   map[uintptr]any // By where the object of the old world is in memory: what two have in common there, they have in common here.
}

// Fork a world. Its Reporter, Fault and Else are still those of the old one.
func Fork(c *Cluster) Forked {
	out := *c
	f := Forked{Cluster: &out, machines: map[*Machine]*Machine{}, proxmoxes: map[*Proxmox]*Proxmox{}, objects: map[uintptr]any{}}

	out.Machines = make([]*Machine, 0, len(c.Machines))
	for _, m := range c.Machines {
		out.Machines = append(out.Machines, f.Machine(m))
	}

	out.Nodes, out.NeverJoins, out.Lately = forkedObjects(f, c.Nodes), maps.Clone(c.NeverJoins), maps.Clone(c.Lately)
	out.passwords, out.registrants = maps.Clone(c.passwords), maps.Clone(c.registrants)
	out.holders, out.versions = maps.Clone(c.holders), maps.Clone(c.versions)
	out.Volumes = slices.Clone(c.Volumes)

	for i := range out.Volumes {
		out.Volumes[i] = Object(f.value(out.Volumes[i]))
	}

	f.kubernetes(c.Kubernetes)

	out.proxmoxes = slices.Clone(c.proxmoxes)
	for i, p := range c.proxmoxes {
		out.proxmoxes[i] = f.proxmox(p)
	}

	out.leaving = slices.Clone(c.leaving)
	for i, l := range c.leaving {
		out.leaving[i] = leaver{f.Machine(l.machine), slices.Clone(l.kept)}
	}

	out.IPAM.Addresses, out.IPAM.Pools = forkedObjects(f, c.IPAM.Addresses), maps.Clone(c.IPAM.Pools)
	for name, pool := range out.IPAM.Pools {
		p := *pool
		p.Addresses = slices.Clone(p.Addresses)
		out.IPAM.Pools[name] = &p
	}

	return f
}

// kubernetes of the old world.
func (f Forked) kubernetes(k Kubernetes) {
	k.Jobs, k.Upgrader.Plans, k.Upgrader.Done = forkedObjects(f, k.Jobs), forkedObjects(f, k.Upgrader.Plans), slices.Clone(k.Upgrader.Done)
	k.Upgrader.had, k.Upgrader.jobs = maps.Clone(k.Upgrader.had), maps.Clone(k.Upgrader.jobs)

	for node, job := range k.Upgrader.jobs {
		j := *job
		k.Upgrader.jobs[node] = &j
	}

	k.going = slices.Clone(k.going)
	for i, g := range k.going {
		k.going[i] = going{f.Machine(g.machine), g.name, Object(f.value(g.object))}
	}

	f.Cluster.Kubernetes = k
}

// Machine that one of the old world is in this one; nil for nil.
func (f Forked) Machine(m *Machine) *Machine {
	if m == nil || f.machines[m] != nil {
		return f.machines[m]
	}

	out, provider := *m, *m.Provider
	f.machines[m] = &out

	provider.Stuck, provider.Fails, provider.owned = slices.Clone(provider.Stuck), maps.Clone(provider.Fails), maps.Clone(provider.owned)
	provider.looked, provider.awaits = maps.Clone(provider.looked), maps.Clone(provider.awaits)
	out.Provider, out.Proxmox, out.cluster, out.constants = &provider, f.proxmox(m.Proxmox), f.Cluster, maps.Clone(m.constants)
	out.prints = maps.Clone(m.prints)
	out.Composite, out.Observed = Object(f.value(m.Composite)), forkedObjects(f, m.Observed)

	if m.nodes != nil {
		nodes := *m.nodes
		nodes.machines, nodes.refused = maps.Clone(m.nodes.machines), slices.Clone(m.nodes.refused)

		for name, node := range nodes.machines {
			nodes.machines[name] = f.Machine(node)
		}

		out.nodes = &nodes
	}

	return &out
}

// Nodes of a cluster in this world, by the machine of the old one; nil for anything else.
func (f Forked) Nodes(m *Machine) *Nodes {
	if m = f.Machine(m); m == nil {
		return nil
	}

	return m.nodes
}

func (f Forked) proxmox(p *Proxmox) *Proxmox {
	if f.proxmoxes[p] != nil {
		return f.proxmoxes[p]
	}

	out := *p
	f.proxmoxes[p] = &out

	out.cluster, out.VMs, out.Firewalls, out.Containers = f.Cluster, maps.Clone(p.VMs), maps.Clone(p.Firewalls), maps.Clone(p.Containers)
	out.Snippets, out.Done, out.HA, out.Dead = maps.Clone(p.Snippets), slices.Clone(p.Done), maps.Clone(p.HA), slices.Clone(p.Dead)
	out.HAOptions = maps.Clone(p.HAOptions) // Each is replaced as a whole.
	out.made, out.lost, out.LacksSources = maps.Clone(p.made), maps.Clone(p.lost), maps.Clone(p.LacksSources)
	out.SiteParts = forkedObjects(f, p.SiteParts)

	for id, vm := range p.VMs {
		v := *vm
		v.Config, v.macs = Object(f.value(vm.Config)), maps.Clone(vm.macs)

		if vm.Running != nil {
			v.Running = Object(f.value(vm.Running))
		}

		out.VMs[id] = &v
	}

	for id, firewall := range p.Firewalls {
		w := *firewall
		w.Rules, _ = f.value(firewall.Rules).([]any)

		if firewall.Options != nil {
			w.Options = Object(f.value(firewall.Options))
		}

		out.Firewalls[id] = &w
	}

	for id, container := range p.Containers {
		n := *container
		n.Config = Object(f.value(container.Config))
		out.Containers[id] = &n
	}

	return &out
}

func forkedObjects(f Forked, all map[string]map[string]any) map[string]map[string]any {
	out := maps.Clone(all)
	for name, o := range out {
		out[name] = Object(f.value(o))
	}

	return out
}

// value of the old world: it keeps its types, and what is one object there is one here.
func (f Forked) value(v any) any {
	switch v := v.(type) {
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = f.value(out[i])
		}

		return out
	case map[string]any:
		if v == nil {
			return v
		}

		at := reflect.ValueOf(v).Pointer()
		if known, ok := f.objects[at]; ok {
			return known
		}

		out := make(map[string]any, len(v))
		f.objects[at] = out

		for k := range v {
			out[k] = f.value(v[k])
		}

		return out
	}

	return v
}
