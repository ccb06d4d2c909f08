package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// inWave is dns01 in wave 2 of group edge, with a turn, after it was settled and finished.
func inWave(t *testing.T, turn lifecycle.Turn) Input {
	t.Helper()

	in := settled(t)
	in.Machine.Rollout = &v1alpha1.MachineRollout{Group: "edge", Wave: 2}
	in.Plan.Machine = in.Machine
	in.Plan.Intent, in.Plan.Rollout.Catalogue = "aaaaaaaaaa", "bbbbbbbbbb"
	in.Plan.Turn = lifecycle.Turn{State: v1alpha1.WaveFinished}
	in.Previous = after(Machine(in))
	in.Plan.Turn = turn

	return in
}

// waveScenarios are the moments of a machine of a group.
func waveScenarios() map[string]scenario {
	refused := lifecycle.Decision{Permission: lifecycle.PermissionRefused, Blocker: lifecycle.Blocker{Reason: lifecycle.BlockedByWave, Waves: []lifecycle.WaveWait{
		{Machine: "dns02", Wave: 1, Reason: lifecycle.WaveNotSeen},
		{Machine: "dns03", Wave: 1, Reason: lifecycle.WaveNotFinished},
		{Machine: "dns04", Wave: 1, Reason: lifecycle.WaveAlsoWaits},
		{Machine: "dns05", Wave: 3, Reason: lifecycle.WaveAway},
		{Machine: "dns06", Wave: 3, Reason: lifecycle.WaveAbout},
	}}}
	lagging := lifecycle.Decision{Permission: lifecycle.PermissionRefused, Blocker: lifecycle.Blocker{Reason: lifecycle.BlockedByWave, Waves: []lifecycle.WaveWait{
		{Machine: "files01", Wave: 1, Reason: lifecycle.WaveOtherRevision, Has: "2026-10", Wants: "2026-11"},
		{Machine: "files02", Wave: 1, Reason: lifecycle.WaveOtherRevision, Wants: "2026-11"},
	}}}

	const (
		waits = "It waits for other machines of its group: dns02 of wave 1 (its status is not about its current claim and the current catalogue yet, or one of " +
			"them has a fault), dns03 of wave 1 (is not finished: its condition RolloutFinished has the reason), dns04 of wave 1 (waits for its own turn), " +
			"dns05 of wave 3 (restarts, moves or is replaced), dns06 of wave 3 (is about to begin)."
		place   = "VM 153 on node pve is in wave 2 of group edge. "
		until   = " Until then it does not restart or move, and is not replaced. To begin in spite of that, remove spec.rollout."
		waiting = place + waits + until
		lags    = "It waits for other machines of its group: files01 of wave 1 (has spec.rollout.revision 2026-10, and is to have 2026-11), files02 of wave 1 " +
			"(has no spec.rollout.revision, and is to have 2026-11)."
		announced = "It is announced to the other machines of its group, and begins when none of them has to come first."
		higher    = " Higher waves than wave 2 of group edge wait for this machine."
	)

	of := func(reason string, turn lifecycle.Turn, waitsFor []string, change []Condition, events ...Event) scenario {
		return scenario{reason: reason, in: func(t *testing.T) Input { t.Helper(); return inWave(t, turn) }, want: Output{
			Status: made(func(s *v1alpha1.Status) {
				s.Rollout = &v1alpha1.WaveStatus{State: turn.State, WaitsFor: waitsFor, Claim: "aaaaaaaaaa", Catalogue: "bbbbbbbbbb"}
			}),
			Ready: readiness(true, true, true), Conditions: conditions(change...), Events: events,
		}}
	}
	lacks := func(reason string, lack lifecycle.WaveLack, message string) scenario {
		return of(reason, lifecycle.Turn{State: v1alpha1.WaveUnfinished, Lacks: lack}, nil,
			[]Condition{{"RolloutFinished", "False", "NotFinished", message + higher}})
	}

	left := of("The claim names no group any more.", lifecycle.Turn{}, nil, []Condition{{"RolloutFinished", "True", "NoGroup", "spec.rollout names no group."}})
	left.want.Status = made(func(*v1alpha1.Status) {})
	left.in = func(t *testing.T) Input {
		t.Helper()

		in := inWave(t, lifecycle.Turn{})
		in.Machine.Rollout = nil

		return in
	}

	begun := of("It was edited when it was away.", lifecycle.Turn{State: v1alpha1.WaveBegun, Earlier: true}, nil, []Condition{
		{"RolloutFinished", "False", "RollingOut", "The VM restarts, moves or is replaced, or is not back yet, in wave 2 of group edge. The other waves wait until it is back."},
	})
	begun.want.Status = made(func(s *v1alpha1.Status) {
		s.Rollout = &v1alpha1.WaveStatus{State: v1alpha1.WaveBegun, Revision: "2026-11", Claim: "eeeeeeeeee", Catalogue: "ffffffffff"}
	})
	begun.in = func(t *testing.T) Input {
		t.Helper()

		in := inWave(t, lifecycle.Turn{State: v1alpha1.WaveBegun, Earlier: true})
		in.Previous.Rollout = &v1alpha1.WaveStatus{State: v1alpha1.WaveBegun, Revision: "2026-11", Claim: "eeeeeeeeee", Catalogue: "ffffffffff"}
		in.Machine.Rollout.Revision = "2026-12"

		return in
	}

	revision := of("All is as the claim with a revision wants it.", lifecycle.Turn{State: v1alpha1.WaveFinished}, nil, []Condition{
		{"RolloutFinished", "True", "Finished", "The machine is finished, in wave 2 of group edge: nothing waits, and the VM is as claim and catalogue describe it."},
	})
	revision.want.Status = made(func(s *v1alpha1.Status) {
		s.Rollout = &v1alpha1.WaveStatus{State: v1alpha1.WaveFinished, Revision: "2026-11", Claim: "aaaaaaaaaa", Catalogue: "bbbbbbbbbb"}
	})
	revision.in = func(t *testing.T) Input {
		t.Helper()

		in := inWave(t, lifecycle.Turn{State: v1alpha1.WaveFinished})
		in.Machine.Rollout.Revision = "2026-11"

		return in
	}

	return map[string]scenario{
		"WaveRevision":   revision,
		"WaveBegunAgain": begun,
		"WaveOtherRevision": of("Claims of lower waves have not arrived.", lifecycle.Turn{State: v1alpha1.WaveWaiting, Decision: lagging, Held: []lifecycle.Outage{lifecycle.OutageReboot}},
			[]string{"files01", "files02"}, []Condition{
				{"RebootPending", "True", "WaitingForWave", "VM 153 on node pve is to be power-cycled, as spec.lifecycle requests, and waits. " + lags},
				{"RolloutFinished", "False", "WaitingForWave", place + lags + until},
			}, Event{Reason: "WaitingForWave", Message: place + lags + until}),
		"WaveFinished": of("Nothing waits.", lifecycle.Turn{State: v1alpha1.WaveFinished}, nil, []Condition{
			{"RolloutFinished", "True", "Finished", "The machine is finished, in wave 2 of group edge: nothing waits, and the VM is as claim and catalogue describe it."},
		}),
		"WaveWaiting": of("It waits, for each reason.", lifecycle.Turn{State: v1alpha1.WaveWaiting, Decision: refused, Held: []lifecycle.Outage{lifecycle.OutageReboot}},
			[]string{"dns02", "dns03", "dns04", "dns05", "dns06"}, []Condition{
				{"RebootPending", "True", "WaitingForWave", "VM 153 on node pve is to be power-cycled, as spec.lifecycle requests, and waits. " + waits},
				{"RolloutFinished", "False", "WaitingForWave", waiting},
			}, Event{Reason: "WaitingForWave", Message: waiting}),
		"WaveAnnounced": of("Its turn is next.", lifecycle.Turn{
			State: v1alpha1.WaveAnnounced, Decision: lifecycle.Decision{Permission: lifecycle.PermissionAwaited}, Held: []lifecycle.Outage{lifecycle.OutageReboot},
		}, nil, []Condition{
			{"RebootPending", "True", "WaitingForWave", "VM 153 on node pve is to be power-cycled, as spec.lifecycle requests, and waits. " + announced},
			{"RolloutFinished", "False", "RollingOut", "It is the turn of VM 153 on node pve, in wave 2 of group edge. " + announced},
		}),
		"WaveBegun": of("It is away.", lifecycle.Turn{State: v1alpha1.WaveBegun}, nil, []Condition{
			{"RolloutFinished", "False", "RollingOut", "The VM restarts, moves or is replaced, or is not back yet, in wave 2 of group edge. The other waves wait until it is back."},
		}),
		"WaveLacksVM": lacks("The VM is not as it should be.", lifecycle.WaveLacksVM,
			"The VM is not there yet, or does not run or answer, or the provider has not written everything: condition MachineReady has the details."),
		"WaveLacksChange":      lacks("Something waits.", lifecycle.WaveLacksChange, "A change waits or is being carried out: the other conditions say which."),
		"WaveLacksNode":        lacks("It is not in its cluster.", lifecycle.WaveLacksNode, "The VM is not known to be in its K3s cluster: condition NodeJoined or NodeReady has the details."),
		"WaveLacksConvergence": lacks("Its guest has not converged.", lifecycle.WaveLacksConvergence, "The guest has not reported that it converged: condition Converged has the details."),
		"WaveNoGroup":          left,
	}
}
