package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Rollout is what is known of the group of machines that a machine is in, by spec.rollout.
type Rollout struct {
	// Catalogue is a hash of the catalogue of this call.
	Catalogue string
	// Before is the state that the machine's status has now, so that the other machines may have read it; empty for none.
	Before v1alpha1.WaveState
	// Edited says that Before is about another claim or another catalogue than those of this call.
	Edited bool
	// BootID is what the machine's Node had when the restart began that Before is about; empty where nobody read it.
	BootID string
	// Members are the other machines of the group, known only where they were asked for.
	Known   bool
	Members []WaveMember
}

// A WaveMember is another machine of the group.
type WaveMember struct {
	Machine string
	// Wave and Revision are those of its claim as it is now.
	Wave     int64
	Revision string
	// State that its status has, of the claim and the catalogue with these hashes. Intent is the hash of the claim as it is now.
	State            v1alpha1.WaveState
	Claim, Catalogue string
	Intent           string
}

// A WaveReason is why a machine waits for another one of its group.
type WaveReason string

// The reasons.
const (
	// WaveOtherRevision: the other machine is in a lower wave, and its claim has another revision, or none.
	WaveOtherRevision WaveReason = "OtherRevision"
	// WaveNotSeen: what the other machine says is about another claim or catalogue than there is now, or it has said nothing yet.
	WaveNotSeen WaveReason = "NotSeen"
	// WaveNotFinished: the other machine is in a lower wave, and is not finished.
	WaveNotFinished WaveReason = "NotFinished"
	// WaveAlsoWaits: the other machine is in a lower wave, and waits itself for a wave below it, or for its turn.
	WaveAlsoWaits WaveReason = "AlsoWaits"
	// WaveAway: the VM of the other machine restarts, moves or is replaced.
	WaveAway WaveReason = "Away"
	// WaveAbout: the other machine is in a higher wave, and has announced that it begins.
	WaveAbout WaveReason = "About"
)

// A WaveWait is a machine of the group that another one waits for.
type WaveWait struct {
	Machine string
	Wave    int64
	Reason  WaveReason
	// Has is the revision of the other machine's claim, empty for none, and Wants the one that it is to have, where the reason is WaveOtherRevision.
	Has, Wants string
}

// A WaveLack is what keeps a machine of a group from being finished, beside that it waits for others.
type WaveLack string

// The lacks.
const (
	WaveLacksNothing WaveLack = ""
	// WaveLacksVM: there is no VM yet, or the provider has not written everything, or the VM does not run or answer as it should.
	WaveLacksVM WaveLack = "VM"
	// WaveLacksChange: a change waits: for approval, for a power cycle, for a drain, for the K3s cluster; or it is being carried out, in the VM's
	// firewall and in HA, too.
	WaveLacksChange WaveLack = "Change"
	// WaveLacksNode: the VM is not known to be in its K3s cluster.
	WaveLacksNode WaveLack = "Node"
	// WaveLacksConvergence: the guest of a NixOS machine has not reported that it converged.
	WaveLacksConvergence WaveLack = "Convergence"
)

// A Turn is what a machine of a group does with its outages in this call.
type Turn struct {
	// State for the other machines of the group to see; empty for a machine without a group.
	State v1alpha1.WaveState
	// Lacks is why the state is Unfinished.
	Lacks WaveLack
	// Decision about what the claim asks for; zero where it asks for nothing.
	Decision Decision
	// Held are the outages that may not begin with this call.
	Held []Outage
	// Earlier says that the state is about the claim and the catalogue with which the machine began, and not about those of this call.
	Earlier bool
	// BootID is the next call's [Rollout.BootID].
	BootID string
	// AsksGroup says that the other machines are not known and have to be. Nothing may be done before.
	AsksGroup bool
}

// Holds says whether an outage of some kinds may not begin, because of other waves.
func (t Turn) Holds(outages ...Outage) bool {
	return slices.ContainsFunc(outages, func(o Outage) bool { return slices.Contains(t.Held, o) })
}

