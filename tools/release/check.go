package main

import (
	"bytes"
	"context"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// check reads a release back: every file is in the signed list, archives have what they should, the programs for this machine run and
// know their version, and packages are complete.
func check(ctx context.Context, stdout io.Writer, o options) error {
	errs := []error{checkList(o.output)}

	for _, p := range o.platforms {
		errs = append(errs, checkArchive(ctx, o, p))
	}

	for _, p := range packagesOf() {
		errs = append(errs, checkPackage(filepath.Join(packages(o.output), p.name), o.version, len(p.files)))
	}

	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("release %s is not what was to be built: %w", o.version, err)
	}

	_, err := fmt.Fprintf(stdout, "release %s: %d archives, %d packages\n", o.version, len(o.platforms), len(packagesOf()))

	return wrap(err, "cannot print the result")
}

// checkList compares the list of checksums, and that of digests, with the files that there are.
func checkList(output string) error {
	want, err := checksums(assets(output))
	if err != nil {
		return err
	}

	got, err := os.ReadFile(filepath.Join(assets(output), checksumsFile))
	if err != nil {
		return fmt.Errorf("cannot read the checksums: %w", err)
	}

	if string(got) != want {
		return fmt.Errorf("%s is not that of the files: want\n%sgot\n%s", checksumsFile, want, got)
	}

	return nil
}

func checkArchive(ctx context.Context, o options, p platform) error {
	name := archiveName(o.version, p)

	archive, err := os.ReadFile(filepath.Join(assets(o.output), name))
	if err != nil {
		return fmt.Errorf("cannot read an archive: %w", err)
	}

	files, err := unpack(name, archive)
	if err != nil {
		return err
	}

	want := []string{"LICENSE"}
	for _, program := range programs() {
		want = append(want, p.program(program))
	}

	slices.Sort(want) // As pack does: on Windows it is another order.

	var got []string
	for _, f := range files {
		got = append(got, f.name)
	}

	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		return fmt.Errorf("%s has the files %q, want %q and man pages", name, got, want)
	}

	if !bytes.Contains(files[0].data, []byte("Apache License")) || files[0].program {
		return fmt.Errorf("%s: LICENSE is not the license", name)
	}

	if err := checkMan(p, files[len(want):]); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}

	for _, f := range files[1:len(want)] {
		if err := checkProgram(ctx, o.version, f, p); err != nil {
			return fmt.Errorf("%s: %s: %w", name, f.name, err)
		}
	}

	return nil
}

// checkProgram: it is one for the platform, and says its version if that is this machine's.
func checkProgram(ctx context.Context, version string, f file, p platform) error {
	if !f.program {
		return errors.New("cannot be run: its mode says that it is no program")
	}

	got, err := platformOf(f.data)
	if err != nil {
		return err
	}

	if got != p {
		return fmt.Errorf("is built for %s", got)
	}

	if p.os != runtime.GOOS || p.arch != runtime.GOARCH {
		return nil
	}

	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return fmt.Errorf("cannot make a folder: %w", err)
	}

	defer os.RemoveAll(dir) //nolint:errcheck // Of a folder for temporary files.

	path := filepath.Join(dir, f.name)
	if err := os.WriteFile(path, f.data, programMode); err != nil {
		return fmt.Errorf("cannot unpack it: %w", err)
	}

	argument := "version"
	if f.name != p.program(programs()[0]) {
		argument = "--version" // It has one command alone.
	}

	out, err := exec.CommandContext(ctx, path, argument).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cannot run it: %w: %s", err, out)
	}

	if !slices.Contains(strings.Fields(string(out)), version) {
		return fmt.Errorf("prints %q, want version %s in it", out, version)
	}

	return nil
}

// platformOf a program, by the header of its file.
func platformOf(data []byte) (platform, error) {
	r := bytes.NewReader(data)

	if f, err := elf.NewFile(r); err == nil {
		return platform{"linux", map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]}, nil
	}

	if f, err := macho.NewFile(r); err == nil {
		return platform{"darwin", map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]}, nil
	}

	if f, err := pe.NewFile(r); err == nil {
		return platform{"windows", map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]}, nil
	}

	return platform{}, errors.New("is no program of Linux, macOS or Windows")
}

// checkPackage: all of its layers are there, and it has an image for each architecture that it was built for.
func checkPackage(dir, version string, images int) error {
	index, d, err := descriptorOf(dir, version)
	if err != nil {
		return err
	}

	if !d.MediaType.IsIndex() {
		if images != 1 {
			return fmt.Errorf("%s has one image, want %d", dir, images)
		}

		image, err := index.Image(d.Digest)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", dir, err)
		}

		return wrap(validate.Image(image), dir)
	}

	all, err := index.ImageIndex(d.Digest)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", dir, err)
	}

	if err := validate.Index(all); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}

	manifest, err := all.IndexManifest()
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", dir, err)
	}

	var got []string
	for _, m := range manifest.Manifests {
		got = append(got, platformName(m.Platform))
	}

	var want []string
	for _, arch := range functionArchs() {
		want = append(want, "linux/"+arch)
	}

	if len(got) != images || !slices.Equal(got, want) {
		return fmt.Errorf("%s has images for %q, want %q", dir, got, want)
	}

	return nil
}

func platformName(p *v1.Platform) string {
	if p == nil {
		return ""
	}

	return p.OS + "/" + p.Architecture
}
