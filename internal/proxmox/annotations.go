package proxmox

import (
	"strconv"
	"strings"
)

// Annotations that remember facts about a managed resource that nothing else in it shows.
const (
	// BootstrapHashAnnotation is the hash of the bootstrap data with which a VM was created.
	BootstrapHashAnnotation = "homelab.io/bootstrap-hash"
	// ReplaceTriggersAnnotation lists the triggers of spec.lifecycle.replace that led to a VM; the last one created this VM.
	ReplaceTriggersAnnotation = "homelab.io/replace-tokens"
	// ReplacingAnnotation marks a VM that is about to be replaced, for the other servers of its K3s cluster to see. Its value is
	// the trigger.
	ReplacingAnnotation = "homelab.io/replacing"
	// CandidateAnnotation marks a VM that is to replace another VM and has not been ready yet.
	CandidateAnnotation = "homelab.io/candidate"
	// RebootTriggersAnnotation lists the triggers of spec.lifecycle.reboot after which the VM was power cycled.
	RebootTriggersAnnotation = "homelab.io/reboot-tokens"
	// RebootPendingAnnotation holds the values with which a VM still runs although they were changed since it started, by field,
	// as JSON.
	RebootPendingAnnotation = "homelab.io/reboot-pending"
	// StoppedForAnnotation marks a VM that the function stopped and will start again; its value is the reason.
	StoppedForAnnotation = "homelab.io/stopped-for"
	// RebootingForAnnotation is the trigger of spec.lifecycle.reboot for which a VM is being stopped, until it was seen stopped.
	RebootingForAnnotation = "homelab.io/rebooting-for"
	// AwaitsRestartAnnotation marks a VM that a person has to restart, since Crossplane runs on it: the boot ID that its Node had when that was first
	// said, or "unknown" where nobody reads its Node. Another boot ID says that somebody did.
	AwaitsRestartAnnotation = "homelab.io/awaits-restart"
	// AwaitsRestartWrittenAnnotation is the generation of the VM's spec that the provider had written while that boot ran, or 0 while it has not: a restart
	// before that takes up nothing. Releases before wrote none.
	AwaitsRestartWrittenAnnotation = "homelab.io/awaits-restart-written"
	// StartingAgainAnnotation marks a VM with power Unmanaged that the function stopped and starts again, until it was seen to run.
	StartingAgainAnnotation = "homelab.io/starting-again"
	// RestartedForAnnotation identifies the changes for which a container was restarted last because its claim says WhenNeeded.
	RestartedForAnnotation = "homelab.io/restarted-for"
	// InterfacesAnnotation says that the network interfaces of a container beside the first one were made for its claim: they go when its claim has none.
	InterfacesAnnotation = "homelab.io/interfaces"
	// AllowedAnnotation is the word of a ProxmoxSite's claim for the last interruption of an interface that is over: it counts once.
	AllowedAnnotation = "homelab.io/allowed"
	// OutageAnnotation announces a planned outage of a K3s server, or the upgrade of any K3s node, for the other nodes of its cluster to see: its kind, and
	// whether it has begun, for instance "Reboot announced"; after a restart that has begun, the boot ID that the server's Node had then.
	OutageAnnotation = "homelab.io/outage"
	// JoiningAnnotation marks the VM of a K3s server that replaced another one, and of which nobody said yet that it has joined its
	// cluster. It holds the value of spec.lifecycle.replace that led to the VM.
	JoiningAnnotation = "homelab.io/joining"
	// JoinedAnnotation is the value of spec.lifecycle.replace of which a person said that its VM has joined the cluster.
	JoinedAnnotation = "homelab.io/joined"
	// NodeJoinedAnnotation says that the Kubernetes Node of a VM was seen: Seen; or that the machine was ready before anybody read its
	// Node, which counts for the same: Assumed.
	NodeJoinedAnnotation = "homelab.io/node-joined"
	// NodeRemovedAnnotation marks a VM that is stopped and about to be replaced, and whose Kubernetes Node the function has let go.
	NodeRemovedAnnotation = "homelab.io/node-removed"
	// LostAnnotation of a VM is the Proxmox node of which a person says that it does not come back, while the VM was there when the provider read it last.
	// The other servers of a K3s cluster learn of it by this, long before the provider looks at the VM again.
	LostAnnotation = "homelab.io/lost"
	// NodeNameAnnotation is the name under which K3s in the VM registers its Kubernetes Node: what the host name was when the VM was
	// created. Only VMs of clusters whose Nodes are read have it.
	NodeNameAnnotation = "homelab.io/node-name"
	// DrainAnnotation is how far the drain of a VM's Kubernetes Node has come: how many Jobs the function has begun, and the state.
	DrainAnnotation = "homelab.io/drain"
	// DrainTriggerAnnotation is the value of spec.lifecycle.drain that the VM has followed.
	DrainTriggerAnnotation = "homelab.io/drain-token"
	// ForceTriggersAnnotation lists the values of spec.lifecycle.force that were used, or found nothing to begin.
	ForceTriggersAnnotation = "homelab.io/force-tokens"
	// ApprovalAnnotation is what a VM remembers of approved plans, as JSON: the plan that was approved last, what it leads to while it is not
	// finished, and the refused changes of which somebody was told.
	ApprovalAnnotation = "homelab.io/approval"
	// LeftAnnotation lists the containers that were replaced and stayed in Proxmox, each as node/VMID, on the one that replaced the last of them.
	LeftAnnotation = "homelab.io/left"
	// AdoptedAnnotation marks a VM that somebody else created and the claim adopted.
	AdoptedAnnotation = "homelab.io/adopted"
	// FoundRulesAnnotation is on the rules of a firewall that the provider found in Proxmox, and that are the claim's: those of a creation that broke off. It is
	// the provider's name for them, which the function writes as the external name from then on.
	FoundRulesAnnotation = "homelab.io/found-rules"
	// BuiltInAnnotation lists the defaults that no catalogue gave when the VM was last written, by JSON name: a machine that never had
	// them loses nothing where they are missing. See [WriteBuiltIn].
	BuiltInAnnotation = "homelab.io/built-in-defaults"
	// OverridesAnnotation lists the entries of the catalogue with the name of a built-in one that a VM or container was last written with, as
	// classes.small,images.debian-12: where one is gone, the built-in one does not take its place, but of one with a - before it, which came when the VM or
	// container had the built-in one.
	OverridesAnnotation = "homelab.io/overrides"
	// FirewallDefaultAnnotation is the default firewall of the catalogue that a VM or a container was made with, as JSON: it keeps that, whatever becomes of the
	// default. One without it was made without a default, and gets none later.
	FirewallDefaultAnnotation = "homelab.io/firewall-default"
	// SearchedFromAnnotation is the VMID of a range with which the search for a free VMID began.
	SearchedFromAnnotation = "homelab.io/looked-from"
	// ReservedAddressAnnotation is the address of its site's pool that a VM is to have which does not exist yet, for other machines to
	// see. Who gives their VM an address by name needs none: the label says it. On a container that is there, it has the addresses that an edit of its claim
	// brings and that are not written yet, with commas between them.
	ReservedAddressAnnotation = "homelab.io/reserved-address"
	// PoolAddressAnnotation is the address of its site's pool that a VM was created with, with the prefix length of its subnet. The address
	// stays the VM's as long as there is the VM, also while its claim asks for another one: an edit can be reverted.
	PoolAddressAnnotation = "homelab.io/pool-address"
	// AddressPoolAnnotation is the pool of Cluster API's IPAM that the address in [PoolAddressAnnotation] is from: group, kind and name, as
	// ipam.cluster.x-k8s.io/InClusterIPPool/lab. As long as a VM has it, the machine keeps the IPAddressClaim.
	AddressPoolAnnotation = "homelab.io/address-pool"
	// PoolGatewayAnnotation is the gateway that came with that address.
	PoolGatewayAnnotation = "homelab.io/pool-gateway"
	// StableMACAnnotation is the MAC address that a VM has because its claim asks for one that lasts. It stays the VM's as long as there is
	// the VM, also while its claim names another one: an edit can be reverted.
	StableMACAnnotation = "homelab.io/stable-mac"
	// SeenInCheckAnnotation marks a VM that the provider has not read since the VMID check: status.atProvider is still the result
	// of the check. It holds a hash of that VM; see [SeenInCheck].
	SeenInCheckAnnotation = "homelab.io/looked"
	// CreatingAnnotation marks a VM that the provider may create, and may neither change nor delete before it has been seen to be the
	// VM that the provider created. It holds the provider's mark of the creation before; see [CreationOf].
	CreatingAnnotation = "homelab.io/creating"
	// CreatedAnnotation is the provider's mark of the creation that a VM comes from; see [RecreationOf].
	CreatedAnnotation = "homelab.io/created"
	// RecreatedAnnotation is the time at which the provider began to create a VM again, which was gone from Proxmox. A person
	// removes it.
	RecreatedAnnotation = "homelab.io/recreated"
	// FirstStartAnnotation marks a VM that was created, and has not run yet.
	FirstStartAnnotation = "homelab.io/first-start"
	// ResumedAnnotation is the time at which an interrupted creation began, which the function lets the provider retry.
	ResumedAnnotation = "homelab.io/resumed"
	// PausedByAnnotation names the error that paused a resource, as a row of package diagnose.
	PausedByAnnotation = "homelab.io/paused-by"
	// PausedForAnnotation is the hash of the claim and the manifest with which the error occurred.
	PausedForAnnotation = "homelab.io/paused-for"
	// ReservesAnnotation is on what has [AwaitsVMLabel], on the VMs of tenants that only reserve what they are to have, and on the look for the VMID of a
	// container; see [Reservation].
	ReservesAnnotation = "homelab.io/reserves"
	// NetworksAnnotation is on the look for the VMID of a container with a fixed address, and has the networks of the container that is to be: bridge/VLAN for
	// each interface, with commas between them. Other machines and containers compare its addresses in them.
	NetworksAnnotation = "homelab.io/networks"
	// GrowsAnnotation is on a VM or a container that is about to grow under a quota, and says to which size, as a [Reservation]: the tenant's other machines
	// count it before it grows.
	GrowsAnnotation = "homelab.io/grows"
	// BringsAnnotation is on a VM or a container of a tenant to which an edit of its claim brings addresses that are not written yet: each as its label and its
	// network, with commas between them. Other tenants' machines see it before anything is written. On any VM or container it has the addresses that were
	// written with the last call, which are compared once more with those of others, those that another one has, too, and those that wait for a restart of
	// the container.
	BringsAnnotation = "homelab.io/brings"
	// DNSRecordAnnotation is on a VM, also on one that is to be, and has the name that external-dns points to it: machines of other tenants take another one.
	DNSRecordAnnotation = "homelab.io/dns-record"
	// PausedAnnotation is Crossplane's own: the provider does nothing with the resource, and does not delete it either.
	PausedAnnotation = "crossplane.io/paused"
)