// inGroup says whether the machine is in a group.
func inGroup(m *machine.Machine) bool { return m != nil && m.Rollout != nil }

// isHeldByWaves says whether an outage waits for other waves. A stop does not, since nothing comes after it that could fail and that somebody would
// want to see before the next wave; nor does a drain that a claim asks for by itself. K3s is upgraded in place without a restart of the VM, node
// by node, in an order of the whole cluster that waves could contradict.
func (o Outage) isHeldByWaves() bool {
	return o == OutageReboot || o == OutagePowerCycle || o == OutageMigration
}

// CheckWave says whether a machine of a wave may begin an outage, as far as the other machines of its group speak against it: those of lower waves
// that are not finished, and those of higher waves that are away.
//
// Machines cannot see each other begin, since their composites are reconciled side by side. So each announces in its status that it is its
// turn, and begins in a later call. Whoever begins has read its own announcement, and with it everything that was written before: Crossplane reads the
// composite of a call and the composites that the function asks for, which are of the same kind, from one cache, and the second later than the
// first (see [Cluster.permit]). Say a lower wave L and a higher wave H begin together. H has read that L is finished, so before L announced; and L has
// read its own announcement, so also the one of H, which H had read before. But then L waits.
//
// What is finished is finished with the claim and the catalogue that there are: a machine's status says with hashes which of both it is about. A machine
// that has not been called since the catalogue was edited is not finished with it. Nobody can tell from a claim that an edit of it is on its way:
// only a revision, which a person writes into all claims of one commit, can.
//
// What has begun goes on, as long as it is about the claim and the catalogue with which it began. An edit that comes meanwhile asks anew: what it
// asks for is another outage. A machine that has begun needs no other announcement, since the others wait for it in the same way.
func CheckWave(own v1alpha1.MachineRollout, r Rollout) Decision {
	if r.Before == v1alpha1.WaveBegun && !r.Edited {
		return Decision{Permission: PermissionGranted}
	}

	var waits []WaveWait

	for _, m := range r.Members {
		if wait := m.holds(own, r.Catalogue); wait.Reason != "" {
			waits = append(waits, wait)
		}
	}

	slices.SortFunc(waits, func(a, b WaveWait) int { return cmp.Or(cmp.Compare(a.Wave, b.Wave), cmp.Compare(a.Machine, b.Machine)) })

	switch {
	case len(waits) > 0:
		return refuse(Blocker{Reason: BlockedByWave, Waves: waits})
	case r.Before != v1alpha1.WaveAnnounced && r.Before != v1alpha1.WaveBegun:
		return Decision{Permission: PermissionAwaited}
	}

	return Decision{Permission: PermissionGranted}
}

// holds says why a machine with a place in the group waits for this one; zero where it does not.
func (m WaveMember) holds(own v1alpha1.MachineRollout, catalogue string) WaveWait {
	wait := WaveWait{Machine: m.Machine, Wave: m.Wave}

	switch {
	case m.Wave == own.Wave:
	case m.State == v1alpha1.WaveBegun:
		wait.Reason = WaveAway
	case m.Wave > own.Wave && m.State == v1alpha1.WaveAnnounced:
		wait.Reason = WaveAbout
	case m.Wave > own.Wave:
	case own.Revision != "" && m.Revision != own.Revision:
		wait.Reason, wait.Has, wait.Wants = WaveOtherRevision, m.Revision, own.Revision
	case m.Claim == "" || m.Claim != m.Intent || m.Catalogue != catalogue:
		wait.Reason = WaveNotSeen
	case m.State == v1alpha1.WaveFinished:
	case m.State == v1alpha1.WaveUnfinished:
		wait.Reason = WaveNotFinished
	default:
		wait.Reason = WaveAlsoWaits
	}

	return wait
}

