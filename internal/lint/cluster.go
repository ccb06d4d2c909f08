package lint

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// checkCluster has every judge of the claim of a K3sCluster judge it: its own rules, and those of the nodes that it describes.
func (l *linter) checkCluster(o object, c claim.Claim, cat catalog.Catalog, from *catalogue, provider proxmox.Flavour) {
	spec := *c.K3sCluster

	members, err := cluster.Members(c.Identity, spec, false)

	faults := c.Faults

	switch {
	case err != nil:
		faults = append(faults, field.InternalError(field.NewPath("spec"), err))
	default:
		quota := &share{catalog: cat}
		faults = cluster.CheckNew(c.Identity, apiVersion, spec, cat, c.Faults, func(m *machine.Machine) field.ErrorList {
			l.faults = withCatalogues(l.faults, from, m.Warnings)

			// What a node that is taken over has is what counts.
			if slices.ContainsFunc(members, func(of cluster.Member) bool { return of.Machine == m.Identity.Name && of.Adopts != "" }) {
				return validate.FirewallWith(provider, m)
			}

			return slices.Concat(asFaults(m.Warnings), widerNode(l, o, members, m), validate.FirewallWith(provider, m), ofSecrets(l.secrets, m),
				quota.take(m, m.DiskGiB()))
		})
	}

	faults, warnings := parted(faults)

	if from != nil {
		for _, m := range members {
			from.uses(claim.Decode(map[string]any{"kind": claim.KindK3sNode, "metadata": map[string]any{"name": m.Machine}, "spec": m.Spec}))
		}
	}

	l.refused(o, from, faults)
	l.judged(o, faults)

	// Who has something to correct reads of the rest when that is done.
	if len(faults) > 0 {
		warnings = nil
	}

	for _, f := range warnings {
		l.add(o, f.Field, message.Fault(f), Warning)
	}
}

// widerNode are warnings of the interfaces of a node: see [wider].
func widerNode(l *linter, o object, members []cluster.Member, m *machine.Machine) (out field.ErrorList) {
	i := slices.IndexFunc(members, func(of cluster.Member) bool { return of.Machine == m.Identity.Name })
	if i < 0 {
		return nil
	}

	fields := claim.Decode(map[string]any{"kind": claim.KindK3sNode, "metadata": map[string]any{"name": members[i].Machine}, "spec": members[i].Spec}).Fields()
	for _, w := range wider(l, o, fields.Proxmox, m, "a VM", "write 1, which takes the bridge's,") {
		out = append(out, &field.Error{Type: field.ErrorTypeForbidden, Field: w.path, Detail: w.text, Origin: resolve.OriginWarning})
	}

	return out
}

// asFaults are what the function warns of a node.
func asFaults(warnings []string) (out field.ErrorList) {
	for _, w := range ofClaim(warnings) {
		out = append(out, &field.Error{Type: field.ErrorTypeForbidden, Field: w.path, Detail: w.text, Origin: resolve.OriginWarning})
	}

	return out
}
