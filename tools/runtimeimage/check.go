package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// packageFile is where a Crossplane package keeps its objects, in one YAML stream.
const packageFile = "package.yaml"

// check reads a package back and returns an error unless it holds exactly the objects below root and, where a binary
// is named, the image that runs it.
func check(w io.Writer, file, root, binary, arch string) error {
	img, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		return fmt.Errorf("cannot read package %s: %w", file, err)
	}

	found, err := contents(img, []string{packageFile, entrypoint[1:]})
	if err != nil {
		return fmt.Errorf("cannot read package %s: %w", file, err)
	}

	errs := []error{}

	objects, err := checkObjects(found[packageFile], root)
	errs = append(errs, err)

	if binary != "" {
		errs = append(errs, checkRuntime(img, found[entrypoint[1:]], binary, arch))
	} else if _, ok := found[entrypoint[1:]]; ok {
		errs = append(errs, errors.New("a package without a runtime holds a binary"))
	}

	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("package %s is not what was to be built: %w", file, err)
	}

	digest, err := img.Digest()
	if err != nil {
		return fmt.Errorf("cannot digest package %s: %w", file, err)
	}

	if _, err := fmt.Fprintf(w, "%s: %d objects, %s\n", file, len(objects), digest); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}

	return nil
}

// checkObjects compares the package's objects with those of its source folder, and returns them.
func checkObjects(stream []byte, root string) ([]string, error) {
	got, err := identities(stream)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", packageFile, err)
	}

	want, err := identitiesBelow(root)
	if err != nil {
		return nil, err
	}

	if len(want) == 0 {
		return nil, fmt.Errorf("no objects in %s", root)
	}

	if !slices.Equal(got, want) {
		return nil, fmt.Errorf("%s holds\n%q\nwant, as in %s,\n%q", packageFile, got, root, want)
	}

	return got, nil
}

// checkRuntime compares the image with what Crossplane needs to run the function.
func checkRuntime(img v1.Image, got []byte, binary, arch string) error {
	errs := []error{}

	want, err := os.ReadFile(filepath.Clean(binary))
	if err != nil {
		return fmt.Errorf("cannot read function binary: %w", err)
	}

	if sha256.Sum256(got) != sha256.Sum256(want) {
		errs = append(errs, fmt.Errorf("%s is not %s", entrypoint, binary))
	}

	cfg, err := img.ConfigFile()
	if err != nil {
		return fmt.Errorf("cannot read image configuration: %w", err)
	}

	if !slices.Equal(cfg.Config.Entrypoint, []string{entrypoint}) {
		errs = append(errs, fmt.Errorf("entrypoint is %q, want %q", cfg.Config.Entrypoint, entrypoint))
	}

	if cfg.Config.User != user {
		errs = append(errs, fmt.Errorf("user is %q, want %q", cfg.Config.User, user))
	}

	if _, ok := cfg.Config.ExposedPorts[port]; !ok {
		errs = append(errs, fmt.Errorf("port %s is not exposed", port))
	}

	if cfg.OS != "linux" || cfg.Architecture != arch {
		errs = append(errs, fmt.Errorf("platform is %s/%s, want linux/%s", cfg.OS, cfg.Architecture, arch))
	}

	return errors.Join(errs...)
}

// contents reads the named files of an image, as a container would see them.
func contents(img v1.Image, names []string) (map[string][]byte, error) {
	files := mutate.Extract(img)
	defer files.Close() //nolint:errcheck // Only read from.

	found := map[string][]byte{}
	r := tar.NewReader(files)

	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}

		if err != nil {
			return nil, fmt.Errorf("cannot read image: %w", err)
		}

		if !slices.Contains(names, filepath.Clean(header.Name)) {
			continue
		}

		buf := &bytes.Buffer{}
		if _, err := io.CopyN(buf, r, header.Size); err != nil {
			return nil, fmt.Errorf("cannot read %s of image: %w", header.Name, err)
		}

		found[filepath.Clean(header.Name)] = buf.Bytes()
	}
}
