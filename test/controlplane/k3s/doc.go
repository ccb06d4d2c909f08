// Package k3s is a stand-in for K3s in the VMs of the played Proxmox. It makes, renews, loses and removes real Node objects on a real API
// server, as K3s does, and sees all the time that its cluster keeps its quorum: see README.md.
package k3s
