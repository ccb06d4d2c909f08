package change

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestStayConnected: what unplugs an interface stays undone, and all else of the interfaces is done.
func TestStayConnected(t *testing.T) {
	made := []proxmox.NetworkDevice{{Bridge: "vmbr0", VLANID: new(int64(20)), Model: "virtio"}, {Bridge: "vmbr9"}}

	for name, tc := range map[string]struct {
		reason string
		wanted []proxmox.NetworkDevice
		want   []proxmox.NetworkDevice
	}{
		"Same":     {reason: "Nothing is to be done.", wanted: made, want: made},
		"Bridge":   {reason: "The interface is unplugged.", wanted: []proxmox.NetworkDevice{{Bridge: "vmbr1", VLANID: new(int64(20)), Model: "virtio"}, made[1]}, want: made},
		"VLAN":     {reason: "So it is.", wanted: []proxmox.NetworkDevice{{Bridge: "vmbr0", Model: "virtio"}, made[1]}, want: made},
		"MTU":      {reason: "So it is.", wanted: []proxmox.NetworkDevice{made[0], {Bridge: "vmbr9", MTU: new(int64(9000))}}, want: made},
		"MAC":      {reason: "Proxmox made one up, and it is written down.", wanted: []proxmox.NetworkDevice{made[0], {Bridge: "vmbr9", MACAddress: "BC:24:11:00:00:53"}}, want: []proxmox.NetworkDevice{made[0], {Bridge: "vmbr9", MACAddress: "BC:24:11:00:00:53"}}},
		"Removed":  {reason: "So it is.", wanted: made[:1], want: made},
		"Added":    {reason: "A further interface takes nothing away.", wanted: append(made[:2:2], proxmox.NetworkDevice{Bridge: "vmbr1"}), want: append(made[:2:2], proxmox.NetworkDevice{Bridge: "vmbr1"})},
		"Firewall": {reason: "The interface stays plugged.", wanted: []proxmox.NetworkDevice{made[0], {Bridge: "vmbr9", Firewall: new(true)}}, want: []proxmox.NetworkDevice{made[0], {Bridge: "vmbr9", Firewall: new(true)}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := StayConnected(proxmox.VMParameters{NetworkDevice: tc.wanted}, proxmox.VMParameters{NetworkDevice: made})
			if diff := cmp.Diff(tc.want, got.NetworkDevice); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
