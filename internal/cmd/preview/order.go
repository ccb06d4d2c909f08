package main

import (
	"bytes"
	"slices"
)

// orderResults puts the results at the end of a stream of documents into the order of their text. Crossplane tells of composed
// resources in the order of a map, so that two previews of the same claim would differ.
func orderResults(stream []byte) []byte {
	const separator = "---\n"

	documents := bytes.SplitAfter(stream, []byte(separator))

	first := len(documents)
	for first > 0 && bytes.Contains(documents[first-1], []byte("\nkind: Result\n")) {
		first--
	}

	results := documents[first:]
	for i := range results {
		results[i] = bytes.TrimSuffix(results[i], []byte(separator))
	}

	slices.SortFunc(results, bytes.Compare)

	return slices.Concat(bytes.Join(documents[:first], nil), bytes.Join(results, []byte(separator)))
}
