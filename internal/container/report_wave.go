package container

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// waveMember is the container in its group.
func waveMember(t reporter, before v1alpha1.ContainerStatus) status.WaveMember {
	return status.WaveMember{
		Place: t.plan.Container.Rollout, Turn: t.plan.Turn, Intent: t.plan.Intent, Catalogue: t.plan.Rollout.Catalogue, Title: t.title,
		Words: status.ContainersInWaves(), Before: before.Rollout, Conditions: before.Conditions,
	}
}

// waveSentence says what the restart or the replacement of the container waits for in its group.
func waveSentence(p Plan) string { return status.ContainersInWaves().Waits(p.Turn.Decision.Blocker) }

// waveEvents tell once of a container that waits for others of its group.
func waveEvents(now []status.Condition, before v1alpha1.ContainerStatus) []status.Event {
	i := slices.IndexFunc(now, func(c status.Condition) bool {
		return c.Type == status.TypeRolloutFinished && c.Reason == status.ReasonWaitingForWave
	})
	if i < 0 {
		return nil
	}

	if was := meta.FindStatusCondition(before.Conditions, status.TypeRolloutFinished); was != nil && was.Reason == now[i].Reason {
		return nil
	}

	return []status.Event{{Reason: now[i].Reason, Message: now[i].Message}}
}
