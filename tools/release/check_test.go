package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

const version = "v0.2.0"

// newRelease writes a release for this machine, whose programs are this test's: it prints its version if it is asked for it.
func newRelease(t *testing.T, change func(files []file) []file) options {
	t.Helper()

	o := options{version: version, output: t.TempDir(), platforms: []platform{here}}

	for _, dir := range []string{assets(o.output), packages(o.output)} {
		must(t, os.MkdirAll(dir, 0o700))
	}

	for _, p := range packagesOf() {
		writeLayout(t, filepath.Join(packages(o.output), p.name), len(p.files))
	}

	archive, err := goodArchive()

	if change != nil {
		archive, err = pack(archiveName(version, here), change(filesWith([]byte("not run"))), time.Unix(0, 0))
	}

	must(t, err)
	must(t, writeFile(filepath.Join(assets(o.output), archiveName(version, here)), archive))
	must(t, writeLists(o, map[string]string{archiveName(version, here): sha256Of(archive)}))

	return o
}

var here = platform{runtime.GOOS, runtime.GOARCH}

// filesWith a program of this content.
func filesWith(program []byte) []file {
	files := []file{{name: "LICENSE", data: []byte("Apache License")}}
	for _, p := range programs() {
		files = append(files, file{name: here.program(p), data: program, program: true})
	}

	if !here.hasMan() {
		return files
	}

	for _, p := range programs() {
		files = withPage(files, p, ".nh\n.TH \""+p+"\" \"1\"\n", time.Time{})
	}

	return files
}

// withPage adds a man page, compressed at a time.
func withPage(files []file, name, text string, at time.Time) []file {
	out := &bytes.Buffer{}
	w := gzip.NewWriter(out)
	w.ModTime = at

	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err)
	}

	return append(files, file{name: manFolder + "/" + name + ".1.gz", data: out.Bytes()})
}

// goodArchive is packed once: this test's program is large.
var goodArchive = sync.OnceValues(func() ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}

	program, err := os.ReadFile(self)
	if err != nil {
		return nil, err
	}

	return pack(archiveName(version, here), filesWith(program), time.Unix(0, 0))
})

// TestMain is the program of the archives, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && (os.Args[1] == "version" || os.Args[1] == "--version") {
		_, _ = io.WriteString(os.Stdout, "kubectl-machine "+os.Getenv("RELEASE_TEST_VERSION")+" for this test\n")
		os.Exit(0)
	}

	os.Exit(m.Run())
}

// writeLayout of a package of random content, with an image for each architecture, or with one.
func writeLayout(t *testing.T, dir string, images int) {
	t.Helper()

	path, err := layout.Write(dir, empty.Index)
	must(t, err)

	named := layout.WithAnnotations(map[string]string{refName: version})

	if images == 1 {
		image, err := random.Image(64, 1)
		must(t, err)
		must(t, path.AppendImage(image, named))

		return
	}

	index := v1.ImageIndex(empty.Index)

	for _, arch := range functionArchs()[:images] {
		image, err := random.Image(64, 1)
		must(t, err)

		image, err = mutate.ConfigFile(image, configFor(t, image, arch))
		must(t, err)

		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}

	must(t, path.AppendIndex(index, named))
}

func configFor(t *testing.T, image v1.Image, arch string) *v1.ConfigFile {
	t.Helper()

	found, err := image.ConfigFile()
	must(t, err)

	config := found.DeepCopy()
	config.OS, config.Architecture = "linux", arch

	return config
}

