// Package v1beta1 holds the Input of a Composition's step that calls this function.
//
// +kubebuilder:object:generate=true
// +groupName=machine.fn.homelab.io
// +versionName=v1beta1
package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A ProviderAPI names a published generation of the Proxmox provider's API.
//
// +kubebuilder:validation:Enum=cluster;legacy
type ProviderAPI string

// The generations that a cluster scoped composite can choose from. A namespaced composite always gets the namespaced one.
const (
	ProviderAPICluster ProviderAPI = "cluster"
	ProviderAPILegacy  ProviderAPI = "legacy"
)

// Input of function-proxmox-machine.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:path=inputs,singular=input,categories={crossplane}
type Input struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// providerAPI is the generation of the provider that is installed: cluster (v1.9.1 and later) or legacy (up to
	// v0.11.1). A namespaced composite is always rendered for the namespaced generation.
	// +optional
	// +kubebuilder:default=cluster
	ProviderAPI ProviderAPI `json:"providerAPI,omitempty"`

	// catalog says where sizing classes, images, sites and K3s clusters come from.
	// +optional
	Catalog Catalog `json:"catalog,omitempty"`

	// explain makes every call say what it does to each composed resource: create, look, keep, change in place, needs a
	// reboot, refused, pause or remove. The results are events of the composite, so this is for previews and for a look
	// at one machine, not for every day.
	// +optional
	Explain bool `json:"explain,omitempty"`
}

// A Catalog is an EnvironmentConfig by name, and inline data underneath it.
type Catalog struct {
	// name of the EnvironmentConfig that is the catalogue. It may be missing in the cluster.
	// +optional
	// +kubebuilder:default=machine-catalog
	Name string `json:"name,omitempty"`

	// inline is a catalogue of the same shape as the EnvironmentConfig's data, which it lies underneath.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Inline *runtime.RawExtension `json:"inline,omitempty"`
}
