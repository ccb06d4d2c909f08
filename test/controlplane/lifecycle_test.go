package controlplane

import (
	"testing"
)

const (
	kindVM        = "EnvironmentVM"
	kindFile      = "EnvironmentFile"
	kindImage     = "EnvironmentDownloadFile"
	kindContainer = "EnvironmentContainer"

	kindFirewallOptions = "EnvironmentFirewallOptions"
	kindFirewallRules   = "EnvironmentFirewallRules"
	kindHA              = "EnvironmentHaresource"

	kindBridge = "EnvironmentNetworkLinuxBridge"
	kindVLAN   = "EnvironmentNetworkLinuxVlan"
	kindPool   = "EnvironmentPool"
)

// TestLifecycle lets machines live: each edit of a claim, and what somebody does in Proxmox, has exactly the effects that
// docs/day-two.md promises.
func TestLifecycle(t *testing.T) {
	for name, of := range lives {
		for _, on := range []*installation{claims, namespaced} {
			t.Run(name+"/"+on.configuration, func(t *testing.T) {
				t.Parallel()

				l := of()
				l.rehearsed = true

				on.rig(t).live(t, l)
			})
		}
	}
}
