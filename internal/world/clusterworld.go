package world

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A ClusterWorld is a K3sCluster with its nodes, their VMs, and the K3s in these: it holds after each call what no call may break.
type ClusterWorld struct {
	// Machine is the K3sCluster itself.
	Machine *Machine
	// Proxmox has the VMs of its nodes.
	Proxmox *Proxmox

	// Sick are Nodes whose kubelet does not report, while their VM runs.
	Sick map[string]bool
	// Forced says that a person has forced something: a majority may be gone then.
	Forced bool
	// Asked says that a person has asked for the restart or the replacement of a node by name: of five servers two may be away then, one of them by that word.
	Asked bool
	// Rounds and Calls so far.
	Rounds, Calls int
	// Last is the last answer about the cluster itself.
	Last *fnv1.RunFunctionResponse

	votes Votes
}

// NewClusterWorld of a claim that is named home, with what a spec adds to three servers and two agents, and that is namespaced. observe is that of its
// entry in the catalogue; empty: none.
func NewClusterWorld(c *Cluster, observe, spec string) *ClusterWorld {
	return NewClusterWorldIn(c, Installations[2], observe, spec)
}

// NewClusterWorldIn one installation.
func NewClusterWorldIn(c *Cluster, in Installation, observe, spec string) *ClusterWorld {
	claim := NewClaim("K3sCluster", "infra-machines", "home", FromYAML(c.T, clusterSpec))
	Merge(Object(claim["spec"]), FromYAML(c.T, spec))
	onlyServersOfCount(Object(claim["spec"]))

	m := NewMachine(claim, in)
	m.Catalogue, m.Joins, m.AsksAtOnce = FromYAML(c.T, clusterCatalogue), true, true
	m.Secrets = []map[string]any{FromYAML(c.T, "{apiVersion: v1, kind: Secret, metadata: {name: k3s-token, namespace: infra-machines}, stringData: {token: the-token-of-the-cluster}}")}

	if observe != "" {
		m.SetCluster("home", "observe", observe)
		m.SetCluster("home", "providerConfig", "home")
	}

	m.Capabilities = []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_CONDITIONS,
	}
	m.RunNodes()
	c.BornAsClaimed = true
	c.Add(m)

	w := &ClusterWorld{Machine: m, Proxmox: m.Proxmox, Sick: map[string]bool{}, votes: NewVotes()}
	c.Answered = func() { w.Calls++ }

	return w
}

// onlyServersOfCount leaves the addresses of servers out that a claim does not have: a new claim that names them is refused.
func onlyServersOfCount(spec map[string]any) {
	count, err := strconv.Atoi(fmt.Sprint(Object(spec["servers"])["count"]))
	if nodes, named := spec["nodes"].([]any); named && err == nil {
		spec["nodes"] = slices.DeleteFunc(nodes, func(n any) bool {
			name := fmt.Sprint(Object(n)["name"])

			return strings.HasPrefix(name, "server-") && name >= fmt.Sprintf("server-%d", count)
		})
	}
}

// clusterSpec is that of a cluster of three servers and two agents.
const clusterSpec = `
cluster: home
version: v1.35.6+k3s1
deletionPolicy: Delete
deletionProtection: false
token: {secretRef: {name: k3s-token, key: token}, allowPlaintext: true, trustOnFirstUse: true}
servers: {count: 3, class: server}
agents: [{name: worker, count: 2, class: agent}]
nodes:
- {name: server-0, ip: 192.168.4.211}
- {name: server-1, ip: 192.168.4.212}
- {name: server-2, ip: 192.168.4.213}
`

// clusterCatalogue has a site of three Proxmox nodes, and a K3s cluster.
const clusterCatalogue = `
apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults:
    site: home
    image: ubuntu-24.04
    adminUser: ops
    sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home]
  classes:
    server: {cores: 2, memory: 4Gi, disk: 40Gi}
    server-large: {cores: 4, memory: 8Gi, disk: 40Gi}
    agent: {cores: 4, memory: 8Gi, disk: 80Gi}
    agent-large: {cores: 8, memory: 16Gi, disk: 80Gi}
  sites:
    home:
      providerConfig: default
      nodes:
        pve1: &host {memory: 128Gi, cores: 64, bridges: [vmbr0], datastores: {disks: local-zfs, images: local, snippets: local}}
        pve2: *host
        pve3: *host
      network: {bridge: vmbr0, gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24, domain: home.arpa}
      vmIds: {from: 4000, to: 4999}
  clusters:
    home: {server: "https://k3s.home.arpa:6443", tlsSANs: [k3s.home.arpa]}
`

// Nodes of the cluster.
func (w *ClusterWorld) Nodes() *Nodes { return w.Machine.nodes }

// all machines, the cluster first.
func (w *ClusterWorld) all() []*Machine {
	out := []*Machine{w.Machine}
	for _, name := range w.Machine.nodes.Names() {
		out = append(out, w.Machine.nodes.machines[name])
	}

	return out
}

