package manifest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNotFound(t *testing.T) {
	t.Chdir(t.TempDir())

	for _, name := range []string{"hello.yaml", "notes.txt"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if err := os.MkdirAll(filepath.Join("fleet", "machines"), 0o700); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct{ reason, path, want string }{
		"Nothing":  {"Nothing is near.", "router.yaml", "cannot find the manifest router.yaml: there is no such file or folder"},
		"End":      {"The name has another end.", "hello.yml", "cannot find the manifest hello.yml: did you mean hello.yaml?"},
		"Letter":   {"A letter is missing.", "helo.yaml", "cannot find the manifest helo.yaml: did you mean hello.yaml?"},
		"Folder":   {"A folder is meant.", "fleet/machine", "cannot find the manifest fleet/machine: did you mean machines?"},
		"NoFolder": {"Nobody knows what is in a folder that there is not.", "flet/machines", "cannot find the manifest flet/machines: there is no such file or folder"},
		"Pattern": {
			"The shell got it in quotes.", "*.yaml",
			"cannot find the manifest *.yaml: no file has this name; without quotes, the shell puts the names of files in its place, and -f takes a folder, too",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]string{tc.path}, nil)
			_, raw := ReadRaw([]string{tc.path}, nil)

			for _, err := range []error{err, raw} {
				if err == nil {
					t.Fatalf("%s: want an error", tc.reason)
				}

				if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}

	if got := NotFound("a", errors.New("denied")).Error(); got != "cannot find the manifest: denied" {
		t.Errorf("Another reason stays what it is: got %s", got)
	}
}