// RefuseForWave refuses a replacement that has not begun, because it is not the machine's turn. ok is false where it is.
func RefuseForWave(own v1alpha1.MachineRollout, r Rollout) (refused Decision, ok bool) {
	switch d := CheckWave(own, r); d.Permission {
	case PermissionRefused:
		return d, true
	case PermissionAwaited:
		return refuse(Blocker{Reason: BlockedByWave}), true
	case PermissionGranted, PermissionAnnounced:
	}

	return Decision{}, false
}

// An outcome is what this call has decided, as far as the state depends on it that the other machines of the group see.
type outcome struct {
	turn         Turn // As far as it was decided with the outages.
	outage       PlannedOutage
	drain        Drain
	upgrade      UpgradeState
	approval     Approval
	step         Step            // Of the active VM.
	pending      []change.Change // See [Plan].
	restarting   bool
	firewall     FirewallStage
	availability HAStage
}

// A waver decides when the outages of a machine of a group may begin.
type waver struct{ s *Situation }

// take those of some outages that may begin with this call, as far as other waves go; the turn has the others.
func (w waver) take(wanted []Outage) ([]Outage, Turn) {
	held := slices.DeleteFunc(slices.Clone(wanted), func(o Outage) bool { return !o.isHeldByWaves() })
	if !inGroup(w.s.Machine) || len(held) == 0 || w.away() || w.notBack() {
		return wanted, Turn{}
	}

	var turn Turn

	if !w.s.Rollout.Known {
		turn.AsksGroup, turn.Decision = true, Decision{Permission: PermissionAwaited}
	} else {
		turn.Decision = CheckWave(*w.s.Machine.Rollout, w.s.Rollout)
	}

	if turn.Decision.Permission == PermissionGranted {
		return wanted, turn
	}

	turn.Held = held

	return slices.DeleteFunc(slices.Clone(wanted), Outage.isHeldByWaves), turn
}

// away says whether the active VM is away for an outage that has begun. It never waits in the middle of it.
func (w waver) away() bool {
	return w.s.Replacing() || isAway(w.s.Observed.VMs[w.s.Roles.Active])
}

// GoesOn says whether a replacement belongs to an outage that has begun: the VM that it replaces is away, or not back. What is asked of such a VM may be what
// repairs it, while the other waves wait for it.
func GoesOn(before v1alpha1.WaveState, active proxmox.ObservedVM) bool {
	return isAway(active) || before == v1alpha1.WaveBegun && !isBack(active)
}

// isAway says whether a VM is away for an outage that has begun, as far as its managed resource says it, or is about to be and cannot go back.
func isAway(vm proxmox.ObservedVM) bool {
	has := announcementOf(vm)

	return has.Begun && (has.Outage == OutageReplacement || has.Outage.isHeldByWaves()) ||
		isDraining(vm) && vm.Metadata.Annotations[proxmox.ReplacingAnnotation] != ""
}

// settle the turn, after everything else is decided: it has the state that the other machines of the group see.
func (w waver) settle(o outcome) Turn {
	turn := o.turn
	if !inGroup(w.s.Machine) {
		return turn
	}

	turn.State = v1alpha1.WaveUnfinished

	switch b := w.s.Decision.Blocker; {
	case w.away(), o.begins(), w.notBack():
		turn.State = v1alpha1.WaveBegun
	case w.s.Roles.Trigger != "" && b.Reason == BlockedByWave:
		turn.Decision = refuse(b)
		turn.State = waits(len(b.Waves) > 0)
	case len(turn.Held) > 0:
		turn.State = waits(turn.Decision.Permission == PermissionRefused)
	case turn.Decision.Permission == PermissionGranted:
		// It is its turn, and something else keeps it from beginning, for instance the quorum of its K3s cluster.
		turn.State = v1alpha1.WaveAnnounced
	default:
		if turn.Lacks = w.lacks(o); turn.Lacks == WaveLacksNothing {
			turn.State = v1alpha1.WaveFinished
		}
	}

	if turn.State == v1alpha1.WaveBegun {
		turn.BootID = w.bootBefore(o.restarting)
		turn.Earlier = w.s.Rollout.Before == v1alpha1.WaveBegun && w.s.Rollout.Edited && turn.Decision.Permission != PermissionGranted
	}

	return turn
}

