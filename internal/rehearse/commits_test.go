package rehearse

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// commitsTo is a file for the commits that are rehearsed here: test/controlplane makes them on a real control plane, and compares what comes.
var commitsTo = flag.String("commits", "", "write the commits that the tables of scenes rehearse to this file")

// A commit is what an edit is rehearsed of: YAML of the catalogue and of claims.
type commit struct {
	Reason  string   `json:"reason"`
	Before  string   `json:"before"`            // Empty where all is new.
	After   string   `json:"after"`             // As before, where claims are deleted.
	Deleted []string `json:"deleted,omitempty"` // Claims, as Machine infra-machines/git01.
	Outcome Outcome  `json:"outcome"`
}

// commits of all scenes that have a golden, by its name.
func commits() map[string]commit {
	out := map[string]commit{}
	with := func(catalogue, claims string) string { return catalogue + "---\n" + claims }

	for name, s := range scenes {
		out[name] = commit{Reason: s.reason, Before: with(aCatalogue, s.claim), After: with(aCatalogue, strings.NewReplacer(s.edit...).Replace(s.claim)), Outcome: s.want}
	}

	for name, s := range chapterScenes {
		catalogue := aCatalogue
		if s.inHA() {
			catalogue = sharedCatalogue
		}

		c := commit{Reason: s.reason, Before: with(catalogue, s.claim), Outcome: s.want}
		c.After = with(strings.NewReplacer(s.catalogue...).Replace(catalogue), strings.NewReplacer(s.edit...).Replace(s.claim))

		if s.isBirth() {
			c.Before = ""
		}

		out[name] = c
	}

	for name, s := range catalogueScenes {
		out[name] = commit{Reason: s.reason, Before: with(aCatalogue, ofCatalogue), After: with(strings.NewReplacer(s.edit...).Replace(aCatalogue), ofCatalogue), Outcome: s.want}
	}

	for name, s := range deletions {
		out[name] = commit{Reason: s.reason, Before: with(s.catalogue, s.claim), After: with(s.catalogue, s.claim), Deleted: s.deleted, Outcome: s.want}
	}

	return out
}

// TestCommits: each scene has a name of its own, and edits something.
func TestCommits(t *testing.T) {
	all := commits()

	if got, want := len(all), len(scenes)+len(chapterScenes)+len(catalogueScenes)+len(deletions); got != want {
		t.Errorf("%d scenes have %d names", want, got)
	}

	for _, name := range slices.Sorted(maps.Keys(all)) {
		if c := all[name]; c.Before == c.After && len(c.Deleted) == 0 && name != "Nothing" {
			t.Errorf("%s edits nothing", name)
		}
	}

	if *commitsTo == "" {
		return
	}

	content, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(*commitsTo, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
