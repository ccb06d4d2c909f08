package main

import (
	"archive/tar"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

const checkout = "../.."

// TestMakePush pushes to a registry what `make push` pushes, with the scripts of that target and a program of a few bytes, and reads it
// back as Crossplane does: the Function for both architectures, and Configurations that this very version of the Function satisfies.
func TestMakePush(t *testing.T) {
	tools, err := filepath.Abs(filepath.Join(checkout, ".tools/bin"))
	must(t, err)

	for _, tool := range []string{"crossplane", "runtimeimage"} {
		if _, err := os.Stat(filepath.Join(tools, tool)); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}

			t.Skip("no " + tool + " in .tools/bin: make packages builds it")
		}
	}

	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()

	out, to := t.TempDir(), strings.TrimPrefix(server.URL, "http://")+"/you"
	development := developmentVersion(t)

	for _, arch := range functionArchs() {
		emptyProgram(t, arch, filepath.Join(out, "function-linux-"+arch))
		script(t, "xpkg.sh", out, arch)
	}

	want := ""
	for _, p := range packagesOf() {
		want += to + "/" + p.name + ":" + development + "\n"
	}

	if diff := cmp.Diff(want, script(t, "push.sh", out, to, development)); diff != "" {
		t.Errorf("printed: -want, +got:\n%s", diff)
	}

	function, err := remote.Index(tagOf(t, to+"/function-proxmox-machine:"+development))
	must(t, err)

	manifest, err := function.IndexManifest()
	must(t, err)

	var archs []string
	for _, m := range manifest.Manifests {
		archs = append(archs, m.Platform.Architecture)
	}

	if diff := cmp.Diff(functionArchs(), archs); diff != "" {
		t.Errorf("architectures of the function: -want, +got:\n%s", diff)
	}

	for _, p := range packagesOf()[1:] {
		image, err := remote.Image(tagOf(t, to+"/"+p.name+":"+development))
		must(t, err)

		meta := packageFile(t, image)
		if bound := ">=" + strings.TrimSuffix(development, "dev") + "0"; !strings.Contains(meta, bound) {
			t.Errorf("%s: want the Function %s, which %s is, got:\n%.2000s", p.name, bound, development, meta)
		}
	}
}

// TestPushRefuses: what can be no registry is refused before anything is pushed anywhere.
func TestPushRefuses(t *testing.T) {
	cases := map[string]struct{ reason, registry, want string }{
		"None":        {"make push alone has no right registry", "", "want host and organisation"},
		"Placeholder": {"copied from a page as it is", "REGISTRY", "want host and organisation"},
		"URL":         {"copied from a browser", "https://ghcr.io/you", "want host and organisation"},
		"NotBuilt":    {"nothing was built", "127.0.0.1:1/you", "make packages builds it"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "hack/push.sh", t.TempDir(), tc.registry, "v0.2.0-dev")
			cmd.Dir = checkout

			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), tc.want) {
				t.Errorf("%s: want a failure with %q, got %v: %s", tc.reason, tc.want, err, out)
			}
		})
	}
}

// emptyProgram for Linux stands for the function.
func emptyProgram(t *testing.T, arch, path string) {
	t.Helper()

	source := filepath.Join(t.TempDir(), "main.go")
	must(t, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600))

	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", path, source)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")

	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// developmentVersion is what `make push` calls what it pushes.
func developmentVersion(t *testing.T) string {
	t.Helper()

	data, err := os.ReadFile(filepath.Join(checkout, "Makefile"))
	must(t, err)

	m := regexp.MustCompile(`(?m)^push: VERSION = (\S+)$`).FindStringSubmatch(string(data))
	if m == nil {
		t.Fatal("Makefile has no version for make push")
	}

	return m[1]
}

// script of hack, run in the repository; what it prints.
func script(t *testing.T, name string, args ...string) string {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), filepath.Join("hack", name), args...)
	cmd.Dir = checkout

	out, err := cmd.Output()
	if err != nil {
		exit := &exec.ExitError{}
		errors.As(err, &exit)
		t.Fatalf("%s: %v: %s%s", name, err, out, exit.Stderr)
	}

	return string(out)
}

func tagOf(t *testing.T, s string) name.Tag {
	t.Helper()

	tag, err := name.NewTag(s, name.StrictValidation)
	must(t, err)

	return tag
}

// packageFile is package.yaml of a package, which has its meta file and all its objects.
func packageFile(t *testing.T, image v1.Image) string {
	t.Helper()

	files := mutate.Extract(image)
	defer files.Close() //nolint:errcheck // Read to its end.

	for r := tar.NewReader(files); ; {
		h, err := r.Next()
		must(t, err)

		if h.Name == "package.yaml" {
			data, err := io.ReadAll(r)
			must(t, err)

			return string(data)
		}
	}
}
