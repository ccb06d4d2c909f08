package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// Everybody may read the site: the web server that sends it is rarely who built it, and answers 403 where it may not.
const (
	folderMode = 0o755
	fileMode   = 0o644
)

// A description of the site, for its generator.
type description struct {
	Version string   `json:"version"`
	Pages   []string `json:"pages"` // Paths in the repository that are pages of the site.
	Links   []string `json:"links"` // Paths in the repository that pages may link to: all of it.
}

// folders whose pages are part of the site, with those below them.
func folders() []string { return []string{"docs", "example"} }

// topPages are pages of the top folder that are part of the site.
func topPages() []string {
	return []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
}

// write the pages of the repository at root into a folder.
func write(root, out, version string) error {
	if err := os.RemoveAll(out); err != nil {
		return errors.Wrap(err, "cannot empty the output folder")
	}

	d := description{Version: version}

	files, err := filesOf(root)
	if err != nil {
		return err
	}

	d.Links = files

	for _, file := range files {
		if !isPage(file) {
			continue
		}

		if err := copyFile(filepath.Join(root, file), filepath.Join(out, pageFile(file))); err != nil {
			return err
		}

		if strings.HasSuffix(file, ".md") {
			d.Pages = append(d.Pages, file)
		}
	}

	if err := writeJSON(filepath.Join(out, "site.json"), d); err != nil {
		return err
	}

	all, err := examples(root)
	if err != nil {
		return err
	}

	if err := writeJSON(filepath.Join(out, "public", "examples.json"), all); err != nil {
		return err
	}

	shown, err := homeMachines(root)
	if err != nil {
		return err
	}

	if err := writeJSON(filepath.Join(out, "home.json"), shown); err != nil {
		return err
	}

	for _, file := range publicFiles() {
		if err := copyFile(filepath.Join(root, file.from), filepath.Join(out, "public", file.to)); err != nil {
			return err
		}
	}

	return nil
}

// A publicFile is sent as it is in the repository.
type publicFile struct {
	from, to string
}

// publicFiles are the schema that the playground completes the catalogue by, and the icon of every page.
func publicFiles() []publicFile {
	return []publicFile{{"schemas/catalogue.json", "schemas/catalogue.json"}, {"docs/images/icon.svg", "icon.svg"}}
}

// isPage says whether a file is a page of the site, or a picture of one.
func isPage(file string) bool {
	if slices.Contains(topPages(), file) {
		return true
	}

	folder, _, _ := strings.Cut(file, "/")

	return slices.Contains(folders(), folder) && (strings.HasSuffix(file, ".md") || strings.HasSuffix(file, ".svg") || strings.HasSuffix(file, ".png"))
}

// pageFile is the name that a file of the repository has for the generator: the page of a folder is its index. The top folder's index is the
// home page, which is no file of the repository's.
func pageFile(file string) string {
	if file == "README.md" {
		return "readme.md"
	}

	if filepath.Base(file) == "README.md" {
		return filepath.Join(filepath.Dir(file), "index.md")
	}

	return file
}

// filesOf the repository, with their folders, but for hidden ones and what is built.
func filesOf(root string) ([]string, error) {
	var out []string

	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		rel, err := filepath.Rel(root, path)
		if err != nil || rel == "." {
			return errors.Wrap(err, "cannot name a file")
		}

		switch name := d.Name(); {
		case d.IsDir() && (name == ".git" || name == ".tools" || name == "_output" || name == "node_modules" || rel == filepath.Join("site", "pages")):
			return fs.SkipDir
		default:
			out = append(out, filepath.ToSlash(rel))
		}

		return nil
	})

	return out, errors.Wrap(err, "cannot list the repository")
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(filepath.Clean(from))
	if err != nil {
		return errors.Wrap(err, "cannot read a page")
	}

	return writeFile(to, data)
}

func writeJSON(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return errors.Wrapf(err, "cannot marshal %s", file)
	}

	return writeFile(file, data)
}

func writeFile(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), folderMode); err != nil {
		return errors.Wrap(err, "cannot make a folder")
	}

	if err := os.WriteFile(file, data, fileMode); err != nil {
		return errors.Wrapf(err, "cannot write %s", file)
	}

	// A file that was there keeps its mode.
	return errors.Wrapf(os.Chmod(file, fileMode), "cannot let everybody read %s", file)
}
