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

// word is the composed resource name of the VM that a word asks for.
func word(token string) string { return nameFor(me, token) }

// made is a VM with these words that exists.
func made(tokens ...string) proxmox.ObservedVM {
	vm := proxmox.ObservedVM{}
	vm.Metadata.Annotations = map[string]string{}
	vm.Spec.ManagementPolicies = proxmox.Policies(true)
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

func TestIncarnate(t *testing.T) {
	cases := map[string]struct {
		reason string
		vms    vms
		token  string
		want   Incarnation
	}{
		"Fresh": {
			reason: "A machine without any VM is its first one.",
			want:   Incarnation{Current: "vm"},
		},
		"TokenAtBirth": {
			reason: "There is nothing to replace, so the word is one that was followed.",
			token:  "a",
			want:   Incarnation{Current: "vm", Tokens: []string{"a"}},
		},
		"BornWithIt": {
			reason: "The word of the birth asks for nothing later.",
			vms:    vms{"vm": made("a")}, token: "a",
			want: Incarnation{Current: "vm", Tokens: []string{"a"}},
		},
		"NoToken": {
			reason: "A claim without a word asks for nothing.",
			vms:    vms{"vm": made()},
			want:   Incarnation{Current: "vm"},
		},
		"TokenLater": {
			reason: "A new word on a living VM asks for another VM.",
			vms:    vms{"vm": made()}, token: "a",
			want: Incarnation{Current: "vm", Next: word("a"), Token: "a", Tokens: []string{"a"}},
		},
		"TokenWhileLooking": {
			reason: "A VM whose number is only looked at is none yet.",
			vms:    vms{"vm": looking(made())}, token: "a",
			want: Incarnation{Current: "vm", Tokens: []string{"a"}},
		},
		"Begun": {
			reason: "The new VM is in the making.",
			vms:    vms{"vm": made(), word("a"): candidate("a")}, token: "a",
			want: Incarnation{Current: "vm", Next: word("a"), Begun: true, Token: "a", Tokens: []string{"a"}},
		},
		"OnlyLookedAt": {
			reason: "A look at the new VM's number is no beginning: what speaks against it still counts.",
			vms:    vms{"vm": made(), word("a"): looking(candidate("a"))}, token: "a",
			want: Incarnation{Current: "vm", Next: word("a"), Token: "a", Tokens: []string{"a"}},
		},
		"TakenBack": {
			reason: "Without its word the new VM goes, and the old one stays.",
			vms:    vms{"vm": made(), word("a"): candidate("a")},
			want:   Incarnation{Current: "vm", Former: []string{word("a")}},
		},
		"AnotherWord": {
			reason: "Another word meanwhile: the VM of the first is in nobody's place.",
			vms:    vms{"vm": made(), word("a"): candidate("a")}, token: "b",
			want: Incarnation{Current: "vm", Next: word("b"), Token: "b", Tokens: []string{"b"}, Former: []string{word("a")}},
		},
		"Promoted": {
			reason: "A VM that was ready has the place, and the one before it has lost it.",
			vms:    vms{"vm": made(), word("a"): made("a")}, token: "a",
			want: Incarnation{Current: word("a"), Tokens: []string{"a"}, Former: []string{"vm"}},
		},
		"PromotedAndTakenBack": {
			reason: "To take the word out afterwards brings nothing back.",
			vms:    vms{"vm": made(), word("a"): made("a")},
			want:   Incarnation{Current: word("a"), Tokens: []string{"a"}, Former: []string{"vm"}},
		},
		"Replaced": {
			reason: "The old one is gone.",
			vms:    vms{word("a"): made("a")}, token: "a",
			want: Incarnation{Current: word("a"), Tokens: []string{"a"}},
		},
		"SeenBefore": {
			reason: "A word of an earlier VM comes back with a revert in Git.",
			vms:    vms{word("b"): made("a", "b")}, token: "a",
			want: Incarnation{Current: word("b"), Tokens: []string{"a", "b"}},
		},
		"Third": {
			reason: "Words add up.",
			vms:    vms{word("b"): made("a", "b")}, token: "c",
			want: Incarnation{Current: word("b"), Next: word("c"), Token: "c", Tokens: []string{"a", "b", "c"}},
		},
		"ThreeAtOnce": {
			reason: "One goes slowly while the next is asked for: the latest is the machine.",
			vms:    vms{"vm": made(), word("a"): made("a"), word("b"): candidate("a", "b")}, token: "b",
			want: Incarnation{Current: word("a"), Next: word("b"), Begun: true, Token: "b", Tokens: []string{"a", "b"}, Former: []string{"vm"}},
		},
		"OldIsGone": {
			reason: "Somebody deleted the old one: the new one has the place, ready or not.",
			vms:    vms{word("a"): candidate("a")}, token: "a",
			want: Incarnation{Current: word("a"), Tokens: []string{"a"}},
		},
		"OldIsGoneAndTakenBack": {
			reason: "It is all there is, so it stays, whatever the claim says.",
			vms:    vms{word("a"): candidate("a")},
			want:   Incarnation{Current: word("a"), Tokens: []string{"a"}},
		},
		"WordsLost": {
			reason: "Somebody took the annotations off both: nobody knows which is the machine, and none may go.",
			vms:    vms{"vm": made(), word("a"): made()}, token: "a",
			want: Incarnation{Current: "vm", Next: word("a"), Begun: true, Token: "a", Tokens: []string{"a"}, Strangers: []string{word("a")}},
		},
		"WordsOfTheOnlyOneLost": {
			reason: "Its name tells which word led to it, so that word asks for nothing.",
			vms:    vms{word("a"): made()}, token: "a",
			want: Incarnation{Current: word("a"), Tokens: []string{"a"}},
		},
		"WordsLostBesideTheOld": {
			reason: "Without its words it is not known to follow the old one, which stays, too.",
			vms:    vms{"vm": made("x"), word("a"): made()}, token: "a",
			want: Incarnation{Current: "vm", Next: word("a"), Begun: true, Token: "a", Tokens: []string{"x", "a"}, Strangers: []string{word("a")}},
		},
		"WordsLostWithout": {
			reason: "The same without a word in the claim.",
			vms:    vms{"vm": made(), word("a"): made()},
			want:   Incarnation{Current: "vm", Strangers: []string{word("a")}},
		},
		"OtherWords": {
			reason: "Two VMs with words that do not follow from each other: neither may go for the other.",
			vms:    vms{"vm": made("x"), word("b"): made("a", "b")}, token: "b",
			want: Incarnation{Current: word("b"), Tokens: []string{"a", "b"}, Strangers: []string{"vm"}},
		},
		"BorrowedWords": {
			reason: "The words of another VM on this one: nothing is known of it, so it stays.",
			vms:    vms{word("b"): made("a", "b"), word("z"): made("a")}, token: "b",
			want: Incarnation{Current: word("b"), Tokens: []string{"a", "b"}, Strangers: []string{word("z")}},
		},
		"Stranger": {
			reason: "A VM that another step of the pipeline composes is not the machine's.",
			vms:    vms{"vm": made(), "vm-other": made("a", "b", "c"), "database": made()},
			want:   Incarnation{Current: "vm", Strangers: []string{"vm-other", "database"}},
		},
		"OnlyStrangers": {
			reason: "The machine has none of its own yet.",
			vms:    vms{"database": made()}, token: "a",
			want: Incarnation{Current: "vm", Tokens: []string{"a"}, Strangers: []string{"database"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Incarnate(tc.vms, me, tc.token)); diff != "" {
				t.Errorf("%s\nIncarnate(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNothingIsForgotten: every VM has a place in the incarnation, or it would be left out of what is rendered, and deleted.
func TestNothingIsForgotten(t *testing.T) {
	some := []proxmox.ObservedVM{made(), made("a"), made("a", "b"), candidate("a"), candidate("a", "b"), looking(candidate("a")), looking(made())}
	names := []string{"vm", word("a"), word("b"), "vm-other"}

	for n := range len(some) * len(some) * len(some) {
		for _, token := range []string{"", "a", "b", "c"} {
			all := vms{}
			for i, rest := 0, n; i < 3; i, rest = i+1, rest/len(some) {
				all[names[(i+n)%len(names)]] = some[rest%len(some)]
			}

			i := Incarnate(all, me, token)
			for _, i := range []Incarnation{i, i.Refuse(all)} {
				place := map[string]int{i.Current: 1}
				if i.Next != "" {
					place[i.Next]++
				}

				for _, name := range append(i.Former, i.Strangers...) {
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

func TestRefuse(t *testing.T) {
	all := vms{"vm": made("x"), word("a"): looking(candidate("x", "a"))}

	want := Incarnation{Current: "vm", Token: "a", Tokens: []string{"x"}, Former: []string{word("a")}}
	if diff := cmp.Diff(want, Incarnate(all, me, "a").Refuse(all)); diff != "" {
		t.Errorf("Refuse(): -want, +got:\n%s", diff)
	}
}

func TestSubjectAndSalt(t *testing.T) {
	cases := map[string]struct {
		reason  string
		in      Incarnation
		subject string
		salt    string
	}{
		"First":   {reason: "The first VM's snippets are as they always were, also with a word at birth.", in: Incarnation{Current: "vm", Tokens: []string{"a"}}, subject: "vm"},
		"Next":    {reason: "The claim describes the new one.", in: Incarnation{Current: "vm", Next: "vm-1", Tokens: []string{"a"}}, subject: "vm-1", salt: "a"},
		"Later":   {reason: "The second VM keeps the salt that it was made with.", in: Incarnation{Current: "vm-1", Tokens: []string{"a"}}, subject: "vm-1", salt: "a"},
		"Third":   {reason: "The last word is the VM's own.", in: Incarnation{Current: "vm-2", Tokens: []string{"a", "b"}}, subject: "vm-2", salt: "b"},
		"NoWords": {reason: "Somebody took them off; nothing can be told.", in: Incarnation{Current: "vm-2"}, subject: "vm-2"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.in.Subject(); got != tc.subject {
				t.Errorf("%s\nSubject(): want %q, got %q", tc.reason, tc.subject, got)
			}

			if got := tc.in.Salt(); got != tc.salt {
				t.Errorf("%s\nSalt(): want %q, got %q", tc.reason, tc.salt, got)
			}
		})
	}
}

// TestNamesOfVMs: each word has its own, each machine has its own, and all are known again.
func TestNamesOfVMs(t *testing.T) {
	seen := map[string]string{}

	for i := range 100 {
		token := strconv.Itoa(i)
		name := nameFor(me, token)

		if other, ok := seen[name]; ok {
			t.Errorf("words %s and %s name the same VM", other, token)
		}

		seen[name] = token

		if !laterVM.MatchString(name) {
			t.Errorf("%s is not known for a VM of the machine", name)
		}
	}

	other := me
	other.UID = "another"

	if nameFor(me, "a") == nameFor(other, "a") {
		t.Error("two machines have one name for their VMs")
	}
}
