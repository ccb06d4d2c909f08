package cluster

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// continueTurns of nodes that have their new spec.
func continueTurns(d *decision) {
	for _, m := range d.now.Members {
		c, exists := d.now.Children[m.Node]
		if !exists {
			continue
		}

		s := d.steps[m.Node]
		if s.Action == ActionUpgrade {
			continue
		}

		switch d.now.owed(m, c) {
		case ActionReplace:
			if d.may(m.Node, m.Role, restBetween) {
				s.Action, s.Why, s.Turn = ActionReplace, "its change needs a new VM", TurnReplaced
				s.Spec = asJoiner(s.Spec, SpecOf(m, c))
				s.Spec = withLifecycle(s.Spec, map[string]any{"replace": word(m.Template, c, "replace")})
			}
		case ActionReboot:
			if d.may(m.Node, m.Role, restBetween) {
				s.Action, s.Why, s.Turn = ActionReboot, "its change waits for a power cycle", c.Turn.rebooted()
				s.Spec = withLifecycle(s.Spec, map[string]any{"reboot": word(m.Template, c, "reboot")})
			}
		default:
			switch {
			case d.now.needsHand(m, c):
				d.said.block(restartByHand(m, c))
				watchForHand(s, m, c)
			case s.State == StateOutdated && !d.now.outdated(m, c) && !d.now.releases.behind(c) && d.now.Children.onlyServer(m):
				d.said.block(m.Node + " needs a new VM, and the only server of a cluster is never replaced, because the cluster's state would be lost: " +
					"take back what its VM was not made with, or leave the VM as it is with rollout.replacePolicy: OnRequest")
			}

			finish(d.now, s, m, c)
		}
	}
}

// finish the turn of a node that has all of its change: what comes up later, by an edit of the catalogue, is no reason for a new VM.
func finish(now *situation, s *Step, m Member, c Child) {
	if now.outdated(m, c) || !c.serves() || c.Need != NeedNothing && !c.Turn.isRebooted() {
		return
	}

	switch c.Turn {
	case TurnMayReplace:
		if !c.VersionChanged || now.Upgrade != v1alpha1.UpgradeReplace {
			s.Turn = TurnEdit
		}
	case TurnRebooted:
		if c.Restart == RestartNone {
			s.Turn = TurnEdit
		}
	case TurnRebootedFirst:
		if c.Restart == RestartNone {
			s.Turn = TurnMayReplace
		}
	case TurnReplaced:
		confirm(s, m, c)
	case TurnEdit:
	}
}

// confirm that a replaced server has joined: it is ready, which it is only when its guest reports so or its Node was seen.
func confirm(s *Step, m Member, c Child) {
	lifecycle, _ := c.Spec["lifecycle"].(map[string]any)
	replaced := text(lifecycle, "replace")

	if m.Role == v1alpha1.K3sServer && replaced != "" && lifecycle["joined"] != replaced {
		s.Spec = withLifecycle(s.Spec, map[string]any{"joined": replaced})
	}
}

// watchForHand asks a node for the power cycle that only a person can make: it refuses, and notes the boot of its Node, by which it sees when somebody
// has restarted the VM. One that waits already, for whatever word, is not asked once more: what it says may be older than the restart, and a new word
// would have it wait for another one.
func watchForHand(s *Step, m Member, c Child) {
	if c.Turn.isRebooted() || c.Restart == RestartAwaitsHand || !c.serves() {
		return
	}

	s.Turn = c.Turn.rebooted()
	s.Spec = withLifecycle(s.Spec, map[string]any{"reboot": word(m.Template, c, "reboot")})
}

// restartByHand says what a person has to do for a node on which Crossplane runs: in the node's own words, as soon as it has said that.
func restartByHand(m Member, c Child) string {
	if c.Answered && c.Held.Reason == status.ReasonRunsCrossplane {
		return strings.TrimSuffix(m.Node+" cannot go on: "+c.Held.Reason+": "+typed(m.Node, c.Role, c.Held.Message), ".")
	}

	vm := "its VM"
	if c.VMID != nil {
		vm = fmt.Sprintf("VM %d", *c.VMID)
	}

	return m.Node + "'s change waits for a power cycle, and Crossplane, which runs in this cluster, could not start it again: restart " + vm + " in Proxmox"
}
