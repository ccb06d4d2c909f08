package k3s

import (
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
)

// Reserved returns the paths on the node that configure K3s, or that its bootstrap and installer write, each with the advice what
// to do instead. Merging refuses the files of the node's own cloud-config anyway.
func (n Node) Reserved() map[string]string {
	const (
		bootstrap = "it belongs to the bootstrap of the K3s node; set spec.k3s"
		installer = "K3s's installer writes it; add a systemd drop-in instead"
	)

	reserved := map[string]string{
		"/etc/rancher/k3s/config.yaml.d/":    "set spec.k3s.config",
		"/etc/k3s-bootstrap/":                bootstrap,
		"/var/lib/k3s-bootstrap/":            bootstrap,
		unitFolder + bootstrapUnit + ".d/":   bootstrap,
		unitFolder + reportUnit + ".d/":      bootstrap,
		unitFolder + "k3s.service":           installer,
		unitFolder + "k3s.service.env":       installer,
		unitFolder + "k3s-agent.service":     installer,
		unitFolder + "k3s-agent.service.env": installer,
	}

	if file := n.tokenFile(); file != "" {
		reserved[file] = "set spec.k3s.token"
	}

	return reserved
}

// Rules returns the restrictions of a user's cloud-config on a K3s node: the rules of every machine, keys that would end the
// bootstrap before K3s is up, and the reserved paths.
func (n Node) Rules() cloudinit.Rules {
	rules := cloudinit.MachineRules()
	rules.Owned["power_state"] = "it would power off or reboot the node before K3s is up"
	rules.Reserved = n.Reserved()

	return rules
}
