package cluster

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// hasServers says whether there is any server.
func (c Children) hasServers() bool {
	for _, n := range c {
		if n.Role == v1alpha1.K3sServer {
			return true
		}
	}

	return false
}

// founded says whether a server has ever joined.
func (c Children) founded() bool {
	for _, n := range c {
		if n.Role == v1alpha1.K3sServer && n.Joined {
			return true
		}
	}

	return false
}

// othersJoined says whether another server than one node has ever joined.
func (c Children) othersJoined(node string) bool {
	for name, n := range c {
		if name != node && n.Role == v1alpha1.K3sServer && n.Joined && !n.Deleting {
			return true
		}
	}

	return false
}

// voters are the servers by which the quorum of the cluster is counted, by name: those with a member of etcd, and all servers where none has one,
// because the cluster keeps its state elsewhere.
func (c Children) voters() Children {
	voters, servers := Children{}, Children{}

	for name, n := range c {
		if n.Role == v1alpha1.K3sServer {
			servers[name] = n
		}

		if n.votes() {
			voters[name] = n
		}
	}

	if len(voters) == 0 {
		return servers
	}

	return voters
}

// majority says whether the servers have a majority without one of them that leaves, and all others serve.
func (c Children) majority(without string) bool {
	_, leaves := c.voters()[without]
	voters, serve := c.serving(without)

	return serve >= k3s.Majority(voters) || leaves && voters == 2 && serve == 1
}

// quorate says whether the servers that serve are a majority of all.
func (c Children) quorate() bool {
	voters, serve := c.serving("")

	return serve >= k3s.Majority(voters)
}

// takesUp says whether the servers can take one more up. One that has just joined can be out, too.
func (c Children) takesUp() bool {
	voters, serve := c.serving("")

	return serve >= k3s.Majority(voters+1)
}

// serving is how many servers vote, and how many of them serve without one.
func (c Children) serving(without string) (voters, serve int) {
	all := c.voters()

	for name, n := range all {
		if name != without && n.serves() {
			serve++
		}
	}

	return len(all), serve
}

// onlyServer says whether a node is the only server that keeps the cluster's state.
func (c Children) onlyServer(m Member) bool {
	voters := c.voters()
	others := len(voters)

	if _, keeps := voters[m.Node]; keeps {
		others--
	}

	return m.Role == v1alpha1.K3sServer && others == 0
}

// Proven says whether one of the servers is known to be a Node of the cluster, which was read. Anybody can write a cluster's name into a claim: what else is
// read of the cluster is told to who has such a server.
func (c Children) Proven() bool {
	for _, n := range c {
		if n.Role == v1alpha1.K3sServer && n.VersionSeen {
			return true
		}
	}

	return false
}
