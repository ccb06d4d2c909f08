package k3s

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
)

// A Proxy has the HTTP proxies of a node.
type Proxy struct {
	// HTTP and HTTPS are the proxies for http and https addresses, such as http://proxy.home.arpa:3128. Empty: none.
	HTTP, HTTPS string
	// No has the names, domains (.home.arpa), addresses and networks that the node reaches directly. K3s adds the networks of
	// Pods and Services itself (https://docs.k3s.io/advanced#configuring-an-http-proxy).
	No []string
}

func (p Proxy) isSet() bool { return p.HTTP != "" || p.HTTPS != "" }

// direct returns what the node reaches without its proxy: itself, its cluster, and what the catalogue says. Nil without a proxy.
func (n Node) direct() []string {
	if !n.Proxy.isSet() {
		return nil
	}

	out := []string{"localhost", "127.0.0.0/8"}

	if u, err := url.Parse(n.ServerURL); err == nil && u.Hostname() != "" {
		out = append(out, u.Hostname())
	}

	if n.NodeIP != "" {
		out = append(out, strings.Split(n.NodeIP, ",")...)
	}

	for _, name := range n.Proxy.No {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}

	return out
}

// ProxyDoubts are parts of a proxy with which a node does not go the way that somebody means, by the key that they have in the catalogue.
func ProxyDoubts(p Proxy) []Contradiction {
	var out []Contradiction

	if p.HTTP != "" && p.HTTPS == "" {
		out = append(out, Contradiction{"https", "is missing, and K3s and the images of containers come over https, which goes past the proxy then: set it, most often to the address of http"})
	}

	for _, name := range p.No {
		// https://curl.se/docs/manpage.html#--noproxy; Go's programs, such as K3s, do know it.
		if bare, starred := strings.CutPrefix(name, "*"); starred {
			out = append(out, Contradiction{"no", name + ": curl, which fetches K3s and asks for the cluster, knows no * in a name, and takes the proxy: write ." + strings.TrimPrefix(bare, ".")})
		}
	}

	return out
}

// aptProxy returns apt's own settings of the proxy, which does not read a list of exceptions: it needs a line for each host.
func (n Node) aptProxy() []cloudinit.File {
	if !n.Proxy.isSet() {
		return nil
	}

	var b strings.Builder

	for _, proxy := range []struct{ scheme, address string }{{"http", n.Proxy.HTTP}, {"https", n.Proxy.HTTPS}} {
		if proxy.address == "" {
			continue
		}

		b.WriteString("Acquire::" + proxy.scheme + "::Proxy \"" + proxy.address + "\";\n")

		for _, name := range n.Proxy.No {
			if _, err := netip.ParseAddr(name); err == nil || validHost(name) {
				b.WriteString("Acquire::" + proxy.scheme + "::Proxy::" + name + " \"DIRECT\";\n")
			}
		}
	}

	return []cloudinit.File{{Path: "/etc/apt/apt.conf.d/91-k3s-proxy", Permissions: "0644", Owner: root, Content: b.String()}}
}

// ValidateProxy checks the proxies of a cluster's nodes. A password would be readable for everybody who can read the catalogue.
func ValidateProxy(p Proxy, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	for _, proxy := range []struct{ name, address string }{{"http", p.HTTP}, {"https", p.HTTPS}} {
		const want = "must be the address of a proxy, http://host:port, such as http://proxy.home.arpa:3128"

		at := path.Child(proxy.name)
		u, err := url.Parse(proxy.address)

		switch {
		case proxy.address == "":
		case strings.Contains(proxy.address, "@"):
			faults = append(faults, field.Invalid(at, field.OmitValueType{}, want+", without a user or password"))
		case err != nil, u.Scheme != "http" && u.Scheme != "https", !validHost(u.Hostname()), !validPort(u),
			u.Host != strings.TrimPrefix(strings.TrimSuffix(proxy.address, "/"), u.Scheme+"://"):
			faults = append(faults, field.Invalid(at, proxy.address, want))
		}
	}

	for i, name := range p.No {
		at := path.Child("no").Index(i)
		_, err := netip.ParsePrefix(name)

		switch {
		case slices.Contains(p.No[:i], name):
			faults = append(faults, field.Duplicate(at, name))
		case err != nil && !validHost(strings.TrimPrefix(strings.TrimPrefix(name, "*"), ".")):
			faults = append(faults, field.Invalid(at, name, "must be a name, a domain such as .home.arpa, an address or a network such as 192.168.4.0/24"))
		}
	}

	if len(p.No) > 0 && !p.isSet() {
		faults = append(faults, field.Required(path, "no has exceptions from a proxy: set http, https or both"))
	}

	return faults
}
