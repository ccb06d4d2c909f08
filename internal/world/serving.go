package world

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// Serves says whether K3s runs in a VM, which it does once the VM has joined since it was started last. Until then its Node says what it said
// before.
func (c *Cluster) Serves(node string, id int, vm *VM) bool {
	info := Object(Object(c.Nodes[node]["status"])["nodeInfo"])

	return vm.Running != nil && vm.cut == 0 && c.passwords[node] == id && info["bootID"] == bootID(id, vm)
}

// bootID is another one after each start of a VM.
func bootID(id int, vm *VM) string {
	if vm.boot != "" {
		return vm.boot
	}

	const mostStarts = 1_000_000

	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%d %d", id, vm.before*mostStarts+vm.Starts)).String()
}

// NodeServes says whether K3s of a Node runs in a VM, whatever the Node says.
func (c *Cluster) NodeServes(node string) bool {
	id := c.Registered(node)

	return slices.ContainsFunc(c.proxmoxes, func(p *Proxmox) bool {
		vm := p.VMs[id]

		return vm != nil && c.Serves(node, id, vm)
	})
}

// isDead says whether the VM of a Node is on a Proxmox node that does not answer. A person says of such a node that it is lost, and it holds nobody up then.
func (c *Cluster) isDead(node string) bool {
	id := c.Registered(node)

	return slices.ContainsFunc(c.Machines, func(m *Machine) bool {
		vm := m.Proxmox.VMs[id]
		return vm != nil && slices.Contains(m.Proxmox.Dead, vm.Node())
	})
}
