package provider

import (
	"strings"
	"testing"
)

// TestBreaker holds that what only another claim can mend is not tried for ever, and that what is mended outside is.
func TestBreaker(t *testing.T) {
	cases := map[string]breakerCase{
		"ValueRefused": {
			reason: "A value that Proxmox does not take will not be taken at the next try either.",
			fault:  Fault{Method: "PUT", Path: "/qemu/160/config", Status: 400, Message: "Parameter verification failed."},
			pauses: true,
		},
		"Forbidden": {
			reason: "A permission is given in Proxmox, and then all goes on by itself.",
			fault:  Fault{Method: "PUT", Path: "/qemu/160/config", Status: 403, Message: "Permission check failed (/vms/160, VM.Config.Options)"},
		},
		"Busy": {
			reason: "A lock goes by itself.",
			fault:  Fault{Method: "PUT", Path: "/qemu/160/config", Status: 500, Message: "can't lock file '/var/lock/qemu-server/lock-160.conf' - got timeout"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			l := newLab(t)
			c := l.machine(t, "app01", `{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, bootstrap: {snippets: {userData: "local:snippets/k3s-token.yaml"}}}`)
			l.settle(t, c)

			if err := l.Simulator.AddFault(t.Context(), tc.fault); err != nil {
				t.Fatal(err)
			}

			edit(t, c, `{tags: [one]}`)

			for range 5 {
				if _, err := c.Round(t.Context()); err != nil {
					t.Fatal(err)
				}
			}

			since := l.seq(t)

			for range 3 {
				if _, err := c.Poll(t.Context()); err != nil {
					t.Fatal(err)
				}
			}

			if tried := strings.Count(l.writes(t, since), "PUT"); tc.pauses == (tried > 0) || tc.pauses != c.composed["vm"].resource.Paused() {
				t.Errorf("%s\nwant paused: %t, got paused: %t, with %d tries", tc.reason, tc.pauses, c.composed["vm"].resource.Paused(), tried)
			}

			tc.mend(t, l, c)
		})
	}
}

type breakerCase struct {
	reason string
	fault  Fault
	pauses bool
}

// mend takes the cause away. What is paused waits for a word in the claim then.
func (tc breakerCase) mend(t *testing.T, l *lab, c *Control) {
	t.Helper()

	if tc.pauses {
		want(t, c, "ProviderHealthy", "False", "ValidationFailed")

		if err := c.Delete(t.Context()); err == nil || !strings.Contains(err.Error(), errPaused.Error()) {
			t.Errorf("want nothing to be deleted that is paused, got: %v", err)
		}
	}

	if err := l.Simulator.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}

	if tc.pauses {
		if w := l.settle(t, c); w != "" {
			t.Errorf("it is paused, and writes:\n%s", w)
		}

		edit(t, c, `{lifecycle: {retry: again}}`)
	}

	if w := l.settle(t, c); !strings.Contains(w, "tags=one") || c.composed["vm"].resource.Paused() {
		t.Errorf("%s\nwant it to go on, got:\n%s", tc.reason, w)
	}

	want(t, c, "ProviderHealthy", "True", "NoError")

	if err := c.Delete(t.Context()); err != nil {
		t.Error(err)
	}
}
