package behaviour

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

const onRisk = "lifecycle: {approval: OnRisk}"

// plan that an answer shows.
func plan(rsp *fnv1.RunFunctionResponse) map[string]any {
	return world.Object(world.Status(rsp)["plan"])
}

// hash of the plan that waits.
func hash(t *testing.T, rsp *fnv1.RunFunctionResponse) string {
	t.Helper()

	h, _ := plan(rsp)["hash"].(string)
	if len(h) != 10 {
		t.Fatalf("status.plan: %v", plan(rsp))
	}

	return h
}

// waits holds that an edit waits as a whole: nothing was done, and the VM is written as before.
func (m *machine) waits(settled *fnv1.RunFunctionResponse, effects ...any) (waiting *fnv1.RunFunctionResponse, approve string) {
	m.t.Helper()

	waiting = m.Rest()
	m.did()
	m.only(settled, waiting, nil)
	m.says(waiting, map[string]string{"Approved": "WaitingForApproval"})

	if diff := cmp.Diff(effects, world.List(plan(waiting)["effects"])); diff != "" {
		m.t.Errorf("status.plan.effects: -want, +got:\n%s", diff)
	}

	return waiting, hash(m.t, waiting)
}

// TestApproval holds for each kind of risk that an edit waits as a whole, and that the hash lets it go once.
func TestApproval(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason  string
		machine string
		edits   []string
		edit    string
		effects []any
		changes []any
		done    []string
	}{
		"Reboot": {
			reason: "A trigger; the tags of the same edit wait, too.", machine: "nixos/dns01", edits: []string{onRisk},
			edit: "{tags: [new], size: {cores: 6}, lifecycle: {reboot: a}}", effects: []any{"Reboot"},
			changes: []any{
				"the provider stops VM 100 and starts it again", "spec.tags: core, role_dns to new, role_dns (at once)", "spec.size.cores: 2 to 6 (at a power cycle)",
			},
			done: []string{"change cpu, tags of 100", "stop 100", "start 100"},
		},
		"RebootByPolicy": {
			reason: "WhenNeeded.", machine: "nixos/dns01", edits: []string{"lifecycle: {approval: OnRisk, rebootPolicy: WhenNeeded}"},
			edit: "size: {cores: 6}", effects: []any{"Reboot"},
			changes: []any{"the provider stops VM 100 and starts it again", "spec.size.cores: 2 to 6 (at a power cycle)"},
			done:    []string{"change cpu of 100", "stop 100", "start 100"},
		},
		"Close": {
			reason: "The guest would not be reached from everywhere any more; the tags of the same edit wait, too.", machine: "nixos/dns01", edits: []string{onRisk},
			edit: "{tags: [new], firewall: {preset: ssh}}", effects: []any{"Close"},
			changes: []any{
				"the firewall of VM 100 drops what reaches the guest now: SSH (TCP 22) from everywhere but 192.168.4.0/24, all else that no rule accepts",
				"spec.tags: core, role_dns to new, role_dns (at once)", "spec.network.firewall: false to true (at once)",
				"spec.firewall: everything reaches the guest to only ping from everywhere; SSH (TCP 22) from 192.168.4.0/24 (at once)",
			},
			done: []string{"change firewall rules of 100", "change tags of 100", "change firewall options of 100", "change networkDevice of 100"},
		},
		"Stop": {
			reason: "power.", machine: "nixos/dns01", edits: []string{onRisk},
			edit: "power: Stopped", effects: []any{"Stop"},
			changes: []any{"the provider stops VM 100", "spec.power: Running to Stopped (at once)"},
			done:    []string{"stop 100"},
		},
		"Refuse": {
			reason: "What can be done waits with what cannot.", machine: "nixos/dns01", edits: []string{onRisk},
			edit: "{tags: [new], size: {disk: 10Gi}}", effects: []any{"Refuse"},
			changes: []any{
				"VM 100 cannot make some of the changes, and keeps its own values", "spec.tags: core, role_dns to new, role_dns (at once)",
				"spec.size.disk: 30 GiB to 10 GiB (refused)",
			},
			done: []string{"change tags of 100"},
		},
		"AlwaysInPlace": {
			reason: "Always has every change wait.", machine: "nixos/dns01", edits: []string{"lifecycle: {approval: Always}"},
			edit: "tags: [new]", effects: []any{"Change"},
			changes: []any{"VM 100 changes while it runs", "spec.tags: core, role_dns to new, role_dns (at once)"},
			done:    []string{"change tags of 100"},
		},
		"AlwaysPending": {
			reason: "Also what only takes effect later.", machine: "nixos/dns01", edits: []string{"lifecycle: {approval: Always}"},
			edit: "size: {cores: 6}", effects: []any{"Change"},
			changes: []any{"VM 100 changes while it runs", "spec.size.cores: 2 to 6 (at a power cycle)"},
			done:    []string{"change cpu of 100"},
		},
		"Replace": {
			reason: "No snippet, VMID and VM of the new one before.", machine: "nixos/dns01", edits: []string{onRisk},
			edit: "{tags: [new], lifecycle: {replace: a}}", effects: []any{"Replace"},
			changes: []any{
				"a new VM replaces VM 100, which then is destroyed with all its disks, data disks included", "spec.tags: core, role_dns to new, role_dns (in the new VM)",
			},
			done: []string{"change onBoot of 100", "stop 100", "make 101", "destroy 100"},
		},
		"ReplaceSideBySide": {
			reason: "The same beside the old VM.", machine: "nixos/dns01", edits: []string{onRisk, dhcp},
			edit: "lifecycle: {replace: a}", effects: []any{"Replace"},
			changes: []any{"a new VM replaces VM 100, which then is destroyed with all its disks, data disks included"},
			done:    []string{"make 101", "destroy 100"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, settled := living(t, tc.machine, tc.edits...)
			m.says(settled, map[string]string{"Approved": "NothingToApprove"})

			applied := world.Status(settled)["appliedSpec"]
			world.Merge(m.Spec(), world.FromYAML(t, tc.edit))

			waiting, approve := m.waits(settled, tc.effects...)
			m.says(waiting, map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending"})

			if diff := cmp.Diff(tc.changes, world.List(plan(waiting)["changes"])); diff != "" {
				t.Errorf("%s\nstatus.plan.changes: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(applied, world.Status(waiting)["appliedSpec"]); diff != "" {
				t.Errorf("status.appliedSpec: -before, +while it waits:\n%s", diff)
			}

			// Another hash does nothing, and is told of.
			m.lifecycle("approve", "f000000000")
			m.says(m.Rest(), map[string]string{"Approved": "OtherPlan"})
			m.did()

			m.lifecycle("approve", approve)
			last := m.Rest()
			m.did(tc.done...)
			m.says(last, map[string]string{"Approved": "NothingToApprove"})

			if p := world.Status(last)["plan"]; p != nil {
				t.Errorf("%s\nstatus.plan: %v", tc.reason, p)
			}
		})
	}
}

// TestApprovalNeedsNone: what is harmless, and what is new, does not wait.
func TestApprovalNeedsNone(t *testing.T) {
	m, _ := living(t, "nixos/dns01", onRisk)
	world.Merge(m.Spec(), world.FromYAML(t, "{tags: [new], size: {cores: 6, disk: 40Gi}}"))

	rsp := m.Rest()
	m.did("change cpu, disk, tags of 100")
	m.says(rsp, map[string]string{"Approved": "NothingToApprove", "RebootPending": "ChangesPending"})

	// What waits for a power cycle is part of the plan of one.
	m.lifecycle("reboot", "a")
	waiting := m.Rest()
	m.did()

	if diff := cmp.Diff([]any{"the provider stops VM 100 and starts it again", "spec.size.cores: 2 to 6 (at a power cycle)"}, world.List(plan(waiting)["changes"])); diff != "" {
		t.Errorf("status.plan.changes: -want, +got:\n%s", diff)
	}

	// Somebody stops the VM: a power cycle is no risk any more.
	m.Proxmox.Stop(100)
	m.Provide()
	m.Rest()

	if running, configured := m.cores(100); running != 6.0 || configured != 6.0 {
		t.Errorf("the VM runs with %v cores and would start with %v", running, configured)
	}
}

// TestApprovalCountsOnce: neither a revert, nor the same edit again, finds an old approval.
func TestApprovalCountsOnce(t *testing.T) {
	m, settled := living(t, "nixos/dns01", "lifecycle: {approval: OnRisk, rebootPolicy: WhenNeeded}")
	m.Spec()["size"] = map[string]any{"cores": 6}
	_, first := m.waits(settled, "Reboot")
	m.lifecycle("approve", first)
	m.Rest()
	m.did("change cpu of 100", "stop 100", "start 100")

	// Back, approved, and forth again with the approval of the first time.
	m.Spec()["size"] = map[string]any{"cores": 2}
	m.lifecycle("approve", hash(t, m.Rest()))
	m.Rest()
	m.did("change cpu of 100", "stop 100", "start 100")

	m.Spec()["size"] = map[string]any{"cores": 6}
	m.lifecycle("approve", first)

	again := m.Rest()
	m.did()
	m.says(again, map[string]string{"Approved": "OtherPlan"})

	if hash(t, again) == first {
		t.Errorf("the same hash %s again", first)
	}
}

// TestApprovalInTheMiddle: an edit that arrives while an approved plan is carried out waits in its turn, and leaves no VM stopped.
func TestApprovalInTheMiddle(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		edit   string
		early  bool // Before the provider has stopped the VM.
		cores  float64
	}{
		"BeforeTheStop":  {reason: "The stop was asked for, and is taken back.", edit: "size: {cores: 8}", early: true, cores: 2},
		"Stopped":        {reason: "The VM is stopped, and comes back as approved.", edit: "size: {cores: 8}", cores: 6},
		"StoppedReplace": {reason: "The same where a new VM is asked for.", edit: "{size: {cores: 8}, lifecycle: {replace: a}}", cores: 6},
		"StoppedStop":    {reason: "The same where it is to stay stopped.", edit: "{size: {cores: 8}, power: Stopped}", cores: 6},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, settled := living(t, "nixos/dns01", "lifecycle: {approval: OnRisk, rebootPolicy: WhenNeeded}")
			m.Spec()["size"] = map[string]any{"cores": 6}
			_, approve := m.waits(settled, "Reboot")
			m.lifecycle("approve", approve)

			if tc.early {
				m.Apply(m.Call())
				m.did()
			} else {
				m.Turn()
				m.did("change cpu of 100", "stop 100")
			}

			world.Merge(m.Spec(), world.FromYAML(t, tc.edit))
			rsp := m.Rest()
			m.says(rsp, map[string]string{"Approved": "WaitingForApproval", "MachineReady": "Running"})

			if running, configured := m.cores(100); running != tc.cores || configured != 6.0 {
				t.Errorf("%s\nthe VM runs with %v cores and would start with %v", tc.reason, running, configured)
			}

			m.Proxmox.Done = nil
			m.lifecycle("approve", hash(t, rsp))
			m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove"})
		})
	}
}

