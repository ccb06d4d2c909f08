// Package lifecycle decides which VM a machine is, and which one its claim describes: the two differ while a VM is
// replaced. It decides from the observed resources alone, so that a restart of the function changes nothing.
package lifecycle
