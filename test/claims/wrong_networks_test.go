package claims

import (
	"strings"
)

func wrongNetworks() map[string]wrong {
	network := func(n string) string { return aMachine(`{proxmox: {node: pve}, network: ` + n + `}`) }
	nics := func(n string) string { return aMachine(`{proxmox: {node: pve}, nics: [` + n + `]}`) }

	return map[string]wrong{
		"NoAddress":        {reason: "One of two ways.", claim: network(`{dns: [192.168.4.1]}`), xrd: true, want: one("spec.network", "set exactly one of dhcp: true and ip")},
		"TwoAddresses":     {reason: "One of two ways.", claim: network(`{dhcp: true, ip: 192.168.4.53, cidr: 24}`), xrd: true, want: one("spec.network", "set exactly one of dhcp: true and ip")},
		"NoDHCP":           {reason: "dhcp: false is no address.", claim: network(`{dhcp: false}`), xrd: true, want: one("spec.network", "set exactly one of dhcp: true and ip")},
		"NoPrefix":         {reason: "Nobody says the prefix length.", claim: network(`{ip: 192.168.4.53}`), want: one("spec.network.cidr", "neither claim nor site has one")},
		"PrefixInIP":       {reason: "The prefix length has its own field.", claim: network(`{ip: 192.168.4.53/24}`), xrd: true, want: one("spec.network.ip", "the prefix length goes into cidr")},
		"PrefixTooLong":    {reason: "IPv4 has 32 bits.", claim: network(`{ip: 192.168.4.53, cidr: 33}`), xrd: true, want: one("spec.network.cidr", "must be a whole number from 1 to 32")},
		"NotAnIP":          {reason: "256 is no byte.", claim: network(`{ip: 192.168.4.256, cidr: 24}`), xrd: true, want: one("spec.network.ip", "must be an IPv4 address")},
		"LeadingZero":      {reason: "Octal or decimal? Neither.", claim: network(`{ip: 192.168.04.53, cidr: 24}`), xrd: true, want: one("spec.network.ip", "must be an IPv4 address")},
		"IPv6AsIP":         {reason: "IPv6 has its own field.", claim: network(`{ip: "2001:db8::1", cidr: 24}`), xrd: true, want: one("spec.network.ip", "must be an IPv4 address")},
		"Loopback":         {reason: "Every machine has this one.", claim: network(`{ip: 127.0.0.1, cidr: 24}`), want: one("spec.network.ip", "must be the address of a machine, not a loopback, multicast or reserved address")},
		"Multicast":        {reason: "No machine has this one.", claim: network(`{ip: 224.0.0.1, cidr: 24}`), want: one("spec.network.ip", "must be the address of a machine, not a loopback, multicast or reserved address")},
		"SubnetAddress":    {reason: "The first address is the subnet's.", claim: network(`{ip: 192.168.4.0, cidr: 24}`), want: one("spec.network.ip", "is the address of the subnet 192.168.4.0/24 itself")},
		"Broadcast":        {reason: "The last address is everybody's.", claim: network(`{ip: 192.168.4.255, cidr: 24}`), want: one("spec.network.ip", "is the broadcast address of the subnet 192.168.4.0/24")},
		"GatewayOutside":   {reason: "A gateway is in the subnet.", claim: network(`{ip: 192.168.4.53, cidr: 24, gateway: 192.168.5.1}`), xrd: true, want: one("spec.network.gateway", "must be inside the subnet that ip and cidr describe, which is 192.168.4.0/24")},
		"GatewayNarrow":    {reason: "A gateway is in the subnet.", claim: network(`{ip: 192.168.4.130, cidr: 25, gateway: 192.168.4.1}`), xrd: true, want: one("spec.network.gateway", "which is 192.168.4.128/25")},
		"GatewayOfSite":    {reason: "The site says the prefix length.", claim: aMachine(`{proxmox: {site: home}, network: {ip: 192.168.4.53, gateway: 192.168.5.1}}`), want: one("spec.network.gateway", "which is 192.168.4.0/24")},
		"GatewayIsSelf":    {reason: "Nobody is his own gateway.", claim: network(`{ip: 192.168.4.53, cidr: 24, gateway: 192.168.4.53}`), want: one("spec.network.gateway", "is the machine's own address")},
		"GatewayOfDHCP":    {reason: "DHCP names it.", claim: network(`{dhcp: true, gateway: 192.168.4.1}`), xrd: true, want: one("spec.network.gateway", "the DHCP server names the gateway")},
		"DNSName":          {reason: "A name server has an address.", claim: network(`{dhcp: true, dns: [dns.google]}`), xrd: true, want: one("spec.network.dns[0]", "must be an IP address")},
		"ManyDNS":          {reason: "The resolver reads three.", claim: network(`{dhcp: true, dns: [1.1.1.1, 8.8.8.8, 9.9.9.9, 4.4.4.4]}`), xrd: true, want: one("spec.network.dns", "has 4 items and must have at most 3")},
		"Domain":           {reason: "A domain is a DNS name.", claim: network(`{dhcp: true, domain: "home arpa"}`), xrd: true, want: one("spec.network.domain", "must be a DNS domain")},
		"MAC":              {reason: "A MAC address has colons.", claim: network(`{dhcp: true, mac: BC-24-11-00-00-53}`), xrd: true, want: one("spec.network.mac", "must be a MAC address")},
		"MulticastMAC":     {reason: "No interface has this one.", claim: network(`{dhcp: true, mac: "01:00:5E:00:00:01"}`), want: one("spec.network.mac", "must not be a multicast address")},
		"ZeroMAC":          {reason: "No interface has this one.", claim: network(`{dhcp: true, mac: "00:00:00:00:00:00"}`), want: one("spec.network.mac", "must not be all zeros")},
		"MACTwice":         {reason: "Two interfaces, two addresses.", claim: aMachine(`{proxmox: {node: pve}, network: {dhcp: true, mac: "BC:24:11:00:00:53"}, nics: [{bridge: vmbr1, mac: "bc:24:11:00:00:53"}]}`), want: one("spec.nics[0].mac", "Duplicate")},
		"IPTwice":          {reason: "Two interfaces, two addresses.", claim: aMachine(`{proxmox: {node: pve}, network: {ip: 10.0.0.5, cidr: 24}, nics: [{bridge: vmbr1, ip: 10.0.0.5, cidr: 24}]}`), want: one("spec.nics[0].ip", "Duplicate")},
		"IPv6Nothing":      {reason: "One of three ways.", claim: network(`{dhcp: true, ipv6: {}}`), xrd: true, want: one("spec.network.ipv6", "set exactly one of auto: true, dhcp: true and ip")},
		"IPv6Two":          {reason: "One of three ways.", claim: network(`{dhcp: true, ipv6: {auto: true, dhcp: true}}`), xrd: true, want: one("spec.network.ipv6", "set exactly one of auto: true, dhcp: true and ip")},
		"IPv6NoPrefix":     {reason: "An address has a prefix length.", claim: network(`{dhcp: true, ipv6: {ip: "2001:db8::5"}}`), xrd: true, want: one("spec.network.ipv6.cidr", "ip and cidr go together")},
		"IPv6Mapped":       {reason: "That is IPv4.", claim: network(`{dhcp: true, ipv6: {ip: "::ffff:10.0.0.1", cidr: 64}}`), xrd: true, want: one("spec.network.ipv6.ip", "must be an IPv6 address")},
		"IPv6Gateway":      {reason: "A router is near.", claim: network(`{dhcp: true, ipv6: {ip: "2001:db8::5", cidr: 64, gateway: "2001:db9::1"}}`), want: one("spec.network.ipv6.gateway", "must be a link-local address, such as fe80::1, or inside the subnet 2001:db8::/64")},
		"NICWithoutBridge": {reason: "An interface has a bridge.", claim: nics(`{vlan: 30}`), xrd: true, want: one("spec.nics[0].bridge", "Required")},
		"NICTwoAddresses":  {reason: "One of two ways.", claim: nics(`{bridge: vmbr1, dhcp: true, ip: 10.0.0.5, cidr: 24}`), xrd: true, want: one("spec.nics[0]", "set at most one of dhcp: true and ip")},
		"NICNoPrefix":      {reason: "A site has one prefix length, for the first interface.", claim: nics(`{bridge: vmbr1, ip: 10.0.0.5}`), xrd: true, want: one("spec.nics[0].cidr", "is required with ip")},
		"ManyNICs": {
			reason: "Cloud-init is told of eight.", xrd: true, claim: nics(strings.TrimSuffix(strings.Repeat("{bridge: vmbr1}, ", 8), ", ")),
			want: one("spec.nics", "has 8 items and must have at most 7"),
		},
	}
}
