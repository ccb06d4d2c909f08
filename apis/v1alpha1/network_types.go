package v1alpha1

// The rules on gateways list all prefix lengths, because an API server refuses a schema with string(self.cidr): it estimates
// the cost of a string of unknown length as infinite.

// A Network is the first network interface of a machine, and the guest's name servers and domain.
//
// +kubebuilder:validation:XValidation:rule="(has(self.dhcp) && self.dhcp ? 1 : 0) + (has(self.pool) && self.pool ? 1 : 0) + (has(self.ip) ? 1 : 0) == 1",message="set exactly one of dhcp: true, pool: true and ip: IPv4 is required, and ipv6 adds to it"
// +kubebuilder:validation:XValidation:rule="!(has(self.stableMAC) && self.stableMAC && has(self.mac))",message="set at most one of mac and stableMAC: true"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip: with dhcp: true the DHCP server names the gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 4 || cidr(self.ip).prefixLength() == self.cidr",message="cidr contradicts the prefix length in ip: remove one of them",fieldPath=".cidr"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.gateway) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 4 || !isIP(self.gateway) || cidr(self.ip).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !has(self.gateway) || !isIP(self.ip) || ip(self.ip).family() == 6 || !isIP(self.gateway) || self.cidr < 1 || self.cidr > 32 || cidr(self.ip + ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12', '/13', '/14', '/15', '/16', '/17', '/18', '/19', '/20', '/21', '/22', '/23', '/24', '/25', '/26', '/27', '/28', '/29', '/30', '/31', '/32'][self.cidr - 1]).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.domain) || !has(self.searchDomains) || !self.searchDomains.exists(d, d == self.domain)",message="searchDomains must not have domain, which is the first search domain anyway",fieldPath=".searchDomains"
type Network struct {
	IPv4 `json:",inline"`

	// pool: true takes a fixed IPv4 address from the site's address pool (sites.<site>.network.pool in the catalogue): the lowest one that no
	// other machine has, or the one that a pool of Cluster API gives. The VM keeps its address as long as it exists, and a VM that replaces it has the same; the address is free again
	// when the claim is deleted. An existing VM with a fixed address keeps that address; one with DHCP keeps DHCP until it is replaced.
	// +optional
	Pool bool `json:"pool,omitempty"`

	// dns are the guest's name servers. Default: the site's, else the Proxmox node's. Changing them takes effect at the next
	// power cycle, if Proxmox generates the user-data; removing them does not change an existing VM.
	// Example: [192.168.4.1]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:MaxLength=45
	// +kubebuilder:validation:items:XValidation:rule="isIP(self)",message="must be an IP address"
	DNS []string `json:"dns,omitempty"`

	// domain is the guest's search domain; host name and domain form the fully qualified name. Default: the site's. Changing it
	// takes effect at the next power cycle, if Proxmox generates the user-data; removing it does not change an existing VM.
	// Example: home.arpa
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')`,message="must be a DNS domain in lower case, such as home.arpa"
	Domain string `json:"domain,omitempty"`

	// searchDomains are further search domains of the guest, after domain: its resolver appends one after the other to a short name. They are no part of the
	// fully qualified name. Default: none. Changing them takes effect at the next power cycle, if Proxmox generates the user-data; to remove the last search
	// domain does not change an existing VM. If Proxmox generates the user-data, more than one search domain, with domain, needs a hostname with its domain.
	// Example: [lan, corp.example]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=6
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')`,message="must be a DNS domain in lower case, such as home.arpa"
	SearchDomains []string `json:"searchDomains,omitempty"`

	// dnsRecord is a name that external-dns points to the VM: to the IPv4 address of this interface (type A), and to its IPv6 address if the claim has ipv6 (type
	// AAAA). The function composes a DNSEndpoint in the claim's namespace, if that kind of external-dns is installed; condition DNSRecorded says so if it is not.
	// The record keeps its addresses while they are not known, for instance while the VM is stopped, and external-dns removes it when the claim is deleted. Default:
	// none. Changing it does not touch the VM.
	// Example: files01.home.arpa
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([*]\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$')`,message="must be a DNS name in lower case with its domain and without a dot at the end, such as files01.home.arpa or *.apps.home.arpa"
	DNSRecord string `json:"dnsRecord,omitempty"`

	// ipv6 adds IPv6 to the interface. Default: none.
	// +optional
	IPv6 *IPv6 `json:"ipv6,omitempty"`

	// bridge is the bridge of the Proxmox node. Default: the site's, else vmbr0. proxmox.bridge is the same field: write one of the two;
	// two different values are refused. Changing it replugs the interface of a running VM at once.
	// Example: vmbr0
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9_-]*$')`,message="must be the name of a bridge of the node: letters, digits, _ and -, such as vmbr0"
	Bridge string `json:"bridge,omitempty"`

	// vlan is the VLAN tag. Default: the site's, else none. proxmox.vlan is the same field: write one of the two; two different values
	// are refused. Changing it takes effect at once.
	// Example: 20
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	VLAN *int64 `json:"vlan,omitempty"`

	// firewall puts the interface behind Proxmox's firewall. It has an effect only if the firewall is on for the datacenter and for the VM
	// (VM, Firewall, Options); without rules, it then drops incoming connections. Default: false; an adopted VM keeps its own.
	// Changing it takes effect at once.
	// Example: true
	// +optional
	Firewall *bool `json:"firewall,omitempty"`

	// mtu is the interface's MTU in bytes, 576 to 65520, or 1 for the MTU of the bridge; it must not be larger than the MTU of the bridge.
	// Default: 1500, as Proxmox has it; an adopted VM keeps its own. Changing it replugs the interface of a running VM at once.
	// Example: 9000
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65520
	// +kubebuilder:validation:XValidation:rule="self == 1 || self >= 576",message="must be an MTU from 576 to 65520 bytes, or 1 for the MTU of the bridge"
	MTU *int64 `json:"mtu,omitempty"`

	// mac is a fixed MAC address, for instance for a DHCP reservation. Default: Proxmox generates one. Changing it replaces the
	// interface of a running VM at once.
	// Example: BC:24:11:00:00:53
	// +optional
	// +kubebuilder:validation:MaxLength=17
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$')`,message="must be a MAC address such as BC:24:11:00:00:53"
	MAC string `json:"mac,omitempty"`

	// stableMAC: true gives a new VM a MAC address that follows from kind, namespace and name of the claim, and a VM that replaces another
	// one the MAC address of the old VM, so that a DHCP reservation survives. Since two VMs with one MAC address cannot run side by side,
	// a replacement then stops the old VM first. Default: false. Changing it does not change an existing VM.
	// +optional
	StableMAC bool `json:"stableMAC,omitempty"`
}

