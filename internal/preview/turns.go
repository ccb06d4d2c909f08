package preview

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
)

// replaceNodes says of a cluster's nodes that their turns replace their VMs. Whether a VM cannot follow an edit is what the node says whose turn it is: the
// nodes that wait for theirs get the same edit. Where none has its turn, what may be counts.
func (m *MachinePlan) replaceNodes(plans []MachinePlan, nodes []Child) {
	if m.State == StateNew || m.State == StateFaulty || !slices.ContainsFunc(m.Steps, func(s PlanStep) bool { return s.Turn != compose.NodeTurnKeeps }) {
		return
	}

	turns, needed := 0, false

	for _, s := range m.Steps {
		i := slices.IndexFunc(nodes, func(c Child) bool { return c.Name == s.Resource })
		if s.Turn == compose.NodeTurnKeeps || s.Action != changesNode || i < 0 {
			continue
		}

		name := nodes[i].Claim.Object.GetName()
		for _, p := range plans {
			if p.Name == name {
				turns++
				needed = needed || slices.Contains(p.Effects, EffectRefused) || slices.Contains(p.Effects, EffectNewVM)
			}
		}
	}

	if turns > 0 && !needed {
		return
	}

	of := map[Effect]bool{EffectReplace: true}
	for _, e := range m.Effects {
		of[e] = true
	}

	for i, s := range m.Steps {
		if s.Turn == compose.NodeTurnKeeps {
			continue
		}

		text := "in its turn, a new VM replaces its VM, which then stays in Proxmox, stopped"
		if s.Turn == compose.NodeTurnDestroys {
			text, of[EffectDestroy] = "in its turn, a new VM replaces its VM, which then is destroyed with its disks", true
		}

		m.Steps[i].Notes = append(slices.Clone(s.Notes), text)
	}

	m.effects(of)
}
