package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// pin is where the documentation, the examples and the installations name a version of this project: behind the name of a package, as a
// branch or tag of a clone and of Flux's GitRepository, and behind the path of the command line's module.
var pin = regexp.MustCompile(
	`(ghcr\.io/homelab-io/(?:function|configuration)-proxmox-machine(?:-namespaced)?:|git clone --branch |\btag: |\bbranch: |/cmd/kubectl-machine@)` +
		`(main|latest|v\d+\.\d+\.\d+(?:-[0-9A-Za-z.]*[0-9A-Za-z])?)`)

// fluxBranch is what becomes a tag when there is a release.
var fluxBranch = regexp.MustCompile(`(?m)^( +)branch: (main)\b.*$`)

// pinned are the files and folders with pins.
func pinned() []string { return []string{"README.md", "docs", "example", "install"} }

// A pinAt is one version that a file names.
type pinAt struct {
	path, version string
}

// pins of the repository.
func pins(root string) ([]pinAt, error) {
	var out []pinAt

	err := eachPinned(root, func(path string, data []byte) error {
		for _, m := range pin.FindAllSubmatch(data, -1) {
			out = append(out, pinAt{path: path, version: string(m[2])})
		}

		return nil
	})

	return out, err
}

// eachPinned calls a function for each Markdown and YAML file that can have pins.
func eachPinned(root string, do func(path string, data []byte) error) error {
	for _, from := range pinned() {
		err := filepath.WalkDir(filepath.Join(root, from), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".yaml") {
				return err
			}

			data, err := os.ReadFile(path)
			if err != nil {
				return err //nolint:wrapcheck // Wrapped below.
			}

			return do(path, data)
		})
		if err != nil {
			return fmt.Errorf("cannot read the pins: %w", err)
		}
	}

	return nil
}

// prepare the commit that is to be tagged: Unreleased becomes the version with its day, such as 2026-12-24, and every pin names it.
func prepare(root, version, day string) error {
	changelog, err := readChangelog(root)
	if err != nil {
		return err
	}

	all := sections(changelog)
	if len(all) == 0 || all[0].version != unreleased {
		return errors.New("cannot release: CHANGELOG.md has no section Unreleased at its top")
	}

	for _, s := range all {
		if s.version == version {
			return fmt.Errorf("cannot release %s: CHANGELOG.md has it already", version)
		}
	}

	changelog = strings.Replace(changelog, "## "+unreleased+"\n", "## "+version+" ("+day+")\n", 1)
	if err := os.WriteFile(filepath.Join(root, "CHANGELOG.md"), []byte(changelog), textMode); err != nil {
		return fmt.Errorf("cannot write the changelog: %w", err)
	}

	return eachPinned(root, func(path string, data []byte) error {
		set := fluxBranch.ReplaceAll(data, []byte("${1}tag: "+version))
		set = pin.ReplaceAll(set, []byte("${1}"+version))
		if string(set) == string(data) {
			return nil
		}

		return os.WriteFile(path, set, textMode)
	})
}
