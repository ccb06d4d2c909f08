package standin

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// values are fields of the provider's kinds. None is known here: the API server checks them against the CRDs.
type values map[string]any

// MarshalJSON writes an empty object where there is none, as the provider's types do.
func (v values) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}

	return json.Marshal(map[string]any(v))
}

func (v values) clone() values { return runtime.DeepCopyJSON(v) }

type parameters struct {
	ForProvider  values `json:"forProvider"`
	InitProvider values `json:"initProvider"`
}

type status struct {
	xpv2.ManagedResourceStatus `json:",inline"`

	AtProvider values `json:"atProvider,omitempty"`
}

// A managedResource is one of the provider's kinds, in either scope.
type managedResource interface {
	resource.Managed

	forProvider() values
	setAtProvider(v values)
	providerConfig() (kind, name string)
}

// A clusterScoped managed resource. K only tells the kinds apart: a scheme knows one Go type for each.
type clusterScoped[K any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   clusterSpec `json:"spec"`
	Status status      `json:"status,omitzero"`
}

type clusterSpec struct {
	xpv2.ClusterManagedResourceSpec `json:",inline"`
	parameters                      `json:",inline"`
}

// A namespaced managed resource.
type namespaced[K any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   namespacedSpec `json:"spec"`
	Status status         `json:"status,omitzero"`
}

type namespacedSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`
	parameters               `json:",inline"`
}

// A list of managed resources.
type list[T any] struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []T `json:"items"`
}

// copyOf anything that is JSON.
func copyOf[T any](in *T) *T {
	out := new(T)

	b, err := json.Marshal(in)
	if err == nil {
		err = json.Unmarshal(b, out)
	}

	if err != nil {
		panic(err) // A programming error: all of these came from JSON.
	}

	return out
}

func (l *list[T]) DeepCopyObject() runtime.Object             { return copyOf(l) }
func (r *clusterScoped[K]) DeepCopyObject() runtime.Object    { return copyOf(r) }
func (r *namespaced[K]) DeepCopyObject() runtime.Object       { return copyOf(r) }
func (r *clusterScoped[K]) forProvider() values               { return r.Spec.ForProvider }
func (r *namespaced[K]) forProvider() values                  { return r.Spec.ForProvider }
func (r *clusterScoped[K]) setAtProvider(v values)            { r.Status.AtProvider = v }
func (r *namespaced[K]) setAtProvider(v values)               { r.Status.AtProvider = v }
func (r *clusterScoped[K]) SetConditions(c ...xpv2.Condition) { r.Status.SetConditions(c...) }
func (r *namespaced[K]) SetConditions(c ...xpv2.Condition)    { r.Status.SetConditions(c...) }

func (r *clusterScoped[K]) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return r.Status.GetCondition(t)
}

func (r *namespaced[K]) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return r.Status.GetCondition(t)
}

func (r *clusterScoped[K]) GetManagementPolicies() xpv2.ManagementPolicies {
	return r.Spec.ManagementPolicies
}

func (r *namespaced[K]) GetManagementPolicies() xpv2.ManagementPolicies {
	return r.Spec.ManagementPolicies
}

func (r *clusterScoped[K]) SetManagementPolicies(p xpv2.ManagementPolicies) {
	r.Spec.ManagementPolicies = p
}

func (r *namespaced[K]) SetManagementPolicies(p xpv2.ManagementPolicies) {
	r.Spec.ManagementPolicies = p
}

func (r *clusterScoped[K]) GetDeletionPolicy() xpv2.DeletionPolicy  { return r.Spec.DeletionPolicy }
func (r *clusterScoped[K]) SetDeletionPolicy(p xpv2.DeletionPolicy) { r.Spec.DeletionPolicy = p }

func (r *clusterScoped[K]) GetProviderConfigReference() *xpv2.Reference {
	return r.Spec.ProviderConfigReference
}

func (r *clusterScoped[K]) SetProviderConfigReference(p *xpv2.Reference) {
	r.Spec.ProviderConfigReference = p
}

func (r *namespaced[K]) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return r.Spec.ProviderConfigReference
}

func (r *namespaced[K]) SetProviderConfigReference(p *xpv2.ProviderConfigReference) {
	r.Spec.ProviderConfigReference = p
}

func (r *clusterScoped[K]) GetWriteConnectionSecretToReference() *xpv2.SecretReference {
	return r.Spec.WriteConnectionSecretToReference
}

func (r *clusterScoped[K]) SetWriteConnectionSecretToReference(ref *xpv2.SecretReference) {
	r.Spec.WriteConnectionSecretToReference = ref
}

func (r *namespaced[K]) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return r.Spec.WriteConnectionSecretToReference
}

func (r *namespaced[K]) SetWriteConnectionSecretToReference(ref *xpv2.LocalSecretReference) {
	r.Spec.WriteConnectionSecretToReference = ref
}

func (r *clusterScoped[K]) providerConfig() (kind, name string) {
	if r.Spec.ProviderConfigReference == nil {
		return "ProviderConfig", "default"
	}

	return "ProviderConfig", r.Spec.ProviderConfigReference.Name
}

func (r *namespaced[K]) providerConfig() (kind, name string) {
	if r.Spec.ProviderConfigReference == nil {
		return "ClusterProviderConfig", "default"
	}

	return r.Spec.ProviderConfigReference.Kind, r.Spec.ProviderConfigReference.Name
}
