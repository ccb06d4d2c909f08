package lifecycle

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const newVM = "vm-0123456789"

// replacing is a machine whose VM another one is to replace. The two cannot run side by side, unless the edit says otherwise.
func replacing(active proxmox.ObservedVM, edits ...func(s *Situation)) *Situation {
	s := &Situation{State: StateAbsent, Request: Request{
		Machine: &machine.Machine{
			Identity: me, NICs: []machine.NIC{{MAC: "BC:24:11:00:00:01"}}, Power: v1alpha1.PowerRunning, DeletionPolicy: v1alpha1.DeletionDelete,
		},
		Roles: Roles{Active: FirstVM, Candidate: newVM, Trigger: "r"}, Observed: proxmox.State{VMs: vms{FirstVM: active}},
	}}

	for _, e := range edits {
		e(s)
	}

	return s
}

// sideBySide are VMs that have nothing that only one can have.
func sideBySide(s *Situation) { s.Machine.NICs = []machine.NIC{{}} }

// inHA has the HA manager manage the active VM.
func inHA(s *Situation) {
	o := proxmox.ObservedHAResource{}
	o.Spec.ForProvider.State = proxmox.HAStarted
	s.Observed.HAResources = map[string]proxmox.ObservedHAResource{proxmox.HAResourceOf(FirstVM): o}
}

// lostOn says that a Proxmox node does not come back.
func lostOn(node string) func(s *Situation) {
	return func(s *Situation) { s.Machine.Lifecycle.Lost = node }
}

// TestCandidateMayBeMade: two VMs with one address, or one device, never run at once.
func TestCandidateMayBeMade(t *testing.T) {
	lost := settledVM(onNode("pve1"), unread)
	permission := func(p Permission) func(s *Situation) { return func(s *Situation) { s.Decision.Permission = p } }

	for name, tc := range map[string]struct {
		reason string
		s      *Situation
		want   bool
	}{
		"First":      {reason: "There is no other VM.", s: replacing(settledVM(), func(s *Situation) { s.Roles.Candidate = "" }), want: true},
		"SideBySide": {reason: "The two can run at once.", s: replacing(settledVM(), sideBySide), want: true},
		"Runs":       {reason: "The VM that is replaced runs.", s: replacing(settledVM())},
		"Stopping":   {reason: "It was told to stop, and runs.", s: replacing(settledVM(writtenOff))},
		"ByHand":     {reason: "It is off, and the provider starts it again.", s: replacing(settledVM(off))},
		"Off":        {reason: "It is off, and stays so.", s: replacing(settledVM(off, writtenOff)), want: true},
		"Awaited":    {reason: "The other servers have not seen it announced.", s: replacing(settledVM(off, writtenOff), permission(PermissionAwaited))},
		"Announced":  {reason: "They have.", s: replacing(settledVM(off, writtenOff), permission(PermissionAnnounced)), want: true},
		"HA":         {reason: "The HA manager starts it again.", s: replacing(settledVM(off, writtenOff), inHA)},
		"Rival": {
			reason: "A VM of a replacement before runs.",
			s:      replacing(settledVM(off, writtenOff), func(s *Situation) { s.Roles.Retired, s.Observed.VMs["vm-b"] = []string{"vm-b"}, settledVM() }),
		},
		"Node":   {reason: "Its Kubernetes Node is being deleted.", s: replacing(settledVM(off, writtenOff), func(s *Situation) { s.Objects.Going = true })},
		"Silent": {reason: "Its Proxmox node does not answer, and it may run there.", s: replacing(lost)},
		"Lost":   {reason: "A person says that the node does not come back.", s: replacing(lost, lostOn("pve1")), want: true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := candidateMayBeMade(tc.s); got != tc.want {
				t.Errorf("%s\ncandidateMayBeMade(): got %t", tc.reason, got)
			}
		})
	}
}

