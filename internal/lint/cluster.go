package lint

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// checkCluster has every judge of the claim of a K3sCluster judge it: its own rules, and those of the nodes that it describes.
func (l *linter) checkCluster(o object, c claim.Claim, cat catalog.Catalog, from *catalogue, provider proxmox.Flavour) {
	faults := c.Faults
	spec := *c.K3sCluster

	if len(faults) == 0 {
		faults = cluster.Check(c.Identity, spec)
	}

	members, err := cluster.Members(c.Identity, spec, false)
	if err != nil {
		faults = append(faults, field.InternalError(field.NewPath("spec"), err))
	}

	if len(faults) == 0 {
		faults = cluster.CheckMembers(members, c.Identity, apiVersion, spec, cat, func(m *machine.Machine) field.ErrorList {
			return validate.FirewallWith(provider, m)
		})
	}

	if from != nil {
		for _, m := range members {
			from.uses(claim.Decode(map[string]any{"kind": claim.KindK3sNode, "metadata": map[string]any{"name": m.Machine}, "spec": m.Spec}))
		}
	}

	l.refused(o, from, faults)
	l.judged(o, faults)

	for _, f := range cluster.Absent(spec, members) {
		l.add(o, f.Field, message.Fault(f), Warning)
	}
}
