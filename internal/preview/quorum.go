package preview

import (
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// CountServers says of the claims of K3s servers that a plan deletes what remains of their clusters' etcd. Crossplane deletes what has no claim any
// more without calling the function, so nobody keeps a server for its quorum then, and all of them go at once. existing are all machines that there
// are, deleted or not. The nodes of a K3sCluster are its own to count.
func (r Renderer) CountServers(p *Plan, existing []Story) {
	members, leaving := map[string][]string{}, map[string][]int{}
	gone := map[string]int{}

	for i, m := range p.Machines {
		if m.State == StateGone {
			gone[m.Kind+"/"+m.Namespace+"/"+m.Name] = i
		}
	}

	for _, s := range existing {
		c := claim.Decode(s.Claim.Object.Object)
		k := c.K3s()

		if !s.Given || c.OfCluster || k == nil || k.Role != v1alpha1.K3sServer || k3s.VoteOf(k.Config) != "" {
			continue
		}

		kind, namespace, name := r.Configuration.identity(s.Claim.Object)

		cluster, name := c.Cluster().Label, kind+"/"+namespace+"/"+name
		if slices.Contains(members[cluster], name) {
			continue
		}

		members[cluster] = append(members[cluster], name)

		if i, leaves := gone[name]; leaves {
			leaving[cluster] = append(leaving[cluster], i)
		}
	}

	for cluster, all := range members {
		left, needed := len(all)-len(leaving[cluster]), k3s.Majority(len(all))
		if left >= needed {
			continue
		}

		for _, i := range leaving[cluster] {
			p.Machines[i].Notes = append(p.Machines[i].Notes, lostQuorum(cluster, len(all), len(leaving[cluster])))
			p.Machines[i].Effects = append(p.Machines[i].Effects, EffectQuorum)
		}
	}
}

func lostQuorum(cluster string, all, leaving int) string {
	if all == leaving {
		return fmt.Sprintf("deletes all %d servers of K3s cluster %s, and the cluster's state with them", all, cluster)
	}

	return fmt.Sprintf("deletes %d of %d servers of K3s cluster %s in one commit: %d left, and etcd needs %d, so the cluster stops. Delete one in a commit, "+
		"and the next one when `kubectl get nodes` shows that its Node is gone", leaving, all, cluster, all-leaving, k3s.Majority(all))
}
