package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const changelog = `# Changelog

What users notice.

## Unreleased

### Added

* Newest.

## v0.2.0 (2026-12-24)

### Fixed

* Second.

## v0.1.0 (2026-11-01)

* First.
`

func TestNotes(t *testing.T) {
	cases := map[string]struct {
		reason       string
		version      string
		orUnreleased bool
		want, err    string
	}{
		"Released":      {"a version has its own section, from heading to heading", "v0.2.0", false, "### Fixed\n\n* Second.\n", ""},
		"Last":          {"the last section ends with the file", "v0.1.0", false, "* First.\n", ""},
		"Unreleased":    {"a dry run has what would be released", "v0.0.0-dry-run", true, "### Added\n\n* Newest.\n", ""},
		"ReleasedToo":   {"a dry run of a version that has notes has those", "v0.2.0", true, "### Fixed\n\n* Second.\n", ""},
		"NotUnreleased": {"a release without notes of its own is stopped", "v0.3.0", false, "", `no section "## v0.3.0"`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := notes(changelog, tc.version, tc.orUnreleased)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s: want an error with %q, got %v", tc.reason, tc.err, err)
				}

				return
			}

			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}

			want := tc.want + "\n### Verify\n"
			if !strings.HasPrefix(got, want) || !strings.Contains(got, "/blob/"+tc.version+"/docs/verify.md") {
				t.Errorf("%s: want notes that begin with %q and lead to docs/verify.md, got %q", tc.reason, want, got)
			}
		})
	}
}

func TestNewest(t *testing.T) {
	if got, err := newest(changelog); err != nil || got != "v0.2.0" {
		t.Errorf("want the newest released version v0.2.0, got %q, %v", got, err)
	}

	for text, want := range map[string]string{
		"## Unreleased\n": "no version", "## 0.2.0 (2026-12-24)\n": `version "0.2.0"`,
		"## Unreleased\n\n## v0.1.0\n": "no version", // It has no day: it was never published.
	} {
		if _, err := newest(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("newest of %q: want an error with %q, got %v", text, want, err)
		}
	}
}

func TestCheckVersion(t *testing.T) {
	for version, good := range map[string]bool{
		"v0.2.0": true, "v1.20.3-rc.1": true, "0.2.0": false, "v0.2": false, "v01.2.0": false, "v0.2.0; rm": false, "": false,
	} {
		if err := checkVersion(version); (err == nil) != good {
			t.Errorf("checkVersion(%q): want good: %v, got %v", version, good, err)
		}
	}
}

// TestPins holds every pin of the repository against the newest released version of CHANGELOG.md, which is their one source.
func TestPins(t *testing.T) {
	const root = "../.."

	text, err := readChangelog(root)
	if err != nil {
		t.Fatal(err)
	}

	// Until there is a release, what the reader has pushed, and the branch that it was built from.
	want, branch := developmentVersion(t), "main"

	switch released, err := newest(text); {
	case err == nil:
		want, branch = released, released
	case !errors.Is(err, errNoRelease):
		t.Fatal(err)
	}

	found, err := pins(root)
	if err != nil {
		t.Fatal(err)
	}

	files := map[string]int{}

	for _, p := range found {
		file, err := filepath.Rel(root, p.path)
		if err != nil {
			t.Fatal(err)
		}

		files[file]++

		if p.version != want && p.version != branch {
			t.Errorf("%s names %s: want %s or %s, by CHANGELOG.md (make release-commit sets all)", file, p.version, want, branch)
		}
	}

	// The files that people copy from: a pin that is written in another way must not be missed.
	for _, file := range []string{
		"README.md", "docs/start.md", "install/legacy/README.md", "install/legacy/function.yaml", "example/functions.yaml",
		"example/flux/packages/base/function.yaml", "example/flux/packages/claims/configuration.yaml",
		"example/flux/packages/namespaced/configuration.yaml", "example/flux/clusters/crossplane-1/layers/source.yaml",
	} {
		if files[file] == 0 {
			t.Errorf("%s has no pin", file)
		}
	}
}

