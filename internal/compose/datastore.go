package compose

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// datastoreOfBirth refuses the first VM of a server that would keep the state of its cluster elsewhere than all servers that exist: K3s would serve another
// cluster from there, under the same name and the same token. What exists is not asked, and lifecycle.force says that the servers were changed by hand.
func datastoreOfBirth(c *call, m *machine.Machine, cat catalog.Catalog) field.ErrorList {
	if !joins(m) || born(c) || c.claim.Fields().Adopt != nil || c.claim.Fields().Lifecycle.Force != "" {
		return nil
	}

	wants, differs := resolve.EtcdOf(v1alpha1.K3sServer, m.K3s.Config) == proxmox.EtcdOutside, ""

	for _, vm := range slices.SortedFunc(slices.Values(c.otherServerVMs), byName) {
		has := resolve.MemberOf(vm).Etcd

		switch {
		case has == "" || !c.facts.Kin.Has(vm):
		case (has == proxmox.EtcdOutside) == wants:
			return nil
		default:
			differs = cmp.Or(differs, vm.Spec.ForProvider.Name)
		}
	}

	if differs == "" {
		return nil
	}

	return field.ErrorList{field.Forbidden(sharedPath(c.claim.K3s(), cat, cmp.Or(k3s.VoteKey(m.K3s.Config), cluster.DatastoreKey)),
		cluster.OtherDatastore(wants, message.Excerpt(differs)))}
}

// joins says whether a machine is a server of K3s that joins others.
func joins(m *machine.Machine) bool {
	return m.K3s != nil && m.K3s.Role == v1alpha1.K3sServer && !m.K3s.Init && m.K3s.Restore == "" && m.Snippets.UserData == ""
}

func byName(a, b proxmox.ObservedVM) int {
	return cmp.Compare(a.Spec.ForProvider.Name, b.Spec.ForProvider.Name)
}
