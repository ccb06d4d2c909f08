package compose

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// dnsKindRequirement is the definition of the kind DNSEndpoint: without it, external-dns cannot be told of a record.
const dnsKindRequirement = "dns-endpoint-kind"

// Why a machine cannot have a DNS record.
const (
	noRecordsBefore20 = "this Crossplane (before 2.0) cannot compose a DNSEndpoint of external-dns. Remove dnsRecord, or run Crossplane 2"

	noRecordsWithoutNamespace = "a DNSEndpoint of external-dns is in the namespace of its machine's claim, and this composite has no claim. Remove dnsRecord, " +
		"or create the machine by a claim"
)

// A recorder writes the DNS record of a machine, by a DNSEndpoint of external-dns.
type recorder struct{ call *call }

// read the observed DNSEndpoint.
func (c recorder) read() error {
	o := c.call.req.GetObserved().GetResources()[externaldns.Name].GetResource()
	if proxmox.KindOf(o) != externaldns.Kind {
		return nil
	}

	is, err := externaldns.Read(o)
	c.call.facts.DNSRecord.Observed = &is

	return err
}

// has says whether the machine has a record of a name.
func (c recorder) has(name string) bool {
	o := c.call.facts.DNSRecord.Observed

	return o != nil && slices.ContainsFunc(o.Spec.Endpoints, func(r externaldns.Record) bool { return r.DNSName == name })
}

// findKind finds out whether the API server serves DNSEndpoints. A machine that has one, or wants none, need not ask.
func (c recorder) findKind() (known bool, err error) {
	if c.call.facts.Machine.DNSRecord == "" {
		return true, nil
	}

	if why := c.impossible(); why != "" {
		return false, invalid(field.ErrorList{field.Forbidden(field.NewPath("spec", "network", "dnsRecord"), why)})
	}

	if c.call.facts.DNSRecord.Observed != nil {
		return true, nil
	}

	c.call.facts.DNSRecord.NoKind, known = isMissing(c.call, dnsKindRequirement, externaldns.Definition, externaldns.Version)

	return known, nil
}

// impossible says why the machine cannot have a DNSEndpoint; empty where it can.
func (c recorder) impossible() string {
	switch {
	case !fetchesFromNamespaces(c.call.req):
		return noRecordsBefore20
	case c.call.facts.Machine.Identity.Namespace == "":
		return noRecordsWithoutNamespace
	}

	return ""
}

// write the records into the response. A machine is ready without them: nobody knows what external-dns makes of them.
func (c recorder) write(records []externaldns.Record) error {
	if len(records) == 0 {
		return nil
	}

	m, err := render.DNSEndpoint(c.call.facts.Machine.Identity, records).Manifest()
	if err != nil {
		return err
	}

	c.call.rsp.Desired.Resources[externaldns.Name] = &fnv1.Resource{Resource: m, Ready: fnv1.Ready_READY_TRUE}

	return nil
}

// retain the DNSEndpoint as it was found.
func (c recorder) retain() error {
	o := c.call.facts.DNSRecord.Observed
	if o == nil {
		return nil
	}

	m, err := render.RetainDNSEndpoint(*o).Manifest()
	if err != nil {
		return err
	}

	c.call.rsp.Desired.Resources[externaldns.Name] = &fnv1.Resource{Resource: m}

	return nil
}

// addDNSRecordSteps says what becomes of the DNSEndpoint.
func addDNSRecordSteps(to map[string]step, records []externaldns.Record, plan *lifecycle.Plan) {
	o := plan.DNSRecord.Observed

	switch {
	case len(records) == 0 && o == nil:
		return
	case len(records) == 0:
		to[externaldns.Name] = step{action: actionRemove, words: []string{"the claim has no network.dnsRecord any more: external-dns removes the record"}}
	case o == nil:
		to[externaldns.Name] = step{action: actionCreate, words: recordWords(records)}
	case !reflect.DeepEqual(records, o.Spec.Endpoints):
		to[externaldns.Name] = step{action: actionChange, words: recordWords(records)}
	default:
		to[externaldns.Name] = step{action: actionKeep}
	}
}

// recordWords say what each name points to.
func recordWords(records []externaldns.Record) (out []string) {
	for _, r := range records {
		out = append(out, "has external-dns point "+r.DNSName+" to "+r.Targets[0])
	}

	return out
}
