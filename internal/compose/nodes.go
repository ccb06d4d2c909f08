package compose

import (
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// nodeRequirement is the machine's Kubernetes Node, among what the function asks Crossplane for.
const nodeRequirement = "k3s-node"

// readNode asks for the machine's Kubernetes Node, by name: an event of another Node then wakes nobody. Only clusters that the catalogue
// observes are asked, since without rights on Nodes Crossplane does not answer at all.
func (c *call) readNode() (known bool, err error) {
	m := c.facts.Machine
	if m.K3s == nil || !m.K3s.Observe.Reads() {
		return true, nil
	}

	// An edit of the host name reaches no guest that exists: status has the name that the VM was created with.
	hostname := m.FullHostname()
	if was := c.previous.Hostname; was != "" && lifecycle.Lives(c.facts.Observed.VMs, c.facts.Roles.Active) {
		hostname = was
	}

	read := lifecycle.ReadNode{Name: lifecycle.NodeName(hostname), ReadyBefore: status.ReadyUnobserved(c.previous)}
	items, known := require(c.req, c.rsp, nodeRequirement, &fnv1.ResourceSelector{
		ApiVersion: node.APIVersion,
		Kind:       node.Kind,
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: read.Name},
	})

	if object := first(items); object != nil && nameOf(object) == read.Name {
		n, err := node.Observe(object)
		if err != nil {
			return true, errors.Wrapf(err, "cannot read %s %q", node.Kind, read.Name)
		}

		read.Node = &n
	}

	c.facts.Node = read

	return known, nil
}
