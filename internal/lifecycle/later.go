package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// A ServerBehind is a server of a cluster that runs an earlier minor release of Kubernetes than a new agent would: the agent is not made before the server is
// upgraded. A kubelet must not be newer than an API server that it talks to, https://kubernetes.io/releases/version-skew-policy.
type ServerBehind struct {
	Server string // Its machine, as the claim's reader may know it.
	Runs   string // The release of K3s that its Node reports.
	Wanted string // That of the new agent.
}

// AsksForServersRelease says whether the Nodes of the cluster's servers have to be known: an agent is to be made, and Nodes are read. An agent that exists has
// what it was made with.
func AsksForServersRelease(s Situation) bool {
	k := s.Machine.K3s
	return k != nil && k.Role == v1alpha1.K3sAgent && k.Cluster != "" && k.Observe.Reads() && unmade(s) && !s.Adopted && !s.Objects.NoKind
}

// unmade says whether nothing has asked the provider yet to make the described VM.
func unmade(s Situation) bool { return s.State == StateAbsent || s.State == StateChecking }

// serverBehind is the server of the agent's cluster that runs the earliest release, where that is an earlier minor release than the agent's; nil where
// none is known to do so.
func serverBehind(s *Situation) *ServerBehind {
	if !AsksForServersRelease(*s) {
		return nil
	}

	wanted, ok := k3s.MinorOf(s.Machine.K3s.Version)
	if !ok {
		return nil
	}

	var out *ServerBehind

	servers, _ := s.Kin.divide(s.Servers)
	for _, vm := range servers {
		n, found := s.Servers.Nodes[NodeNameOf(vm)]
		if !found || !isNodeOf(n, vm) {
			continue
		}

		runs := n.Status.NodeInfo.KubeletVersion
		if minor, ok := k3s.MinorOf(runs); ok && minor < wanted && (out == nil || k3s.OlderRelease(runs, out.Runs)) {
			out = &ServerBehind{Server: s.Kin.machineOf(vm), Runs: runs, Wanted: s.Machine.K3s.Version}
		}
	}

	return out
}
