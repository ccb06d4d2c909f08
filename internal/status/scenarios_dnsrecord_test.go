package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A dnsMoment is what there is of a machine's DNS record.
type dnsMoment struct {
	name     string
	noKind   bool
	observed []externaldns.Record
	read     bool // By external-dns.
	silent   bool // No address of the VM is known.
	had      bool // The claim had a record.
}

// input is dns01 at the moment.
func (d dnsMoment) input(t *testing.T) Input {
	t.Helper()

	in := settled(t)
	m := *in.Machine
	m.DNSRecord = d.name
	in.Machine, in.Plan.Machine = &m, &m
	in.Plan.DNSRecord = lifecycle.DNSRecord{NoKind: d.noKind}

	if d.observed != nil {
		o := &externaldns.Observed{Spec: externaldns.Spec{Endpoints: d.observed}}
		if o.Metadata.Generation = 2; d.read {
			o.Status.ObservedGeneration = 2
		}

		in.Plan.DNSRecord.Observed = o
	}

	if d.had {
		had := d
		had.name, had.had = "dns01.home.arpa", false
		in.Previous = after(Machine(had.input(t)))
	}

	if d.silent {
		vm := in.State.VMs[lifecycle.FirstVM]
		vm.Status.AtProvider.MACAddresses = nil
		in.State.VMs[lifecycle.FirstVM] = vm
		in.Previous.Addresses, in.Previous.PrimaryAddress = nil, ""
	}

	return in
}

// recordOf dns01 with addresses, each of a type.
func recordOf(ipv4, ipv6 string) (out []externaldns.Record) {
	if ipv4 != "" {
		out = append(out, externaldns.Record{DNSName: "dns01.home.arpa", RecordType: "A", Targets: []string{ipv4}})
	}

	if ipv6 != "" {
		out = append(out, externaldns.Record{DNSName: "dns01.home.arpa", RecordType: "AAAA", Targets: []string{ipv6}})
	}

	return out
}

// records are the moments of a machine's DNS record. dns01 has 192.168.4.53 by its claim, and an IPv6 address that its claim does not ask for.
func records() map[string]scenario {
	const name = "dns01.home.arpa"

	of := func(reason string, d dnsMoment, written []externaldns.Record, status, why, message string) scenario {
		return scenario{reason: reason, in: d.input, want: Output{
			Status: made(func(*v1alpha1.Status) {}), Ready: readiness(true, true, true), Records: written,
			Conditions: conditions(Condition{"DNSRecorded", metav1.ConditionStatus(status), why, message}),
		}}
	}

	return map[string]scenario{
		"DNSRecordRead": of("external-dns knows it.", dnsMoment{name: name, observed: recordOf("192.168.4.53", ""), read: true}, recordOf("192.168.4.53", ""), "True", "RecordRead",
			"external-dns has read that dns01.home.arpa points to 192.168.4.53. Whether the DNS server has the record, external-dns does not say: see its log."),
		"DNSRecordWritten": of("It is written with this call.", dnsMoment{name: name}, recordOf("192.168.4.53", ""), "False", "RecordWritten",
			"The DNSEndpoint says that dns01.home.arpa points to 192.168.4.53, and external-dns has not read it yet. If this stays, check that external-dns runs with "+
				"--source=crd and may update dnsendpoints/status."),
		"DNSRecordMoves": of("What external-dns has read is old.", dnsMoment{name: name, observed: recordOf("192.168.4.99", ""), read: true}, recordOf("192.168.4.53", ""), "False", "RecordWritten",
			"The DNSEndpoint says that dns01.home.arpa points to 192.168.4.53, and external-dns has not read it yet. If this stays, check that external-dns runs with "+
				"--source=crd and may update dnsendpoints/status."),
		"DNSEndpointsMissing": of("Somebody has to install external-dns.", dnsMoment{name: name, noKind: true}, nil, "False", "DNSEndpointsMissing",
			"dns01.home.arpa has no record: the kind DNSEndpoint (externaldns.k8s.io/v1alpha1) is not installed, or is served in no version that the function knows. Install "+
				"external-dns with its CustomResourceDefinitions, and give Crossplane the rights of install/dns (docs/day-two.md, DNS records), or remove network.dnsRecord."),
		"DNSAddressUnknown": {
			reason: "There is no VM yet.",
			in: func(*testing.T) Input {
				in := dns01()
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.Waiting = []string{image}

				m := *in.Machine
				m.DNSRecord = name
				in.Machine, in.Plan.Machine = &m, &m

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending), Ready: map[string]bool{userData: false, metaData: false, image: false},
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "WaitingForImage", "The provider creates the VM when its cloud image is on datastore local of node pve (image-0123456789)."},
					Condition{"DNSRecorded", "False", "AddressUnknown", "dns01.home.arpa has no record before an address of the VM is known: condition MachineReady has the details."}),
			},
		},
		"DNSRecordLeft": of("The claim has none any more.", dnsMoment{had: true, observed: recordOf("192.168.4.53", ""), read: true}, nil, "True", "NoRecord",
			"spec.network names no dnsRecord."),
	}
}

