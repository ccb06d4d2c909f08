package rehearse

import "testing"

// TestWrittenOfWhatRuns: an edit that says the same in other words, or is for later, is told from one that does something which is no step.
func TestWrittenOfWhatRuns(t *testing.T) {
	disks := aMachine + "  disks: [{name: data, size: 20Gi}]\n  tags: [web, tier1]\n"

	for name, tc := range map[string]struct {
		reason string
		edit   []string
		want   Effect
	}{
		"Same":       {"Nothing is edited.", []string{"spec:", "spec:"}, EffectNone},
		"Order":      {"The order of tags is none.", []string{"[web, tier1]", "[tier1, web]"}, EffectUnwritten},
		"Spelling":   {"It is as much.", []string{"size: 20Gi", "size: 20480Mi"}, EffectUnwritten},
		"Protection": {"It counts when somebody deletes the claim.", []string{"spec:\n", "spec:\n  deletionProtection: true\n"}, EffectUnwritten},
		"Policy":     {"The provider is told to leave the VM.", []string{"spec:\n", "spec:\n  deletionPolicy: Orphan\n"}, ""},
		"Tag":        {"It is another one.", []string{"tier1", "tier2"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if v := rehearsed(t, editOf(t, disks, tc.edit, nil)).Verdict; v.Outcome != Done || v.Effect != tc.want {
				t.Errorf("%s\nwant %q, got %+v", tc.reason, tc.want, v)
			}
		})
	}
}
