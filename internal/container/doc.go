// Package container decides about LXC containers: what the managed resources of a Container are, and what is to be said of it.
//
// The provider restarts a running container for most changes (see [proxmox.ContainerParameters]), also to undo what somebody changed in Proxmox. So
// the function lets the provider change a container only while there is something to change, and writes everything else as the provider has read it.
package container
