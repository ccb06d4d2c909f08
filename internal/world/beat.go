package world

import "slices"

// Beat lets the guests of VMs with K3s report whether they have joined, and Nodes say whether their kubelets report. sick are Nodes whose kubelets do not,
// while their VMs run.
func (c *Cluster) Beat(sick map[string]bool) {
	for _, m := range c.Machines {
		for id, vm := range m.Proxmox.VMs {
			if !c.hasK3s(vm) {
				continue
			}

			vm.Report = "k3s-waiting"
			if c.refuses(id, vm) {
				vm.Report = "k3s-bad-refused"
			}

			for _, has := range c.passwords {
				if has == id {
					vm.Report = "k3s-joined"
				}
			}
		}
	}

	for _, name := range Keys(c.Nodes) {
		if c.NodeServes(name) && !sick[name] {
			continue
		}

		c.SetNode(name, "Ready", "Unknown", "NodeStatusUnknown")

		if c.IsServer(name) {
			c.SetNode(name, "EtcdIsVoter", "False", "MemberUnhealthy")
		}
	}
}

// hasK3s says whether K3s is in a VM, as far as anybody says of its machine.
func (c *Cluster) hasK3s(vm *VM) bool {
	for _, m := range c.Machines {
		if Owns(m, vm) {
			return Object(m.Spec()["k3s"])["role"] != nil
		}
	}

	return slices.ContainsFunc(c.Machines, func(m *Machine) bool { return m.nodes != nil })
}

// refuses says whether K3s refuses a VM that runs, because another one registered the Node that has its name.
func (c *Cluster) refuses(id int, vm *VM) bool {
	for _, m := range c.Machines {
		if vm.Running != nil && Owns(m, vm) && c.Nodes[m.NodeName()] != nil {
			return c.passwords[m.NodeName()] != id
		}
	}

	return false
}

// RefusedByPassword is the Node because of which K3s refuses a VM of a machine that runs: another VM registered it. Empty where none is.
func RefusedByPassword(m *Machine) string {
	for id, vm := range m.Proxmox.VMs {
		if vm.Running != nil && Owns(m, vm) && Object(m.Spec()["k3s"])["role"] != nil && m.cluster.refuses(id, vm) {
			return m.NodeName()
		}
	}

	return ""
}
