package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRestartsWithoutAMargin: of five servers, one that its claim keeps stopped counts as one that is missing, and lets one other restart, because three
// of five are a majority. The next one waits.
func TestRestartsWithoutAMargin(t *testing.T) {
	byItsClaim := annotated(stopped(server("e")), proxmox.OutageAnnotation, Announcement{Outage: OutageStop}.String())
	restarting := annotated(server("d"), proxmox.OutageAnnotation, Announcement{Outage: OutageReboot, Begun: true}.String())

	cases := map[string]struct {
		reason string
		others []proxmox.ObservedVM
		want   Permission
		why    BlockReason
	}{
		"Four":          {reason: "Nobody is away.", others: []proxmox.ObservedVM{server("b"), server("c"), server("d"), server("e")}, want: PermissionAnnounced},
		"OneStopped":    {reason: "Three of five vote meanwhile.", others: []proxmox.ObservedVM{server("b"), server("c"), server("d"), stopped(server("e"))}, want: PermissionAnnounced},
		"TwoStopped":    {reason: "Two of five are no majority.", others: []proxmox.ObservedVM{server("b"), server("c"), stopped(server("d")), stopped(server("e"))}, want: PermissionRefused, why: BlockedByQuorum},
		"OneRestarting": {reason: "With the one that is stopped, two would vote.", others: []proxmox.ObservedVM{server("b"), server("c"), restarting, stopped(server("e"))}, want: PermissionRefused, why: BlockedByQuorum},
		"AnotherOnly":   {reason: "Restarts go one at a time, margin or not.", others: []proxmox.ObservedVM{server("b"), server("c"), restarting, server("e")}, want: PermissionRefused, why: BlockedByOtherServer},
		"AboutToStop":   {reason: "Who announced an outage begins first, or takes it back.", others: []proxmox.ObservedVM{server("b"), server("c"), server("d"), byItsClaim}, want: PermissionAwaited},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mine := server("a")
			mine.Metadata.Name = "a"

			for i := range tc.others {
				tc.others[i].Metadata.Name = tc.others[i].Metadata.Labels[proxmox.MachineLabel] + "later"
			}

			got := Cluster{Name: "home", OtherServers: tc.others}.permit(mine, true)
			if got.Permission != tc.want || got.Blocker.Reason != tc.why {
				t.Errorf("%s\nwant %s %s, got %s %s", tc.reason, tc.want, tc.why, got.Permission, got.Blocker.Reason)
			}
		})
	}
}
