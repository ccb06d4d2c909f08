package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// An example to start from.
type example struct {
	File      string `json:"file"`  // In the repository.
	Title     string `json:"title"` // Folder, kind and name.
	Claim     string `json:"claim"`
	Catalogue string `json:"catalogue"`
	Observed  string `json:"observed"`
}

// examples are all files of example/ that have claims.
func examples(root string) ([]example, error) {
	c, err := preview.Load(catalog.DefaultFlavour)
	if err != nil {
		return nil, err
	}

	var out []example

	err = filepath.WalkDir(filepath.Join(root, "example"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !manifest.IsYAML(path) {
			return err
		}

		text, err := textOf(path)
		if err != nil || !strings.Contains("\n"+text, "\napiVersion: homelab.io/") || strings.HasSuffix(path, "observed.yaml") {
			return err
		}

		e, err := exampleOf(c, root, path, text)
		out = append(out, e)

		return err
	})

	return out, errors.Wrap(err, "cannot read the examples")
}

// exampleOf a file: its text, unless its place in a repository for Flux says more of the claims than that.
func exampleOf(c preview.Configuration, root, path, text string) (example, error) {
	claims, err := c.ReadClaims([]string{path}, nil)
	if err != nil {
		return example{}, err
	}

	rel, err := filepath.Rel(filepath.Join(root, "example"), path)
	if err != nil {
		return example{}, errors.Wrap(err, "cannot name an example")
	}

	out := example{File: filepath.ToSlash(filepath.Join("example", rel)), Claim: text}
	out.Title = fmt.Sprintf("%s: %s", filepath.ToSlash(filepath.Dir(rel)), names(claims))

	written, err := manifest.ObjectsOf([]byte(text))
	if err != nil {
		return out, err
	}

	if !slices.EqualFunc(claims, written, func(c preview.Claim, o unstructured.Unstructured) bool {
		return c.Object.GetNamespace() == o.GetNamespace()
	}) {
		if out.Claim, err = marshalled(objectsOf(claims)); err != nil {
			return out, err
		}
	}

	if out.Catalogue, err = around(claims[0], path); err != nil {
		return out, err
	}

	out.Observed, err = textOf(filepath.Join(filepath.Dir(path), "cluster", "observed.yaml"))

	return out, err
}

// names of claims: the kind, and the first names.
func names(claims []preview.Claim) string {
	var names []string
	for _, c := range claims {
		names = append(names, c.Object.GetName())
	}

	return claims[0].Object.GetKind() + " " + strings.Join(names, ", ")
}

// around a claim: the catalogue and the Secrets beside its file, as they stand there, or those of its layout.
func around(c preview.Claim, path string) (string, error) {
	var texts []string

	for _, file := range []string{"catalogue.yaml", "secrets.yaml"} {
		text, err := textOf(filepath.Join(filepath.Dir(path), file))
		if err != nil {
			return "", err
		}

		if text != "" {
			texts = append(texts, text)
		}
	}

	if len(texts) > 0 {
		return strings.Join(texts, "---\n"), nil
	}

	// Without those that only a cluster can decrypt.
	story, err := preview.Files{Observed: preview.NoFile}.Story(context.Background(), c)
	if err != nil {
		return "", err
	}

	return marshalled(story.Required)
}

func objectsOf(claims []preview.Claim) []unstructured.Unstructured {
	var out []unstructured.Unstructured
	for _, c := range claims {
		out = append(out, c.Object)
	}

	return out
}

func marshalled(objects []unstructured.Unstructured) (string, error) {
	var texts []string

	for _, o := range objects {
		b, err := yaml.Marshal(o.Object)
		if err != nil {
			return "", errors.Wrapf(err, "cannot marshal %s", o.GetName())
		}

		texts = append(texts, string(b))
	}

	return strings.Join(texts, "---\n"), nil
}

// textOf a file; empty where there is none.
func textOf(file string) (string, error) {
	b, err := os.ReadFile(filepath.Clean(file))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}

	return string(b), errors.Wrap(err, "cannot read a file beside a claim")
}
