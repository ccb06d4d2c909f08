package status

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A waveReport is about the place of a machine in its group.
type waveReport struct {
	machine *machine.Machine
	plan    *lifecycle.Plan
	vm      *activeVM
	before  *v1alpha1.Status
}

// member is the machine in its group.
func (w *waveReport) member() WaveMember {
	return WaveMember{
		Place: w.machine.Rollout, Turn: w.plan.Turn, Intent: w.plan.Intent, Catalogue: w.plan.Rollout.Catalogue, Title: w.vm.title,
		Words: machinesInWaves(), Before: w.before.Rollout, Conditions: w.before.Conditions,
	}
}

// conditions has the condition on waves, where the claim has a group, or had one.
func (w *waveReport) conditions() []Condition { return WaveConditions(w.member()) }

// status is the machine's place for the other machines of the group to see; nil without a group.
func (w *waveReport) status() *v1alpha1.WaveStatus { return Wave(w.member()) }

// A WaveMember is a machine or a container in its group.
type WaveMember struct {
	Place             *v1alpha1.MachineRollout
	Turn              lifecycle.Turn
	Intent, Catalogue string
	// Title of the guest that there is: VM 153 on node pve.
	Title func() string
	Words WaveWords
	// Before is the member's place as its status has it now; nil for none.
	Before     *v1alpha1.WaveStatus
	Conditions []metav1.Condition
}

// WaveWords are the words for the members of a group of one kind.
type WaveWords struct {
	// Member of the group, and Members in the plural; Guest is what restarts.
	Member, Members, Guest string
	// Goes is what the guest does, and Not what it does not do.
	Goes, Not string
	// Unready says what keeps a guest from being finished, without what has the details.
	Unready string
}

// machinesInWaves are the words for machines.
func machinesInWaves() WaveWords {
	return WaveWords{
		Member: "machine", Members: "machines", Guest: "VM", Goes: "restarts, moves or is replaced", Not: "does not restart or move, and is not replaced",
		Unready: "The VM is not there yet, or does not run or answer, or the provider has not written everything",
	}
}

// ContainersInWaves are the words for containers.
func ContainersInWaves() WaveWords {
	return WaveWords{
		Member: "container", Members: "containers", Guest: "container", Goes: "restarts or is replaced", Not: "does not restart, and is not replaced",
		Unready: "The container is not there yet, or does not run, or the provider has not written everything",
	}
}

// WaveConditions has the condition on waves, where the claim has a group, or had one.
func WaveConditions(w WaveMember) []Condition {
	c := Condition{Type: TypeRolloutFinished, Status: Truth(false)}

	if w.Place == nil {
		if meta.FindStatusCondition(w.Conditions, TypeRolloutFinished) == nil {
			return nil
		}

		return []Condition{{Type: TypeRolloutFinished, Status: Truth(true), Reason: ReasonNoGroup, Message: "spec.rollout names no group."}}
	}

	place := fmt.Sprintf("wave %d of group %s", w.Place.Wave, w.Place.Group)

	switch w.Turn.State {
	case v1alpha1.WaveFinished:
		c.Status, c.Reason = Truth(true), ReasonFinished
		c.Message = "The " + w.Words.Member + " is finished, in " + place + ": nothing waits, and the " + w.Words.Guest + " is as claim and catalogue describe it."
	case v1alpha1.WaveWaiting:
		c.Reason = ReasonWaitingForWave
		c.Message = fmt.Sprintf("%s is in %s. %s Until then it %s. To begin in spite of that, remove spec.rollout.",
			w.Title(), place, w.Words.Waits(w.Turn.Decision.Blocker), w.Words.Not)
	case v1alpha1.WaveAnnounced:
		c.Reason, c.Message = ReasonRollingOut, "It is the turn of "+w.Title()+", in "+place+". "+w.Words.Waits(lifecycle.Blocker{})
	case v1alpha1.WaveBegun:
		c.Reason = ReasonRollingOut
		c.Message = "The " + w.Words.Guest + " " + w.Words.Goes + ", or is not back yet, in " + place + ". The other waves wait until it is back."
	case v1alpha1.WaveUnfinished:
		c.Reason = ReasonNotFinished
		c.Message = w.lack() + " Higher waves than " + place + " wait for this " + w.Words.Member + "."
	}

	return []Condition{c}
}

