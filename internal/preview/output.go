package preview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// Folders that WriteFolder makes.
const (
	folderClaims   = "claims"
	folderRendered = "rendered"
)

// YAML of what became of a claim: the composite, its composed resources, results, and the plan as comments below them, so that it stays a
// stream of manifests. The nodes of a cluster follow, each with what it composes below a comment that names it.
func (r Rendered) YAML() ([]byte, error) {
	out := &bytes.Buffer{}
	if err := r.writeYAML(out, append([]unstructured.Unstructured{r.Turn.Composite}, r.Turn.Composed...)); err != nil {
		return nil, err
	}

	for _, c := range r.Nodes {
		fmt.Fprintf(out, "# %s\n", c.Claim)

		if err := c.writeYAML(out, c.Turn.Composed); err != nil {
			return nil, err
		}
	}

	return out.Bytes(), nil
}

// writeYAML of objects, and of what was said of them.
func (r Rendered) writeYAML(out *bytes.Buffer, objects []unstructured.Unstructured) error {
	if err := writeObjects(out, objects); err != nil {
		return err
	}

	for _, result := range r.Turn.Results {
		out.WriteString("---\n")
		out.Write(result.document())
	}

	out.WriteString(r.plan.String())

	for _, remark := range r.remarks {
		fmt.Fprintf(out, "# %s\n", remark)
	}

	return nil
}

// objects are the composite and its composed resources, and what the nodes of a cluster compose.
func (r Rendered) objects() []unstructured.Unstructured {
	out := append([]unstructured.Unstructured{r.Turn.Composite}, r.Turn.Composed...)
	for _, c := range r.Nodes {
		out = append(out, c.Turn.Composed...)
	}

	return out
}

func writeObjects(w io.Writer, objects []unstructured.Unstructured) error {
	for _, o := range objects {
		b, err := yaml.Marshal(o.Object)
		if err != nil {
			return errors.Wrapf(err, "cannot marshal %s %s", o.GetKind(), o.GetName())
		}

		if _, err := fmt.Fprintf(w, "---\n%s", b); err != nil {
			return errors.Wrap(err, "cannot write")
		}
	}

	return nil
}

// WriteSummaries prints what was rendered in a person's words, with an empty line between two claims. It returns the errors of the claims that
// could not be rendered.
func WriteSummaries(w io.Writer, all []Rendered) error { return writeEach(w, all, Rendered.Summary) }

// WriteWide prints the same with all that the nodes of clusters have.
func WriteWide(w io.Writer, all []Rendered) error { return writeEach(w, all, Rendered.Wide) }

// WriteUserData prints the user-data of what was rendered, likewise.
func WriteUserData(w io.Writer, all []Rendered) error { return writeEach(w, all, Rendered.UserData) }

func writeEach(w io.Writer, all []Rendered, text func(Rendered) (string, error)) error {
	for i, r := range all {
		if r.Err != nil {
			continue
		}

		out, err := text(r)
		if err != nil {
			return err
		}

		if i > 0 {
			out = "\n" + out
		}

		if _, err := io.WriteString(w, out); err != nil {
			return errors.Wrap(err, "cannot write")
		}
	}

	return Errors(all)
}

// WriteYAML prints what was rendered, each claim's under a comment that names it if there are several. It returns
// the errors of the claims that could not be rendered.
func WriteYAML(w io.Writer, all []Rendered) error {
	for _, r := range all {
		if r.Err != nil {
			continue
		}

		if len(all) > 1 {
			if _, err := fmt.Fprintf(w, "# %s\n", r.Claim); err != nil {
				return errors.Wrap(err, "cannot write")
			}
		}

		b, err := r.YAML()
		if err != nil {
			return err
		}

		if _, err := w.Write(b); err != nil {
			return errors.Wrap(err, "cannot write")
		}
	}

	return Errors(all)
}

// WriteJSON prints what was rendered as one List, without results. It returns the errors of the claims that could not be rendered.
func WriteJSON(w io.Writer, all []Rendered) error {
	items := []any{}

	for _, r := range all {
		if r.Err != nil {
			continue
		}

		for _, o := range r.objects() {
			items = append(items, o.Object)
		}
	}

	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)

	if err := encoder.Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}); err != nil {
		return errors.Wrap(err, "cannot write")
	}

	return Errors(all)
}

// Errors of the claims that could not be rendered, each on lines of its own.
func Errors(all []Rendered) error {
	var texts []string

	for _, r := range all {
		if r.Err != nil {
			texts = append(texts, r.Err.Error())
		}
	}

	if len(texts) == 0 {
		return nil
	}

	return errors.New(strings.Join(texts, "\n"))
}

// WriteFolder writes each claim and what was rendered from it, without results, into files of one name, so that a schema validator can
// read them. It returns the errors of the claims that could not be rendered.
func WriteFolder(dir string, all []Rendered) error {
	for _, sub := range []string{folderClaims, folderRendered} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o750); err != nil {
			return errors.Wrap(err, "cannot make output folder")
		}
	}

	for _, r := range all {
		if r.Err != nil {
			continue
		}

		claim, err := yaml.Marshal(r.Claim.Object.Object)
		if err != nil {
			return errors.Wrapf(err, "cannot marshal %s", r.Claim)
		}

		rendered := &bytes.Buffer{}
		if err := writeObjects(rendered, r.objects()); err != nil {
			return err
		}

		for sub, data := range map[string][]byte{folderClaims: claim, folderRendered: rendered.Bytes()} {
			if err := os.WriteFile(filepath.Join(dir, sub, r.Claim.fileName()), data, 0o600); err != nil {
				return errors.Wrapf(err, "cannot write %s", r.Claim)
			}
		}
	}

	return Errors(all)
}

// fileName is a name for files about c, different for each claim: path, kind and name.
func (c Claim) fileName() string {
	path := filepath.ToSlash(filepath.Clean(c.File))
	if manifest.IsManifest(path) {
		path = strings.TrimSuffix(path, filepath.Ext(path))
	}

	parts := []string{strings.ReplaceAll(strings.Trim(path, "/."), "/", "_"), c.Object.GetKind(), c.Object.GetNamespace(), c.Object.GetName()}

	return strings.Join(parts, "_") + ".yaml"
}