// TestApprovalOfAReplacementInTheMiddle: before there is a new VM, another edit brings the old one back.
func TestApprovalOfAReplacementInTheMiddle(t *testing.T) {
	m, settled := living(t, "nixos/dns01", onRisk)
	m.replace("a")
	_, approve := m.waits(settled, "Replace")
	m.lifecycle("approve", approve)

	for range 20 {
		if m.happened("stop 100") >= 0 {
			break
		}

		m.Turn()
	}

	m.did("change onBoot of 100", "stop 100")

	// Whoever removes the approval takes nothing back that has begun; another edit does.
	m.lifecycle("approve", "")
	m.SetSite("home", "images", "Open")
	m.Spec()["image"] = 9001

	rsp := m.Rest()
	m.did("start 100")
	m.says(rsp, map[string]string{"Approved": "WaitingForApproval", "MachineReady": "Running", "ReplacementRequired": "WaitingForApproval"})

	if got := later(rsp); len(got) != 0 {
		t.Errorf("VMs %v", got)
	}

	m.lifecycle("approve", hash(t, rsp))
	m.Rest()
	m.did("stop 100", "make 101", "destroy 100")
}

// TestApprovalOutlivesItsWord: an approved plan goes on although its hash is removed from the claim.
func TestApprovalOutlivesItsWord(t *testing.T) {
	m, settled := living(t, "nixos/dns01", onRisk)
	m.replace("a")
	_, approve := m.waits(settled, "Replace")
	m.lifecycle("approve", approve)
	m.Turn()
	m.lifecycle("approve", "")
	m.Rest()
	m.did("change onBoot of 100", "stop 100", "make 101", "destroy 100")
}