// IsPaused says whether Crossplane, or its provider, does nothing with an object that has these annotations.
func IsPaused(annotations map[string]string) bool { return annotations[PausedAnnotation] == "true" }

// Annotations of the provider's reconciler: when it began to create something last, and when that failed last.
const (
	CreatePendingAnnotation = "crossplane.io/external-create-pending"
	CreateFailedAnnotation  = "crossplane.io/external-create-failed"
)

// Labels of managed resources.
const (
	MachineLabel = "homelab.io/machine" // The claim's name.
	RoleLabel    = "homelab.io/role"
	ClusterLabel = "homelab.io/k3s-cluster"
	K3sRoleLabel = "homelab.io/k3s-role"
	// EtcdLabel is on VMs only, and says where a K3s server keeps the state of its cluster: an [Etcd].
	EtcdLabel = "homelab.io/k3s-etcd"
	VMIDLabel = "homelab.io/vm-id" // VMs only: the number in Proxmox.
	// NamespaceLabel is the claim's namespace.
	NamespaceLabel = "homelab.io/namespace"
	// SpreadLabel is the claim's proxmox.spread.
	SpreadLabel = "homelab.io/spread"
	// AwaitsVMLabel is on the image of a machine without a VM, or on its snippets where it has no image, at sites whose nodes are chosen by their
	// memory: it is how other machines find out what will be on a node. Its value is "true".
	AwaitsVMLabel = "homelab.io/awaits-vm"
)