// TestRecords: what is not known now stays as it was, and no guest gives itself a name by an address that its claim does not ask for.
func TestRecords(t *testing.T) {
	const name = "dns01.home.arpa"

	both := machine.NIC{
		IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.53", Prefix: 24}, IPv6: machine.Addressing{Method: machine.MethodAuto},
	}

	cases := map[string]struct {
		reason string
		dnsMoment
		nic  *machine.NIC
		want []externaldns.Record
		why  string
	}{
		"Both":      {reason: "The claim asks for both.", dnsMoment: dnsMoment{name: name}, nic: &both, want: recordOf("192.168.4.53", "2001:db8::53"), why: ReasonRecordWritten},
		"IPv6Known": {reason: "The guest still has the one in DNS.", dnsMoment: dnsMoment{name: name, observed: recordOf("192.168.4.53", "2001:db8::53"), read: true}, nic: &both, want: recordOf("192.168.4.53", "2001:db8::53"), why: ReasonRecordRead},
		"IPv6Only":  {reason: "It has no IPv4.", dnsMoment: dnsMoment{name: name}, nic: &auto, want: recordOf("", "2001:db8::53"), why: ReasonRecordWritten},
		"Silent":    {reason: "The agent does not answer: nothing is known to be wrong.", dnsMoment: dnsMoment{name: name, observed: recordOf("192.168.4.60", ""), read: true, silent: true}, want: recordOf("192.168.4.60", ""), why: ReasonRecordRead},
		"Renamed":   {reason: "Another name for the address that there was.", dnsMoment: dnsMoment{name: name, observed: []externaldns.Record{{DNSName: "old.home.arpa", RecordType: "A", Targets: []string{"192.168.4.60"}}}, read: true, silent: true}, want: recordOf("192.168.4.60", ""), why: ReasonRecordWritten},
		"Unknown":   {reason: "No address was ever known.", dnsMoment: dnsMoment{name: name, silent: true}, nic: &dhcp, why: ReasonAddressUnknown},
		"None":      {reason: "Most machines.", dnsMoment: dnsMoment{}},
		"Missing":   {reason: "Crossplane could apply nothing of an answer with a kind that is not served.", dnsMoment: dnsMoment{name: name, noKind: true}, why: ReasonDNSEndpointsMissing},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := tc.input(t)
			if tc.nic != nil {
				in.Machine.NICs = []machine.NIC{*tc.nic}
			}

			out := Machine(in)
			if diff := cmp.Diff(tc.want, out.Records); diff != "" {
				t.Errorf("%s\nrecords: -want, +got:\n%s", tc.reason, diff)
			}

			got := ""

			for _, c := range out.Conditions {
				if c.Type == TypeDNSRecorded {
					got = c.Reason
				}
			}

			if got != tc.why {
				t.Errorf("%s\nreason %q, want %q", tc.reason, got, tc.why)
			}
		})
	}
}
