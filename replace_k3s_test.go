package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// servers of one K3s cluster that run, three at most.
func servers(t *testing.T, n int, edits ...string) []*lab {
	t.Helper()

	var out []*lab

	for i := range n {
		w := story(t, fmt.Sprintf("k3s-cluster/server-%d", i+1))
		for _, e := range edits {
			merge(specOf(w), fromYAML(t, e))
		}

		if specOf(w)["image"] != nil {
			w.catalog = object(runtimeCopy(w.catalog))
			delete(object(object(object(w.catalog["data"])["sites"])["home"]), "vmIds")
		}

		if i == 0 {
			out = append(out, newLab(t, w))
		} else {
			out = append(out, out[0].beside(w))
		}
	}

	out[0].rest()
	out[0].pve.done = nil

	return out
}

// number of a machine's VM.
func (l *lab) number() int { return int(statusOf(l.call())["vmId"].(float64)) }

// watch that a cluster keeps so many of its first servers running, after every turn of anybody.
func watch(t *testing.T, p *pve, least int) func() {
	t.Helper()

	return func() {
		running := 0

		for _, g := range p.vms {
			if g.running != nil && g.owner != "" {
				running++
			}
		}

		if running < least {
			t.Fatalf("%d servers run, which is no quorum; done: %v", running, p.done)
		}
	}
}

// TestAServerThatItsClusterNeeds is not replaced, and nothing is done for it, until the cluster can do without.
func TestAServerThatItsClusterNeeds(t *testing.T) {
	cases := map[string]struct {
		reason string
		count  int
		before func(all []*lab)
		says   string
		mend   func(all []*lab)
	}{
		"TheOnlyOne": {reason: "Its state would be lost with it.", count: 1, says: "the only server of K3s cluster home"},
		"OneOfTwo":   {reason: "An etcd of two stands still without one.", count: 2, says: "1 of the 2"},
		"OneIsStopped": {
			reason: "Two of three are a quorum, one is none.", count: 3, says: "1 of the 2",
			before: func(all []*lab) { specOf(all[2].world)["power"] = "Stopped" },
			mend:   func(all []*lab) { specOf(all[2].world)["power"] = "Running" },
		},
		"OneFails": {
			reason: "Nobody knows how it is with a server that the provider cannot read.", count: 3, says: "1 of the 2",
			before: func(all []*lab) { all[2].fails["vm"] = "observe failed: cannot run refresh: refresh failed: " },
			mend:   func(all []*lab) { delete(all[2].fails, "vm") },
		},
		"NoCluster": {
			reason: "Nobody can count the servers of a cluster without a name.", count: 3, says: "name the cluster",
			before: func(all []*lab) {
				k3s := object(specOf(all[0].world)["k3s"])
				delete(k3s, "cluster")
				k3s["server"], k3s["version"] = "https://k3s.home.arpa:6443", "v1.33.6+k3s1"
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := servers(t, tc.count)
			l := all[0]

			if tc.before != nil {
				tc.before(all)
				l.rest()
				l.pve.done = nil
			}

			settled := l.turn()
			l.replace("a")

			blocked := l.rest()
			l.only(settled, blocked, nil)
			l.did()
			l.says(blocked, map[string]string{"ReplacementRequired": "ReplacementBlocked", "MachineReady": "Running", "SpecValid": "Valid"})

			if m := messageOf(blocked, "ReplacementRequired"); !strings.Contains(m, tc.says) {
				t.Errorf("%s\nthe message does not say %q: %s", tc.reason, tc.says, m)
			}

			if tc.mend == nil {
				return
			}

			tc.mend(all)
			l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
		})
	}
}

// TestAServerOfThree is replaced: stopped first, since the new one takes its name and its address.
func TestAServerOfThree(t *testing.T) {
	for policy, goes := range map[string]string{"Delete": "destroy", "Orphan": "let go of"} {
		t.Run(policy, func(t *testing.T) {
			all := servers(t, 3, "deletionPolicy: "+policy)
			l := all[1]
			old := l.number()
			l.replace("a")

			check := watch(t, l.pve, 2)
			for range 10 {
				for _, other := range all {
					other.turn()
					check()
				}
			}

			next := l.number()
			l.did(fmt.Sprintf("change onBoot of %d", old), fmt.Sprintf("stop %d", old), fmt.Sprintf("make %d", next), fmt.Sprintf("%s %d", goes, old))
			l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
		})
	}
}

