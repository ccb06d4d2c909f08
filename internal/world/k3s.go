package world

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// NodeRequirement is the machine's Kubernetes Node, as a recorded request has it.
const NodeRequirement = "k3s-node"

// BornWith is the release of K3s that a guest installs, whatever its claim says, unless the cluster is BornAsClaimed.
const BornWith = "v1.33.6+k3s1"

// Join lets K3s in the machine's VM register its Node, in the cluster that Crossplane runs in, as the guest does when it runs. It says
// whether it may: K3s refuses a VM whose name another one has, until somebody has deleted that Node, because the Node has a password
// (Secret NODE.node-password.k3s), and a VM with another token than the cluster's.
func (m *Machine) Join(id int) bool {
	m.cluster.T.Helper()

	vm := m.Proxmox.VMs[id]
	if vm == nil || vm.Running == nil {
		m.cluster.T.Fatalf("VM %d does not run", id)
	}

	if unplugged(m, vm) {
		return false
	}

	var system string
	for _, s := range List(vm.Config["smbios"]) {
		system, _ = Object(s)["uuid"].(string)
	}

	name := nodeNameOf(m, vm)
	if before := m.cluster.Nodes[name]; before != nil && m.cluster.passwords[name] != id || refusedByToken(m, id) {
		return false
	}

	if m.cluster.passwords[name] != id {
		holds(m, name, vm)
	}

	// A kubelet that starts again runs the release that was installed last.
	release := BornWith
	if m.cluster.Nodes[name] != nil {
		release = m.cluster.Release(name)
	} else if m.cluster.BornAsClaimed {
		release = installs(m, id)
	}

	m.checkRelease(name, release)

	labels := map[string]any{"kubernetes.io/hostname": name}
	conditions := []any{map[string]any{"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": heartbeat(vm)}}

	// A server stays one whatever role an edit, which is refused, gives it.
	if role, _ := Object(m.Spec()["k3s"])["role"].(string); role == "server" || m.cluster.IsServer(name) {
		labels["node-role.kubernetes.io/control-plane"], labels["node-role.kubernetes.io/etcd"] = "true", "true"
		conditions = append(conditions, map[string]any{"type": "EtcdIsVoter", "status": "True", "reason": "MemberNotLearner"})
	}

	// A kubelet that starts again does not uncordon its Node.
	spec := Object(m.cluster.Nodes[name]["spec"])

	m.cluster.AddNode(name, map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": metadataOf(m.cluster.Nodes[name], name, "node-"+bootID(id, vm), labels), "spec": spec,
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

// unplugged says whether nobody reaches a VM in this turn of its guest, where somebody reads Nodes and can tell.
func unplugged(m *Machine, vm *VM) bool {
	if observes(m) == nil {
		vm.cut = 0
	}

	vm.cut = max(0, vm.cut-1)

	return vm.cut > 0
}

// heartbeat of a kubelet: another one after each time that its VM was plugged in again, and where somebody has it repeat itself.
func heartbeat(vm *VM) string {
	return time.Unix(int64(vm.plugs+vm.Reports), 0).UTC().Format(time.RFC3339)
}

// checkRelease of a Node that registers: no agent is newer than a server, where somebody reads what the servers run.
func (m *Machine) checkRelease(name, release string) {
	if Object(m.Spec()["k3s"])["role"] == "server" || observes(m) == nil || !m.cluster.BornAsClaimed || m.cluster.Nodes[name] != nil {
		return
	}

	for _, other := range Keys(m.cluster.Nodes) {
		if m.cluster.IsServer(other) && !areApart(k3sOf(m), k3sOfNode(m.cluster, other)) && k3s.OlderRelease(m.cluster.Release(other), release) {
			m.cluster.Fault("agent %s joins with %s while server %s runs %s", name, release, other, m.cluster.Release(other))
		}
	}
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

// JoinAll lets every VM of the machine that runs register its Node, if it may.
func (m *Machine) JoinAll() {
	if m.cluster.Kubernetes.Upgrader.jobs[m.NodeName()] != nil || m.cluster.NeverJoins[m.NodeName()] {
		return
	}

	for _, id := range slices.Sorted(maps.Keys(m.Proxmox.VMs)) {
		if vm := m.Proxmox.VMs[id]; vm.Running != nil && Owns(m, vm) {
			m.Join(id)
		}
	}
}
