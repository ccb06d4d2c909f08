package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestAReportChangesNoResource: whatever the guest reports, the managed resources and their readiness are as without the report, and so are
// the addresses.
func TestAReportChangesNoResource(t *testing.T) {
	for _, tc := range []struct{ example, reported string }{
		{"k3s-cluster/server-2", "k3s-waiting"},
		{"k3s-cluster/server-2", "k3s-joined"},
		{"k3s-cluster/server-2", "k3s-bad-refused"},
		{"k3s-cluster/server-2", "nix-bad"},
		{"nixos/dns01", "nix-ok-3f9a0c"},
		{"nixos/dns01", "nix-back-3f9a0c"},
		{"nixos/dns01", "nix-bad"},
	} {
		t.Run(tc.example+"/"+tc.reported, func(t *testing.T) {
			m := example(t, tc.example)
			before := m.Settle()
			silent := fake.Status(before)

			m.Proxmox.VMs[m.number()].Report = tc.reported
			m.Provide()

			after := m.Settle()
			if diff := cmp.Diff(before.GetDesired().GetResources(), after.GetDesired().GetResources(), protocmp.Transform()); diff != "" {
				t.Errorf("managed resources: -without, +with the report:\n%s", diff)
			}

			told := fake.Status(after)
			for _, field := range []string{"primaryAddress", "addresses", "phase", "bootstrap"} {
				if diff := cmp.Diff(silent[field], told[field]); diff != "" {
					t.Errorf("status.%s: -without, +with the report:\n%s", field, diff)
				}
			}
		})
	}
}