// TestReplace: the VM that is replaced runs until everything else is there, and is not destroyed where its claim keeps VMs, or where nobody could.
func TestReplace(t *testing.T) {
	type answer struct {
		Replacement *Replacement
		Step        Step
		Hold        haHold
	}

	at := func(stage Stage, stopped bool) *Replacement {
		return &Replacement{Trigger: "r", Stage: stage, Old: FirstVM, New: newVM, Stopped: stopped}
	}
	step := func(stop bool, d proxmox.Deletion) Step {
		return Step{Action: ActionReplaced, Stop: stop, MayDelete: d}
	}
	with := func(s Step, edit func(s *Step)) Step { edit(&s); return s }
	keeps := func(s *Situation) { s.Machine.DeletionPolicy = v1alpha1.DeletionOrphan }
	permission := func(p Permission) func(s *Situation) { return func(s *Situation) { s.Decision.Permission = p } }

	const destroys, orphans = proxmox.DeletionDestroys, proxmox.DeletionOrphans

	for name, tc := range map[string]struct {
		reason  string
		s       *Situation
		next    Action // What this call does with the new VM.
		waiting []string
		check   *VMIDCheck
		want    answer
	}{
		"Nobody": {reason: "Nobody asks for a replacement.", s: replacing(settledVM(), func(s *Situation) { s.Roles = Roles{Active: FirstVM} })},
		"Blocked": {
			reason: "It may not begin.",
			s:      replacing(settledVM(), func(s *Situation) { s.Roles.Candidate, s.Decision = "", RefuseForApproval() }),
			want:   answer{Replacement: &Replacement{Trigger: "r", Stage: StageBlocked, Blocker: Blocker{Reason: BlockedByApproval}, Old: FirstVM}},
		},
		"Waits":      {reason: "A snippet is missing.", s: replacing(settledVM()), next: ActionCheck, waiting: []string{"user-data"}, want: answer{at(StagePreparing, false), step(false, destroys), haFree}},
		"Taken":      {reason: "Its VMID is another VM's.", s: replacing(settledVM()), next: ActionCheck, check: &VMIDCheck{Outcome: OutcomeTaken}, want: answer{at(StagePreparing, false), step(false, destroys), haFree}},
		"Looks":      {reason: "Nobody knows whose its VMID is.", s: replacing(settledVM()), next: ActionCheck, check: &VMIDCheck{Outcome: OutcomeChecking}, want: answer{at(StagePreparing, false), step(false, destroys), haFree}},
		"Shares":     {reason: "Another machine has its address.", s: replacing(settledVM(), func(s *Situation) { s.Shares = &SharedAddress{} }), next: ActionCheck, want: answer{at(StagePreparing, false), step(false, destroys), haFree}},
		"Awaited":    {reason: "The other servers have to see it announced.", s: replacing(settledVM(), permission(PermissionAwaited)), next: ActionCheck, want: answer{at(StagePreparing, false), with(step(false, destroys), func(s *Step) { s.Announce = "r" }), haFree}},
		"Announced":  {reason: "They have, and go on to see it.", s: replacing(settledVM(), permission(PermissionAnnounced)), next: ActionCheck, want: answer{at(StageStopping, true), with(step(true, destroys), func(s *Step) { s.Announce = "r" }), haFree}},
		"Prepared":   {reason: "All is there.", s: replacing(settledVM()), next: ActionCheck, check: &VMIDCheck{Outcome: OutcomeFree}, want: answer{at(StageStopping, true), step(true, destroys), haFree}},
		"HA":         {reason: "The HA manager would start it again.", s: replacing(settledVM(), inHA), next: ActionCheck, want: answer{at(StagePreparing, false), step(false, destroys), haHolds}},
		"Making":     {reason: "The new VM is made.", s: replacing(settledVM(off, writtenOff)), next: ActionCreate, want: answer{at(StageMaking, true), step(true, destroys), haFree}},
		"SideBySide": {reason: "The two run at once.", s: replacing(settledVM(), sideBySide), next: ActionCreate, want: answer{at(StageMaking, false), step(false, destroys), haFree}},
		"Keeps":      {reason: "The claim keeps its VMs.", s: replacing(settledVM(), sideBySide, keeps), next: ActionCreate, want: answer{at(StageMaking, false), step(false, orphans), haFree}},
		"Lost":       {reason: "Nothing can be destroyed on a node that does not come back.", s: replacing(settledVM(onNode("pve1"), unread), lostOn("pve1")), next: ActionCreate, want: answer{at(StageMaking, true), step(true, orphans), haFree}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Plan{Situation: *tc.s, Steps: map[string]Step{newVM: {Action: tc.next}}, Waiting: tc.waiting, Check: tc.check}
			hold := p.replace()

			if diff := cmp.Diff(tc.want, answer{p.Replacement, p.Steps[FirstVM], hold}); diff != "" {
				t.Errorf("%s\nreplace(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestForgetChecked: what looked at a VMID goes, and not before a Usage that keeps it. A VM whose role nobody knows stays.
func TestForgetChecked(t *testing.T) {
	uses := map[string]bool{FirstVM: true}
	keep := Step{Action: ActionKeep, MayDelete: proxmox.DeletionDestroys}

	for name, tc := range map[string]struct {
		reason string
		p      *Plan
		steps  map[string]Step
		want   Step
	}{
		"Goes":    {reason: "Nothing keeps it.", p: &Plan{}, want: Step{Action: ActionRelease}},
		"HA":      {reason: "Its entry of the HA manager goes first.", p: &Plan{Situation: Situation{Request: Request{HAUses: uses}}}, want: Step{Action: ActionKeep}},
		"Node":    {reason: "Its Kubernetes Node goes first.", p: &Plan{Situation: Situation{Request: Request{Objects: Objects{Uses: uses}}}}, want: Step{Action: ActionKeep}},
		"Unknown": {reason: "It was decided about before.", p: &Plan{}, steps: map[string]Step{FirstVM: keep}, want: keep},
	} {
		t.Run(name, func(t *testing.T) {
			tc.p.Steps = map[string]Step{}
			maps.Copy(tc.p.Steps, tc.steps)

			forgetChecked(tc.p, FirstVM)

			if diff := cmp.Diff(map[string]Step{FirstVM: tc.want}, tc.p.Steps); diff != "" {
				t.Errorf("%s\nforgetChecked(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDecideDisowns: whatever else is decided about a VM whose VMID another VM has by now, the provider may do no more than observe.
func TestDecideDisowns(t *testing.T) {
	stranger := settledVM(func(vm *proxmox.ObservedVM) {
		vm.Spec.ForProvider.Name, vm.Spec.ForProvider.NodeName, vm.Spec.ForProvider.SMBIOS = "dns01", "pve", []proxmox.SMBIOS{{UUID: nodesUUID}}
		vm.Status.AtProvider.Name, vm.Status.AtProvider.NodeName, vm.Status.AtProvider.SMBIOS = "nas", "pve", []proxmox.SMBIOS{{UUID: otherUUID}}
	})
	disowned := Step{Action: ActionDisown, ImportName: "pve/100"}

	for name, tc := range map[string]struct {
		reason string
		roles  Roles
		want   *VMIDCheck
	}{
		"Active":  {reason: "It was the machine.", roles: Roles{Active: FirstVM}, want: &VMIDCheck{VMID: 100, Outcome: OutcomeTaken, Name: "nas", Node: "pve"}},
		"Retired": {reason: "It would be destroyed.", roles: Roles{Active: newVM, Retired: []string{FirstVM}}},
		"Unknown": {reason: "It would go with its claim.", roles: Roles{Active: newVM, Unknown: []string{FirstVM}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Machine: &machine.Machine{Identity: me, NICs: []machine.NIC{{}}, Power: v1alpha1.PowerRunning, DeletionPolicy: v1alpha1.DeletionDelete},
				Roles:   tc.roles, Observed: proxmox.State{VMs: vms{FirstVM: stranger}},
			}
			p := Decide(Assess(r), Description{})

			if diff := cmp.Diff(disowned, p.Steps[FirstVM]); diff != "" {
				t.Errorf("%s\nDecide(): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want, p.Check); diff != "" {
				t.Errorf("%s\nDecide(), check: -want, +got:\n%s", tc.reason, diff)
			}

			if !p.Leaving()[FirstVM] {
				t.Errorf("%s\nDecide(): a pause keeps the provider from looking", tc.reason)
			}
		})
	}
}

// TestDecideLooksAtRules: the rules of a VM that is to be adopted are read before the plan is told, and what was read stays until the adoption.
func TestDecideLooksAtRules(t *testing.T) {
	ssh := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "22"}}}
	found := func(vm *proxmox.ObservedVM) {
		vm.Status.AtProvider.Parameters = &proxmox.Found{VMParameters: proxmox.VMParameters{NodeName: "pve"}}
	}
	unsupported := func(vm *proxmox.ObservedVM) {
		vm.Status.AtProvider.Parameters = &proxmox.Found{Unsupported: "It is a template."}
	}

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		wall   *machine.Firewall
		read   bool // Whether the provider looks at the rules already.
		want   FirewallPlan
	}{
		"Read":        {reason: "The VM is known, and its rules are not.", vm: aCheck(sees("153", "nas", "pve", 3), found), wall: ssh, want: FirewallPlan{Found: FoundRules{ImportName: "vm/pve/153"}}},
		"Unsupported": {reason: "It cannot be adopted.", vm: aCheck(sees("153", "nas", "pve", 3), unsupported), wall: ssh},
		"NoRules":     {reason: "The claim asks for none.", vm: aCheck(sees("153", "nas", "pve", 3), found)},
		"Again":       {reason: "The VM itself is read once more.", vm: aCheck(asked), wall: ssh, read: true, want: FirewallPlan{Kept: map[string]bool{"firewall-rules-vm": true}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{
				Machine: &machine.Machine{
					Identity: me, NICs: []machine.NIC{{}}, Power: v1alpha1.PowerRunning, Firewall: tc.wall, Adopt: &v1alpha1.Adopt{VMID: 153},
				},
				Owner: Owner{Composite: "dns01", Namespace: "infra"}, Roles: Roles{Active: FirstVM}, Observed: proxmox.State{VMs: vms{FirstVM: tc.vm}},
			}

			if tc.read {
				o := proxmox.ObservedFirewallRules{}
				o.Spec.ManagementPolicies = proxmox.ObserveOnly()
				o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "vm/pve/153"}
				r.Observed.Firewalls.Rules = map[string]proxmox.ObservedFirewallRules{"firewall-rules-vm": o}
			}

			got := Decide(Assess(r), Description{Parameters: proxmox.VMParameters{NodeName: "pve"}}).Firewall
			if len(got.Kept) == 0 {
				got.Kept = nil
			}

			if diff := cmp.Diff(tc.want, FirewallPlan{Found: got.Found, Kept: got.Kept}); diff != "" {
				t.Errorf("%s\nDecide(): -want, +got:\n%s", tc.reason, diff)
			}

			if (got.Rules != nil) != (tc.want.Found.ImportName != "") {
				t.Errorf("%s\nDecide(): rules %+v", tc.reason, got.Rules)
			}
		})
	}
}

// TestDecideOrder: what a plan says last: interfaces stay outside of a firewall that is not there, and a Plan that nobody wants any more leaves.
func TestDecideOrder(t *testing.T) {
	stays := aPlan(nextRelease)
	stays.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionOrphans)

	ssh := &machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "22"}}}
	outside := []proxmox.NetworkDevice{{Bridge: "vmbr0", Firewall: new(false)}}
	inside := []proxmox.NetworkDevice{{Bridge: "vmbr0", Firewall: new(true)}}
	vm := settledVM(func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.NetworkDevice = outside })

	r := Request{
		Machine: &machine.Machine{Identity: me, NICs: []machine.NIC{{}}, Power: v1alpha1.PowerRunning, Firewall: ssh},
		Roles:   Roles{Active: FirstVM}, Observed: proxmox.State{VMs: vms{FirstVM: vm}}, Objects: Objects{Plan: stays},
	}
	p := Decide(Assess(r), Description{Parameters: proxmox.VMParameters{NetworkDevice: inside}})

	if diff := cmp.Diff(outside, p.Steps[FirstVM].Parameters.NetworkDevice); diff != "" {
		t.Errorf("Decide(), interfaces: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(&UpgradePlan{Release: nextRelease, Effect: PlanLeaves}, p.Upgrade.Plan); diff != "" {
		t.Errorf("Decide(), Plan: -want, +got:\n%s", diff)
	}
}

// TestLeavingPlan: a Plan that would stay in its cluster is told to leave, once.
func TestLeavingPlan(t *testing.T) {
	stays, leaves := aPlan(nextRelease), aPlan(nextRelease)
	stays.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionOrphans)
	leaves.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)

	for name, tc := range map[string]struct {
		plan *object.ObservedPlan
		want *UpgradePlan
	}{
		"None": {}, "Leaves": {plan: leaves}, "Stays": {plan: stays, want: &UpgradePlan{Release: nextRelease, Effect: PlanLeaves}},
	} {
		if diff := cmp.Diff(tc.want, leavingPlan(tc.plan)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

// TestTurnHolds: a turn holds the outages that it names, and no other one.
func TestTurnHolds(t *testing.T) {
	turn := Turn{Held: []Outage{OutageMigration}}

	for name, tc := range map[string]struct {
		turn Turn
		asks []Outage
		want bool
	}{
		"None": {asks: []Outage{OutageMigration}}, "Held": {turn, []Outage{OutageReboot, OutageMigration}, true}, "Other": {turn, []Outage{OutageReboot}, false},
	} {
		if got := tc.turn.Holds(tc.asks...); got != tc.want {
			t.Errorf("%s: Holds(): got %t", name, got)
		}
	}
}

// TestTrial: a candidate stays one until it runs, answers, and is filtered as claimed.
func TestTrial(t *testing.T) {
	filters := func(s *Situation) {
		s.Machine.Firewall = &machine.Firewall{Enabled: true, Rules: []machine.FirewallRule{{Protocol: "tcp", Port: "22"}}}
	}

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		edit   func(s *Situation)
		want   trial
	}{
		"First":   {reason: "It replaces none.", vm: settledVM(off), edit: func(s *Situation) { s.Roles = Roles{Active: newVM} }},
		"Off":     {reason: "It has not booted.", vm: settledVM(off), want: trialUnderWay},
		"Runs":    {reason: "It is ready.", vm: settledVM()},
		"Open":    {reason: "It has no firewall yet.", vm: settledVM(), edit: filters, want: trialUnderWay},
		"Looking": {reason: "It is a look at a VMID.", vm: settledVM(observeOnly), want: trialUnderWay},
	} {
		t.Run(name, func(t *testing.T) {
			s := replacing(settledVM(), func(s *Situation) { s.Observed.VMs[newVM] = tc.vm })
			if tc.edit != nil {
				tc.edit(s)
			}

			if got := Assess(s.Request).trial; got != tc.want {
				t.Errorf("%s\nAssess(): got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
