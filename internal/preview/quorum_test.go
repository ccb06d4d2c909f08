package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCountServers: a plan that deletes the claims of servers says what remains of their cluster.
func TestCountServers(t *testing.T) {
	server := func(name, config string) string {
		return "{apiVersion: homelab.io/v1alpha1, kind: K3sNode, metadata: {name: " + name + ", namespace: infra}, spec: {k3s: {cluster: home, role: server" + config + "}}}"
	}
	agent := "{apiVersion: homelab.io/v1alpha1, kind: K3sNode, metadata: {name: agent, namespace: infra}, spec: {k3s: {cluster: home, role: agent}}}"
	other := "{apiVersion: homelab.io/v1alpha1, kind: K3sNode, metadata: {name: other, namespace: infra}, spec: {k3s: {clusterName: lab, role: server}}}"

	cases := map[string]struct {
		reason   string
		existing []string
		deleted  []string // By name.
		want     string   // A part of the note; empty: nothing is said.
	}{
		"OneOfThree":   {reason: "Two of three have quorum.", existing: []string{server("a", ""), server("b", ""), server("c", "")}, deleted: []string{"a"}},
		"TwoOfThree":   {reason: "One of three has none.", existing: []string{server("a", ""), server("b", ""), server("c", "")}, deleted: []string{"a", "b"}, want: "deletes 2 of 3 servers of K3s cluster home in one commit: 1 left, and etcd needs 2"},
		"All":          {reason: "Nothing remains.", existing: []string{server("a", ""), agent}, deleted: []string{"a", "agent"}, want: "deletes all 1 servers of K3s cluster home"},
		"Agent":        {reason: "An agent has no vote.", existing: []string{server("a", ""), agent}, deleted: []string{"agent"}},
		"WithoutEtcd":  {reason: "Neither has a server without etcd.", existing: []string{server("a", ""), server("b", ", config: {disable-etcd: true}")}, deleted: []string{"b"}},
		"OtherCluster": {reason: "Each cluster by itself.", existing: []string{server("a", ""), other}, deleted: []string{"other"}, want: "deletes all 1 servers of K3s cluster lab."},
	}

	configuration, err := Load(FlavourNamespaced)
	if err != nil {
		t.Fatal(err)
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var (
				p        Plan
				existing []Story
			)

			for _, text := range tc.existing {
				o := object(t, text)
				existing = append(existing, Story{Claim: Claim{Object: o}, Given: true})

				m := MachinePlan{State: StateKept}
				m.Kind, m.Namespace, m.Name = configuration.identity(o)

				for _, d := range tc.deleted {
					if m.Name == d {
						m.State, m.Effects = StateGone, []Effect{EffectDestroy}
					}
				}

				p.Machines = append(p.Machines, m)
			}

			Renderer{Configuration: configuration}.CountServers(&p, existing)

			var notes []string
			for _, m := range p.Machines {
				notes = append(notes, m.Notes...)
			}

			if got := strings.Join(notes, "\n"); !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}

			if diff := cmp.Diff(tc.want != "", p.Has(EffectQuorum)); diff != "" {
				t.Errorf("%s\nquorum: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
