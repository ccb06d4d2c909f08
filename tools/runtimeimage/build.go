package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// What Crossplane expects of a function's image: it serves on the port, and the Pods that Crossplane makes run as non
// root, which needs a numeric user.
const (
	entrypoint = "/function"
	user       = "65532:65532"
	port       = "9443/tcp"
)

// build writes an image tarball with the binary as its only file. The same binary gives the same bytes: nothing in the
// image depends on the time or the machine.
func build(binary, arch, output string) error {
	data, err := os.ReadFile(filepath.Clean(binary))
	if err != nil {
		return fmt.Errorf("cannot read function binary: %w", err)
	}

	if err := checkStatic(data, arch); err != nil {
		return fmt.Errorf("cannot put %s into an image: %w", binary, err)
	}

	img, err := image(data, arch)
	if err != nil {
		return err
	}

	tag, err := name.NewTag("function-proxmox-machine:" + arch)
	if err != nil {
		return fmt.Errorf("cannot name image: %w", err)
	}

	if err := tarball.WriteToFile(output, tag, img); err != nil {
		return fmt.Errorf("cannot write image tarball: %w", err)
	}

	return nil
}

func image(binary []byte, arch string) (v1.Image, error) {
	layer, err := fileLayer(entrypoint[1:], binary)
	if err != nil {
		return nil, err
	}

	created := v1.Time{Time: time.Unix(0, 0).UTC()}

	img, err := mutate.Append(empty.Image, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: created, CreatedBy: "runtimeimage", Comment: "the function's static binary"},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot append image layer: %w", err)
	}

	cfg, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("cannot read image configuration: %w", err)
	}

	cfg = cfg.DeepCopy()
	cfg.OS, cfg.Architecture, cfg.Created = "linux", arch, created
	cfg.Config = v1.Config{
		Entrypoint:   []string{entrypoint},
		User:         user,
		WorkingDir:   "/",
		ExposedPorts: map[string]struct{}{port: {}},
	}

	img, err = mutate.ConfigFile(img, cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot configure image: %w", err)
	}

	return img, nil
}

// fileLayer is an image layer with one file at its root.
func fileLayer(name string, data []byte) (v1.Layer, error) {
	content, err := archive(name, data)
	if err != nil {
		return nil, err
	}

	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make image layer: %w", err)
	}

	return layer, nil
}

// archive is a tar archive of one file with fixed owner, mode and time.
func archive(name string, data []byte) ([]byte, error) {
	buf := &bytes.Buffer{}
	w := tar.NewWriter(buf)

	header := &tar.Header{
		Typeflag: tar.TypeReg,
		Name:     name,
		Size:     int64(len(data)),
		Mode:     0o555,
		ModTime:  time.Unix(0, 0),
		Format:   tar.FormatUSTAR,
	}
	if err := w.WriteHeader(header); err != nil {
		return nil, fmt.Errorf("cannot archive %s: %w", name, err)
	}

	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("cannot archive %s: %w", name, err)
	}

	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("cannot archive %s: %w", name, err)
	}

	return buf.Bytes(), nil
}

// machines are the ELF names of the architectures that function images are built for.
func machines() map[string]elf.Machine {
	return map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
}

// checkStatic returns an error unless the binary runs on Linux and arch with no file beside it. In an image without a
// base a dynamically linked binary ends with "no such file or directory", which helps nobody.
func checkStatic(binary []byte, arch string) error {
	want, ok := machines()[arch]
	if !ok {
		return fmt.Errorf("unknown architecture %q", arch)
	}

	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return fmt.Errorf("not a Linux binary: %w", err)
	}

	if f.Machine != want {
		return fmt.Errorf("built for %s, not for %s", f.Machine, want)
	}

	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("dynamically linked: build it with CGO_ENABLED=0")
		}
	}

	return nil
}
