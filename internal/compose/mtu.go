package compose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// compareMTU warns of a K3s node with another MTU than the servers of its cluster. Only a node whose claim says one asks for them; one that says none is
// compared with those that are known anyway. Nothing waits for the answer: Crossplane calls again with it before it applies anything.
func compareMTU(c *call) error {
	m := c.facts.Machine
	if m.K3s == nil || m.K3s.Cluster == "" {
		return nil
	}

	servers := c.otherServerVMs

	if m.NICs[0].MTU != 0 {
		var err error
		if servers, _, err = c.vms(serversRequirement, serversOf(m.K3s.Cluster)); err != nil {
			return err
		}
	}

	if w := lifecycle.OtherMTU(c.facts, servers); w != "" {
		m.Warnings = append(m.Warnings, w)
	}

	return nil
}