func must(t *testing.T, err error) {
	t.Helper()

	if err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		reason string
		files  func([]file) []file
		after  func(t *testing.T, o options)
		says   string // What the programs print as their version.
		want   string // Part of the error.
	}{
		"Good":      {reason: "what was built passes", says: version},
		"OtherText": {reason: "a program that was linked without its version is caught", says: "unreleased", want: "want version v0.2.0 in it"},
		"NoLicense": {
			reason: "an archive without the license is caught", says: version, want: `has the files ["kubectl-machine" "kubectl-machine-lint" "man/`,
			files: func(f []file) []file { return f[1:] },
		},
		"OneProgram": {
			reason: "an archive without one of the programs is caught", says: version, want: `has the files ["LICENSE" "kubectl-machine"]`,
			files: func(f []file) []file { return f[:2] },
		},
		"EmptyLicense": {
			reason: "an empty license is none", says: version, want: "LICENSE is not the license",
			files: func(f []file) []file { f[0].data = nil; return f },
		},
		"Mode": {
			reason: "a program that cannot be run is caught", says: version, want: "cannot be run",
			files: func(f []file) []file { f[1].program = false; return f },
		},
		"NoProgram": {
			reason: "a text is no program", says: version, want: "is no program",
			files: func(f []file) []file { f[1].data = []byte("#!/bin/sh\n"); return f },
		},
		"NoMan": {
			reason: "an archive without the pages is caught", says: version, want: "there is no man page man/man1/kubectl-machine.1.gz",
			files: func(f []file) []file {
				return slices.DeleteFunc(f, func(f file) bool { return strings.HasPrefix(f.name, manFolder) })
			},
		},
		"ManOfOne": {
			reason: "each program has its page", says: version, want: "there is no man page man/man1/kubectl-machine-lint.1.gz",
			files: func(f []file) []file {
				return slices.DeleteFunc(f, func(f file) bool { return f.name == manFolder+"/kubectl-machine-lint.1.gz" })
			},
		},
		"ManDated": {
			reason: "a page with a time in it would be another one in the next build", says: version, want: "has the name or the time of a file in it",
			files: func(f []file) []file { return withPage(f, "x", ".TH x\n", time.Unix(1, 0)) },
		},
		"ManEmpty": {
			reason: "a page is one", says: version, want: "has no title",
			files: func(f []file) []file { return withPage(f, "x", "page\n", time.Time{}) },
		},
		"ManElsewhere": {
			reason: "what man does not find is no page", says: version, want: "man/cat1/x.1.gz: is no man page of section 1",
			files: func(f []file) []file { return append(f, file{name: "man/cat1/x.1.gz"}) },
		},
		"ManPlain": {
			reason: "pages are compressed", says: version, want: "cannot uncompress",
			files: func(f []file) []file { return append(f, file{name: manFolder + "/x.1.gz", data: []byte(".TH x\n")}) },
		},
		"Changed": {
			reason: "a file that is not the one of the signed list is caught", says: version, want: "checksums.txt is not that of the files",
			after: func(t *testing.T, o options) {
				t.Helper()
				must(t, writeFile(filepath.Join(assets(o.output), krewFile), []byte("kind: Plugin\n")))
			},
		},
		"NoLayer": {
			reason: "a package that lacks a layer is caught", says: version, want: "configuration-proxmox-machine",
			after: func(t *testing.T, o options) {
				t.Helper()
				must(t, os.RemoveAll(filepath.Join(packages(o.output), "configuration-proxmox-machine", "blobs")))
			},
		},
		"OneArchitecture": {
			reason: "a function for one architecture is caught", says: version, want: "has one image, want 2",
			after: func(t *testing.T, o options) {
				t.Helper()

				dir := filepath.Join(packages(o.output), "function-proxmox-machine")
				must(t, os.RemoveAll(dir))
				writeLayout(t, dir, 1)
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("RELEASE_TEST_VERSION", tc.says)

			o := newRelease(t, tc.files)
			if tc.after != nil {
				tc.after(t, o)
			}

			err := check(t.Context(), io.Discard, o)

			switch {
			case tc.want == "" && err != nil:
				t.Errorf("%s: %v", tc.reason, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s: want an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestPush: what is pushed has the digests that were built, which is what cosign is to sign.
func TestPush(t *testing.T) {
	o := newRelease(t, nil)

	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()

	o.registry = strings.TrimPrefix(server.URL, "http://") + "/homelab-io"

	out := &bytes.Buffer{}
	must(t, push(t.Context(), out, o))

	built, err := os.ReadFile(filepath.Join(assets(o.output), digestsFile))
	must(t, err)

	if diff := cmp.Diff(strings.ReplaceAll(string(built), registryHost, o.registry), out.String()); diff != "" {
		t.Errorf("digests: -built, +pushed:\n%s", diff)
	}

	for line := range strings.Lines(out.String()) {
		byDigest, err := name.NewDigest(strings.TrimSpace(line))
		must(t, err)

		tagged, err := remote.Get(byDigest.Context().Tag(version))
		must(t, err)

		if tagged.Digest.String() != byDigest.DigestStr() {
			t.Errorf("%s has another digest under its tag: %s", byDigest, tagged.Digest)
		}
	}

	o.version = "v0.3.0"
	if err := push(t.Context(), io.Discard, o); err == nil || !strings.Contains(err.Error(), "not one package of version v0.3.0") {
		t.Errorf("want a folder of another version to be refused, got %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"NoCommand":    {"nothing to do is not success", nil, "no command given"},
		"OtherCommand": {"a mistyped command is named", []string{"biuld", "-version", version, "-output", "x"}, `unknown command "biuld"`},
		"Version":      {"a tag such as 0.2.0 would build what nobody finds", []string{"build", "-version", "0.2.0", "-output", "x"}, "want one such as v0.2.0"},
		"NoOutput":     {"a release needs a folder", []string{"check", "-version", version}, "-output is required"},
		"NoRegistry":   {"there is no registry that a push would be right for", []string{"push", "-version", version, "-output", "x"}, "-registry is required"},
		"Argument":     {"what no flag takes is not ignored", []string{"build", "v0.2.0"}, `unexpected argument "v0.2.0"`},
		"Platform":     {"a platform that is not built for is named", []string{"build", "-version", version, "-platforms", "linux/386"}, `cannot build for "linux/386"`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), tc.args, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: want an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
