package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// lostField is lifecycle.lost of a node: the Proxmox node that does not come back.
const lostField = "lost"

// declaredLost are the members, with the Proxmox node in lifecycle.lost of those of which a person says that it does not come back. It is the one on
// which the VM was when the word came, so that a word which stays in the claim says nothing of the VM that follows.
func declaredLost(members []Member, children Children) []Member {
	out := slices.Clone(members)

	for i, m := range out {
		c, exists := children[m.Node]
		if !m.Lost || !exists {
			continue
		}

		host, said := c.Requested[lostField].(string)
		if !said {
			host = c.ProxmoxNode
		}

		if host == "" {
			continue
		}

		all := map[string]any{lostField: host}
		maps.Copy(all, m.Lifecycle)
		out[i].Lifecycle = all
	}

	return out
}

// leavingLost are the requests of a node that is to go, with the Proxmox node of which a person says that it does not come back in place of the word.
func leavingLost(asks map[string]any, c Child) map[string]any {
	if asks[lostField] != true {
		return asks
	}

	out := maps.Clone(asks)
	delete(out, lostField)

	if host, said := c.Requested[lostField].(string); said {
		out[lostField] = host
	} else if c.ProxmoxNode != "" {
		out[lostField] = c.ProxmoxNode
	}

	return out
}

// givesUp says whether a node that is to go has not given up yet what is on its lost Proxmox node: the provider would try to delete that for ever.
func givesUp(s *Step, c Child) bool {
	word := group(s.Spec, "lifecycle")[lostField]

	return word != nil && (group(c.Spec, "lifecycle")[lostField] != word || !c.Answered)
}

// saidLost is what is the matter with a server of which a person says that its Proxmox node does not come back, before the provider has seen that.
const saidLost = "a person says that it is lost, and its VM was not read since"

// doubted are the nodes that exist, where a server does not count for as long as a person says that it is lost and no Node shows the contrary: the
// provider may have read its VM minutes before its Proxmox node died. The VM itself stays as it is until the provider cannot read it.
func doubted(l losses) Children {
	out := maps.Clone(l.children)

	for name, c := range l.children {
		if c.Role == v1alpha1.K3sServer && !c.VersionSeen && c.serves() && l.fenced(name) {
			c.Silent = append(slices.Clone(c.Silent), saidLost)
			out[name] = c
		}
	}

	return out
}

// losses are the nodes of a cluster whose VMs are gone with their Proxmox nodes.
type losses struct {
	// children as they say themselves that they are.
	children Children
	// members are the nodes that the claim describes, by [Member.Node], with the words of [declaredLost].
	members map[string]Member
}

// lost says whether the VM of a node is gone with its Proxmox node: a person says so, or the catalogue does not have the Proxmox node any more
// and the provider cannot read the VM there. A node that serves is not lost, whatever anybody says.
func (l losses) lost(node string) bool {
	c, exists := l.children[node]
	if !exists || c.Deleting || c.Answered && c.serves() {
		return false
	}

	return c.HostGone && c.Provider != ProviderWell || l.fenced(node)
}

// fenced says whether a person gave the word that the VM of a node is off for good.
func (l losses) fenced(node string) bool {
	c := l.children[node]
	m, wanted := l.members[node]

	word := m.Lifecycle[lostField]
	if !wanted {
		word = group(c.Spec, "lifecycle")[lostField]
	}

	return c.ProxmoxNode != "" && word == c.ProxmoxNode
}

// rejoins says whether a lost server is being replaced: a member of etcd is about to go and another one to come, and no other server is to change
// meanwhile.
func (l losses) rejoins(node string) bool {
	c := l.children[node]

	return c.Role == v1alpha1.K3sServer && c.Need == NeedReplacing
}

// all are the lost nodes, sorted.
func (l losses) all() []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(l.children)) {
		if l.lost(name) {
			out = append(out, name)
		}
	}

	return out
}

// servers are the lost servers, sorted.
func (l losses) servers() []string {
	return slices.DeleteFunc(l.all(), func(name string) bool { return l.children[name].Role != v1alpha1.K3sServer })
}

// margin says whether the servers can do without one of them, or take one more up: a lost server is a member of etcd that is out, and counts.
func (l losses) margin(node string) bool {
	if len(l.servers()) == 0 {
		return true
	}

	if _, exists := l.children[node]; exists {
		return l.children.majority(node)
	}

	return l.children.takesUp()
}

// runbook is where docs/clusters.md says what to do for lost nodes.
const runbook = "docs/clusters.md#a-proxmox-node-that-does-not-come-back"

// message says which nodes are lost and what is to be done next; empty where none is.
func (l losses) message() string {
	all := l.all()
	if len(all) == 0 {
		return ""
	}

	var out []string

	if servers := l.servers(); len(servers) > 0 && !l.children.quorate() {
		out = append(out, fmt.Sprintf("Without %s, the servers are no majority: docs/clusters.md#the-majority-of-the-servers-is-lost", list(servers)))
	}

	for _, name := range all {
		out = append(out, l.next(name))
	}

	return strings.Join(append(sentences(out), "See "+runbook+"."), " ")
}

// next says what is to be done next for a lost node.
func (l losses) next(node string) string {
	c := l.children[node]
	_, wanted := l.members[node]
	is := node + " is lost with Proxmox node " + c.ProxmoxNode

	switch {
	case !wanted && l.fenced(node):
		return is + ", and is to go"
	case !l.fenced(node):
		return is + ", which the catalogue does not have: when its VM is off for good, set lost: true for it in spec.nodes"
	case c.Need == NeedReplacing:
		return is + ", and is being replaced"
	case c.Need == NeedBlocked && c.Held.Message != "":
		return is + ", and its replacement waits: " + typed(node, c.Role, c.Held.Message)
	case !c.Answered:
		return is + ", and has not answered its new spec yet"
	default:
		return is + ": set lifecycle.replace to a new value for it in spec.nodes"
	}
}
