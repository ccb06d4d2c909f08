package world

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

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
				m.cluster.ExternalDNS.lose(m, name, before[name])
			}

			finalize(m, name, before[name])
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

	if status, has := before["status"]; has {
		d["status"] = status
	}

	if Fingerprint(before["spec"]) != Fingerprint(d["spec"]) {
		meta["generation"] = meta["generation"].(float64) + 1
	}

	if m.Held {
		annotations[paused] = "true"
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

	// A condition stays until the function says something else.
	status["conditions"] = Object(m.Composite["status"])["conditions"]
	m.Composite["status"] = status
	SetConditions(m.Composite, conditionsOf(rsp)...)
}

// conditionsOf an answer as Crossplane writes them.
func conditionsOf(rsp *fnv1.RunFunctionResponse) (out []map[string]any) {
	for _, c := range rsp.GetConditions() {
		out = append(out, map[string]any{
			"type": c.GetType(), "status": strings.Title(strings.ToLower(strings.TrimPrefix(c.GetStatus().String(), "STATUS_CONDITION_"))), //nolint:staticcheck // ASCII.
			"reason": c.GetReason(), "message": c.GetMessage(), "lastTransitionTime": "2026-01-01T00:00:00Z",
		})
	}

	return out
}
