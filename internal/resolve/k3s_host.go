package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A typed address, and the field that has it.
type typed struct {
	value string
	at    *field.Path
}

// fitsEndpoint refuses an endpoint that is no other host's address: on each node it would be that node itself, or nobody. Without a port, K3s asks for
// 443, where a load balancer may listen and K3s does not. shared is the config of the cluster.
func fitsEndpoint(n *notes, endpoint typed, nics []machine.NIC, shared map[string]any) {
	u, err := url.Parse(endpoint.value)
	if err != nil || u.Hostname() == "" {
		return // Package k3s says what it must be.
	}

	host := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(host)
	edge := edgeAt(nics, address)

	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		n.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value), "is each node itself: name the host by which all nodes reach the servers"))
	case err == nil && validate.IsNobodys(address):
		n.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value),
			"must be the address of a host that all nodes reach, not a loopback, link-local, multicast or reserved address"))
	case edge != "":
		n.add(field.Invalid(endpoint.at, message.Excerpt(endpoint.value), edge+": no host can have it"))
	case u.Port() == "":
		n.warn("%s: %s has no port, so nodes join at 443, where K3s does not listen: unless a load balancer does, write https://%s.",
			endpoint.at, message.Excerpt(endpoint.value), message.Excerpt(net.JoinHostPort(u.Hostname(), k3s.PortOfNodes(shared).Port)))
	default:
		fitsPort(n, endpoint, u, k3s.PortOfNodes(shared))
	}
}

// onProxmox warns of an endpoint that is a node of Proxmox: K3s runs in VMs, and nothing answers there but what somebody set up on the node by hand.
func onProxmox(n *notes, endpoint typed, site catalog.Site) {
	u, err := url.Parse(endpoint.value)
	if err != nil {
		return
	}

	host := strings.ToLower(u.Hostname())
	short, _, _ := strings.Cut(host, ".")

	for _, name := range slices.Sorted(maps.Keys(site.Nodes)) {
		if host != "" && strings.ToLower(name) == short {
			n.warn("%s: %s is the name of Proxmox node %s (%s), and K3s runs in VMs: unless a load balancer on the node passes it on, no node joins. "+
				"Name the host by which all nodes reach the servers.", endpoint.at, message.Excerpt(endpoint.value), message.Excerpt(name), site.NodePath(name))
		}
	}
}

// byMulticast warns of an endpoint by a name of mDNS: K3s' resolver is Go's own, and asks name servers alone (k3s-io/k3s issues 2085 and 9748), and
// systemd-resolved asks none for a name below local unless its domain is a search domain (systemd-resolved(8), Protocols and Routing).
func byMulticast(n *notes, endpoint typed, m *machine.Machine) {
	u, err := url.Parse(endpoint.value)
	if err != nil {
		return
	}

	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	searched := slices.ContainsFunc(append([]string{m.Domain}, m.SearchDomains...), func(domain string) bool {
		return domain != "" && strings.HasSuffix("."+host, "."+strings.ToLower(domain))
	})

	if strings.HasSuffix(host, ".local") && !searched {
		n.warn("%s: %s is a name of mDNS, as all below local are, and K3s asks name servers alone, of which images with systemd-resolved ask none for it, so that no node joins: name an address, or a name that your name server has, "+
			"such as https://%s.home.arpa:%s.", endpoint.at, message.Excerpt(u.Hostname()), message.Excerpt(strings.TrimSuffix(host, ".local")), cmp.Or(u.Port(), "6443"))
	}
}

// othersPorts are those of other programs on servers and nodes, of which guides tell beside the endpoint: where K3s listens for nodes at none of them.
// https://docs.rke2.io/install/ha, https://docs.k3s.io/installation/requirements (Networking), and the API of Proxmox VE.
var othersPorts = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"9345": "that of RKE2", "2379": "that of etcd", "2380": "that of etcd's members", "10250": "that of the kubelet", "8006": "that of Proxmox VE",
	"22": "that of SSH",
}

