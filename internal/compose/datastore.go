package compose

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// datastoreOfBirth refuses the first VM of a server that would keep the state of its cluster elsewhere than all servers that exist: K3s would serve another
// cluster from there, under the same name and the same token. What exists is not asked, and lifecycle.force says that the servers were changed by hand.
func datastoreOfBirth(c *call, m *machine.Machine, cat catalog.Catalog) field.ErrorList {
	if !joins(m) || born(c) || c.claim.Fields().Adopt != nil || c.claim.Fields().Lifecycle.Force != "" {
		return nil
	}

	servers := map[string]bool{}

	for _, vm := range c.otherServerVMs {
		if has := resolve.MemberOf(vm).Etcd; has != "" && c.facts.Kin.Has(vm) {
			servers[vm.Spec.ForProvider.Name] = has == proxmox.EtcdOutside
		}
	}

	why := cluster.OtherDatastore(resolve.EtcdOf(v1alpha1.K3sServer, m.K3s.Config) == proxmox.EtcdOutside, servers)
	if why == "" {
		return nil
	}

	return field.ErrorList{field.Forbidden(sharedPath(c.claim.K3s(), cat, cmp.Or(k3s.VoteKey(m.K3s.Config), cluster.DatastoreKey)), why)}
}

// joins says whether a machine is a server of K3s that joins others.
func joins(m *machine.Machine) bool {
	return m.K3s != nil && m.K3s.Role == v1alpha1.K3sServer && !m.K3s.Init && m.K3s.Restore == "" && m.Snippets.UserData == ""
}
