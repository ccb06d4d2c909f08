package resolve

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

func TestLifecycle(t *testing.T) {
	type want struct {
		Lifecycle    v1alpha1.Lifecycle
		Adopt        *v1alpha1.Adopt
		Power        v1alpha1.Power
		Migrate      bool
		PauseOnError bool
	}

	cases := map[string]struct {
		reason    string
		spec      string
		catalogue string
		want      want
	}{
		"Silent": {
			reason: "Nobody asks for anything, and nothing happens by itself.", spec: `{proxmox: {node: pve}}`, catalogue: `{}`,
			want: want{Lifecycle: v1alpha1.Lifecycle{RebootPolicy: "OnRequest"}, Power: "Running", PauseOnError: true},
		},
		"Claim": {
			reason: "What the claim asks for comes through as it is.", catalogue: `{defaults: {pauseOnError: true}}`,
			spec: `{power: Unmanaged, proxmox: {node: pve, migrate: true}, lifecycle: {replace: a, reboot: b, rebootPolicy: WhenNeeded, retry: c}, adopt: {vmId: 108, approve: "3f9a0c71d2"}}`,
			want: want{
				Lifecycle: v1alpha1.Lifecycle{Replace: "a", Reboot: "b", RebootPolicy: "WhenNeeded", Retry: "c"},
				Adopt:     &v1alpha1.Adopt{VMID: 108, Approve: "3f9a0c71d2"}, Power: "Unmanaged", Migrate: true, PauseOnError: true,
			},
		},
		"CatalogueAsksForApproval": {
			reason: "The catalogue asks for approvals where the claim does not say.", spec: `{proxmox: {node: pve}, lifecycle: {approve: d19a0c71d2}}`,
			catalogue: `{defaults: {approval: OnRisk}}`,
			want: want{
				Lifecycle: v1alpha1.Lifecycle{RebootPolicy: "OnRequest", Approval: "OnRisk", Approve: "d19a0c71d2"}, Power: "Running", PauseOnError: true,
			},
		},
		"ClaimAsksForNoApproval": {
			reason: "The claim has the last word, also where it asks for less.", spec: `{proxmox: {node: pve}, lifecycle: {approval: Never}}`,
			catalogue: `{defaults: {approval: Always}}`,
			want:      want{Lifecycle: v1alpha1.Lifecycle{RebootPolicy: "OnRequest"}, Power: "Running", PauseOnError: true},
		},
		"ClaimAsksForApproval": {
			reason: "Or for more.", spec: `{proxmox: {node: pve}, lifecycle: {approval: Always}}`, catalogue: `{defaults: {approval: OnRisk}}`,
			want: want{Lifecycle: v1alpha1.Lifecycle{RebootPolicy: "OnRequest", Approval: "Always"}, Power: "Running", PauseOnError: true},
		},
		"NoPausing": {
			reason: "A platform team that does not want it says so.", spec: `{proxmox: {node: pve}, lifecycle: {}}`, catalogue: `{defaults: {pauseOnError: false}}`,
			want: want{Lifecycle: v1alpha1.Lifecycle{RebootPolicy: "OnRequest"}, Power: "Running"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aMachine(t, kindMachine, tc.spec, tc.catalogue, Existing{})
			got := want{m.Lifecycle, m.Adopt, m.Power, m.Placement.Migrate, m.PauseOnError}

			if diff := gocmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestProtection(t *testing.T) {
	node := func(role, more string) string {
		return `{proxmox: {node: pve}, k3s: {role: ` + role + `, server: "https://x:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}}` + more + `}`
	}

	cases := map[string]struct {
		reason string
		kind   string
		spec   string
		cat    string
		has    *Entries
		want   bool
	}{
		"DataDisks":        {reason: "Data goes with its claim.", kind: kindMachine, spec: `{proxmox: {node: pve}, disks: [{name: data, size: 1Gi}]}`, want: true},
		"DataDisksOrphan":  {reason: "Data stays.", kind: kindMachine, spec: `{proxmox: {node: pve}, deletionPolicy: Orphan, disks: [{name: data, size: 1Gi}]}`},
		"DataDisksLifted":  {reason: "The claim's word lifts it.", kind: kindMachine, spec: `{proxmox: {node: pve}, protection: false, disks: [{name: data, size: 1Gi}]}`},
		"DataDisksDropped": {reason: "A disk that left the claim is still the VM's.", kind: kindMachine, spec: `{proxmox: {node: pve}}`, has: &Entries{DataDisks: true}, want: true},
		"CatalogueNone":    {reason: "A platform team may do without.", kind: kindMachine, spec: `{proxmox: {node: pve}, disks: [{name: data, size: 1Gi}]}`, cat: `{defaults: {protection: false}}`},
		"CatalogueAll":     {reason: "Or have all of them.", kind: kindMachine, spec: `{proxmox: {node: pve}}`, cat: `{defaults: {protection: true}}`, want: true},
		"CatalogueOrphan":  {reason: "What stays needs no protection.", kind: kindMachine, spec: `{proxmox: {node: pve}, deletionPolicy: Orphan}`, cat: `{defaults: {protection: true}}`},
		"CatalogueLifted":  {reason: "The claim's word comes first.", kind: kindMachine, spec: `{proxmox: {node: pve}, protection: false}`, cat: `{defaults: {protection: true}}`},
		"Machine":          {reason: "A machine goes with its claim.", kind: kindMachine, spec: `{proxmox: {node: pve}}`},
		"MachineSaid":      {reason: "Unless it is said to be protected.", kind: kindMachine, spec: `{proxmox: {node: pve}, protection: true}`, want: true},
		"RunsCrossplane":   {reason: "Crossplane's state goes with it.", kind: kindMachine, spec: `{proxmox: {node: pve}, runsCrossplane: true}`, want: true},
		"ServerOrphan":     {reason: "A server that outlives its claim needs no protection.", kind: kindNode, spec: node("server", "")},
		"ServerDelete":     {reason: "A server that goes with its claim is a part of the quorum.", kind: kindNode, spec: node("server", ", deletionPolicy: Delete"), want: true},
		"ServerUnlocked":   {reason: "The claim's word lifts it.", kind: kindNode, spec: node("server", ", deletionPolicy: Delete, protection: false")},
		"ServerOrphanSaid": {reason: "The claim's word sets it.", kind: kindNode, spec: node("server", ", protection: true"), want: true},
		"AgentDelete":      {reason: "An agent holds no quorum.", kind: kindNode, spec: node("agent", ", deletionPolicy: Delete")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := aMachine(t, tc.kind, tc.spec, cmp.Or(tc.cat, `{}`), Existing{Has: tc.has}).Protection; got != tc.want {
				t.Errorf("%s\nProtection: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestAHostOfCrossplaneRuns: nothing could start it again.
func TestAHostOfCrossplaneRuns(t *testing.T) {
	const refused = `spec.power: Invalid value: "Stopped": runsCrossplane is true, and Crossplane could not start its own VM again: write Running, or Unmanaged to leave ` +
		`its power to you`

	for power, want := range map[string]string{"Running": "", "Unmanaged": "", "Stopped": refused} {
		_, errs := Claim(aClaim(t, kindMachine, `{proxmox: {node: pve}, runsCrossplane: true, power: `+power+`}`), aCatalog(t, `{}`), Existing{})

		got := ""
		if err := errs.ToAggregate(); err != nil {
			got = err.Error()
		}

		if got != want {
			t.Errorf("power %s: want %q, got %q", power, want, got)
		}
	}
}
