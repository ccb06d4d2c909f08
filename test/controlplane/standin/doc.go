// Package standin plays provider-proxmox-bpg. It serves the provider's real CRDs with the real reconciler of managed
// resources (crossplane-runtime): conditions, events, finalizers, policies and pauses are not played. What is played is the
// layer below, Upjet with Terraform in it, as it was observed (see behaviours.go), and a Proxmox in memory.
package standin
