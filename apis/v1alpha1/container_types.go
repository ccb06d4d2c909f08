package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Container is an LXC container on Proxmox VE, created from a container template. It has no cloud-init, and Proxmox itself configures its host
// name, network and SSH keys.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=containers,singular=container,shortName={lxc},categories={homelab}
// +kubebuilder:printcolumn:name="CLASS",type="string",JSONPath=".status.class"
// +kubebuilder:printcolumn:name="NODE",type="string",JSONPath=".status.node"
// +kubebuilder:printcolumn:name="CT",type="integer",JSONPath=".status.vmId"
// +kubebuilder:printcolumn:name="ADDRESS",type="string",JSONPath=".status.primaryAddress"
// +kubebuilder:printcolumn:name="PHASE",type="string",JSONPath=".status.phase"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][a-z0-9-]*$')",message="metadata.name must start with a letter and hold only lower case letters, digits and hyphens: the Proxmox provider makes Terraform identifiers of it"
// +kubebuilder:validation:XValidation:rule=`!has(oldSelf.status) || !has(oldSelf.status.vmId) || (has(self.spec.proxmox) && has(self.spec.proxmox.site) ? self.spec.proxmox.site : "") == (has(oldSelf.spec.proxmox) && has(oldSelf.spec.proxmox.site) ? oldSelf.spec.proxmox.site : "")`,message="spec.proxmox.site is immutable once the container exists: a container cannot move to another Proxmox cluster, and the provider would make a second one there"
type Container struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired container.
	// +required
	Spec ContainerSpec `json:"spec"`

	// status is the observed container.
	// +optional
	Status ContainerStatus `json:"status,omitempty"`
}

