package rehearse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAddedFirewall: a guest that runs gets its first firewall in a step of the rehearsal, and one that is born does so with its birth.
func TestAddedFirewall(t *testing.T) {
	const wall = "  firewall: {preset: ssh}\n"

	done := func(r Rehearsal) (out string) {
		for _, s := range r.Steps {
			out += strings.Join(s.Done, "\n") + "\n"
		}

		return out
	}

	for name, claim := range map[string]string{"VM": aMachine, "Container": aContainer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			edited := done(rehearsed(t, editOf(t, claim, []string{"spec:\n", "spec:\n" + wall}, nil)))
			for _, want := range []string{"is changed: firewall options\n", "is changed: firewall rules\n"} {
				if !strings.Contains(edited, want) {
					t.Errorf("want %q in\n%s", want, edited)
				}
			}

			in := editOf(t, claim, []string{"spec:\n", "spec:\n" + wall}, nil)
			in.Machines[0].Was = nil

			if born := done(rehearsed(t, in)); strings.Contains(born, "firewall") || !strings.Contains(born, "is made") {
				t.Errorf("want a birth without a line of its firewall, got\n%s", born)
			}
		})
	}
}

// TestRemovedFields: what the provider takes away from a VM or a container whose claim no longer has it is a step of the rehearsal.
func TestRemovedFields(t *testing.T) {
	cases := map[string]struct {
		reason, claim, field string
		want                 []string
	}{
		"Startup":   {"The provider deletes the place in the start order.", aMachine, "  startup: {order: 2}\n", []string{"VM 4123 (git01, pve3) is changed: startup"}},
		"Devices":   {"And devices.", aMachine, "  devices: {usb: [{mapping: zigbee}], pci: [{mapping: gpu}]}\n", []string{"VM 4123 (git01, pve3) is changed: hostpci, usb"}},
		"Notes":     {"Notes are written as they are now.", aMachine, "  notes: a\n", []string{"VM 4123 (git01, pve3) is changed: description"}},
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
