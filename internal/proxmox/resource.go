package proxmox

import (
	"reflect"
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// ExternalNameAnnotation names the annotation that holds a managed resource's identity at the provider.
const ExternalNameAnnotation = "crossplane.io/external-name"

// A Resource is a managed resource as we write it: no more than what is meant, since server-side apply takes every field
// for intent.
type Resource[T any] struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec[T]  `json:"spec"`
}

// Metadata of a managed resource. It has no name: Crossplane makes one that is a Terraform identifier where the
// composite's is.
type Metadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// ExternalName is the resource's identity at the provider; empty where there is none yet.
func (m Metadata) ExternalName() string { return m.Annotations[ExternalNameAnnotation] }

// Reserves says whether the resource of a VM reserves an address of a pool, or what the VM is to have, and names no VM that the provider could look for.
func (m Metadata) Reserves() bool {
	size := m.Annotations[ReservesAnnotation] != "" && m.Labels[AwaitsVMLabel] == ""

	return (size || m.Annotations[ReservedAddressAnnotation] != "") && m.ExternalName() == ""
}

// A Spec of a managed resource. It has no deletionPolicy, which the provider ignores beside explicit policies, and no
// initProvider, which it ignores altogether.
type Spec[T any] struct {
	ManagementPolicies []string          `json:"managementPolicies"`
	ProviderConfigRef  ProviderConfigRef `json:"providerConfigRef"`
	ForProvider        T                 `json:"forProvider" text:"template"`

	// Rest is forProvider as it is written. For an adopted VM, the fields that the models do not know are carried over from it.
	// Nil for all others.
	Rest *structpb.Struct `json:"-"`
}

// A ProviderConfigRef names the provider's configuration.
type ProviderConfigRef struct {
	Kind string `json:"kind,omitempty"` // Namespaced flavour only.
	Name string `json:"name"`
}

// A Deletion says what the deletion of a managed resource does to the VM or file in Proxmox.
type Deletion bool

// The two deletions.
const (
	// DeletionDestroys: the provider deletes the VM or file, too.
	DeletionDestroys Deletion = true
	// DeletionOrphans: the VM or file stays in Proxmox.
	DeletionOrphans Deletion = false
)

// Policies are the management policies with which the provider may create and change a resource, and delete it or not.
// LateInitialize is never among them: the provider would copy the guest's interfaces into the spec and apply for ever.
func Policies(d Deletion) []string {
	p := []string{"Observe", "Create", "Update"}
	if d == DeletionDestroys {
		p = append(p, "Delete")
	}

	return p
}

// CreatePolicies are the policies with which the provider may create a resource, and neither change nor delete what it finds.
func CreatePolicies() []string { return []string{"Observe", "Create"} }

// MayUpdate says whether policies let the provider change a resource.
func MayUpdate(policies []string) bool { return slices.Contains(policies, "Update") }

// MayDelete says whether policies let the provider delete the VM or file in Proxmox.
func MayDelete(policies []string) bool { return slices.Contains(policies, "Delete") }

// WithoutUpdate are policies with which the provider changes nothing, but still polls.
func WithoutUpdate(policies []string) []string {
	return slices.DeleteFunc(slices.Clone(policies), func(p string) bool { return p == "Update" })
}

// ObserveOnly are the management policies with which the provider reads a resource and nothing else. The external name is
// that of a Terraform import then, see [ImportName].
func ObserveOnly() []string { return []string{"Observe"} }

// OnlyObserves says whether policies are those of [ObserveOnly].
func OnlyObserves(policies []string) bool { return slices.Equal(policies, ObserveOnly()) }

// ImportName is the external name of a VM that the provider may only observe. The node need not be the VM's: the provider
// finds the VM in the whole cluster.
func ImportName(node string, id int64) string { return node + "/" + strconv.FormatInt(id, 10) }

// A Manifest is a managed resource ready to be written: every string of forProvider is escaped.
type Manifest = *structpb.Struct

// KindOf a manifest, as it is called here, however its provider calls it.
func KindOf(m Manifest) string {
	return readKind(m.GetFields()["apiVersion"].GetStringValue(), m.GetFields()["kind"].GetStringValue())
}

// templates is how the strings of forProvider go out and come in.
var templates = structcodec.Text{Write: Escape, Read: Unescape} //nolint:gochecknoglobals // A constant.

// ManifestOf a managed resource of any kind.
func ManifestOf[T any](r Resource[T]) (Manifest, error) { return manifest(r, nil) }

// Read is the message that a managed resource was read from, by composed resource name; nil for one that is not there. Nil where none is known.
type Read func(name string) *structpb.Struct

func (r Read) of(name string) *structpb.Struct {
	if r == nil {
		return nil
	}

	return r(name)
}

// AddManifests of managed resources to others, by composed resource name. They share with the messages that they were read from what both say: nobody may
// change either.
func AddManifests[T any](to map[string]Manifest, resources map[string]Resource[T], read Read) error {
	for name, r := range resources {
		m, err := manifest(r, read.of(name))
		if err != nil {
			return errors.Wrapf(err, "cannot write composed resource %q", name)
		}

		to[name] = m
	}

	return nil
}

// manifest turns a model into a manifest. read is the message that the resource was read from; nil for none.
func manifest[T any](r Resource[T], read *structpb.Struct) (Manifest, error) {
	kind := r.Kind
	r.Kind = WrittenKind(r.APIVersion, kind)

	if r.Spec.Rest != nil {
		read = nil // What is carried over is written into what is encoded.
	}

	m, err := structcodec.EncodeAs(&r, read, templates)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot convert %s", kind)
	}

	if r.Spec.Rest != nil {
		structcodec.Carry(m.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue(), r.Spec.Rest, reflect.TypeFor[T]())
	}

	return m, nil
}
