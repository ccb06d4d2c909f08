package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const unreleased = "Unreleased"

var (
	// A version as tags, headings and pins have it. Pre-releases have no pins, but can be built.
	versionForm = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

	// A release has its day behind its version, in parentheses. A version without one was never published.
	heading = regexp.MustCompile(`(?m)^## (\S+)(?: \((\d{4}-\d{2}-\d{2})\))?.*\n`)
)

func checkVersion(version string) error {
	if !versionForm.MatchString(version) {
		return fmt.Errorf("version %q is none: want one such as v0.2.0", version)
	}

	return nil
}

// A section of the changelog is what became of one version.
type section struct{ version, day, text string }

// sections of a changelog, the newest first.
func sections(changelog string) []section {
	var out []section

	found := heading.FindAllStringSubmatchIndex(changelog, -1)
	for i, f := range found {
		end := len(changelog)
		if i+1 < len(found) {
			end = found[i+1][0]
		}

		s := section{version: changelog[f[2]:f[3]], text: strings.TrimSpace(changelog[f[1]:end]) + "\n"}
		if f[4] >= 0 {
			s.day = changelog[f[4]:f[5]]
		}

		out = append(out, s)
	}

	return out
}

var errNoRelease = errors.New("no version in CHANGELOG.md was released")

// newest released version of a changelog; errNoRelease if there is none yet.
func newest(changelog string) (string, error) {
	for _, s := range sections(changelog) {
		if s.day != "" {
			return s.version, checkVersion(s.version)
		}
	}

	return "", errNoRelease
}

func printNewest(w io.Writer, root string) error {
	changelog, err := readChangelog(root)
	if err != nil {
		return err
	}

	version, err := newest(changelog)
	if err != nil {
		return err
	}

	if _, err := fmt.Fprintln(w, version); err != nil {
		return fmt.Errorf("cannot print the version: %w", err)
	}

	return nil
}

func readChangelog(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return "", fmt.Errorf("cannot read the changelog: %w", err)
	}

	return string(data), nil
}

// notes of a release: its section of the changelog, and how to verify what is below. With orUnreleased, those of the next one.
func notes(changelog, version string, orUnreleased bool) (string, error) {
	found := ""

	for _, s := range sections(changelog) {
		if s.version == version || orUnreleased && s.version == unreleased && found == "" {
			found = s.text
		}

		if s.version == version {
			break
		}
	}

	if found == "" {
		return "", fmt.Errorf("cannot find notes: CHANGELOG.md has no section %q", "## "+version)
	}

	return found + fmt.Sprintf(`
### Verify

Packages are signed by digest, and the checksums of the files below are signed, both by the workflow that built them:
[docs/verify.md](https://%s/blob/%s/docs/verify.md).
`, repository, version), nil
}
