package compose

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// Names of the VMs and the containers that have the VMID which is checked, among what the function asks Crossplane for.
const (
	sameVMIDRequirement = "vm-id"
	sameVMIDContainers  = "vm-id-containers"
	// Managed resources of the machine's VMs, composed or not.
	ownRequirement = "own-vms"
)

// assignRoles finds the roles of the observed VMs, and whether a replacement may begin. It asks for the servers of a K3s cluster
// only where one of them is to be replaced.
func (c *call) assignRoles(cat catalog.Catalog) (known bool, err error) {
	fields, k3s := c.claim.Fields(), c.claim.K3s()
	vms := c.facts.Observed.VMs
	c.facts.Kin = kinOf(cat, c.claim)

	roles := lifecycle.AssignRoles(vms, c.claim.Identity, fields.Lifecycle.Replace)
	c.facts.Roles = roles

	if roles.Candidate == "" || roles.Begun {
		return true, nil
	}

	r := lifecycle.ReplacementRequest{Trigger: roles.Trigger, Force: fields.Lifecycle.Force, RunsCrossplane: fields.RunsCrossplane, Lost: fields.Lifecycle.Lost}
	if id := fields.Proxmox.VMID; id != nil {
		r.VMID = *id
	}

	if k3s != nil && k3s.Role == v1alpha1.K3sServer {
		cluster := c.claim.Cluster()

		if known, err := c.otherServers(cluster.Label); !known || err != nil {
			return known, err
		}

		if known, err := c.serverNodes(observation(cat, k3s.Cluster), cluster.Label); !known || err != nil {
			return known, err
		}

		r.Server = true
		r.Cluster = c.facts.Servers.Of(c.facts.Kin, cluster.Name, etcdOf(c))
	}

	c.facts.Decision = lifecycle.CheckReplacement(vms[roles.Active], r)
	c.facts.Roles = c.facts.Decision.Apply(roles, vms)

	return true, nil
}

// observation of a K3s cluster, before the claim is resolved. Of an entry that cannot be used nothing is read.
func observation(cat catalog.Catalog, cluster string) machine.Observation {
	entry, faults := cat.Cluster(nil, cluster)
	if len(faults) > 0 || len(validate.Cluster(entry)) > 0 {
		return machine.ObserveNone
	}

	return entry.Observe
}

// decide what to do with each VM. Where a server of K3s is to be away for a while, the other servers of its cluster are asked for,
// and it is decided once more.
func (c *call) decide(r *render.Request, d lifecycle.Description) (plan *lifecycle.Plan, known bool, err error) {
	plan = lifecycle.Decide(r.Situation, d)

	if plan.Turn.AsksGroup {
		if known, err := (waver{c}).ask(); !known || err != nil {
			return plan, known, err
		}

		r.Rollout = c.facts.Rollout
		plan = lifecycle.Decide(r.Situation, d)
	}

	if !plan.Outage.AsksServers {
		return plan, true, nil
	}

	if known, err := c.otherServers(c.facts.Machine.K3s.Cluster); !known || err != nil {
		return plan, known, err
	}

	if known, err := c.serverNodes(c.facts.Machine.K3s.Observe, c.facts.Machine.K3s.Cluster); !known || err != nil {
		return plan, known, err
	}

	r.Servers = c.facts.Servers

	return lifecycle.Decide(r.Situation, d), true, nil
}

// pickVMID for the VM that the claim describes. Until that VM exists, it asks for the VMs and containers of all claims with the VMID that is
// checked.
func (c *call) pickVMID() (known bool, err error) {
	var fault *field.Error

	if err := findLeftBehind(c); err != nil {
		return true, err
	}

	before := vmIDBefore(c.previous.VMID, len(c.facts.Observed.VMs))
	if c.facts.VMID, fault = lifecycle.PickVMID(c.facts.Machine, c.facts.Roles, c.facts.Observed.VMs, before); fault != nil {
		return true, invalid(field.ErrorList{fault})
	}

	if id := lifecycle.VMIDToCompare(c.facts); id != 0 {
		// Containers are asked for in the same call, before it is known which VMs there are: Crossplane calls a function six times at most.
		if c.facts.SameVMIDContainers, err = containersOf(c, sameVMIDContainers, vmIDLabel(id)); err != nil {
			return true, err
		}

		c.facts.SameVMID, known, err = c.vms(sameVMIDRequirement, vmIDLabel(id))
		if !known || err != nil {
			return known, err
		}
	}

	if c.facts.VMID, fault = lifecycle.Advance(c.facts); fault != nil {
		return true, invalid(field.ErrorList{fault})
	}

	return true, nil
}

// findLeftBehind asks for managed resources of the machine's VMs that nobody composes any more, until a VM is made. Nothing waits for the
// answer: Crossplane calls again with it before it applies anything.
func findLeftBehind(c *call) error {
	if vm := c.facts.Observed.VMs[c.facts.Roles.Described()]; proxmox.VMIDOf(vm) != 0 && lifecycle.CheckedVMID(vm) == 0 {
		return nil
	}

	id := c.claim.Identity
	all, _, err := requireByLabels(c, ownRequirement, c.flavour.VMAPIVersion(), proxmox.VMKind, render.LabelsOf(id), proxmox.ObserveVM)
	c.facts.LeftBehind = lifecycle.LeftBehind(all, c.facts.Observed.VMs, id)

	return err
}
