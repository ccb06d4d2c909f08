package gitops

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestSecretsAreEncrypted: no Secret of the example, and so none of a copy of it, is in Git in plain text.
func TestSecretsAreEncrypted(t *testing.T) {
	found := 0

	for path, o := range files(t) {
		if o.GetKind() != "Secret" {
			continue
		}

		found++

		if why := plainText(o); why != "" {
			t.Errorf("%s: %s", path, why)
		}
	}

	if found != 2 {
		t.Errorf("%d Secrets, want 2", found)
	}
}

func TestPlainText(t *testing.T) {
	sops := map[string]any{"mac": "ENC[AES256_GCM,data:x]"}

	cases := map[string]struct {
		reason string
		secret map[string]any
		plain  bool
	}{
		"Encrypted":   {"As sops writes it.", map[string]any{"stringData": map[string]any{"a": "ENC[AES256_GCM,data:x]"}, "sops": sops}, false},
		"Plain":       {"Nobody encrypted it.", map[string]any{"stringData": map[string]any{"a": "b"}}, true},
		"Base64":      {"That is no encryption.", map[string]any{"data": map[string]any{"a": "Yg=="}}, true},
		"AddedByHand": {"A key was added without sops.", map[string]any{"stringData": map[string]any{"a": "ENC[AES256_GCM,data:x]", "b": "c"}, "sops": sops}, true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := plainText(&unstructured.Unstructured{Object: tc.secret}) != ""; got != tc.plain {
				t.Errorf("%s plain: %t, want %t", tc.reason, got, tc.plain)
			}
		})
	}
}

// plainText says what of a Secret is not encrypted.
func plainText(o *unstructured.Unstructured) string {
	for _, field := range []string{"data", "stringData"} {
		values, _, _ := unstructured.NestedMap(o.Object, field)
		for name, v := range values {
			if s, ok := v.(string); !ok || !strings.HasPrefix(s, "ENC[AES256_GCM,") {
				return field + "." + name + " is not encrypted"
			}
		}
	}

	if mac, _, _ := unstructured.NestedString(o.Object, "sops", "mac"); mac == "" {
		return "sops did not sign it"
	}

	return ""
}

// files are all objects of the example's files, by path.
func files(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()

	out := map[string]*unstructured.Unstructured{}

	err := filepath.WalkDir(example, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}

		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		for _, o := range objects(t, content) {
			out[path+" "+o.GetKind()+" "+o.GetName()] = &o
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return out
}