// TestServersInOneCommit: all claims get the same word at once. However their calls fall, no two servers are ever gone at
// the same time.
func TestServersInOneCommit(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			edits := []string{"deletionPolicy: Delete"}
			if seed%2 == 1 {
				// Nothing has to be got ready, so that a server could be stopped by the first call.
				edits = append(edits, "bootstrap: {snippets: {userData: 'local:snippets/x.yaml'}}", "image: 'local:import/x.qcow2'")
			}

			all := servers(t, 3, edits...)
			random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // A shuffle that can be repeated.

			for _, l := range all {
				l.replace("a")
			}

			check := watch(t, all[0].pve, 2)

			for range 15 {
				random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

				// Some are called before others are applied, and the provider works when it likes.
				switch random.IntN(3) {
				case 0:
					var after []func()

					for _, l := range all {
						rsp := l.call()
						after = append(after, func() { l.obey(rsp); check() })
					}

					for _, f := range after {
						f()
					}
				case 1:
					for _, l := range all[:2] {
						l.turn()
						check()
					}
				default:
					for _, l := range all {
						l.obey(l.call())
						check()
					}
				}

				for _, l := range all {
					if random.IntN(2) == 0 {
						l.work()
						check()
					}
				}
			}

			all[0].rest()
			check()

			// At least one of them got its new VM; the others say what they wait for.
			if all[0].happened("make") < 0 || all[0].happened("destroy") < 0 {
				t.Errorf("none was replaced; done: %v", all[0].pve.done)
			}
		})
	}
}

// TestOneAfterAnother: each server gets a word of its own when the one before it has joined, and all are new in the end.
func TestOneAfterAnother(t *testing.T) {
	all := servers(t, 3, "deletionPolicy: Delete")
	check := watch(t, all[0].pve, 2)

	for i, l := range all {
		l.replace(fmt.Sprintf("word-%d", i))

		for range 10 {
			for _, other := range all {
				other.turn()
				check()
			}
		}

		l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
	}

	makes := slices.DeleteFunc(slices.Clone(all[0].pve.done), func(d string) bool { return !strings.HasPrefix(d, "make") })
	if len(makes) != 3 {
		t.Errorf("done: %v", all[0].pve.done)
	}
}

// TestQuorumIsLostMeanwhile: another server goes down after the replacement was asked for and before the old VM is stopped.
func TestQuorumIsLostMeanwhile(t *testing.T) {
	for turns := range 6 {
		t.Run(fmt.Sprint(turns), func(t *testing.T) {
			all := servers(t, 3)
			l, old := all[1], all[1].number()
			l.replace("a")

			for range turns {
				l.turn()
			}

			begun := l.happened("make") >= 0
			stopped := l.happened(fmt.Sprintf("stop %d", old)) >= 0

			// Somebody shuts the third one down.
			specOf(all[2].world)["power"] = "Stopped"
			all[2].turn()
			all[2].turn()

			last := l.rest()
			if begun {
				// The new one is on its way already; it comes.
				l.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
				return
			}

			// An old one that was stopped for it starts again.
			l.says(last, map[string]string{"ReplacementRequired": "ReplacementBlocked", "MachineReady": "Running"})

			if was := l.happened(fmt.Sprintf("stop %d", old)) >= 0; was != stopped || l.pve.vms[old].running == nil {
				t.Errorf("the last server but one is stopped, or was: %v", l.pve.done)
			}

			if l.happened("make") >= 0 {
				t.Errorf("a VM was made for nothing: %v", l.pve.done)
			}
		})
	}
}

// TestAnAgentIsNoServer: nobody has to ask for quorum.
func TestAnAgentIsNoServer(t *testing.T) {
	l, _ := living1(t, "k3s-cluster/agent-1")
	l.replace("a")

	if asked := l.call().GetRequirements().GetResources(); asked[serversRequirement] != nil {
		t.Errorf("an agent asks for %v", asked[serversRequirement])
	}

	l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
}