// A ContainerSpec is the desired container.
//
// +kubebuilder:validation:XValidation:rule="!has(self.adopt) || !has(self.proxmox) || !has(self.proxmox.vmId) || self.adopt.vmId == self.proxmox.vmId",message="adopt.vmId and proxmox.vmId must be the same VMID: leave proxmox.vmId out"
// +kubebuilder:validation:XValidation:rule="!has(self.adopt) || has(self.proxmox) && has(self.proxmox.node)",message="a container that is adopted needs its node: the provider finds a container on its own node only",fieldPath=".proxmox.node"
// +kubebuilder:validation:XValidation:rule="!has(self.adopt) || !has(self.network) || !has(self.network.pool) || !self.network.pool",message="an adopted container keeps its own address: write network.ip or dhcp: true as the container has it, or remove network",fieldPath=".network.pool"
// +kubebuilder:validation:XValidation:rule="has(self.adopt) || has(self.image)",message="a container needs the template that it is created from: set image"
// +kubebuilder:validation:XValidation:rule="!has(self.features) || !has(self.features.nesting) || !self.features.nesting || !has(self.unprivileged) || self.unprivileged",message="Proxmox lets only root@pam set features of a privileged container: remove features, or leave the container unprivileged",fieldPath=".features"
type ContainerSpec struct {
	// class is the sizing class, a name from the catalogue. Built-in classes are micro, small, medium and large. Default: the
	// catalogue's defaults.class, else small. Changing it resizes an existing container: the root file system grows and the cores change at
	// once, the memory changes at the next restart that you request. A root file system never shrinks.
	// Example: micro
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Class string `json:"class,omitempty"`

	// size overrides single values of the class.
	// +optional
	Size ContainerSize `json:"size,omitempty"`

	// hostname is the host name of the container, and its name in Proxmox: a DNS name in lower case. Default: the claim's name. Changing it takes
	// effect at the next restart that you request.
	// Example: dns01
	// +optional
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')`,message="must be a DNS name of lower case letters, digits and hyphens, such as dns01 or dns01.home.arpa; each part between dots has at most 63 characters and neither starts nor ends with a hyphen"
	Hostname string `json:"hostname,omitempty"`

	// image is the template that the container is created from: a name from the catalogue whose url is a .tar.gz, .tar.xz or .tar.zst file, which the
	// node downloads; or a template on the node, as storage:vztmpl/file. Required, unless the container is adopted. Changing it does not change
	// an existing container; only a new container gets the new template.
	// Example: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst
	// +optional
	// +kubebuilder:validation:MaxLength=255
	Image string `json:"image,omitempty"`

	// os is the distribution of the template: Proxmox configures network, host name and SSH keys in the way of the distribution; in a container
	// that is unmanaged it configures none of them. Default: what the name of the template's file begins with, as in
	// debian-12-standard_12.7-1_amd64.tar.zst. It is fixed at creation.
	// Example: debian
	// +optional
	// +kubebuilder:validation:Enum=alpine;archlinux;centos;debian;devuan;fedora;gentoo;nixos;opensuse;ubuntu;unmanaged
	OS string `json:"os,omitempty"`

	// role groups containers. It sets the Proxmox tag role_<role> and the label homelab.io/role. You can change it at any time.
	// Example: dns
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"
	Role string `json:"role,omitempty"`

	// tags are additional Proxmox tags. The function converts them to lower case, sorts them and removes duplicates. You can
	// change them at any time.
	// Example: [core, tier1]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:XValidation:rule=`self.matches(r'^[A-Za-z0-9_][A-Za-z0-9_.+-]*$')`,message="must hold only letters, digits, _, -, + and dots, and start with a letter, a digit or _"
	Tags []string `json:"tags,omitempty"`

	// power says whether the container should run. Running starts it, Stopped shuts it down; Proxmox kills a container that has not shut down
	// within 55 seconds. With Unmanaged, the provider starts a new container once; afterwards you start and stop it in Proxmox. Changing it
	// takes effect at once.
	// +optional
	// +kubebuilder:default=Running
	Power Power `json:"power,omitempty"`

	// onBoot says whether Proxmox starts the container when its node boots. Default: true; an adopted container keeps its own. You can change it
	// at any time.
	// Example: true
	// +optional
	OnBoot *bool `json:"onBoot,omitempty"`

	// startup is the container's position in the order in which its node starts and stops VMs and containers. Default: none; an adopted container
	// keeps its own. You can change it at any time.
	// +optional
	Startup *Startup `json:"startup,omitempty"`

	// network is the network interface eth0. Default: DHCP on the site's bridge; an adopted container without network keeps all of its interfaces
	// as they are. Every change takes effect at the next restart that you request.
	// +optional
	Network *ContainerNetwork `json:"network,omitempty"`

	// nics are additional network interfaces, in the guest's order (eth1, eth2, ...). Add new interfaces at the end, because the position identifies
	// an interface. Every change takes effect at the next restart that you request; an adopted container keeps its own.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=7
	NICs []ContainerNIC `json:"nics,omitempty"`

	// firewall is the container's own firewall in Proxmox: which connections from outside reach the guest. It has an effect only if the firewall of
	// the datacenter is on, too (Datacenter, Firewall, Options), which the function cannot see. Its preset is ssh or none. Default: the catalogue's
	// defaults.firewall of the day on which the container was made; else none, the container's
	// firewall stays as it is, also that of an adopted container. Every change takes effect at once, and the container keeps running;
	// but a container whose network.firewall was false is behind the firewall from the next restart on that you request.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.preset) || self.preset in ['ssh', 'none']",message="k3s-server and k3s-agent are for the VMs of a cluster: a container has the preset ssh or none",fieldPath=".preset"
	Firewall *Firewall `json:"firewall,omitempty"`

	// proxmox is the container's place in Proxmox: site, node, datastore, VMID, pool.
	// +optional
	Proxmox ContainerPlacement `json:"proxmox,omitempty"`

	// disks are mount points beside the root file system, each a new volume: Proxmox lets only root@pam mount folders and devices of the node.
	// They are fixed at creation, because the provider cannot add, change or remove a mount point without destroying the container: a change is
	// refused, and reported. An adopted container keeps its mount points.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=16
	Disks []ContainerDisk `json:"disks,omitempty"`

	// features are what the container may do beyond its own. Default: nothing; an adopted container keeps its own.
	// +optional
	Features *ContainerFeatures `json:"features,omitempty"`

	// unprivileged says whether root in the container is an ordinary user of the node. Default: true. It is fixed at creation: a change is
	// refused, and reported. An adopted container keeps its own.
	// Example: true
	// +optional
	Unprivileged *bool `json:"unprivileged,omitempty"`

	// bootstrap is the first configuration of a new container. An edit does not change an existing container.
	// +optional
	Bootstrap ContainerBootstrap `json:"bootstrap,omitempty"`

	// notes are shown in Proxmox beside the container, before a line that names the claim. Proxmox reads them as Markdown. An adopted container
	// without notes keeps its own, without the line. You can change them at any time.
	// Example: "Owner: Ada. Runbook: https://wiki.home.arpa/dns"
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Notes string `json:"notes,omitempty"`

	// lifecycle requests actions on an existing container.
	// +optional
	Lifecycle ContainerLifecycle `json:"lifecycle,omitempty"`

	// rollout makes the container one of a group whose containers restart in waves: a restart or a replacement that the claim or the catalogue asks
	// for waits until all containers of the group in lower waves are finished. Default: the container waits for nobody. Adding, changing and removing it
	// does not change the container. If you remove it, what waits begins.
	// Example: {group: edge, wave: 2}
	// +optional
	Rollout *MachineRollout `json:"rollout,omitempty"`

	// adopt adopts an existing container in two steps. First the provider only reads the container, and status.adoption lists what the
	// adoption would change. Then you set approve, and the provider adopts the container: it neither restarts nor changes its devices, mount
	// points and features. If the container does not exist, the provider creates nothing. After the adoption,
	// deletionPolicy applies to the container. adopt has no effect if the claim already has a container.
	// +optional
	Adopt *Adopt `json:"adopt,omitempty"`

	// deletionPolicy says what happens to the container when you delete the claim. Delete stops the container and destroys it with its root
	// file system and its disks. Orphan keeps the container. You can change it at any time; the value at the time of the deletion counts.
	// +optional
	// +kubebuilder:default=Delete
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// deletionProtection prevents the deletion of the claim until you set it to false: to delete a protected container takes two commits.
	// It is not Proxmox's own option "protection", which is proxmox.protection. Default: the catalogue's defaults.deletionProtection, else
	// true for a container with disks and for an adopted one, if deletionPolicy is Delete. You can change it at any time; the container does not change.
	// +optional
	DeletionProtection *bool `json:"deletionProtection,omitempty"`
}

