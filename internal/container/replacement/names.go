package replacement

import "github.com/homelab-io/function-proxmox-machine/internal/succession"

// First is the composed resource name of a claim's first container, see [succession.Line].
const First = "container"

// Names says whether a composed resource name is that of a claim's container, and of no check of a VMID.
func Names(name string) bool { return succession.Line{First: First}.Names(name) }
