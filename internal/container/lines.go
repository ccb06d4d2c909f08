package container

import (
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// linesOf changes, with the fields that the person typed.
func linesOf(c *machine.Container, all []change.Change) []string {
	return status.Lines(change.AsTyped(all, c.Typed))
}
