package lifecycle

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Apart are the machines and containers that a machine with a VM, or a container, is kept apart from, as far as anybody asked for them.
type Apart struct {
	// Servers are VMs of the servers of the machine's K3s cluster, Group those of the machines of its proxmox.spread. The machine's own are among them.
	Servers, Group []proxmox.ObservedVM
	// Containers are those of the same proxmox.spread.
	Containers []proxmox.ObservedContainer
	// Nodes of the site on which the machine may be; empty where the catalogue lists none.
	Nodes []string
}

// A Meeting is a machine's VM, or a container, on one node with others that it is kept apart from; zero where there are none.
type Meeting struct {
	Node string
	// Servers says that they are servers of the machine's K3s cluster, and not machines of its proxmox.spread.
	Servers bool
	// With are the other machines as namespace/name, sorted; behind them [AnotherClaim] for those of other namespaces.
	With []string
	// Free is a node to which a move of one of them leaves fewer together; empty where there is none.
	Free string
}

// MeetingOf a machine's active VM. Servers of its cluster come before machines of its group. A server of another namespace counts only where the
// catalogue says that it may serve the cluster, since the label of a cluster proves nothing.
func MeetingOf(r Request) Meeting {
	vm, there := r.Observed.VMs[r.Roles.Active]
	if !there || vm.ObserveOnly() {
		return Meeting{}
	}

	servers := slices.DeleteFunc(slices.Clone(r.Apart.Servers), func(o proxmox.ObservedVM) bool { return !r.Kin.Has(o) })
	if m := r.Owner.meeting(HostOf(vm), placesOfVMs(servers), r.Apart.Nodes); len(m.With) > 0 {
		m.Servers = true
		return m
	}

	return r.Owner.Meeting(HostOf(vm), r.Apart)
}

// Meeting on a node with machines and containers of the same proxmox.spread.
func (o Owner) Meeting(node string, a Apart) Meeting {
	return o.meeting(node, Neighbours{VMs: a.Group, Containers: a.Containers}.places(), a.Nodes)
}

// meeting on a node with others of the owner's site, which has some nodes.
func (o Owner) meeting(node string, others []place, nodes []string) Meeting {
	out := Meeting{Node: node}
	all := map[string]map[string]bool{node: {"": true}} // Machines by node; the empty name is this one's.

	for _, p := range others {
		if o.owns(p.metadata) || p.is != present || !o.SharesSite(p.ref, p.metadata.Namespace) {
			continue
		}

		if all[p.node] == nil {
			all[p.node] = map[string]bool{}
		}

		all[p.node][ownerOf(p.metadata)] = true

		if p.node == node {
			out.With = append(out.With, o.nameOf(p.metadata))
		}
	}

	if len(out.With) == 0 {
		return Meeting{}
	}

	slices.Sort(out.With)
	out.With = slices.Compact(out.With)

	if i := slices.Index(out.With, AnotherClaim); i >= 0 {
		out.With = append(slices.Delete(out.With, i, i+1), AnotherClaim)
	}

	counts := map[string]int{}
	for host, machines := range all {
		counts[host] = len(machines)
	}

	out.Free = FreeNode(node, counts, nodes)

	return out
}

// FreeNode is the node to which one of the machines on a node can move so that fewer are together: the one with the fewest, which are at least two fewer.
// Empty where there is none. counts are the machines by node. Where no nodes are known but those with machines, these are all.
func FreeNode(from string, counts map[string]int, nodes []string) string {
	if len(nodes) == 0 {
		nodes = slices.Collect(maps.Keys(counts))
	}

	free := ""

	for _, n := range slices.Sorted(slices.Values(nodes)) {
		if counts[n]+1 < counts[from] && (free == "" || counts[n] < counts[free]) {
			free = n
		}
	}

	return free
}