// Labels of VMs with the addresses of their first interface; see [AddressLabel].
const (
	IPv4Label = "homelab.io/ipv4" // Static, as 192.168.4.60.
	IPv6Label = "homelab.io/ipv6" // Static, with all digits, and hyphens in place of colons.
	MACLabel  = "homelab.io/mac"  // As the claim gives it, in upper case, and hyphens in place of colons.
)

// A Reservation is what a VM needs that is to be created, as [ReservesAnnotation] says it.
type Reservation struct {
	VM        string // The composed resource name.
	MemoryMiB int64
	// Cores and DiskGiB are 0 where nothing counts them.
	Cores, DiskGiB int64
}

// String is the reservation as an annotation: the name of the VM and its memory, with cores and disks where something counts them.
func (r Reservation) String() string {
	out := r.VM + " " + strconv.FormatInt(r.MemoryMiB, 10)
	if r.Cores == 0 && r.DiskGiB == 0 {
		return out
	}

	return out + " " + strconv.FormatInt(r.Cores, 10) + " " + strconv.FormatInt(r.DiskGiB, 10)
}

// ReadReservation reads what [Reservation.String] wrote. Of anything else it reads nothing.
func ReadReservation(value string) (out Reservation) {
	words := strings.Split(value, " ")
	if len(words) != 2 && len(words) != 4 {
		return Reservation{}
	}

	out.VM = words[0]

	for i, to := range []*int64{&out.MemoryMiB, &out.Cores, &out.DiskGiB}[:len(words)-1] {
		n, err := strconv.ParseInt(words[i+1], 10, 64)
		if err != nil {
			return Reservation{}
		}

		*to = n
	}

	return out
}

