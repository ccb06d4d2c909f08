package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/externaldns"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// recorded are the records of the machine's DNSEndpoint, as name=address.
func (m *machine) recorded() (out []string) {
	for _, r := range world.List(world.Object(m.Observed[externaldns.Name]["spec"])["endpoints"]) {
		r := world.Object(r)
		out = append(out, r["dnsName"].(string)+"="+world.List(r["targets"])[0].(string))
	}

	return out
}

// points holds the records against those that are wanted.
func (m *machine) points(reason string, want ...string) {
	m.t.Helper()

	if diff := cmp.Diff(want, m.recorded()); diff != "" {
		m.t.Errorf("%s records: -want, +got:\n%s", reason, diff)
	}
}

// network of the claim.
func (m *machine) network(field string, value any) {
	network := world.Object(m.Spec()["network"])
	network[field] = value

	if value == nil {
		delete(network, field)
	}
}

// TestADNSRecord follows the machine from its first address to its end, and nothing is done to the VM for it.
func TestADNSRecord(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := exampleIn(t, "nixos/dns01", in)
			delete(world.Object(m.Spec()["proxmox"]), "vmId")
			m.network("dnsRecord", "dns01.home.arpa")
			m.Turn()
			m.points("Before there is a VM, there are no")

			rsp := m.Rest()
			m.says(rsp, map[string]string{"MachineReady": "Running", "DNSRecorded": "RecordRead"})

			address := world.Status(rsp)["primaryAddress"].(string)
			m.points("With an address, there are", "dns01.home.arpa="+address)

			if ready := rsp.GetDesired().GetResources()[externaldns.Name].GetReady(); ready != fnv1.Ready_READY_TRUE {
				t.Errorf("the DNSEndpoint is %v: it keeps the composite from being ready", ready)
			}

			m.Proxmox.Done = nil
			m.network("dnsRecord", "ns.home.arpa")
			m.says(m.Rest(), map[string]string{"DNSRecorded": "RecordRead"})
			m.points("After an edit, there are", "ns.home.arpa="+address)
			m.did()

			m.Spec()["power"] = "Stopped"
			m.says(m.Rest(), map[string]string{"MachineReady": "Stopped", "DNSRecorded": "RecordRead"})
			m.points("A stopped VM keeps its", "ns.home.arpa="+address)

			m.Spec()["power"] = "Running"
			m.Rest()
			m.replace("1")

			for range 20 {
				m.Turn()
				m.points("While it is replaced, there are", "ns.home.arpa="+address)
			}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			m.network("dnsRecord", nil)
			m.says(m.Rest(), map[string]string{"DNSRecorded": "NoRecord"})

			if o := m.Observed[externaldns.Name]; o != nil {
				t.Errorf("without dnsRecord there is %v", o)
			}
		})
	}
}

// TestADNSRecordFollows an address that a DHCP server gave, as soon as the guest agent reports another one.
func TestADNSRecordFollows(t *testing.T) {
	m, _ := living(t, "nixos/dns01", dhcp)
	m.network("dnsRecord", "dns01.home.arpa")
	rsp := m.Rest()

	before := world.Status(rsp)["primaryAddress"].(string)
	m.points("There are", "dns01.home.arpa="+before)

	at := world.Object(world.Object(m.Observed["vm"]["status"])["atProvider"])
	for _, addresses := range world.List(at["ipv4Addresses"]) {
		if all := world.List(addresses); len(all) == 1 && all[0] == before {
			all[0] = "192.168.4.77"
		}
	}

	rsp = m.Call()
	m.says(rsp, map[string]string{"MachineReady": "Running", "DNSRecorded": "RecordWritten"})

	records := world.List(world.Object(world.Desired(rsp, externaldns.Name)["spec"])["endpoints"])
	if diff := cmp.Diff([]any{map[string]any{"dnsName": "dns01.home.arpa", "recordType": "A", "targets": []any{"192.168.4.77"}}}, records); diff != "" {
		t.Errorf("records: -want, +got:\n%s", diff)
	}
}

// TestADNSRecordWithoutTheKind: the machine works without a record, says why, and has its record once somebody has installed external-dns.
func TestADNSRecordWithoutTheKind(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Cluster().ExternalDNS.Missing = true
	m.network("dnsRecord", "dns01.home.arpa")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "DNSRecorded": "DNSEndpointsMissing", "ProviderHealthy": "NoError"})
	m.points("Without the kind, there are no")

	m.Cluster().ExternalDNS = world.ExternalDNS{Asleep: true}
	m.says(m.Rest(), map[string]string{"DNSRecorded": "RecordWritten"})

	m.Cluster().ExternalDNS = world.ExternalDNS{}
	m.says(m.Rest(), map[string]string{"DNSRecorded": "RecordRead"})
}

// TestADNSRecordNeedsCrossplane2: Crossplane 1.20 composes nothing in namespaces. The fault is the field's, and the machine stays as it is.
func TestADNSRecordNeedsCrossplane2(t *testing.T) {
	m, _ := living(t, "nixos/dns01")
	m.network("dnsRecord", "dns01.home.arpa")

	req := m.Request()
	req.ExtraResources, req.RequiredResources = req.GetRequiredResources(), nil
	// Nobody asked Crossplane 1.20 for a Secret.
	delete(req.GetExtraResources(), world.TokenRequirement)

	rsp := m.ask(req)
	if msg := world.Fatal(rsp); !strings.Contains(msg, "spec.network.dnsRecord: ") || !strings.Contains(msg, "before 2.0") {
		t.Errorf("got %q", msg)
	}

	m.Apply(rsp)
	m.network("dnsRecord", nil)
	m.did()
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
}

// TestPreviewOfADNSRecord: each call says what becomes of the record.
func TestPreviewOfADNSRecord(t *testing.T) {
	m, _ := living(t, "nixos/dns01")

	about := func(reason string, want ...string) {
		t.Helper()

		var got []string

		for _, line := range m.explained() {
			if strings.HasPrefix(line, externaldns.Name+":") {
				got = append(got, line)
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s -want, +got:\n%s", reason, diff)
		}
	}

	about("Without a record:")

	m.network("dnsRecord", "dns01.home.arpa")
	about("A new one:", "dns-record: create", "dns-record: has external-dns point dns01.home.arpa to 192.168.4.120")
	m.Rest()
	about("At rest:", "dns-record: keep")

	m.network("dnsRecord", "ns.home.arpa")
	about("Another name:", "dns-record: change", "dns-record: has external-dns point ns.home.arpa to 192.168.4.120")

	m.network("dnsRecord", nil)
	about("None any more:", "dns-record: remove", "dns-record: the claim has no network.dnsRecord any more: external-dns removes the record")
}
