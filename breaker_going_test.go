package main

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestWhatIsPausedGoes: a paused managed resource cannot be deleted, so the pause is taken off before.
func TestWhatIsPausedGoes(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(t *testing.T) *lab
		gone   []string
	}{
		"OldVM": {
			reason: "The VM that is replaced.",
			run: func(t *testing.T) *lab {
				t.Helper()

				l, _ := living1(t, "nixos/dns01", dhcp, "class: own")
				l.fails["vm"] = shrink
				l.turn()
				l.turn()
				l.replace("a")

				for range 3 {
					l.turn()
				}

				clear(l.fails)

				return l
			},
			gone: []string{"vm"},
		},
		"OldVMThatStillFails": {
			reason: "Its error stays: a VM that goes is tried no more.",
			run: func(t *testing.T) *lab {
				t.Helper()

				l, _ := living1(t, "nixos/dns01", dhcp, "class: own")
				l.fails["vm"] = shrink
				l.turn()
				l.turn()
				l.replace("a")

				return l
			},
			gone: []string{"vm"},
		},
		"NewVM": {
			reason: "The VM of an attempt that is taken back.",
			run: func(t *testing.T) *lab {
				t.Helper()

				l, _ := living1(t, "nixos/dns01", dhcp, "class: own")
				l.replace("a")
				l.turn()
				l.fails[later(l.call())[0]] = "create failed: apply failed: VM clone: All attempts fail: #1: error cloning VM: the requested resource already exists"

				for range 4 {
					l.turn()
				}

				l.replace("")

				return l
			},
		},
		"Image": {
			reason: "An image whose name Proxmox refuses, and that the catalogue gives another.",
			run: func(t *testing.T) *lab {
				t.Helper()

				l := newLab(t, story(t, "k3s-cluster/agent-1"))
				image := newOnes(&fnv1.RunFunctionResponse{}, l.call())[0]
				l.fails[image] = extension

				for range 3 {
					l.turn()
				}

				if by := pausedBy(l.call(), image); by != "image.extension" {
					t.Fatalf("%s is paused by %q", image, by)
				}

				specOf(l.world)["image"] = "debian-13"

				return l
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := tc.run(t)

			// The lab tells of a paused resource that is deleted.
			last := l.rest()
			l.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

			for _, gone := range tc.gone {
				if desired(last, gone) != nil {
					t.Errorf("%s\n%s is still there", tc.reason, gone)
				}
			}
		})
	}
}
