package lifecycle

import "regexp"

// Lettered is a hash that YAML takes for text, also without quotes: it starts with a letter, since YAML takes some words of digits for numbers.
func Lettered(hash string) string { return string('a'+hash[0]%6) + hash[1:] }

var lettered = regexp.MustCompile(`^[a-f][0-9a-f]{9}$`)

// IsLettered says whether a word has the form of a [Lettered] hash of an identity.
func IsLettered(word string) bool { return lettered.MatchString(word) }
