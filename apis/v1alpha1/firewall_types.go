package v1alpha1

// A Firewall is the own firewall of a VM or a container in Proxmox. With preset or allow it drops what no rule allows; without both it lets everything through.
// What the guest sends, and the answers to that, always pass; so do DHCP and IPv6 neighbour discovery.
type Firewall struct {
	// enabled: false switches the firewall off, and keeps its rules. It takes effect at once. Default: true.
	// Example: false
	// +optional
	Enabled *bool `json:"enabled,omitempty"`

	// preset are the rules that a kind of machine needs. ssh: SSH (TCP 22) from the machine's own networks, and ping. k3s-server: the same, the
	// Kubernetes API (TCP 6443) from everywhere, and from private networks what the nodes of a cluster tell each other (etcd, TCP 2379-2380;
	// kubelet, TCP 10250; flannel, UDP 8472, or UDP 51820-51821 for a WireGuard backend; TCP 5001 for the embedded registry). Ports that k3s.config
	// names take the place of these. k3s-agent: that of a server without the
	// Kubernetes API and etcd. none: no rules. The machine's own networks are those of its fixed addresses, and all private networks if one of
	// its addresses comes from DHCP or router advertisements. Ports of Services, such as 443, are for allow. A K3sNode whose
	// firewall has rules needs the preset of its role. Changing it takes effect at once. Default: none.
	// Example: k3s-server
	// +optional
	Preset FirewallPreset `json:"preset,omitempty"`

	// allow lets connections to ports through, beside those of preset. The order does not matter, but that of security groups among each other: they
	// come last. Changing it takes effect at once.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Allow []FirewallRule `json:"allow,omitempty"`

	// log is the level at which Proxmox logs connections that the firewall drops (VM or CT, Firewall, Log): emerg, alert, crit, err, warning,
	// notice, info, debug or nolog. Changing it takes effect at once. Default: nolog.
	// Example: info
	// +optional
	Log FirewallLog `json:"log,omitempty"`
}

// A FirewallPreset names the rules that a kind of machine needs.
//
// +kubebuilder:validation:Enum=k3s-server;k3s-agent;ssh;none
type FirewallPreset string

// The presets.
const (
	PresetK3sServer FirewallPreset = "k3s-server"
	PresetK3sAgent  FirewallPreset = "k3s-agent"
	PresetSSH       FirewallPreset = "ssh"
	PresetNone      FirewallPreset = "none"
)

// A FirewallLog is a log level of Proxmox's firewall.
//
// +kubebuilder:validation:Enum=emerg;alert;crit;err;warning;notice;info;debug;nolog
type FirewallLog string

// A FirewallProtocol is what a rule is about.
//
// +kubebuilder:validation:Enum=tcp;udp
type FirewallProtocol string

// The protocols.
const (
	ProtocolTCP FirewallProtocol = "tcp"
	ProtocolUDP FirewallProtocol = "udp"
)

// A FirewallRule lets connections to ports of the guest through, or those that a security group lets through.
//
// +kubebuilder:validation:XValidation:rule="has(self.group) ? !has(self.port) && !has(self.protocol) && !has(self.from) : has(self.port)",message="must have a port, such as {port: 443}, or a group with at most a comment beside it, such as {group: web}"
type FirewallRule struct {
	// port is a port, or a range of ports: 443, or 30000-32767. A rule without group needs it.
	// Example: 443
	// +optional
	// +kubebuilder:validation:XValidation:rule=`type(self) == int ? self >= 1 && self <= 65535 : self.matches(r'^[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?$') && self.split('-').all(p, int(p) <= 65535) && int(self.split('-')[0]) <= int(self.split('-')[self.split('-').size() - 1])`,message="must be a port from 1 to 65535, such as 443, or a range of ports, such as 30000-32767"
	Port Ports `json:"port,omitempty"`

	// protocol is tcp or udp. Default: tcp.
	// Example: udp
	// +optional
	Protocol FirewallProtocol `json:"protocol,omitempty"`

	// from is the address, or the network, that may connect. Or it names what the firewall of the datacenter has, and firewall of the site in the
	// catalogue lists: an IP set, as +dc/lan or +lan, or an alias, as dc/nas. A change of these in Proxmox takes effect at once, and nobody announces it.
	// Default: everybody, IPv4 and IPv6.
	// Example: 192.168.4.0/24
	// +optional
	// +kubebuilder:validation:MaxLength=65
	// +kubebuilder:validation:XValidation:rule=`isIP(self) || isCIDR(self) && cidr(self) == cidr(self).masked() || self.matches(r'^([+](dc/)?|dc/)[a-z][a-z0-9_-]{1,60}$')`,message="must be an IP address such as 192.168.4.10, a network such as 192.168.4.0/24, or of the datacenter's firewall an IP set such as +dc/lan or an alias such as dc/nas"
	From string `json:"from,omitempty"`

	// group is a security group of the datacenter (Datacenter, Firewall, Security Group), which firewall.groups of the site in the catalogue lists. It has
	// ports and networks of its own, so that the rule has at most a comment beside it. A change of the group in Proxmox takes effect at once, and nobody
	// announces it.
	// Example: web
	// +optional
	// +kubebuilder:validation:MaxLength=18
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9_-]+$`
	Group string `json:"group,omitempty"`

	// comment is shown in Proxmox beside the rule: one line of at most 100 characters.
	// Example: web
	// +optional
	// +kubebuilder:validation:MaxLength=100
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^\S(.*\S)?$')`,message="must be one line without blanks at its ends"
	Comment string `json:"comment,omitempty"`
}
