package preview

import "testing"

// TestWhy has a reason for each sort of refused change, and none for a change that is made.
func TestWhy(t *testing.T) {
	for reason, c := range map[string]PlanChange{
		"":                       {Effect: EffectReboot, Field: "spec.size.cores", From: "2", To: "4"},
		"a disk is never shrunk": {Effect: EffectRefused, Field: "spec.disks[data].size", From: "2048Gi", To: "1024Gi"},
		"a disk is never detached: its data stays":                                             {Effect: EffectRefused, Field: "spec.disks[data].size", From: "5Gi"},
		"a VM has it from its creation: only spec.lifecycle.replace changes it, with a new VM": {Effect: EffectRefused, Field: "spec.firmware", From: "BIOS", To: "UEFI"},
		"the disk stays where it is: docs/day-two.md, Moving a disk, has the way":              {Effect: EffectRefused, Field: "spec.proxmox.storage", From: "a", To: "b"},
		"the VM keeps DHCP until it is replaced":                                               {Effect: EffectRefused, Field: "spec.network.pool", From: "dhcp", To: "an address of the site's pool"},
		"the provider cannot take it away: write another value":                                {Effect: EffectRefused, Field: "spec.network.domain", From: "home.arpa"},
		"the VM cannot change it while it exists":                                              {Effect: EffectRefused, Field: "spec.proxmox.node", From: "pve1", To: "pve2"},
	} {
		if got := c.why(); got != reason {
			t.Errorf("%+v: got %q, want %q", c, got, reason)
		}
	}
}
