package cluster

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// owed is what the turn of a node that has its new spec still has to do.
func (d *decision) owed(m Member, c Child) Action {
	switch {
	case d.outdated(m, c) || !c.Answered || !c.Joined || c.Deleting:
		return ActionKeep
	case d.needsNewVM(m, c) && d.onlyServer(m):
		return ActionKeep // It cannot be had, and keeps no other node from its turn.
	case d.needsNewVM(m, c):
		return ActionReplace
	case d.needsHand(m, c):
		return ActionKeep
	case restarts(d.World, c):
		return ActionReboot
	default:
		return ActionKeep
	}
}

// continueTurns of nodes that have their new spec.
func (d *decision) continueTurns() {
	for _, m := range d.Members {
		c, exists := d.Children[m.Node]
		if !exists {
			continue
		}

		s := d.steps[m.Node]
		if s.Action == ActionUpgrade {
			continue
		}

		switch d.owed(m, c) {
		case ActionReplace:
			if d.may(m.Node, m.Role, restBetween) {
				s.Action, s.Why, s.Turn = ActionReplace, "its change needs a new VM", TurnReplaced
				s.Spec = asJoiner(s.Spec, SpecOf(m, c))
				s.Spec = withLifecycle(s.Spec, map[string]any{"replace": word(m.Template, c, "replace")})
			}
		case ActionReboot:
			if d.may(m.Node, m.Role, restBetween) {
				s.Action, s.Why, s.Turn = ActionReboot, "its change waits for a power cycle", TurnRebooted
				s.Spec = withLifecycle(s.Spec, map[string]any{"reboot": word(m.Template, c, "reboot")})
			}
		default:
			switch {
			case d.needsHand(m, c):
				d.blocked = append(d.blocked, restartByHand(m, c))
				d.watchForHand(m, c)
			case s.State == StateOutdated && !d.outdated(m, c) && !(upgrades{d}).behind(c):
				d.blocked = append(d.blocked, m.Node+" needs a new VM, and the only server of a cluster is never replaced, because the cluster's state would be lost")
			}

			d.finish(m, c)
		}
	}
}

// finish the turn of a node that has all of its change: what comes up later, by an edit of the catalogue, is no reason for a new VM.
func (d *decision) finish(m Member, c Child) {
	if d.outdated(m, c) || !c.serves() || c.Need != NeedNothing {
		return
	}

	switch c.Turn {
	case TurnMayReplace:
		if !c.VersionChanged || d.Upgrade != v1alpha1.UpgradeReplace {
			d.steps[m.Node].Turn = TurnEdit
		}
	case TurnRebooted:
		if !c.RebootPending {
			d.steps[m.Node].Turn = TurnEdit
		}
	case TurnReplaced:
		d.confirm(m, c)
	case TurnEdit:
	}
}

// confirm that a replaced server has joined: it is ready, which it is only when its guest reports so or its Node was seen.
func (d *decision) confirm(m Member, c Child) {
	lifecycle, _ := c.Spec["lifecycle"].(map[string]any)
	replaced, _ := lifecycle["replace"].(string)

	if m.Role == v1alpha1.K3sServer && replaced != "" && lifecycle["joined"] != replaced {
		d.steps[m.Node].Spec = withLifecycle(d.steps[m.Node].Spec, map[string]any{"joined": replaced})
	}
}

// watchForHand asks a node for the power cycle that only a person can make: it refuses, and notes the boot of its Node, by which it sees when somebody
// has restarted the VM.
func (d *decision) watchForHand(m Member, c Child) {
	if c.Turn == TurnRebooted || !c.serves() {
		return
	}

	s := d.steps[m.Node]
	s.Turn = TurnRebooted
	s.Spec = withLifecycle(s.Spec, map[string]any{"reboot": word(m.Template, c, "reboot")})
}

// restartByHand says what a person has to do for a node on which Crossplane runs.
func restartByHand(m Member, c Child) string {
	vm := "its VM"
	if c.VMID != nil {
		vm = fmt.Sprintf("VM %d", *c.VMID)
	}

	return m.Node + "'s change waits for a power cycle, and Crossplane, which runs in this cluster, could not start it again: restart " + vm + " in Proxmox"
}
