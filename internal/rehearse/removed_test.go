package rehearse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRemovedFields: what the provider takes away from a VM or a container whose claim no longer has it is a step of the rehearsal.
func TestRemovedFields(t *testing.T) {
	cases := map[string]struct {
		reason, claim, field string
		want                 []string
	}{
		"Startup":   {"The provider deletes the place in the start order.", aMachine, "  startup: {order: 2}\n", []string{"VM 4123 (git01, pve2) is changed: startup"}},
		"Devices":   {"And devices.", aMachine, "  devices: {usb: [{mapping: zigbee}], pci: [{mapping: gpu}]}\n", []string{"VM 4123 (git01, pve2) is changed: hostpci, usb"}},
		"Notes":     {"Notes are written as they are now.", aMachine, "  notes: a\n", []string{"VM 4123 (git01, pve2) is changed: description"}},
		"Container": {"So is the place of a container deleted.", aContainer, "  startup: {order: 2}\n", []string{"container 4853 (dns01, pve1) is changed: startup"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var got []string

			for _, s := range rehearsed(t, editOf(t, strings.TrimSuffix(tc.claim, "\n")+"\n"+tc.field, []string{tc.field, ""}, nil)).Steps {
				got = append(got, s.Done...)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
