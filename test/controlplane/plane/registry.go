package plane

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

// A Registry holds packages. It speaks plain HTTP, which clients accept on the loopback interface.
type Registry struct {
	// Host is its address as it stands in the name of an image.
	Host string

	server *http.Server
}

// startRegistry on a free port. Layers are kept in a folder.
func startRegistry(dir string) (*Registry, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}

	l, err := net.Listen("tcp", loopback(0))
	if err != nil {
		return nil, fmt.Errorf("cannot start the registry: %w", err)
	}

	quiet := log.New(io.Discard, "", 0)
	handler := registry.New(registry.Logger(quiet), registry.WithBlobHandler(registry.NewDiskBlobHandler(dir)))
	r := &Registry{Host: l.Addr().String(), server: &http.Server{Handler: handler, ErrorLog: quiet, ReadHeaderTimeout: time.Minute}}

	go func() { _ = r.server.Serve(l) }() // It ends when it is stopped.

	return r, nil
}

// Stop the registry. What it holds is gone.
func (r *Registry) Stop() { _ = r.server.Close() }

// Push a package file, as its author does: with the crossplane command line, under a name such as
// homelab-io/function-proxmox-machine:v0.2.0-dev.
func (p *Plane) Push(file, name string) error {
	cmd := exec.Command(p.tool("crossplane"), "xpkg", "push", "--package-files", file, p.Registry.Host+"/"+name)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot push %s: %w: %s", name, err, out)
	}

	return nil
}

// Build a package from its folder, with the crossplane command line, and return its file.
func (p *Plane) Build(root string) (file string, err error) {
	file = p.path("packages", filepath.Base(root)+".xpkg")
	cmd := exec.Command(p.tool("crossplane"), "xpkg", "build",
		"--package-root", root, "--examples-root", filepath.Join(root, "examples"), "--package-file", file)

	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the package in %s: %w: %s", root, err, out)
	}

	return file, nil
}
