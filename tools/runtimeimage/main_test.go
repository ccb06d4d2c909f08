package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// staticBinary writes the shortest file that is a statically linked Linux program for the machine, and returns its
// path: an ELF header without any segment.
func staticBinary(t *testing.T, machine elf.Machine) string {
	t.Helper()

	header := elf.Header64{
		Ident:     [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:      uint16(elf.ET_EXEC),
		Machine:   uint16(machine),
		Version:   uint32(elf.EV_CURRENT),
		Ehsize:    64,
		Phentsize: 56,
		Shentsize: 64,
	}

	buf := &bytes.Buffer{}
	if err := binary.Write(buf, binary.LittleEndian, header); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "function")
	writeFile(t, path, buf.String())

	return path
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()

	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()

	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return data
}

func TestBuild(t *testing.T) {
	program := staticBinary(t, elf.EM_AARCH64)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a.tar"), filepath.Join(dir, "b.tar")

	for _, out := range []string{first, second} {
		if err := run([]string{"build", "-binary", program, "-arch", "arm64", "-output", out}, os.Stdout, os.Stderr); err != nil {
			t.Fatal(err)
		}
	}

	if !bytes.Equal(readFile(t, first), readFile(t, second)) {
		t.Error("two builds of one binary differ")
	}

	img, err := tarball.ImageFromPath(first, nil)
	if err != nil {
		t.Fatal(err)
	}

	cfg, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}

	want := v1.Config{
		Entrypoint: []string{"/function"}, User: "65532:65532", WorkingDir: "/", ExposedPorts: map[string]struct{}{"9443/tcp": {}},
	}
	if diff := cmp.Diff(want, cfg.Config); diff != "" {
		t.Errorf("configuration of the image: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff("linux/arm64", cfg.OS+"/"+cfg.Architecture); diff != "" {
		t.Errorf("platform of the image: -want, +got:\n%s", diff)
	}

	files, err := contents(img, []string{"function"})
	if err != nil {
		t.Fatal(err)
	}

	if !bytes.Equal(files["function"], readFile(t, program)) {
		t.Error("/function of the image is not the binary")
	}
}

func TestRunRefuses(t *testing.T) {
	arm := staticBinary(t, elf.EM_AARCH64)
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	writeFile(t, text, "#!/bin/sh\n")

	out := filepath.Join(dir, "out.tar")

	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"NoCommand":    {reason: "Nothing to do is not success.", want: "no command given"},
		"OtherCommand": {reason: "A mistyped command is named.", args: []string{"built"}, want: `unknown command "built"`},
		"NoOutput":     {reason: "A missing flag is named.", args: []string{"build", "-binary", arm}, want: "-output is required"},
		"Argument":     {reason: "What no flag takes is not ignored.", args: []string{"build", "x"}, want: `unexpected argument "x"`},
		"OtherArchitecture": {
			reason: "A binary for another processor would only fail in the cluster.",
			args:   []string{"build", "-binary", arm, "-arch", "amd64", "-output", out},
			want:   "built for EM_AARCH64, not for EM_X86_64",
		},
		"UnknownArchitecture": {
			reason: "Only architectures that we build for.",
			args:   []string{"build", "-binary", arm, "-arch", "pdp11", "-output", out},
			want:   `unknown architecture "pdp11"`,
		},
		"NoBinary": {
			reason: "A file that is no program would only fail in the cluster.",
			args:   []string{"build", "-binary", text, "-arch", "amd64", "-output", out},
			want:   "not a Linux binary",
		},
		"NoPackage": {
			reason: "A package that was not built is an error.",
			args:   []string{"check", "-package", filepath.Join(dir, "none.xpkg"), "-root", dir},
			want:   "cannot read package",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := run(tc.args, os.Stdout, os.Stderr)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nrun(%q): want an error with %q, got %v", tc.reason, tc.args, tc.want, err)
			}
		})
	}
}

// TestDynamic is on its own since a dynamically linked binary has to be found: the shell is one nearly everywhere.
func TestDynamic(t *testing.T) {
	sh, err := os.ReadFile("/bin/sh")
	if err != nil || !bytes.HasPrefix(sh, []byte("\x7fELF")) || !bytes.Contains(sh, []byte("/ld-")) {
		t.Skip("no dynamically linked /bin/sh on this machine")
	}

	if err := checkStatic(sh, runtime.GOARCH); err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("want a dynamically linked binary to be refused, got %v", err)
	}
}

