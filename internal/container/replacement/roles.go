package replacement

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// First is the composed resource name of a claim's first container. The name of one that replaces another ends with a hash of the trigger that asked
// for it: a container keeps its name as long as it lives, since the managed resource under another name is another container.
const First = "container"

// later is the composed resource name of a container that replaces another.
var later = regexp.MustCompile("^" + First + "-[0-9a-f]{10}$")

// Names says whether a composed resource name is that of a claim's container, and of no check of a VMID.
func Names(name string) bool { return name == First || later.MatchString(name) }

// An Existence says whether there is a container.
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

// A Standing says whether a container was seen to run.
type Standing string

// The standings.
const (
	// Proven: it was seen to run, or replaced nothing.
	Proven Standing = ""
	// Unproven: it is to replace another one, and was not seen to run yet.
	Unproven Standing = "Unproven"
)

// A Container is one of a claim's, as far as its role goes.
type Container struct {
	Existence Existence
	Standing  Standing
	// Triggers of spec.lifecycle.replace that led to it, the last one its own.
	Triggers []string
}

// Roles are the containers of a claim, by composed resource name. While one is replaced, there are two.
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

// Assign roles to the containers of a claim, by composed resource name. trigger is the claim's spec.lifecycle.replace: one that led to the active
// container, or to one before it, requests nothing, and neither does an empty one.
func Assign(all map[string]Container, id machine.Identity, trigger string) Roles {
	unproven, others := sorted(all)

	// The one that was to be replaced is gone, so the one that was to replace it is the claim's.
	if len(others) == 0 {
		others, unproven = unproven, nil
	}

	if len(others) == 0 {
		return Roles{Active: First, Triggers: with(nil, trigger)}
	}

	out := Roles{Active: others[0], Triggers: all[others[0]].Triggers}

	for _, name := range others[1:] {
		if follows(out.Triggers, all[name].Triggers) && genuine(id, name, all[name].Triggers) {
			out.Retired = append(out.Retired, name)
		} else {
			out.Unknown = append(out.Unknown, name)
		}
	}

	switch {
	case !lifecycle.Asks(trigger, out.Triggers):
	case nameFor(id, trigger) == out.Active:
		// Its triggers were lost, but its name tells that this one led to it.
		out.Triggers = with(out.Triggers, trigger)
	case all[out.Active].Existence == Exists:
		out.Trigger, out.Candidate = trigger, nameFor(id, trigger)
	case all[out.Active].Existence == Making:
		// It is not known yet whether it is the claim's. The trigger waits.
	default:
		// There is nothing to replace. The trigger counts as seen, or it would ask as soon as there is.
		out.Triggers = with(out.Triggers, trigger)
	}

	for _, name := range unproven {
		if name != out.Candidate {
			out.Retired = append(out.Retired, name)
		}
	}

	return out
}

// Successor are the roles as the candidate has them: it is what its claim has, once it was seen to run.
func (r Roles) Successor() Roles {
	return Roles{Active: r.Candidate, Triggers: with(r.Triggers, r.Trigger)}
}

// sorted names of containers: those that were not seen to run, and the others, each with the latest first.
func sorted(all map[string]Container) (unproven, others []string) {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}

	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(all[b].Triggers), len(all[a].Triggers)), cmp.Compare(a, b))
	})

	for _, name := range names {
		if all[name].Standing == Unproven {
			unproven = append(unproven, name)
		} else {
			others = append(others, name)
		}
	}

	return unproven, others
}

// follows says whether one container replaced the other, as their triggers tell: it has all of the other's, and more.
func follows(after, before []string) bool {
	return len(after) > len(before) && slices.Equal(after[:len(before)], before)
}

// genuine says whether a container's triggers are its own: its name follows from the last one. The age of one that lost its triggers is not known, and it
// may not go for that.
func genuine(id machine.Identity, name string, triggers []string) bool {
	return name == First || len(triggers) > 0 && nameFor(id, triggers[len(triggers)-1]) == name
}

// with adds a trigger to those that were seen.
func with(seen []string, trigger string) []string {
	if !lifecycle.Asks(trigger, seen) {
		return seen
	}

	return append(slices.Clone(seen), trigger)
}

func nameFor(id machine.Identity, trigger string) string {
	return First + "-" + id.Hash("replace", trigger)
}
