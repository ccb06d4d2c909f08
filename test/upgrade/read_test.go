package upgrade

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// readStore reads all calls of a release from its folder, by their names. A file that is missing, changed or not in
// its list is a fault.
func readStore(t *testing.T, dir string) map[string]storedCall {
	t.Helper()

	files := map[string][]byte{}

	sums, err := os.ReadFile(filepath.Join(dir, checksumFile))
	if err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")

		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}

		if digest(b) != sum {
			t.Errorf("%s/%s was changed: what a release answered does not change any more", dir, name)
		}

		files[name] = b
	}

	if there := filesIn(t, dir); there != len(files)+1 {
		t.Errorf("%s has %d files, and its list %d", dir, there-1, len(files))
	}

	out := map[string]storedCall{}

	for name, b := range files {
		if strings.HasPrefix(name, sharedDir+"/") {
			continue
		}

		var v any
		if err := yaml.Unmarshal(b, &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		call := storedCall{}
		if err := json.Unmarshal(asJSON(t, withShared(t, v, files)), &call); err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		out[strings.TrimSuffix(name, ".yaml")] = call
	}

	return out
}

func filesIn(t *testing.T, dir string) int {
	t.Helper()

	n := 0

	if err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}

		return err
	}); err != nil {
		t.Fatal(err)
	}

	return n
}

// withShared puts files in the place of their references.
func withShared(t *testing.T, v any, files map[string][]byte) any {
	t.Helper()

	switch v := v.(type) {
	case string:
		if !strings.HasPrefix(v, sharedPrefix) {
			return v
		}

		b, ok := files[strings.TrimPrefix(v, "@")]
		if !ok {
			t.Fatalf("%s is not in the store", v)
		}

		if strings.HasSuffix(v, ".yaml") {
			return withShared(t, world.FromYAML(t, string(b)), files)
		}

		return string(b)
	case []any:
		for i := range v {
			v[i] = withShared(t, v[i], files)
		}
	case map[string]any:
		for k := range v {
			v[k] = withShared(t, v[k], files)
		}
	}

	return v
}

// toRequest is the request of a stored call.
func (c storedCall) toRequest(t *testing.T) *fnv1.RunFunctionRequest {
	t.Helper()

	req := &fnv1.RunFunctionRequest{}
	if err := protojson.Unmarshal(asJSON(t, c.Request), req); err != nil {
		t.Fatal(err)
	}

	return req
}
