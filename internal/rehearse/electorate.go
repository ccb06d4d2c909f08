package rehearse

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// An electorate is the etcd of one K3s cluster, by the Nodes of its servers.
type electorate struct {
	name    string         // As people call it: K3sCluster infra-machines/home, or K3sNodes of cluster home.
	machine *world.Machine // Whose claim says in which cluster it is: the K3sCluster, or the first K3sNode.
	members []string       // Sorted.
}

// The polls say which servers vote with whom.
type polls struct {
	cluster  *world.Cluster
	actors   []*actor
	enrolled map[string]string // Clusters by the Nodes of their servers that have claims of their own.
	seats    map[string]string // Claims by the Nodes of their servers, also where the machine is gone: its member stays as long as its Node does.
	others   map[string]other  // Servers that are not played, by their Nodes.
}

// An other is a server of which no claim is played: it votes as long as its VM runs, and that does not change.
type other struct {
	cluster string
	runs    bool
}

// othersOf a rehearsal are the servers of clusters that were observed, and that are none of the machines which are played.
func othersOf(in Input) map[string]other {
	out := map[string]other{}

	for _, m := range in.Machines {
		for _, o := range unplayed(in.Machines, m.Is.Others) {
			labels := o.GetLabels()
			if o.GetKind() != proxmox.VMKind || labels[proxmox.EtcdLabel] != string(proxmox.EtcdMember) {
				continue
			}

			host, _, _ := unstructured.NestedString(o.Object, "spec", "forProvider", "name")
			node := cmp.Or(o.GetAnnotations()[proxmox.NodeNameAnnotation], lifecycle.NodeName(host))
			runs, _, _ := unstructured.NestedBool(o.Object, "status", "atProvider", "started")
			out[node] = other{labels[proxmox.ClusterLabel], runs || out[node].runs}
		}
	}

	return out
}

// enrol the servers with claims of their own: each keeps the cluster that its VM was made for, also while it has no VM.
func (p *polls) enrol() {
	for _, a := range p.actors {
		if a.machine == nil {
			continue
		}

		if a.nodes != nil {
			for _, name := range a.nodes.Names() {
				p.seats[a.nodes.Named(name).NodeName()] = a.Name
			}

			continue
		}

		p.seats[a.machine.NodeName()] = a.Name

		if cluster := etcdLabel(a.machine); cluster != "" {
			p.enrolled[a.machine.NodeName()] = cluster
		}
	}
}

// etcdLabel is the cluster whose servers count a VM of the machine; empty for one without a member of etcd.
func etcdLabel(m *world.Machine) string {
	for _, name := range world.Keys(m.Observed) {
		labels := world.Object(world.Object(m.Observed[name]["metadata"])["labels"])
		if labels[proxmox.EtcdLabel] == string(proxmox.EtcdMember) {
			cluster, _ := labels[proxmox.ClusterLabel].(string)

			return cluster
		}
	}

	return ""
}

// electorates of K3sClusters, and then those of K3sNodes, in the order of the claims. Before a server has joined, one has no members. A K3sNode that is a
// server beside those of a K3sCluster votes with them.
func (p *polls) electorates() []electorate {
	out, at := p.ofClusters()

	for _, a := range p.actors {
		if a.machine == nil || a.nodes != nil {
			continue
		}

		if cluster, votes := p.enrolled[a.machine.NodeName()]; votes {
			i, known := at[cluster]
			if !known {
				i = len(out)
				at[cluster] = i
				out = append(out, electorate{name: "K3sNodes of cluster " + cluster, machine: a.machine})
			}

			out[i].members = slices.Concat(out[i].members, p.membersOf(a))
		}
	}

	for node, o := range p.others {
		if i, known := at[o.cluster]; known {
			out[i].members = append(out[i].members, node)
		}
	}

	for _, e := range out {
		slices.Sort(e.members)
	}

	return out
}

// ofClusters are the electorates of K3sClusters, and the place of each by the label of the cluster.
func (p *polls) ofClusters() (out []electorate, at map[string]int) {
	at = map[string]int{}

	for _, a := range p.actors {
		if a.machine == nil || a.nodes == nil {
			continue
		}

		for _, name := range a.nodes.Names() {
			if cluster := etcdLabel(a.nodes.Named(name)); cluster != "" {
				at[cluster] = len(out)
			}
		}

		out = append(out, electorate{name: a.Name, machine: a.machine, members: p.membersOf(a)})
	}

	return out, at
}

// membersOf the etcd of a claim's machines are the Nodes of its servers.
func (p *polls) membersOf(a *actor) []string {
	var out []string

	for _, node := range slices.Sorted(maps.Keys(p.cluster.Nodes)) {
		if p.cluster.IsServer(node) && p.seats[node] == a.Name {
			out = append(out, node)
		}
	}

	return out
}

// etcdOf an electorate.
func (p *polls) etcdOf(e electorate) Etcd {
	out := Etcd{Cluster: e.name, Members: len(e.members)}

	for _, node := range e.members {
		if p.hasVote(node) {
			out.Votes++
		}
	}

	return out
}

// hasVote says whether K3s of a server runs.
func (p *polls) hasVote(node string) bool {
	return p.others[node].runs || p.cluster.NodeServes(node) && !slices.Contains(p.cluster.Kubernetes.Upgrader.Working(), node)
}
