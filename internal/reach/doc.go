// Package reach says what each tenant of a catalogue can reach, and which claims and machines ask for more than today's rules allow. It has no rules of its
// own: it asks those of the function.
package reach