// TestApprovalOfAMove: no snippet is written on the other node before.
func TestApprovalOfAMove(t *testing.T) {
	m, settled, id := agent(t, onRisk)
	world.Merge(m.Spec(), world.FromYAML(t, "proxmox: {node: pve3, migrate: true}"))

	waiting, approve := m.waits(settled, "Move")

	want := []any{"Proxmox moves VM 100 to node pve3", "spec.proxmox.node: pve1 to pve3 (at once)"}
	got := world.List(plan(waiting)["changes"])

	for i := range got {
		got[i] = strings.ReplaceAll(got[i].(string), "VM "+strconv.Itoa(id), "VM 100")
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status.plan.changes: -want, +got:\n%s", diff)
	}

	m.lifecycle("approve", approve)
	m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove"})

	if node := m.Proxmox.VMs[id].Node(); node != "pve3" {
		t.Errorf("the VM is on %s", node)
	}
}

// TestApprovalOfTheCatalogue: an edit of the catalogue waits as one of the claim does, and the catalogue can ask for approvals.
func TestApprovalOfTheCatalogue(t *testing.T) {
	m := example(t, "k3s-cluster/agent-1")
	defaults := world.Object(world.Object(m.Catalogue["data"])["defaults"])
	defaults["approval"] = "OnRisk"
	world.Object(m.Catalogue["data"])["defaults"] = defaults
	m.lifecycle("rebootPolicy", "WhenNeeded")
	settled := m.Rest()
	m.says(settled, map[string]string{"Approved": "NothingToApprove"})
	m.Proxmox.Done = nil

	class, _ := world.Status(settled)["class"].(string)
	disk := fmt.Sprintf("%vGi", world.Object(world.Status(settled)["size"])["diskGiB"])
	classes := world.Object(world.Object(m.Catalogue["data"])["classes"])
	classes[class] = map[string]any{"cores": 7, "memory": "9Gi", "disk": disk}
	world.Object(m.Catalogue["data"])["classes"] = classes

	_, approve := m.waits(settled, "Reboot")
	classes[class] = map[string]any{"cores": 7, "memory": "10Gi", "disk": disk}

	if _, other := m.waits(settled, "Reboot"); other == approve {
		t.Error("another catalogue, and the same plan")
	}

	// A claim has the last word.
	m.lifecycle("approval", "Never")
	m.Rest()

	if m.happened("stop") < 0 {
		t.Errorf("done: %v", m.Proxmox.Done)
	}
}

