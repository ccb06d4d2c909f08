package lifecycle

import (
	"slices"
	"strings"
)

// Tokens reads a list of words from an annotation.
func Tokens(annotation string) []string {
	if annotation == "" {
		return nil
	}

	return strings.Split(annotation, ",")
}

// Annotation writes a list of words.
func Annotation(tokens []string) string { return strings.Join(tokens, ",") }

// Asks says whether a word asks for something: there is one, and it was not seen before.
func Asks(token string, seen []string) bool { return token != "" && !slices.Contains(seen, token) }

// With adds a word to those that were seen.
func With(seen []string, token string) []string {
	if !Asks(token, seen) {
		return seen
	}

	return append(slices.Clone(seen), token)
}
