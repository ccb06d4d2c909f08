package k3s

import (
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
)

// Reserved are the places on the node that K3s' settings come from or that its bootstrap and installer write, with what
// to do instead of writing there. Files that the node has anyway are refused without being named here.
func (n Node) Reserved() map[string]string {
	const (
		bootstrap = "it belongs to the bootstrap of the K3s node; set spec.k3s"
		installer = "K3s' installer writes it; add a drop-in beside it"
	)

	reserved := map[string]string{
		"/etc/rancher/k3s/config.yaml.d/":              "set spec.k3s.config",
		"/etc/k3s-bootstrap/":                          bootstrap,
		"/var/lib/k3s-bootstrap/":                      bootstrap,
		"/etc/systemd/system/" + bootstrapUnit + ".d/": bootstrap,
		"/etc/systemd/system/k3s.service":              installer,
		"/etc/systemd/system/k3s.service.env":          installer,
		"/etc/systemd/system/k3s-agent.service":        installer,
		"/etc/systemd/system/k3s-agent.service.env":    installer,
	}

	if file := n.tokenFile(); file != "" {
		reserved[file] = "set spec.k3s.token"
	}

	return reserved
}

// Rules returns what the user's own cloud-config may not touch on a K3s node: the rules of every machine, what would end
// the bootstrap before K3s is up, and the reserved places.
func (n Node) Rules() cloudinit.Rules {
	rules := cloudinit.MachineRules()
	rules.Owned["power_state"] = "it would switch the node off before K3s is up"
	rules.Reserved = n.Reserved()

	return rules
}
