package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The repository, as its Go module, its releases and its packages name it.
const (
	repository   = "github.com/homelab-io/function-proxmox-machine"
	registryHost = "ghcr.io/homelab-io"
)

// versionVariable is what the linker sets.
const versionVariable = repository + "/internal/version.linked"

// A platform that archives are for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// program is the name of a program's file there.
func (p platform) program(name string) string {
	if p.os == "windows" {
		return name + ".exe"
	}

	return name
}

// platforms in the order of the krew manifest: all, or those of a list such as linux/amd64,darwin/arm64.
func platforms(list string) ([]platform, error) {
	var out []platform

	wanted := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })

	for _, os := range []string{"darwin", "linux", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			if len(wanted) == 0 || slices.Contains(wanted, os+"/"+arch) {
				out = append(out, platform{os, arch})
			}
		}
	}

	if len(wanted) != 0 && len(wanted) != len(out) {
		return nil, fmt.Errorf("cannot build for %q: want platforms such as linux/amd64, of darwin, linux, windows and amd64, arm64, each once", list)
	}

	return out, nil
}

// programs of an archive: kubectl-machine finds the other one beside itself.
func programs() []string { return []string{"kubectl-machine", "kubectl-machine-lint"} }

// functionArchs are the architectures of the function's package.
func functionArchs() []string { return []string{"amd64", "arm64"} }

// compile a command of the repository.
func compile(ctx context.Context, root, version string, p platform, command, output string) error {
	output, err := filepath.Abs(output)
	if err != nil {
		return fmt.Errorf("cannot name the output: %w", err)
	}

	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X "+versionVariable+"="+version, "-o", output, command)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOOS="+p.os, "GOARCH="+p.arch)

	return execute(cmd, root)
}

// execute a command in the repository's folder. What it prints is shown if it fails.
func execute(cmd *exec.Cmd, root string) error {
	cmd.Dir = root

	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot run %s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}

	return nil
}

// tool of the repository's .tools/bin.
func tool(root, name string) (string, error) {
	path, err := filepath.Abs(filepath.Join(root, ".tools", "bin", name))
	if err != nil {
		return "", fmt.Errorf("cannot name %s: %w", name, err)
	}

	return path, nil
}
