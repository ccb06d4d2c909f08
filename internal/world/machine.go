package world

import (
	"fmt"
	"maps"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
)

// The names under which the function asks Crossplane for what it needs, as a recorded request has them.
const (
	CatalogueRequirement  = "machine-catalog"
	TokenRequirement      = "k3s-token"
	SecretRequirement     = "bootstrap-secret-" // The name of a Secret follows.
	ServersRequirement    = "k3s-servers"
	NeighboursRequirement = "vm-id"
)

// A Machine is one composite with its composed resources, and what its calls find in the cluster beside them.
type Machine struct {
	Provider *Provider
	Proxmox  *Proxmox

	Composite  map[string]any
	Input      map[string]any
	Catalogue  map[string]any // Nil: there is none.
	Secrets    []map[string]any
	Neighbours []map[string]any          // Managed resources of VMs of machines that are not in Cluster.Machines.
	Observed   map[string]map[string]any // Composed resources by name.

	Capabilities []fnv1.Capability // What Crossplane says that it can.

	// Joins says that K3s in the machine's VMs registers its Node as soon as they run, if it may.
	Joins bool
	// Held says that a person has paused all managed resources that the machine has: an annotation of theirs stays when Crossplane applies an answer.
	Held bool

	// StepRequires are requirements that the step of the Composition names itself, so that Crossplane answers them with the
	// first call.
	StepRequires []string
	// AsksAtOnce says that a call begins with the answers to what the one before asked for, which is faster. Crossplane calls some more times.
	AsksAtOnce bool
	// Constant says that nobody changes the objects of Catalogue, Secrets and Neighbours, or drops them, which is faster.
	Constant bool

	cluster   *Cluster
	nodes     *Nodes // Nil where nobody works on the nodes of a K3sCluster.
	asked     map[string]*fnv1.ResourceSelector
	constants map[uintptr]*structpb.Struct // By where the objects are in memory.
	prints    map[uintptr]uint64           // Fingerprints of the same.
}

// An Installation is one way to install the packages.
type Installation struct {
	Name       string
	Namespaced bool
	API        v1beta1.ProviderAPI
}

// Installations of the packages: claims with a provider of today and with an old one, and namespaced composites.
var Installations = []Installation{
	{Name: "cluster", API: v1beta1.ProviderAPICluster},
	{Name: "legacy", API: v1beta1.ProviderAPILegacy},
	{Name: "namespaced", Namespaced: true},
}

// NewClaim of a kind, Machine or K3sNode, with a spec.
func NewClaim(kind, namespace, name string, spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": kind,
		"metadata": map[string]any{"name": name, "namespace": namespace, "labels": map[string]any{}},
		"spec":     spec,
	}
}

// NewMachine is the composite of a claim, which it takes, in an installation. Nothing is observed of it yet.
func NewMachine(claim map[string]any, in Installation) *Machine {
	m := &Machine{
		Provider: &Provider{Fails: map[string]string{}}, Composite: claim, Observed: map[string]map[string]any{},
		Input: map[string]any{"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input"},
	}

	if in.API != "" {
		m.Input["providerAPI"] = string(in.API)
	}

	if !in.Namespaced {
		m.Composite = compositeOf(claim)
	}

	return m
}

// compositeOf a claim, as Crossplane makes it.
func compositeOf(claim map[string]any) map[string]any {
	meta, spec := Object(claim["metadata"]), maps.Clone(Object(claim["spec"]))
	spec["claimRef"] = map[string]any{
		"apiVersion": claim["apiVersion"], "kind": claim["kind"], "name": meta["name"], "namespace": meta["namespace"],
	}

	labels := maps.Clone(Object(meta["labels"]))
	labels["crossplane.io/claim-name"] = meta["name"]
	labels["crossplane.io/claim-namespace"] = meta["namespace"]

	return map[string]any{
		"apiVersion": claim["apiVersion"], "kind": "X" + claim["kind"].(string),
		"metadata": map[string]any{"name": meta["name"].(string) + "-x7f2k", "labels": labels},
		"spec":     spec,
	}
}

// Cluster that the machine is in.
func (m *Machine) Cluster() *Cluster { return m.cluster }

// Spec of the composite.
func (m *Machine) Spec() map[string]any { return Object(m.Composite["spec"]) }

// Name of the composite.
func (m *Machine) Name() string { return Object(m.Composite["metadata"])["name"].(string) }

// Clone is an independent copy of the machine and of what is observed of it, alone in a cluster of its own. It is for calls that
// are not applied: Proxmox and the Nodes are the same.
func (m *Machine) Clone() *Machine {
	c, provider := *m, *m.Provider
	c.Provider = &provider
	c.Composite = Object(Copy(m.Composite))
	c.Observed = map[string]map[string]any{}
	c.cluster = &Cluster{T: m.cluster.T, Function: m.cluster.Function, Fault: m.cluster.Fault, Machines: []*Machine{&c}}
	c.cluster.Nodes, c.cluster.passwords, c.cluster.registrants = m.cluster.Nodes, m.cluster.passwords, m.cluster.registrants
	c.cluster.holders, c.cluster.versions = m.cluster.holders, m.cluster.versions

	for name, o := range m.Observed {
		c.Observed[name] = Object(Copy(o))
	}

	return &c
}

// Approve the adoption that the machine proposes, as a person does who has read its status. It says whether there is one.
func (m *Machine) Approve() bool {
	plan := Object(Object(m.Composite["status"])["adoption"])["plan"]
	if plan == nil || m.Spec()["adopt"] == nil {
		return false
	}

	Object(m.Spec()["adopt"])["approve"] = plan

	return true
}

// CopySite adds a site to the catalogue that is as another one.
func (m *Machine) CopySite(from, to string) {
	m.Catalogue = Object(Copy(m.Catalogue))
	sites := Object(Object(m.Catalogue["data"])["sites"])
	sites[to] = Copy(sites[from])
}

// NewCatalogue of some data.
func NewCatalogue(data map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": CatalogueRequirement}, "data": data,
	}
}

// SetSite changes a field of the catalogue's site in a copy of the catalogue.
func (m *Machine) SetSite(site, field string, value any) {
	m.Catalogue = Object(Copy(m.Catalogue))
	s := Object(Object(Object(m.Catalogue["data"])["sites"])[site])

	if s[field] = value; value == nil {
		delete(s, field)
	}
}

// NodeName is the name with which the machine's VM registers.
func (m *Machine) NodeName() string {
	if m.Proxmox != nil {
		if vm := m.Proxmox.VMs[int(number(Object(m.Composite["status"])["vmId"]))]; vm != nil && Owns(m, vm) {
			return nodeNameOf(m, vm)
		}
	}

	return claimedName(m)
}

// nodeNameOf a VM: a guest that has read its drive for good keeps the host name of its first boot, whatever the claim says by now.
func nodeNameOf(m *Machine, vm *VM) string {
	if name, _ := vm.read["name"].(string); name != "" {
		return name
	}

	return claimedName(m)
}

// claimedName is the host name that the claim describes.
func claimedName(m *Machine) string {
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