// fitsPort warns of an endpoint at another port than that at which the servers listen for nodes. A load balancer may pass it on.
func fitsPort(n *notes, endpoint typed, u *url.URL, listens k3s.Listening) {
	where, of := listens.Key, othersPorts[u.Port()]

	switch {
	case u.Port() == listens.Port:
		return
	case !listens.Said && of != "":
		where = "the default of K3s; " + u.Port() + " is " + of
	case !listens.Said:
		return
	}

	n.warn("%s: nodes join at port %s, and the servers listen for them at %s (%s): unless a load balancer passes it on, write https://%s.",
		endpoint.at, u.Port(), listens.Port, where, message.Excerpt(net.JoinHostPort(u.Hostname(), listens.Port)))
}

// The least that K3s needs, by its documentation (https://docs.k3s.io/installation/requirements, Hardware): a server two cores and 2 GiB, an agent 512 MiB.
const (
	serverCores     = 2
	serverMemoryMiB = 2048
	agentMemoryMiB  = 512
)

// fitsSize warns of a node that is smaller than K3s needs. A server that is short of memory loses its etcd to the kernel, long after it was Ready.
func fitsSize(g *given, n *notes, m *machine.Machine, k *machine.K3s) {
	memory := sizeField(g, "memory", g.spec.Size.Memory != "")

	switch {
	case k.Role == v1alpha1.K3sServer && m.MemoryMiB > 0 && m.MemoryMiB < serverMemoryMiB:
		n.warn("%s: %dMi is less than the 2Gi that a K3s server needs: its etcd is killed under load.", memory, m.MemoryMiB)
	case k.Role == v1alpha1.K3sServer && m.Cores > 0 && m.Cores < serverCores:
		n.warn("%s: %d is less than the 2 cores that a K3s server needs: its etcd loses its leader under load.", sizeField(g, "cores", g.spec.Size.Cores != nil), m.Cores)
	case k.Role == v1alpha1.K3sServer && m.MemoryFloorMiB > 0 && m.MemoryFloorMiB < serverMemoryMiB:
		n.warn("%s: when its Proxmox node is short of memory, the server is left with %dMi, less than the 2Gi that a K3s server needs: set 2Gi or more, or remove it.",
			g.at.Child("size", "memoryFloor"), m.MemoryFloorMiB)
	case m.MemoryMiB > 0 && m.MemoryMiB < agentMemoryMiB:
		n.warn("%s: %dMi is less than the 512Mi that a K3s agent needs, before any pod.", memory, m.MemoryMiB)
	case m.MemoryFloorMiB > 0 && m.MemoryFloorMiB < m.MemoryMiB && len(g.spec.Devices.PCI) == 0:
		// The kubelet reads the memory of the guest when it starts, and the balloon takes it away later: kubernetes/kubernetes#103887.
		n.warn("%s: Kubernetes counts on the memory that the guest has when K3s starts, here up to %dMi, and places pods by it. When the Proxmox node takes it back down to %dMi, pods are killed: "+
			"remove memoryFloor, or set it to the memory.", g.at.Child("size", "memoryFloor"), m.MemoryMiB, m.MemoryFloorMiB)
	}
}

// sizeField is the field that a person typed from which a figure of the size comes: the figure's own, or the class with its name.
func sizeField(g *given, name string, typed bool) string {
	if !typed && g.spec.Class != "" {
		return fmt.Sprintf("%s: %s of %s", g.at.Child("class"), name, message.Excerpt(g.spec.Class))
	}

	return g.at.Child("size", name).String()
}

// ownAddressKeys are the keys of K3s's config whose addresses an interface of the node must have, or K3s does not start: the kubelet looks for node-ip among
// them (kubernetes, pkg/kubelet, validateNodeIP), and bind-address is listened on.
var ownAddressKeys = []string{"bind-address", "node-ip"} //nolint:gochecknoglobals // A constant list.

const keyAdvertised, keyExternal, keyFlannelExternal = "advertise-address", "node-external-ip", "flannel-external-ip"

// hasAddresses warns of a config with an address that the machine does not have. It may get one that the function knows nothing of, such as that of a VPN.
func hasAddresses(where func(key string) *field.Path, n *notes, m *machine.Machine, k *machine.K3s) {
	if slices.ContainsFunc(m.NICs, func(nic machine.NIC) bool { return !isFixed(nic.IPv4) || !isFixed(nic.IPv6) }) {
		return
	}

	own := ownIPs(m)
	advertises(where, n, own, k)

	for _, key := range ownAddressKeys {
		value, _ := k.Config[key].(string)

		for said := range strings.SplitSeq(value, ",") {
			address, err := netip.ParseAddr(strings.TrimSpace(said))
			if err != nil || address.IsUnspecified() || address.IsLoopback() || slices.ContainsFunc(own, func(o string) bool { return sameHost(o, address.String()) }) {
				continue
			}

			n.warn("%s: %s is no address of this machine (%s): K3s does not start, unless something in the guest gives it to an interface before.",
				where(key), address, strings.Join(own, ", "))
		}
	}
}

