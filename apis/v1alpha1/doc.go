// Package v1alpha1 holds the claims of the homelab.io API group: [Machine], a virtual machine on Proxmox VE, and
// [K3sNode], a machine that becomes a node of a K3s cluster.
//
// The XRDs in package/xrds and package-v2/xrds are generated from these types, and the function decodes into them, so
// the three cannot drift apart. The comments of the fields are the text that `kubectl explain` shows.
//
// +kubebuilder:object:generate=true
// +groupName=homelab.io
package v1alpha1
