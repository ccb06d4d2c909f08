package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAServerWithOtherSettings is not replaced by a VM that K3s would not let into the cluster: a majority would be gone with the second one.
func TestAServerWithOtherSettings(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason  string
		config  string // Of the cluster in the catalogue, which was made with secrets-encryption alone.
		edit    string // Of the claim, beside the trigger.
		refused string // The key.
	}{
		"Network":   {reason: "Pods would be in two networks.", config: "{secrets-encryption: true, cluster-cidr: 10.50.0.0/16}", refused: "data.clusters.home.config[cluster-cidr]"},
		"Encrypted": {reason: "Secrets would be read by one server alone.", config: "{secrets-encryption: false}", refused: "data.clusters.home.config[secrets-encryption]"},
		"Default":   {reason: "K3s has that anyway.", config: "{secrets-encryption: true, cluster-cidr: 10.42.0.0/16}"},
		"Own":       {reason: "Each server may have what it likes.", config: "{secrets-encryption: true, etcd-snapshot-retention: 9}"},
		"Forced": {
			reason: "It was changed on all servers, says a person.", config: "{secrets-encryption: true, flannel-backend: host-gw}", edit: "lifecycle: {force: b}",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := serversBorn(t, 3, func(int, map[string]any) {})
			for _, m := range all {
				m.SetCluster("home", "config", world.FromYAML(t, tc.config))
			}

			m := all[1]
			m.Rest()

			if tc.edit != "" {
				world.Merge(m.Spec(), world.FromYAML(t, tc.edit))
			}

			rsp := replacedAmong(all, m)
			if made := m.happened("make") >= 0; made == (tc.refused != "") {
				t.Errorf("%s\nreplaced: %v; done: %v; %s", tc.reason, made, m.Proxmox.Done, world.Message(rsp, "ReplacementRequired"))
			}

			if msg := world.Message(rsp, "ReplacementRequired"); tc.refused != "" && !strings.Contains(msg, tc.refused) {
				t.Errorf("%s\nReplacementRequired says: %s", tc.reason, msg)
			}
		})
	}
}
