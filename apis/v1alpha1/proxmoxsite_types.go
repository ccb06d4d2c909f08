package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A ProxmoxSite is what the machines of a Proxmox cluster need there: Linux bridges and VLAN interfaces of nodes, and resource pools. The provider
// creates them, and never changes or deletes an interface or a pool that it did not create for the claim.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=proxmoxsites,singular=proxmoxsite,shortName={pxs},categories={homelab}
// +kubebuilder:printcolumn:name="SITE",type="string",JSONPath=".status.site"
// +kubebuilder:printcolumn:name="PRESENT",type="string",JSONPath=".status.present"
// +kubebuilder:printcolumn:name="STATE",type="string",JSONPath=".status.conditions[?(@.type=='SiteReady')].reason"
// +kubebuilder:printcolumn:name="INTERRUPTION",type="string",description="Whether changes wait because they interrupt traffic.",JSONPath=".status.conditions[?(@.type=='InterruptionPending')].status"
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][a-z0-9-]*$')",message="metadata.name must start with a letter and hold only lower case letters, digits and hyphens: the Proxmox provider makes Terraform identifiers of it"
type ProxmoxSite struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what there should be.
	// +required
	Spec ProxmoxSiteSpec `json:"spec"`

	// status is what there is.
	// +optional
	Status ProxmoxSiteStatus `json:"status,omitempty"`
}

// A ProxmoxSiteSpec is what there should be.
type ProxmoxSiteSpec struct {
	// proxmox names the Proxmox cluster.
	// +optional
	Proxmox ProxmoxSiteCluster `json:"proxmox,omitempty"`

	// nodes are the network interfaces of nodes, by the node's name in Proxmox. The provider creates each, reloads the node's network
	// (ifreload -a), and does not change interfaces that the claim does not name. A reload also applies what somebody has staged in Proxmox by hand on
	// the node: apply or revert staged changes there before you edit the claim. If an interface of the same name exists, the function refuses it.
	// Example: {pve1: {bridges: [{name: vmbr1, ports: [enp2s0]}]}}
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Nodes map[string]ProxmoxSiteNode `json:"nodes,omitempty"`

	// pools are resource pools of the Proxmox cluster, for the field proxmox.pool of machines. If a pool of the same name exists, the function refuses it.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Pools []ProxmoxSitePool `json:"pools,omitempty"`

	// allowRemoval names what the provider may delete in Proxmox although the claim still exists. Only deletionPolicy Delete needs it: what you remove
	// from nodes or pools stays in Proxmox until allowRemoval names it, too. With deletionPolicy Orphan, it stays anyway.
	// +optional
	AllowRemoval ProxmoxSiteRemoval `json:"allowRemoval,omitempty"`

	// deletionPolicy says what happens in Proxmox to what you remove from the claim, and to everything when you delete the claim. Orphan
	// keeps interfaces and pools as they are. Delete deletes them, and reloads the nodes' networks; an interface that a VM or a container of the cluster's
	// claims uses, or a VLAN interface or a bridge of the claim, stays. The function does not know VMs that have no claim: Proxmox deletes a bridge
	// although they use it. Proxmox itself refuses to delete a pool with members. You can change deletionPolicy at any time; the last value that the
	// function has seen counts.
	// +optional
	// +kubebuilder:default=Orphan
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// A ProxmoxSiteCluster names a Proxmox cluster.
type ProxmoxSiteCluster struct {
	// site is the Proxmox cluster, a name from the catalogue. Default: the catalogue's defaults.site. It is fixed as soon as the claim has an interface or a
	// pool: a change is refused.
	// Example: home
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Site string `json:"site,omitempty"`
}

// A ProxmoxSiteNode has the network interfaces of a node.
type ProxmoxSiteNode struct {
	// bridges are Linux bridges.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Bridges []ProxmoxSiteBridge `json:"bridges,omitempty"`

	// vlans are VLAN interfaces of the node itself, on a bridge, a NIC or a bond. VMs need none: they have network.vlan on a bridge with vlanAware.
	// +optional
	// +listType=map
	// +listMapKey=interface
	// +listMapKey=tag
	// +kubebuilder:validation:MaxItems=64
	VLANs []ProxmoxSiteVLAN `json:"vlans,omitempty"`
}

// A ProxmoxSiteBridge is a Linux bridge of a node.
type ProxmoxSiteBridge struct {
	// name of the bridge: 2 to 10 letters, digits and _, starting with a letter. Proxmox's own are vmbr0 to vmbr4094. A bridge of another name is another
	// bridge: the former one is removed as deletionPolicy says.
	// Example: vmbr1
	// +required
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9_]{1,9}$')`,message="must hold 2 to 10 letters, digits and _, and start with a letter, such as vmbr1"
	Name string `json:"name"`

	// ports are the NICs, bonds and VLAN interfaces of the node that the bridge connects. Default: none, for a bridge that only VMs of the node use.
	// A port must exist, must not be used by another interface, and must not have an address of its own. Changing them waits for
	// allowInterruption. The provider cannot remove the last port: the change is refused, and reported.
	// Example: [enp2s0]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=15
	// +kubebuilder:validation:items:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9_]{1,14}([.][0-9]{1,4})?$')`,message="must be the name of a NIC, a bond or a VLAN interface of the node, such as enp2s0, bond0 or enp2s0.30"
	Ports []string `json:"ports,omitempty"`

	// vlanAware says whether VMs on the bridge may have VLAN tags (network.vlan). Default: false. Changing it waits for allowInterruption.
	// Example: true
	// +optional
	VLANAware bool `json:"vlanAware,omitempty"`

	ProxmoxSiteInterface `json:",inline"`
}

