// Package object models provider-kubernetes' Object, as far as the function writes and reads it: Objects of a Kubernetes Node, and of Jobs that
// drain and uncordon one.
//
// Facts are from the source of provider-kubernetes v1.2.1 (internal/controller/cluster/object/object.go, the same in namespaced) and of its
// runtime, crossplane-runtime v2.0.0-rc.1 (pkg/reconciler/managed/reconciler.go).
package object

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// Kind of an Object.
const Kind = "Object"

// A Flavour is one of the two APIs of an Object: cluster scoped, and in a namespace. A namespaced composite can own namespaced resources
// only.
type Flavour struct {
	// APIVersion of the Object.
	APIVersion string

	configKind string // Of its provider configuration; empty where the reference has no kind.
}

// The flavours.
var (
	Cluster    = Flavour{APIVersion: "kubernetes.crossplane.io/v1alpha2"}                                        //nolint:gochecknoglobals // A constant.
	Namespaced = Flavour{APIVersion: "kubernetes.m.crossplane.io/v1alpha1", configKind: "ClusterProviderConfig"} //nolint:gochecknoglobals // A constant.
)

// FlavourOf the Objects beside managed resources of a flavour of Proxmox's provider.
func FlavourOf(f proxmox.Flavour) Flavour {
	if f.InNamespaces() {
		return Namespaced
	}

	return Cluster
}

// Reading is the composed resource name of the Object that reads the Node of a machine's name. It never may delete the Node.
const Reading = "node"

// deletionPrefix begins the composed resource name of an Object with which a VM's Node goes. The VM's composed resource name follows.
const deletionPrefix = "node-deletion-"

// DeletionOf is the composed resource name of the Object with which the Node of a VM goes, by the VM's composed resource name.
func DeletionOf(vm string) string { return deletionPrefix + vm }

// VMOf is the opposite of [DeletionOf]; empty for other names.
func VMOf(name string) string {
	vm, ok := strings.CutPrefix(name, deletionPrefix)
	if !ok {
		return ""
	}

	return vm
}

// Is says whether a composed resource is an Object of ours.
func Is(name string, o *structpb.Struct) bool {
	return (name == Reading || VMOf(name) != "") && proxmox.KindOf(o) == Kind
}

// An Object of a Node as it is written.
type Object = Of[Manifest]

// A Spec of an [Object].
type Spec = SpecOf[Manifest]

// Of some kind: an Object with a manifest of it, as it is written.
type Of[M any] struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   proxmox.Metadata `json:"metadata"`
	Spec       SpecOf[M]        `json:"spec"`
}

// A SpecOf an Object of some kind.
type SpecOf[M any] struct {
	ManagementPolicies []string                  `json:"managementPolicies"`
	ProviderConfigRef  proxmox.ProviderConfigRef `json:"providerConfigRef"`
	ForProvider        ParametersOf[M]           `json:"forProvider"`
	Readiness          *Readiness                `json:"readiness,omitempty"`
	// Watch what the Object is of, beside polls. It has no effect unless the provider runs with --enable-watches.
	Watch bool `json:"watch,omitempty"`
}

// ParametersOf an Object of some kind.
type ParametersOf[M any] struct {
	Manifest M `json:"manifest"`
}

// A Manifest names a Node. Nothing of the Node is ever written.
type Manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   Name   `json:"metadata"`
}

// A Name of a Node, as metadata.
type Name struct {
	Name string `json:"name"`
}

// Readiness says when the provider calls an Object ready.
type Readiness struct {
	Policy   string `json:"policy"`
	CelQuery string `json:"celQuery,omitempty"`
}

// nodeReady is true while the Node is Ready. The provider polls an Object that is not ready every 30 s, and others at its poll
// interval, 10 minutes by default.
const nodeReady = `object.status.conditions.exists(c, c.type == "Ready" && c.status == "True")`

// NewReading is the Object that reads a Node.
func NewReading(f Flavour, providerConfig, node string, m proxmox.Metadata) Object {
	o := ofNode(f, providerConfig, node, m)
	o.Spec.Readiness, o.Spec.Watch = &Readiness{Policy: "DeriveFromCelQuery", CelQuery: nodeReady}, true

	return o
}

// NewDeletion is the Object with which a Node goes when the Object is deleted.
func NewDeletion(f Flavour, providerConfig, node string, m proxmox.Metadata) Object {
	o := ofNode(f, providerConfig, node, m)
	o.Spec.ManagementPolicies = []string{"Observe", "Delete"}

	return o
}

// ofNode is an Object that may do nothing but observe a Node.
func ofNode(f Flavour, providerConfig, name string, m proxmox.Metadata) Object {
	o := of(f, providerConfig, Manifest{APIVersion: node.APIVersion, Kind: node.Kind, Metadata: Name{name}}, m)
	o.Spec.ManagementPolicies = proxmox.ObserveOnly()

	return o
}

