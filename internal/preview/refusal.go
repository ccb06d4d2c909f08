package preview

import "strings"

// why a running machine refuses a change, and keeps what it has. The conditions say it of a machine in a cluster.
func (c PlanChange) why() string {
	name := c.Field[strings.LastIndexByte(c.Field, '.')+1:]
	size := func(v string) bool { return strings.HasSuffix(v, "Gi") || strings.HasSuffix(v, "Ti") }

	switch {
	case c.Effect != EffectRefused:
		return ""
	case size(c.From) && size(c.To):
		return "a disk is never shrunk"
	case size(c.From) && c.To == "":
		return "a disk is never detached: its data stays"
	case name == "image" || name == "firmware" || name == "vmId":
		return "a VM has it from its creation: only spec.lifecycle.replace changes it, with a new VM"
	case name == "storage":
		return "the disk stays where it is: docs/day-two.md, Moving a disk, has the way"
	case name == "pool" && c.From == "dhcp":
		return "the VM keeps DHCP until it is replaced"
	case c.To == "":
		return "the provider cannot take it away: write another value"
	default:
		return "the VM cannot change it while it exists"
	}
}
