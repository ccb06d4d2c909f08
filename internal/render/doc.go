// Package render turns a resolved machine into managed resources, and keeps those that exist alive.
//
// What is rendered for a machine that does not exist yet follows its claim. Once the VM is observed, everything it was
// made from (snippets, image, template) stays in desired as it was, and the VM follows its claim as far as the provider
// can change it in place; see guard.go.
package render
