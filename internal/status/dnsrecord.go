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
	machine  *machine.Machine
	is       lifecycle.DNSRecord
	previous *v1alpha1.Status
}

func newDNSReport(m *machine.Machine, plan *lifecycle.Plan, previous *v1alpha1.Status) *dnsReport {
	return &dnsReport{machine: m, is: plan.DNSRecord, previous: previous}
}

// before are the records as they were written.
func (d *dnsReport) before() externaldns.Spec {
	if d.is.Observed == nil {
		return externaldns.Spec{}
	}

	return d.is.Observed.Spec
}

// records that external-dns is to be told. An address that is not known now stays as it was: a VM that is stopped has no other one yet.
func (d *dnsReport) records(known addresses) (out []externaldns.Record) {
	name := d.machine.DNSRecord
	if name == "" || d.is.NoKind {
		return nil
	}

	before := d.before()
	if ipv4 := cmp.Or(known.ipv4, before.TargetOf(externaldns.TypeA)); ipv4 != "" && d.has(func(n machine.NIC) machine.Addressing { return n.IPv4 }) {
		out = append(out, externaldns.Record{DNSName: name, RecordType: externaldns.TypeA, Targets: []string{ipv4}})
	}

	if ipv6 := cmp.Or(known.ipv6, before.TargetOf(externaldns.TypeAAAA)); ipv6 != "" && d.has(func(n machine.NIC) machine.Addressing { return n.IPv6 }) {
		out = append(out, externaldns.Record{DNSName: name, RecordType: externaldns.TypeAAAA, Targets: []string{ipv6}})
	}

	return out
}

// has says whether the claim gives the first interface addresses of a family. A guest may have others by itself.
func (d *dnsReport) has(family func(machine.NIC) machine.Addressing) bool {
	return len(d.machine.NICs) > 0 && family(d.machine.NICs[0]).Method != machine.MethodNone
}

// conditions has the condition on the record, where the claim has one, or had one.
func (d *dnsReport) conditions(known addresses) []Condition {
	c := Condition{Type: TypeDNSRecorded, Status: status(false)}
	records := d.records(known)

	switch {
	case d.machine.DNSRecord == "":
		if meta.FindStatusCondition(d.previous.Conditions, TypeDNSRecorded) == nil {
			return nil
		}

		c.Status, c.Reason, c.Message = status(true), ReasonNoRecord, "spec.network names no dnsRecord."
	case d.is.NoKind:
		c.Reason = ReasonDNSEndpointsMissing
		c.Message = fmt.Sprintf("%s has no record: the kind %s (%s) is not installed, or is served in no version that the function knows. Install external-dns with its "+
			"CustomResourceDefinitions, and give Crossplane the rights of install/dns (docs/day-two.md, DNS records), or remove network.dnsRecord.",
			d.machine.DNSRecord, externaldns.Kind, externaldns.APIVersion)
	case len(records) == 0:
		c.Reason = ReasonAddressUnknown
		c.Message = d.machine.DNSRecord + " has no record before an address of the VM is known: condition " + TypeMachineReady + " has the details."
	case d.is.Observed != nil && d.is.Observed.IsRead() && reflect.DeepEqual(records, d.is.Observed.Spec.Endpoints):
		c.Status, c.Reason = status(true), ReasonRecordRead
		c.Message = "external-dns has read that " + d.points(records) + ". Whether the DNS server has the record, external-dns does not say: see its log."
	default:
		c.Reason = ReasonRecordWritten
		c.Message = "The DNSEndpoint says that " + d.points(records) + ", and external-dns has not read it yet. If this stays, check that external-dns runs with " +
			"--source=crd and may update dnsendpoints/status."
	}

	return []Condition{c}
}

// points says where the name points.
func (d *dnsReport) points(records []externaldns.Record) string {
	var targets []string
	for _, r := range records {
		targets = append(targets, r.Targets...)
	}

	return d.machine.DNSRecord + " points to " + strings.Join(targets, " and ")
}
