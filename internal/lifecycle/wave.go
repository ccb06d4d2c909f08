package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
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
	Members []OtherMember
}

// An OtherMember is another machine of the group.
type OtherMember struct {
	Machine string
	// Wave and Revision are those of its claim as it is now.
	Wave     int64
	Revision string
	// State that its status has, of the claim and the catalogue with these hashes, which are empty for none. Intent is the hash of the claim as it is now.
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

// isHeldByWaves says whether an outage waits for other waves. A stop does not, since nothing comes after it that could fail and that somebody would
// want to see before the next wave; nor does a drain that a claim asks for by itself. K3s is upgraded in place without a restart of the VM, node
// by node, in an order of the whole cluster that waves could contradict.
func (o Outage) isHeldByWaves() bool {
	return o == OutageReboot || o == OutagePowerCycle || o == OutageMigration || o == OutageReplacement
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
func (m OtherMember) holds(own v1alpha1.MachineRollout, catalogue string) WaveWait {
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
	case m.Claim != m.Intent || m.Catalogue != catalogue:
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

// A WavePresence says whether the guest of a member is there, as far as the outages go that waves hold.
type WavePresence string

// The presences.
const (
	WavePresent WavePresence = ""
	// WaveAbsent: the guest is away for an outage that has begun, or is about to be and cannot go back; or it is not back from what was begun in an earlier call.
	WaveAbsent WavePresence = "Absent"
)

// WaveFacts are what has to be known of the member of a group that a call is about, before its outages are decided.
type WaveFacts struct {
	// Place in its group; nil for none.
	Place    *v1alpha1.MachineRollout
	Group    Rollout
	Presence WavePresence
}

// A WaveProgress says whether an outage begins with a call.
type WaveProgress string

// The progresses.
const (
	WaveStands WaveProgress = ""
	// WaveBegins: an outage begins, or goes on, with this call.
	WaveBegins WaveProgress = "Begins"
)

// A WaveOutcome is what a call has decided, as far as the state depends on it that the other members of the group see.
type WaveOutcome struct {
	// Turn as far as it was decided with the outages.
	Turn     Turn
	Progress WaveProgress
	// Blocker of a replacement that is asked for and has not begun; zero for none.
	Blocker Blocker
	// Lacks is what keeps the member from being finished, where it is neither away nor waits for others.
	Lacks WaveLack
	// BootID that the member's Node had before the restart that has begun with this call, or with an earlier one; empty where nobody read it.
	BootID string
}

// Take those of some outages that may begin with this call, as far as other waves go; the turn has the others. What has begun never waits in the middle of it.
func (f WaveFacts) Take(wanted []Outage) ([]Outage, Turn) {
	if f.Place == nil || f.Presence == WaveAbsent || !slices.ContainsFunc(wanted, Outage.isHeldByWaves) {
		return wanted, Turn{}
	}

	var turn Turn

	if !f.Group.Known {
		turn.AsksGroup, turn.Decision = true, Decision{Permission: PermissionAwaited}
	} else {
		turn.Decision = CheckWave(*f.Place, f.Group)
	}

	if turn.Decision.Permission == PermissionGranted {
		return wanted, turn
	}

	turn.Held = slices.DeleteFunc(slices.Clone(wanted), func(o Outage) bool { return !o.isHeldByWaves() })

	return slices.DeleteFunc(slices.Clone(wanted), Outage.isHeldByWaves), turn
}

// Settle the turn, after everything else is decided: it has the state that the other members of the group see.
func (f WaveFacts) Settle(o WaveOutcome) Turn {
	turn := o.Turn
	if f.Place == nil {
		return turn
	}

	turn.State = v1alpha1.WaveUnfinished

	switch {
	case f.Presence == WaveAbsent, o.Progress == WaveBegins:
		turn.State = v1alpha1.WaveBegun
	case o.Blocker.Reason == BlockedByWave:
		turn.Decision = refuse(o.Blocker)
		turn.State = waits(len(o.Blocker.Waves) > 0)
	case len(turn.Held) > 0:
		turn.State = waits(turn.Decision.Permission == PermissionRefused)
	case turn.Decision.Permission == PermissionGranted:
		// It is its turn, and something else keeps it from beginning, for instance the quorum of its K3s cluster.
		turn.State = v1alpha1.WaveAnnounced
	default:
		if turn.Lacks = o.Lacks; turn.Lacks == WaveLacksNothing {
			turn.State = v1alpha1.WaveFinished
		}
	}

	if turn.State == v1alpha1.WaveBegun {
		turn.BootID = o.BootID
		turn.Earlier = f.Group.Before == v1alpha1.WaveBegun && f.Group.Edited && turn.Decision.Permission != PermissionGranted
	}

	return turn
}

// waits is the state of a member with outages that may not begin.
func waits(forOthers bool) v1alpha1.WaveState {
	if forOthers {
		return v1alpha1.WaveWaiting
	}

	return v1alpha1.WaveAnnounced
}