// TestNoPageNamesAVersionThatIsNone: a page installs what there is, and names no version that nobody has published; what is signed is a release.
func TestNoPageNamesAVersionThatIsNone(t *testing.T) {
	const root = "../.."

	text, err := readChangelog(root)
	if err != nil {
		t.Fatal(err)
	}

	published := map[string]bool{developmentVersion(t): true, developmentVersion(t) + ".2": true}
	for _, s := range sections(text) {
		published[s.version] = published[s.version] || s.day != ""
	}

	// Versions of this project: others with a zero are beyond v0.9, and kro.
	ours := regexp.MustCompile(`\bv0\.[1-9]\.\d+(?:-[0-9A-Za-z.]*[0-9A-Za-z])?`)
	signed := regexp.MustCompile(`(?i)\bsigned\b|--enable-signature-verification`)
	pages := 0

	err = eachPinned(root, func(path string, data []byte) error {
		pages++

		for line := range strings.Lines(string(data)) {
			for _, v := range ours.FindAllString(line, -1) {
				if !published[v] && !strings.Contains(line, "kro") {
					t.Errorf("%s names %s, which nobody has published", path, v)
				}
			}
		}

		for paragraph := range strings.SplitSeq(string(data), "\n\n") {
			if signed.MatchString(paragraph) && !strings.Contains(paragraph, "release") && !strings.Contains(paragraph, "certificate") {
				t.Errorf("%s calls something signed that need not be a release:\n%s", path, paragraph)
			}
		}

		return nil
	})
	if err != nil || pages < 100 {
		t.Errorf("want more than 100 pages, got %d: %v", pages, err)
	}
}

// TestPrepare: the commit that is tagged names one version everywhere, and leaves versions of others alone.
func TestPrepare(t *testing.T) {
	root := t.TempDir()
	before := map[string]string{
		"CHANGELOG.md":              changelog,
		"README.md":                 "package: ghcr.io/homelab-io/function-proxmox-machine:v0.2.0\n",
		"docs/start.md":             "Crossplane v2.4.0, ghcr.io/homelab-io/configuration-proxmox-machine-namespaced:v0.2.0.\n",
		"install/legacy/README.md":  "git clone --branch main https://example.org\n",
		"example/flux/source.yaml":  "  ref:\n    branch: main # Until there is a release.\n",
		"example/flux/other.yaml":   "    tag: v0.2.0\n",
		"example/plan.yaml":         "go install github.com/homelab-io/function-proxmox-machine/cmd/kubectl-machine@main\n",
		"example/flux/provider.yml": "package: xpkg.upbound.io/valkiriaaquaticamendi/provider-proxmox-bpg:v1.18.0\n",
		"example/provider.yaml":     "package: xpkg.upbound.io/valkiriaaquaticamendi/provider-proxmox-bpg:v0.2.0\n",
		"internal/former.go":        "v0.2.0",
	}

	for path, content := range before {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o700); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(filepath.Join(root, path), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if err := prepare(root, "v0.3.0", "2027-01-31"); err != nil {
		t.Fatal(err)
	}

	want := map[string]string{
		"CHANGELOG.md":              strings.Replace(changelog, "Unreleased", "v0.3.0 (2027-01-31)", 1),
		"README.md":                 "package: ghcr.io/homelab-io/function-proxmox-machine:v0.3.0\n",
		"docs/start.md":             "Crossplane v2.4.0, ghcr.io/homelab-io/configuration-proxmox-machine-namespaced:v0.3.0.\n",
		"install/legacy/README.md":  "git clone --branch v0.3.0 https://example.org\n",
		"example/flux/source.yaml":  "  ref:\n    tag: v0.3.0\n",
		"example/flux/other.yaml":   "    tag: v0.3.0\n",
		"example/plan.yaml":         "go install github.com/homelab-io/function-proxmox-machine/cmd/kubectl-machine@v0.3.0\n",
		"example/flux/provider.yml": before["example/flux/provider.yml"],
		"example/provider.yaml":     before["example/provider.yaml"],
		"internal/former.go":        "v0.2.0",
	}

	got := map[string]string{}
	for path := range want {
		data, err := os.ReadFile(filepath.Join(root, path)) //nolint:gosec // A file of the test.
		if err != nil {
			t.Fatal(err)
		}

		got[path] = string(data)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prepare(v0.3.0): -want, +got:\n%s", diff)
	}

	for version, want := range map[string]string{"v0.4.0": "no section Unreleased"} {
		if err := prepare(root, version, "2027-01-31"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a release without changes: want an error with %q, got %v", want, err)
		}
	}
}
