package lifecycle

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

var me = machine.Identity{Kind: "Machine", Name: "dns01", Namespace: "infra", Composite: "dns01-x7f2k", UID: "3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a11"}

// named is the composed resource name of the VM that a trigger asks for.
func named(token string) string { return lineOf(me).NameFor(token) }

// made is a VM with these words that exists.
func made(tokens ...string) proxmox.ObservedVM {
	vm := proxmox.ObservedVM{}
	vm.Metadata.Annotations = map[string]string{}
	vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
	vm.Status.AtProvider.ID = "153"

	if len(tokens) > 0 {
		vm.Metadata.Annotations[proxmox.ReplaceTriggersAnnotation] = strings.Join(tokens, ",")
	}

	return vm
}

// candidate is a VM that was not ready yet.
func candidate(tokens ...string) proxmox.ObservedVM {
	vm := made(tokens...)
	vm.Metadata.Annotations[proxmox.CandidateAnnotation] = "true"

	return vm
}

// looking is a VM that the provider may only look at.
func looking(vm proxmox.ObservedVM) proxmox.ObservedVM {
	vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
	return vm
}

type vms = map[string]proxmox.ObservedVM

func TestAssignRoles(t *testing.T) {
	cases := map[string]struct {
		reason string
		vms    vms
		token  string
		want   Roles
	}{
		"Fresh": {
			reason: "A machine without any VM is its first one.",
			want:   Roles{Active: "vm"},
		},
		"TokenAtBirth": {
			reason: "There is nothing to replace, so the word is one that was followed.",
			token:  "a",
			want:   Roles{Active: "vm", Triggers: []string{"a"}},
		},
		"BornWithIt": {
			reason: "The word of the birth asks for nothing later.",
			vms:    vms{"vm": made("a")}, token: "a",
			want: Roles{Active: "vm", Triggers: []string{"a"}},
		},
		"NoToken": {
			reason: "A claim without a word asks for nothing.",
			vms:    vms{"vm": made()},
			want:   Roles{Active: "vm"},
		},
		"TokenLater": {
			reason: "A new word on a living VM asks for another VM.",
			vms:    vms{"vm": made()}, token: "a",
			want: Roles{Active: "vm", Candidate: named("a"), Trigger: "a", Triggers: []string{"a"}},
		},
		"TokenWhileLooking": {
			reason: "A VM whose number is only looked at is none yet.",
			vms:    vms{"vm": looking(made())}, token: "a",
			want: Roles{Active: "vm", Triggers: []string{"a"}},
		},
		"Begun": {
			reason: "The new VM is in the making.",
			vms:    vms{"vm": made(), named("a"): candidate("a")}, token: "a",
			want: Roles{Active: "vm", Candidate: named("a"), Begun: true, Trigger: "a", Triggers: []string{"a"}},
		},
		"OnlyLookedAt": {
			reason: "A look at the new VM's number is no beginning: what speaks against it still counts.",
			vms:    vms{"vm": made(), named("a"): looking(candidate("a"))}, token: "a",
			want: Roles{Active: "vm", Candidate: named("a"), Trigger: "a", Triggers: []string{"a"}},
		},
		"TakenBack": {
			reason: "Without its word the new VM goes, and the old one stays.",
			vms:    vms{"vm": made(), named("a"): candidate("a")},
			want:   Roles{Active: "vm", Retired: []string{named("a")}},
		},
		"AnotherWord": {
			reason: "Another word meanwhile: the VM of the first is in nobody's place.",
			vms:    vms{"vm": made(), named("a"): candidate("a")}, token: "b",
			want: Roles{Active: "vm", Candidate: named("b"), Trigger: "b", Triggers: []string{"b"}, Retired: []string{named("a")}},
		},
		"Promoted": {
			reason: "A VM that was ready has the place, and the one before it has lost it.",
			vms:    vms{"vm": made(), named("a"): made("a")}, token: "a",
			want: Roles{Active: named("a"), Triggers: []string{"a"}, Retired: []string{"vm"}},
		},
		"PromotedAndTakenBack": {
			reason: "To take the word out afterwards brings nothing back.",
			vms:    vms{"vm": made(), named("a"): made("a")},
			want:   Roles{Active: named("a"), Triggers: []string{"a"}, Retired: []string{"vm"}},
		},
		"Replaced": {
			reason: "The old one is gone.",
			vms:    vms{named("a"): made("a")}, token: "a",
			want: Roles{Active: named("a"), Triggers: []string{"a"}},
		},
		"SeenBefore": {
			reason: "A word of an earlier VM comes back with a revert in Git.",
			vms:    vms{named("b"): made("a", "b")}, token: "a",
			want: Roles{Active: named("b"), Triggers: []string{"a", "b"}},
		},
		"Third": {
			reason: "Words add up.",
			vms:    vms{named("b"): made("a", "b")}, token: "c",
			want: Roles{Active: named("b"), Candidate: named("c"), Trigger: "c", Triggers: []string{"a", "b", "c"}},
		},
		"ThreeAtOnce": {
			reason: "One goes slowly while the next is asked for: the latest is the machine.",
			vms:    vms{"vm": made(), named("a"): made("a"), named("b"): candidate("a", "b")}, token: "b",
			want: Roles{Active: named("a"), Candidate: named("b"), Begun: true, Trigger: "b", Triggers: []string{"a", "b"}, Retired: []string{"vm"}},
		},
		"OldIsGone": {
			reason: "Somebody deleted the old one: the new one has the place, ready or not.",
			vms:    vms{named("a"): candidate("a")}, token: "a",
			want: Roles{Active: named("a"), Triggers: []string{"a"}},
		},
		"OldIsGoneAndTakenBack": {
			reason: "It is all there is, so it stays, whatever the claim says.",
			vms:    vms{named("a"): candidate("a")},
			want:   Roles{Active: named("a"), Triggers: []string{"a"}},
		},
		"WordsLost": {
			reason: "Somebody took the annotations off both: nobody knows which is the machine, and none may go.",
			vms:    vms{"vm": made(), named("a"): made()}, token: "a",
			want: Roles{Active: "vm", Candidate: named("a"), Begun: true, Trigger: "a", Triggers: []string{"a"}, Unknown: []string{named("a")}},
		},
		"WordsOfTheOnlyOneLost": {
			reason: "Its name tells which word led to it, so that word asks for nothing.",
			vms:    vms{named("a"): made()}, token: "a",
			want: Roles{Active: named("a"), Triggers: []string{"a"}},
		},
		"WordsLostBesideTheOld": {
			reason: "Without its words it is not known to follow the old one, which stays, too.",
			vms:    vms{"vm": made("x"), named("a"): made()}, token: "a",
			want: Roles{Active: "vm", Candidate: named("a"), Begun: true, Trigger: "a", Triggers: []string{"x", "a"}, Unknown: []string{named("a")}},
		},
		"WordsLostWithout": {
			reason: "The same without a word in the claim.",
			vms:    vms{"vm": made(), named("a"): made()},
			want:   Roles{Active: "vm", Unknown: []string{named("a")}},
		},
		"OtherWords": {
			reason: "Two VMs with words that do not follow from each other: neither may go for the other.",
			vms:    vms{"vm": made("x"), named("b"): made("a", "b")}, token: "b",
			want: Roles{Active: named("b"), Triggers: []string{"a", "b"}, Unknown: []string{"vm"}},
		},
		"BorrowedWords": {
			reason: "The words of another VM on this one: nothing is known of it, so it stays.",
			vms:    vms{named("b"): made("a", "b"), named("z"): made("a")}, token: "b",
			want: Roles{Active: named("b"), Triggers: []string{"a", "b"}, Unknown: []string{named("z")}},
		},
		"Stranger": {
			reason: "A VM that another step of the pipeline composes is not the machine's.",
			vms:    vms{"vm": made(), "vm-other": made("a", "b", "c"), "database": made()},
			want:   Roles{Active: "vm", Unknown: []string{"vm-other", "database"}},
		},
		"OnlyStrangers": {
			reason: "The machine has none of its own yet.",
			vms:    vms{"database": made()}, token: "a",
			want: Roles{Active: "vm", Triggers: []string{"a"}, Unknown: []string{"database"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, AssignRoles(tc.vms, me, tc.token)); diff != "" {
				t.Errorf("%s\nAssignRoles(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNothingIsForgotten: every VM has a place in the incarnation, or it would be left out of what is rendered, and deleted.
func TestNothingIsForgotten(t *testing.T) {
	some := []proxmox.ObservedVM{made(), made("a"), made("a", "b"), candidate("a"), candidate("a", "b"), looking(candidate("a")), looking(made())}
	names := []string{"vm", named("a"), named("b"), "vm-other"}

	for n := range len(some) * len(some) * len(some) {
		for _, token := range []string{"", "a", "b", "c"} {
			all := vms{}
			for i, rest := 0, n; i < 3; i, rest = i+1, rest/len(some) {
				all[names[(i+n)%len(names)]] = some[rest%len(some)]
			}

			i := AssignRoles(all, me, token)
			for _, i := range []Roles{i, i.withoutCandidate(all)} {
				place := map[string]int{i.Active: 1}
				if i.Candidate != "" {
					place[i.Candidate]++
				}

				for _, name := range append(i.Retired, i.Unknown...) {
					place[name]++
				}

				for name := range all {
					// A candidate whose annotations were lost may be the one that is asked for and a stranger; it stays then.
					if place[name] == 0 {
						t.Errorf("%d, token %q: %s has no place in %+v", n, token, name, i)
					}
				}
			}
		}
	}
}

func TestWithoutCandidate(t *testing.T) {
	all := vms{"vm": made("x"), named("a"): looking(candidate("x", "a"))}

	want := Roles{Active: "vm", Trigger: "a", Triggers: []string{"x"}, Retired: []string{named("a")}}
	if diff := cmp.Diff(want, AssignRoles(all, me, "a").withoutCandidate(all)); diff != "" {
		t.Errorf("withoutCandidate(): -want, +got:\n%s", diff)
	}
}

func TestDescribedAndSalt(t *testing.T) {
	cases := map[string]struct {
		reason  string
		in      Roles
		subject string
		salt    string
	}{
		"First":   {reason: "The first VM's snippets are as they always were, also with a word at birth.", in: Roles{Active: "vm", Triggers: []string{"a"}}, subject: "vm"},
		"Next":    {reason: "The claim describes the new one.", in: Roles{Active: "vm", Candidate: "vm-1", Triggers: []string{"a"}}, subject: "vm-1", salt: "a"},
		"Later":   {reason: "The second VM keeps the salt that it was made with.", in: Roles{Active: "vm-1", Triggers: []string{"a"}}, subject: "vm-1", salt: "a"},
		"Third":   {reason: "The last word is the VM's own.", in: Roles{Active: "vm-2", Triggers: []string{"a", "b"}}, subject: "vm-2", salt: "b"},
		"NoWords": {reason: "Somebody took them off; nothing can be told.", in: Roles{Active: "vm-2"}, subject: "vm-2"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.in.Described(); got != tc.subject {
				t.Errorf("%s\nDescribed(): want %q, got %q", tc.reason, tc.subject, got)
			}

			if got := tc.in.SnippetSalt(); got != tc.salt {
				t.Errorf("%s\nSnippetSalt(): want %q, got %q", tc.reason, tc.salt, got)
			}
		})
	}
}

// TestNamesOfVMs: each word has its own, each machine has its own, and all are known again.
func TestNamesOfVMs(t *testing.T) {
	seen := map[string]string{}

	for i := range 100 {
		token := strconv.Itoa(i)
		name := lineOf(me).NameFor(token)

		if other, ok := seen[name]; ok {
			t.Errorf("words %s and %s name the same VM", other, token)
		}

		seen[name] = token

		if !lineOf(me).Names(name) {
			t.Errorf("%s is not known for a VM of the machine", name)
		}
	}

	other := me
	other.UID = "another"

	if lineOf(me).NameFor("a") == lineOf(other).NameFor("a") {
		t.Error("two machines have one name for their VMs")
	}
}
