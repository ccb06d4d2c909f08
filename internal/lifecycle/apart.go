package lifecycle

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Apart are the machines that a machine with a VM is kept apart from, as far as anybody asked for them.
type Apart struct {
	// Servers are VMs of the servers of the machine's K3s cluster, Group those of the machines of its proxmox.spread. The machine's own are among them.
	Servers, Group []proxmox.ObservedVM
	// Nodes of the site on which the machine may be; empty where the catalogue lists none.
	Nodes []string
}

// A Meeting is a machine's VM on one node with VMs of machines that it is kept apart from; zero where there are none.
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
	if m := meeting(r, HostOf(vm), servers); len(m.With) > 0 {
		m.Servers = true
		return m
	}

	return meeting(r, HostOf(vm), r.Apart.Group)
}

// meeting of a machine, whose VM is on a node, with others of its site.
func meeting(r Request, node string, others []proxmox.ObservedVM) Meeting {
	out := Meeting{Node: node}
	all := map[string]map[string]bool{node: {"": true}} // Machines by node; the empty name is this one's.

	for _, o := range others {
		if r.Owner.Owns(o) || o.ObserveOnly() || !r.Owner.sameSite(o) {
			continue
		}

		host := HostOf(o)
		if all[host] == nil {
			all[host] = map[string]bool{}
		}

		all[host][ownerOf(o.Metadata)] = true

		if host == node {
			out.With = append(out.With, r.Owner.nameOf(o.Metadata))
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

	out.Free = FreeNode(node, counts, r.Apart.Nodes)

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