// waits is the state of a machine with outages that may not begin.
func waits(forOthers bool) v1alpha1.WaveState {
	if forOthers {
		return v1alpha1.WaveWaiting
	}

	return v1alpha1.WaveAnnounced
}

// begins says whether an outage begins, or goes on, with this call.
func (o outcome) begins() bool {
	granted := o.turn.Decision.Permission == PermissionGranted

	return o.restarting || granted && (!o.outage.Waits() || o.outage.Drains && o.drain.Memory.State == DrainRunning)
}

// notBack says whether the VM is not back from what was begun in an earlier call. The Node of an agent, or of the only server, stays Ready for some time
// after its VM has stopped, as that of a server does: its new boot ID says that it is back.
func (w waver) notBack() bool {
	from := announcementOf(w.s.vm)
	from.BootID = cmp.Or(from.BootID, w.s.Rollout.BootID)

	return w.s.Rollout.Before == v1alpha1.WaveBegun && w.s.State == StateLiving && !back(w.s, from)
}

// bootBefore is the boot ID that the VM's Node had when the restart began that has begun with this call, or with an earlier one.
func (w waver) bootBefore(restarting bool) string {
	switch {
	case restarting && w.s.vm.Metadata.Annotations[proxmox.StoppedForAnnotation] == "":
		return bootID(w.s, OutageReboot)
	case w.s.Rollout.Before == v1alpha1.WaveBegun:
		return w.s.Rollout.BootID
	}

	return ""
}

// lacks is what keeps the machine from being finished. A change that is refused does not: nobody carries it out. It is asked for the VM that is
// described and active in one, which follows its claim where it lives.
func (w waver) lacks(o outcome) WaveLack {
	// The step has the VM's power apart.
	has, wanted := w.s.vm.Spec.ForProvider, o.step.Parameters
	has.Started, wanted.Started = false, false

	switch changes := change.Compare(has, wanted); {
	case w.s.State != StateLiving:
		return WaveLacksVM
	case o.firewall.OnItsWay(), o.availability.OnItsWay(), w.s.Roles.Trigger != "", o.approval.Waits(), o.approval.Consent == ConsentGiven, len(o.pending) > 0, o.outage.Waits(),
		o.upgrade != UpgradeNone, o.drain.Wanted, ReadDrain(w.s.vm).State != DrainNone, o.step.Join.Awaited != "":
		return WaveLacksChange
	case len(changes) > 0, o.step.Power.Started != w.s.vm.Status.AtProvider.Started, !back(w.s, announcementOf(w.s.vm)):
		return WaveLacksVM
	case !o.step.Power.Started:
		return WaveLacksNothing
	case !w.joined():
		return WaveLacksNode
	case !w.converged():
		return WaveLacksConvergence
	}

	return WaveLacksNothing
}

// joined says whether a K3s node is in its cluster, as far as anybody reads that.
func (w waver) joined() bool {
	if w.s.Machine.K3s == nil {
		return true
	}

	if w.s.Node.Name != "" {
		return serves(w.s, w.s.Roles.Active)
	}

	says := K3sReport(w.s.vm).State

	return says == guestreport.K3sUnknown || says == guestreport.K3sJoined
}

// converged says whether a NixOS machine that reports it has converged since it booted.
func (w waver) converged() bool {
	if w.s.Machine.Nix == nil || w.s.Machine.Silent || w.s.Machine.Boot.OS != machine.OSNixOS {
		return true
	}

	says := NixReport(w.s.vm).State

	return says == guestreport.NixApplied || says == guestreport.NixRebootPending
}
