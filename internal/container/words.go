package container

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A StepAction is what a step does with the container, in one word.
type StepAction string

// The actions of steps.
const (
	StepChanges StepAction = "Changes" // Or waits, as its words say.
	StepCreates StepAction = "Creates"
	StepCycles  StepAction = "Cycles" // It is stopped or started because somebody asked for a restart.
	StepKeeps   StepAction = "Keeps"
	StepChecks  StepAction = "Checks"
	StepAdopts  StepAction = "Adopts"
	// StepReplaces: another container is to take its place, from the announcement on until it is gone.
	StepReplaces StepAction = "Replaces"
)

// A Step is what this call does with the container, for a plan that people read.
type Step struct {
	Resource string // As people call it.
	Action   StepAction
	Words    []string
	Changes  []change.Change // With the effects of package change: what waits for a restart needs one.
}

// Step is the plan in words.
func (p Plan) Step() Step {
	s := Step{Resource: fmt.Sprintf("container %d", p.vmID()), Action: stepActionOf(p)}

	switch {
	case p.Adoption != nil:
		s.Changes = asPlanned(p.Adoption.Changes, false)
	case p.Action == ActionFollow && (p.Approval.Waits() || p.Replacement != nil):
		s.Changes = p.Approval.Changes
	case p.Action == ActionFollow:
		c := p.comparison(p.Observed.Containers[p.Guest])
		s.Changes = asPlanned(c.changes(), p.Power.Phase.TakesChanges() && !p.Power.Phase.Restarts())

		if !p.Power.Phase.Restarts() {
			s.Changes = append(s.Changes, powerChange(c.has.Started, p.Parameters.Started)...)
		}
	}

	s.Changes = change.AsTyped(s.Changes, p.Container.Typed)

	if len(p.Firewall.Changes) > 0 {
		s.Changes = append(s.Changes, p.Firewall.Changes...)
	}

	// Nobody has reached a container before it runs for the first time.
	if isNew := p.Power.Phase == PowerFirstStart || proxmox.CreatingIn(p.Observed.Containers[p.Guest].Metadata.Metadata); !isNew {
		for _, c := range p.Firewall.Closes {
			s.Words = append(s.Words, "no longer reached: "+c)
		}
	}

	s.Words = append(s.Words, replacementWords(p)...)

	if p.Turn.Holds(lifecycle.OutageReboot) {
		s.Words = append(s.Words, "waits for its wave: "+waveSentence(p), "in its turn: the provider stops the container and starts it again, as spec.lifecycle requests")
	}

	if w := p.PoolAddress.Words(); w != "" {
		s.Words = append(s.Words, w)
	}

	if a := p.Shares; a != nil {
		s.Words = append(s.Words, a.Waits())
	}

	if p.Action == ActionCheck {
		s.Words = append(s.Words, "the provider looks whether a VM or a container has the VMID")

		for _, name := range p.Waiting {
			s.Words = append(s.Words, "waits for "+name)
		}
	}

	return s
}

// stepActionOf a plan is what its step does in one word. A container that stays as it is changes nevertheless if its firewall does.
func stepActionOf(p Plan) StepAction {
	keeps := p.Action == ActionKeep || p.Action == ActionFollow && !p.MayUpdate

	switch {
	case p.Action == ActionCreate:
		return StepCreates
	case p.Replacement.Begun():
		return StepReplaces
	case p.Power.Phase.Restarts():
		return StepCycles
	case keeps && len(p.Firewall.Changes) == 0:
		return StepKeeps
	case p.Action == ActionCheck:
		return StepChecks
	case p.Action == ActionAdopt:
		return StepAdopts
	}

	return StepChanges
}

// replacementWords are what becomes of the container that another one is to replace, and what waits for approval.
func replacementWords(p Plan) []string {
	var out []string

	if p.Replacement != nil {
		out = append(out, replacementCondition(p, nil).Message)
	}

	if p.Approval.Waits() {
		out = append(out, fmt.Sprintf("waits for approval of plan %s: %s", p.Approval.Hash, strings.Join(acts(p), "; ")))
	}

	return out
}

// asPlanned are changes with the effects of package change. A container that stops takes all of them at once.
func asPlanned(all []change.Change, atOnce bool) []change.Change {
	out := slices.Clone(all)

	for i, c := range out {
		if c.Effect == Restart {
			out[i].Effect = change.Reboot

			if atOnce {
				out[i].Effect = change.InPlace
			}
		}
	}

	return out
}

// powerChange is a start or a stop; nil where the container stays as it is.
func powerChange(runs, wanted bool) []change.Change {
	if runs == wanted {
		return nil
	}

	return []change.Change{{Field: "spec.power", Has: powerOf(runs), Wanted: powerOf(wanted), Effect: change.InPlace}}
}

func powerOf(started bool) string {
	if started {
		return string(v1alpha1.PowerRunning)
	}

	return string(v1alpha1.PowerStopped)
}
