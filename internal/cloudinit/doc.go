// Package cloudinit models the two documents that a machine gets on its
// cloud-init drive: user-data of the form "#cloud-config" ([Document]) and
// meta-data ([MetaData]).
//
// A document is a Go value that is marshalled; no text is templated. What a
// person adds in a claim (bootstrap.userData) is read by [ParseUserData] and
// joined to it by [Document.Merge], whose rules keep what the machine needs.
//
// The package knows cloud-init and nothing else: no K3s, no Proxmox beyond the
// size that Proxmox reads. The format is the one of cloud-init's module
// reference, https://docs.cloud-init.io/en/latest/reference/modules.html, and
// is checked in tests against the schemas of cloud-init 22.4.2 (Debian 12),
// 24.4.1 and 26.2.
package cloudinit