// TestRefusedChangesAskOnce: a change that a person knows to be refused does not make the next edit wait.
func TestRefusedChangesAskOnce(t *testing.T) {
	m, settled := living(t, "nixos/dns01", onRisk)
	m.Spec()["image"] = 9001
	_, approve := m.waits(settled, "Refuse")
	m.lifecycle("approve", approve)
	m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove", "ReplacementRequired": "ImmutableFieldChanged"})

	m.Spec()["tags"] = []any{"new"}
	m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove", "ReplacementRequired": "ImmutableFieldChanged"})
	m.did("change tags of 100")

	// Another one does, and what is known stays known meanwhile.
	m.Spec()["size"] = map[string]any{"disk": "10Gi"}
	m.says(m.Rest(), map[string]string{"Approved": "WaitingForApproval", "ReplacementRequired": "ImmutableFieldChanged"})
}

// TestApprovalIsForgotten: without approvals nothing of them is left, and the edit that waited goes on.
func TestApprovalIsForgotten(t *testing.T) {
	m, settled := living(t, "nixos/dns01", onRisk)
	m.lifecycle("reboot", "a")
	m.waits(settled, "Reboot")
	m.lifecycle("approval", "")

	rsp := m.Rest()
	m.did("stop 100", "start 100")
	m.says(rsp, map[string]string{"Approved": "NothingToApprove"})

	if a := world.Annotations(rsp, "vm")[proxmox.ApprovalAnnotation]; a != nil {
		t.Errorf("annotation %v", a)
	}
}

// TestApprovalBeforeQuorum: a server that waits for approval announces nothing to the others.
func TestApprovalBeforeQuorum(t *testing.T) {
	m, settled := living(t, "k3s-cluster/server-1", onRisk)
	m.lifecycle("reboot", "a")

	waiting, approve := m.waits(settled, "Reboot")
	if a := world.Annotations(waiting, "vm")[proxmox.OutageAnnotation]; a != nil {
		t.Errorf("it announces %v", a)
	}

	m.lifecycle("approve", approve)
	rsp := m.Rest()

	m.says(rsp, map[string]string{"Approved": "NothingToApprove"})

	if m.happened("stop") < 0 {
		t.Errorf("the only server waits for nobody else: %v", m.Proxmox.Done)
	}
}

