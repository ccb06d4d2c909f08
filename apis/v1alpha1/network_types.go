package v1alpha1

// The rules on gateways spell the prefix lengths out: an API server refuses to serve a schema with string(self.cidr) in it,
// since it takes the cost of a text of unknown length for infinite.

// A Network is the first network interface of a machine and the guest's name resolution.
//
// +kubebuilder:validation:XValidation:rule="(has(self.dhcp) && self.dhcp) != has(self.ip)",message="set exactly one of dhcp: true and ip"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip: with dhcp: true the DHCP server names the gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !has(self.gateway) || !isIP(self.ip) || ip(self.ip).family() == 6 || !isIP(self.gateway) || self.cidr < 1 || self.cidr > 32 || cidr(self.ip + ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12', '/13', '/14', '/15', '/16', '/17', '/18', '/19', '/20', '/21', '/22', '/23', '/24', '/25', '/26', '/27', '/28', '/29', '/30', '/31', '/32'][self.cidr - 1]).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
type Network struct {
	IPv4 `json:",inline"`

	// dns are the guest's name servers. Default: the site's. Without any, the guest gets those of the Proxmox node.
	// Example: [192.168.4.1]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:MaxLength=45
	// +kubebuilder:validation:items:XValidation:rule="isIP(self)",message="must be an IP address"
	DNS []string `json:"dns,omitempty"`

	// domain is the guest's search domain; with the host name it makes the full name. Default: the site's.
	// Example: home.arpa
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')`,message="must be a DNS domain in lower case, such as home.arpa"
	Domain string `json:"domain,omitempty"`

	// ipv6 adds IPv6 to the interface.
	// +optional
	IPv6 *IPv6 `json:"ipv6,omitempty"`

	// mac fixes the hardware address, so that a DHCP reservation keeps fitting. Default: Proxmox makes one up. Changing it
	// on a living VM swaps the interface while it runs.
	// Example: BC:24:11:00:00:53
	// +optional
	// +kubebuilder:validation:MaxLength=17
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$')`,message="must be a hardware address such as BC:24:11:00:00:53"
	MAC string `json:"mac,omitempty"`
}

// IPv4 is how an interface gets its IPv4 address. Changing it on a living VM changes the cloud-init drive, which the
// guest may read at its next power cycle.
type IPv4 struct {
	// dhcp gets the address by DHCP.
	// +optional
	DHCP *bool `json:"dhcp,omitempty"`

	// ip is a fixed IPv4 address, without a prefix length.
	// Example: 192.168.4.53
	// +optional
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="isIP(self) && ip(self).family() == 4",message="must be an IPv4 address without a prefix length, such as 192.168.4.53; the prefix length goes into cidr"
	IP string `json:"ip,omitempty"`

	// cidr is the prefix length of the subnet. Default: the site's; required with ip where the site has none.
	// Example: 24
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	CIDR *int64 `json:"cidr,omitempty"`

	// gateway is the default route. Default: the site's, for the first interface, where it is inside the subnet.
	// Example: 192.168.4.1
	// +optional
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="isIP(self) && ip(self).family() == 4",message="must be an IPv4 address"
	Gateway string `json:"gateway,omitempty"`
}

// IPv6 is how an interface gets its IPv6 address: exactly one of auto, dhcp and ip.
//
// +kubebuilder:validation:XValidation:rule="(has(self.auto) && self.auto ? 1 : 0) + (has(self.dhcp) && self.dhcp ? 1 : 0) + (has(self.ip) ? 1 : 0) == 1",message="set exactly one of auto: true, dhcp: true and ip"
// +kubebuilder:validation:XValidation:rule="has(self.ip) == has(self.cidr)",message="ip and cidr go together"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip"
type IPv6 struct {
	// auto takes the address from router advertisements (SLAAC).
	// +optional
	Auto bool `json:"auto,omitempty"`

	// dhcp gets the address by DHCPv6.
	// +optional
	DHCP bool `json:"dhcp,omitempty"`

	// ip is a fixed IPv6 address, without a prefix length.
	// Example: 2001:db8:4::53
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="isIP(self) && ip(self).family() == 6",message="must be an IPv6 address without a prefix length"
	IP string `json:"ip,omitempty"`

	// cidr is the prefix length.
	// Example: 64
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=128
	CIDR *int64 `json:"cidr,omitempty"`

	// gateway is the default route; a link-local address is fine.
	// Example: fe80::1
	// +optional
	// +kubebuilder:validation:MaxLength=45
	// +kubebuilder:validation:XValidation:rule="isIP(self) && ip(self).family() == 6",message="must be an IPv6 address"
	Gateway string `json:"gateway,omitempty"`
}

// A NIC is a further network interface. Without dhcp, ip and ipv6 the guest does not configure it.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.dhcp) && self.dhcp && has(self.ip))",message="set at most one of dhcp: true and ip"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip: with dhcp: true the DHCP server names the gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !has(self.gateway) || !isIP(self.ip) || ip(self.ip).family() == 6 || !isIP(self.gateway) || self.cidr < 1 || self.cidr > 32 || cidr(self.ip + ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12', '/13', '/14', '/15', '/16', '/17', '/18', '/19', '/20', '/21', '/22', '/23', '/24', '/25', '/26', '/27', '/28', '/29', '/30', '/31', '/32'][self.cidr - 1]).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || has(self.cidr)",message="cidr, the prefix length of the subnet, is required with ip"
type NIC struct {
	IPv4 `json:",inline"`

	// bridge of the Proxmox node. Changing it re-plugs the interface while the VM runs.
	// Example: vmbr1
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9_-]*$')`,message="must be the name of a bridge of the node: letters, digits, _ and -, such as vmbr0"
	Bridge string `json:"bridge"`

	// vlan is the VLAN tag. Default: none.
	// Example: 30
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	VLAN *int64 `json:"vlan,omitempty"`

	// ipv6 adds IPv6 to the interface.
	// +optional
	IPv6 *IPv6 `json:"ipv6,omitempty"`

	// mac fixes the hardware address. Default: Proxmox makes one up.
	// +optional
	// +kubebuilder:validation:MaxLength=17
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$')`,message="must be a hardware address such as BC:24:11:00:00:53"
	MAC string `json:"mac,omitempty"`
}
