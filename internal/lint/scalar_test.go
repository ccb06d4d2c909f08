package lint

import "testing"

// TestCutText: a comment is one where a blank follows #.
func TestCutText(t *testing.T) {
	for comment, want := range map[string]bool{"#4": true, "#web": true, "# on the left": false, "#": false, "## head": false, "": false} {
		if got := cutText.MatchString(comment); got != want {
			t.Errorf("%q: got %t", comment, got)
		}
	}
}
