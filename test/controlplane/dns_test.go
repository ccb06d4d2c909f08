package controlplane

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What people install for DNS records: docs/day-two.md, DNS records. Nobody runs external-dns here: the test reads for it.
const (
	dnsRights = repository + "/install/dns/dns.yaml"
	dnsKind   = repository + "/test/crds/testdata/external-dns-v0.18.0/externaldns.k8s.io_dnsendpoints.yaml"
	dnsName   = "ipam-first.home.arpa"
)

// named is a claim with a DNS record.
func named(claim *unstructured.Unstructured) *unstructured.Unstructured {
	network, _, _ := unstructured.NestedMap(claim.Object, "spec", "network")
	network["dnsRecord"] = dnsName

	return edited(claim, map[string]any{"network": network})
}

// installDNS gives Crossplane the rights before there is the kind, as the documentation says.
func (i *ipamRun) installDNS(t *testing.T) {
	t.Helper()

	must(t, i.apply(t.Context(), objects(t, dnsRights)...))
	i.applyKinds(t, dnsKind)
}

// endpoints are the DNSEndpoints of all machines.
func (i *ipamRun) endpoints(ctx context.Context) ([]unstructured.Unstructured, error) {
	l := &unstructured.UnstructuredList{}
	l.SetAPIVersion("externaldns.k8s.io/v1alpha1")
	l.SetKind("DNSEndpointList")
	err := i.Client.List(ctx, l, client.InNamespace(machines))

	return l.Items, err
}

// isNamed: the first machine's name points to its address, and the claim says so once external-dns has read it.
func (i *ipamRun) isNamed(t *testing.T) {
	t.Helper()

	must(t, i.tells(t.Context(), i.first, word{conditionType: "DNSRecorded", status: "False", reason: "RecordWritten"}))

	all, err := i.endpoints(t.Context())
	must(t, err)

	if len(all) != 1 {
		t.Fatalf("there are %d DNSEndpoints, want one: %v", len(all), all)
	}

	e := all[0]
	now, err := i.now(t.Context(), i.first)
	must(t, err)

	address, _, _ := unstructured.NestedString(now.Object, "status", "primaryAddress")
	records, _, _ := unstructured.NestedSlice(e.Object, "spec", "endpoints")

	if want := fmt.Sprint([]any{map[string]any{"dnsName": dnsName, "recordType": "A", "targets": []any{address}}}); address == "" || fmt.Sprint(records) != want {
		t.Errorf("the records are %v, want %s", records, want)
	}

	must(t, unstructured.SetNestedField(e.Object, e.GetGeneration(), "status", "observedGeneration"))
	must(t, i.Client.Status().Update(t.Context(), &e))
	must(t, i.tells(t.Context(), i.first, word{conditionType: "DNSRecorded", status: "True", reason: "RecordRead"}))
}

// isNamedNoMore: the record goes with its machine.
func (i *ipamRun) isNamedNoMore(t *testing.T) {
	t.Helper()

	must(t, i.until(t.Context(), "the DNSEndpoint is gone", func(ctx context.Context) (bool, string) {
		all, err := i.endpoints(ctx)

		return err == nil && len(all) == 0, fmt.Sprint(all, err)
	}))
}
