package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// spreadConditions has the condition on the spread of a machine, whose VM has a title and a number, where it has met another one, or had the condition.
func spreadConditions(m *machine.Machine, meets lifecycle.Meeting, title string, vmID int64, had bool) []Condition {
	// HA excludes a migration by the claim.
	byClaim := ""
	if m.HA == nil {
		byClaim = ", or with spec.proxmox.node and spec.proxmox.migrate: true"
	}

	return SpreadConditions(meets, title, m.Placement.Spread, fmt.Sprintf("To part them: `qm migrate %d %s --online` on %s%s (docs/day-two.md, Machines that meet).",
		vmID, meets.Free, meets.Node, byClaim), had)
}

// SpreadConditions has the condition on the spread of what has a title and is in a group, where it has met another one, or had the condition. part says how to
// part them where there is a free node.
func SpreadConditions(meets lifecycle.Meeting, title, group, part string, had bool) []Condition {
	of := func(is metav1.ConditionStatus, reason, text string) []Condition {
		return []Condition{{TypeSpreadBroken, is, reason, message.Text(text)}}
	}

	switch {
	case len(meets.With) == 0 && !had:
		return nil
	case len(meets.With) == 0:
		return of(metav1.ConditionFalse, ReasonApart, "No machine that this one is kept apart from is on its node.")
	}

	others := "machines of " + group + " (proxmox.spread)"
	if meets.Servers {
		others = "servers of its K3s cluster"
	}

	text := fmt.Sprintf("%s is on node %s, and so are other %s: %s. An outage of the node stops all of them.", title, meets.Node, others, strings.Join(meets.With, ", "))

	if meets.Free == "" {
		return of(metav1.ConditionFalse, ReasonTooFewNodes, text+" No other node that is known has fewer of them, so there is nothing to do. With a new node, list it below "+
			"sites.<site>.nodes in the catalogue.")
	}

	return of(metav1.ConditionTrue, ReasonOnOneNode, fmt.Sprintf("%s Node %s has fewer. The function moves none of them by itself. %s", text, meets.Free, part))
}
