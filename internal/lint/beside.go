package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A judged claim of a Machine or K3sNode in which nothing is wrong, and what it becomes.
type judgedClaim struct {
	object

	fields  v1alpha1.MachineFields
	k3s     *v1alpha1.K3s // Nil for other machines.
	machine *machine.Machine
	from    *catalogue // Claims with other catalogues are for other clusters. Nil without one.
}

// beside are warnings of a claim that is right alone, and wrong beside another one.
func beside(l *linter) []Fault {
	return slices.Concat(wide(l), releasesApart(l.right), endpointsOfOthers(l))
}

// A link is a bridge as the claim of a ProxmoxSite makes it.
type link struct {
	object

	node, name string
	mtu        int64
}

// linksOf the ProxmoxSites among the files, by the Proxmox that they are of and the name of the bridge. They are read once, for all claims.
func linksOf(l *linter) map[string][]link {
	if l.links != nil {
		return l.links
	}

	out := map[string][]link{}

	for _, o := range l.claims {
		if o.kind() != claim.KindProxmoxSite {
			continue
		}

		site := claim.Decode(composite(o)).ProxmoxSite
		if site == nil {
			continue
		}

		for _, node := range slices.Sorted(maps.Keys(site.Nodes)) {
			for _, b := range site.Nodes[node].Bridges {
				at := l.scopeOf(o, claim.Identity{Site: site.Proxmox.Site}) + "/" + b.Name
				out[at] = append(out[at], link{o, node, b.Name, validate.MTUOf(b)})
			}
		}
	}

	l.links = out

	return out
}

// wide warns of interfaces of VMs with a larger MTU than the ProxmoxSite among the files gives their bridge.
func wide(l *linter) []Fault {
	var out []Fault

	for _, j := range l.right {
		for _, w := range wider(l, j.object, j.fields.Proxmox, j.machine, "a VM", "write 1, which takes the bridge's,") {
			out = append(out, j.warning(w.path, w.text))
		}
	}

	return out
}

// wider are warnings of interfaces with a larger MTU than the ProxmoxSite among the files gives their bridge: Proxmox starts no such VM and no such container
// (errors.md, start.mtu). A claim that names no node can get any.
func wider(l *linter, o object, at v1alpha1.Placement, m *machine.Machine, guest, remedy string) []warning {
	var out []warning

	links := linksOf(l)

	for i, nic := range m.NICs {
		for _, b := range links[l.scopeOf(o, claim.Identity{Site: at.Site})+"/"+nic.Bridge] {
			if nic.MTU > b.mtu && (at.Node == "" || at.Node == b.node) {
				out = append(out, warning{machine.NICPath(i).Child("mtu").String(), fmt.Sprintf("%d: bridge %s of node %s has an MTU of %d (%s), and Proxmox does not start "+
					"%s with a larger one there: %s or raise that of the bridge first", nic.MTU, message.Excerpt(b.name), message.Excerpt(b.node), b.mtu, b.label(), guest, remedy)})

				break
			}
		}
	}

	return out
}

// warning of the claim at a path.
func (j judgedClaim) warning(path, text string) Fault {
	return j.fault(position(j.node, path), path, text, Warning)
}

// label of an object in a message: its kind and name.
func (o object) label() string {
	return fmt.Sprintf("%s %s, %s", message.Excerpt(o.kind()), message.Excerpt(o.name()), o.file)
}

// releasesApart warns of K3sNodes that join one address with releases that do not work together. Of a cluster in the catalogue the function knows the release.
func releasesApart(right []judgedClaim) []Fault {
	var out []Fault

	servers := map[joinedCluster][]judgedClaim{}

	for _, j := range right {
		if j.joinsAlone() && j.k3s.Role == v1alpha1.K3sServer {
			servers[j.cluster()] = append(servers[j.cluster()], j)
		}
	}

	for _, j := range right {
		if !j.joinsAlone() {
			continue
		}

		for _, s := range servers[j.cluster()] {
			if why := apart(j.k3s, s.k3s); why != "" {
				out = append(out, j.warning("spec.k3s.version", fmt.Sprintf("%s: %s (%s) has %s: %s", message.Excerpt(j.k3s.Version),
					message.Excerpt(s.name()), s.file, message.Excerpt(s.k3s.Version), why)))

				break
			}
		}
	}

	return out
}

// joinsAlone says whether it is a node of a cluster that is not in the catalogue.
func (j judgedClaim) joinsAlone() bool {
	return j.k3s != nil && j.k3s.Cluster == "" && j.k3s.Server != ""
}

// A joinedCluster is known by the address at which its nodes join.
type joinedCluster struct {
	from   *catalogue
	server string
}

// cluster that the node joins.
func (j judgedClaim) cluster() joinedCluster { return joinedCluster{j.from, j.k3s.Server} }

// oldestKubelet is how many minor releases a kubelet may be older than the API servers: https://kubernetes.io/releases/version-skew-policy/#kubelet
const oldestKubelet = 3

// apart is why a node does not work beside a server; empty where it does.
func apart(node, server *v1alpha1.K3s) string {
	own, ok := k3s.MinorOf(node.Version)
	of, known := k3s.MinorOf(server.Version)
	agent := node.Role == v1alpha1.K3sAgent

	switch {
	case !ok || !known:
		return ""
	case agent && own > of:
		return "an agent must not be newer than a server of its cluster: upgrade the servers first"
	case agent && own < of-oldestKubelet:
		return fmt.Sprintf("an agent may be %d minor releases older than its servers, and no more", oldestKubelet)
	case !agent && own > of+1:
		return "servers of a cluster may be one minor release apart, during an upgrade: take the same one, " +
			"or upgrade the others first, one minor release after the other"
	}

	return ""
}
