package lifecycle

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestJudge: servers of one cluster announce what they are about to do, and give way to each other.
func TestJudge(t *testing.T) {
	born := func(vm proxmox.ObservedVM, at string) proxmox.ObservedVM {
		vm.Metadata.Name, vm.Metadata.CreationTimestamp = vm.Metadata.Labels[proxmox.CompositeLabel], at
		return vm
	}
	me := func() proxmox.ObservedVM { return born(server("me"), "2026-01-01T00:00:05Z") }
	announced := func(vm proxmox.ObservedVM, word string) proxmox.ObservedVM {
		return annotated(vm, proxmox.ReplacingAnnotation, word)
	}

	type want struct {
		blocked        string // A part of the answer; empty: not blocked.
		announce, hold bool
	}

	cases := map[string]struct {
		reason   string
		current  proxmox.ObservedVM
		agent    bool
		siblings []proxmox.ObservedVM
		want     want
	}{
		"Agent": {reason: "Only servers have to ask.", current: me(), agent: true},
		"First": {
			reason: "Others have to know first.", current: me(), siblings: []proxmox.ObservedVM{server("b"), server("c")}, want: want{announce: true, hold: true},
		},
		"Announced": {
			reason: "They could have known since the call before.", current: announced(me(), "a"), siblings: []proxmox.ObservedVM{server("b"), server("c")},
			want: want{announce: true},
		},
		"AnnouncedForAnother": {
			reason: "That was another word, which came to nothing.", current: announced(me(), "z"), siblings: []proxmox.ObservedVM{server("b"), server("c")},
			want: want{announce: true, hold: true},
		},
		"OlderOneToo": {
			reason: "The older one goes first, and this one takes back what it announced.", current: announced(me(), "a"),
			siblings: []proxmox.ObservedVM{announced(born(server("b"), "2026-01-01T00:00:04Z"), "a"), server("c")}, want: want{blocked: "is being replaced"},
		},
		"YoungerOneToo": {
			reason: "The younger one takes it back; until it did, nothing is done.", current: announced(me(), "a"),
			siblings: []proxmox.ObservedVM{announced(born(server("b"), "2026-01-01T00:00:06Z"), "a"), server("c")}, want: want{announce: true, hold: true},
		},
		"AtTheSameTime": {
			reason: "Names decide where times do not.", current: announced(me(), "a"),
			siblings: []proxmox.ObservedVM{announced(born(server("a"), "2026-01-01T00:00:05Z"), "a"), server("c")}, want: want{blocked: "is being replaced"},
		},
		"SameWordDone": {
			reason: "One commit gave all the same word; the first one has its VM, and nobody knows whether that has joined.", current: me(),
			siblings: []proxmox.ObservedVM{annotated(server("b"), proxmox.ReplaceTriggersAnnotation, "x,a"), server("c")}, want: want{blocked: "choose another word"},
		},
		"OtherWordDone": {
			reason: "That was another time.", current: announced(me(), "a"),
			siblings: []proxmox.ObservedVM{annotated(server("b"), proxmox.ReplaceTriggersAnnotation, "x"), server("c")}, want: want{announce: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Judge(tc.current, Facts{Token: "a", Server: !tc.agent, Cluster: "home", Siblings: tc.siblings})

			if (got.Blocked == "") != (tc.want.blocked == "") || !strings.Contains(got.Blocked, tc.want.blocked) {
				t.Errorf("%s\nJudge() blocked: want %q, got %q", tc.reason, tc.want.blocked, got.Blocked)
			}

			if got.Announce != tc.want.announce || got.Hold != tc.want.hold {
				t.Errorf("%s\nJudge(): want announce %t and hold %t, got %t and %t", tc.reason, tc.want.announce, tc.want.hold, got.Announce, got.Hold)
			}
		})
	}
}

// TestNoTwoServersGoAtOnce: of any two servers that announced, and see each other's announcement, at most one goes on.
func TestNoTwoServersGoAtOnce(t *testing.T) {
	times := []string{"2026-01-01T00:00:04Z", "2026-01-01T00:00:05Z"}

	for _, born := range times {
		for _, other := range times {
			a, b := annotated(server("a"), proxmox.ReplacingAnnotation, "w"), annotated(server("b"), proxmox.ReplacingAnnotation, "w")
			a.Metadata.Name, a.Metadata.CreationTimestamp = "a", born
			b.Metadata.Name, b.Metadata.CreationTimestamp = "b", other

			va := Judge(a, Facts{Token: "w", Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{b, server("c")}})
			vb := Judge(b, Facts{Token: "w", Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{a, server("c")}})

			if goesOn(va) || goesOn(vb) || va.Blocked == "" && vb.Blocked == "" || va.Blocked != "" && vb.Blocked != "" {
				t.Errorf("%s, %s: %+v and %+v", born, other, va, vb)
			}
		}
	}
}

func goesOn(v Verdict) bool { return v.Blocked == "" && !v.Hold }
