package world

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// NodeRequirement is the machine's Kubernetes Node, as a recorded request has it.
const NodeRequirement = "k3s-node"

// BornWith is the release of K3s that a guest installs, whatever its claim says, unless the cluster is BornAsClaimed.
const BornWith = "v1.33.6+k3s1"

// Join lets K3s in the machine's VM register its Node, in the cluster that Crossplane runs in, as the guest does when it runs. It says
// whether it may: K3s refuses a VM whose name another one has, until somebody has deleted that Node, because the Node has a password
// (Secret NODE.node-password.k3s).
func (m *Machine) Join(id int) bool {
	m.cluster.T.Helper()

	vm := m.Proxmox.VMs[id]
	if vm == nil || vm.Running == nil {
		m.cluster.T.Fatalf("VM %d does not run", id)
	}

	var system string
	for _, s := range List(vm.Config["smbios"]) {
		system, _ = Object(s)["uuid"].(string)
	}

	name := m.NodeName()
	if before := m.cluster.Nodes[name]; before != nil && m.cluster.passwords[name] != id {
		return false
	}

	// A kubelet that starts again runs the release that was installed last.
	release := BornWith
	if m.cluster.Nodes[name] != nil {
		release = m.cluster.Release(name)
	} else if m.cluster.BornAsClaimed {
		release = installs(m, id)
	}

	labels := map[string]any{"kubernetes.io/hostname": name}
	conditions := []any{map[string]any{"type": "Ready", "status": "True", "reason": "KubeletReady"}}

	if role, _ := Object(m.Spec()["k3s"])["role"].(string); role == "server" {
		labels["node-role.kubernetes.io/control-plane"], labels["node-role.kubernetes.io/etcd"] = "true", "true"
		conditions = append(conditions, map[string]any{"type": "EtcdIsVoter", "status": "True", "reason": "MemberNotLearner"})
	}

	// A kubelet that starts again does not uncordon its Node.
	spec := Object(m.cluster.Nodes[name]["spec"])

	m.cluster.AddNode(name, map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name, "labels": labels}, "spec": spec,
		"status": map[string]any{
			"conditions": conditions,
			"nodeInfo": map[string]any{
				"systemUUID": strings.ToLower(system), "bootID": bootID(id, vm), "kubeletVersion": release,
			},
		},
	})
	m.cluster.passwords[name], m.cluster.registrants[name] = id, vm.Owner

	return true
}

// installs is the release of K3s in a VM that joins: the one that its Node had when the world was loaded, the one of the claim, or where that has none, the
// one of the machine's bootstrap data, which may come from the catalogue.
func installs(m *Machine, id int) string {
	status := Object(m.Composite["status"])

	if k := Object(status["kubernetes"]); k["joined"] == true && fmt.Sprint(status["vmId"]) == fmt.Sprint(id) {
		if v, _ := k["version"].(string); v != "" {
			return v
		}
	}

	for _, v := range []any{Object(m.Spec()["k3s"])["version"], status["k3sVersion"]} {
		if v, _ := v.(string); v != "" {
			return v
		}
	}

	return BornWith
}

// bootID is another one after each start of a VM.
func bootID(id int, vm *VM) string {
	if vm.boot != "" {
		return vm.boot
	}

	const mostStarts = 1_000_000

	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%d %d", id, vm.before*mostStarts+vm.Starts)).String()
}

// Serves says whether K3s runs in a VM, which it does once the VM has joined since it was started last. Until then its Node says what it said
// before.
func (c *Cluster) Serves(node string, id int, vm *VM) bool {
	info := Object(Object(c.Nodes[node]["status"])["nodeInfo"])

	return vm.Running != nil && c.passwords[node] == id && info["bootID"] == bootID(id, vm)
}

// AddNode to the cluster that Crossplane runs in, whose ever it is.
func (c *Cluster) AddNode(name string, node map[string]any) {
	if c.Nodes == nil {
		c.Nodes, c.passwords, c.registrants = map[string]map[string]any{}, map[string]int{}, map[string]string{}
	}

	c.Nodes[name] = node
}

// DeleteNode as `kubectl delete node` does: K3s removes its member from etcd, and its password goes with it.
func (c *Cluster) DeleteNode(name string) {
	delete(c.Nodes, name)
	delete(c.passwords, name)
	delete(c.registrants, name)
}

// SetNode sets a condition of a Node.
func (c *Cluster) SetNode(name, typ, status, reason string) {
	c.T.Helper()

	for _, o := range List(Object(c.Nodes[name]["status"])["conditions"]) {
		if o := Object(o); o["type"] == typ {
			o["status"], o["reason"] = status, reason
			return
		}
	}

	c.T.Fatalf("Node %s has no condition %s", name, typ)
}

// NodeName is the name with which the machine's VM registers.
func (m *Machine) NodeName() string {
	name, _ := m.Spec()["hostname"].(string)
	if name == "" {
		name = fmt.Sprint(Object(m.Composite["metadata"])["name"])
		if ref := Object(m.Spec()["claimRef"]); ref["name"] != nil {
			name = fmt.Sprint(ref["name"])
		}
	}

	name, _, _ = strings.Cut(name, ".")

	return name
}

// SetCluster changes a field of a K3s cluster in a copy of the catalogue.
func (m *Machine) SetCluster(cluster, field string, value any) {
	m.Catalogue = Object(Copy(m.Catalogue))
	c := Object(Object(Object(m.Catalogue["data"])["clusters"])[cluster])

	if c[field] = value; value == nil {
		delete(c, field)
	}
}

// Registered is the VMID of the VM that registered a Node; 0 without such a Node.
func (c *Cluster) Registered(name string) int { return c.passwords[name] }

// JoinAll lets every VM of the machine that runs register its Node, if it may.
func (m *Machine) JoinAll() {
	if m.cluster.Kubernetes.Upgrader.jobs[m.NodeName()] != nil || m.cluster.NeverJoins[m.NodeName()] {
		return
	}

	for _, id := range slices.Sorted(maps.Keys(m.Proxmox.VMs)) {
		if vm := m.Proxmox.VMs[id]; vm.Running != nil && strings.HasPrefix(vm.Owner, m.Name()+"/") {
			m.Join(id)
		}
	}
}
