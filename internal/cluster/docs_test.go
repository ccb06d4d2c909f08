package cluster

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// TestConditionsAreDocumented: docs/conditions.md has every reason of a cluster's conditions, and no other.
func TestConditionsAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/conditions.md")
	if err != nil {
		t.Fatal(err)
	}

	for condition, want := range map[string][]string{
		TypeRolledOut: {
			string(v1alpha1.RolloutComplete), string(v1alpha1.RolloutProgressing), string(v1alpha1.RolloutWaiting), string(v1alpha1.RolloutBlocked),
			string(v1alpha1.RolloutPaused),
		},
		TypeServersReady:        {ReasonAllReady, ReasonNotReady},
		TypeNodesLost:           {ReasonHostLost, ReasonNoneLost},
		status.TypeSpreadBroken: {status.ReasonOnOneNode, status.ReasonTooFewNodes, status.ReasonApart},
		TypeSnapshotsTaken: {
			ReasonSnapshotTaken, ReasonNoSnapshot, ReasonSnapshotFailed, ReasonNotObserved,
		},
	} {
		_, section, found := strings.Cut(string(b), "\n## "+condition+"\n")
		if !found {
			t.Errorf("docs/conditions.md has no section %s", condition)
		}

		section, _, _ = strings.Cut(section, "\n## ")

		var got []string
		for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1) {
			got = append(got, m[1])
		}

		slices.Sort(got)
		slices.Sort(want)

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reasons of %s: -code, +document:\n%s", condition, diff)
		}
	}
}
