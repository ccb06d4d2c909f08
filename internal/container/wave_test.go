package container

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// TestTurn: what a container of wave 2 does with its restart, and what the others of its group see.
func TestTurn(t *testing.T) {
	held := []lifecycle.Outage{lifecycle.OutageReboot}
	waves := []lifecycle.WaveWait{{Machine: "other", Wave: 1, Reason: lifecycle.WaveNotFinished}}
	refused := lifecycle.Decision{Permission: lifecycle.PermissionRefused, Blocker: lifecycle.Blocker{Reason: lifecycle.BlockedByWave, Waves: waves}}
	granted, awaited := lifecycle.Decision{Permission: lifecycle.PermissionGranted}, lifecycle.Decision{Permission: lifecycle.PermissionAwaited}

	reboot := func(c *machine.Container) { c.Lifecycle.Reboot = "a" }
	group := func(before, below v1alpha1.WaveState) func(r *Request) {
		return func(r *Request) {
			r.Rollout = lifecycle.Rollout{Known: true, Before: before, Members: []lifecycle.OtherMember{{Machine: "other", Wave: 1, State: below, Claim: "a", Intent: "a"}}}
		}
	}
	marked := func(mark string, runs bool) func(o *proxmox.ObservedContainer) {
		return func(o *proxmox.ObservedContainer) {
			o.Metadata.Annotations[proxmox.StoppedForAnnotation] = mark
			o.Status.AtProvider.Started, o.Status.AtProvider.Parameters.Started = runs, runs
		}
	}

	cases := map[string]struct {
		reason   string
		claim    func(*machine.Container)
		observed func(*proxmox.ObservedContainer)
		request  func(*Request)
		started  bool
		want     lifecycle.Turn
	}{
		"Settled":   {reason: "Nothing is asked for.", started: true, want: lifecycle.Turn{State: v1alpha1.WaveFinished}},
		"NoGroup":   {reason: "It restarts at once.", claim: func(c *machine.Container) { reboot(c); c.Rollout = nil }, request: group("", v1alpha1.WaveUnfinished)},
		"AsksGroup": {reason: "The others are not known yet.", claim: reboot, started: true, want: lifecycle.Turn{State: v1alpha1.WaveAnnounced, AsksGroup: true, Decision: awaited, Held: held}},
		"Waits": {
			reason: "A lower wave is not finished.", claim: reboot, request: group(v1alpha1.WaveFinished, v1alpha1.WaveUnfinished), started: true,
			want: lifecycle.Turn{State: v1alpha1.WaveWaiting, Decision: refused, Held: held},
		},
		"Announces": {
			reason: "Others may begin in this moment.", claim: reboot, request: group(v1alpha1.WaveFinished, v1alpha1.WaveFinished), started: true,
			want: lifecycle.Turn{State: v1alpha1.WaveAnnounced, Decision: awaited, Held: held},
		},
		"Begins":      {reason: "It is its turn.", claim: reboot, request: group(v1alpha1.WaveAnnounced, v1alpha1.WaveFinished), want: lifecycle.Turn{State: v1alpha1.WaveBegun, Decision: granted}},
		"StopsStill":  {reason: "What has begun goes on.", claim: reboot, observed: marked(stoppedForRestart, true), request: group(v1alpha1.WaveBegun, v1alpha1.WaveUnfinished), want: lifecycle.Turn{State: v1alpha1.WaveBegun}},
		"StartsAgain": {reason: "It is never left stopped.", claim: reboot, observed: marked(stoppedForRestart, false), request: group(v1alpha1.WaveBegun, v1alpha1.WaveUnfinished), started: true, want: lifecycle.Turn{State: v1alpha1.WaveBegun}},
		"NotBack": {
			reason: "It was started, and is not seen to run.", observed: marked("", false), request: group(v1alpha1.WaveBegun, v1alpha1.WaveFinished), started: true,
			want: lifecycle.Turn{State: v1alpha1.WaveBegun},
		},
		"Stop": {
			reason: "A stop waits for nobody.", claim: func(c *machine.Container) { c.Power = v1alpha1.PowerStopped }, request: group("", v1alpha1.WaveUnfinished),
			want: lifecycle.Turn{State: v1alpha1.WaveUnfinished, Lacks: lifecycle.WaveLacksVM},
		},
		"Pending": {
			reason: "A change waits for a restart that nobody asks for.", claim: func(c *machine.Container) { c.MemoryMiB = 2048 }, started: true,
			want: lifecycle.Turn{State: v1alpha1.WaveUnfinished, Lacks: lifecycle.WaveLacksChange},
		},
		"Written": {
			reason: "The provider writes a change.", claim: func(c *machine.Container) { c.Tags = []string{"new"} }, started: true,
			want: lifecycle.Turn{State: v1alpha1.WaveUnfinished, Lacks: lifecycle.WaveLacksVM},
		},
		"Refused": {reason: "Nobody carries it out.", claim: func(c *machine.Container) { c.Placement.Node = "pve2" }, started: true, want: lifecycle.Turn{State: v1alpha1.WaveFinished}},
		"Unapproved": {
			reason: "It is announced when somebody has approved it.", claim: func(c *machine.Container) { reboot(c); c.Lifecycle.Approval = v1alpha1.ApprovalOnRisk },
			request: group("", v1alpha1.WaveFinished), started: true, want: lifecycle.Turn{State: v1alpha1.WaveUnfinished, Lacks: lifecycle.WaveLacksChange},
		},
		"Candidate": {reason: "The group waits for the container that it replaces.", claim: reboot, request: func(r *Request) { group("", v1alpha1.WaveUnfinished)(r); r.Beside = 149 }},
		"Silent": {
			reason: "The provider cannot read it.", observed: func(o *proxmox.ObservedContainer) { o.Status.Conditions = none() }, want: lifecycle.Turn{State: v1alpha1.WaveUnfinished, Lacks: lifecycle.WaveLacksVM},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			place := func(c *machine.Container) { c.Rollout = &v1alpha1.MachineRollout{Group: "edge", Wave: 2} }
			o := living(aContainer(place), tc.observed)
			r := Request{
				Container: aContainer(func(c *machine.Container) {
					place(c)

					if tc.claim != nil {
						tc.claim(c)
					}
				}),
				Observed: proxmox.State{Containers: map[string]proxmox.ObservedContainer{replacement.First: o}}, Owner: lifecycle.Owner{ProviderConfigRef: o.Spec.ProviderConfigRef},
				Roles: succession.Roles{Active: replacement.First},
			}

			if tc.request != nil {
				tc.request(&r)
			}

			p := Decide(r)
			if diff := cmp.Diff(tc.want, p.Turn); diff != "" {
				t.Errorf("%s\nTurn: -want, +got:\n%s", tc.reason, diff)
			}

			if p.Power.Started != tc.started {
				t.Errorf("%s\nstarted: want %t, got %t", tc.reason, tc.started, p.Power.Started)
			}
		})
	}
}