// A ContainerSize overrides single values of a sizing class.
type ContainerSize struct {
	// cores is the number of CPU cores that the container may use, 1 to 128. Default: the class's; an adopted container without class and cores
	// keeps its own. Changing it takes effect at once.
	// Example: 2
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=128
	Cores *int64 `json:"cores,omitempty"`

	// memory is the container's memory, 128 MiB to 2 TiB, in whole MiB: 1Gi, 1024Mi, or 1024 (a number without a unit is MiB). Default: the class's; an
	// adopted container without class and memory keeps its own. Changing it takes effect at the next restart that you request.
	// Example: 1Gi
	// +optional
	Memory Quantity `json:"memory,omitempty"`

	// swap is the swap space beside the memory, 0 to 2 TiB, in whole MiB: 512Mi, or 512 (a number without a unit is MiB). Default: 0; an adopted
	// container keeps its own. Changing it takes effect at the next restart that you request.
	// Example: 512Mi
	// +optional
	Swap Quantity `json:"swap,omitempty"`

	// disk is the size of the root file system, 1 GiB to 100 TiB, in whole GiB: 8Gi, or 8 (a number without a unit is GiB). Default: the class's; an
	// adopted container keeps its own. A larger value takes effect at once; a smaller value does not change an existing container, and
	// neither does any value an adopted one.
	// Example: 8Gi
	// +optional
	Disk Quantity `json:"disk,omitempty"`
}

