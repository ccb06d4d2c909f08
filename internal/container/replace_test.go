package container

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// TestReplace: how far a replacement is, and what becomes of the new container: it is looked for from the announcement on, made when the old one is off, and
// does not run beside it.
func TestReplace(t *testing.T) {
	t.Parallel()

	const none Action = ""

	is := func(stage lifecycle.Stage, old replacement.Power, h replacement.Hindrance) *replacement.Decision {
		return &replacement.Decision{Trigger: "a", Stage: stage, Old: old, Hindrance: h}
	}
	asks := func(p *Plan) { p.Roles.Trigger, p.Next.Standing = "a", succession.Unproven }
	and := func(edits ...func(*Plan)) func(*Plan) {
		return func(p *Plan) {
			asks(p)

			for _, e := range edits {
				e(p)
			}
		}
	}
	announced := func(o *proxmox.ObservedContainer) { annotated(o, map[string]string{proxmox.ReplacingAnnotation: "a"}) }
	stopped := func(o *proxmox.ObservedContainer) {
		announced(o)
		off(o)
		annotated(o, map[string]string{proxmox.StoppedForAnnotation: stoppedForReplacement})
	}
	made := func(p *Plan) {
		p.Next.Action, p.Next.State, p.Next.Guest, p.Next.Power.Started = ActionFollow, StateLiving, "container-new", true
	}

	cases := map[string]struct {
		reason  string
		claim   func(*machine.Container)
		has     func(*proxmox.ObservedContainer)
		edit    func(*Plan)
		want    *replacement.Decision
		next    Action // None where it is not looked for.
		started bool   // Whether the new one is to run.
	}{
		"Nothing":    {reason: "Nobody asks for it.", edit: func(*Plan) {}, next: none},
		"Announces":  {reason: "Others see it first.", edit: asks, want: is(lifecycle.StagePreparing, replacement.On, ""), next: ActionCheck},
		"Stops":      {reason: "Everything is there: the old one stops.", has: announced, edit: asks, want: is(lifecycle.StageStopping, replacement.On, ""), next: ActionCheck},
		"Makes":      {reason: "The old one is off.", has: stopped, edit: asks, want: is(lifecycle.StageMaking, replacement.Off, ""), next: ActionCreate},
		"Made":       {reason: "It starts beside one that is off.", has: stopped, edit: and(made), want: is(lifecycle.StageMaking, replacement.Off, ""), next: ActionFollow, started: true},
		"Proven":     {reason: "It was seen to run: the old one goes.", has: stopped, edit: and(made, func(p *Plan) { p.Next.Standing = succession.Proven }), want: is(lifecycle.StageRetiring, replacement.Off, ""), next: ActionFollow, started: true},
		"Beside":     {reason: "Somebody has started the old one: two with one address never run.", has: announced, edit: and(made), want: is(lifecycle.StageMaking, replacement.On, ""), next: ActionFollow},
		"Protected":  {reason: "It may not be destroyed.", claim: func(c *machine.Container) { c.Protection = true }, edit: asks, want: is(lifecycle.StageBlocked, replacement.On, replacement.HinderedByClaim), next: none},
		"InUse":      {reason: "The provider looks until the VMID is free.", edit: and(func(p *Plan) { p.Next.Check = &VMIDCheck{Outcome: lifecycle.OutcomeTaken} }), want: is(lifecycle.StageBlocked, replacement.On, replacement.HinderedByVMIDInUse), next: ActionCheck},
		"Unapproved": {reason: "Nobody has approved it.", has: stopped, edit: and(func(p *Plan) { p.Approval.Consent = lifecycle.ConsentAwaited }), want: is(lifecycle.StageBlocked, replacement.Off, replacement.HinderedByApproval), next: none},
		"Wave":       {reason: "It is not its turn.", edit: and(func(p *Plan) { p.Turn.Held = []lifecycle.Outage{lifecycle.OutageReplacement} }), want: is(lifecycle.StageBlocked, replacement.On, replacement.HinderedByWave), next: none},
		"WaveReboot": {reason: "A restart waits for its turn, not this.", edit: and(func(p *Plan) { p.Turn.Held = []lifecycle.Outage{lifecycle.OutageReboot} }), want: is(lifecycle.StagePreparing, replacement.On, ""), next: ActionCheck},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := following(tc.claim, tc.has, tc.edit)
			replace(p, p.guest())

			next, started := none, false
			if p.Next != nil {
				next, started = p.Next.Action, p.Next.Power.Started
			}

			if diff := cmp.Diff([]any{tc.want, tc.next, tc.started}, []any{p.Replacement, next, started}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
