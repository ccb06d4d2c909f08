package status

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

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

// conditions has the condition on waves, where the claim has a group, or had one.
func (w *waveReport) conditions() []Condition {
	c := Condition{Type: TypeRolloutFinished, Status: Truth(false)}

	if w.machine.Rollout == nil {
		if meta.FindStatusCondition(w.before.Conditions, TypeRolloutFinished) == nil {
			return nil
		}

		return []Condition{{Type: TypeRolloutFinished, Status: Truth(true), Reason: ReasonNoGroup, Message: "spec.rollout names no group."}}
	}

	place := fmt.Sprintf("wave %d of group %s", w.machine.Rollout.Wave, w.machine.Rollout.Group)

	switch w.plan.Turn.State {
	case v1alpha1.WaveFinished:
		c.Status, c.Reason = Truth(true), ReasonFinished
		c.Message = "The machine is finished, in " + place + ": nothing waits, and the VM is as claim and catalogue describe it."
	case v1alpha1.WaveWaiting:
		c.Reason = ReasonWaitingForWave
		c.Message = fmt.Sprintf("%s is in %s. %s Until then it does not restart or move, and is not replaced. To begin in spite of that, remove spec.rollout.",
			w.vm.title(), place, waitsForWave(w.plan.Turn.Decision.Blocker))
	case v1alpha1.WaveAnnounced:
		c.Reason, c.Message = ReasonRollingOut, "It is the turn of "+w.vm.title()+", in "+place+". "+waitsForWave(lifecycle.Blocker{})
	case v1alpha1.WaveBegun:
		c.Reason = ReasonRollingOut
		c.Message = "The VM restarts, moves or is replaced, or is not back yet, in " + place + ". The other waves wait until it is back."
	case v1alpha1.WaveUnfinished:
		c.Reason = ReasonNotFinished
		c.Message = w.lack() + " Higher waves than " + place + " wait for this machine."
	}

	return []Condition{c}
}

// lack says what keeps the machine from being finished.
func (w *waveReport) lack() string {
	switch w.plan.Turn.Lacks {
	case lifecycle.WaveLacksChange:
		return "A change waits or is being carried out: the other conditions say which."
	case lifecycle.WaveLacksNode:
		return "The VM is not known to be in its K3s cluster: condition " + TypeNodeJoined + " or " + TypeNodeReady + " has the details."
	case lifecycle.WaveLacksConvergence:
		return "The guest has not reported that it converged: condition " + TypeConverged + " has the details."
	case lifecycle.WaveLacksVM, lifecycle.WaveLacksNothing:
	}

	return "The VM is not there yet, or does not run or answer, or the provider has not written everything: condition " + TypeMachineReady + " has the details."
}

// whyWave says why a machine waits for another one of its group.
func whyWave(w lifecycle.WaveWait) string {
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
		lifecycle.WaveAway:        "restarts, moves or is replaced",
		lifecycle.WaveAbout:       "is about to begin",
	}[w.Reason]
}

// waitsForWave says what an outage of a machine of a group waits for.
func waitsForWave(b lifecycle.Blocker) string {
	if len(b.Waves) == 0 {
		return "It is announced to the other machines of its group, and begins when none of them has to come first."
	}

	var out []string
	for _, w := range b.Waves {
		out = append(out, fmt.Sprintf("%s of wave %d (%s)", w.Machine, w.Wave, whyWave(w)))
	}

	return "It waits for other machines of its group: " + strings.Join(limited(out), ", ") + "."
}

// WaveSentence says what a planned outage waits for, where it waits for other machines of its group.
func WaveSentence(plan *lifecycle.Plan) string { return waitsForWave(plan.Turn.Decision.Blocker) }

// status is the machine's place for the other machines of the group to see; nil without a group.
func (w *waveReport) status() *v1alpha1.WaveStatus {
	turn := w.plan.Turn
	if turn.State == "" {
		return nil
	}

	out := &v1alpha1.WaveStatus{
		State: turn.State, Revision: w.machine.Rollout.Revision, Claim: w.plan.Intent, Catalogue: w.plan.Rollout.Catalogue, BootID: turn.BootID,
	}

	// What has begun is about the claim and the catalogue with which it began: so an edit that comes meanwhile is known as one when the VM is back.
	if before := w.before.Rollout; turn.Earlier && before != nil {
		out.Revision, out.Claim, out.Catalogue = before.Revision, before.Claim, before.Catalogue
	}

	if turn.State == v1alpha1.WaveWaiting {
		for _, b := range turn.Decision.Blocker.Waves {
			out.WaitsFor = append(out.WaitsFor, b.Machine)
		}
	}

	return out
}
