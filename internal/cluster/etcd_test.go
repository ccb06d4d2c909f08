package cluster

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// TestEtcdUnknown: a rollout whose release nobody knows the etcd of says so, for as long as a member of etcd is to get it.
func TestEtcdUnknown(t *testing.T) {
	const unclear, next = "v1.33.7+k3s2", "v1.34.2+k3s1" // The table has no etcd of the first one: it may forget removed members or keep them.

	server := func(edit func(*Child)) Child {
		c := Child{Role: v1alpha1.K3sServer, Joined: true, VersionSeen: true, Version: unclear}
		edit(&c)

		return c
	}

	cases := map[string]struct {
		reason, to string
		child      Child
		other      string // Release of another server; empty for none.
		want       bool
	}{
		"Unclear": {reason: "It may keep removed members.", to: next, child: server(func(*Child) {}), want: true},
		"Clear":   {reason: "Nothing of it crosses to etcd 3.6.", to: "v1.33.7+k3s3", child: server(func(c *Child) { c.Version = "v1.33.6+k3s1" })},
		"Runs":    {reason: "It runs it already.", to: unclear, child: server(func(*Child) {})},
		"Unseen":  {reason: "Nobody is asked to run it before its Node is read.", to: next, child: server(func(c *Child) { c.VersionSeen = false })},
		"Agent":   {reason: "It has no member of etcd.", to: next, child: server(func(c *Child) { c.Role = v1alpha1.K3sAgent })},
		"Crossed": {reason: "One runs etcd 3.6: what could happen has happened.", to: next, child: server(func(*Child) {}), other: next},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			children := Children{"server-0": tc.child}
			if tc.other != "" {
				children["server-1"] = server(func(c *Child) { c.Version = tc.other })
			}

			w := World{Children: children, System: &SystemUpgrade{Version: tc.to}}
			if got := strings.Contains(upgradeProgress(situationOf(w), Plan{}), k3s.EtcdUnknown); got != tc.want {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
