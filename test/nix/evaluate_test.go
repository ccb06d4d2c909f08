package nix

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nixEnv is what gives Nix a store of the test's own, so that it needs no daemon and leaves nothing behind.
func nixEnv(t *testing.T) []string {
	t.Helper()

	dir := t.TempDir()
	// Nix makes what it stores read-only, which keeps the directory from being removed.
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", dir).Run() })

	env := []string{"NIX_REMOTE="}
	for _, name := range []string{"NIX_STORE_DIR", "NIX_LOCALSTATE_DIR", "NIX_STATE_DIR", "NIX_LOG_DIR", "NIX_CONF_DIR"} {
		env = append(env, name+"="+filepath.Join(dir, strings.ToLower(name)))
	}

	return env
}

// evaluate evaluates a Nix expression in which `flake` is the outputs of example/nix, after modules (Nix source) were added
// to every configuration, and decodes the result into to. It returns Nix' error, if that is what came of it.
func evaluate(t *testing.T, modules, expression string, to any) string {
	t.Helper()
	needTools(t, "nix-instantiate")

	source := "let flake = import " + absolute(t, "testdata/flake.nix") + " { flake = " + absolute(t, flakeDir) +
		"; extraModules = [ " + modules + " ]; }; in " + expression

	var printed bytes.Buffer

	cmd := exec.Command("nix-instantiate", "--eval", "--strict", "--json", "--read-write-mode", "--expr", source)
	cmd.Env = append(os.Environ(), nixEnv(t)...)
	cmd.Stderr = &printed

	result, err := cmd.Output()
	if err != nil {
		return printed.String()
	}

	if err := json.Unmarshal(result, to); err != nil {
		t.Fatalf("cannot decode %s: %v", result, err)
	}

	return ""
}

// must evaluates an expression that has no error.
func must[T any](t *testing.T, modules, expression string) T {
	t.Helper()

	var result T
	if failure := evaluate(t, modules, expression, &result); failure != "" {
		t.Fatalf("cannot evaluate %s:\n%s", expression, failure)
	}

	return result
}

// nixFiles returns the Nix files of the example.
func nixFiles(t *testing.T) []string {
	t.Helper()

	var files []string

	for _, pattern := range []string{"*.nix", "modules/*.nix", "hosts/*/*.nix"} {
		found, err := filepath.Glob(filepath.Join(flakeDir, pattern))
		if err != nil {
			t.Fatal(err)
		}

		files = append(files, found...)
	}

	return files
}
