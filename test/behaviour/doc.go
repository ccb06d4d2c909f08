// Package behaviour tells the stories of docs/day-two.md, files for each of its chapters: what becomes of a machine, and of the VM
// in Proxmox, when a claim is edited, something fails, or somebody does something by hand.
package behaviour
