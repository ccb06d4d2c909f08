package compose

import (
	"cmp"
	"strconv"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Names of the managed resources that we ask Crossplane for.
const (
	serversRequirement    = "k3s-servers"
	neighboursRequirement = "vm-id"
)

// incarnate says which VM the claim describes. The servers of a K3s cluster are asked for only where one of them is to be
// replaced.
func (c *call) incarnate(cl claim.Claim) (looked bool, err error) {
	fields, k3s := cl.Fields(), cl.K3s()

	c.request.Incarnation = lifecycle.Incarnate(c.request.State.VMs, cl.Identity, fields.Lifecycle.Replace)

	i := c.request.Incarnation
	if i.Next == "" || i.Begun {
		return true, nil
	}

	facts := lifecycle.Facts{Token: i.Token}
	if id := fields.Proxmox.VMID; id != nil {
		facts.VMID = *id
	}

	if k3s != nil && k3s.Role == v1alpha1.K3sServer {
		facts.Server, facts.Cluster = true, k3s.Cluster
		_, facts.Datastore = k3s.Config["datastore-endpoint"]

		servers, looked, err := c.vms(serversRequirement, map[string]string{
			proxmox.ClusterLabel: k3s.Cluster, proxmox.K3sRoleLabel: string(v1alpha1.K3sServer),
		})
		if !looked || err != nil {
			return looked, err
		}

		for _, s := range servers {
			if !c.request.Own(s) {
				facts.Siblings = append(facts.Siblings, s)
			}
		}
	}

	c.request.Verdict = lifecycle.Judge(c.request.State.VMs[i.Current], facts)
	if c.request.Verdict.Blocked != "" {
		c.request.Incarnation = i.Refuse(c.request.State.VMs)
	}

	return true, nil
}

// resolve looks up all that the claim names. A number of a range that turned out to be another VM's makes way for the next.
func (c *call) resolve(cl claim.Claim, cat catalog.Catalog) (looked bool, err error) {
	sticky := c.sticky(cl)

	m, errs := resolve.Claim(cl, cat, sticky)
	if len(errs) > 0 {
		return true, invalid(errs)
	}

	c.request.Machine = m

	if looked, err = c.neighbours(); !looked || err != nil {
		return looked, err
	}

	taken, first := render.Taken(c.request)
	if taken == 0 || first == 0 {
		return true, nil
	}

	sticky.VMIDTaken = true

	m, errs = resolve.Claim(cl, cat, sticky)
	if len(errs) > 0 {
		return true, invalid(errs)
	}

	// Back at the first number, all are taken. The last one that was tried is looked at until somebody makes room.
	if m.Placement.VMID != first {
		c.request.Machine, c.request.Tried = m, taken
	}

	return true, nil
}

// neighbours asks for the VMs that have the number which is looked at, whosever they are. Once a VM is made, nobody asks.
func (c *call) neighbours() (looked bool, err error) {
	vm, observed := c.request.State.VMs[c.request.Incarnation.Subject()]
	if observed && proxmox.Made(vm) {
		return true, nil
	}

	id := cmp.Or(render.LookedAt(vm), c.request.Machine.Placement.VMID)
	if id == 0 {
		return true, nil
	}

	c.request.Neighbours, looked, err = c.vms(neighboursRequirement, map[string]string{proxmox.VMIDLabel: strconv.FormatInt(id, 10)})

	return looked, err
}

// vms asks for managed resources of VMs by label, in all namespaces.
func (c *call) vms(name string, labels map[string]string) (out []proxmox.ObservedVM, looked bool, err error) {
	items, looked := require(c.req, c.rsp, name, &fnv1.ResourceSelector{
		ApiVersion: c.request.Flavour.VMAPIVersion(),
		Kind:       proxmox.VMKind,
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: labels}},
	})

	for _, item := range items {
		vm, err := proxmox.ObserveVM(item.GetResource())
		if err != nil {
			return nil, true, err
		}

		out = append(out, vm)
	}

	return out, looked, nil
}

// sticky is what the VM that the claim describes has already, and keeps.
func (c *call) sticky(cl claim.Claim) resolve.Sticky {
	i := c.request.Incarnation
	vm, ok := c.request.State.VMs[i.Subject()]

	c.adopting = render.Adopts(cl.Fields().Adopt, i, vm, ok)
	out := resolve.Sticky{Adopting: c.adopting}

	if i.Next != "" {
		out.FormerVMID = proxmox.NumberOf(c.request.State.VMs[i.Current])
	}

	p := vm.Spec.ForProvider

	switch {
	case !ok:
	case vm.ObserveOnly():
		// Nothing is decided yet but which number of a range is looked at.
		if vm.Metadata.Annotations[proxmox.LookedFromAnnotation] != "" {
			out.VMID = render.Asked(vm)
		}
	default:
		out.Node = cmp.Or(vm.Status.AtProvider.NodeName, p.NodeName)
		out.VMID = proxmox.NumberOf(vm)

		if len(p.Disk) > 0 {
			out.DiskDatastore = p.Disk[0].DatastoreID
		}
	}

	return out
}