// TestWaveWords: what is said of a container that waits for a lower wave with its restart, or with its replacement.
func TestWaveWords(t *testing.T) {
	const waits = "It waits for other containers of its group: other of wave 1 (is not finished: its condition RolloutFinished has the reason)."

	cases := map[string]struct {
		reason string
		claim  func(*machine.Container)
		words  []string
		said   map[string]string
	}{
		"Restart": {
			reason: "It runs until it is its turn.", claim: func(c *machine.Container) { c.Lifecycle.Reboot = "a" },
			words: []string{"waits for its wave: " + waits, "in its turn: the provider stops the container and starts it again, as spec.lifecycle requests"},
			said:  map[string]string{"RolloutFinished": "False WaitingForWave", "RebootPending": "True WaitingForWave", "MachineReady": "True Running"},
		},
		"Nothing": {
			reason: "It asks for nothing.", claim: func(*machine.Container) {},
			said: map[string]string{"RolloutFinished": "True Finished", "RebootPending": "False NothingPending", "MachineReady": "True Running"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			place := func(c *machine.Container) { c.Rollout = &v1alpha1.MachineRollout{Group: "edge", Wave: 2} }
			o := living(aContainer(place), nil)
			r := request(aContainer(func(c *machine.Container) { place(c); tc.claim(c) }), map[string]proxmox.ObservedContainer{replacement.First: o})
			r.Roles = succession.Roles{Active: replacement.First}
			r.Rollout = lifecycle.Rollout{Known: true, Members: []lifecycle.OtherMember{{Machine: "other", Wave: 1, State: v1alpha1.WaveUnfinished, Claim: "a", Intent: "a"}}}

			p := Decide(r)
			if diff := cmp.Diff(tc.words, p.Step().Words); diff != "" {
				t.Errorf("%s\nStep().Words: -want, +got:\n%s", tc.reason, diff)
			}

			report := ReportOn(p, Render(p), nil, v1alpha1.ContainerStatus{})
			for typ, want := range tc.said {
				if got := conditionOf(t, report, typ); got != want {
					t.Errorf("%s\n%s: want %q, got %q", tc.reason, typ, want, got)
				}
			}

			waiting := len(tc.words) > 0
			if told := slices.ContainsFunc(report.Events, func(e status.Event) bool { return e.Reason == status.ReasonWaitingForWave }); told != waiting {
				t.Errorf("%s\nevent: want %t, got %t", tc.reason, waiting, told)
			}
		})
	}
}