// A ContainerNetwork is the network interface of a container.
//
// +kubebuilder:validation:XValidation:rule="(has(self.dhcp) && self.dhcp ? 1 : 0) + (has(self.pool) && self.pool ? 1 : 0) + (has(self.ip) ? 1 : 0) == 1",message="set exactly one of dhcp: true, pool: true and ip: IPv4 is required, and ipv6 adds to it"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip: with dhcp: true the DHCP server names the gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 4 || cidr(self.ip).prefixLength() == self.cidr",message="cidr contradicts the prefix length in ip: remove one of them",fieldPath=".cidr"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.gateway) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 4 || !isIP(self.gateway) || cidr(self.ip).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !has(self.gateway) || !isIP(self.ip) || ip(self.ip).family() == 6 || !isIP(self.gateway) || self.cidr < 1 || self.cidr > 32 || cidr(self.ip + ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12', '/13', '/14', '/15', '/16', '/17', '/18', '/19', '/20', '/21', '/22', '/23', '/24', '/25', '/26', '/27', '/28', '/29', '/30', '/31', '/32'][self.cidr - 1]).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.domain) || !has(self.searchDomains) || !self.searchDomains.exists(d, d == self.domain)",message="searchDomains must not have domain, which is the first search domain anyway",fieldPath=".searchDomains"
type ContainerNetwork struct {
	IPv4 `json:",inline"`

	// pool: true takes a fixed IPv4 address from the site's address pool (sites.<site>.network.pool in the catalogue, a range of addresses and no pool of Cluster
	// API): the lowest one that no other machine or container has. The container keeps its address as long as it exists, and a container that replaces it has the
	// same; the address is free again when the claim is deleted. An existing container with a fixed address keeps that address; one with DHCP keeps DHCP until it
	// is replaced. Not for a container that is to be adopted, which keeps its own address.
	// +optional
	Pool bool `json:"pool,omitempty"`

	// dns are the container's name servers. Default: the site's, else the Proxmox node's.
	// Example: [192.168.4.1]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:items:MaxLength=45
	// +kubebuilder:validation:items:XValidation:rule="isIP(self)",message="must be an IP address"
	DNS []string `json:"dns,omitempty"`

	// domain is the container's search domain. Default: the site's.
	// Example: home.arpa
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')`,message="must be a DNS domain in lower case, such as home.arpa"
	Domain string `json:"domain,omitempty"`

	// searchDomains are further search domains of the container, after domain: its resolver appends one after the other to a short name. Default: none.
	// Example: [lan, corp.example]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=6
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')`,message="must be a DNS domain in lower case, such as home.arpa"
	SearchDomains []string `json:"searchDomains,omitempty"`

	// ipv6 adds IPv6 to the interface. Default: none.
	// +optional
	IPv6 *IPv6 `json:"ipv6,omitempty"`

	// bridge is the bridge of the Proxmox node. Default: the site's, else vmbr0.
	// Example: vmbr0
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9_-]*$')`,message="must be the name of a bridge of the node: letters, digits, _ and -, such as vmbr0"
	Bridge string `json:"bridge,omitempty"`

	// vlan is the VLAN tag. Default: the site's, else none.
	// Example: 20
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	VLAN *int64 `json:"vlan,omitempty"`

	// firewall puts the interface behind Proxmox's firewall. It has an effect only if the firewall is on for the datacenter and for the container
	// (spec.firewall, or by hand; by hand and without rules, it then drops incoming connections). Default: true if spec.firewall is enabled, else false; an adopted
	// container keeps its own.
	// Example: true
	// +optional
	Firewall *bool `json:"firewall,omitempty"`

	// mtu is the interface's MTU in bytes, 576 to 65520; it must not be larger than the MTU of the bridge. Default: the MTU of the bridge; an adopted
	// container keeps its own.
	// Example: 9000
	// +optional
	// +kubebuilder:validation:Minimum=576
	// +kubebuilder:validation:Maximum=65520
	MTU *int64 `json:"mtu,omitempty"`

	// mac is a fixed MAC address, for instance for a DHCP reservation. Default: Proxmox generates one, which the container keeps.
	// Example: BC:24:11:00:00:53
	// +optional
	// +kubebuilder:validation:MaxLength=17
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$')`,message="must be a MAC address such as BC:24:11:00:00:53"
	MAC string `json:"mac,omitempty"`
}

