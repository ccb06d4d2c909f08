package message

import "fmt"

// unseen are letters that are seen as a blank, or not at all, and that YAML takes for a part of the word beside them: they come from web pages, chats and
// word processors.
var unseen = map[rune]string{ //nolint:gochecknoglobals // A constant table.
	'\u00a0': "a no-break space", '\u2002': "an en space", '\u2003': "an em space", '\u2007': "a figure space", '\u2009': "a thin space",
	'\u200b': "a zero width space", '\u202f': "a narrow no-break space", '\u2060': "a word joiner", '\u3000': "an ideographic space",
	'\ufeff': "a byte order mark",
}

// IsUnseen says whether a letter is seen as a blank, or not at all, and is none.
func IsUnseen(r rune) bool { return unseen[r] != "" }

// Unseen is what such a letter is called.
func Unseen(r rune) string { return fmt.Sprintf("%s (U+%04X)", unseen[r], r) }
