package render

import (
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// addressClaims on pools of Cluster API's IPAM, by composed resource name; nil where there are none. Nobody can change an IPAddressClaim: one that
// exists stays as it was written.
func (w writer) addressClaims() map[string]ipam.Claim {
	pools := lifecycle.PoolsToClaim(w.plan.Request)
	if len(pools) == 0 {
		return nil
	}

	out := make(map[string]ipam.Claim, len(pools))

	for name, pool := range pools {
		if o, there := w.r.AddressClaims.Observed[name]; there {
			out[name] = RetainAddressClaim(o)
			continue
		}

		m := w.r.Machine.Identity
		out[name] = ipam.NewClaim(pool, m.Namespace, proxmox.Metadata{Labels: LabelsOf(m)})
	}

	return out
}

// RetainAddressClaim is an IPAddressClaim as it was written before.
func RetainAddressClaim(o ipam.ObservedClaim) ipam.Claim {
	return o.Retained(Ours(o.Metadata.Metadata))
}
