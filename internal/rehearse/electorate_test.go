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

// TestWorse: of two moments the worse one is that with fewer votes to spare, and then that of which a person is told.
func TestWorse(t *testing.T) {
	for reason, tc := range map[string]struct {
		is, than Etcd
		want     bool
	}{
		"One of three is away.":                         {Etcd{Members: 3, Votes: 2}, Etcd{Members: 3, Votes: 3}, true},
		"Three are no worse.":                           {Etcd{Members: 3, Votes: 3}, Etcd{Members: 3, Votes: 2}, false},
		"Two have none to spare, either of which goes.": {Etcd{Members: 2, Votes: 2}, Etcd{Members: 1, Votes: 1}, true},
		"Of three one is away.":                         {Etcd{Members: 3, Votes: 2}, Etcd{Members: 1, Votes: 1}, true},
		"Which a person hears before two.":              {Etcd{Members: 3, Votes: 2}, Etcd{Members: 2, Votes: 2}, true},
		"Twice the same.":                               {Etcd{Members: 2, Votes: 2}, Etcd{Members: 2, Votes: 2}, false},
		"No majority.":                                  {Etcd{Members: 3, Votes: 1}, Etcd{Members: 2, Votes: 2}, true},
	} {
		if got := tc.is.isWorse(tc.than); got != tc.want {
			t.Errorf("%s got %t", reason, got)
		}
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
