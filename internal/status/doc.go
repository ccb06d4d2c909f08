// Package status says what became of a machine: which composed resources are ready, what its status is, and in which
// conditions, in words that a person can act on. It reads what the provider reports and decides nothing about what is
// rendered.
//
// What the provider says of an error is for package diagnose alone: its texts can hold its SSH key or a machine's whole
// user-data. This package says what the table there says.
//
// Everything here is a function of its input. The composite's status as it was, which is part of the input, is what tells
// a transition from a state, and a guest agent that is away from a guest without an address.
//
// Each concern has a report of its own, with the condition and the part of the status that are about it; [Machine] puts
// them together.
//
// docs/conditions.md shows all of it as a user sees it.
package status
