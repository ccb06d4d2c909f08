package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// refName is the annotation with which an image layout names an image.
const refName = "org.opencontainers.image.ref.name"

// A crossplanePackage and the files that hack/xpkg.sh makes of it, one for each architecture.
type crossplanePackage struct {
	name  string
	files []string
}

// packagesOf a release. Configurations are for every architecture.
func packagesOf() []crossplanePackage {
	function := crossplanePackage{name: "function-proxmox-machine"}
	for _, arch := range functionArchs() {
		function.files = append(function.files, function.name+"-"+arch+".xpkg")
	}

	out := []crossplanePackage{function}
	for _, n := range []string{"configuration-proxmox-machine", "configuration-proxmox-machine-namespaced"} {
		out = append(out, crossplanePackage{name: n, files: []string{n + ".xpkg"}})
	}

	return out
}

// buildPackages compiles the function for each architecture, and makes all packages in a folder, as image layouts in another.
func buildPackages(ctx context.Context, root, version, work, output string) error {
	for _, arch := range functionArchs() {
		if err := compile(ctx, root, version, platform{"linux", arch}, ".", filepath.Join(work, "function-linux-"+arch)); err != nil {
			return err
		}

		if err := execute(exec.CommandContext(ctx, filepath.Join("hack", "xpkg.sh"), work, arch), root); err != nil {
			return err
		}
	}

	crossplane, err := tool(root, "crossplane")
	if err != nil {
		return err
	}

	// A registry in this process, so that digests are those of what the crossplane command line pushes.
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()

	host := strings.TrimPrefix(server.URL, "http://")

	for _, p := range packagesOf() {
		pushed := host + "/homelab-io/" + p.name + ":" + version

		args := []string{"xpkg", "push", pushed}
		for _, f := range p.files {
			args = append(args, "--package-files", filepath.Join(work, f))
		}

		if err := execute(exec.CommandContext(ctx, crossplane, args...), root); err != nil {
			return err
		}

		if err := pull(ctx, pushed, filepath.Join(output, p.name), version); err != nil {
			return err
		}
	}

	return nil
}

// pull a package from a registry into an image layout.
func pull(ctx context.Context, from, dir, version string) error {
	ref, err := name.NewTag(from, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("cannot name %s: %w", from, err)
	}

	found, err := remote.Get(ref, remote.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("cannot pull %s: %w", from, err)
	}

	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", dir, err)
	}

	named := layout.WithAnnotations(map[string]string{refName: version})

	if found.MediaType.IsIndex() {
		index, err := found.ImageIndex()
		if err != nil {
			return fmt.Errorf("cannot pull %s: %w", from, err)
		}

		return wrap(path.AppendIndex(index, named), "cannot write "+dir)
	}

	image, err := found.Image()
	if err != nil {
		return fmt.Errorf("cannot pull %s: %w", from, err)
	}

	return wrap(path.AppendImage(image, named), "cannot write "+dir)
}

// descriptorOf the only package of an image layout, which has this version.
func descriptorOf(dir, version string) (v1.ImageIndex, v1.Descriptor, error) {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, v1.Descriptor{}, fmt.Errorf("cannot read %s: %w", dir, err)
	}

	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, v1.Descriptor{}, fmt.Errorf("cannot read %s: %w", dir, err)
	}

	if len(manifest.Manifests) != 1 || manifest.Manifests[0].Annotations[refName] != version {
		return nil, v1.Descriptor{}, fmt.Errorf("%s has not one package of version %s", dir, version)
	}

	return index, manifest.Manifests[0], nil
}

// digests of all packages, as people name them: by the registry of the documentation.
func digests(output, version string) (string, error) {
	out := strings.Builder{}

	for _, p := range packagesOf() {
		_, d, err := descriptorOf(filepath.Join(packages(output), p.name), version)
		if err != nil {
			return "", err
		}

		fmt.Fprintf(&out, "%s/%s@%s\n", registryHost, p.name, d.Digest)
	}

	return out.String(), nil
}

func wrap(err error, doing string) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}

	return nil
}

func writeFile(path string, data []byte) error {
	return wrap(os.WriteFile(path, data, textMode), "cannot write a file of the release")
}
