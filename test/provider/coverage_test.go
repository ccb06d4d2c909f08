package provider

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestMatrixCoverage holds that the matrix adds, changes and removes every field that a claim has, on some kind of machine.
func TestMatrixCoverage(t *testing.T) {
	// What cannot be: a field that has one value only, and one without which its block is none.
	impossible := map[string]bool{
		"removed k3s.role": true, "added k3s.role": true,
		// Of a block that a machine has from its birth on, or not at all.
		"changed adopt.vmId": true, "removed adopt.vmId": true, "changed adopt.approve": true, "removed adopt.approve": true,
		"changed lifecycle.replace": true, "removed lifecycle.replace": true,
	}

	m := readMatrix(t)
	seen := map[string]bool{}
	cells := 0

	for kind := range m.Kinds {
		before := leaves(plain(t, m.Kinds[kind].Spec), "")

		for _, spec := range m.cells(t, kind) {
			cells++

			after := leaves(spec, "")

			for path := range merged(before, after) {
				_, was := before[path]
				_, is := after[path]

				switch {
				case !was:
					seen["added "+path] = true
				case !is:
					seen["removed "+path] = true
				case before[path] != after[path]:
					seen["changed "+path] = true
				}
			}
		}
	}

	if cells < 80 {
		t.Errorf("want at least 80 cells, got %d", cells)
	}

	t.Logf("%d cells", cells)

	for _, path := range fields(t) {
		for _, how := range []string{"added", "changed", "removed"} {
			if what := how + " " + path; !seen[what] && !impossible[what] {
				t.Errorf("no edit has it %s", what)
			}
		}
	}
}

// leaves are the values of a spec by their paths, without the places in lists. Values of one path are put together.
func leaves(v any, path string) map[string]any {
	out := map[string]any{}
	add := func(more map[string]any) {
		for k, e := range more {
			old, _ := out[k].(string)
			s, _ := e.(string)
			out[k] = old + s
		}
	}

	switch v := v.(type) {
	case map[string]any:
		// The keys of these are the user's.
		if path == "k3s.labels" || path == "k3s.config" {
			b, _ := json.Marshal(v) //nolint:errchkjson // It was read as JSON.
			return map[string]any{path: string(b)}
		}

		for k, e := range v {
			add(leaves(e, strings.TrimPrefix(path+"."+k, ".")))
		}
	case []any:
		for _, e := range v {
			add(leaves(e, path+"[]"))
		}
	default:
		b, _ := json.Marshal(v) //nolint:errchkjson // It was read as JSON.
		out[path] = string(b)
	}

	return out
}

// fields are the paths of all fields of the specs of claims, as the XRDs have them.
func fields(t *testing.T) []string {
	t.Helper()

	out := map[string]bool{}

	for _, file := range []string{"machines.yaml", "k3snodes.yaml"} {
		b, err := os.ReadFile(filepath.Join(repository, "package", "xrds", file))
		if err != nil {
			t.Fatal(err)
		}

		xrd := struct {
			Spec struct {
				Versions []struct {
					Schema struct {
						OpenAPIV3Schema schema `json:"openAPIV3Schema"`
					} `json:"schema"`
				} `json:"versions"`
			} `json:"spec"`
		}{}
		if err := yaml.Unmarshal(b, &xrd); err != nil {
			t.Fatal(err)
		}

		maps.Copy(out, xrd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].paths(""))
	}

	return slices.Sorted(maps.Keys(out))
}

type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
}

func (s schema) paths(path string) map[string]bool {
	out := map[string]bool{}

	switch {
	case len(s.Properties) > 0:
		for k, p := range s.Properties {
			maps.Copy(out, p.paths(strings.TrimPrefix(path+"."+k, ".")))
		}
	case s.Items != nil:
		maps.Copy(out, s.Items.paths(path+"[]"))
	default:
		out[path] = true
	}

	return out
}