// advertises warns of a server that sends clients to an address which is neither its own nor one of those by which its cluster is reached, such as a virtual
// IP: the API server writes it into the endpoints of the Service kubernetes. K3s takes the first node-external-ip where nobody says another one (pkg/cli/server
// of k3s-io/k3s).
func advertises(where func(key string) *field.Path, n *notes, own []string, k *machine.K3s) {
	key, remedy := keyAdvertised, "Leave it out: K3s takes the node's own address"
	if _, said := k.Config[key]; !said {
		key, remedy = keyExternal, "K3s takes it for advertise-address, too: set that to the node's own address, or name it in tlsSANs where a router passes it on to this machine"
	}

	if key == keyExternal && k.Config[keyFlannelExternal] == true {
		return // All nodes reach each other at these addresses.
	}

	value, _ := k.Config[key].(string)
	value, _, _ = strings.Cut(value, ",")

	address, err := netip.ParseAddr(strings.TrimSpace(value))
	if err != nil || k.Role != v1alpha1.K3sServer || IsHost(k.ServerURL, address) {
		return
	}

	if slices.ContainsFunc(slices.Concat(own, k.TLSSANs), func(o string) bool { return sameHost(o, address.String()) }) {
		return
	}

	n.warn("%s: %s is no address of this machine (%s), and neither the endpoint nor tlsSANs of its cluster name it: pods are sent there for the Kubernetes API, and CoreDNS and others do not start where nobody "+
		"answers. %s.", where(key), address, strings.Join(own, ", "), remedy)
}

// sharesExternal warns of one external address for all nodes of a cluster with which flannel sends the packets of pods there: each node is at the same place
// then. A cluster begins with its first server, which may be all of it.
func sharesExternal(at *field.Path, g *given, n *notes, of cluster) {
	_, own := g.k3s.Config[keyExternal]
	if shared := !own || g.ofCluster; !shared || of.k3s.Init || of.k3s.Config[keyExternal] == nil || of.shared[keyFlannelExternal] != true {
		return
	}

	n.warn("%s: all nodes that have this config have one external address, and with flannel-external-ip each sends the packets of its pods for any other node there, where they do not arrive: "+
		"remove flannel-external-ip, or give each node its own address, in config of a K3sNode.", at)
}

// ownIPs are the addresses of a machine that are known, in the order of its interfaces.
func ownIPs(m *machine.Machine) []string {
	var out []string

	for _, nic := range m.NICs {
		for _, a := range []string{nic.IPv4.Address, nic.IPv6.Address} {
			if a != "" {
				out = append(out, a)
			}
		}
	}

	return out
}

// isFixed says whether it is known which address an interface has in a family, or that it has none.
func isFixed(a machine.Addressing) bool { return a.Method == machine.MethodNone || a.Address != "" }

// hostsK3s checks that cloud-init can install K3s on the machine.
func hostsK3s(g *given, n *notes, m *machine.Machine) {
	at := g.at.Child("image")
	b := m.Boot

	switch {
	case b.Source == "":
	case b.OS == machine.OSNixOS:
		n.add(field.Invalid(at, message.Excerpt(b.Image), "a NixOS machine configures K3s in its flake: use a Machine with nix.flakeRef"))
	case b.OS == machine.OSWindows || b.OS == machine.OSOther:
		n.add(field.Invalid(at, message.Excerpt(b.Image), "K3s needs a Linux image with cloud-init: name an image with os: debian, ubuntu or linux"))
	case !b.CloudInit:
		n.add(field.Invalid(at, message.Excerpt(b.Image), "K3s needs an image that reads cloud-init data"))
	}

	if len(m.Hostname) > k3s.MaxNodeName {
		n.add(field.Invalid(g.at.Child("hostname"), message.Excerpt(m.Hostname), "must be at most 63 characters long, because it is the name of a Kubernetes node"))
	}
}