// A ContainerNIC is an additional network interface of a container. Without dhcp, ip and ipv6 Proxmox does not configure it in the guest.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.dhcp) && self.dhcp && has(self.ip))",message="set at most one of dhcp: true and ip"
// +kubebuilder:validation:XValidation:rule="has(self.ip) || !has(self.gateway)",message="gateway goes with ip: with dhcp: true the DHCP server names the gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 4 || cidr(self.ip).prefixLength() == self.cidr",message="cidr contradicts the prefix length in ip: remove one of them",fieldPath=".cidr"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.gateway) || !isCIDR(self.ip) || cidr(self.ip).ip().family() != 4 || !isIP(self.gateway) || cidr(self.ip).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || !has(self.cidr) || !has(self.gateway) || !isIP(self.ip) || ip(self.ip).family() == 6 || !isIP(self.gateway) || self.cidr < 1 || self.cidr > 32 || cidr(self.ip + ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12', '/13', '/14', '/15', '/16', '/17', '/18', '/19', '/20', '/21', '/22', '/23', '/24', '/25', '/26', '/27', '/28', '/29', '/30', '/31', '/32'][self.cidr - 1]).containsIP(self.gateway)",message="gateway must be inside the subnet that ip and cidr describe",fieldPath=".gateway"
// +kubebuilder:validation:XValidation:rule="!has(self.ip) || has(self.cidr) || isCIDR(self.ip)",message="the prefix length of the subnet is required with ip, such as 10.30.0.5/24"
type ContainerNIC struct {
	IPv4 `json:",inline"`

	// bridge is the bridge of the Proxmox node.
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

	// ipv6 adds IPv6 to the interface. Default: none.
	// +optional
	IPv6 *IPv6 `json:"ipv6,omitempty"`

	// firewall puts the interface behind Proxmox's firewall. It has an effect only if the firewall is on for the datacenter and for the container
	// (spec.firewall, or by hand; by hand and without rules, it then drops incoming connections). Default: true if spec.firewall is enabled, else false.
	// Example: true
	// +optional
	Firewall *bool `json:"firewall,omitempty"`

	// mtu is the interface's MTU in bytes, 576 to 65520; it must not be larger than the MTU of the bridge. Default: the MTU of the bridge.
	// Example: 9000
	// +optional
	// +kubebuilder:validation:Minimum=576
	// +kubebuilder:validation:Maximum=65520
	MTU *int64 `json:"mtu,omitempty"`

	// mac is a fixed MAC address. Default: Proxmox generates one, which the container keeps.
	// Example: BC:24:11:00:00:54
	// +optional
	// +kubebuilder:validation:MaxLength=17
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$')`,message="must be a MAC address such as BC:24:11:00:00:53"
	MAC string `json:"mac,omitempty"`
}

// A ContainerPlacement is a container's place in Proxmox. None of it but protection changes an existing container: a change is refused, and reported.
type ContainerPlacement struct {
	// site is an entry of the catalogue's sites: one Proxmox VE cluster or standalone node, with its defaults. Default: the
	// catalogue's defaults.site; required if the catalogue has several sites and no default. It is immutable once the container exists.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Site string `json:"site,omitempty"`

	// node is the Proxmox node. Required for a container that is adopted: the provider finds a container on its own node only. Default: the function
	// chooses one of the site's nodes that has everything the claim names, and room for the container (status.placement), and the container stays there.
	// Example: pve
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$')`,message="must be the name of a Proxmox node: letters, digits and hyphens, such as pve"
	Node string `json:"node,omitempty"`

	// avoid are Proxmox nodes that the function does not choose for a new container. It has no effect beside node. Changing it does not move an existing
	// container.
	// Example: [pve3]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.all(n, n.matches(r'^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$'))`,message="must hold names of Proxmox nodes: letters, digits and hyphens, such as pve"
	Avoid []string `json:"avoid,omitempty"`

	// spread names a group of machines and containers, and becomes the label homelab.io/spread of the container's managed resource. For a new container, the
	// function chooses a node without another one of the same group and namespace, while there is such a node. Beside node it only shows the function the
	// other ones of the group. Changing it does not move an existing container.
	// Example: dns
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"
	Spread string `json:"spread,omitempty"`

	// storage is the datastore of the root file system, and of disks without one of their own. Default: the node's datastores.disks in the
	// catalogue, else local-lvm.
	// Example: local-zfs
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*$')`,message="must be the name of a Proxmox datastore: letters, digits, dots, _ and -, starting with a letter, such as local-zfs"
	Storage string `json:"storage,omitempty"`

	// vmId is the VMID, 100 to 999999999: VMs and containers share them. Default: adopt.vmId, else one of the site's vmIds that nothing has, which the
	// container keeps; required if the site has no range. If a VM or another container has the VMID, condition VMIDInUse says so, and no container is
	// created. Removing it changes nothing.
	// Example: 153
	// +optional
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	VMID *int64 `json:"vmId,omitempty"`

	// pool is the Proxmox resource pool of the container; the pool must exist.
	// Example: infra
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._/-]*$')`,message="must be the name of a Proxmox resource pool: letters, digits, dots, _, - and /, such as infra"
	Pool string `json:"pool,omitempty"`

	// protection is Proxmox's own option "protection": Proxmox neither destroys the container nor removes its volumes, whoever asks for it. With
	// deletionPolicy: Delete, it also prevents the deletion of the claim until you set it to false, whatever deletionProtection says: the provider would
	// stop the container, and fail to destroy it. Default: off; an existing container keeps its own. You can change it at any time; it takes effect at once.
	// Example: true
	// +optional
	Protection *bool `json:"protection,omitempty"`
}

