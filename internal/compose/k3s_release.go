package compose

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// releaseOfReplacement refuses a new VM for a server whose release of K3s is older than the one that it runs, since agents and other servers may run that, or
// would have the members of etcd that are left count removed members again: see [k3s.EtcdHop]. What the server runs is what the last call saw. A K3sCluster
// decides about its own nodes, and knows what the others run; here a person says with lifecycle.force that they can take it.
func releaseOfReplacement(c *call, m *machine.Machine) field.ErrorList {
	if m.K3s == nil || m.K3s.Role != v1alpha1.K3sServer || ofCluster(c.composite) || forces(c) {
		return nil
	}

	seen := ""
	if n := c.previous.Kubernetes; n != nil {
		seen = n.Version
	}

	runs := cmp.Or(seen, c.previous.K3sVersion)

	var why string

	switch hop := k3s.EtcdHop(runs, m.K3s.Version); {
	case k3s.OlderRelease(m.K3s.Version, runs):
		why = fmt.Sprintf("is older than %s, which the server runs, and K3s cannot go back: name %s or a later release, or set "+
			"lifecycle.force to a new value if no other node of the cluster runs a later one than %s", runs, runs, m.K3s.Version)
	case runs != "" && m.K3s.Etcd.Votes() && hop.Verdict == k3s.HopRefused:
		why = fmt.Sprintf("would have etcd 3.6 count removed members again: the server runs %s, with an etcd before %s; upgrade all servers to %s first, or set "+
			"lifecycle.force to a new value if another server runs etcd 3.6 already", runs, k3s.RepairsMembers, hop.Stop)
	default:
		return nil
	}

	return field.ErrorList{field.Invalid(field.NewPath("spec", "k3s", "version"), m.K3s.Version, why)}
}

// forces says whether a person forces a replacement with a new value.
func forces(c *call) bool {
	force := c.claim.Fields().Lifecycle.Force

	return force != "" && !slices.Contains(lifecycle.ReadTriggers(c.facts.Observed.VMs[c.facts.Roles.Active], proxmox.ForceTriggersAnnotation), force)
}
