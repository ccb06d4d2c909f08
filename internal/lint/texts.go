package lint

import (
	"fmt"
	"iter"
	"strings"
)

// texts of a document, in any order, each with its path: keys, and places in lists such as [0]. A path is the walk's own: who keeps it copies it.
func texts(document any) iter.Seq2[[]string, string] {
	return func(yield func(path []string, text string) bool) { walkTexts(document, nil, yield) }
}

// walkTexts below a path; false once nobody wants more.
func walkTexts(value any, path []string, yield func(path []string, text string) bool) bool {
	switch v := value.(type) {
	case string:
		return yield(path, v)
	case map[string]any:
		for key, below := range v {
			if !walkTexts(below, append(path, key), yield) {
				return false
			}
		}
	case []any:
		for i, below := range v {
			if !walkTexts(below, append(path, fmt.Sprintf("[%d]", i)), yield) {
				return false
			}
		}
	}

	return true
}

// joined is a path as people write it, such as spec.disks[0].name.
func joined(path []string) string { return strings.ReplaceAll(strings.Join(path, "."), ".[", "[") }
