package provider

import (
	"strings"
	"testing"
)

// TestSmoke has the real plugin plan and apply one claim of each kind, edits it once, and then has nothing more to plan. It is the part of the suite that every
// change passes; the suites of each kind hold the rest. A K3sCluster has no managed resources but those of its K3sNodes.
func TestSmoke(t *testing.T) {
	machine := func(spec string) func(t *testing.T) (*lab, *Control, func() string) {
		return func(t *testing.T) (*lab, *Control, func() string) {
			t.Helper()

			l := newLab(t)
			since := l.seq(t)

			return l, l.machine(t, "app01", spec), func() string {
				w := l.writes(t, since)
				since = l.seq(t)

				return w
			}
		}
	}

	cases := map[string]struct {
		reason string
		start  func(t *testing.T) (l *lab, c *Control, written func() string)
		// ready is the condition that a created one has, with its reason.
		ready, because string
		created        string // A request of the creation.
		edit           string
		edited         string // A request of the edit.
		never          string // No request of the edit has it.
	}{
		"Machine": {
			reason: "A VM with snippets of its own gets another tag while it runs.",
			start:  machine(aMachine),
			ready:  "MachineReady", because: "Running",
			created: "/qemu/160/status/start", edit: `{tags: [core]}`, edited: "tags=core", never: "/status/",
		},
		"K3sNode": {
			reason: "A K3s node grows its disk while it runs.",
			start: machine(`{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, deletionPolicy: Delete,
				k3s: {role: server, init: true, version: v1.33.6+k3s1}, bootstrap: {snippets: {vendorData: "local:snippets/k3s-token.yaml"}}}`),
			ready: "MachineReady", because: "Running",
			created: "/qemu/160/status/start", edit: `{size: {disk: 100Gi}}`, edited: "/qemu/160/resize", never: "/status/",
		},
		"Container": {
			reason: "A container gets another tag while it runs.",
			start: func(t *testing.T) (*lab, *Control, func() string) {
				t.Helper()
				l, lxc := withContainers(t)

				return l, l.container(t, "dns01", aContainer), lxc.Writes
			},
			ready: "MachineReady", because: "Running",
			created: "hostname=dns01", edit: `{tags: [core, new]}`, edited: "tags=core%3Bnew", never: "/status/",
		},
		"ProxmoxSite": {
			reason: "A pool of a site gets another comment, and no interface is written.",
			start: func(t *testing.T) (*lab, *Control, func() string) {
				t.Helper()
				l, n := withNetworks(t)

				return l, l.site(t, "home", aSite), n.Writes
			},
			ready: "SiteReady", because: "AllPresent",
			created: "vmbr1", edit: `{pools: [{name: k3s, comment: other}, {name: media}]}`, edited: "PUT /pools comment=other", never: "/network",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			l, c, written := tc.start(t)
			c.Hasty = true

			l.settle(t, c)
			want(t, c, tc.ready, "True", tc.because)

			if w := written(); !strings.Contains(w, tc.created) {
				t.Errorf("%s\nthe creation: want %q among what was written, got:\n%s", tc.reason, tc.created, w)
			}

			edit(t, c, tc.edit)
			l.settle(t, c)
			want(t, c, tc.ready, "True", tc.because)

			if w := written(); !strings.Contains(w, tc.edited) || strings.Contains(w, tc.never) {
				t.Errorf("%s\nthe edit: want %q and no %q among what was written, got:\n%s", tc.reason, tc.edited, tc.never, w)
			}

			// The second plan is empty, also after a restart of the provider.
			for _, forgetful := range []bool{false, true} {
				c.Forgetful = forgetful
				l.poll(t, c)
				l.settle(t, c)
			}

			if w := written(); w != "" {
				t.Errorf("%s\nat rest: want nothing to be written, got:\n%s", tc.reason, w)
			}
		})
	}
}
