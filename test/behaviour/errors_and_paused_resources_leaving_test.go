package behaviour

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestWhatIsPausedGoes: a paused managed resource cannot be deleted, so the pause is taken off before.
func TestWhatIsPausedGoes(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(t *testing.T) *machine
		gone   []string
	}{
		"OldVM": {
			reason: "The VM that is replaced.",
			run: func(t *testing.T) *machine {
				t.Helper()

				m, _ := living(t, "nixos/dns01", dhcp, "class: own")
				m.Provider.Fails["vm"] = invalid
				m.Turn()
				m.Turn()
				m.replace("a")

				for range 3 {
					m.Turn()
				}

				clear(m.Provider.Fails)

				return m
			},
			gone: []string{"vm"},
		},
		"OldVMThatStillFails": {
			reason: "Its error stays: a VM that goes is tried no more.",
			run: func(t *testing.T) *machine {
				t.Helper()

				m, _ := living(t, "nixos/dns01", dhcp, "class: own")
				m.Provider.Fails["vm"] = invalid
				m.Turn()
				m.Turn()
				m.replace("a")

				return m
			},
			gone: []string{"vm"},
		},
		"NewVM": {
			reason: "The VM of an attempt that is taken back.",
			run: func(t *testing.T) *machine {
				t.Helper()

				m, _ := living(t, "nixos/dns01", dhcp, "class: own")
				m.replace("a")
				m.Turn()
				m.Provider.Fails[later(m.Call())[0]] = "create failed: apply failed: VM clone: All attempts fail: #1: error cloning VM: the requested resource already exists"

				for range 4 {
					m.Turn()
				}

				m.replace("")

				return m
			},
		},
		"Image": {
			reason: "An image whose name Proxmox refuses, and that the catalogue gives another.",
			run: func(t *testing.T) *machine {
				t.Helper()

				m := example(t, "k3s-cluster/agent-1")
				image := newOnes(&fnv1.RunFunctionResponse{}, m.Call())[0]
				m.Provider.Fails[image] = extension

				for range 3 {
					m.Turn()
				}

				if by := pausedBy(m.Call(), image); by != "image.extension" {
					t.Fatalf("%s is paused by %q", image, by)
				}

				m.Spec()["image"] = "debian-13"

				return m
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := tc.run(t)

			// The fake provider tells of a paused resource that is deleted.
			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			for _, gone := range tc.gone {
				if world.Desired(last, gone) != nil {
					t.Errorf("%s\n%s is still there", tc.reason, gone)
				}
			}
		})
	}
}
