// Package replacement decides how a new container replaces an old one: which of a claim's containers is the one that the claim has, how far its
// replacement has come, and what becomes of those that were replaced. It knows no manifests: facts come in, and decisions and their words go out.
package replacement
