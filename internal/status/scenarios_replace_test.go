package status

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	takes     = "spec.lifecycle.replace is `2026-11-20`: a new VM (vm-9876543210) is replacing VM 153 on node pve. "
	andThen   = " When the new VM is ready, the old VM is destroyed with all its disks, data disks included. To cancel before that, remove the value of spec.lifecycle.replace, or restore the previous value: the provider then removes the new VM, and the old VM stays."
	preparing = takes + "The provider first prepares its snippets, its image and its VMID (image-9876543210, user-data-9876543210); meanwhile the old VM does not change."
	apart     = takes + "The new VM is not ready yet; meanwhile the old VM is stopped, because the two VMs cannot run side by side."
	beside    = takes + "The new VM is not ready yet; meanwhile the old VM keeps running."
	noWord    = "spec.lifecycle.replace requests a new VM, but the replacement is blocked. This is the only known server of K3s cluster home, and the cluster's state would be lost with it: first add servers, for three in total."
)

// beingReplaced is what MachineReady says of a VM that another one replaces.
var beingReplaced = Condition{ //nolint:gochecknoglobals // A constant.
	"MachineReady", "False", "Replacing", "VM 153 on node pve is being replaced by a new VM. Condition ReplacementRequired has the details.",
}

// replacements are the moments in which a new VM takes the place of an old one.
func replacements() map[string]scenario {
	stopped := func(s *v1alpha1.Status) { s.PrimaryAddress, s.Addresses = "", nil }

	return map[string]scenario{
		"ReplacementBlocked": {
			reason: "What speaks against it is said, beside what the VM cannot follow; nothing happens.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.Held = []change.Change{{Field: "spec.image", Has: "a", Wanted: "b"}}
				in.Plan.Replacement = &lifecycle.Replacement{
					Trigger: "2026-11-20", Stage: lifecycle.StageBlocked, Old: lifecycle.FirstVM, Blocker: lifecycle.Blocker{Reason: lifecycle.BlockedByOnlyServer, Cluster: "home"},
				}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Refused = []string{"spec.image: a to b"} }), Ready: readiness(true, true, true),
				Conditions: conditions(Condition{
					"ReplacementRequired", "True", "ReplacementBlocked",
					noWord + " The VM cannot make these changes and keeps its own values: spec.image (the VM has `a`, the claim has `b`).",
				}),
				Events: []Event{{
					Warning: true, Reason: "ReplacementBlocked",
					Message: noWord + " The VM cannot make these changes and keeps its own values: spec.image (the VM has `a`, the claim has `b`).",
				}},
			},
		},
		"ReplacingPrepares": {
			reason: "The old VM runs on and the machine is ready, whatever the new one waits for.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StagePreparing, false, vmRunning)
				delete(in.Desired.VMs, next)
				in.Plan.Waiting = []string{"image-9876543210", "user-data-9876543210"}
				in.Desired.DownloadFiles["image-9876543210"] = proxmox.DownloadFile{}

				return in
			},
			want: Output{
				Status: taking(nil), Ready: map[string]bool{"vm": true, userData: true, metaData: true, image: true, "image-9876543210": false},
				Conditions: conditions(Condition{"ReplacementRequired", "True", "Replacing", preparing + andThen}),
				Events:     []Event{{Reason: "Replacing", Message: preparing + andThen}},
			},
		},
		"ReplacingNumberTaken": {
			reason: "The number of the new VM is another's: a condition says so, and the machine stays ready.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StagePreparing, false, vmRunning, strings.Replace(vmForeign, "# vm\n", "# "+next+"\n", 1))
				in.Previous = after(Machine(replaced(t, lifecycle.StagePreparing, false, vmRunning)))
				in.Plan.Check = &lifecycle.VMIDCheck{VMID: 160, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"}

				return in
			},
			want: Output{
				Status: taking(nil), Ready: readyBeside(true, false),
				Conditions: conditions(
					Condition{
						"ReplacementRequired", "True", "Replacing", takes + "The provider first prepares its snippets, its image and its VMID; meanwhile the old VM does not change. " +
							"Condition VMIDInUse says why the new VM cannot be created." + andThen,
					},
					Condition{"VMIDInUse", "True", "NumberTaken", "VMID 160 is in use by VM 160 (`nas`) on node pve2." + leftAlone + otherNumber},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: "VMID 160 is in use by VM 160 (`nas`) on node pve2." + leftAlone + otherNumber}},
			},
		},
		"ReplacingStops": {
			reason: "The two cannot run side by side, so the old one is shut down: the machine is not ready from here on.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageStopping, true, vmRunning)
				in.Previous = after(Machine(replaced(t, lifecycle.StagePreparing, false, vmRunning)))

				return in
			},
			want: Output{
				Status: taking(nil), Ready: readyBeside(false, false),
				Conditions: conditions(beingReplaced, Condition{
					"ReplacementRequired", "True", "Replacing", takes + "The provider first shuts the old VM down, because the two VMs cannot run side by side." + andThen,
				}),
			},
		},
		"ReplacingApart": {
			reason: "The new VM is made while the old one is stopped: not ready, although it is as rendered.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageMaking, true, vmStopped)
				in.Previous = after(Machine(replaced(t, lifecycle.StageStopping, true, vmRunning)))

				return in
			},
			want: Output{
				Status: taking(stopped), Ready: readyBeside(false, false),
				Conditions: conditions(beingReplaced, Condition{"ReplacementRequired", "True", "Replacing", apart + andThen}),
			},
		},
		"ReplacingApartFails": {
			reason: "An error of the new VM keeps a machine from being ready that has no other one.",
			in: func(t *testing.T) Input {
				t.Helper()

				broken := strings.Replace(vmNext, `{type: Synced, status: "True", reason: ReconcileSuccess}`,
					`{type: Synced, status: "False", reason: ReconcileError, message: "update failed: apply failed: received an HTTP 401 response"}`, 1)
				in := replaced(t, lifecycle.StageMaking, true, vmStopped, broken)
				in.Previous = after(Machine(replaced(t, lifecycle.StageMaking, true, vmStopped, vmNext)))

				return in
			},
			want: Output{
				Status: taking(func(s *v1alpha1.Status) {
					stopped(s)
					s.Phase, s.Replacement.VMID = v1alpha1.PhaseFailed, new(int64(160))
				}),
				Ready: readyBeside(false, false),
				Conditions: conditions(
					Condition{"MachineReady", "False", "ProviderError", next + " (EnvironmentVM): Proxmox refuses the provider's credentials. Condition ProviderHealthy says what to do."},
					Condition{"ReplacementRequired", "True", "Replacing", apart + " Condition ProviderHealthy explains its error." + andThen},
					Condition{"ProviderHealthy", "False", "AuthenticationError", next + refusedCredentials},
				),
				Events: []Event{{Warning: true, Reason: "AuthenticationError", Message: next + refusedCredentials}},
			},
		},
		"ReplacingBeside": {
			reason: "The new VM is made while the old one runs: the machine is ready all the while.",
			in: func(t *testing.T) Input {
				t.Helper()

				waits := strings.Replace(vmNext, `ipv4Addresses: [["127.0.0.1"], ["10.42.0.1"], ["192.168.4.60"], ["172.17.0.1"]]`, "ipv4Addresses: []", 1)
				waits = strings.Replace(waits, `, "2001:db8::60"`, "", 1)
				in := replaced(t, lifecycle.StageMaking, false, vmRunning, waits)
				in.Previous = after(Machine(replaced(t, lifecycle.StagePreparing, false, vmRunning)))
				in.Desired.VMs[next] = withAgent(t, vmNext)

				return in
			},
			want: Output{
				Status: taking(func(s *v1alpha1.Status) { s.Replacement.VMID = new(int64(160)) }), Ready: readyBeside(true, false),
				Conditions: conditions(Condition{"ReplacementRequired", "True", "Replacing", beside + andThen}),
			},
		},
		"ReplacingRetires": {
			reason: "The new VM has the old one's place, which is shut down and stays: both numbers are told.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageRetiring, true, vmRunning, vmNext)
				in.Machine.DeletionPolicy = v1alpha1.DeletionOrphan
				in.Plan.Roles.Active = next
				in.wants(true)
				in.Desired.VMs[lifecycle.FirstVM] = rendered(t, strings.Replace(vmRunning, "    started: true\n    agent", "    started: false\n    agent", 1))
				in.Previous = after(Machine(replaced(t, lifecycle.StageMaking, false, vmRunning, vmNext)))

				return in
			},
			want: Output{
				Status: ofNext(func(s *v1alpha1.Status) {
					s.Phase, s.Replacement = v1alpha1.PhaseReplacing, &v1alpha1.ReplacementStatus{Token: "2026-11-20", Node: "pve", VMID: new(int64(160))}
				}),
				Ready: readyBeside(false, true),
				Conditions: conditions(nextRuns, nextNumber, Condition{
					"ReplacementRequired", "True", "Replacing", takes + "The new VM is ready; the provider shuts the old VM down, which then stays in Proxmox, stopped.",
				}),
				Events: []Event{{Reason: "Replaced", Message: "VM 160 on node pve replaced VM 153, which stays in Proxmox, stopped."}},
			},
		},
		"Retired": {
			reason: "The old VM is gone from here; that was told already.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageRetiring, true, vmStopped, vmNext)
				in.Plan.Roles.Active = next
				in.wants(true)
				in.Previous = after(Machine(in))

				return done(in)
			},
			want: Output{
				Status: ofNext(nil), Ready: map[string]bool{next: true, userData: true, metaData: true, image: true}, Conditions: conditions(nextRuns, nextNumber),
			},
		},
		"Replaced": {
			reason: "The new VM is ready, and the old one is destroyed: what was known of that one's addresses is forgotten.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := replaced(t, lifecycle.StageMaking, true, vmStopped, vmNext)
				in.Previous = after(Machine(in))

				return done(in)
			},
			want: Output{
				Status: ofNext(nil), Ready: map[string]bool{next: true, userData: true, metaData: true, image: true}, Conditions: conditions(nextRuns, nextNumber),
				Events: []Event{
					{Reason: "Replaced", Message: "VM 160 on node pve replaced VM 153, which is destroyed with all its disks, data disks included."},
					{Reason: "BecameReady", Message: "VM 160 on node pve runs."},
				},
			},
		},
		"ReplacementTakenBack": {
			reason: "The word was taken out of the claim: the old VM stays.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Previous = after(Machine(replaced(t, lifecycle.StageMaking, false, vmRunning, vmNext)))

				return in
			},
			want: Output{
				Status: made(nil), Ready: readiness(true, true, true), Conditions: conditions(),
				Events: []Event{{Reason: "ReplacementTakenBack", Message: "VM 153 on node pve stays the active VM; the provider removes the new VM."}},
			},
		},
	}
}

const refusedCredentials = " (EnvironmentVM): Proxmox refuses the provider's credentials. Check api_token in the credentials Secret: its form is user@realm!name=uuid, on one line. " +
	"`pveum user token list <user@realm>` shows whether the token exists and has not expired. Proxmox shows the secret part only once; create a new token if in doubt."

// What is said of the new VM.
var (
	nextRuns   = Condition{"MachineReady", "True", "Running", "VM 160 on node pve runs."}
	nextNumber = Condition{"VMIDInUse", "False", "NumberFree", "No other VM is known to have VMID 160."}
)