// A ContainerDisk is a mount point with a volume of its own, identified by its path.
type ContainerDisk struct {
	// path is the folder of the container at which the volume is mounted.
	// Example: /srv/data
	// +required
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^(/[A-Za-z0-9._-]+)+$') && !self.matches(r'/[.]{1,2}(/|$)')`,message="must be an absolute path of letters, digits, dots, _, - and /, without . and .. and without a / at the end, such as /srv/data"
	Path string `json:"path"`

	// size is the size of the volume, 1 GiB to 100 TiB, in whole GiB: 50Gi, or 50 (a number without a unit is GiB).
	// Example: 50Gi
	// +required
	Size Quantity `json:"size"`

	// storage is the datastore of the volume. Default: that of the root file system.
	// Example: tank
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9._-]*$')`,message="must be the name of a Proxmox datastore: letters, digits, dots, _ and -, starting with a letter, such as local-zfs"
	Storage string `json:"storage,omitempty"`

	// backup says whether Proxmox's backup jobs include the volume.
	// +optional
	// +kubebuilder:default=true
	Backup *bool `json:"backup,omitempty"`
}

// ContainerFeatures are what a container may do beyond its own. Proxmox lets only root@pam set any other than nesting.
type ContainerFeatures struct {
	// nesting lets the container run containers of its own, such as Docker, and a systemd that isolates its services. Changing it takes effect at
	// the next restart that you request. It needs an unprivileged container.
	// Example: true
	// +optional
	Nesting *bool `json:"nesting,omitempty"`
}

// A ContainerBootstrap is the first configuration of a container.
type ContainerBootstrap struct {
	// sshAuthorizedKeys are the SSH keys of root. Default: the catalogue's defaults.sshAuthorizedKeys. They are fixed at creation: change them in
	// the container.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=16384
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`
}

// A ContainerLifecycle requests actions on an existing container.
type ContainerLifecycle struct {
	// replace triggers the replacement of the container by a new one, created from the current claim: what was refused before is in it. The new one
	// starts empty, and needs another VMID. First the replacement is announced in condition ReplacementRequired. Then the old container is stopped,
	// the new one is created beside it, and started. When it runs, the old one is destroyed with its root file system and all of its disks; with
	// deletionPolicy: Orphan it stays in Proxmox, stopped. It is blocked while deletionProtection or Proxmox's own option protects a container that
	// would be destroyed. To go back, remove the value before the new one runs: the old one starts again. Set a new value, such as today's date, to
	// trigger it once.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(?i)(true|false|yes|no|on|off)$')`,message="acts once for each new value: set a new value, such as today's date in quotes, \"2026-11-20\""
	Replace string `json:"replace,omitempty"`

	// reboot triggers one restart of the container: the provider shuts it down, Proxmox kills it after 55 seconds, and the provider starts it
	// again; waiting changes take effect. Set a new value, such as today's date, to trigger it once.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(?i)(true|false|yes|no|on|off)$')`,message="acts once for each new value: set a new value, such as today's date in quotes, \"2026-11-20\""
	Reboot string `json:"reboot,omitempty"`

	// rebootPolicy says when changes that need a restart take effect. OnRequest waits for reboot. WhenNeeded restarts the container as soon as there
	// is such a change. A restart in Proxmox does not apply them. You can change it at any time: WhenNeeded restarts the container at once if
	// changes already wait.
	// +optional
	// +kubebuilder:default=OnRequest
	RebootPolicy RebootPolicy `json:"rebootPolicy,omitempty"`

	// approval says which edits, of the claim or of the catalogue, wait for approve. OnRisk: an edit that would restart, stop or replace the
	// container, or of which a change would be refused. Always: every edit that changes the container. Never: none. An edit waits as a whole, and
	// status.plan says what it does; meanwhile the container keeps what it has. A new container, the deletion of the claim and an adoption, which
	// adopt.approve approves, never wait, and neither does an edit of notes. You can change it at any time. Default: Never.
	// Example: OnRisk
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// approve approves the plan that waits: read status.plan, then copy status.plan.hash here. It approves this plan only, and once: if the
	// claim, the catalogue or the container changes what would be done, the new plan needs a new approval. Any other value, and a removed one, does
	// nothing.
	// Example: "d19a0c71d2"
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9a-f]{10}$')`,message="must be the value of status.plan.hash: ten digits and letters from a to f"
	Approve string `json:"approve,omitempty"`

	// force makes a new container although another machine or container that runs has its address, and ends the comparison of addresses for one that
	// exists: it is your word that two networks only have the same names. It does nothing else.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(?i)(true|false|yes|no|on|off)$')`,message="acts once for each new value: set a new value, such as today's date in quotes, \"2026-11-20\""
	Force string `json:"force,omitempty"`
}

