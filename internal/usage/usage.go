// Package usage holds what keeps a claim from being deleted: the Usage of Crossplane, whose webhook refuses every deletion
// of what is used.
//
// From Crossplane 2.0 on, a Usage of group protection.crossplane.io can name a claim, so that `kubectl delete` itself fails.
// Before that there is only the one of group apiextensions.crossplane.io, which names cluster scoped resources: it keeps
// the composite, and a claim that is deleted waits until it may go.
package usage

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// Composed resource names. They differ by what is kept, since a composed resource never changes its kind.
const (
	OfClaim     = "protects-claim"
	OfComposite = "protects-composite"
)

// quorumSuffix ends the composed resource name of a Usage that keeps a K3s server while its cluster needs it.
const quorumSuffix = "-quorum"

// volumesSuffix ends the composed resource name of a Usage that keeps a machine while PersistentVolumes live on it.
const volumesSuffix = "-volumes"

// addressSuffix ends the composed resource name of a Usage that keeps a machine whose VM would run on with an address that is given away.
const addressSuffix = "-address"

// makingSuffix ends the composed resource name of a Usage that keeps a claim while its VM or container is being made.
const makingSuffix = "-making"

// IsOfQuorum says whether a composed resource is a Usage of [ForQuorum].
func IsOfQuorum(name string) bool { return Is(name) && strings.HasSuffix(name, quorumSuffix) }

// OfVM is the composed resource name of the Usage that keeps a VM until its Node is gone, by the VM's composed resource name.
func OfVM(vm string) string { return prefix + vm }

// OfAddress is the composed resource name of the Usage that keeps the IPAddressClaim of a VM until the VM is gone, by the VM's composed resource
// name.
func OfAddress(vm string) string { return prefix + "address-" + vm }

// IsOfAddress says whether a composed resource is a Usage of [ForAddress].
func IsOfAddress(name string) bool { return strings.HasPrefix(name, OfAddress(firstVM)) }

// Of is the name of the resource that an observed Usage keeps; empty where it names none.
func Of(observed *structpb.Struct) string {
	var u Usage
	if err := structcodec.Decode(observed, &u, structcodec.Text{}); err != nil {
		return ""
	}

	return u.Spec.Of.ResourceRef.Name
}

// VMOf is the opposite of [OfVM]; empty for other Usages.
func VMOf(name string) string {
	vm, ok := strings.CutPrefix(name, prefix)
	if !ok || vm != firstVM && !strings.HasPrefix(vm, firstVM+"-") {
		return ""
	}

	return vm
}

// OfHA is the composed resource name of the Usage that keeps a VM until its HA resource is gone, by the VM's composed resource name.
func OfHA(vm string) string { return prefix + haInfix + vm }

// VMOfHA is the opposite of [OfHA]; empty for other Usages.
func VMOfHA(name string) string {
	vm, ok := strings.CutPrefix(name, prefix+haInfix)
	if !ok {
		return ""
	}

	return vm
}

// haInfix is in the composed resource names of Usages that keep a VM until its HA resource is gone.
const haInfix = "ha-"

// firstVM begins the composed resource names of VMs.
const firstVM = "vm"

const prefix = "protects-"

// Is says whether a composed resource is a Usage of ours.
func Is(name string) bool { return strings.HasPrefix(name, prefix) }

// An Owner is what is to be kept.
type Owner struct {
	APIVersion string // Of the claim, which is the composite's, too.
	Kind       string // Of the claim, or of a namespaced composite: Machine or K3sNode.
	Name       string // Of the claim, or of a namespaced composite.
	Namespace  string // Empty for a cluster scoped composite without a claim.
	Composite  string // The composite's name.
	// CompositeKind is XMachine or XK3sNode for a cluster scoped composite, else as Kind.
	CompositeKind string
}

