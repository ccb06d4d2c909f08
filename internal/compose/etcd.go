package compose

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// etcdOfReplacement refuses a new VM for a server whose release of K3s would have the members of etcd that are left count removed members again: see
// [k3s.EtcdHop]. What the server runs is what the last call saw. A K3sCluster decides about its own nodes, and knows what the others run; here a person
// says with lifecycle.force that another server has crossed already.
func etcdOfReplacement(c *call, m *machine.Machine) field.ErrorList {
	if m.K3s == nil || m.K3s.Role != v1alpha1.K3sServer || !m.K3s.Etcd.Votes() || ofCluster(c.composite) {
		return nil
	}

	seen := ""
	if n := c.previous.Kubernetes; n != nil {
		seen = n.Version
	}

	runs := cmp.Or(seen, c.previous.K3sVersion)

	hop := k3s.EtcdHop(runs, m.K3s.Version)
	if runs == "" || hop.Verdict != k3s.HopRefused {
		return nil
	}

	if forces(c) {
		return nil
	}

	return field.ErrorList{field.Invalid(field.NewPath("spec", "k3s", "version"), m.K3s.Version, fmt.Sprintf(
		"would have etcd 3.6 count removed members again: the server runs %s, with an etcd before %s; upgrade all servers to %s first, or set "+
			"lifecycle.force to a new value if another server runs etcd 3.6 already", runs, k3s.RepairsMembers, hop.Stop))}
}

// forces says whether a person forces a replacement with a new value.
func forces(c *call) bool {
	force := c.claim.Fields().Lifecycle.Force

	return force != "" && !slices.Contains(lifecycle.ReadTriggers(c.facts.Observed.VMs[c.facts.Roles.Active], proxmox.ForceTriggersAnnotation), force)
}

// sharedOfReplacement refuses a new VM for a server that differs from it in a setting which all servers of a cluster have alike: K3s would not let it
// join, and the server that it is to replace would be gone. A person who has changed the setting on all servers says so with lifecycle.force.
func sharedOfReplacement(c *call, m *machine.Machine) (errs field.ErrorList) {
	if m.K3s == nil || m.K3s.Role != v1alpha1.K3sServer || forces(c) {
		return nil
	}

	made, known := bootstrap.K3sShared(c.facts.Observed.UserDataOf(c.facts.Observed.VMs[c.facts.Roles.Active]))
	if !known {
		return nil
	}

	at := field.NewPath("spec", "k3s")

	for _, key := range (k3s.Shared{Config: m.K3s.Config, Disable: m.K3s.Disable}).Changes(made) {
		path, value := at.Child("config").Key(key), m.K3s.Config[key]
		if key == "disable" {
			path, value = at.Child(key), any(m.K3s.Disable)
		}

		errs = append(errs, field.Invalid(path, value, fmt.Sprintf("differs from what the server was made with, and K3s lets no server join that differs from its cluster: write "+
			"what the cluster has (%s on the VM), here or where the catalogue says it", k3s.ConfigPath)))
	}

	return errs
}
