// Package chain drives example/flux with commits: a Git server, the real controllers of Flux, and the control plane of
// test/controlplane with the provider's stand-in. See README.md beside this folder.
package chain
