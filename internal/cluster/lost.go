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
func (w World) declaredLost() []Member {
	out := slices.Clone(w.Members)

	for i, m := range out {
		c, exists := w.Children[m.Node]
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

// losses are the nodes of a cluster whose VMs are gone with their Proxmox nodes.
type losses struct{ *decision }

func lossesOf(d *decision) losses { return losses{d} }

// lost says whether the VM of a node is gone with its Proxmox node: a person says so, or the catalogue does not have the Proxmox node any more
// and the provider cannot read the VM there. A node that serves is not lost, whatever anybody says.
func (d losses) lost(node string) bool {
	c, exists := d.Children[node]
	if !exists || c.Deleting || c.Answered && c.serves() {
		return false
	}

	return c.HostGone && c.Unread || d.fenced(node)
}

// fenced says whether a person gave the word that the VM of a node is off for good.
func (d losses) fenced(node string) bool {
	c := d.Children[node]

	word := d.members[node].Lifecycle[lostField]
	if !d.wants(node) {
		word = group(c.Spec, "lifecycle")[lostField]
	}

	return c.ProxmoxNode != "" && word == c.ProxmoxNode
}

// rejoins says whether a lost server is being replaced: a member of etcd is about to go and another one to come, and no other server is to change
// meanwhile.
func (d losses) rejoins(node string) bool {
	c := d.Children[node]

	return c.Role == v1alpha1.K3sServer && c.Need == NeedReplacing
}

// allLost are the lost nodes, sorted.
func (d losses) allLost() []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(d.Children)) {
		if d.lost(name) {
			out = append(out, name)
		}
	}

	return out
}

// lostServers are the lost servers, sorted.
func (d losses) lostServers() []string {
	return slices.DeleteFunc(d.allLost(), func(name string) bool { return d.Children[name].Role != v1alpha1.K3sServer })
}

// margin says whether the servers can do without one of them, or take one more up: a lost server is a member of etcd that is out, and counts.
func (d losses) margin(node string) bool {
	if len(d.lostServers()) == 0 {
		return true
	}

	if _, exists := d.Children[node]; exists {
		return d.majority(node)
	}

	// A member that has just joined can be out, too.
	voters, serve := d.serving("")

	return serve > (voters+1)/2
}

// runbook is where docs/clusters.md says what to do for lost nodes.
const runbook = "docs/clusters.md#a-proxmox-node-that-does-not-come-back"

// lostMessage says which nodes are lost and what is to be done next; empty where none is.
func (d losses) lostMessage() string {
	all := d.allLost()
	if len(all) == 0 {
		return ""
	}

	var out []string

	if servers := d.lostServers(); len(servers) > 0 && !d.quorate() {
		out = append(out, fmt.Sprintf("Without %s, the servers are no majority: docs/clusters.md#the-majority-of-the-servers-is-lost", list(servers)))
	}

	for _, name := range all {
		out = append(out, d.lostNext(name))
	}

	return strings.Join(append(sentences(out), "See "+runbook+"."), " ")
}

// quorate says whether the servers that serve are a majority of all.
func (d losses) quorate() bool {
	voters, serve := d.serving("")

	return serve > voters/2
}

// lostNext says what is to be done next for a lost node.
func (d losses) lostNext(node string) string {
	c := d.Children[node]
	is := node + " is lost with Proxmox node " + c.ProxmoxNode

	switch {
	case !d.wants(node) && d.fenced(node):
		return is + ", and is to go"
	case !d.fenced(node):
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
