package world

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/definition"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Cluster is a Kubernetes cluster with Crossplane in it.
type Cluster struct {
	T        Reporter
	Function Function
	// Machines whose calls find each other's managed resources.
	Machines []*Machine
	// Nodes of the K3s cluster that Crossplane runs in, by name: see [Machine.Join].
	Nodes map[string]map[string]any
	// Volumes are its PersistentVolumes.
	Volumes []map[string]any
	// Lately are Nodes whose K3s went after the last round of calls, which no call can know of yet.
	Lately map[string]bool
	// BornAsClaimed says that K3s of a new Node is of the release of its machine's spec; else it is one release whatever that says.
	BornAsClaimed bool
	// NeverJoins are Nodes that K3s in no VM registers or reports for from now on, by their names.
	NeverJoins map[string]bool
	// Fault is told of everything that must never happen, whatever a test is about: a VM that is silently adopted, one
	// that cannot start. It fails the test where nobody says otherwise.
	Fault func(format string, args ...any)

	// Memory has what the Function answered before. Nil: it is called each time.
	Memory *Memory
	// Answered is told of each answer to a machine's call, remembered or not. It may be nil.
	Answered func()

	// Else are objects that a selector finds and that nobody in this world has. Nil: there are none.
	Else func(m *Machine, sel Selector) []map[string]any

	// Kubernetes reads and deletes Nodes through Objects.
	Kubernetes Kubernetes
	// IPAM gives addresses of pools of Cluster API.
	IPAM IPAM
	// ExternalDNS reads the records of machines.
	ExternalDNS ExternalDNS
	// Containers of other claims.
	Containers Containers

	passwords map[string]int // Of Nodes: the VMID of the VM that registered.
	// registrants of Nodes: the managed resources of the VMs that registered.
	registrants map[string]string
	leaving     []leaver
	clock       int // Of creation times, in minutes.
}

// A Function answers one call of Crossplane.
type Function func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse

// NewCluster with nothing in it.
func NewCluster(t Reporter, f Function) *Cluster {
	return &Cluster{T: t, Fault: t.Errorf, Function: f, Lately: map[string]bool{}}
}

// Add a machine to the cluster, on a Proxmox of its own.
func (c *Cluster) Add(m *Machine) *Machine {
	return c.AddOn(c.NewProxmox(), m)
}

// AddOn adds a machine to the cluster, on a Proxmox that others are on.
func (c *Cluster) AddOn(p *Proxmox, m *Machine) *Machine {
	m.cluster, m.Provider.Proxmox = c, p
	c.Machines = append(c.Machines, m)
	Object(m.Composite["metadata"])["uid"] = fmt.Sprintf("3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a%02d", len(c.Machines)+10)

	return m
}

// now is the next creation time: no two objects are of the same minute.
func (c *Cluster) now() string {
	c.clock++

	return fmt.Sprintf("2026-01-01T%02d:%02d:00Z", c.clock/60, c.clock%60)
}

// Rest lets all machines take turns until nothing changes.
func (c *Cluster) Rest() {
	c.T.Helper()

	before := c.Fingerprint()

	for range 25 {
		for _, m := range c.Machines {
			turned(m)
		}

		after := c.Fingerprint()
		if before == after {
			return
		}

		before = after
	}

	var done []string
	for _, m := range c.Machines {
		done = append(done, m.Proxmox.Done...)
	}

	c.T.Fatalf("no end of changes; in Proxmox: %s", strings.Join(done, ", "))
}

// Snapshot of all that there is but the answers. It holds no reference to any of it.
func (c *Cluster) Snapshot() any { return Copy(c.all()) }

// Fingerprint of a snapshot.
func (c *Cluster) Fingerprint() uint64 { return Fingerprint(c.all()) }

