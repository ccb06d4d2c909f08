// Package sandbox runs Debian's own cloud-init, all four stages of a boot, over the files of a cloud-init drive: in
// mount, host name, process and network namespaces on an overlay of a root file system. It takes seconds and shows what
// cloud-init makes of the documents; it starts no units and loads no modules.
package sandbox

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
)

//go:embed stages.sh
var stages []byte

//go:embed systemctl.sh
var systemctl []byte

// Disk is a VM's disk: what one boot leaves there is what the next one finds.
type Disk struct {
	root string // The image that it is a copy of.
	work string
}

// NewDisk from a root file system. Work is a folder for it, not on an overlay.
func NewDisk(root, work string) *Disk { return &Disk{root: root, work: work} }

// Boot with a drive and with network devices of these hardware addresses. The state of the guest afterwards is returned
// also if cloud-init failed; an error means that it did not run.
func (d *Disk) Boot(ctx context.Context, drive documents.Drive, macs ...string) (*Guest, error) {
	record := filepath.Join(d.work, "record")
	seed := filepath.Join(d.work, "seed")

	links := &strings.Builder{}
	// The names that a kernel gives them, before cloud-init does.
	for i, mac := range macs {
		fmt.Fprintf(links, "ens%d %s\n", 18+i, mac)
	}

	err := errors.Join(os.RemoveAll(record), os.RemoveAll(seed), os.MkdirAll(seed, 0o700))
	for name, file := range map[string]struct {
		content []byte
		mode    os.FileMode
	}{
		"stages":              {stages, 0o700},
		"systemctl":           {systemctl, 0o755},
		"links":               {[]byte(links.String()), 0o600},
		"seed/user-data":      {[]byte(drive.UserData), 0o600},
		"seed/meta-data":      {[]byte(drive.MetaData), 0o600},
		"seed/vendor-data":    {[]byte(drive.VendorData), 0o600},
		"seed/network-config": {[]byte(drive.NetworkConfig), 0o600},
	} {
		err = errors.Join(err, write(filepath.Join(d.work, name), file.content, file.mode))
	}

	if err != nil {
		return nil, fmt.Errorf("cannot prepare a sandbox: %w", err)
	}

	cmd := exec.CommandContext(ctx, "unshare", "--mount", "--uts", "--ipc", "--pid", "--net", "--fork", "--kill-child",
		filepath.Join(d.work, "stages"), d.root, d.work)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot run cloud-init in a sandbox: %w\n%s", err, out)
	}

	return d.guest()
}

// guest reads what is known after a boot.
func (d *Disk) guest() (*Guest, error) {
	g := &Guest{facts: map[string]string{}}

	record := filepath.Join(d.work, "record")

	entries, err := os.ReadDir(record)
	if err != nil {
		return nil, fmt.Errorf("cannot read what was recorded: %w", err)
	}

	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(record, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("cannot read what was recorded: %w", err)
		}

		g.facts[e.Name()] = string(b)
	}

	result := struct {
		V1 struct {
			Errors []string `json:"errors"`
		} `json:"v1"`
	}{}
	if err := json.Unmarshal([]byte(g.facts["result.json"]), &result); err != nil {
		return nil, fmt.Errorf("cannot read cloud-init's result: %w", err)
	}

	g.Errors = result.V1.Errors

	g.Files, err = filesIn(filepath.Join(d.work, "upper"), g.names("passwd"), g.names("group"))

	return g, err
}

// write a file while no process is started: it would have it open for writing, and nobody could run it.
func write(file string, content []byte, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()

	return os.WriteFile(file, content, mode)
}
