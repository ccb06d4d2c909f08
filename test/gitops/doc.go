// Package gitops holds example/flux to what it says: the expressions in its manifests, judged by Flux's own evaluator over
// objects of a real control plane, and all that Flux would apply, validated without a cluster. See README.md.
package gitops
