package v1alpha1

// The rules on gateways list all prefix lengths, because an API server refuses a schema with string(self.cidr): it estimates
// the cost of a string of unknown length as infinite.

// A Network is the first network interface of a machine, and the guest's name servers and domain.
//
// +kubebuilder:validation:XValidation:rule="(has(self.dhcp) && self.dhcp) != has(self.ip)",message="set exactly one of dhcp: true and ip"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip: with dhcp: true the DHCP server names the gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !has(self.gateway) || !isIP(self.ip) || ip(self.ip).family() == 6 || !isIP(self.gateway) || self.cidr < 1 || self.cidr > 32 || cidr(self.ip + ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12', '/13', '/14', '/15', '/16', '/17', '/18', '/19', '/20', '/21', '/22', '/23', '/24', '/25', '/26', '/27', '/28', '/29', '/30', '/31', '/32'][self.cidr - 1]).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
type Network struct {
	IPv4 `json:",inline"`

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

	// ipv6 adds IPv6 to the interface. Default: none.
	// +optional
	IPv6 *IPv6 `json:"ipv6,omitempty"`

	// mac is a fixed MAC address, for instance for a DHCP reservation. Default: Proxmox generates one. Changing it replaces the
	// interface of a running VM at once.
	// Example: BC:24:11:00:00:53
	// +optional
	// +kubebuilder:validation:MaxLength=17
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$')`,message="must be a MAC address such as BC:24:11:00:00:53"
	MAC string `json:"mac,omitempty"`
}

// IPv4 is the IPv4 configuration of an interface. For an existing VM a change is written to the cloud-init drive. A guest with
// user-data from Proxmox applies it at its next power cycle; a guest with rendered user-data does not read the drive again.
type IPv4 struct {
	// dhcp: true requests the address by DHCP.
	// +optional
	DHCP *bool `json:"dhcp,omitempty"`

	// ip is a fixed IPv4 address, without a prefix length.
	// Example: 192.168.4.53
	// +optional
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="isIP(self) && ip(self).family() == 4",message="must be an IPv4 address without a prefix length, such as 192.168.4.53; the prefix length goes into cidr"
	IP string `json:"ip,omitempty"`

	// cidr is the prefix length of the subnet. Default: the site's; required with ip if the site has none.
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
// +kubebuilder:validation:XValidation:rule="has(self.ip) == has(self.cidr)",message="ip and cidr go together"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip"
type IPv6 struct {
	// auto: true configures the address from router advertisements (SLAAC).
	// +optional
	Auto bool `json:"auto,omitempty"`

	// dhcp: true requests the address by DHCPv6.
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
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !has(self.gateway) || !isIP(self.ip) || ip(self.ip).family() == 6 || !isIP(self.gateway) || self.cidr < 1 || self.cidr > 32 || cidr(self.ip + ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12', '/13', '/14', '/15', '/16', '/17', '/18', '/19', '/20', '/21', '/22', '/23', '/24', '/25', '/26', '/27', '/28', '/29', '/30', '/31', '/32'][self.cidr - 1]).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || has(self.cidr)",message="cidr, the prefix length of the subnet, is required with ip"
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

	// mac is a fixed MAC address. Default: Proxmox generates one. Changing it replaces the interface of a running VM at once.
	// +optional
	// +kubebuilder:validation:MaxLength=17
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$')`,message="must be a MAC address such as BC:24:11:00:00:53"
	MAC string `json:"mac,omitempty"`
}