const (
	meta = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Function\nmetadata:\n  name: f\n"
	crd  = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: inputs\n"
)

func TestCheck(t *testing.T) {
	program := staticBinary(t, elf.EM_X86_64)
	other := staticBinary(t, elf.EM_AARCH64)

	root := t.TempDir()
	writeFile(t, filepath.Join(root, "crossplane.yaml"), "---\n"+meta)
	writeFile(t, filepath.Join(root, "crds", "input.yaml"), "# Generated.\n---\n"+crd)
	writeFile(t, filepath.Join(root, "README.md"), "kind: Nothing\n")

	cases := map[string]struct {
		reason string
		stream string // Contents of package.yaml.
		image  string // Binary in the image.
		change func(*v1.Config)
		binary string // Binary that is checked for.
		want   string // Part of the error.
		out    string // Part of the output.
	}{
		"Good": {
			reason: "What was built from the folder and the binary passes.",
			stream: meta + "---\n" + crd, image: program, binary: program,
			out: "2 objects, sha256:",
		},
		"ObjectMissing": {
			reason: "A package without one of its objects is caught.",
			stream: meta, image: program, binary: program,
			want: "CustomResourceDefinition inputs",
		},
		"ObjectMore": {
			reason: "So is one with an object too many.",
			stream: meta + "---\n" + crd + "---\n" + strings.ReplaceAll(crd, "inputs", "others"), image: program, binary: program,
			want: "CustomResourceDefinition others",
		},
		"OtherBinary": {
			reason: "An image with an older binary is caught.",
			stream: meta + "---\n" + crd, image: other, binary: program,
			want: "/function is not",
		},
		"NotWanted": {
			reason: "A Configuration holds no binary.",
			stream: meta + "---\n" + crd, image: program,
			want: "a package without a runtime holds a binary",
		},
		"Root": {
			reason: "Crossplane runs the image as non root.",
			stream: meta + "---\n" + crd, image: program, binary: program, change: func(c *v1.Config) { c.User = "" },
			want: `user is ""`,
		},
		"Port": {
			reason: "The port is part of what a function's image declares.",
			stream: meta + "---\n" + crd, image: program, binary: program, change: func(c *v1.Config) { c.ExposedPorts = nil },
			want: "port 9443/tcp is not exposed",
		},
		"Entrypoint": {
			reason: "Without its entrypoint the image does nothing.",
			stream: meta + "---\n" + crd, image: program, binary: program, change: func(c *v1.Config) { c.Entrypoint = []string{"/bin/function"} },
			want: `entrypoint is ["/bin/function"]`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := writePackage(t, tc.stream, tc.image, tc.change)
			out := &bytes.Buffer{}

			err := check(out, file, root, tc.binary, "amd64")

			switch {
			case tc.want == "" && err != nil:
				t.Fatalf("\n%s\ncheck(...): %v", tc.reason, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Fatalf("\n%s\ncheck(...): want an error with %q, got %v", tc.reason, tc.want, err)
			}

			if !strings.Contains(out.String(), tc.out) {
				t.Errorf("\n%s\ncheck(...): want %q in %q", tc.reason, tc.out, out)
			}
		})
	}
}

// writePackage makes a package the way `crossplane xpkg build` does: a layer with package.yaml on the runtime's image.
func writePackage(t *testing.T, stream, program string, change func(*v1.Config)) string {
	t.Helper()

	img, err := image(readFile(t, program), "amd64")
	if err != nil {
		t.Fatal(err)
	}

	layer, err := fileLayer(packageFile, []byte(stream))
	if err != nil {
		t.Fatal(err)
	}

	img, err = mutate.AppendLayers(img, layer)
	if err != nil {
		t.Fatal(err)
	}

	if change != nil {
		cfg, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}

		cfg = cfg.DeepCopy()
		change(&cfg.Config)

		if img, err = mutate.ConfigFile(img, cfg); err != nil {
			t.Fatal(err)
		}
	}

	file := filepath.Join(t.TempDir(), "p.xpkg")
	tag, err := name.NewTag("package:test")
	if err != nil {
		t.Fatal(err)
	}

	if err := tarball.WriteToFile(file, tag, img); err != nil {
		t.Fatal(err)
	}

	return file
}
