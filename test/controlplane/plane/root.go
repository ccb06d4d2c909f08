package plane

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// withOwnRoot makes a root of the file system with what a program needs of the image that it is in otherwise: itself,
// Crossplane's CRDs and webhooks, and a kubeconfig. The program that is returned is seen from there.
func (p *Plane) withOwnRoot(program Program, kubeconfig string) (Program, error) {
	const binary, config = "/crossplane", "/kubeconfig"

	root := p.path("root")
	if err := os.MkdirAll(root, 0o700); err != nil {
		return program, err
	}

	for path, from := range map[string]string{binary: program.Path, config: kubeconfig} {
		if err := copyFile(filepath.Join(root, path), from); err != nil {
			return program, fmt.Errorf("cannot make a file system for %s: %w", program.Name, err)
		}
	}

	for _, dir := range []string{"crds", "webhookconfigurations"} {
		if err := os.CopyFS(filepath.Join(root, dir), os.DirFS(filepath.Join(p.config.Crossplane, "cluster", dir))); err != nil {
			return program, fmt.Errorf("cannot make a file system for %s: %w", program.Name, err)
		}
	}

	program.Root, program.Path = root, binary
	program.Env = append(program.Env, "KUBECONFIG="+config)

	return program, nil
}

// changeRoot of a command. Whoever is not root may do that in a user namespace, where the system allows such.
func changeRoot(cmd *exec.Cmd, root string) {
	cmd.Dir = "/"
	cmd.SysProcAttr.Chroot = root

	if id := os.Geteuid(); id != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
	}
}

// copyFile makes a file for its owner only: it is a program, or has a token in it.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()

	return write(to, in)
}
