package k3s

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestRenderedConfigs holds every config.yaml that is rendered for an example against the table of K3s' keys: a node does
// not start with a key that K3s does not have, or that it has for the other kind of node.
func TestRenderedConfigs(t *testing.T) {
	files, err := filepath.Glob("../../test/examples/testdata/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}

	nodes := 0

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		for _, userData := range cloudConfigs(t, text) {
			role, config := nodeOf(t, userData)
			if role == "" {
				continue
			}

			nodes++

			for _, fault := range tableFaults(role, config) {
				t.Errorf("%s: %s", file, fault)
			}
		}
	}

	if nodes < 5 {
		t.Errorf("%d nodes were found; the examples have five at least", nodes)
	}
}

func TestTableFaults(t *testing.T) {
	config := map[string]any{"tls-sans": "x", "tls-san": []any{"x"}, "token": "x", "node-ip": true, "node-label": []any{"a=b"}}
	want := []string{"node-ip does not fit its type", "tls-san is no key of an agent", "tls-sans is no key", "token is a secret"}

	if got := tableFaults(RoleAgent, config); !slices.Equal(got, want) {
		t.Errorf("The check finds what is wrong on purpose: got %q, want %q", got, want)
	}
}

func tableFaults(role Role, config map[string]any) []string {
	var faults []string

	for _, name := range sortedKeys(config) {
		key, known := configKeys()[name]

		switch {
		case !known:
			faults = append(faults, name+" is no key")
		case key.Secret:
			faults = append(faults, name+" is a secret")
		case !key.appliesTo(role):
			faults = append(faults, name+" is no key of an "+string(role))
		case typeProblem(key.Type, config[name]) != "":
			faults = append(faults, name+" does not fit its type")
		}
	}

	return faults
}

// cloudConfigs are all texts in a stream of YAML that are cloud-config.
func cloudConfigs(t *testing.T, stream []byte) []string {
	t.Helper()

	var out []string

	var collect func(value any)

	collect = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, name := range sortedKeys(v) {
				collect(v[name])
			}
		case []any:
			for _, item := range v {
				collect(item)
			}
		case string:
			if strings.HasPrefix(v, "#cloud-config") {
				out = append(out, v)
			}
		}
	}

	decoder := yaml.NewDecoder(bytes.NewReader(stream))

	for {
		var document any

		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatal(err)
		}

		collect(document)
	}
}

// nodeOf reads role and config.yaml of a node's user-data; no role is another machine's.
func nodeOf(t *testing.T, userData string) (role Role, config map[string]any) {
	t.Helper()

	var document struct {
		WriteFiles []struct{ Path, Content string } `yaml:"write_files"`
	}
	if err := yaml.Unmarshal([]byte(userData), &document); err != nil {
		t.Fatal(err)
	}

	for _, file := range document.WriteFiles {
		switch file.Path {
		case "/etc/rancher/k3s/config.yaml":
			if err := yaml.Unmarshal([]byte(file.Content), &config); err != nil {
				t.Fatal(err)
			}
		case "/etc/k3s-bootstrap/env":
			_, after, _ := strings.Cut(file.Content, "NODE_ROLE=")
			role = Role(strings.Trim(strings.SplitN(after, "\n", 2)[0], `"'`))
		}
	}

	return role, config
}
