package world

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/definition"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

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

	for _, l := range m.cluster.leaving {
		for _, name := range l.kept { // What is kept is there, with its labels.
			add(l.machine.Observed[name])
		}
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

// Request is what Crossplane would send now, with all that the function may ask for: a selector by label finds the machine's own
// VMs, too, and the function has to tell them apart.
func (m *Machine) Request() *fnv1.RunFunctionRequest {
	m.cluster.T.Helper()

	r := requestOf(m)
	req := r.first()
	req.RequiredResources = map[string]*fnv1.Resources{CatalogueRequirement: {}, TokenRequirement: {}, NeighboursRequirement: {}, ServersRequirement: {}}

	add := func(requirement string, r *fnv1.Resource) {
		a := req.GetRequiredResources()[requirement]
		a.Items = append(a.Items, r)
	}

	if m.Catalogue != nil {
		add(CatalogueRequirement, &fnv1.Resource{Resource: r.constant(m.Catalogue)})
	}

	for _, s := range m.Secrets {
		add(TokenRequirement, &fnv1.Resource{Resource: r.constant(s)})

		file := SecretRequirement + fmt.Sprint(Object(s["metadata"])["name"])
		req.RequiredResources[file] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: r.constant(s)}}}
	}

	for _, name := range []string{NeighboursRequirement, ServersRequirement} {
		for _, own := range req.GetObserved().GetResources() {
			if KindOf(own) == VMKind {
				add(name, own)
			}
		}

		for _, o := range m.Neighbours {
			add(name, &fnv1.Resource{Resource: r.constant(o)})
		}
	}

	if m.cluster.Memory != nil {
		return proto.CloneOf(req) // Who wants it may change it.
	}

	return req
}

// Call the function as Crossplane does: with what it asked for, until it asks for nothing more.
func (m *Machine) Call() *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()

	return m.cluster.Memory.own(called(m))
}

// called is [Machine.Call] with an answer that nobody may change.
func called(m *Machine) *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()

	req := requestOf(m)

	asked := m.asked
	if !m.AsksAtOnce {
		asked = nil
	}

	req.found = m.answers(asked)

	defer func() { m.asked = asked }()

	for range 6 {
		rsp := req.answer()
		if m.cluster.Answered != nil {
			m.cluster.Answered()
		}

		// The same selectors have the same answers, and to make those and compare them takes as long as many a call.
		before := asked
		if asked = rsp.GetRequirements().GetResources(); sameSelectors(before, asked) {
			return rsp
		}

		answers := m.answers(asked)
		if !req.finds(answers) {
			return rsp
		}

		req.found = answers
	}

	m.cluster.T.Fatal("the function asks for more and more")

	return nil
}

func sameSelectors(a, b map[string]*fnv1.ResourceSelector) bool {
	return maps.EqualFunc(a, b, func(a, b *fnv1.ResourceSelector) bool { return proto.Equal(a, b) })
}

// answers to what was asked for, and to what the step of the Composition asks for.
func (m *Machine) answers(asked map[string]*fnv1.ResourceSelector) map[string][]finding {
	out := map[string][]finding{}

	for _, name := range m.StepRequires {
		out[name] = nil

		switch name {
		case CatalogueRequirement:
			out[name] = []finding{{m.Catalogue, true}}
		case TokenRequirement:
			for _, s := range m.Secrets {
				out[name] = append(out[name], finding{s, true})
			}
		}
	}

	for name, sel := range asked {
		if _, answered := out[name]; !answered {
			out[name] = m.selected(sel)
		}
	}

	return out
}
