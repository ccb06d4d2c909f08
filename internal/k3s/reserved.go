package k3s

import (
	"path"
)

// Reserved are the places on the node that K3s' own settings come from, with what to do instead of writing there. Files
// that the node has anyway are refused without being named here.
func (n Node) Reserved() map[string]string {
	const advice = "set spec.k3s"

	return map[string]string{
		"/etc/rancher/k3s/config.yaml.d/": advice + ".config",
		path.Clean(n.tokenFile()):         advice + ".token",
		"/etc/k3s-bootstrap/":             advice,
	}
}
