package world

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/definition"
	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
)

// DNSEndpointKind is the kind by which external-dns is told of records.
const DNSEndpointKind = externaldns.Kind

// An ExternalDNS is external-dns, as far as it reads DNSEndpoints (v0.18.0, source/crd.go).
type ExternalDNS struct {
	// Missing says that the kind is not installed.
	Missing bool
	// Asleep says that nobody reads the DNSEndpoints.
	Asleep bool
}

// definitions of the kind DNSEndpoint.
func (e *ExternalDNS) definitions() []map[string]any {
	if e.Missing {
		return nil
	}

	return []map[string]any{served(externaldns.Definition, externaldns.Version)}
}

// served is the CustomResourceDefinition of a kind that the API server serves in a version.
func served(name, version string) map[string]any {
	return map[string]any{
		"apiVersion": definition.APIVersion, "kind": definition.Kind,
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"versions": []any{map[string]any{"name": version, "served": true}}},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}},
	}
}

// check what Crossplane is to apply.
func (e *ExternalDNS) check(m *Machine, name string, d map[string]any) {
	if namespace := Object(d["metadata"])["namespace"]; e.Missing || namespace == nil || namespace == "" {
		m.cluster.Fault("Crossplane cannot apply %s: the kind is not installed, or it has no namespace: %v", name, d["metadata"])
	}

	records := List(Object(d["spec"])["endpoints"])
	if len(records) == 0 {
		m.cluster.Fault("%s has no record", name)
	}

	for _, r := range records {
		r := Object(r)
		target, err := netip.ParseAddr(fmt.Sprint(List(r["targets"])...))

		if is := map[any]bool{externaldns.TypeA: target.Is4(), externaldns.TypeAAAA: target.Is6()}; err != nil || !is[r["recordType"]] || r["dnsName"] == "" {
			m.cluster.Fault("%s has a record that is none: %v", name, r)
		}
	}
}

// read a DNSEndpoint.
func (e *ExternalDNS) read(o map[string]any) {
	if !e.Asleep {
		o["status"] = map[string]any{"observedGeneration": Object(o["metadata"])["generation"]}
	}
}

// lose a DNSEndpoint while the machine stays. One that has nothing but an IPv6 address is nobody's where the claim gives the machine none any more.
func (e *ExternalDNS) lose(m *Machine, name string, o map[string]any) {
	network := Object(m.Spec()["network"])
	record := network["dnsRecord"]

	onlyIPv6 := !slices.ContainsFunc(List(Object(o["spec"])["endpoints"]), func(r any) bool { return Object(r)["recordType"] != externaldns.TypeAAAA })
	if record == nil || onlyIPv6 && network["ipv6"] == nil {
		return
	}

	m.cluster.Fault("%s is deleted, and the claim has network.dnsRecord %v", name, record)
}
