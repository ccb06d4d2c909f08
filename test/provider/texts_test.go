package provider

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// read is what a file says that Terraform would read.
const read = "this-was-read"

// TestTexts puts text that Terraform would evaluate into every field of every kind of machine that takes text. What a claim
// may say reaches Proxmox as it was meant.
func TestTexts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(read), 0o600); err != nil {
		t.Fatal(err)
	}

	// What Terraform would evaluate.
	injection := `${file("` + file + `")} %{ if true }x%{ endif } $${X}`
	m := readMatrix(t)

	for _, kind := range slices.Sorted(maps.Keys(m.Kinds)) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			l := m.lab(t)
			spec := plain(t, m.Kinds[kind].Spec)
			accepted := 0

			for _, path := range fields(t) {
				for _, text := range []string{injection, "#cloud-config\nruncmd:\n- echo '" + injection + "'\n", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHwUnFTuPq5A9Wkv3zHQ5n1C4H6rT0lM8sY2bX7eQ9aR " + injection} {
					try := plain(t, spec)

					if set(try, strings.Split(path, "."), text) && l.takes(t, kind, m.Kinds[kind].Kind, try) {
						spec, accepted = try, accepted+1

						break
					}
				}
			}

			c := l.of(t, kind, spec)
			l.settle(t, c)

			found := false

			for _, d := range c.composed {
				switch d.resource.Kind {
				case KindFile:
					checkSnippet(t, l.Bench, d)

					found = found || strings.Contains(stringAt(d.resource.Spec.ForProvider, "sourceRaw", "data"), "$${file(")
				case KindVM:
					id, _ := d.outcome.Attributes["id"].(string)

					for k, v := range l.state(t).VMs[id].Config {
						if strings.Contains(v, read) {
							t.Errorf("%s was evaluated: %q", k, v)
						}

						found = found || strings.Contains(v, "file(") || strings.Contains(v, "file%28")
					}
				}
			}

			// Where a snippet is there already, nothing of a claim's text goes anywhere.
			if accepted > 0 && !found && kind != "Provided" {
				t.Errorf("%d fields took the text, and it is nowhere", accepted)
			}

			t.Logf("%d fields took the text", accepted)
		})
	}
}

// set puts a text at a path, into the first element of a list. It tells whether what is there, if anything, is a text.
func set(to map[string]any, path []string, text string) bool {
	key, isList := strings.CutSuffix(path[0], "[]")

	// Of these the keys are the user's.
	switch strings.Join(path, ".") {
	case "labels":
		to[key] = map[string]any{"zone": text}

		return true
	case "config":
		to[key] = map[string]any{"kubelet-arg": []any{text}}

		return true
	}

	if len(path) == 1 {
		switch old := to[key].(type) {
		case nil, string:
			to[key] = text

			if isList {
				to[key] = []any{text}
			}
		case []any:
			to[key] = append(slices.Clone(old), text)
		default:
			return false
		}

		return true
	}

	next, _ := to[key].(map[string]any)

	if l, ok := to[key].([]any); ok && len(l) > 0 {
		next, _ = l[0].(map[string]any)
	}

	if next == nil {
		next = map[string]any{}

		to[key] = next
		if isList {
			to[key] = []any{next}
		}
	}

	return set(next, path[1:], text)
}

// takes says whether the function takes a claim.
func (l *lab) takes(t *testing.T, name, kind string, spec map[string]any) bool {
	t.Helper()

	if _, k3s := spec["k3s"]; k3s != (kind == "K3sNode") {
		return false
	}

	_, err := l.of(t, name, spec).call(t.Context())

	return err == nil
}

// of is a control of a kind's claim with this spec.
func (l *lab) of(t *testing.T, kind string, spec map[string]any) *Control {
	t.Helper()

	b, err := yaml.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}

	c := l.machine(t, strings.ToLower(kind)+"01", string(b))
	c.Required = []unstructured.Unstructured{l.catalogue, joinSecret()}

	return c
}
