package cluster

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestEmptied: a cluster whose only server was destroyed by hand is not ready, although its VM runs again, before a person has read what is lost.
func TestEmptied(t *testing.T) {
	cases := map[string]struct {
		reason  string
		servers int64
		agents  int64
		edit    func(c *Child)
		says    string // Empty where the cluster is ready.
	}{
		"OnlyServer": {
			reason: "Its state was on its disks alone.", servers: 1, edit: func(c *Child) { c.VM = VMStateRecreated },
			agents: 2, says: "or go on with the new cluster and replace the agents. Then",
		},
		"NoAgents": {
			reason: "Nothing is to be said of agents.", servers: 1, edit: func(c *Child) { c.VM = VMStateRecreated },
			says: "and what it serves is a new cluster. Restore a snapshot of etcd (docs/clusters.md#all-servers-are-lost), or go on with the new cluster. Then",
		},
		"Confirmed":  {reason: "A person has read it.", servers: 1, edit: func(*Child) {}},
		"OneOfThree": {reason: "It joins the others again.", servers: 3, edit: func(c *Child) { c.VM = VMStateRecreated }},
		"WithoutEtcd": {reason: "The state is in a database elsewhere.", servers: 1, edit: func(c *Child) {
			c.VM = VMStateRecreated
			c.Spec = map[string]any{"k3s": map[string]any{"config": map[string]any{"datastore-endpoint": "postgres://db"}}}
		}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(tc.servers, tc.agents))
			s.until(40, v1alpha1.RolloutComplete)
			tc.edit(&s.site.nodes["server-0"].child)

			p := Decide(s.world())
			if (p.Emptied != "") != (tc.says != "") || tc.says != "" && (p.State != v1alpha1.RolloutBlocked || !strings.Contains(p.Message, tc.says)) {
				t.Errorf("%s\n%s: %s; %s", tc.reason, p.State, p.Message, p.Emptied)
			}

			for _, c := range ReportOn(p, s.world().Children, "", Refusals{}).Conditions {
				if c.Type == TypeServersReady && (c.Status == metav1.ConditionTrue) != (tc.says == "") {
					t.Errorf("%s is %s: %s", c.Type, c.Status, c.Message)
				}
			}
		})
	}
}

// TestNothingToLose: a server that was made again before it had joined had no state that could be lost.
func TestNothingToLose(t *testing.T) {
	s := newStory(t, claimed(1, 0))
	s.until(40, v1alpha1.RolloutComplete)

	c := &s.site.nodes["server-0"].child
	c.VM, c.Joined = VMStateRecreated, false

	if p := Decide(s.world()); p.Emptied != "" || p.State != v1alpha1.RolloutProgressing {
		t.Errorf("%s: %s; %s", p.State, p.Message, p.Emptied)
	}
}

// TestRejoined: only the word for this very creation says that the VM which was made again has the state of the others.
func TestRejoined(t *testing.T) {
	const says = "The VM was gone from Proxmox, and the provider created it again on 2026-11-20T10:15:00Z, with empty disks."

	cases := map[string]struct {
		reason, word, message string
		want                  bool
	}{
		"Confirmed": {reason: "The API server takes no colons in the word.", word: "2026-11-20T10-15-00Z", message: says, want: true},
		"Before":    {reason: "It was said of an earlier creation.", word: "2026-10-01T08-00-00Z", message: says},
		"Nothing":   {reason: "Nobody has said anything.", message: says},
		"Silent":    {reason: "The node says no time.", word: "2026-11-20T10-15-00Z", message: "The VM was gone from Proxmox."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := rejoined(map[string]any{"lifecycle": map[string]any{"joined": tc.word}}, tc.message); got != tc.want {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
