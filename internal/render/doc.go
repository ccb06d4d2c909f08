// Package render writes the managed resources of a machine: what its claim describes today, and, once package lifecycle has
// decided what becomes of each VM, what is to be applied. It decides nothing about a VM itself.
package render
