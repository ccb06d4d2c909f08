package preview

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// NoFile asks for a preview without a file that would be found beside the claim.
const NoFile = "none"

// A Story is a claim, and all that goes with it.
type Story struct {
	Claim    Claim
	Required []unstructured.Unstructured // Catalogue, Secrets, and whatever else the function may ask for.
	Former   []unstructured.Unstructured // Catalogue and Secrets as they were observed, where a person has others of their names in hand.
	Observed []unstructured.Unstructured // What the cluster has, in any order, of this machine and of others.
	Given    bool                        // Whether a person named what was observed: then nothing is made up beyond it.
	Fetch    Fetcher                     // Of the cluster; nil where there is none.
}

// Files are those that a person named in place of the files beside a claim: a path, [NoFile] for none, or nothing for the one beside it.
type Files struct {
	Catalogue string
	Secrets   string
	Observed  string
}

// Story of a claim, with the files that a person named, those beside the claim, and the layout that the claim is part of.
func (f Files) Story(ctx context.Context, c Claim) (Story, error) {
	s := Story{Claim: c, Given: f.Observed != ""}

	for _, o := range c.Layout {
		secret := o.GetKind() == "Secret"
		if isEncrypted(o) {
			continue // What a cluster decrypts is not here.
		}

		if secret && f.Secrets == "" || !secret && f.Catalogue == "" {
			s.Required = append(s.Required, o)
		}
	}

	var errs []error

	for _, path := range slices.Backward(f.catalogues(c, s.Required)) {
		catalogue, err := readCatalogue(path)
		s.Required, errs = append(s.Required, catalogue...), append(errs, err)
	}

	secrets, err := readSecrets(ctx, f.path(c, f.Secrets, FileSecrets), f.Secrets != "")
	s.Required, errs = append(s.Required, secrets...), append(errs, err)

	observed, err := readNamed(f.path(c, f.Observed, fileObserved))
	s.Observed, errs = observed, append(errs, err)

	if f.Observed == NoFile {
		s.Given = false
	}

	unscoped(s.Required)

	return s, errors.Join(errs...)
}

// unscoped makes objects what a cluster makes of them: a catalogue is in no namespace, whatever its file or a kustomization says.
func unscoped(objects []unstructured.Unstructured) {
	for i, o := range objects {
		if o.GetKind() == "EnvironmentConfig" && o.GetNamespace() != "" {
			objects[i] = *o.DeepCopy()
			objects[i].SetNamespace("")
		}
	}
}

// catalogues are the files with the catalogue of a claim: the one that was named, or lies beside the claim; else, where the layout has none, the nearest one in
// the folders above. Where that has another name, there may be several, of which the function takes the one that it asks for.
func (f Files) catalogues(c Claim, layout []unstructured.Unstructured) []string {
	if f.Catalogue != "" || slices.ContainsFunc(layout, func(o unstructured.Unstructured) bool { return o.GetKind() == "EnvironmentConfig" }) {
		return []string{f.path(c, f.Catalogue, fileCatalogue)}
	}

	if path := c.above(fileCatalogue); path != "" || c.File == manifest.Stdin || manifest.IsURL(c.File) {
		return []string{path}
	}

	return CataloguesAbove(filepath.Dir(c.File))
}

func (f Files) path(c Claim, named, beside string) string {
	if named != "" {
		return named
	}

	return c.beside(beside)
}

// readSecrets reads a file with Secrets. One that SOPS encrypted is decrypted with the sops program where a person named it, with that person's
// keys; one that merely lies beside the claim counts as not there.
func readSecrets(ctx context.Context, file string, named bool) ([]unstructured.Unstructured, error) {
	objects, err := readNamed(file)
	if err != nil || !slices.ContainsFunc(objects, isEncrypted) {
		return objects, err
	}

	if !named {
		return slices.DeleteFunc(objects, isEncrypted), nil
	}

	program, err := exec.LookPath("sops")
	if err != nil {
		return nil, errors.Wrapf(err, "cannot decrypt %s", file)
	}

	stderr := &bytes.Buffer{}
	cmd := exec.CommandContext(ctx, program, "--decrypt", file)
	cmd.Stderr = stderr

	plain, err := cmd.Output()
	if err != nil {
		return nil, errors.Errorf("cannot decrypt %s: %s", file, message.LastLine(stderr.String()))
	}

	documents, err := manifest.Parse(plain)

	return manifest.Objects(documents), errors.Wrapf(err, "cannot parse what sops makes of %s", file)
}

// readCatalogue reads a file with a catalogue. One that somebody emptied is no catalogue that is missing.
func readCatalogue(file string) ([]unstructured.Unstructured, error) {
	objects, err := readNamed(file)
	if err != nil || len(objects) > 0 || file == "" || file == NoFile || file == manifest.Stdin {
		return objects, err
	}

	data, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the catalogue")
	}

	if fault, empty := (manifest.Raw{File: file, Documents: manifest.RawDocuments(data)}).EmptyCatalogue(); empty {
		return nil, errors.New(fault.In(file))
	}

	return objects, nil
}

// readNamed reads a file, where there is one.
func readNamed(file string) ([]unstructured.Unstructured, error) {
	if file == "" || file == NoFile {
		return nil, nil
	}

	return readObjects(file)
}
