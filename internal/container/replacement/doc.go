// Package replacement decides how a new container replaces an old one: how far its replacement has come, and what becomes of those that were
// replaced. Package succession says which of a claim's containers is which. It knows no manifests: facts come in, and decisions and their words go out.
package replacement
