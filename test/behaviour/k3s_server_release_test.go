package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAServerWithAnotherRelease is replaced neither by a VM whose etcd would count removed members again nor by one with an older K3s; it is by one of the
// release to stop at, and with force.
func TestAServerWithAnotherRelease(t *testing.T) {
	t.Parallel()

	const (
		crossing = "the server runs v1.33.6+k3s1, with an etcd before 3.5.26; upgrade all servers to v1.33.7+k3s3 first"
		older    = "is older than v1.33.6+k3s1, which the server runs, and K3s cannot go back: name v1.33.6+k3s1 or a later release"
	)

	cases := map[string]struct {
		reason, edit string
		born         string // The config of all but the first server.
		refused      string
	}{
		"Crossing": {reason: "etcd 3.5 before 3.5.26 becomes 3.6.", edit: "k3s: {version: v1.34.2+k3s1}", refused: crossing},
		"Stop":     {reason: "The release that repairs the members.", edit: "k3s: {version: v1.33.7+k3s3}"},
		"Forced":   {reason: "Another server runs etcd 3.6, says a person.", edit: "{k3s: {version: v1.34.2+k3s1}, lifecycle: {force: b}}"},
		"Older":    {reason: "Its cluster runs a later one.", edit: "k3s: {version: v1.33.5+k3s1}", refused: older},
		"OlderForced": {
			reason: "No other node runs a later one, says a person.", edit: "{k3s: {version: v1.33.5+k3s1}, lifecycle: {force: b}}",
		},
		"Same": {reason: "The release that runs.", edit: "k3s: {version: v1.33.6+k3s1}"},
		"OlderNoEtcd": {
			reason: "An API server goes back neither.", edit: "k3s: {version: v1.33.5+k3s1}", born: "k3s: {config: {disable-etcd: true}}", refused: older,
		},
		"NoEtcd": {reason: "A server without a member brings none back.", edit: "k3s: {version: v1.34.2+k3s1}", born: "k3s: {config: {disable-etcd: true}}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := serversBorn(t, 3, func(i int, spec map[string]any) {
				world.Merge(spec, world.FromYAML(t, "k3s: {version: v1.33.6+k3s1}"))

				if i > 0 && tc.born != "" {
					world.Merge(spec, world.FromYAML(t, tc.born))
				}
			})
			m := all[1]
			m.Rest()

			world.Merge(m.Spec(), world.FromYAML(t, tc.edit))

			rsp := replacedAmong(all, m)
			if made := m.happened("make") >= 0; made == (tc.refused != "") {
				t.Errorf("%s\nreplaced: %v; done: %v; %s", tc.reason, made, m.Proxmox.Done, world.Message(rsp, "ReplacementRequired"))
			}

			said := world.Message(rsp, "ReplacementRequired")
			for _, refusal := range []string{crossing, older} {
				if strings.Contains(said, refusal) != (refusal == tc.refused) {
					t.Errorf("%s\nReplacementRequired says: %s", tc.reason, said)
				}
			}
		})
	}
}
