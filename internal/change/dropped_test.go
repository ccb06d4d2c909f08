package change

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPinned(t *testing.T) {
	all := map[string]any{"proxmox": map[string]any{"vmId": int64(153), "node": "pve1"}, "network": map[string]any{"mac": "BC:24:11:00:00:01"}}

	cases := map[string]struct {
		reason  string
		was, is map[string]any
		want    []string
	}{
		"Same":  {reason: "Nothing was taken out.", was: all, is: all},
		"First": {reason: "Nobody knows what the claim said before.", is: map[string]any{}},
		"Other": {reason: "Another value is a change.", was: all, is: map[string]any{
			"proxmox": map[string]any{"vmId": int64(154), "node": "pve2"}, "network": map[string]any{"mac": "BC:24:11:00:00:02"},
		}},
		"One": {
			reason: "The VM keeps it.", was: all, is: map[string]any{"proxmox": map[string]any{"vmId": int64(153), "node": "pve1"}, "network": map[string]any{"dhcp": true}},
			want: []string{"spec.network.mac: the claim says it no longer. The VM keeps BC:24:11:00:00:01, and one that replaces it gets another one, which a reservation on a DHCP server does not know."},
		},
		"Whole": {
			reason: "With the object around it.", was: all, is: map[string]any{"network": all["network"]},
			want: []string{
				"spec.proxmox.vmId: the claim says it no longer. The VM keeps 153, and one that replaces it gets another one.",
				"spec.proxmox.node: the claim says it no longer. The VM keeps pve1, and one that replaces it may get another one.",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Pinned("VM", tc.was, tc.is)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
