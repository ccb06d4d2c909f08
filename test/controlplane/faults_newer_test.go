package controlplane

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

const newer = "v0.2.0"

// pushNewerFunction pushes the Function's package once more, as a newer version: with another program, which differs in a
// byte that nobody reads.
func (r *rig) pushNewerFunction(ctx context.Context) error {
	ref, err := name.ParseReference(r.Registry.Host + "/" + functionPackage + ":" + version)
	if err != nil {
		return err
	}

	image, err := remote.Image(ref, remote.WithContext(ctx))
	if err != nil {
		return err
	}

	config, err := image.ConfigFile()
	if err != nil {
		return err
	}

	path := strings.TrimPrefix(config.Config.Entrypoint[0], "/")

	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return anotherProgram(image, path) })
	if err != nil {
		return err
	}

	// Not into the same variable: the layer is read out of the image as often as somebody asks for its bytes.
	newerImage, err := mutate.AppendLayers(image, layer)
	if err != nil {
		return err
	}

	return remote.Write(ref.Context().Tag(newer), newerImage, remote.WithContext(ctx))
}

// anotherProgram is a layer with the program of an image and one byte more.
func anotherProgram(image v1.Image, path string) (io.ReadCloser, error) {
	files := mutate.Extract(image)
	defer files.Close()

	for in := tar.NewReader(files); ; {
		header, err := in.Next()
		if err != nil {
			return nil, fmt.Errorf("cannot find %s: %w", path, err)
		}

		if strings.TrimPrefix(header.Name, "/") != path {
			continue
		}

		program, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}

		program = append(program, 0)
		header.Size = int64(len(program))

		var b bytes.Buffer

		out := tar.NewWriter(&b)
		if err := out.WriteHeader(header); err != nil {
			return nil, err
		}

		if _, err := out.Write(program); err != nil {
			return nil, err
		}

		return io.NopCloser(&b), out.Close()
	}
}

// pushNewerConfiguration pushes the Configuration as a newer version that wants the newer Function.
func (r *rig) pushNewerConfiguration() error {
	root := filepath.Join(output, "e2e", r.configuration, "newer", r.configuration)
	if err := copyFS(root, os.DirFS(packageRoot[r.configuration])); err != nil {
		return err
	}

	file := filepath.Join(root, "crossplane.yaml")

	meta, err := os.ReadFile(file)
	if err != nil {
		return err
	}

	wants := strings.Replace(string(meta), `">=`+newer+`-0"`, `">=`+newer+`"`, 1)
	if wants == string(meta) {
		return fmt.Errorf("%s does not depend on the pre-releases of %s", file, newer)
	}

	if err := os.WriteFile(file, []byte(wants), 0o600); err != nil {
		return err
	}

	built, err := r.Build(root)
	if err != nil {
		return err
	}

	return r.Push(built, "homelab-io/"+r.configuration+":"+newer)
}

var packageRoot = map[string]string{
	"configuration-proxmox-machine":            repository + "/package",
	"configuration-proxmox-machine-namespaced": repository + "/package-v2",
}