// A Usage of Crossplane. None replays a deletion (spec.replayDeletion): Crossplane would replay whatever deletion was ever refused, also one that somebody
// tried months ago and thought better of, because the annotation of an attempt stays (crossplane v2.4.0, internal/webhook/protection/usage). The garbage
// collector, and what prunes, try again by themselves.
type Usage struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`
}

// Metadata of a [Usage].
type Metadata struct {
	Namespace string `json:"namespace,omitempty"`
}

// Spec of a [Usage].
type Spec struct {
	Of Resource `json:"of"`
	// By is what uses it; nil for a Usage that only a person lifts.
	By     *Resource `json:"by,omitempty"`
	Reason string    `json:"reason"`
}

// A Resource that is used.
type Resource struct {
	APIVersion  string `json:"apiVersion"`
	Kind        string `json:"kind"`
	ResourceRef Ref    `json:"resourceRef"`
}

// Named is the resource of a kind that has a name.
func Named(apiVersion, kind, name string) Resource {
	return Resource{APIVersion: apiVersion, Kind: kind, ResourceRef: Ref{Name: name}}
}

// A Ref names a resource.
type Ref struct {
	Name string `json:"name"`
}

// reason is what a person reads whose deletion was refused, also from a GitOps tool that prunes.
const reason = "this machine is protected, because its VM would be destroyed with all of its disks. To delete it takes two commits: " +
	"the first one sets spec.deletionProtection: false (or deletionPolicy: Orphan, to keep the VM), and when that has arrived, the second one removes the claim"

// drain is what comes before that, for a node of K3s.
const drain = ". Drain the node and remove it from its cluster before"

// An API of Crossplane that has Usages.
type API string

// The APIs.
const (
	// APIProtection has Usages of objects in a namespace, beside cluster scoped ones.
	APIProtection API = "protection.crossplane.io/v1beta1"
	// APIExtensions is in all generations of Crossplane, and has cluster scoped Usages alone.
	APIExtensions API = "apiextensions.crossplane.io/v1beta1"
)

// New is the Usage that keeps a machine, in the API that Crossplane is known to have, and its composed resource name.
func New(o Owner, api API) (string, Usage) {
	why := reason
	if o.Kind == "K3sNode" {
		why += drain
	}

	return keeps(o, api, why)
}

// ForCluster is the Usage that keeps a cluster, and its composed resource name.
func ForCluster(o Owner, api API) (string, Usage) {
	return keeps(o, api, "this cluster is protected, because all its nodes would go with it. To delete it takes two commits: the first one sets "+
		"spec.deletionProtection: false, and when that has arrived, the second one removes the claim")
}

// ForObservedCluster is the Usage that keeps a cluster whose VMs would wait for the Kubernetes Nodes of an API that goes with them, and its composed
// resource name, which is that of [ForCluster].
func ForObservedCluster(o Owner, api API) (string, Usage) {
	return keeps(o, api, "the VMs of this cluster would wait until their Kubernetes Nodes are gone, and the API that could say so goes with them. First remove observe and "+
		"providerConfig from the cluster's entry in the catalogue (or set spec.deletionPolicy: Orphan, to keep the VMs); when that has arrived, remove the claim")
}

// ForContainer is the Usage that keeps a container, and its composed resource name.
func ForContainer(o Owner, api API) (string, Usage) {
	return keeps(o, api, "this container is protected, because it would be destroyed with all of its disks. To delete it takes two commits: the first one sets "+
		"spec.deletionProtection: false (or deletionPolicy: Orphan, to keep the container), and when that has arrived, the second one removes the claim")
}

// ForProtectedContainer is the Usage that keeps a container whose option protection is on in Proxmox, and its composed resource name. more are further
// fields that the first commit sets, as a clause; empty for none.
func ForProtectedContainer(o Owner, api API, more string) (string, Usage) {
	return keeps(o, api, "Proxmox refuses to destroy this container, because its option protection is on: the provider would stop the container, and go no further. To delete it "+
		"takes two commits: the first one sets spec.proxmox.protection: false"+more+" (or deletionPolicy: Orphan, to keep the container), and when that has arrived, the second one "+
		"removes the claim")
}

// ForQuorum is the Usage that keeps a K3s server which its cluster needs, for a reason, and its composed resource name.
func ForQuorum(o Owner, api API, why string) (string, Usage) {
	name, u := keeps(o, api, why)

	return name + quorumSuffix, u
}

// ForVolumes is the Usage that keeps a machine on which PersistentVolumes live, for a reason, and its composed resource name.
func ForVolumes(o Owner, api API, why string) (string, Usage) {
	name, u := keeps(o, api, why)

	return name + volumesSuffix, u
}

// ForMaking is the Usage that keeps a claim while what is to be destroyed with it, a VM or a container, is being made, and its composed resource name.
func ForMaking(o Owner, api API, what string) (string, Usage) {
	name, u := keeps(o, api, "the "+what+" of this claim is being made. Until the provider has shown that it is there and is this claim's, nobody may destroy it: it would stay in "+
		"Proxmox, without a claim. Delete the claim again when its "+what+" is there; a GitOps tool that prunes tries again by itself. Where that never comes, set "+
		"deletionPolicy: Orphan, delete the claim, and destroy in Proxmox what is left")

	return name + makingSuffix, u
}

// ForNode is the Usage that keeps a VM until an Object is gone, with which the VM's Node goes. Crossplane lets a composed Usage wait for
// what uses its resource, and the garbage collector deletes the VM then (crossplane v2.4.0, internal/controller/protection/usage, Reconcile; v1.20.5 has the
// same in internal/controller/apiextensions/usage). namespace is that of both; empty where they are cluster scoped.
func ForNode(vm, by Resource, namespace string, api API) Usage {
	return after(vm, by, namespace, api, "the Kubernetes Node of this VM is deleted first, so that K3s removes the member of etcd and the node's password: see Object "+
		by.ResourceRef.Name)
}

// ForHA is the Usage that keeps a VM until its entry of Proxmox's HA manager is gone, as [ForNode] does for a Node. A VM in HA is stopped by a request
// to the HA manager, and cannot be destroyed without taking it out of HA.
func ForHA(vm, by Resource, namespace string, api API) Usage {
	return after(vm, by, namespace, api, "this VM is taken out of Proxmox's HA manager first: see "+by.Kind+" "+by.ResourceRef.Name)
}

// after is the Usage that keeps a resource until another one is gone.
func after(of, by Resource, namespace string, api API, why string) Usage {
	u := Usage{Spec: Spec{Of: of, By: &by, Reason: why}}

	switch {
	case namespace != "":
		u.APIVersion, u.Kind, u.Metadata.Namespace = string(APIProtection), "Usage", namespace
	case api == APIProtection:
		u.APIVersion, u.Kind = string(APIProtection), "ClusterUsage"
	default:
		u.APIVersion, u.Kind = string(APIExtensions), "Usage"
	}

	return u
}

// ForOrphanedAddress is the Usage that keeps a machine whose VM would run on with an address that is given away, for a reason, and its composed
// resource name.
func ForOrphanedAddress(o Owner, api API, why string) (string, Usage) {
	name, u := keeps(o, api, why)

	return name + addressSuffix, u
}

// ForAddress is the Usage that keeps an IPAddressClaim until a VM is gone that has its address: no finalizer would do, because the pool gives the
// address of a claim away as soon as the claim is deleted. Crossplane lets the composed Usage wait for the VM, as with [ForNode]. The VM can be cluster
// scoped (crossplane v2.4.0, internal/controller/protection/usage: "cluster scoped or in the same namespace as the Usage").
func ForAddress(claim, by Resource, namespace string) Usage {
	return Usage{
		APIVersion: string(APIProtection), Kind: "Usage", Metadata: Metadata{Namespace: namespace},
		Spec: Spec{
			Of: claim, By: &by,
			Reason: "VM " + by.ResourceRef.Name + " has the address of this IPAddressClaim, and its pool would give the address to another machine",
		},
	}
}

// keeps is a Usage of a machine that only a person lifts, and its composed resource name.
func keeps(o Owner, api API, why string) (string, Usage) {
	u := Usage{Spec: Spec{Reason: why, Of: Resource{APIVersion: o.APIVersion, Kind: o.CompositeKind, ResourceRef: Ref{o.Composite}}}}

	switch {
	case o.Namespace != "" && (api == APIProtection || o.Kind == o.CompositeKind):
		// The webhook asks for the Usages of the namespace that the used resource is in.
		u.APIVersion, u.Kind, u.Metadata.Namespace = string(APIProtection), "Usage", o.Namespace
		u.Spec.Of.Kind, u.Spec.Of.ResourceRef.Name = o.Kind, o.Name

		return OfClaim, u
	case api == APIProtection:
		u.APIVersion, u.Kind = string(APIProtection), "ClusterUsage"
	default:
		u.APIVersion, u.Kind = string(APIExtensions), "Usage"
	}

	return OfComposite, u
}

// Manifest of a Usage.
func Manifest(u Usage) (*structpb.Struct, error) {
	m, err := structcodec.Encode(&u, structcodec.Text{})

	return m, errors.Wrap(err, "cannot convert Usage")
}

// InAPIOf makes a Usage one of the API of an observed one: a composed resource never changes its kind, also where Crossplane was upgraded.
func (u Usage) InAPIOf(observed *structpb.Struct) Usage {
	if kind := observed.GetFields()["kind"].GetStringValue(); kind != "" {
		u.APIVersion, u.Kind = observed.GetFields()["apiVersion"].GetStringValue(), kind
	}

	return u
}

// Kept is a Usage as it was written before.
func Kept(observed *structpb.Struct) (*structpb.Struct, error) {
	var u Usage
	if err := structcodec.Decode(observed, &u, structcodec.Text{}); err != nil {
		return nil, errors.Wrap(err, "cannot read observed Usage")
	}

	return Manifest(u)
}
