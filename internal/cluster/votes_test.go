package cluster

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestVotes: a server without a member of etcd is no vote. It neither keeps others from leaving nor lets the last one with etcd go.
func TestVotes(t *testing.T) {
	server := func(config map[string]any, ready bool) Child {
		return Child{Role: v1alpha1.K3sServer, Spec: map[string]any{"k3s": map[string]any{"config": config}}, Answered: true, Joined: true, Ready: ready}
	}
	votes, without := server(nil, true), server(map[string]any{"disable-etcd": true}, true)
	down, outside := server(nil, false), server(map[string]any{"datastore-cafile": "/etc/ca.pem"}, true)
	agent := Child{Role: v1alpha1.K3sAgent, Answered: true, Joined: true, Ready: true}

	cases := map[string]struct {
		reason         string
		children       map[string]Child
		node           string
		majority, only bool
	}{
		"Three":           {"Two of three go on.", map[string]Child{"a": votes, "b": votes, "c": votes}, "a", true, false},
		"LastWithEtcd":    {"The state is in this one alone.", map[string]Child{"a": votes, "b": without, "c": without, "d": agent}, "a", false, true},
		"WithoutEtcd":     {"It is no vote, and nothing is lost with it.", map[string]Child{"a": votes, "b": without, "c": without}, "b", true, false},
		"TwoWithEtcd":     {"One of two may leave.", map[string]Child{"a": votes, "b": votes, "c": without}, "a", true, false},
		"OneIsDown":       {"A server without etcd is no stand-in for a vote.", map[string]Child{"a": votes, "b": down, "c": votes, "d": without, "e": without}, "a", false, false},
		"NoMajorityAtAll": {"While a vote is missing, nobody leaves.", map[string]Child{"a": votes, "b": down, "c": without}, "c", false, false},
		"Outside":         {"Without etcd all servers count, as they did.", map[string]Child{"a": outside, "b": outside, "c": outside}, "a", true, false},
		"Alone":           {"A cluster of one.", map[string]Child{"a": votes}, "a", false, true},
	}

	for name, tc := range cases {
		c := Children(tc.children)

		if got := c.majority(tc.node); got != tc.majority {
			t.Errorf("%s: %s majority: got %v", name, tc.reason, got)
		}

		if got := c.onlyServer(Member{Node: tc.node, Role: v1alpha1.K3sServer}); got != tc.only {
			t.Errorf("%s: %s only server: got %v", name, tc.reason, got)
		}
	}
}