// A ContainerStatus is the observed container, and the most important rendered values.
type ContainerStatus struct {
	// conditions are the container's conditions. docs/conditions.md explains them.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// phase summarises the container's state: Pending, Creating, Adopting, Starting, Running, Stopped or Failed.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// vmId is the VMID, as soon as the container exists.
	// +optional
	VMID *int64 `json:"vmId,omitempty"`

	// node is the container's Proxmox node.
	// +optional
	Node string `json:"node,omitempty"`

	// placement is the Proxmox node that the function chose for the container, and why. It is empty if the claim names the node, or if the
	// catalogue has nothing that tells the nodes of the site apart. It stays the first choice, and its reason.
	// +optional
	Placement *PlacementStatus `json:"placement,omitempty"`

	// primaryAddress is the address of the first network interface, IPv4 before IPv6, as Proxmox reports it.
	// +optional
	PrimaryAddress string `json:"primaryAddress,omitempty"`

	// addresses are the addresses of the container's interfaces: of each the first IPv4 and the first IPv6 address.
	// +optional
	// +listType=atomic
	Addresses []string `json:"addresses,omitempty"`

	// class is the rendered sizing class.
	// +optional
	Class string `json:"class,omitempty"`

	// size is what the container has, or will be created with.
	// +optional
	Size *ResolvedSize `json:"size,omitempty"`

	// image is the template of the claim.
	// +optional
	Image string `json:"image,omitempty"`

	// hostname is the container's host name in Proxmox.
	// +optional
	Hostname string `json:"hostname,omitempty"`

	// power is the requested power state.
	// +optional
	Power Power `json:"power,omitempty"`

	// pendingReboot lists the changes that take effect at the next restart that you request.
	// +optional
	// +listType=atomic
	PendingReboot []string `json:"pendingReboot,omitempty"`

	// refused lists the changes that the container cannot follow: it keeps its values.
	// +optional
	// +listType=atomic
	Refused []string `json:"refused,omitempty"`

	// replacement is the new container that is to replace this one.
	// +optional
	Replacement *ReplacementStatus `json:"replacement,omitempty"`

	// left lists the containers that were replaced with deletionPolicy: Orphan, and stayed in Proxmox, stopped.
	// Example: [container 153 on node pve]
	// +optional
	// +listType=atomic
	Left []string `json:"left,omitempty"`

	// plan is what an edit does to the container, while it waits for approval (lifecycle.approval), and until what was approved is done.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`

	// rollout is how far the container is among those of its group (spec.rollout). The other containers of the group read it.
	// +optional
	Rollout *WaveStatus `json:"rollout,omitempty"`

	// adoption lists what the adoption of the container of spec.adopt would change.
	// +optional
	Adoption *AdoptionStatus `json:"adoption,omitempty"`

	// appliedSpec is the spec that the container was last ready with. It differs from spec while an edit is refused or not applied
	// yet, so that GitOps tools can compare the two. What waits for a restart counts as applied.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	AppliedSpec AppliedSpec `json:"appliedSpec,omitempty"`
}
