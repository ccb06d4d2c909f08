package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// Folders that writeFolder makes.
const (
	folderClaims   = "claims"
	folderRendered = "rendered"
)

// writeStream prints what was rendered, each claim's under a comment that names it if there are several. It returns
// the errors of the claims that could not be rendered.
func writeStream(w io.Writer, results []result) error {
	errs := []error{}

	for _, r := range results {
		if r.err != nil {
			errs = append(errs, r.err)

			continue
		}

		if len(results) > 1 {
			if _, err := fmt.Fprintf(w, "# %s\n", r.claim); err != nil {
				return fmt.Errorf("cannot write: %w", err)
			}
		}

		if _, err := w.Write(r.output); err != nil {
			return fmt.Errorf("cannot write: %w", err)
		}
	}

	return errors.Join(errs...)
}

// writeFolder writes each claim and what was rendered from it into files of one name, so that a schema validator can
// read them. It returns the errors of the claims that could not be rendered.
func writeFolder(dir string, results []result) error {
	errs := []error{}

	for _, sub := range []string{folderClaims, folderRendered} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o750); err != nil {
			return fmt.Errorf("cannot make output folder: %w", err)
		}
	}

	for _, r := range results {
		if r.err != nil {
			errs = append(errs, r.err)

			continue
		}

		manifest, err := yaml.Marshal(r.claim.object.Object)
		if err != nil {
			return fmt.Errorf("cannot marshal %s: %w", r.claim, err)
		}

		for sub, data := range map[string][]byte{folderClaims: manifest, folderRendered: r.output} {
			if err := os.WriteFile(filepath.Join(dir, sub, r.claim.fileName()), data, 0o600); err != nil {
				return fmt.Errorf("cannot write %s: %w", r.claim, err)
			}
		}
	}

	return errors.Join(errs...)
}

// fileName is a name for files about c, different for each claim: path, kind and name.
func (c claim) fileName() string {
	path := strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(filepath.Clean(c.file)), ".yml"), ".yaml")
	parts := []string{strings.ReplaceAll(strings.Trim(path, "/."), "/", "_"), c.object.GetKind(), c.object.GetNamespace(), c.object.GetName()}

	return strings.Join(parts, "_") + ".yaml"
}
