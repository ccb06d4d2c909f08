package rehearse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestElectorates: who votes with whom.
func TestElectorates(t *testing.T) {
	outside := strings.ReplaceAll(aServer(1, ", init: true"), "role: server,", `role: server, config: {datastore-endpoint: "https://db.home.arpa:2379"},`)

	cases := map[string]struct {
		reason, claim string
		want          []Etcd
	}{
		"Cluster":  {"The servers of a K3sCluster.", aCluster, []Etcd{{"K3sCluster infra-machines/home", 3, 3}}},
		"K3sNodes": {"Servers with claims of their own.", ownServers, []Etcd{{"K3sNodes of cluster home", 3, 3}}},
		"Beside": {
			"A server beside those of a K3sCluster.", serversBeside,
			[]Etcd{{"K3sCluster infra-machines/home", 4, 4}},
		},
		"Agent":   {"An agent has no vote.", aNode, nil},
		"Outside": {"A server whose datastore is elsewhere has none, either.", outside, nil},
		"Machine": {"Nor has a machine without K3s.", aMachine, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := playedTo(t, edited(t, tc.claim, nil), 1)

			if diff := cmp.Diff(tc.want, p.sight().etcd); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWithoutVM: a server whose VM is gone for a while is still a member, as its Node says.
func TestWithoutVM(t *testing.T) {
	p := playedTo(t, edited(t, ownServers, nil), 1)

	for name, o := range p.machineOf("server-2").Observed {
		if o["kind"] == "EnvironmentVM" {
			delete(p.machineOf("server-2").Observed, name)
		}
	}

	p.polls.enrol()

	if diff := cmp.Diff([]Etcd{{"K3sNodes of cluster home", 3, 3}}, p.sight().etcd); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
