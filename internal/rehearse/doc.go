// Package rehearse plays what becomes of an edit: in the order in which it happens, until nothing changes any more. The function is the real one, and
// internal/world plays Crossplane, the provider, Proxmox, the guests and K3s around it.
package rehearse
