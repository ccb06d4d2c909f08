// Package fake has what tests give to the world that they play (internal/world): the examples, VMs that somebody made by hand, and a function whose answers are
// remembered, or held against those of another build.
package fake
