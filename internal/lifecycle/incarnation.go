package lifecycle

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// FirstVM is the composed resource name of a machine's first VM. One that took the place of another has a hash of the word
// that asked for it behind it.
const FirstVM = "vm"

// laterVM is the composed resource name of a VM that took the place of another.
var laterVM = regexp.MustCompile("^" + FirstVM + "-[0-9a-f]{10}$")

// An Incarnation says which VMs of a machine there are, by composed resource name, and what each is for.
type Incarnation struct {
	// Current is the VM that the machine is. It need not exist yet.
	Current string
	// Next is the VM that takes its place; empty where none does.
	Next string
	// Begun says whether Next is made already. What spoke against beginning counts no more.
	Begun bool
	// Tokens are the words that led to the VM that the claim describes, for its annotation.
	Tokens []string
	// Token is the word that asks for a replacement, also where that is refused; empty where none asks.
	Token string
	// Former are VMs whose place was taken, and VMs that are to take no place any more.
	Former []string
	// Strangers are VMs of which nobody can tell what they are for. They stay as they are.
	Strangers []string
}

// Subject is the VM that the claim describes.
func (i Incarnation) Subject() string { return cmp.Or(i.Next, i.Current) }

// Salt sets the snippets of a VM apart from those of the VMs before it; empty for the first.
func (i Incarnation) Salt() string {
	if i.Subject() == FirstVM || len(i.Tokens) == 0 {
		return ""
	}

	return i.Tokens[len(i.Tokens)-1]
}

// Incarnate sorts the observed VMs of a machine. token is the claim's word.
//
// A word that led to the current VM, or was used before it, asks for nothing, and neither does none: to take a word out of
// a claim, or to go back in Git, must not replace a machine.
func Incarnate(vms map[string]proxmox.ObservedVM, id machine.Identity, token string) Incarnation {
	candidates, others, strangers := sorted(vms)

	// The one that was to be replaced is gone, so the one that was to take its place has it.
	if len(others) == 0 {
		others, candidates = candidates, nil
	}

	if len(others) == 0 {
		return Incarnation{Current: FirstVM, Tokens: With(nil, token), Strangers: strangers}
	}

	out := Incarnation{Current: others[0], Tokens: tokensOf(vms[others[0]]), Strangers: strangers}

	for _, name := range others[1:] {
		if follows(out.Tokens, tokensOf(vms[name])) && genuine(id, name, tokensOf(vms[name])) {
			out.Former = append(out.Former, name)
		} else {
			out.Strangers = append(out.Strangers, name)
		}
	}

	switch {
	case !Asks(token, out.Tokens):
	case nameFor(id, token) == out.Current:
		// Its words were lost, but its name tells that this word led to it.
		out.Tokens = With(out.Tokens, token)
	case proxmox.Made(vms[out.Current]):
		out.Token, out.Next = token, nameFor(id, token)
	default:
		// There is nothing to replace yet. The word counts as followed, or it would ask as soon as there is.
		out.Tokens = With(out.Tokens, token)
	}

	for _, name := range candidates {
		if name != out.Next {
			out.Former = append(out.Former, name)
		}
	}

	if out.Next != "" {
		next, ok := vms[out.Next]
		out.Begun = ok && !next.ObserveOnly()
		out.Tokens = With(out.Tokens, token)
	}

	return out
}

// follows says whether one VM took the place of another, as their words tell: it has all of the other's, and more. Where
// somebody took the words off, nothing is known, and no VM may go for that.
func follows(later, earlier []string) bool {
	return len(later) > len(earlier) && slices.Equal(later[:len(earlier)], earlier)
}

// genuine says whether a VM's words are its own: a later VM has the name of its last one. One that lost its words says nothing
// of when it was made.
func genuine(id machine.Identity, name string, tokens []string) bool {
	return name == FirstVM || len(tokens) > 0 && nameFor(id, tokens[len(tokens)-1]) == name
}

// Refuse makes a replacement that was not begun yet none. A new VM whose number was looked at goes.
func (i Incarnation) Refuse(vms map[string]proxmox.ObservedVM) Incarnation {
	if _, looked := vms[i.Next]; looked && !slices.Contains(i.Strangers, i.Next) {
		i.Former = append(slices.Clone(i.Former), i.Next)
	}

	i.Next = ""
	i.Tokens = tokensOf(vms[i.Current])

	return i
}

func nameFor(id machine.Identity, token string) string {
	return FirstVM + "-" + id.Hash("replace", token)
}

// sorted VMs: those that were not ready yet, and the others, each with the latest first; and those that are none of ours by
// name.
func sorted(vms map[string]proxmox.ObservedVM) (candidates, others, strangers []string) {
	names := slices.SortedFunc(maps.Keys(vms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(tokensOf(vms[b])), len(tokensOf(vms[a]))), cmp.Compare(a, b))
	})

	for _, name := range names {
		switch {
		case name != FirstVM && !laterVM.MatchString(name):
			strangers = append(strangers, name)
		case vms[name].Metadata.Annotations[proxmox.CandidateAnnotation] != "":
			candidates = append(candidates, name)
		default:
			others = append(others, name)
		}
	}

	return candidates, others, strangers
}

func tokensOf(vm proxmox.ObservedVM) []string {
	return Tokens(vm.Metadata.Annotations[proxmox.ReplaceTokensAnnotation])
}
