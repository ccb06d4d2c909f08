// Package world is what surrounds the function, as far as the function can see it: a Kubernetes cluster with Crossplane in it,
// provider-proxmox-bpg, and Proxmox. Function, Crossplane and provider take turns, and nothing happens between turns, so that a
// test can stop, break and read everything at any moment.
//
// It models what was observed of the real ones: external names, generations, conditions, atProvider, what the provider changes
// in place, and what it refuses. It knows nothing of the packages that it tests, and has its own constants and its own opinion of
// Terraform's templates, so that a mistake of theirs is not repeated here.
package world
