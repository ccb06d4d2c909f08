package world

import (
	"fmt"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A ClusterWorld is a K3sCluster with its nodes, their VMs, and the K3s in these: it holds after each call what no call may break.
type ClusterWorld struct {
	*Machine

	// Sick are Nodes whose kubelet does not report, while their VM runs.
	Sick map[string]bool
	// Forced says that a person has forced something: a majority may be gone then.
	Forced bool
	// Rounds and Calls so far.
	Rounds, Calls int
	// Last is the last answer about the cluster itself.
	Last *fnv1.RunFunctionResponse

	served map[string]bool // Servers that served after the call before.
	broken map[string]bool // Servers that something else than a call took away, until they serve again.
}

// NewClusterWorld of a claim that is named home, with what a spec adds to three servers and two agents, and that is namespaced. observe is that of its
// entry in the catalogue; empty: none.
func NewClusterWorld(c *Cluster, observe, spec string) *ClusterWorld {
	claim := NewClaim("K3sCluster", "infra-machines", "home", FromYAML(c.T, clusterSpec))
	Merge(Object(claim["spec"]), FromYAML(c.T, spec))

	w := &ClusterWorld{Machine: NewMachine(claim, Installations[2]), Sick: map[string]bool{}, served: map[string]bool{}, broken: map[string]bool{}}
	w.Catalogue, w.Joins, w.AsksAtOnce = FromYAML(c.T, clusterCatalogue), true, true
	w.Secrets = []map[string]any{FromYAML(c.T, "{apiVersion: v1, kind: Secret, metadata: {name: k3s-token, namespace: infra-machines}, stringData: {token: the-token-of-the-cluster}}")}

	if observe != "" {
		w.SetCluster("home", "observe", observe)
		w.SetCluster("home", "providerConfig", "home")
	}

	w.Capabilities = []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_CONDITIONS,
	}
	w.RunNodes()
	c.BornAsClaimed = true
	c.Add(w.Machine)

	c.Answered = func() { w.Calls++ }

	return w
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
func (w *ClusterWorld) Nodes() *Nodes { return w.nodes }

// all machines, the cluster first.
func (w *ClusterWorld) all() []*Machine {
	out := []*Machine{w.Machine}
	for _, name := range w.nodes.Names() {
		out = append(out, w.nodes.machines[name])
	}

	return out
}

// Round lets function, Crossplane and provider work once for the cluster and each of its nodes. In a stale round all calls are made before any answer is
// applied, as Crossplane does that answers them from a cache.
func (w *ClusterWorld) Round(stale bool) {
	w.cluster.T.Helper()
	w.Rounds++

	var late []func()

	for _, m := range w.all() {
		if m != w.Machine && !slices.Contains(w.cluster.Machines, m) {
			continue // It went in this round.
		}

		rsp := called(m)
		if m == w.Machine {
			w.Last = w.cluster.Memory.own(rsp)
		}

		work := func() {
			if !slices.Contains(w.cluster.Machines, m) {
				return
			}

			m.Reconcile(rsp)
			m.Provide()
			w.beat()
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

	clear(w.cluster.Lately)
}

// beat: guests report that they have joined, and Nodes say whether their kubelets report.
func (w *ClusterWorld) beat() { w.cluster.Beat(w.Sick) }

// serves says whether K3s of a Node runs.
func (w *ClusterWorld) serves(node string) bool {
	id := w.cluster.Registered(node)
	vm := w.Proxmox.VMs[id]

	return vm != nil && w.cluster.Serves(node, id, vm) && !w.Sick[node]
}

// Members of etcd, sorted: a member goes with its Node.
func (w *ClusterWorld) Members() []string {
	return slices.DeleteFunc(Keys(w.cluster.Nodes), func(name string) bool { return !w.cluster.isServer(name) })
}

// Happens is what no call does: a VM is stopped by hand, a Proxmox node dies.
func (w *ClusterWorld) Happens(what func()) {
	was := map[string]bool{}
	for _, name := range Keys(w.cluster.Nodes) {
		was[name] = w.serves(name)
	}

	what()
	w.beat()

	for name, served := range was {
		if served && !w.serves(name) {
			w.cluster.Lately[name] = true
		}
	}

	for _, name := range w.Members() {
		if is := w.serves(name); !is && w.served[name] {
			w.broken[name] = true
		}

		w.served[name] = w.serves(name)
	}
}

// hold what no call may break.
func (w *ClusterWorld) hold() {
	w.holdMajority()
	w.holdIdentities()
}

// holdMajority: no call takes a server away while the others are no majority of etcd, nor a second one.
func (w *ClusterWorld) holdMajority() {
	members := w.Members()
	// What went after the round before is in no call's observation yet.
	serve, unseen := 0, 0

	var taken, ours []string

	for _, name := range members {
		is := w.serves(name)

		switch {
		case is:
			serve++

			delete(w.broken, name)
		case w.cluster.Lately[name]:
			unseen++
		case !w.broken[name]:
			ours = append(ours, name)

			if w.served[name] {
				taken = append(taken, name)
			}
		}

		w.served[name] = is
	}

	switch {
	case w.Forced || len(taken) == 0:
	case len(members) > 1 && serve+unseen <= len(members)/2:
		w.cluster.Fault("in round %d %v was taken away, and %d of %v, the members of etcd, serve: %v", w.Rounds, taken, serve, members, w.lastDone())
	case len(ours) > 1:
		w.cluster.Fault("%v are away at once, and nobody but us took them: %v", ours, w.lastDone())
	case len(members) == 1 && w.here():
		w.cluster.Fault("the only server, on which Crossplane runs, was stopped: %v", w.lastDone())
	}
}

// here says whether Crossplane runs in the cluster.
func (w *ClusterWorld) here() bool { return RunsHere(w.Machine) }

// RunsHere says whether Crossplane runs in the cluster of a K3sCluster or a K3sNode, as the catalogue says.
func RunsHere(m *Machine) bool {
	clusters := Object(Object(m.Catalogue["data"])["clusters"])
	cluster := m.Spec()["cluster"]

	if node := Object(m.Spec()["k3s"])["cluster"]; node != nil {
		cluster = node
	}

	return Object(clusters[fmt.Sprint(cluster)])["observe"] == "Here"
}

func (w *ClusterWorld) lastDone() []string { return w.Proxmox.Done[max(0, len(w.Proxmox.Done)-6):] }

// holdIdentities: no two VMs that run have one address, MAC address or name.
func (w *ClusterWorld) holdIdentities() {
	has := map[string]int{}

	for id, vm := range w.Proxmox.VMs {
		if vm.Running == nil {
			continue
		}

		for _, what := range identitiesOf(vm) {
			if other, taken := has[what]; taken {
				w.cluster.Fault("VMs %d and %d run with %s: %v", min(id, other), max(id, other), what, w.lastDone())
			}

			has[what] = id
		}
	}
}

// identitiesOf a VM that runs.
func identitiesOf(vm *VM) []string {
	out := []string{"name " + fmt.Sprint(vm.Running["name"])}

	for _, d := range List(vm.Running["networkDevice"]) {
		if mac, ok := Object(d)["macAddress"].(string); ok {
			out = append(out, "MAC address "+strings.ToUpper(mac))
		}
	}

	for _, i := range List(vm.Running["initialization"]) {
		for _, c := range List(Object(i)["ipConfig"]) {
			for _, v4 := range List(Object(c)["ipv4"]) {
				if a, ok := Object(v4)["address"].(string); ok && a != "dhcp" {
					out = append(out, "address "+a)
				}
			}
		}
	}

	return out
}

// State of the rollout, and what it says.
func (w *ClusterWorld) State() (state, message string) {
	return Reason(w.Last, "RolledOut"), Message(w.Last, "RolledOut")
}

// Edit the claim. A null removes a field.
func (w *ClusterWorld) Edit(spec string) { Merge(w.Spec(), FromYAML(w.cluster.T, spec)) }

// Node sets fields of a node in the claim.
func (w *ClusterWorld) Node(name, fields string) {
	w.cluster.T.Helper()

	var out []any

	found := false
	for _, n := range List(Copy(w.Spec()["nodes"])) {
		if Object(n)["name"] == name {
			Merge(Object(n), FromYAML(w.cluster.T, fields))

			found = true
		}

		out = append(out, n)
	}

	if !found {
		n := FromYAML(w.cluster.T, fields)
		n["name"] = name
		out = append(out, n)
	}

	w.Spec()["nodes"] = out
}

// VM of a node, and its VMID; nil where there is none.
func (w *ClusterWorld) VM(node string) (int, *VM) {
	if w.nodes.machines[node] == nil {
		return 0, nil
	}

	status := Object(w.nodes.machines[node].Composite["status"])
	id := int(number(status["vmId"]))

	return id, w.Proxmox.VMs[id]
}

// Story is what the nodes say that are not well, for a test that fails.
func (w *ClusterWorld) Story() string {
	var out []string

	for _, name := range w.nodes.Names() {
		for _, c := range Conditions(w.nodes.machines[name].Composite) {
			if c["status"] != "True" || c["type"] == "ReplacementRequired" || c["type"] == "RebootPending" {
				out = append(out, fmt.Sprintf("%s: %v %v: %v", name, c["type"], c["reason"], c["message"]))
			}
		}
	}

	return strings.Join(out, "\n")
}

// Until nothing changes any more, so many rounds at most; it says whether it came to that.
func (w *ClusterWorld) Until(rounds int) bool {
	w.cluster.T.Helper()

	before := w.cluster.Fingerprint()

	for range rounds {
		w.Round(false)

		now := w.cluster.Fingerprint()
		if now == before {
			return true
		}

		before = now
	}

	return false
}

// Lose the management plane: Crossplane, all that it had, and its word in Proxmox are gone, and VMs, Nodes and snippets stay. The claim is applied to a new
// one.
func (w *ClusterWorld) Lose() {
	claim := map[string]any{
		"apiVersion": w.Composite["apiVersion"], "kind": w.Composite["kind"], "spec": w.Composite["spec"],
		"metadata": map[string]any{
			"name": w.Name(), "namespace": Object(w.Composite["metadata"])["namespace"], "labels": map[string]any{}, "uid": "5d1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a99",
		},
	}

	w.Composite, w.Observed = claim, map[string]map[string]any{}
	w.nodes.machines, w.nodes.refused = map[string]*Machine{}, nil
	w.cluster.Machines = []*Machine{w.Machine}
	w.cluster.Kubernetes.going = nil

	for _, vm := range w.Proxmox.VMs {
		vm.Owner = ""
	}
}
