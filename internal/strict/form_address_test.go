package strict

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// TestTextInstead: quotes make text of a number or a boolean, and no address.
func TestTextInstead(t *testing.T) {
	spec := field.NewPath("spec")

	cases := map[string]struct {
		reason string
		at     *field.Path
		want   string
	}{
		"Text":         {"Any text may be true.", spec.Child("hostname"), "must be text: put it in quotes"},
		"IPv4":         {"Who writes ip: true wants one from somewhere.", spec.Child("network", "ip"), "must be an address, such as 192.168.4.20"},
		"IPv4OfNIC":    {"The same of another interface.", spec.Child("nics").Index(0).Child("ip"), "must be an address, such as 192.168.4.20"},
		"Gateway":      {"So is a gateway.", spec.Child("network", "gateway"), "must be an address, such as 192.168.4.20"},
		"IPv6":         {"The other family has other addresses.", spec.Child("network", "ipv6", "ip"), "must be an address, such as 2001:db8:4::20"},
		"GatewayIPv6":  {"Of its gateway, too.", spec.Child("nics").Index(1).Child("ipv6", "gateway"), "must be an address, such as 2001:db8:4::20"},
		"Trigger":      {"The same value tomorrow would do nothing, and in quotes it is refused.", spec.Child("lifecycle", "reboot"), message.TriggerRule},
		"OfANode":      {"A node of a cluster has the same.", spec.Child("nodes").Index(0).Child("lifecycle", "replace"), message.TriggerRule},
		"Lost":         {"It names a node.", spec.Child("lifecycle", "lost"), message.LostRule},
		"Interruption": {"So is this one.", spec.Child("nodes", "pve1", "bridges").Index(0).Child("allowInterruption"), `must be the hash that status.interfaces shows beside the changes, and kubectl machine plan, too, such as "b81f9a3c20"`},
		"Approve":      {"It is a hash.", spec.Child("lifecycle", "approve"), `must be the value of status.plan.hash, which kubectl machine plan shows, too, such as "d19a0c71d2"`},
		"Joined":       {"It repeats a trigger.", spec.Child("lifecycle", "joined"), `must be the value of replace that led to the VM, such as "2026-11-20"`},
		"Elsewhere":    {"Only lifecycle has these.", spec.Child("replace"), "must be text: put it in quotes"},
		"Similar":      {"Another name is another field.", spec.Child("skip"), "must be text: put it in quotes"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := textInstead(tc.at, true); got != tc.want {
				t.Errorf("%s\ntextInstead(%s): want %q, got %q", tc.reason, tc.at, tc.want, got)
			}
		})
	}
}
