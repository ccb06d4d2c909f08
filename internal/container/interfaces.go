package container

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// nicsField is the field of a container's further interfaces.
const nicsField = "spec.nics"

// unconfigured is the address of an interface that Proxmox does not configure in the guest (ip in src/PVE/LXC/Config.pm of pve-container). It is
// written out, because the provider leaves an interface without an address out of its list of addresses, and pairs both lists by places.
const unconfigured = "manual"

// A further says whose the interfaces of a container beside the first one are.
type further string

const (
	// furtherStay: the claim names none, and did not make those that there may be.
	furtherStay further = "Stay"
	// furtherOfClaim: the claim names them, or they were made for it.
	furtherOfClaim further = "OfClaim"
)

// furtherOf a container, as its managed resource remembers it.
func furtherOf(c *machine.Container, o proxmox.ObservedMetadata) further {
	if len(c.NICs) > 1 || o.Annotations[proxmox.InterfacesAnnotation] != "" {
		return furtherOfClaim
	}

	return furtherStay
}

// interfacesMark is the annotation of a container: empty unless it has further interfaces, or is created with them, and they are the claim's. It
// stays until the provider has shown that they are gone: what is to be written may be written again.
func (p Plan) interfacesMark(o proxmox.ObservedContainer) string {
	const claims = "claim"

	has := p.Parameters
	if found := o.Status.AtProvider.Parameters; found != nil {
		has = found.ContainerParameters
	}

	c := comparison{has: has, wanted: p.Described, machine: p.Container}

	switch {
	case p.Adopted || len(has.NetworkInterface) < 2:
		return ""
	case furtherInterfaces(has) == furtherInterfaces(c.settled()):
		return claims
	}

	return o.Metadata.Annotations[proxmox.InterfacesAnnotation]
}

// interfaceName is the name of a network interface in the guest, by its place.
func interfaceName(i int) string { return fmt.Sprintf("eth%d", i) }

// nics of a container, each with its addresses at the same place.
func nics(all []machine.NIC) (out []proxmox.ContainerNIC, addresses []proxmox.IPConfig) {
	for i, n := range all {
		out = append(out, proxmox.ContainerNIC{
			Name: interfaceName(i), Bridge: n.Bridge, VLANID: n.VLAN, MACAddress: n.MAC, Firewall: is(n.Firewall), MTU: n.MTU,
		})

		a := proxmox.IPConfig{IPv4: render.Addresses(n.IPv4), IPv6: render.Addresses(n.IPv6)}
		if i > 0 && a.IPv4 == nil && a.IPv6 == nil {
			a.IPv4 = []proxmox.IPAddress{{Address: unconfigured}}
		}

		addresses = append(addresses, a)
	}

	return out, addresses
}

// paired says whether it is known which address is which interface's.
func paired(p params) bool {
	if len(p.Initialization) != 1 || len(p.NetworkInterface) == 0 || len(p.NetworkInterface) != len(p.Initialization[0].IPConfig) {
		return false
	}

	for i, n := range p.NetworkInterface[1:] {
		if n.Name != interfaceName(i+1) {
			return false
		}
	}

	return true
}

// settled is the container that is wanted, with what its further interfaces keep because the claim does not say it: MAC addresses; and, of an adopted
// container, switches and MTUs.
func (c comparison) settled() params {
	if len(c.wanted.NetworkInterface) < 2 {
		return c.wanted
	}

	out := clone(c.wanted)

	for i := 1; i < min(len(out.NetworkInterface), len(c.has.NetworkInterface), len(c.machine.NICs)); i++ {
		said, has, n := c.machine.NICs[i], c.has.NetworkInterface[i], &out.NetworkInterface[i]

		if said.MAC == "" {
			n.MACAddress = has.MACAddress
		}

		if c.adopted && said.Firewall == nil {
			n.Firewall = has.Firewall
		}

		if c.adopted && said.MTU == 0 {
			n.MTU = has.MTU
		}
	}

	return out
}

// furtherInterfaces in words, in their order.
func furtherInterfaces(p params) string {
	var out []string

	for i := 1; i < len(p.NetworkInterface); i++ {
		n := p.NetworkInterface[i]
		words := []string{n.Name, "on", n.Bridge}

		for _, w := range [][2]string{{"VLAN", vlan(n)}, {"MAC", mac(n)}, {"MTU", mtu(n)}} {
			if w[1] != "" {
				words = append(words, w[0], w[1])
			}
		}

		if n.Firewall {
			words = append(words, "behind the firewall")
		}

		out = append(out, strings.Join(words, " ")+furtherAddresses(p, i))
	}

	return strings.Join(out, ", ")
}

// furtherAddresses of an interface in words.
func furtherAddresses(p params, i int) (out string) {
	if len(p.Initialization) == 0 || i >= len(p.Initialization[0].IPConfig) {
		return ""
	}

	for _, a := range []string{ipv4(p.Initialization[0].IPConfig[i]), ipv6(p.Initialization[0].IPConfig[i])} {
		if a != "" && a != unconfigured {
			out += " " + a
		}
	}

	return out
}

// writeFurther interfaces, and the addresses of all of them at their places.
func writeFurther(to *params, wanted params) {
	to.NetworkInterface = append(to.NetworkInterface[:1:1], wanted.NetworkInterface[1:]...)
	config := &to.Initialization[0].IPConfig
	*config = append((*config)[:1:1], wanted.Initialization[0].IPConfig[1:]...)
}

// unsaidFurther: what the claim neither names nor made stays.
func unsaidFurther(c comparison) bool {
	return c.further != furtherOfClaim || c.adopted && len(c.machine.NICs) < 2
}

// furtherSwitches says whether a further interface is not yet behind the firewall, and waits for a restart to be.
func furtherSwitches(p Plan) bool {
	has := p.Observed.Containers[p.Guest].Status.AtProvider.Parameters
	if has == nil {
		return false
	}

	return slices.ContainsFunc(p.Described.NetworkInterface[1:], func(n proxmox.ContainerNIC) bool {
		i := slices.IndexFunc(has.NetworkInterface, func(h proxmox.ContainerNIC) bool { return h.Name == n.Name })
		return n.Firewall && i >= 0 && !has.NetworkInterface[i].Firewall
	})
}

// outsideFirewall are the interfaces, by name, that an adopted container keeps and that are not behind the firewall, although the claim does not keep
// them out of it.
func outsideFirewall(p Plan) []string {
	has := p.Observed.Containers[p.Guest].Status.AtProvider.Parameters
	if !p.Adopted || has == nil {
		return nil
	}

	var out []string

	for i, n := range has.NetworkInterface {
		if said := p.Container.NICs; !n.Firewall && (i >= len(said) || said[i].Firewall == nil || *said[i].Firewall) {
			out = append(out, n.Name)
		}
	}

	return out
}
