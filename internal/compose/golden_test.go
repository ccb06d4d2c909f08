package compose

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// goldenAnswer compares a whole answer with a file, which -update rewrites.
func goldenAnswer(t *testing.T, reason, file string, answer *fnv1.RunFunctionResponse) {
	t.Helper()

	b, err := protojson.MarshalOptions{}.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}

	got, err := yaml.JSONToYAML(b)
	if err != nil {
		t.Fatal(err)
	}

	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file) //nolint:gosec // A golden file.
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s\n-want, +got:\n%s", reason, diff)
	}
}
