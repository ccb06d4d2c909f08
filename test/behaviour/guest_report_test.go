package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
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
			silent := world.Status(before)

			m.Proxmox.VMs[m.number()].Report = tc.reported
			m.Provide()

			after := m.Settle()
			if diff := cmp.Diff(before.GetDesired().GetResources(), after.GetDesired().GetResources(), protocmp.Transform()); diff != "" {
				t.Errorf("managed resources: -without, +with the report:\n%s", diff)
			}

			told := world.Status(after)
			for _, field := range []string{"primaryAddress", "addresses", "phase", "bootstrap"} {
				if diff := cmp.Diff(silent[field], told[field]); diff != "" {
					t.Errorf("status.%s: -without, +with the report:\n%s", field, diff)
				}
			}
		})
	}
}

// TestConvergenceIsSeen: from the link of the guest to the claim, through agent, provider and Crossplane. The word goes with the guest's agent,
// and a machine that did not converge stays ready.
func TestConvergenceIsSeen(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Settle()

	vm := m.Proxmox.VMs[m.number()]

	for _, tc := range []struct {
		reported, reason string
		silent           bool
		want             any
	}{
		{reported: "", reason: "NotReported"},
		{reported: "nix-ok-3f9a0c", reason: "Applied", want: map[string]any{"outcome": "Applied", "revision": "3f9a0c"}},
		{reported: "nix-back-00ff00", reason: "RolledBack", want: map[string]any{"outcome": "RolledBack", "revision": "00ff00"}},
		{reported: "nix-bad", reason: "ConvergenceFailed", want: map[string]any{"outcome": "Failed"}},
		{reported: "nix-bad", silent: true, reason: "NotReported"},
		{reported: "k3s-joined", reason: "NotReported"},
	} {
		vm.Report, vm.Silent = tc.reported, tc.silent
		m.Provide()

		rsp := m.Settle()
		if got := world.Reason(rsp, "Converged"); got != tc.reason {
			t.Errorf("%q: Converged has the reason %s, want %s", tc.reported, got, tc.reason)
		}

		if diff := cmp.Diff(tc.want, world.Status(rsp)["nix"]); diff != "" {
			t.Errorf("%q: status.nix: -want, +got:\n%s", tc.reported, diff)
		}

		if ready := world.Reason(rsp, "MachineReady"); ready != "Running" {
			t.Errorf("%q: the machine is %s", tc.reported, ready)
		}
	}

	if k3s := example(t, "k3s-cluster/server-2"); world.Reason(k3s.Settle(), "Converged") != "" {
		t.Error("a machine without a flake has a condition on its convergence")
	}
}
