package bootstrap

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestNoAgent: why a guest gets no agent is said of the datastore as the catalogue has it.
func TestNoAgent(t *testing.T) {
	const named = "datastore tank, which the catalogue names for snippets of node pve (datastores.snippets), does not serve content type snippets. "

	cases := map[string]struct {
		reason string
		place  machine.Placement
		want   string
	}{
		"Unserved": {"It is named, and serves something else.", machine.Placement{Node: "pve", SnippetDatastore: "tank", SnippetSource: machine.SnippetsUnserved}, named},
		"Unnamed":  {"Nobody names one.", machine.Placement{Node: "pve", SnippetDatastore: "local"}, "no catalogue names the datastore for snippets of node pve"},
		"Named":    {"It serves them.", machine.Placement{Node: "pve", SnippetDatastore: "tank", SnippetSource: machine.SnippetsNamed}, ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, m := &Bootstrap{}, &machine.Machine{Placement: tc.place}
			m.Boot.OS = machine.OSDebian
			b.addAgent(m)

			if !strings.HasPrefix(b.NoAgent, tc.want) || (b.NoAgent == "") != (tc.want == "") {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, b.NoAgent)
			}
		})
	}
}
