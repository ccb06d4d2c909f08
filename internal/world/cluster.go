package world

import (
	"fmt"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
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
	// IsDummy says whether a token stands for one that nobody knows. Nil: none does.
	IsDummy func(token string) bool
	// Fault is told of everything that must never happen, whatever a test is about: a VM that is silently adopted, one
	// that cannot start. It fails the test where nobody says otherwise.
	Fault func(format string, args ...any)

	// Lingers says that what cannot go when its claim is deleted is waited for. Else that is a Fault, for who does not wait.
	Lingers bool

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
	versions    map[string]int         // Of Nodes: the resourceVersion of the one that there is, or was last.
	holders     map[string]tokenHolder // Of tokens with which K3s joins, by their Nodes.
	leaving     []leaver
	proxmoxes   []*Proxmox // Also those of machines that are gone.
	clock       int        // Of creation times, in minutes.
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
	m.cluster, m.Proxmox = c, p
	c.Machines = append(c.Machines, m)
	Object(m.Composite["metadata"])["uid"] = fmt.Sprintf("3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a%02d", len(c.Machines)+10)

	return m
}

// now is the next creation time: no two objects are of the same minute.
func (c *Cluster) now() string {
	c.clock++

	return fmt.Sprintf("2026-01-01T%02d:%02d:00Z", c.clock/60, c.clock%60)
}
