// Package cloudinit models the two documents that a machine gets on its
// cloud-init drive: user-data of the form "#cloud-config" ([Document]) and
// meta-data ([MetaData]).
//
// A document is a Go value that is marshalled; no text is templated. [ParseUserData]
// parses a user's own cloud-config (bootstrap.userData), and [Document.Merge] adds it
// to the document. Its rules protect the parts that the machine needs.
//
// The package only knows cloud-init: not K3s, and of Proxmox only the maximum
// size of a snippet. The format is from cloud-init's module
// reference, https://docs.cloud-init.io/en/latest/reference/modules.html. Tests
// check it against the schemas of cloud-init 22.4.2 (Debian 12), 24.4.1 and 26.2.
package cloudinit