// lack says what keeps the member from being finished.
func (w WaveMember) lack() string {
	switch w.Turn.Lacks {
	case lifecycle.WaveLacksChange:
		return "A change waits or is being carried out: the other conditions say which."
	case lifecycle.WaveLacksNode:
		return "The VM is not known to be in its K3s cluster: condition " + TypeNodeJoined + " or " + TypeNodeReady + " has the details."
	case lifecycle.WaveLacksConvergence:
		return "The guest has not reported that it converged: condition " + TypeConverged + " has the details."
	case lifecycle.WaveLacksVM, lifecycle.WaveLacksNothing:
	}

	return w.Words.Unready + ": condition " + TypeMachineReady + " has the details."
}

// why a member waits for another one of its group.
func (words WaveWords) why(w lifecycle.WaveWait) string {
	switch {
	case w.Reason == lifecycle.WaveOtherRevision && w.Has == "":
		return "has no spec.rollout.revision, and is to have " + w.Wants
	case w.Reason == lifecycle.WaveOtherRevision:
		return "has spec.rollout.revision " + message.Excerpt(w.Has) + ", and is to have " + w.Wants
	}

	return map[lifecycle.WaveReason]string{
		lifecycle.WaveNotSeen:     "its status is not about its current claim and the current catalogue yet, or one of them has a fault",
		lifecycle.WaveNotFinished: "is not finished: its condition " + TypeRolloutFinished + " has the reason",
		lifecycle.WaveAlsoWaits:   "waits for its own turn",
		lifecycle.WaveAway:        words.Goes,
		lifecycle.WaveAbout:       "is about to begin",
	}[w.Reason]
}

// Waits says what an outage of a member of a group waits for, in a sentence.
func (words WaveWords) Waits(b lifecycle.Blocker) string {
	if len(b.Waves) == 0 {
		return "It is announced to the other " + words.Members + " of its group, and begins when none of them has to come first."
	}

	var out []string
	for _, w := range b.Waves {
		out = append(out, fmt.Sprintf("%s of wave %d (%s)", w.Machine, w.Wave, words.why(w)))
	}

	return "It waits for other " + words.Members + " of its group: " + strings.Join(limited(out), ", ") + "."
}

// waitsForWave says what an outage of a machine of a group waits for.
func waitsForWave(b lifecycle.Blocker) string { return machinesInWaves().Waits(b) }

// WaveSentence says what a planned outage waits for, where it waits for other machines of its group.
func WaveSentence(plan *lifecycle.Plan) string { return waitsForWave(plan.Turn.Decision.Blocker) }

// Wave is the member's place for the others of the group to see; nil without a group.
func Wave(w WaveMember) *v1alpha1.WaveStatus {
	turn := w.Turn
	if turn.State == "" {
		return nil
	}

	out := &v1alpha1.WaveStatus{State: turn.State, Revision: w.Place.Revision, Claim: w.Intent, Catalogue: w.Catalogue, BootID: turn.BootID}

	// What has begun is about the claim and the catalogue with which it began: so an edit that comes meanwhile is known as one when the guest is back.
	if before := w.Before; turn.Earlier && before != nil {
		out.Revision, out.Claim, out.Catalogue = before.Revision, before.Claim, before.Catalogue
	}

	if turn.State == v1alpha1.WaveWaiting {
		for _, b := range turn.Decision.Blocker.Waves {
			out.WaitsFor = append(out.WaitsFor, b.Machine)
		}
	}

	return out
}
