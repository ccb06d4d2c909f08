package succession

import "slices"

// A trigger is the value of spec.lifecycle.replace or spec.lifecycle.reboot: any text, for instance a date. A value that
// a guest has not seen yet starts what it stands for, once; values that it has seen, and none, start nothing.

// Asks says whether a trigger starts something: it is there, and was not seen before.
func Asks(trigger string, seen []string) bool {
	return trigger != "" && !slices.Contains(seen, trigger)
}

// With adds a trigger to those that were seen.
func With(seen []string, trigger string) []string {
	if !Asks(trigger, seen) {
		return seen
	}

	return append(slices.Clone(seen), trigger)
}
