package compose

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// Names of the managed resources of a K3s cluster's servers that the function asks Crossplane for: VMs and snippets.
const (
	serversRequirement     = "k3s-servers"
	serverFilesRequirement = "k3s-server-files"
	formerRequirement      = "k3s-former-servers"
)

// serversOf are the labels of all managed resources of the servers of a K3s cluster, by the label of the cluster.
func serversOf(cluster string) map[string]string {
	return map[string]string{proxmox.ClusterLabel: cluster, proxmox.K3sRoleLabel: string(v1alpha1.K3sServer)}
}

// otherServers asks for the VMs of the other servers of a K3s cluster, by its label. A server whose cluster has no name finds none.
func (c *call) otherServers(cluster string) (known bool, err error) {
	if c.facts.Servers.Known {
		return true, nil
	}

	if cluster == "" {
		c.facts.Servers = lifecycle.Servers{Known: true}
		return true, nil
	}

	servers, known, err := c.vms(serversRequirement, serversOf(cluster))
	if !known || err != nil {
		return known, err
	}

	countServers(c, slices.DeleteFunc(servers, c.facts.Owner.Owns), lifecycle.Servers{Known: true})

	return true, nil
}

// countServers notes the other servers of the machine's cluster, and of them those that its quorum is counted by, in what else is known of them.
// For a server that votes, a server without a member of etcd is none: it keeps nothing of the cluster's state.
func countServers(c *call, all []proxmox.ObservedVM, known lifecycle.Servers) {
	c.otherServerVMs = all
	c.facts.Servers = known
	c.facts.Servers.VMs = all

	if !etcdOf(c).Votes() {
		return
	}

	c.facts.Servers.VMs = slices.DeleteFunc(slices.Clone(all), func(vm proxmox.ObservedVM) bool {
		return resolve.MemberOf(vm).Etcd == proxmox.EtcdNone
	})
}

// etcdOf the claim's server: that of its VM, and before there is one what the claim itself says.
func etcdOf(c *call) proxmox.Etcd {
	if was := resolve.MemberOf(c.facts.Observed.VMs[c.facts.Roles.Active]); was.Etcd != "" {
		return was.Etcd
	}

	if k := c.claim.K3s(); k != nil {
		return resolve.EtcdOf(k.Role, k.Config)
	}

	return ""
}

// kinOf a claim are the servers that may serve its K3s cluster, before the claim is resolved. Of an entry that cannot be used nothing is read.
func kinOf(cat catalog.Catalog, c claim.Claim) lifecycle.Kin {
	out := lifecycle.Kin{Namespace: c.Identity.Namespace}

	k := c.K3s()
	if k == nil || k.Cluster == "" {
		return out
	}

	if entry, faults := cat.Cluster(nil, k.Cluster); len(faults) == 0 && len(validate.Cluster(entry)) == 0 {
		out.Named = entry.Namespaces
	}

	return out
}

// checkFormerCluster refuses a node another cluster while other servers are in the one that its VM was made in: each would believe that it is alone.
// Nothing waits for the answer: Crossplane calls again with it before it applies anything.
func checkFormerCluster(c *call, m *machine.Machine) field.ErrorList {
	if m == nil || m.K3s == nil || m.K3s.Former == "" {
		return nil
	}

	servers, _, err := c.vms(formerRequirement, serversOf(m.K3s.Former))
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("spec", "k3s", "clusterName"), err)}
	}

	if slices.ContainsFunc(servers, func(vm proxmox.ObservedVM) bool { return !c.facts.Owner.Owns(vm) }) {
		return field.ErrorList{resolve.ClusterLeft(m.K3s)}
	}

	return nil
}
