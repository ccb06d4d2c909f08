package world

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCount: what a call took is told from what something else took, and from what no call can know of yet.
func TestCount(t *testing.T) {
	three := []string{"a", "b", "c"}

	cases := map[string]struct {
		reason   string
		members  []string
		had      []string // Before the call.
		lost     []string // What something else took before it.
		has      []string // After the call.
		unseen   []string
		want     Count
		majority bool
		takes    bool
	}{
		"All": {"Nothing happens.", three, three, nil, three, nil, Count{Members: 3, Votes: 3}, true, false},
		"One": {
			"Two of three go on.", three, three, nil,
			[]string{"a", "b"},
			nil,
			Count{Members: 3, Votes: 2, Ours: []string{"c"}, Taken: []string{"c"}},
			true, false,
		},
		"Two": {
			"One of three is no majority.", three, three, nil,
			[]string{"a"},
			nil,
			Count{Members: 3, Votes: 1, Ours: []string{"b", "c"}, Taken: []string{"b", "c"}},
			false, true,
		},
		"Second": {
			"One was away already, and nobody but a call took it.", three,
			[]string{"a", "b"},
			nil,
			[]string{"a"},
			nil,
			Count{Members: 3, Votes: 1, Ours: []string{"b", "c"}, Taken: []string{"b"}},
			false, true,
		},
		"BesideALoss": {
			"What something else took counts, and is nobody's doing.", three, three,
			[]string{"b"},
			[]string{"a"},
			nil,
			Count{Members: 3, Votes: 1, Ours: []string{"c"}, Taken: []string{"c"}},
			false, true,
		},
		"Unseen": {
			"No call knows yet that b is away, and so c may go.", three, three,
			[]string{"b"},
			[]string{"a"},
			[]string{"b"},
			Count{Members: 3, Votes: 1, Unseen: 1, Ours: []string{"c"}, Taken: []string{"c"}},
			true, false,
		},
		"OnlyLost": {"No call took anything.", three, three, []string{"b", "c"}, []string{"a"}, nil, Count{Members: 3, Votes: 1}, false, false},
		"Joins":    {"A server that has never had a vote is taken from nobody.", []string{"a", "b"}, []string{"a"}, nil, []string{"a"}, nil, Count{Members: 2, Votes: 1, Ours: []string{"b"}}, false, false},
		"Alone": {
			"An only server has no others.",
			[]string{"a"},
			[]string{"a"},
			nil, nil, nil,
			Count{Members: 1, Ours: []string{"a"}, Taken: []string{"a"}},
			false, false,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := func(all []string) func(string) bool {
				return func(server string) bool { return slices.Contains(all, server) }
			}

			v := NewVotes()
			v.Note(tc.members, in(tc.had))
			v.Lose(tc.lost, func(string) bool { return false }, 1)

			got := v.Count(tc.members, in(tc.has), in(tc.unseen))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if got.HasMajority() != tc.majority || got.TakesMajority() != tc.takes {
				t.Errorf("%s A majority: %t, want %t. It was taken: %t, want %t", tc.reason, got.HasMajority(), tc.majority, got.TakesMajority(), tc.takes)
			}

			if diff := cmp.Diff(tc.has, v.Voters()); diff != "" && len(tc.has) > 0 {
				t.Errorf("%s Who has a vote afterwards: -want, +got:\n%s", tc.reason, diff)
			}

			// What is back is lost no more.
			v.Count(tc.members, in(tc.members), in(nil))

			for _, server := range tc.members {
				if round, lost := v.LostIn(server); lost {
					t.Errorf("%s %s is back, and is lost since round %d", tc.reason, server, round)
				}
			}
		})
	}
}
