package rehearse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContainerOfAClaim: a container is called one also where claims have composites of kinds of their own.
func TestContainerOfAClaim(t *testing.T) {
	for _, flavour := range []string{"namespaced", "claims"} {
		t.Run("of/"+flavour, func(t *testing.T) {
			f := faultsOf(t, edited(t, aContainer, scenes["Restarted"].edit), false)

			for _, row := range f.Rows {
				if strings.Contains(row.Fault, "VM") {
					t.Errorf("of a container: %s", row.Fault)
				}
			}

			if len(f.Rows) == 0 {
				t.Error("nothing goes wrong")
			}
		})
	}
}

// TestContainerWaits: a container asks for one thing, that which goes on when it is done, and by the field that the person typed.
func TestContainerWaits(t *testing.T) {
	always := aContainer + "  lifecycle: {approval: Always}\n"
	replace := []string{"{approval: Always}", "{approval: Always, replace: a}"}

	cases := map[string]struct {
		reason, claim string
		edit          []string
		want          []string // Conditions and reasons.
		says          string
	}{
		"Protected": {
			"Who approves a replacement that deletionProtection keeps from beginning approves nothing.", always + "  deletionProtection: true\n", replace,
			[]string{"ReplacementRequired ReplacementBlocked"},
			"spec.deletionProtection keeps container 4853",
		},
		"SameVMID": {
			"So does who approves one into its own VMID.", always + "  deletionProtection: false\n", replace,
			[]string{"ReplacementRequired ReplacementBlocked"},
			"4853",
		},
		"Image": {
			"What the container cannot make is not put to approval either.", always + "  deletionProtection: true\n",
			append([]string{"debian-12-standard_12.7-1", "debian-12-standard_12.8-1"}, replace...),
			[]string{"ReplacementRequired ReplacementBlocked"},
			"spec.deletionProtection keeps container 4853",
		},
		"Begins": {
			"One that would begin is.", always + "  deletionProtection: false\n", append([]string{", vmId: 4853", ", vmId: 4854"}, replace...),
			[]string{"Approved WaitingForApproval"},
			"a new container replaces it",
		},
		"Firewall": {
			"The firewall of the claim switches the interface.", aContainer,
			[]string{"spec:\n", "spec:\n  firewall: {}\n"},
			[]string{"RebootPending ChangesPending"},
			"spec.firewall: false to true",
		},
		"Switch": {
			"Or the claim does itself.", aContainer,
			[]string{"ip: 192.168.4.53", "ip: 192.168.4.53, firewall: true"},
			[]string{"RebootPending ChangesPending"},
			"spec.network.firewall: false to true",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var (
				got  []string
				said string
			)

			for _, w := range rehearsed(t, editOf(t, tc.claim, tc.edit, nil)).Verdict.Waits {
				got, said = append(got, w.Condition+" "+w.Reason), said+w.Message
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if !strings.Contains(said, tc.says) {
				t.Errorf("%s Want %q in %q", tc.reason, tc.says, said)
			}
		})
	}
}
