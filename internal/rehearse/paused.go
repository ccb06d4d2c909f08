package rehearse

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// pause is the annotation by which Crossplane does nothing for an object.
const pause = proxmox.PausedAnnotation

// ReasonPaused is why a claim waits for which Crossplane does nothing.
const ReasonPaused = "Paused"

// hasPause says whether somebody has paused a claim, or a node of a cluster.
func hasPause(m *world.Machine) bool { return world.Annotation(m.Composite, pause) == "true" }

// isPaused says whether Crossplane does nothing for a machine. What is born only to be edited is born in spite of its pause: it is there by now.
func (p *play) isPaused(m *world.Machine) bool {
	bornBefore := p.round == 0 && slices.ContainsFunc(p.actors, func(a *actor) bool { return a.machine == m && a.Was != nil })

	return hasPause(m) && !bornBefore
}

// keepsPause of a claim that is edited. A file without the annotation takes none away that somebody has set in the cluster; a claim of --before has had its
// own.
func (a *actor) keepsPause(was map[string]any, had bool) {
	annotations := world.Object(was["annotations"])

	switch _, said := a.Is.Is.GetAnnotations()[pause]; {
	case said || !had:
	case a.Was != nil:
		delete(annotations, pause)
	default:
		annotations[pause] = "true"
		was["annotations"] = annotations
	}
}

// pausedWait is what a person has to do for a claim that is paused; nil for any other.
func pausedWait(p *play, m *world.Machine) []Wait {
	if !hasPause(m) {
		return nil
	}

	return []Wait{{
		Machine: p.labelOf(m), Condition: conditionCrossplane, Reason: ReasonPaused,
		Message: "Crossplane does nothing for what has the annotation " + pause + ": an edit of it reaches nothing, and its deletion waits.",
		Todo: "`kubectl annotate " + resourceOf(claimOf(m)) + " " + pause + "-`, and remove it from the file that has it. " +
			"All that was edited meanwhile takes effect then.",
	}}
}