// IPv4 is the IPv4 configuration of an interface. For an existing VM a change is written to the cloud-init drive. A guest with
// user-data from Proxmox applies it at its next power cycle; a guest with rendered user-data does not read the drive again.
type IPv4 struct {
	// dhcp: true requests the address by DHCP.
	// +optional
	DHCP *bool `json:"dhcp,omitempty"`

	// ip is a fixed IPv4 address, with the prefix length of its subnet (192.168.4.53/24) or without (192.168.4.53); the prefix length
	// is then in cidr.
	// Example: 192.168.4.53/24
	// +optional
	// +kubebuilder:validation:MaxLength=18
	// +kubebuilder:validation:XValidation:rule="isIP(self) ? ip(self).family() == 4 : isCIDR(self) && cidr(self).ip().family() == 4 && cidr(self).prefixLength() > 0",message="must be an IPv4 address such as 192.168.4.53/24, or 192.168.4.53 with the prefix length in cidr; an IPv6 address is in ipv6.ip, beside IPv4"
	IP string `json:"ip,omitempty"`

	// cidr is the prefix length of the subnet, if ip does not have it; two different ones are refused. Default: the site's; required
	// with an ip that has none if the site has none.
	// Example: 24
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	CIDR *int64 `json:"cidr,omitempty"`

	// gateway is the address of the default gateway. Default, for the first interface: the site's, if it is inside the subnet.
	// Example: 192.168.4.1
	// +optional
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="isIP(self) && ip(self).family() == 4",message="must be an IPv4 address"
	Gateway string `json:"gateway,omitempty"`
}

