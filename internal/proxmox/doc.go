// Package proxmox holds partial typed models of the managed resources of provider-proxmox-bpg: what we set, and what we
// read back. It knows the provider's field names and nothing of claims.
//
// Every Terraform block is a list in the provider's API, also one that may occur once. The models keep that shape, since
// it is what an administrator sees in `kubectl get -o yaml`.
//
// Models hold plain text. The provider evaluates strings as Terraform templates, so [Manifest] escapes what it writes
// and the observing functions unescape what they read; see [Escape].
//
// What is made of the models is held against the provider's real CRDs (v0.11.1 and v1.18.0) by the tests of the function,
// and against the real plugin by test/provider.
package proxmox