// A ProxmoxSiteVLAN is a VLAN interface of a node.
type ProxmoxSiteVLAN struct {
	// interface is what carries the VLAN: a bridge, a NIC or a bond of the node. Changing it makes another interface.
	// Example: vmbr1
	// +required
	// +kubebuilder:validation:MaxLength=13
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z][A-Za-z0-9_]{1,12}$')`,message="must be the name of a bridge, a NIC or a bond of the node, 2 to 13 letters, digits and _, such as vmbr1"
	Interface string `json:"interface"`

	// tag is the VLAN, 1 to 4094. The VLAN interface's name is interface and tag, such as vmbr1.30, and has at most 15 characters. Changing it makes another
	// interface.
	// Example: 30
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	Tag int64 `json:"tag"`

	ProxmoxSiteInterface `json:",inline"`
}

// A ProxmoxSiteInterface is what bridges and VLAN interfaces have in common. There is no gateway: a node has one default gateway, on the interface that
// its installation made, and the function does not change that.
type ProxmoxSiteInterface struct {
	// address is the node's IPv4 address on the interface, with the length of the subnet's prefix. Default: none, which is usual where only VMs use
	// the interface. Changing it waits for allowInterruption.
	// Example: 10.0.9.2/24
	// +optional
	// +kubebuilder:validation:MaxLength=18
	// +kubebuilder:validation:XValidation:rule=`isCIDR(self) && cidr(self).ip().family() == 4`,message="must be an IPv4 address with the length of its prefix, such as 10.0.9.2/24"
	Address string `json:"address,omitempty"`

	// address6 is the node's IPv6 address on the interface, with the length of the subnet's prefix. Default: none. Changing it waits for allowInterruption.
	// Example: fd00:9::2/64
	// +optional
	// +kubebuilder:validation:MaxLength=43
	// +kubebuilder:validation:XValidation:rule=`isCIDR(self) && cidr(self).ip().family() == 6`,message="must be an IPv6 address with the length of its prefix, such as fd00:9::2/64"
	Address6 string `json:"address6,omitempty"`

	// mtu is the largest packet in bytes, 1280 to 65520. Default: the kernel's own, 1500. Ports and switches must have it, too. Changing it
	// waits for allowInterruption.
	// Example: 9000
	// +optional
	// +kubebuilder:validation:Minimum=1280
	// +kubebuilder:validation:Maximum=65520
	MTU *int64 `json:"mtu,omitempty"`

	// comment is shown in Proxmox beside the interface, before the name of the claim: one line of at most 100 printable ASCII characters. You can change
	// it at any time; the provider reloads the node's network then.
	// Example: storage network
	// +optional
	// +kubebuilder:validation:MaxLength=100
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[!-~]([ -~]*[!-~])?$')`,message="must be one line of printable ASCII characters, without spaces at the ends"
	Comment string `json:"comment,omitempty"`

	// allowInterruption approves changes of an existing interface that interrupt traffic, for the node or for VMs: the hash that
	// status.interfaces shows beside the changes. It counts once. Without it, the interface stays as it is, and condition InterruptionPending lists the changes.
	// Example: b81f9a3c20
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z][a-z0-9]*$')`,message="must be the hash that status.interfaces shows beside the changes"
	AllowInterruption string `json:"allowInterruption,omitempty"`
}

