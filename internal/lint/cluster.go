package lint

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// checkCluster has every judge of the claim of a K3sCluster judge it: its own rules, and those of the nodes that it describes.
func (l *linter) checkCluster(o object, c claim.Claim, cat catalog.Catalog, from *catalogue) {
	faults := c.Faults
	spec := *c.K3sCluster

	if len(faults) == 0 {
		faults = cluster.Check(c.Identity, spec)
	}

	members, err := cluster.Members(c.Identity, spec, false)
	if err != nil {
		faults = append(faults, field.InternalError(field.NewPath("spec"), err))
	}

	own := len(faults) == 0

	for _, m := range members {
		if own {
			faults = withNew(faults, cluster.CheckMember(m, c.Identity, apiVersion, spec, cat, nil))
		}

		if from != nil {
			from.uses(claim.Decode(map[string]any{"kind": claim.KindK3sNode, "metadata": map[string]any{"name": m.Machine}, "spec": m.Spec}))
		}
	}

	l.refused(o, from, faults)
	l.judged(o, faults)

	for _, f := range cluster.Absent(spec, members) {
		l.add(o, f.Field, message.Fault(f), Warning)
	}
}

// withNew are faults, and others that are none of them: the nodes of a pool have the same.
func withNew(faults, others field.ErrorList) field.ErrorList {
	said := map[string]bool{}
	for _, f := range faults {
		said[f.Error()] = true
	}

	for _, f := range others {
		if !said[f.Error()] {
			faults = append(faults, f)
		}

		said[f.Error()] = true
	}

	return faults
}
