package world

import "testing"

// TestKeepsMember: etcd lets no member go that the others could not bear.
func TestKeepsMember(t *testing.T) {
	const works, down, agent = "works", "down", "agent"

	cases := map[string]struct {
		reason string
		is     string   // The member that is to go.
		others []string // Nodes beside it.
		want   bool
	}{
		"Three":       {"Two of two go on.", works, []string{works, works}, false},
		"BesideDown":  {"One of two is no majority.", works, []string{works, down}, true},
		"Down":        {"It is no part of the majority.", down, []string{works, works}, false},
		"TwoDown":     {"Without a majority nothing is written.", down, []string{works, down}, true},
		"Two":         {"One of one is a majority.", works, []string{works}, false},
		"DownOfTwo":   {"One of two writes nothing.", down, []string{works}, true},
		"Last":        {"The state would be gone.", works, nil, true},
		"LastServer":  {"Agents have no member.", works, []string{agent, agent}, true},
		"FiveAndTwo":  {"Two of four are no majority.", works, []string{works, works, down, down}, true},
		"FiveAndOne":  {"Three of four are one.", works, []string{works, works, works, down}, false},
		"DownOfFive":  {"Three of five write that it goes.", down, []string{works, works, works, down}, false},
		"ThreeOfFive": {"Two of five write nothing.", down, []string{works, works, down, down}, true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &Cluster{T: t}

			for i, is := range append([]string{tc.is}, tc.others...) {
				labels, voter := map[string]any{"node-role.kubernetes.io/etcd": "true"}, "True"

				switch is {
				case down:
					voter = "False"
				case agent:
					labels = nil
				}

				c.AddNode(string(rune('a'+i)), map[string]any{
					"metadata": map[string]any{"labels": labels}, "status": map[string]any{"conditions": []any{map[string]any{"type": "EtcdIsVoter", "status": voter}}},
				})
			}

			if got := keepsMember(c, "a", func(node string) bool { return memberWorks(c, node) }); got != tc.want {
				t.Errorf("%s\nkeepsMember(): got %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