// IPv6 is the IPv6 configuration of an interface: exactly one of auto, dhcp and ip.
//
// +kubebuilder:validation:XValidation:rule="(has(self.auto) && self.auto ? 1 : 0) + (has(self.dhcp) && self.dhcp ? 1 : 0) + (has(self.ip) ? 1 : 0) == 1",message="set exactly one of auto: true, dhcp: true and ip"
// +kubebuilder:validation:XValidation:rule="has(self.ip) ? has(self.cidr) || isCIDR(self.ip) : !has(self.cidr)",message="ip and cidr go together"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 6 || cidr(self.ip).prefixLength() == self.cidr",message="cidr contradicts the prefix length in ip: remove one of them",fieldPath=".cidr"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip"
type IPv6 struct {
	// auto: true configures the address from router advertisements (SLAAC).
	// +optional
	Auto bool `json:"auto,omitempty"`

	// dhcp: true requests the address by DHCPv6.
	// +optional
	DHCP bool `json:"dhcp,omitempty"`

	// ip is a fixed IPv6 address, with its prefix length (2001:db8:4::53/64) or without; the prefix length is then in cidr.
	// Example: 2001:db8:4::53/64
	// +optional
	// +kubebuilder:validation:MaxLength=49
	// +kubebuilder:validation:XValidation:rule="isIP(self) ? ip(self).family() == 6 : isCIDR(self) && cidr(self).ip().family() == 6 && cidr(self).prefixLength() > 0",message="must be an IPv6 address such as 2001:db8:4::53/64, or 2001:db8:4::53 with the prefix length in cidr"
	IP string `json:"ip,omitempty"`

	// cidr is the prefix length, if ip does not have it; two different ones are refused.
	// Example: 64
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=128
	CIDR *int64 `json:"cidr,omitempty"`

	// gateway is the address of the default gateway; a link-local address is allowed.
	// Example: fe80::1
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="isIP(self) && ip(self).family() == 6",message="must be an IPv6 address"
	Gateway string `json:"gateway,omitempty"`
}

// A NIC is an additional network interface. Without dhcp, ip and ipv6 the guest does not configure it.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.dhcp) && self.dhcp && has(self.ip))",message="set at most one of dhcp: true and ip"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip: with dhcp: true the DHCP server names the gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 4 || cidr(self.ip).prefixLength() == self.cidr",message="cidr contradicts the prefix length in ip: remove one of them",fieldPath=".cidr"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.gateway) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 4 || !isIP(self.gateway) || cidr(self.ip).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !has(self.gateway) || !isIP(self.ip) || ip(self.ip).family() == 6 || !isIP(self.gateway) || self.cidr < 1 || self.cidr > 32 || cidr(self.ip + ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12', '/13', '/14', '/15', '/16', '/17', '/18', '/19', '/20', '/21', '/22', '/23', '/24', '/25', '/26', '/27', '/28', '/29', '/30', '/31', '/32'][self.cidr - 1]).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || has(self.cidr) || isCIDR(self.ip)",message="the prefix length of the subnet is required with ip, such as 10.30.0.5/24"
type NIC struct {
	IPv4 `json:",inline"`

	// bridge is the bridge of the Proxmox node. Changing it replugs the interface of a running VM at once.
	// Example: vmbr1
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9_-]*$')`,message="must be the name of a bridge of the node: letters, digits, _ and -, such as vmbr0"
	Bridge string `json:"bridge"`

	// vlan is the VLAN tag. Default: none. Changing it takes effect at once.
	// Example: 30
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	VLAN *int64 `json:"vlan,omitempty"`

	// ipv6 adds IPv6 to the interface. Default: none.
	// +optional
	IPv6 *IPv6 `json:"ipv6,omitempty"`

	// firewall puts the interface behind Proxmox's firewall. It has an effect only if the firewall is on for the datacenter and for the VM
	// (VM, Firewall, Options); without rules, it then drops incoming connections. Default: false; an adopted VM keeps its own.
	// Changing it takes effect at once.
	// Example: true
	// +optional
	Firewall *bool `json:"firewall,omitempty"`

	// mtu is the interface's MTU in bytes, 576 to 65520, or 1 for the MTU of the bridge; it must not be larger than the MTU of the bridge.
	// Default: 1500, as Proxmox has it; an adopted VM keeps its own. Changing it replugs the interface of a running VM at once.
	// Example: 9000
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65520
	// +kubebuilder:validation:XValidation:rule="self == 1 || self >= 576",message="must be an MTU from 576 to 65520 bytes, or 1 for the MTU of the bridge"
	MTU *int64 `json:"mtu,omitempty"`

	// mac is a fixed MAC address. Default: Proxmox generates one. Changing it replaces the interface of a running VM at once.
	// +optional
	// +kubebuilder:validation:MaxLength=17
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$')`,message="must be a MAC address such as BC:24:11:00:00:53"
	MAC string `json:"mac,omitempty"`
}
