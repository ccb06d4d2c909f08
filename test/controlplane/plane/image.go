package plane

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// extractEntrypoint writes the program that an image starts into a folder and returns its file name.
func extractEntrypoint(ctx context.Context, ref name.Reference, dir string) (file string, err error) {
	image, err := remote.Image(ref, remote.WithContext(ctx))
	if err != nil {
		return "", err
	}

	config, err := image.ConfigFile()
	if err != nil {
		return "", err
	}

	if len(config.Config.Entrypoint) == 0 {
		return "", errors.New("it has no entrypoint")
	}

	entrypoint := path.Clean(config.Config.Entrypoint[0])

	files := mutate.Extract(image)
	defer files.Close()

	for archive := tar.NewReader(files); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return "", fmt.Errorf("its entrypoint %s is not in it", entrypoint)
		}

		if err != nil {
			return "", err
		}

		if path.Join("/", header.Name) == entrypoint {
			file = path.Base(entrypoint)

			return file, write(filepath.Join(dir, file), archive)
		}
	}
}

// write an executable file, while no process is started: it would have the file open for writing, and nobody could run it.
func write(path string, content io.Reader) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()

	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}

	_, err = io.Copy(f, content)

	return errors.Join(err, f.Close())
}