// A ProxmoxSitePool is a resource pool.
type ProxmoxSitePool struct {
	// name of the pool: letters, digits, dots, _ and -; in a pool within another one after its name and a /, as infra/dns. The outer pool must exist. A pool of
	// another name is another pool.
	// Example: k3s
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*){0,2}$')`,message="must be the name of a Proxmox resource pool: letters, digits, dots, _ and -, at most three levels with / between them, such as infra"
	Name string `json:"name"`

	// comment is shown in Proxmox beside the pool, before the name of the claim: one line of at most 100 printable ASCII characters. You can change it at any time.
	// Example: nodes of the K3s cluster
	// +optional
	// +kubebuilder:validation:MaxLength=100
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[!-~]([ -~]*[!-~])?$')`,message="must be one line of printable ASCII characters, without spaces at the ends"
	Comment string `json:"comment,omitempty"`
}

// A ProxmoxSiteRemoval names what the provider may delete in Proxmox.
type ProxmoxSiteRemoval struct {
	// interfaces are bridges and VLAN interfaces that you removed from nodes, as node/name. VMs on a bridge lose their network when it is deleted.
	// Example: [pve1/vmbr1]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=80
	// +kubebuilder:validation:items:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z][A-Za-z0-9_]*([.][0-9]{1,4})?$')`,message="must be the node and the interface, such as pve1/vmbr1"
	Interfaces []string `json:"interfaces,omitempty"`

	// pools are pools that you removed from pools. Proxmox deletes the permissions on a pool with the pool.
	// Example: [k3s]
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	Pools []string `json:"pools,omitempty"`
}

// A ProxmoxSiteStatus is what there is.
type ProxmoxSiteStatus struct {
	// conditions are the site's conditions. docs/conditions.md explains them.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// site is the name of the site in the catalogue.
	// +optional
	Site string `json:"site,omitempty"`

	// present is how many interfaces and pools of the claim are in Proxmox, for instance 2/3.
	// +optional
	Present string `json:"present,omitempty"`

	// interfaces are the claim's bridges and VLAN interfaces, and those that were removed from the claim and are still managed.
	// +optional
	// +listType=map
	// +listMapKey=name
	Interfaces []ProxmoxSitePartStatus `json:"interfaces,omitempty"`

	// pools are the claim's pools, and those that were removed from the claim and are still managed.
	// +optional
	// +listType=map
	// +listMapKey=name
	Pools []ProxmoxSitePartStatus `json:"pools,omitempty"`

	// appliedSpec is the spec that the interfaces and pools were last ready with. It differs from spec while an edit is refused, not applied yet, or waits
	// for allowInterruption or allowRemoval, so that GitOps tools can compare the two.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	AppliedSpec AppliedSpec `json:"appliedSpec,omitempty"`
}

// A ProxmoxSitePartStatus is an interface or a pool as it is.
type ProxmoxSitePartStatus struct {
	// name of the pool, or of the interface as node/name.
	// +required
	Name string `json:"name"`

	// state: Checking, whether the name is free; Waiting, for its ports; Taken, by an interface or a pool that the claim did not create; Creating;
	// Present; Kept, because it was removed from the claim and may not be deleted.
	// +optional
	State string `json:"state,omitempty"`

	// reason is why it is not Present, or why it is Kept.
	// +optional
	Reason string `json:"reason,omitempty"`

	// interruptions are changes that wait for allowInterruption.
	// +optional
	// +listType=atomic
	Interruptions []string `json:"interruptions,omitempty"`

	// allow is the value of allowInterruption that approves them.
	// +optional
	Allow string `json:"allow,omitempty"`

	// refused lists the changes that the interface cannot follow: it keeps its values.
	// +optional
	// +listType=atomic
	Refused []string `json:"refused,omitempty"`
}
