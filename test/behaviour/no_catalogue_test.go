package behaviour

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestLivesWithoutCatalogue: whoever has no catalogue is told so, and no entry of it is missing, also where the account is in
// rendered user-data and the VM's parameters do not have it.
func TestLivesWithoutCatalogue(t *testing.T) {
	for name, edit := range map[string]string{
		"ProxmoxUserData":  `{}`,
		"RenderedUserData": `{bootstrap: {userData: "#cloud-config\ntimezone: Europe/Berlin\n"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := example(t, "plain-debian/files01")
			fake.Merge(m.Spec(), fake.FromYAML(t, edit))
			m.Settle()
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
		})
	}
}

// TestEditsWithoutCatalogue removes from the claim of a machine that lives without a catalogue what nothing else says: that is a fault of
// the claim, and nothing that the VM keeps of a catalogue.
func TestEditsWithoutCatalogue(t *testing.T) {
	m := example(t, "plain-debian/files01")
	fake.Merge(m.Spec(), fake.FromYAML(t, `{network: {dhcp: null, ip: 192.168.4.21, cidr: 24, gateway: 192.168.4.1}}`))
	m.Settle()

	fake.Merge(m.Spec(), fake.FromYAML(t, `{network: {cidr: null}}`))
	m.refused(m.Call(), "spec.network.cidr", "neither claim nor site has one")
}

// refused compares an answer with a fatal result that names a field and says what would be right.
func (m *machine) refused(rsp *fnv1.RunFunctionResponse, want ...string) {
	m.t.Helper()

	results := rsp.GetResults()
	if len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL {
		m.t.Fatalf("results are %v, want one fatal", results)
	}

	for _, w := range want {
		if !strings.Contains(results[0].GetMessage(), w) {
			m.t.Errorf("the message lacks %q: %s", w, results[0].GetMessage())
		}
	}
}
