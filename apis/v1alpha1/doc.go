// Package v1alpha1 holds the claims of the homelab.io API group: [Machine], a virtual machine on Proxmox VE, and
// [K3sNode], a machine that becomes a node of a K3s cluster.
//
// `make generate` generates the XRDs in package/xrds and package-v2/xrds from these types, and the function decodes claims
// into them. `kubectl explain` shows the comments of the fields.
//
// +kubebuilder:object:generate=true
// +groupName=homelab.io
package v1alpha1
