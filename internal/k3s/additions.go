package k3s

import (
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
)

// AdditionsPath is the path of the file with [Additions]. K3s reads it beside its config.yaml, after which it comes.
const AdditionsPath = "/etc/rancher/k3s/config.yaml.d/80-cluster.yaml"

// Additions are what a new node needs beside its config.yaml so that it fits its cluster and its network. They are in a file of their own, since
// no claim asked for them: a node without the file is as current as one with it.
type Additions struct {
	// Names are added to the names in a server's certificate. K3s appends a list whose key ends with a plus.
	Names []string `yaml:"tls-san+,omitempty"`
	// Interface is the one of the pod network.
	Interface string `yaml:"flannel-iface,omitempty"`
}

// File with the additions; false where there are none.
func (a Additions) File() (file cloudinit.File, needed bool, err error) {
	if len(a.Names) == 0 && a.Interface == "" {
		return cloudinit.File{}, false, nil
	}

	content, err := toYAML(a)

	return added(AdditionsPath, "0600", content), true, errors.Wrap(err, "cannot write what a node needs beside its config.yaml")
}

// Additions of a node. interfaces are the addresses of each of its interfaces, by which that of its node-ip is found: with several of them, flannel
// takes the interface of the default route, which need not be that of node-ip (k3s-io/k3s issues 12056 and 12459).
func (n Node) Additions(interfaces []Interface) Additions {
	return Additions{Names: n.endpointNames(), Interface: n.podInterface(interfaces)}
}

// An Interface of a node: its name in the guest, and its fixed addresses.
type Interface struct {
	Name      string
	Addresses []string
}

// endpointNames are the host of the cluster's address, where the claim or the catalogue does not name it as one of the certificate: a server that
// joins checks it, and once Nodes are known, K3s adds no name to the certificate that tls-san lacks (k3s-io/k3s issues 8247 and 9257,
// pkg/cluster/address_controller.go).
func (n Node) endpointNames() []string {
	host := hostOf(n.ServerURL)
	if !n.Role.server() || host == "" || slices.ContainsFunc(n.TLSSANs, func(name string) bool { return strings.EqualFold(name, host) }) {
		return nil
	}

	return []string{host}
}

// podInterface is the interface of the node's address, where config.yaml does not say it, and K3s would have a choice.
func (n Node) podInterface(interfaces []Interface) string {
	if _, vpn := n.Config["vpn-auth-file"]; vpn || len(interfaces) < 2 || len(addressIn(n.Config, AddressOfPods)) > 0 {
		return ""
	}

	addresses := addressIn(n.Config, AddressOfNode)
	if len(addresses) == 0 && n.NodeIP != "" {
		addresses = strings.Split(n.NodeIP, ",")
	}

	for _, i := range interfaces {
		if slices.ContainsFunc(addresses, func(a string) bool { return slices.Contains(i.Addresses, a) }) {
			if i.Name == n.FlannelIface {
				return ""
			}

			return i.Name
		}
	}

	return ""
}

// addressIn is what a config says of an address, by the keys that state it.
func addressIn(config map[string]any, a Address) []string {
	for _, key := range sortedKeys(config) {
		if effects[key].Address == a {
			list, _ := asList(config[key]).([]string)
			return list
		}
	}

	return nil
}
