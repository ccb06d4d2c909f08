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

// GroupVersion is the apiVersion of an Input.
const GroupVersion = "machine.fn.homelab.io/v1beta1"

// A ProviderAPI names a published generation of the Proxmox provider's API.
//
// +kubebuilder:validation:Enum=cluster;legacy
type ProviderAPI string

// The generations for a cluster scoped composite. A namespaced composite always uses the namespaced generation.
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

	// providerAPI is the generation of the installed provider: cluster (v1.9.1 and later) or legacy (up to v0.11.1). For a
	// namespaced composite the function always uses the namespaced generation.
	// +optional
	// +kubebuilder:default=cluster
	ProviderAPI ProviderAPI `json:"providerAPI,omitempty"`

	// catalog is the source of sizing classes, images, sites and K3s clusters.
	// +optional
	Catalog Catalog `json:"catalog,omitempty"`

	// explain: true makes every call report what it does to each composed resource: create, check (the VMID), adopt, keep,
	// change in place, needs a reboot, refused, pause or remove. Each report is an event of the composite, so use it for
	// previews and for debugging, not permanently.
	// +optional
	Explain bool `json:"explain,omitempty"`
}

// A Catalog is the name of an EnvironmentConfig, and inline data as a fallback.
type Catalog struct {
	// name is the name of the EnvironmentConfig with the catalogue. The EnvironmentConfig is optional.
	// +optional
	// +kubebuilder:default=machine-catalog
	Name string `json:"name,omitempty"`

	// inline is a catalogue with the same keys as the EnvironmentConfig's data, which takes precedence.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Inline *runtime.RawExtension `json:"inline,omitempty"`
}
