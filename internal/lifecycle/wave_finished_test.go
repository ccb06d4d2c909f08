package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestLacks: what keeps a machine of a group from being finished. A plan with nothing to do is edited in each case.
func TestLacks(t *testing.T) {
	agent := func(p *Plan) {
		p.Machine.K3s = &machine.K3s{Role: v1alpha1.K3sAgent, Cluster: "home"}
	}
	nodeRead := func(p *Plan) {
		agent(p)
		p.Node = ReadNode{Name: "web"}
	}
	nixos := func(p *Plan) {
		p.Machine.Nix, p.Machine.Boot.OS = &machine.Nix{}, machine.OSNixOS
	}
	written := func(edit func(s *Step)) func(p *Plan) {
		return func(p *Plan) {
			s := p.Steps[FirstVM]
			edit(&s)
			p.Steps[FirstVM] = s
		}
	}
	observed := func(edits ...func(vm *proxmox.ObservedVM)) func(p *Plan) {
		return func(p *Plan) { p.vm = settledVM(edits...) }
	}
	note := func(key, value string) func(p *Plan) {
		return observed(func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[key] = value })
	}
	poweredOff := func(p *Plan) {
		observed(off, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = false })(p)
		written(func(s *Step) { s.Power.Started, s.Parameters.Started = false, false })(p)
	}

	cases := map[string]struct {
		reason string
		edits  []func(p *Plan)
		want   WaveLack
	}{
		"Nothing":  {reason: "The VM is as its claim says."},
		"Absent":   {reason: "There is no VM yet.", edits: []func(p *Plan){func(p *Plan) { p.State = StateAbsent }}, want: WaveLacksVM},
		"Creating": {reason: "Nobody has seen the VM.", edits: []func(p *Plan){func(p *Plan) { p.State = StateCreating }}, want: WaveLacksVM},

		"Replacement": {reason: "Something keeps the replacement from beginning.", edits: []func(p *Plan){func(p *Plan) { p.Roles.Trigger = "a" }}, want: WaveLacksChange},
		"Approval":    {reason: "The edit waits for a person.", edits: []func(p *Plan){func(p *Plan) { p.Approval.Consent = ConsentAwaited }}, want: WaveLacksChange},
		"OtherPlan":   {reason: "The person approved another plan.", edits: []func(p *Plan){func(p *Plan) { p.Approval.Consent = ConsentOtherPlan }}, want: WaveLacksChange},
		"Approved":    {reason: "What was approved begins with this call: an edit of the firewall alone shows nowhere else.", edits: []func(p *Plan){func(p *Plan) { p.Approval.Consent = ConsentGiven }}, want: WaveLacksChange},
		"NoApproval":  {reason: "Nothing had to be approved.", edits: []func(p *Plan){func(p *Plan) { p.Approval.Consent = ConsentNotNeeded }}},
		"Pending":     {reason: "A change waits for a power cycle.", edits: []func(p *Plan){func(p *Plan) { p.Pending = []change.Change{{}} }}, want: WaveLacksChange},
		"StopRefused": {reason: "The server is to stop, and its cluster needs it: it runs on, which is not what the claim says.", edits: []func(p *Plan){func(p *Plan) {
			p.Outage = PlannedOutage{Wanted: []Outage{OutageStop}, Decision: refuse(Blocker{Reason: BlockedByQuorum})}
		}}, want: WaveLacksChange},
		"StopAwaited": {reason: "The other servers have not seen the announcement.", edits: []func(p *Plan){func(p *Plan) {
			p.Outage = PlannedOutage{Wanted: []Outage{OutageStop}, Decision: Decision{Permission: PermissionAwaited}}
		}}, want: WaveLacksChange},
		"Firewall":     {reason: "The provider writes the rules: without them the guest stands open.", edits: []func(p *Plan){func(p *Plan) { p.Firewall.Stage = FirewallAccepting }}, want: WaveLacksChange},
		"Unfiltered":   {reason: "The firewall is switched off, and its rules go then.", edits: []func(p *Plan){func(p *Plan) { p.Firewall.Stage = FirewallLeaving }}, want: WaveLacksChange},
		"Filtered":     {reason: "The firewall is as claimed.", edits: []func(p *Plan){func(p *Plan) { p.Firewall.Stage = FirewallApplied }}},
		"HA":           {reason: "The provider adds the VM to HA.", edits: []func(p *Plan){func(p *Plan) { p.Availability.Stage = HAPending }}, want: WaveLacksChange},
		"NoHA":         {reason: "The VM cannot enter HA, which is refused and not under way.", edits: []func(p *Plan){func(p *Plan) { p.Availability.Stage = HABlocked }}},
		"InHA":         {reason: "The HA manager has the VM.", edits: []func(p *Plan){func(p *Plan) { p.Availability.Stage = HAManaged }}},
		"Upgrade":      {reason: "K3s is being upgraded.", edits: []func(p *Plan){func(p *Plan) { p.Upgrade.State = UpgradeWaiting }}, want: WaveLacksChange},
		"DrainWanted":  {reason: "A drain is asked for, and cannot begin.", edits: []func(p *Plan){func(p *Plan) { p.Drain.Wanted = true }}, want: WaveLacksChange},
		"DrainedSince": {reason: "The Node is cordoned.", edits: []func(p *Plan){note(proxmox.DrainAnnotation, "1 Drained")}, want: WaveLacksChange},
		"Uncordoned":   {reason: "The drain is over.", edits: []func(p *Plan){note(proxmox.DrainAnnotation, "1 None")}},
		"Join":         {reason: "Nobody said that the server has joined.", edits: []func(p *Plan){written(func(s *Step) { s.Join.Awaited = "a" })}, want: WaveLacksChange},

		"Written":   {reason: "This call changes the VM.", edits: []func(p *Plan){written(func(s *Step) { s.Parameters.Tags = []string{"new"} })}, want: WaveLacksVM},
		"Starts":    {reason: "The VM is to run, and does not.", edits: []func(p *Plan){observed(off)}, want: WaveLacksVM},
		"Stops":     {reason: "The VM is to be stopped, and runs.", edits: []func(p *Plan){written(func(s *Step) { s.Power.Started = false })}, want: WaveLacksVM},
		"NotSynced": {reason: "The provider could not write everything.", edits: []func(p *Plan){observed(reports("Synced", "False", "ReconcileError"))}, want: WaveLacksVM},
		"PowerOfIt": {reason: "The step has the VM's power apart: its parameters may say something else.", edits: []func(p *Plan){written(func(s *Step) { s.Parameters.Started = false })}},

		"Stopped":      {reason: "It is as its claim says.", edits: []func(p *Plan){poweredOff}},
		"StoppedAgent": {reason: "Nobody waits for the Node of a VM that is to be stopped.", edits: []func(p *Plan){nodeRead, poweredOff}},
		"StoppedNixOS": {reason: "Nor for its convergence.", edits: []func(p *Plan){nixos, poweredOff}},

		"NotJoined":    {reason: "No Node is the VM.", edits: []func(p *Plan){nodeRead}, want: WaveLacksNode},
		"NotReported":  {reason: "Nobody reads Nodes, and the guest reports nothing.", edits: []func(p *Plan){agent}},
		"Joining":      {reason: "The guest reports that it has not joined yet.", edits: []func(p *Plan){agent, observed(reporting("k3s-waiting"))}, want: WaveLacksNode},
		"Joined":       {reason: "The guest reports that it has.", edits: []func(p *Plan){agent, observed(reporting("k3s-joined"))}},
		"NotConverged": {reason: "The guest has not reported yet.", edits: []func(p *Plan){nixos}, want: WaveLacksConvergence},
		"Converged":    {reason: "The guest has reported.", edits: []func(p *Plan){nixos, observed(reporting("nix-ok-3f9a0c"))}},
		"Silent":       {reason: "The guest reports nothing by its claim.", edits: []func(p *Plan){nixos, func(p *Plan) { p.Machine.Silent = true }}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			vm := settledVM()
			p := &Plan{
				Situation: Situation{Request: Request{Machine: &machine.Machine{}, Roles: Roles{Active: FirstVM}}, State: StateLiving, vm: vm},
				Steps:     map[string]Step{FirstVM: {Action: ActionFollow, Parameters: vm.Spec.ForProvider, Power: Power{Started: true}}},
			}

			for _, edit := range tc.edits {
				edit(p)
			}

			if got := (waver{&p.Situation}).lacks(p.outcome()); got != tc.want {
				t.Errorf("%s\nlacks(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestGoesOn: whether a replacement belongs to an outage that has begun, by what the machine said before and by its VM.
func TestGoesOn(t *testing.T) {
	note := func(key, value string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[key] = value }
	}
	replacing := note(proxmox.ReplacingAnnotation, "a")
	draining := note(proxmox.DrainAnnotation, "1 Draining")

	cases := map[string]struct {
		reason string
		before v1alpha1.WaveState
		vm     proxmox.ObservedVM
		want   bool
	}{
		"Runs":      {reason: "Nothing has begun.", before: v1alpha1.WaveFinished, vm: settledVM()},
		"Announced": {reason: "The outage may still be refused.", before: v1alpha1.WaveAnnounced, vm: settledVM(note(proxmox.OutageAnnotation, "Reboot announced"))},
		"Broken":    {reason: "The VM went down by itself: the others do not wait for it.", before: v1alpha1.WaveFinished, vm: settledVM(off)},
		"Back":      {reason: "The VM is back, and the next outage is another one.", before: v1alpha1.WaveBegun, vm: settledVM()},
		"NotBack":   {reason: "The VM does not come back from a migration, which leaves no mark on an agent.", before: v1alpha1.WaveBegun, vm: settledVM(off), want: true},

		"Restarts":       {reason: "The VM is away, although its machine was in no group when that began.", vm: settledVM(off, note(proxmox.StoppedForAnnotation, StoppedForRestart)), want: true},
		"K3sIsNotBack":   {reason: "The VM runs, and its server has not said that it is a member again.", before: v1alpha1.WaveBegun, vm: settledVM(note(proxmox.OutageAnnotation, "Reboot begun 1")), want: true},
		"Cycles":         {reason: "A power cycle is a restart.", vm: settledVM(note(proxmox.OutageAnnotation, "PowerCycle begun")), want: true},
		"Moves":          {reason: "The VM is on its way.", vm: settledVM(note(proxmox.OutageAnnotation, "Migration begun")), want: true},
		"IsReplaced":     {reason: "The VM was stopped for another replacement.", vm: settledVM(off, replacing, note(proxmox.StoppedForAnnotation, StoppedForReplacement)), want: true},
		"WillBeReplaced": {reason: "The replacement can still be refused.", vm: settledVM(replacing)},
		"Stops":          {reason: "Other waves do not wait for a stop.", vm: settledVM(note(proxmox.OutageAnnotation, "Stop begun"))},

		"DrainsAndIsReplaced": {reason: "Its pods are evicted for the replacement.", vm: settledVM(draining, replacing), want: true},
		"Drains":              {reason: "A drain alone is no outage.", vm: settledVM(draining)},
		"DrainedBefore":       {reason: "No Job evicts anything.", vm: settledVM(note(proxmox.DrainAnnotation, "1 Drained"), replacing)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := GoesOn(tc.before, tc.vm); got != tc.want {
				t.Errorf("%s\nGoesOn(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