// all that there is but the answers.
func (c *Cluster) all() []any {
	var (
		all  []any
		seen []*Proxmox
	)

	for _, m := range c.Machines {
		if !slices.Contains(seen, m.Proxmox) {
			seen, all = append(seen, m.Proxmox), append(all, m.Proxmox.Report())
		}

		all = append(all, m.Observed, m.Composite["status"])
	}

	if c.Nodes != nil {
		all = append(all, len(c.leaving), c.Nodes, len(c.Kubernetes.going), c.Kubernetes.Jobs, c.Kubernetes.Upgrader.Plans, len(c.Kubernetes.Upgrader.jobs))
	}

	return all
}

// selected are the objects that a selector of this machine's call names.
func (m *Machine) selected(sel *fnv1.ResourceSelector) []finding {
	var out []finding

	if sel.GetKind() == ObjectKind && m.cluster.Kubernetes.Missing {
		m.cluster.Fault("Crossplane cannot answer: the kind %s is not installed", ObjectKind)
	}

	if sel.GetKind() == ipam.AddressKind && m.cluster.IPAM.Missing {
		m.cluster.Fault("Crossplane cannot answer: the kind %s is not installed", ipam.AddressKind)
	}

	if sel.GetKind() == proxmox.ContainerKind && m.cluster.Containers.Missing {
		m.cluster.Fault("Crossplane cannot answer: the kind %s is not served", proxmox.ContainerKind)
	}

	found := func(o map[string]any, constant bool) {
		if Selects(sel, o) {
			out = append(out, finding{o, constant})
		}
	}
	add := func(o map[string]any) { found(o, false) }

	if m.Catalogue != nil {
		found(m.Catalogue, true)
	}

	for _, o := range slices.Concat(m.Secrets, m.Neighbours) {
		found(o, true)
	}

	for _, v := range m.cluster.Volumes {
		add(v)
	}

	for _, name := range Keys(m.cluster.Nodes) {
		add(m.cluster.Nodes[name])
	}

	if sel.GetKind() == definition.Kind {
		for _, d := range m.cluster.definitions() {
			add(d)
		}
	}

	for _, name := range Keys(m.cluster.IPAM.Addresses) {
		add(m.cluster.IPAM.Addresses[name])
	}

	for _, g := range m.cluster.Kubernetes.going {
		add(g.object)
	}

	for _, other := range m.cluster.Machines {
		add(other.Composite)

		for _, name := range Keys(other.Observed) {
			if other.nodes != nil && other.nodes.machines[name] != nil {
				continue // It is a machine of its own.
			}

			add(other.Observed[name])
		}
	}

	if m.cluster.Else != nil && len(out) == 0 {
		for _, o := range m.cluster.Else(m, selectorOf(sel)) {
			add(o)
		}
	}

	return out
}

// definitions that the API server serves.
func (c *Cluster) definitions() []map[string]any {
	return slices.Concat(c.Kubernetes.definitions(), c.IPAM.definitions(), c.ExternalDNS.definitions(), c.Containers.definitions())
}

// A Selector of objects: those of a kind with a name, or with some labels, in a namespace or in all.
type Selector struct {
	APIVersion, Kind, Namespace, Name string
	Labels                            map[string]string
}

func selectorOf(sel *fnv1.ResourceSelector) Selector {
	return Selector{
		APIVersion: sel.GetApiVersion(), Kind: sel.GetKind(), Namespace: sel.GetNamespace(), Name: sel.GetMatchName(), Labels: sel.GetMatchLabels().GetLabels(),
	}
}

// Selects says whether an object is what is asked for.
func Selects(sel *fnv1.ResourceSelector, o map[string]any) bool {
	meta := Object(o["metadata"])
	if o["apiVersion"] != sel.GetApiVersion() || o["kind"] != sel.GetKind() || sel.Namespace != nil && meta["namespace"] != sel.GetNamespace() {
		return false
	}

	if sel.GetMatchName() != "" {
		return meta["name"] == sel.GetMatchName()
	}

	for k, v := range sel.GetMatchLabels().GetLabels() {
		if Object(meta["labels"])[k] != v {
			return false
		}
	}

	return true
}

// addressOf an object in memory.
func addressOf(o map[string]any) uintptr { return reflect.ValueOf(o).Pointer() }
