package rehearse

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A sight is what is to be seen of the world at a moment.
type sight struct {
	states    map[string]State   // By machine: of the VM or the container that it has.
	all       map[string][]State // By machine: of all that it has.
	addresses map[string]string  // By machine.
	etcd      []Etcd             // Of those that have a member: of K3sClusters, and then of K3sNodes, in the order of the claims.
	images    map[string]bool    // That are downloaded, with their nodes.
	joined    map[string]string  // Machines by their Kubernetes Nodes.
	upgraded  []string           // Nodes that are being upgraded in place.
}

// sight of the world.
func (p *play) sight() sight {
	out := sight{
		states: map[string]State{}, all: map[string][]State{}, addresses: map[string]string{}, images: map[string]bool{}, joined: map[string]string{},
		upgraded: p.cluster.Kubernetes.Upgrader.Working(),
	}

	for _, m := range p.all() {
		label := p.labelOf(m)

		if s, there := p.stateOf(m); there {
			s.Machine = label
			out.states[label], out.all[label] = s, statesOf(m)
		}

		if p.cluster.Nodes[m.NodeName()] != nil && !isCluster(m) {
			out.joined[m.NodeName()] = label
		}

		if address := addressIn(m, out.states[label]); address != "" {
			out.addresses[label] = address
		}

		for _, name := range world.Keys(m.Observed) {
			at := world.Object(world.Object(m.Observed[name]["status"])["atProvider"])
			if m.Observed[name]["kind"] == world.DownloadFileKind && at["id"] != nil && world.Policies(m.Observed[name]) != "Observe" {
				out.images[fmt.Sprintf("image %v on %v", at["fileName"], at["nodeName"])] = true
			}
		}
	}

	for _, e := range p.polls.electorates() {
		if len(e.members) > 0 {
			out.etcd = append(out.etcd, p.polls.etcdOf(e))
		}
	}

	return out
}

// addressIn the guest of a machine: that of its first interface as the guest runs with it, and of a container that of its status. Empty while a VM is off, and
// where nobody but DHCP knows it.
func addressIn(m *world.Machine, s State) string {
	vm := m.Proxmox.VMs[s.VMID]
	if vm == nil {
		address, _ := world.Object(m.Composite["status"])["primaryAddress"].(string)
		return address
	}

	if vm.Running == nil {
		return ""
	}

	has, _ := vm.InGuest(s.VMID)

	first := func(of map[string]any, field string) map[string]any {
		return world.Object(world.At(world.List(of[field]), 0))
	}

	address, _, _ := strings.Cut(fmt.Sprint(first(first(first(has, "initialization"), "ipConfig"), "ipv4")["address"]), "/")

	if address == dhcp || address == "<nil>" {
		return ""
	}

	return address
}

// keeps what a machine had before and nobody sees now: a VM that is off comes back with its address, and of several that are off it is that which it was.
func (s sight) keeps(before sight) {
	for name, is := range s.states {
		was := before.states[name].VMID
		if i := slices.IndexFunc(s.all[name], func(other State) bool { return other.VMID == was }); i >= 0 && is.State == StateOff {
			is = s.all[name][i]
			is.Machine = name
			s.states[name] = is
		}
	}

	for name, address := range before.addresses {
		if s.addresses[name] == "" {
			s.addresses[name] = address
		}
	}
}

// stateOf the VM or the container of a machine. Of several it is that which runs, and the newer of two.
func (p *play) stateOf(m *world.Machine) (State, bool) {
	var out State

	for _, s := range statesOf(m) {
		if out.VMID == 0 || s.State != StateOff {
			out = s
		}
	}

	return out, out.VMID != 0
}

// statesOf all VMs and containers of a machine, by their VMIDs.
func statesOf(m *world.Machine) []State {
	var out []State

	for _, id := range slices.Sorted(maps.Keys(containersOf(m))) {
		c := m.Proxmox.Containers[id]
		s := State{VMID: id, Node: fmt.Sprint(c.Config["nodeName"]), State: StateOff, Container: true}

		if c.Config["started"] == true && !slices.Contains(m.Proxmox.Dead, s.Node) {
			s.State = StateServes
		}

		out = append(out, s)
	}

	for _, id := range slices.Sorted(maps.Keys(m.Proxmox.VMs)) {
		if vm := m.Proxmox.VMs[id]; world.Owns(m, vm) {
			out = append(out, vmState(m, id, vm))
		}
	}

	return out
}

func vmState(m *world.Machine, id int, vm *world.VM) State {
	out := State{VMID: id, Node: vm.Node(), State: StateServes}
	node := m.NodeName()

	switch {
	case vm.Running == nil:
		out.State = StateOff
	case world.Object(m.Spec()["k3s"])["role"] == nil:
	case !m.Cluster().Serves(node, id, vm):
		out.State = StateStarts
	case slices.Contains(m.Cluster().Kubernetes.Upgrader.Working(), node):
		out.State = StateUpgrades
	case m.Cluster().Cordoned(node):
		out.State = StateDrains
	}

	return out
}

// moves between two sights: what a machine has another one of.
func (s sight) moves(before sight) []string {
	var out []string

	for _, name := range world.Keys(s.states) {
		was, there := before.states[name]
		is := s.states[name]

		switch {
		case !there:
		case was.VMID != is.VMID:
			out = append(out, fmt.Sprintf("%s: VMID %d to %d", name, was.VMID, is.VMID))
		}

		if there && was.Node != is.Node {
			out = append(out, fmt.Sprintf("%s: node %s to %s", name, was.Node, is.Node))
		}
	}

	for _, name := range world.Keys(s.addresses) {
		if was, is := before.addresses[name], s.addresses[name]; was != "" && was != is {
			out = append(out, fmt.Sprintf("%s: address %s to %s", name, was, is))
		}
	}

	return out
}

// machines of a sight: natural order, servers before agents of a longer name.
func (s sight) machines() []State {
	out := slices.Collect(maps.Values(s.states))
	slices.SortFunc(out, func(a, b State) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.VMID, b.VMID))
	})

	return out
}
