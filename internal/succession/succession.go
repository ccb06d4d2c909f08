// Package succession tells the guests of a claim apart, VMs and containers alike: which one the claim has, which one is to replace it, and which ones were
// replaced. Their names and the triggers that led to them tell it; nothing else is remembered.
package succession

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// An Existence says whether there is a guest.
type Existence string

// The existences.
const (
	// Nothing: there is none, or it is somebody else's.
	Nothing Existence = ""
	// Making: the provider was asked to create it, and has not shown it yet.
	Making Existence = "Making"
	// Failed: the provider could not create it.
	Failed Existence = "Failed"
	// Exists: the provider has shown it.
	Exists Existence = "Exists"
)

// A Standing says whether a guest has proven itself: a VM was ready once, a container was seen to run.
type Standing string

// The standings.
const (
	// Proven: it has, or it replaced nothing.
	Proven Standing = ""
	// Unproven: it is to replace another one, and has not yet.
	Unproven Standing = "Unproven"
)

// A Guest is one of a claim's, as far as its role goes.
type Guest struct {
	Standing Standing
	// Triggers of spec.lifecycle.replace that led to it, the last one its own.
	Triggers []string
}

// Roles are the guests of a claim, by composed resource name. While one is replaced, there are two.
type Roles struct {
	// Active is the one that the claim has. It need not exist yet.
	Active string
	// Candidate is the one that replaces it; empty where none does.
	Candidate string
	// Trigger asks for a replacement; empty where none does.
	Trigger string
	// Triggers led to the active one, for its annotation.
	Triggers []string
	// Retired were replaced, or were to replace the active one, and their trigger was taken back.
	Retired []string
	// Unknown are those whose role cannot be told. They stay as they are.
	Unknown []string
}

// Successor are the roles as the candidate has them: it is what its claim has, once it has proven itself.
func (r Roles) Successor() Roles {
	return Roles{Active: r.Candidate, Triggers: With(r.Triggers, r.Trigger)}
}

// A Line is the guests that a claim has one after the other. The name of one that replaces another ends with a hash of the trigger that asked for it: a guest
// keeps its name as long as it lives, since the managed resource under another name is another guest.
type Line struct {
	First string // The composed resource name of the first one.
	ID    machine.Identity
}

// later is what the name of a later guest has behind that of the first one.
var later = regexp.MustCompile("^-[0-9a-f]{10}$")

// Names says whether a composed resource name is one of the line's.
func (l Line) Names(name string) bool {
	rest, ours := strings.CutPrefix(name, l.First)

	return ours && (rest == "" || later.MatchString(rest))
}

// NameFor is the composed resource name of the guest that a trigger asks for.
func (l Line) NameFor(trigger string) string { return l.First + "-" + l.ID.Hash("replace", trigger) }

// Assign roles to the guests of a claim, by composed resource name. trigger is the claim's spec.lifecycle.replace; exists is asked about the active one alone.
//
// A trigger that led to the active guest, or to one before it, requests nothing, and neither does an empty one: a removed trigger or a reverted commit must
// not replace a guest.
func (l Line) Assign(all map[string]Guest, exists func(name string) Existence, trigger string) Roles {
	unproven, others, unknown := l.sorted(all)

	// The one that was to be replaced is gone, so the one that was to replace it is the claim's.
	if len(others) == 0 {
		others, unproven = unproven, nil
	}

	if len(others) == 0 {
		return Roles{Active: l.First, Triggers: With(nil, trigger), Unknown: unknown}
	}

	out := Roles{Active: others[0], Triggers: all[others[0]].Triggers, Unknown: unknown}

	for _, name := range others[1:] {
		if follows(out.Triggers, all[name].Triggers) && l.genuine(name, all[name].Triggers) {
			out.Retired = append(out.Retired, name)
		} else {
			out.Unknown = append(out.Unknown, name)
		}
	}

	l.follow(&out, exists, trigger)

	for _, name := range unproven {
		if name != out.Candidate {
			out.Retired = append(out.Retired, name)
		}
	}

	return out
}

// follow a trigger, as far as it asks for something.
func (l Line) follow(out *Roles, exists func(name string) Existence, trigger string) {
	if !Asks(trigger, out.Triggers) {
		return
	}

	// Its triggers were lost, but its name tells that this one led to it.
	if l.NameFor(trigger) == out.Active {
		out.Triggers = With(out.Triggers, trigger)
		return
	}

	switch exists(out.Active) {
	case Exists:
		out.Trigger, out.Candidate = trigger, l.NameFor(trigger)
	case Making:
		// The provider may not touch it before it is known to be the claim's. The trigger waits.
	case Nothing, Failed:
		// There is nothing to replace yet. The trigger counts as seen, or it would ask as soon as there is.
		out.Triggers = With(out.Triggers, trigger)
	}
}

// sorted names of guests: those that have not proven themselves, and the others, each with the latest first; and those whose names are none of the line's.
func (l Line) sorted(all map[string]Guest) (unproven, others, unknown []string) {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(all[b].Triggers), len(all[a].Triggers)), cmp.Compare(a, b))
	})

	for _, name := range names {
		switch {
		case !l.Names(name):
			unknown = append(unknown, name)
		case all[name].Standing == Unproven:
			unproven = append(unproven, name)
		default:
			others = append(others, name)
		}
	}

	return unproven, others, unknown
}

// follows says whether one guest replaced the other, as their triggers tell: it has all of the other's, and more. Where somebody removed the annotation,
// nothing is known, and no guest may go for that.
func follows(after, before []string) bool {
	return len(after) > len(before) && slices.Equal(after[:len(before)], before)
}

// genuine says whether a guest's triggers are its own: the name of a later one follows from its last trigger. The age of one that lost its triggers is not
// known.
func (l Line) genuine(name string, triggers []string) bool {
	return name == l.First || len(triggers) > 0 && l.NameFor(triggers[len(triggers)-1]) == name
}
