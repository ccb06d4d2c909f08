package adopt

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/document"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// An ethernet is a network interface of a container, as its option says it.
type ethernet struct {
	option string // As net0.
	said   map[string]string
}

// configured says whether Proxmox has an address of the interface, or a way to one.
func (e ethernet) configured() bool { return e.said["ip"] != "" || e.said["ip6"] != "" }

// interfaces of the container, in the order of their numbers.
func (c Container) interfaces() []ethernet {
	var out []ethernet
	for _, name := range numbered(c.Config, interfaceName) {
		out = append(out, ethernet{name, options(c.Config[name], "")})
	}

	return out
}

// network says the first interface, and the name servers. Without network, a container keeps all of its interfaces and name servers.
func (w *writer) network() {
	all := w.c.interfaces()
	if len(all) == 0 {
		return
	}

	first := all[0]
	w.leftOfInterface(first)

	why := ""

	switch ip := first.said["ip"]; {
	case ip != "dhcp" && !isPrefix(ip):
		why = "it has no IPv4 address that a claim can say"
	case ip != "dhcp" && first.said["gw"] == "":
		why = "it has no gateway, and a claim without one has the site's"
	}

	entries, ok := addresses(first)
	if why == "" && !ok {
		why = "it has an IPv6 address that a claim cannot say"
	}

	if why == "" {
		entries = append(entries, link(first)...)
		entries = append(entries, w.resolver()...)

		if why = w.fault(document.Entry("network", document.Object(entries...))); why == "" {
			w.add(document.Entry("network", document.Object(entries...)))
			return
		}
	}

	w.keep("network: the container keeps %s as it is, and its name servers: %s.", first.option, strings.TrimSuffix(why, "."))
}

// further says the interfaces beside the first one: all of them or none.
func (w *writer) further() {
	all := w.c.interfaces()
	if len(all) < 2 {
		return
	}

	why, list := "", document.Items()
	last := 0

	for i, e := range all {
		if e.configured() {
			last = i
		}
	}

	for i, e := range all {
		// The provider reports addresses without the interfaces that have none: those behind such an interface are another one's to the function.
		if i < last && !e.configured() {
			why = e.option + " has no address, and one behind it has"
		}

		if i == 0 {
			continue
		}

		w.leftOfInterface(e)

		if name := fmt.Sprintf("eth%d", i); e.said["name"] != name {
			why = fmt.Sprintf("%s is %s in the container, and not %s", e.option, message.Excerpt(e.said["name"]), name)
		}

		ip := e.said["ip"]

		entries, ok := addresses(e)
		if !ok || ip != "" && ip != "dhcp" && ip != "manual" && !isPrefix(ip) {
			why = e.option + " has an address that a claim cannot say"
		}

		list.Content = append(list.Content, document.Object(append(entries, link(e)...)...))
	}

	if why == "" {
		why = w.fault(document.Entry("nics", list))
	}

	if why != "" {
		w.keep("nics: the container keeps its further interfaces as they are: %s.", strings.TrimSuffix(why, "."))
		return
	}

	w.add(document.Entry("nics", list))
}

// addresses of an interface. False where its IPv6 address cannot be said.
func addresses(e ethernet) ([]document.Field, bool) {
	var out []document.Field

	switch ip := e.said["ip"]; ip {
	case "", "manual":
	case "dhcp":
		out = append(out, document.Entry("dhcp", document.Bool(true)))
	default:
		out = append(out, document.Entry("ip", document.Text(ip)))
		if gateway := e.said["gw"]; gateway != "" {
			out = append(out, document.Entry("gateway", document.Text(gateway)))
		}
	}

	var six []document.Field

	switch ip := e.said["ip6"]; {
	case ip == "":
		return out, true
	case ip == "auto" || ip == "dhcp":
		six = append(six, document.Entry(ip, document.Bool(true)))
	case !isPrefix(ip):
		return out, false
	default:
		six = append(six, document.Entry("ip", document.Text(ip)))
		if gateway := e.said["gw6"]; gateway != "" {
			six = append(six, document.Entry("gateway", document.Text(gateway)))
		}
	}

	return append(out, document.Entry("ipv6", document.Flow(document.Object(six...)))), true
}

// isPrefix says whether a text is an address with its prefix length as the function spells it.
func isPrefix(text string) bool {
	p, err := netip.ParsePrefix(text)

	return err == nil && p.String() == text
}

// link is where an interface is connected.
func link(e ethernet) []document.Field {
	out := []document.Field{document.Entry("bridge", document.Text(e.said["bridge"]))}

	for _, o := range []struct{ option, field string }{{"tag", "vlan"}, {"mtu", "mtu"}} {
		if n, err := strconv.ParseInt(e.said[o.option], 10, 64); err == nil {
			out = append(out, document.Entry(o.field, document.Number(n)))
		}
	}

	if mac := e.said["hwaddr"]; mac != "" {
		out = append(out, document.Entry("mac", document.Text(strings.ToUpper(mac))))
	}

	return append(out, document.Entry("firewall", document.Bool(e.said["firewall"] == "1")))
}

// resolver has name servers and search domains. A claim that says only one of them has the site's other one, so both are said, or none.
func (w *writer) resolver() []document.Field {
	servers, domains := strings.Fields(w.c.Config["nameserver"]), strings.Fields(w.c.Config["searchdomain"])

	switch {
	case len(servers) == 0 && len(domains) == 0:
		return nil
	case len(servers) == 0 || len(domains) == 0:
		w.keep("network.dns, network.domain: the container keeps its own: it has only one of them, and a claim would have the site's other one.")
		return nil
	}

	out := []document.Field{document.Entry("dns", document.List(servers, true)), document.Entry("domain", document.Text(domains[0]))}
	if len(domains) > 1 {
		out = append(out, document.Entry("searchDomains", document.List(domains[1:], true)))
	}

	dhcp := append([]document.Field{document.Entry("dhcp", document.Bool(true))}, out...)
	if strings.Join(servers, " ") != w.c.Config["nameserver"] || strings.Join(domains, " ") != w.c.Config["searchdomain"] ||
		w.fault(document.Entry("network", document.Object(dhcp...))) != "" {
		w.keep("network.dns, network.domain: the container keeps its own, which a claim cannot say.")
		return nil
	}

	return out
}

// leftOfInterface names what no claim can say of an interface.
func (w *writer) leftOfInterface(e ethernet) {
	w.left(e.option, e.said, "name", "bridge", "hwaddr", "tag", "firewall", "mtu", "ip", "gw", "ip6", "gw6", "type")
}

// left names the options that no claim can say, of one option.
func (w *writer) left(option string, said map[string]string, known ...string) {
	var names []string

	for _, name := range sorted(said) {
		if !slices.Contains(known, name) {
			names = append(names, message.Key(name))
		}
	}

	if len(names) > 0 {
		w.keep("%s: the container keeps %s, which a claim cannot say.", option, strings.Join(names, ", "))
	}
}