func of[M any](f Flavour, providerConfig string, manifest M, m proxmox.Metadata) Of[M] {
	return Of[M]{
		APIVersion: f.APIVersion, Kind: Kind, Metadata: m,
		Spec: SpecOf[M]{
			ProviderConfigRef: proxmox.ProviderConfigRef{Kind: f.configKind, Name: providerConfig},
			ForProvider:       ParametersOf[M]{manifest},
		},
	}
}

// ManifestOf an Object.
func ManifestOf[M any](o Of[M]) (*structpb.Struct, error) {
	m, err := structcodec.Encode(&o, structcodec.Text{})

	return m, errors.Wrap(err, "cannot convert Object")
}

// Found is an Object as it was found: with a manifest M, and with what the provider read last, S.
type Found[M, S any] struct {
	APIVersion string                   `json:"apiVersion"`
	Kind       string                   `json:"kind"`
	Metadata   proxmox.ObservedMetadata `json:"metadata"`
	Spec       SpecOf[M]                `json:"spec"`
	Status     struct {
		AtProvider struct {
			// Manifest as the provider read it last. It stays when what it shows is gone.
			Manifest S `json:"manifest"`
		} `json:"atProvider"`
		Conditions proxmox.Conditions `json:"conditions"`
	} `json:"status"`
}

// Retained is the Object as it was written before, with the labels and annotations given.
func (o Found[M, S]) Retained(m proxmox.Metadata) Of[M] {
	return Of[M]{APIVersion: o.APIVersion, Kind: o.Kind, Metadata: m, Spec: o.Spec}
}

// Given are the labels and annotations that the Object has.
func (o Found[M, S]) Given() proxmox.Metadata { return o.Metadata.Metadata }

// Observed is an Object of a Node as it was found.
type Observed struct{ Found[Manifest, node.Node] }

// Read an Object, as an [Observed] or an [ObservedJob].
func Read[T any](o *structpb.Struct) (T, error) {
	var out T

	err := structcodec.Decode(o, &out, structcodec.Text{})

	return out, err
}

// NodeName is the name of the Node that the Object is of.
func (o Observed) NodeName() string { return o.Spec.ForProvider.Manifest.Metadata.Name }

// MayDelete says whether the Node goes with the Object.
func (o Observed) MayDelete() bool { return slices.Contains(o.Spec.ManagementPolicies, "Delete") }

// A Sight is what is known of a Node through an Object that reads it.
type Sight string

// The sights.
const (
	// SightClear: the Node was read, or is known not to exist.
	SightClear Sight = ""
	// SightPending: the provider has not looked for the Node yet.
	SightPending Sight = "Pending"
	// SightNoKind: provider-kubernetes, or its kind Object, is not installed.
	SightNoKind Sight = "NoKind"
	// SightForbidden: the provider may not read, list or patch Nodes.
	SightForbidden Sight = "Forbidden"
	// SightNoNamespace: the namespace for Jobs is missing.
	SightNoNamespace Sight = "NoNamespace"
	// SightNoConfig: the provider configuration is missing, or its credentials are.
	SightNoConfig Sight = "NoConfig"
	// SightUnreachable: the provider could not read the Node for another reason, mostly since the API server of the cluster does not answer.
	SightUnreachable Sight = "Unreachable"
)

// Sees the Node of a name; nil with [SightClear] if there is none. The answer is as old as the provider's last poll. Only an Object that
// may do nothing but observe shows that a Node is gone: the runtime reports success for [Observe, Delete] then, and
// status.atProvider stays as it was. The first poll of a new Object leaves status.atProvider empty, since the provider writes its finalizer
// after it has read the Node.
func (o Observed) Sees(name string) (*node.Node, Sight) {
	synced := o.Status.Conditions.Of(proxmox.ConditionSynced)

	switch {
	case o.NodeName() != name, synced.Status == "", !synced.IsAbout(o.Metadata.Generation):
		return nil, SightPending
	case synced.IsFalse():
		return nil, sightOf(synced.Message)
	case o.Status.AtProvider.Manifest.Metadata.Name != name:
		return nil, SightPending
	}

	n := o.Status.AtProvider.Manifest

	return &n, SightClear
}

// sightOf an error. Its text comes from another API server, and is never repeated.
func sightOf(message string) Sight {
	switch {
	case strings.HasSuffix(strings.TrimSpace(message), "external resource does not exist"):
		return SightClear
	case strings.Contains(message, "forbidden"), strings.Contains(message, "Unauthorized"), strings.Contains(message, "provide credentials"):
		return SightForbidden
	case strings.Contains(message, `namespaces "`+DrainNamespace+`" not found`):
		return SightNoNamespace
	case strings.Contains(message, "connect failed"):
		return SightNoConfig
	}

	return SightUnreachable
}
