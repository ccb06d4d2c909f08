package rehearse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWarned: what the function warns of is said once for all machines that it is said of, and not where it was said before the edit.
func TestWarned(t *testing.T) {
	const ssh = "Nobody can log in over SSH: spec.nodes["

	var w warned

	w.hear("home/server-0", nil, []string{"The address is another one's."})
	w.known = len(w.said)

	w.hear("home/server-0", nil, []string{"The address is another one's.", ssh + "server-0].image has no key."})
	w.hear("home/server-1", nil, []string{"The address is another one's.", ssh + "server-1].image has no key."})
	w.hear("home/server-1", nil, []string{ssh + "server-1].image has no key."})

	want := []string{
		"home/server-0, home/server-1: " + ssh + "].image has no key.",
		"home/server-1: The address is another one's.",
	}

	if diff := cmp.Diff(want, w.ofEdit()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
