package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRests: whether another node may have its turn beside this one: between the parts of a turn, and when it has ended.
func TestRests(t *testing.T) {
	blocked := func(c *Child) { c.Turn, c.Need = TurnReplaced, NeedBlocked }
	restarts := func(c *Child) { c.Turn, c.Restart = TurnRebooted, RestartPending }
	edited := func(w *World) { w.Members[3].Template = "edited" }
	leaves := func(w *World) { w.Members = w.Members[:3] }

	cases := map[string]struct {
		reason  string
		child   func(*Child)
		world   func(*World)
		between bool
		ended   bool
	}{
		"Settled":        {reason: "Nothing is under way.", between: true, ended: true},
		"NotReady":       {reason: "It is away.", child: func(c *Child) { c.Ready = false }},
		"Owes":           {reason: "Its new VM is still to come.", child: func(c *Child) { c.Turn, c.Need = TurnMayReplace, NeedNewVM }, between: true},
		"CameUpLater":    {reason: "What an edit of the catalogue asks for keeps nobody.", child: func(c *Child) { c.Turn, c.Need = TurnEdit, NeedNewVM }, between: true, ended: true},
		"Blocked":        {reason: "Its new VM was asked for, and waits.", child: blocked},
		"BlockedEdited":  {reason: "Its next turn gives that up.", child: blocked, world: edited, between: true, ended: true},
		"BlockedLeaves":  {reason: "The claim has it no more: it goes.", child: blocked, world: leaves, between: true, ended: true},
		"Restarts":       {reason: "Its power cycle was asked for.", child: restarts},
		"RestartsEdited": {reason: "Its next turn comes first.", child: restarts, world: edited, between: true, ended: true},
		"Unmade":         {reason: "It has no VM.", child: func(c *Child) { c.Unmade, c.Ready = true, false }, between: true, ended: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(3, 1))
			s.complete(40)

			if tc.child != nil {
				tc.child(&s.site.nodes["worker-0"].child)
			}

			w := s.world()
			if tc.world != nil {
				tc.world(&w)
			}

			now := situationOf(w)
			d := &decision{now: now, steps: keep(now)}

			if diff := cmp.Diff([]bool{tc.between, tc.ended}, []bool{d.rests("worker-0", restBetween), d.rests("worker-0", restEnded)}); diff != "" {
				t.Errorf("%s\nbetween and ended: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
