package cluster

import (
	"strconv"
	"testing"
)

// BenchmarkDecide: a cluster at rest, beside docs/performance.md's goals of 3 ms for 5 nodes and 15 ms for 50.
func BenchmarkDecide(b *testing.B) {
	for _, agents := range []int64{2, 47} {
		b.Run(strconv.FormatInt(3+agents, 10), func(b *testing.B) {
			spec := claimed(3, agents)
			site := newSite()

			for range 40 {
				members, err := Members(identity, spec, false)
				if err != nil {
					b.Fatal(err)
				}

				site.apply(Decide(World{Members: members, Children: site.children(), Rollout: spec.Rollout}))
				site.turn()
			}

			for b.Loop() {
				members, err := Members(identity, spec, false)
				if err != nil {
					b.Fatal(err)
				}

				if p := Decide(World{Members: members, Children: site.children(), Rollout: spec.Rollout}); p.Done != len(members) {
					b.Fatalf("the cluster is not at rest: %s", p.Message)
				}
			}
		})
	}
}
