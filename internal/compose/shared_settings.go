package compose

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// sharedOfReplacement refuses a new VM for a server that differs from it in a setting which all servers of a cluster have alike: K3s would not let it
// join, and the server that it is to replace would be gone. A person who has changed the setting on all servers says so with lifecycle.force.
func sharedOfReplacement(c *call, m *machine.Machine, cat catalog.Catalog) (errs field.ErrorList) {
	if m.K3s == nil || m.K3s.Role != v1alpha1.K3sServer || forces(c) {
		return nil
	}

	made, known := bootstrap.K3sShared(c.facts.Observed.UserDataOf(c.facts.Observed.VMs[c.facts.Roles.Active]))
	if !known {
		return nil
	}

	wants := k3s.Shared{Config: m.K3s.Config, Disable: m.K3s.Disable}

	for _, key := range wants.Changes(made) {
		errs = append(errs, field.Invalid(sharedPath(c.claim.K3s(), cat, key), wants.Value(key), fmt.Sprintf(
			"differs from what the server was made with (%s), and K3s lets no server join that differs from its cluster: write what the cluster has (%s on the VM)",
			message.Excerpt(made.Value(key)), k3s.ConfigPath)))
	}

	return errs
}

// sharedOfBirth refuses the first VM of a server that differs from all servers of its cluster that exist in a setting which all of them have alike: it would
// be created, and would never join. One server that was made with the value is enough: then somebody has changed the setting on the others, too, or is about
// to. What exists is not asked, and lifecycle.force says that the setting was changed on the servers by hand.
func sharedOfBirth(c *call, m *machine.Machine, cat catalog.Catalog) (errs field.ErrorList) {
	if born(c) || !joins(m) || c.claim.Fields().Adopt != nil || c.claim.Fields().Lifecycle.Force != "" {
		return nil
	}

	wants := k3s.Shared{Config: m.K3s.Config, Disable: m.K3s.Disable}
	made := c.serversMade()

	if len(made) == 0 {
		return nil
	}

	for _, key := range wants.Changes(made[0].shared) {
		if slices.ContainsFunc(made[1:], func(s serverMade) bool { return !slices.Contains(wants.Changes(s.shared), key) }) {
			continue
		}

		errs = append(errs, field.Invalid(sharedPath(c.claim.K3s(), cat, key), wants.Value(key), fmt.Sprintf(
			"the servers of the cluster were made with another value (%s: %s), and K3s lets no server join that differs from them. Write what they have; or, where you have "+
				"changed it in %s on all of them, set lifecycle.force of the new server", message.Excerpt(made[0].name), message.Excerpt(made[0].shared.Value(key)), k3s.ConfigPath)))
	}

	return errs
}

// born says whether a VM of the machine exists, or is being created: what only looks whether a VMID is free is none.
func born(c *call) bool {
	for _, vm := range c.facts.Observed.VMs {
		if !vm.ObserveOnly() {
			return true
		}
	}

	return false
}

// A serverMade is another server of a cluster with the settings that it was made with.
type serverMade struct {
	name   string
	shared k3s.Shared
}

// serversMade are the other servers of the machine's cluster whose user-data is known, by name. Those of namespaces that do not serve it say nothing.
func (c *call) serversMade() (out []serverMade) {
	for _, vm := range c.otherServerVMs {
		if made, known := bootstrap.K3sShared(proxmox.UserDataAmong(slices.Values(c.otherServerFiles), vm)); known && c.facts.Kin.Has(vm) {
			out = append(out, serverMade{name: vm.Spec.ForProvider.Name, shared: made})
		}
	}

	slices.SortFunc(out, func(a, b serverMade) int { return cmp.Compare(a.name, b.name) })

	return out
}

// sharedPath is where a setting stands, or should: in the claim, else in the cluster's entry of the catalogue.
func sharedPath(said *v1alpha1.K3s, cat catalog.Catalog, key string) *field.Path {
	at := field.NewPath("spec", "k3s")

	entry, faults := cat.Cluster(nil, said.Cluster)
	own := said.Config[key] != nil || key == "disable" && said.Disable != nil

	if !own && len(faults) == 0 && said.Cluster != "" {
		at = entry.Path()
	}

	if key == "disable" {
		return at.Child(key)
	}

	return at.Child("config").Key(key)
}
