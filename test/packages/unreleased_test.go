package packages

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// had is what a reader fetches of a registry, or of a release: a package with a version, a program, an archive.
var had = regexp.MustCompile(`ghcr\.io/homelab-io/[a-z0-9-]+:v|krew install|go install github\.com/homelab-io/|/releases/(?:latest|download)/`)

// toldAt are the headings where README and docs/start.md say how it is had instead.
var toldAt = regexp.MustCompile(`\]\((?:\.\./)*(?:README\.md|docs/start\.md|start\.md)#`)

// releasedVersion is a heading of CHANGELOG.md with a day.
var releasedVersion = regexp.MustCompile(`(?m)^## v\S+ \(\d{4}-\d\d-\d\d\)$`)

// TestUnreleased: while there is no release, a page that fetches what only a release has says that there is none, or leads to where that is said. Once
// there is one, no page says that there is none.
func TestUnreleased(t *testing.T) {
	released := releasedVersion.MatchString(readPage(t, "CHANGELOG.md"))
	fetch := 0

	for _, pattern := range []string{"README.md", "docs/*.md", "example/*/README.md", "install/*/README.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatal(pattern, err)
		}

		for _, page := range pages {
			b, err := os.ReadFile(page) //nolint:gosec // A page of this repository.
			if err != nil {
				t.Fatal(err)
			}

			if had.Match(b) {
				fetch++
			}

			for _, fault := range unreleased(string(b), released) {
				t.Errorf("%s: %s", page, fault)
			}
		}
	}

	if fetch < 2 {
		t.Errorf("only %d pages fetch anything", fetch)
	}
}

// unreleased says what is untrue of a page about releases.
func unreleased(page string, released bool) []string {
	const none = "No release exists yet"

	switch what := had.FindString(page); {
	case released && strings.Contains(page, none):
		return []string{"says that no release exists, and CHANGELOG.md has one"}
	case !released && what != "" && !strings.Contains(page, none) && !toldAt.MatchString(page):
		return []string{"fetches " + what + " and does not say that no release exists yet, or where it is said how to get it"}
	default:
		return nil
	}
}

// TestUnreleasedFindsPages: the check of the pages can fail.
func TestUnreleasedFindsPages(t *testing.T) {
	const pin = "package: ghcr.io/homelab-io/function-proxmox-machine:v0.2.0\n"

	for name, tc := range map[string]struct {
		reason, page string
		released     bool
		faults       int
	}{
		"Pin":    {reason: "a package that nobody has published", page: pin, faults: 1},
		"Krew":   {reason: "a plugin that krew does not have", page: "kubectl krew install machine", faults: 1},
		"Said":   {reason: "the page says so", page: "**No release exists yet.** Push it.\n" + pin},
		"Linked": {reason: "the page leads to where it is said", page: "As in [start](start.md#6-the-provider-and-the-packages):\n" + pin},
		"Plain":  {reason: "a page that fetches nothing", page: "ghcr.io/you/function-proxmox-machine:v0.2.0"},
		"Late":   {reason: "there is a release, and the page denies it", page: "**No release exists yet.**", released: true, faults: 1},
		"Pinned": {reason: "there is a release", page: pin, released: true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unreleased(tc.page, tc.released); len(got) != tc.faults {
				t.Errorf("%s: want %d faults, got %q", tc.reason, tc.faults, got)
			}
		})
	}
}
