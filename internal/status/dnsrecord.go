package status

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A dnsReport is about the DNS record of a machine.
type dnsReport struct {
	machine *machine.Machine
	is      lifecycle.DNSRecord
	// records that external-dns is to be told; nil for none.
	records  []externaldns.Record
	previous *v1alpha1.Status
}

func newDNSReport(m *machine.Machine, is lifecycle.DNSRecord, known addresses, previous *v1alpha1.Status) *dnsReport {
	return &dnsReport{machine: m, is: is, records: recordsOf(m, is, known), previous: previous}
}

// recorded is what was written for external-dns.
func recorded(is lifecycle.DNSRecord) externaldns.Spec {
	if is.Observed == nil {
		return externaldns.Spec{}
	}

	return is.Observed.Spec
}

// recordsOf a machine, for external-dns. An address that is not known now stays as it was: a VM that is stopped has no other one yet.
func recordsOf(m *machine.Machine, is lifecycle.DNSRecord, known addresses) (out []externaldns.Record) {
	if m.DNSRecord == "" || is.NoKind || len(m.NICs) == 0 {
		return nil
	}

	// A guest may have addresses by itself of a family that the claim does not give it.
	add := func(family machine.Addressing, recordType, address string) {
		if address = cmp.Or(address, recorded(is).TargetOf(recordType)); address != "" && family.Method != machine.MethodNone {
			out = append(out, externaldns.Record{DNSName: m.DNSRecord, RecordType: recordType, Targets: []string{address}})
		}
	}

	add(m.NICs[0].IPv4, externaldns.TypeA, known.ipv4)
	add(m.NICs[0].IPv6, externaldns.TypeAAAA, known.ipv6)

	return out
}

// conditions has the condition on the record, where the claim has one, or had one.
func (d *dnsReport) conditions() []Condition {
	c := Condition{Type: TypeDNSRecorded, Status: Truth(false)}

	switch {
	case d.machine.DNSRecord == "":
		if meta.FindStatusCondition(d.previous.Conditions, TypeDNSRecorded) == nil {
			return nil
		}

		c.Status, c.Reason, c.Message = Truth(true), ReasonNoRecord, "spec.network names no dnsRecord."
	case d.is.NoKind:
		c.Reason = ReasonDNSEndpointsMissing
		c.Message = fmt.Sprintf("%s has no record: the kind %s (%s) is not installed, or is served in no version that the function knows. Install external-dns with its "+
			"CustomResourceDefinitions, and give Crossplane the rights of install/dns (docs/day-two.md, DNS records), or remove network.dnsRecord.",
			d.machine.DNSRecord, externaldns.Kind, externaldns.APIVersion)
	case len(d.records) == 0:
		c.Reason = ReasonAddressUnknown
		c.Message = d.machine.DNSRecord + " has no record before an address of the VM is known: condition " + TypeMachineReady + " has the details."
	case d.is.Observed != nil && d.is.Observed.IsRead() && reflect.DeepEqual(d.records, d.is.Observed.Spec.Endpoints):
		c.Status, c.Reason = Truth(true), ReasonRecordRead
		c.Message = "external-dns has read that " + d.points() + ". Whether the DNS server has the record, external-dns does not say: see its log."
	default:
		c.Reason = ReasonRecordWritten
		c.Message = "The DNSEndpoint says that " + d.points() + ", and external-dns has not read it yet. If this stays, check that external-dns runs with " +
			"--source=crd and may update dnsendpoints/status."
	}

	return []Condition{c}
}

// points says where the name points.
func (d *dnsReport) points() string {
	var targets []string
	for _, r := range d.records {
		targets = append(targets, r.Targets...)
	}

	return d.machine.DNSRecord + " points to " + strings.Join(targets, " and ")
}
