package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// digestsFile names each package of the release by its digest.
const digestsFile = "digests.txt"

// build a release in a folder, which is emptied first.
func build(ctx context.Context, o options, at time.Time) error {
	changelog, err := readChangelog(o.root)
	if err != nil {
		return err
	}

	text, err := notes(changelog, o.version, o.unreleased)
	if err != nil {
		return err
	}

	output, err := filepath.Abs(o.output)
	if err != nil {
		return fmt.Errorf("cannot name the output: %w", err)
	}

	o.output = output
	work := output + ".work"

	for _, dir := range []string{output, work} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("cannot empty a folder: %w", err)
		}
	}

	for _, dir := range []string{assets(output), packages(output), work} {
		if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec,mnd // For everybody to read.
			return fmt.Errorf("cannot make a folder: %w", err)
		}
	}

	if err := writeFile(notesFile(output), []byte(text)); err != nil {
		return err
	}

	if err := buildPackages(ctx, o.root, o.version, work, packages(output)); err != nil {
		return err
	}

	for _, arch := range functionArchs() {
		if err := sbom(ctx, o, "function-proxmox-machine", filepath.Join(work, "function-linux-"+arch), platform{"linux", arch}); err != nil {
			return err
		}
	}

	sums, err := buildArchives(ctx, o, work, at)
	if err != nil {
		return err
	}

	return writeLists(o, sums)
}

// buildArchives compiles the command line for each platform, and returns the checksums of the archives.
func buildArchives(ctx context.Context, o options, work string, at time.Time) (map[string]string, error) {
	license, err := os.ReadFile(filepath.Join(o.root, "LICENSE"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the license: %w", err)
	}

	manual, err := manPages(ctx, o.root, work, at)
	if err != nil {
		return nil, err
	}

	sums := map[string]string{}

	for _, p := range o.platforms {
		files := []file{{name: "LICENSE", data: license}}
		if p.hasMan() {
			files = append(files, manual...)
		}

		for _, program := range programs() {
			binary := filepath.Join(work, p.String(), p.program(program))
			if err := compile(ctx, o.root, o.version, p, "./cmd/"+program, binary); err != nil {
				return nil, err
			}

			if err := sbom(ctx, o, program, binary, p); err != nil {
				return nil, err
			}

			data, err := os.ReadFile(binary)
			if err != nil {
				return nil, fmt.Errorf("cannot read a program: %w", err)
			}

			files = append(files, file{name: p.program(program), data: data, program: true})
		}

		name := archiveName(o.version, p)

		archive, err := pack(name, files, at)
		if err != nil {
			return nil, err
		}

		if err := writeFile(filepath.Join(assets(o.output), name), archive); err != nil {
			return nil, err
		}

		sums[name] = sha256Of(archive)
	}

	return sums, nil
}

// sbomName is that of the software bill of materials of a program.
func sbomName(program, version string, p platform) string {
	return program + "_" + version + "_" + p.String() + ".cdx.json"
}

// sbom lists the modules that a program is built from, as the program itself has them, in CycloneDX.
func sbom(ctx context.Context, o options, program, binary string, p platform) error {
	gomod, err := tool(o.root, "cyclonedx-gomod")
	if err != nil {
		return err
	}

	return execute(exec.CommandContext(ctx, gomod, "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", o.version,
		"-output", filepath.Join(assets(o.output), sbomName(program, o.version, p)), binary), o.root)
}

// writeLists of what the release has: the plugin's manifest, the packages' digests and, last, the checksums of all.
func writeLists(o options, sums map[string]string) error {
	manifest, err := krewManifest(o.version, o.platforms, sums)
	if err != nil {
		return err
	}

	if err := writeFile(filepath.Join(assets(o.output), krewFile), manifest); err != nil {
		return err
	}

	list, err := digests(o.output, o.version)
	if err != nil {
		return err
	}

	if err := writeFile(filepath.Join(assets(o.output), digestsFile), []byte(list)); err != nil {
		return err
	}

	all, err := checksums(assets(o.output))
	if err != nil {
		return err
	}

	return writeFile(filepath.Join(assets(o.output), checksumsFile), []byte(all))
}
