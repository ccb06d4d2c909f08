package world

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

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

// Apply an answer as Crossplane does: nothing where a result is fatal, and otherwise all of it. What is desired no more is
// deleted; what becomes of it then is the provider's.
func (m *Machine) Apply(rsp *fnv1.RunFunctionResponse) {
	m.cluster.T.Helper()

	if Fatal(rsp) != "" {
		return
	}

	before := m.Observed
	m.Observed = map[string]map[string]any{}

	for _, name := range Names(rsp) {
		d := Desired(rsp, name)

		if d["kind"] == ObjectKind && m.cluster.Kubernetes.Missing {
			m.cluster.Fault("Crossplane cannot apply %s: provider-kubernetes is not installed", name)
		}

		if d["kind"] == AddressClaimKind {
			m.cluster.IPAM.check(m, name, before[name], d)
		}

		if d["kind"] == DNSEndpointKind {
			m.cluster.ExternalDNS.check(m, name, d)
		}

		m.Observed[name] = m.applied(name, before[name], d)
	}

	m.applyStatus(rsp)

	desired := Names(rsp)
	if m.nodes != nil {
		m.nodes.write(m, before)
	}

	for _, name := range Keys(before) {
		if !slices.Contains(desired, name) {
			kind := kindOf(before[name])
			if m.nodes != nil && m.nodes.machines[name] != nil {
				m.nodes.remove(m, name, before[name])
				continue
			}

			if (kind == VMKind || kind == AddressClaimKind) && usedBy(before, before[name]) != "" {
				m.cluster.Fault("Crossplane cannot delete %s: a Usage keeps it", name)
			}

			if kind == DNSEndpointKind {
				m.cluster.ExternalDNS.lose(m, name)
			}

			m.Delete(m, name, before[name])
		}
	}

	m.Proxmox.lostSnippets()
}

// applied is a composed resource once Crossplane wrote it. before is nil for a new one.
func (m *Machine) applied(name string, before, d map[string]any) map[string]any {
	meta := Object(d["metadata"])
	annotations, labels := Object(meta["annotations"]), Object(meta["labels"])
	annotations["crossplane.io/composition-resource-name"] = name
	// A composite that another one composes has the label of that one, and passes it on; and Crossplane labels what a claim is above of.
	of := Object(Object(m.Composite["metadata"])["labels"])
	labels[compositeLabel] = m.Name()

	for _, name := range []string{compositeLabel, "crossplane.io/claim-name", "crossplane.io/claim-namespace"} {
		if v, ok := of[name]; ok {
			labels[name] = v
		}
	}

	meta["ownerReferences"] = []any{map[string]any{
		"apiVersion": m.Composite["apiVersion"], "kind": m.Composite["kind"], "name": m.Name(), "uid": "uid-of-" + m.Name(), "controller": true,
	}}
	meta["name"], meta["annotations"], meta["labels"], meta["generation"] = m.Name()+"-"+name, annotations, labels, 1.0

	if ns, ok := Object(m.Composite["metadata"])["namespace"]; ok {
		meta["namespace"] = ns
	}

	if before == nil {
		meta["creationTimestamp"] = m.cluster.now()
		return d
	}

	was := Object(before["metadata"])
	meta["name"], meta["creationTimestamp"] = was["name"], was["creationTimestamp"]
	meta["generation"] = cmp.Or(number(was["generation"]), 1)
	d["status"] = before["status"]

	if Fingerprint(before["spec"]) != Fingerprint(d["spec"]) {
		meta["generation"] = meta["generation"].(float64) + 1
	}

	// What the provider set stays, unless the function says otherwise.
	for _, a := range []string{ExternalName, createPending} {
		if e, ok := Object(was["annotations"])[a]; ok && annotations[a] == nil {
			annotations[a] = e
		}
	}

	return d
}

// applyStatus on the server's side: what is said no more goes.
func (m *Machine) applyStatus(rsp *fnv1.RunFunctionResponse) {
	status := map[string]any{}
	maps.Copy(status, Status(rsp))

	var conditions []any
	for _, c := range rsp.GetConditions() {
		conditions = append(conditions, map[string]any{
			"type": c.GetType(), "status": strings.Title(strings.ToLower(strings.TrimPrefix(c.GetStatus().String(), "STATUS_CONDITION_"))), //nolint:staticcheck // ASCII.
			"reason": c.GetReason(), "message": c.GetMessage(), "lastTransitionTime": "2026-01-01T00:00:00Z",
		})
	}

	status["conditions"] = conditions
	m.Composite["status"] = status
}

// Turn lets function, Crossplane and provider work once, one after the other.
func (m *Machine) Turn() *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()

	return m.cluster.Memory.own(turned(m))
}

// turned is [Machine.Turn] with an answer that nobody may change.
func turned(m *Machine) *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()

	rsp := called(m)
	if msg := Fatal(rsp); msg != "" {
		m.cluster.T.Fatalf("fatal result: %s", msg)
	}

	m.Apply(rsp)
	m.Provide()

	return rsp
}

// Rest lets all machines of the cluster take turns until nothing changes, and returns this one's last answer.
func (m *Machine) Rest() *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()
	m.cluster.Rest()

	return m.Turn()
}

// Settle lets this machine alone take as many turns as a machine without trouble needs, and returns the last answer.
func (m *Machine) Settle() *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()

	var last *fnv1.RunFunctionResponse
	for range 6 {
		last = turned(m)
	}

	return m.cluster.Memory.own(last)
}

// isKept says whether a Usage without an end keeps claim or composite from deletion.
func (m *Machine) isKept() bool {
	names := []any{m.Name(), Object(m.Composite["metadata"])["name"]}

	return slices.ContainsFunc(Keys(m.Observed), func(name string) bool {
		spec := Object(m.Observed[name]["spec"])
		of := Object(Object(spec["of"])["resourceRef"])["name"]

		return of != nil && spec["by"] == nil && slices.Contains(names, of)
	})
}

// Leave deletes the machine's claim, unless a Usage keeps the claim or its composite: then nothing happens. What a Usage keeps below them waits until
// what uses it is gone, as long as that takes. An IPAddressClaim that nothing keeps goes first.
func (m *Machine) Leave() {
	m.cluster.T.Helper()

	if m.isKept() {
		return
	}

	var kept []string

	for _, name := range Keys(m.Observed) {
		kind := kindOf(m.Observed[name])
		if (kind == VMKind || kind == AddressClaimKind) && usedBy(m.Observed, m.Observed[name]) != "" {
			kept = append(kept, name)
		} else {
			m.Delete(m, name, m.Observed[name])
		}
	}

	for range 10 {
		m.cluster.Kubernetes.work(m.cluster)
	}

	m.cluster.leaving = append(m.cluster.leaving, leaver{m, kept})
	LetGo(m.cluster)

	all := m.cluster.Machines[:0:0]
	for _, other := range m.cluster.Machines {
		if other != m {
			all = append(all, other)
		}
	}

	m.cluster.Machines = all
}