// TestPreviewHasTheHash: what a call says of an edit before it is committed is what the function asks for afterwards.
func TestPreviewHasTheHash(t *testing.T) {
	m, _ := living(t, "nixos/dns01", onRisk)
	m.Spec()["size"] = map[string]any{"cores": 6}
	m.lifecycle("reboot", "a")
	m.Input["explain"] = true
	_, explained := compose.Explain(m.Request())
	delete(m.Input, "explain")

	if got := hash(t, m.Rest()); explained.Approval != got {
		t.Errorf("the plan says %q, the status %q", explained.Approval, got)
	}
}

// TestAnEditWaitsWhileTheVMIsStopped: the restart that was asked for before goes on, and counts once. After the approval nothing is stopped again.
func TestAnEditWaitsWhileTheVMIsStopped(t *testing.T) {
	for _, power := range []string{"Running", "Unmanaged"} {
		for _, undated := range []bool{false, true} {
			t.Run(fmt.Sprint(power, undated), func(t *testing.T) {
				m, _ := living(t, "nixos/dns01", "{lifecycle: {approval: Always}, power: "+power+"}")
				m.Provider.Undated = undated
				m.Rest()
				m.lifecycle("reboot", "a")
				m.lifecycle("approve", hash(t, m.Rest()))

				for n := 0; m.Proxmox.VMs[100].Running != nil; n++ {
					if n == 20 {
						t.Fatal("the VM is not stopped")
					}

					m.Turn()
				}

				m.Spec()["tags"] = []any{"new"}

				waiting := m.Rest()
				m.says(waiting, map[string]string{"Approved": "WaitingForApproval", "MachineReady": "Running"})
				m.did("stop 100", "start 100")

				m.lifecycle("approve", hash(t, waiting))
				m.says(m.Rest(), map[string]string{"Approved": "NothingToApprove", "MachineReady": "Running"})
				m.did("change tags of 100")
			})
		}
	}
}

// TestAnOldProviderStartsLate: it does not say which generation its conditions are about, and is busy elsewhere after a restart was asked for. The
// VM is started all the same, though nobody but its user decides about its power.
func TestAnOldProviderStartsLate(t *testing.T) {
	m, _ := living(t, "nixos/dns01", "power: Unmanaged")
	m.Provider.Undated = true
	m.Rest()
	m.lifecycle("reboot", "a")

	for m.Proxmox.VMs[100].Running != nil {
		m.Turn()
	}

	m.Provider.Stuck = []string{"vm"}

	for range 4 {
		m.Turn()
	}

	m.Provider.Stuck = nil
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.did("stop 100", "start 100")
}

// TestNobodyApprovesWhatTheClaimBlocks: a replacement that cannot begin before the claim is edited once more is told so, and asks for no approval; the
// rest of the edit is done, or asks for itself.
func TestNobodyApprovesWhatTheClaimBlocks(t *testing.T) {
	cases := map[string]struct {
		reason string
		edits  []string
		says   string
	}{
		"VMID":       {reason: "Two VMs cannot have one VMID.", edits: []string{"proxmox: {vmId: 100}"}, says: "spec.proxmox.vmId is the old VM's VMID"},
		"Crossplane": {reason: "Nobody would start the VM again.", edits: []string{"runsCrossplane: true"}, says: "Crossplane runs on"},
	}

	for name, tc := range cases {
		for _, approval := range []string{"OnRisk", "Always"} {
			t.Run(name+"/"+approval, func(t *testing.T) {
				m, _ := living(t, "nixos/dns01", append(tc.edits, "lifecycle: {approval: "+approval+"}")...)
				m.replace("a")
				world.Merge(m.Spec(), world.FromYAML(t, "notes: 'of an edit beside it'"))

				last := m.Rest()
				if got := world.Message(last, "ReplacementRequired"); !strings.Contains(got, tc.says) {
					t.Errorf("%s\nit is told: %s", tc.reason, got)
				}

				var effects any

				done := []string{"change description of 100"}
				if approval == "Always" {
					effects, done = []any{"Change"}, nil
				}

				if diff := cmp.Diff(effects, plan(last)["effects"]); diff != "" {
					t.Errorf("%s\nstatus.plan.effects: -want, +got:\n%s", tc.reason, diff)
				}

				m.did(done...)
			})
		}
	}
}