// Round lets function, Crossplane and provider work once for the cluster and each of its nodes. In a stale round all calls are made before any answer is
// applied, as Crossplane does that answers them from a cache.
func (w *ClusterWorld) Round(stale bool) {
	w.Cluster().T.Helper()
	w.Rounds++

	var late []func()

	for _, m := range w.all() {
		if m != w.Machine && !slices.Contains(w.Cluster().Machines, m) {
			continue // It went in this round.
		}

		rsp := called(m)
		if m == w.Machine {
			w.Last = w.Cluster().Memory.own(rsp)
		}

		work := func() {
			if !slices.Contains(w.Cluster().Machines, m) {
				return
			}

			m.Reconcile(rsp)
			m.Provide()
			w.Cluster().Beat(w.Sick)
			w.hold()
		}

		if stale {
			late = append(late, work)
		} else {
			work()
		}
	}

	for _, work := range late {
		work()
	}

	// Where nobody reads Nodes, the next look at the VM tells.
	maps.DeleteFunc(w.Cluster().Lately, func(name string, _ bool) bool {
		round, lost := w.votes.LostIn(name)
		return !lost || observes(w.Machine) != nil || w.Rounds-round >= w.Machine.Provider.Every
	})
}

// serves says whether K3s of a Node runs.
func (w *ClusterWorld) serves(node string) bool {
	id := w.Cluster().Registered(node)
	vm := w.Proxmox.VMs[id]

	return vm != nil && w.Cluster().Serves(node, id, vm) && !w.Sick[node]
}

// Members of etcd, sorted: a member goes with its Node.
func (w *ClusterWorld) Members() []string {
	return slices.DeleteFunc(Keys(w.Cluster().Nodes), func(name string) bool { return !w.Cluster().IsServer(name) })
}

// Heard is that a person has said of some nodes that they are lost, and all nodes were called since: a call can know it from then on, whether or not the
// provider has looked.
func (w *ClusterWorld) Heard(nodes []string) {
	for _, name := range nodes {
		delete(w.Cluster().Lately, w.Machine.Name()+"-"+name)
	}
}

// Happens is what no call does: a VM is stopped by hand, a Proxmox node dies.
func (w *ClusterWorld) Happens(what func()) {
	was := map[string]bool{}
	for _, name := range Keys(w.Cluster().Nodes) {
		was[name] = w.serves(name)
	}

	what()
	w.Cluster().Beat(w.Sick)

	for name, served := range was {
		if served && !w.serves(name) {
			w.Cluster().Lately[name] = true
		}
	}

	w.votes.Lose(w.Members(), w.serves, w.Rounds)
}

// hold what no call may break.
func (w *ClusterWorld) hold() {
	w.holdMajority()
	// A node of K3s is known by the addresses of its first boot for good.
	w.Proxmox.otherAddresses(func(id int, written, read []string) {
		w.Cluster().Fault("VM %d is written with %v, and its guest has %v: %v", id, written, read, w.lastDone())
	})
	w.Proxmox.sameIdentities(func(one, other int, what string) {
		w.Cluster().Fault("VMs %d and %d run with %s: %v", one, other, what, w.lastDone())
	})
}

// holdMajority: no call takes a server away while the others are no majority of etcd, nor a second one.
func (w *ClusterWorld) holdMajority() {
	// What went after the round before is in no call's observation yet.
	members := w.Members()
	count := w.votes.Count(members, w.serves, func(name string) bool { return w.Cluster().Lately[name] })

	switch {
	case w.Forced || len(count.Taken) == 0:
	case count.TakesMajority():
		w.Cluster().Fault("in round %d %v was taken away, and %d of %v, the members of etcd, serve: %v", w.Rounds, count.Taken, count.Votes, members, w.lastDone())
	case len(count.Ours) > 1 && !w.Asked:
		w.Cluster().Fault("%v are away at once, and nobody but us took them: %v", count.Ours, w.lastDone())
	case len(members) == 1 && RunsHere(w.Machine):
		w.Cluster().Fault("the only server, on which Crossplane runs, was stopped: %v", w.lastDone())
	}
}

// RunsHere says whether Crossplane runs in the cluster of a K3sCluster or a K3sNode, as the catalogue says.
func RunsHere(m *Machine) bool { return observes(m) == "Here" }

// observes is who reads the Nodes of the cluster of a K3sCluster or a K3sNode, as the catalogue says; nil for nobody.
func observes(m *Machine) any {
	clusters := Object(Object(m.Catalogue["data"])["clusters"])
	cluster := m.Spec()["cluster"]

	if node := Object(m.Spec()["k3s"])["cluster"]; node != nil {
		cluster = node
	}

	return Object(clusters[fmt.Sprint(cluster)])["observe"]
}

func (w *ClusterWorld) lastDone() []string { return w.Proxmox.Done[max(0, len(w.Proxmox.Done)-6):] }

// VM of a node, and its VMID; nil where there is none.
func (w *ClusterWorld) VM(node string) (int, *VM) {
	if w.Machine.nodes.machines[node] == nil {
		return 0, nil
	}

	status := Object(w.Machine.nodes.machines[node].Composite["status"])
	id := int(number(status["vmId"]))

	return id, w.Proxmox.VMs[id]
}

// Until nothing changes any more, so many rounds at most; it says whether it came to that.
func (w *ClusterWorld) Until(rounds int) bool {
	w.Cluster().T.Helper()

	before, quiet := w.Cluster().Fingerprint(), 0

	for range rounds {
		w.Round(false)

		now := w.Cluster().Fingerprint()
		if now != before {
			before, quiet = now, 0
			continue
		}

		// What the provider has not looked at again may still change.
		if quiet++; quiet >= w.Machine.Provider.Every {
			return true
		}
	}

	return false
}

// Cluster that the K3sCluster is in.
func (w *ClusterWorld) Cluster() *Cluster { return w.Machine.cluster }

// Spec of the claim.
func (w *ClusterWorld) Spec() map[string]any { return w.Machine.Spec() }
