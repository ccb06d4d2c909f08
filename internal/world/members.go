package world

import "github.com/homelab-io/function-proxmox-machine/internal/k3s"

// keepsMember says whether etcd refuses to let the member of a Node go, so that K3s tries again and its finalizer keeps the Node. works says of which Nodes the
// member works.
//
// etcd does so unless somebody has turned --strict-reconfig-check off (etcd, server/etcdserver/server.go, mayRemoveMember). K3s leaves it on (ETCDConfig in
// pkg/daemons/executor), and returns the error where it removes a member (pkg/etcd/member_controller.go, onRemove). A member that works goes where those of the
// others that work are a majority of the others; one that is down goes at any time; nothing does without a majority of all, and the last one never.
func keepsMember(c *Cluster, node string, works func(node string) bool) bool {
	members, work, own := 0, 0, 0

	for _, name := range Keys(c.Nodes) {
		if !isMember(c.Nodes[name]) || apart(c, node, name) {
			continue
		}

		members++

		if works(name) {
			work++

			if name == node {
				own = 1
			}
		}
	}

	return members == 1 || work < k3s.Majority(members) || own > 0 && work-own < k3s.Majority(members-1)
}

// isMember says whether a Node is that of a server with a member of etcd.
func isMember(node map[string]any) bool {
	return Object(Object(node["metadata"])["labels"])["node-role.kubernetes.io/etcd"] != nil
}

// memberWorks says whether the member of etcd of a server's Node works: K3s runs in its VM, where that is known, and says so.
func memberWorks(c *Cluster, node string) bool {
	return (c.Registered(node) == 0 || c.NodeServes(node)) && c.is(node, "EtcdIsVoter")
}
