package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestWhatKeepsAWaveFromBeingFinished, each by itself, on a machine that is finished before.
func TestWhatKeepsAWaveFromBeingFinished(t *testing.T) {
	t.Parallel()

	const (
		change = "A change waits or is being carried out"
		vm     = "The VM is not there yet, or does not run or answer, or the provider has not written everything"
	)

	inGroup := func(m *machine) *machine {
		m.Spec()["rollout"] = map[string]any{"group": "edge", "wave": float64(1)}
		m.Rest()
		m.Rest()

		return m
	}
	plain := func(t *testing.T) *machine { t.Helper(); return waves(t, []int{1}, "bootstrap: {guestAgent: true}")[0] }
	agent := func(t *testing.T) *machine { t.Helper(); _, m := drainable(t, 1, "Here"); return inGroup(m) }

	cases := map[string]struct {
		reason string
		of     func(t *testing.T) *machine
		happen func(m *machine)
		says   string // Empty: it is finished.
	}{
		"Nothing":    {reason: "Nothing happened.", of: plain, happen: func(*machine) {}},
		"Refused":    {reason: "Nobody carries it out.", of: plain, happen: func(m *machine) { m.Spec()["image"] = "debian-13"; m.Rest() }},
		"InPlace":    {reason: "The call writes it.", of: plain, happen: func(m *machine) { m.Spec()["tags"] = []any{"new"} }, says: vm},
		"NotWritten": {reason: "The provider has not done it.", of: plain, happen: func(m *machine) { m.Spec()["tags"] = []any{"new"}; m.Apply(m.Call()) }, says: vm},
		"Pending":    {reason: "It waits for somebody's power cycle.", of: plain, happen: func(m *machine) { m.sized(6); m.Rest() }, says: change},
		"Stops":      {reason: "The VM still runs.", of: plain, happen: func(m *machine) { m.Spec()["power"] = "Stopped" }, says: vm},
		"Stopped":    {reason: "The claim says so.", of: plain, happen: func(m *machine) { m.Spec()["power"] = "Stopped"; m.Rest() }},
		"StoppedByHand": {
			reason: "The provider is to start it.", of: plain, says: vm,
			happen: func(m *machine) { m.Proxmox.VMs[100].Running = nil; m.Provide() },
		},
		"Silent": {reason: "Its guest agent does not answer.", of: plain, happen: func(m *machine) { m.Proxmox.VMs[100].Silent = true; m.Provide() }, says: vm},
		"Approval": {
			reason: "It waits for somebody.", of: plain, says: change,
			happen: func(m *machine) { m.lifecycle("approval", "Always"); m.Rest(); m.Spec()["tags"] = []any{"new"} },
		},
		"Drained": {reason: "It is to hold no pods.", of: agent, happen: func(m *machine) { m.lifecycle("drain", "a"); m.Rest() }, says: change},
		"Uncordoned": {
			reason: "It holds pods again.", of: agent, happen: func(m *machine) { m.lifecycle("drain", "a"); m.Rest(); m.lifecycle("drain", ""); m.Rest() },
		},
		"StillCordoned": {
			reason: "Nobody has uncordoned it yet.", of: agent, says: change,
			happen: func(m *machine) { m.lifecycle("drain", "a"); m.Rest(); m.lifecycle("drain", "") },
		},
		"Upgrade": {
			reason: "It waits for its release of K3s.", says: change,
			of: func(t *testing.T) *machine { t.Helper(); return inGroup(upgradable(t, 1, 0, "Here")[0]) },
			happen: func(m *machine) {
				release([]*machine{m}, nextRelease)
				m.Apply(m.Call())
			},
		},
		"Joining": {
			reason: "Nobody said that the new server has joined.", says: change,
			of:     func(t *testing.T) *machine { t.Helper(); return inGroup(servers(t, 3)[1]) },
			happen: func(m *machine) { m.replace("a"); m.Rest() },
		},
		"Joined": {
			reason: "Somebody said so.",
			of:     func(t *testing.T) *machine { t.Helper(); return inGroup(servers(t, 3)[1]) },
			happen: func(m *machine) { m.replace("a"); m.Rest(); m.lifecycle("joined", "a"); m.Rest() },
		},
		"Blocked": {
			reason: "Its cluster would lose quorum.", says: change,
			of:     func(t *testing.T) *machine { t.Helper(); return inGroup(servers(t, 2)[1]) },
			happen: func(m *machine) { m.replace("a"); m.Rest() },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := tc.of(t)
			m.says(m.Call(), map[string]string{"RolloutFinished": "Finished"})

			tc.happen(m)

			rsp := m.Call()
			if msg := world.Fatal(rsp); msg != "" {
				t.Fatal(msg)
			}

			want := "Finished"
			if tc.says != "" {
				want = "NotFinished"
			}

			if got := world.Reason(rsp, "RolloutFinished"); got != want {
				t.Errorf("%s: RolloutFinished has the reason %s, want %s: %s", tc.reason, got, want, world.Message(rsp, "RolloutFinished"))
			}

			if got := world.Message(rsp, "RolloutFinished"); !strings.HasPrefix(got, tc.says) {
				t.Errorf("%s: want %q in %q", tc.reason, tc.says, got)
			}
		})
	}
}
