// Package lifecycle decides which VM a machine is, and which one its claim describes: the two differ while a VM is
// replaced. It decides from what is observed alone, so that a restart at any moment changes nothing.
package lifecycle
