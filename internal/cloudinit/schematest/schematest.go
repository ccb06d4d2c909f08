// Package schematest checks rendered user-data against the JSON schemas that
// cloud-init itself ships. It is for tests.
//
// The schemas are those of cloudinit/config/schemas/schema-cloud-config-v1.json
// in canonical/cloud-init at the releases named by [Releases]. They are not part
// of this repository: they are looked for in the folder that CLOUD_INIT_SCHEMAS
// names, then in shared/cloud-init-schemas beside the checkout. Where there are
// none the test is skipped, unless CI=true.
package schematest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// Releases returns the releases of cloud-init whose schemas are checked: Debian
// 12's (takes unknown keys), one of the time of Ubuntu 24.04, and a current one.
func Releases() []string {
	return []string{"22.4.2", "24.4.1", "26.2"}
}

// A Checker holds the compiled schemas.
type Checker map[string]*jsonschema.Schema

// New compiles the schemas. It skips the test if there are none, and fails it in CI.
func New(t testing.TB) Checker {
	t.Helper()

	folder := find()
	if folder == "" {
		const missing = "no cloud-init schemas found; set CLOUD_INIT_SCHEMAS to a folder with schema-<release>.json"
		if inCI() {
			t.Fatal(missing)
		}

		t.Skip(missing)
	}

	c := Checker{}

	for _, release := range Releases() {
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join(folder, "schema-"+release+".json"))
		if err != nil {
			t.Fatalf("cannot compile schema of cloud-init %s: %v", release, err)
		}

		c[release] = schema
	}

	return c
}

// Check reports an error for each release whose schema the user-data does not fit.
func (c Checker) Check(t testing.TB, name string, userData []byte) {
	t.Helper()

	for release, problem := range c.Problems(t, userData) {
		t.Errorf("%s does not fit the schema of cloud-init %s: %v", name, release, problem)
	}
}

// Problems returns what each release's schema has against the user-data.
func (c Checker) Problems(t testing.TB, userData []byte) map[string]error {
	t.Helper()

	if !strings.HasPrefix(string(userData), "#cloud-config\n") {
		t.Fatalf("user-data does not start with #cloud-config")
	}

	// JSON in between, since the schema library knows the types of JSON only.
	text, err := yaml.YAMLToJSONStrict(userData)
	if err != nil {
		t.Fatalf("cannot read user-data: %v", err)
	}

	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatalf("cannot read user-data: %v", err)
	}

	problems := map[string]error{}

	for release, schema := range c {
		if err := schema.Validate(document); err != nil {
			problems[release] = err
		}
	}

	return problems
}

// find returns the folder of the schemas, or nothing.
func find() string {
	if folder := os.Getenv("CLOUD_INIT_SCHEMAS"); folder != "" { //nolint:forbidigo // A test helper asks where its files are.
		return folder
	}

	folder, err := os.Getwd()
	if err != nil {
		return ""
	}

	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}

		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}

		folder = parent
	}

	schemas := filepath.Join(folder, "..", "shared", "cloud-init-schemas")
	if _, err := os.Stat(schemas); err != nil {
		return ""
	}

	return schemas
}

func inCI() bool {
	return os.Getenv("CI") == "true" //nolint:forbidigo // In CI a missing schema is a failure, not a skip.
}