// AddressLabel is the label of VMs with an address of an interface, by the kind of the address (ipv4, ipv6 or mac) and the index of the
// interface: homelab.io/mac, and homelab.io/mac-1 for the second one.
func AddressLabel(kind string, nic int) string {
	label := map[string]string{"ipv4": IPv4Label, "ipv6": IPv6Label, "mac": MACLabel}[kind]
	if nic == 0 {
		return label
	}

	return label + "-" + strconv.Itoa(nic)
}

// Network is the network of an interface, as [NetworksAnnotation] has it: vmbr0/30, and vmbr0/0 for one without a VLAN tag.
func Network(bridge string, vlan int64) string { return bridge + "/" + strconv.FormatInt(vlan, 10) }

// ResourceNameAnnotation is Crossplane's own, on everything that it composes: the composed resource name.
const ResourceNameAnnotation = "crossplane.io/composition-resource-name"

// CompositeLabel is Crossplane's own, on everything that it composes: the name of the outermost composite. See [ObservedMetadata.Controller].
const CompositeLabel = "crossplane.io/composite"

// WriteOverrides is the value of [OverridesAnnotation]; empty for none.
func WriteOverrides(entries []string) string { return strings.Join(entries, ",") }

// ReadOverrides is the opposite of [WriteOverrides].
func ReadOverrides(annotation string) []string {
	if annotation == "" {
		return nil
	}

	return strings.Split(annotation, ",")
}

// nothingBuiltIn is the value of [BuiltInAnnotation] where the catalogue gave all defaults.
const nothingBuiltIn = "none"

// WriteBuiltIn is the value of [BuiltInAnnotation] for a list of defaults; empty where nil says that nobody can tell.
func WriteBuiltIn(defaults []string) string {
	if defaults != nil && len(defaults) == 0 {
		return nothingBuiltIn
	}

	return strings.Join(defaults, ",")
}

// ReadBuiltIn is the opposite of [WriteBuiltIn].
func ReadBuiltIn(annotation string) []string {
	switch annotation {
	case "":
		return nil
	case nothingBuiltIn:
		return []string{}
	default:
		return strings.Split(annotation, ",")
	}
}
