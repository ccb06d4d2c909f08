package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Terraform is the program and where it finds the plugin.
type Terraform struct {
	program string
	env     []string
	// initialised is a workspace that terraform init has run in.
	initialised string
}

// NewTerraform prepares dir so that Terraform runs from there offline: the plugin in a file system mirror, as in the
// provider's image, and a home of its own, since the plugin writes known_hosts.
func NewTerraform(dir, program, plugin string) (*Terraform, error) {
	mirror := filepath.Join(dir, "mirror")
	in := filepath.Join(mirror, "registry.terraform.io", "bpg", "proxmox", pluginVersion, runtime.GOOS+"_"+runtime.GOARCH)
	home := filepath.Join(dir, "home")
	rc := filepath.Join(dir, "terraformrc")
	config := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	err := errors.Join(
		os.MkdirAll(in, 0o750),
		os.MkdirAll(home, 0o700),
		os.Symlink(plugin, filepath.Join(in, "terraform-provider-proxmox_v"+pluginVersion)),
		os.WriteFile(rc, []byte(config), 0o600),
	)
	if err != nil {
		return nil, fmt.Errorf("cannot prepare Terraform: %w", err)
	}
	return &Terraform{program: program, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + dir, "TF_CLI_CONFIG_FILE=" + rc,
		"CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0",
		// Each runs for less than a second: what collecting garbage saves of memory is not worth a fifth of that.
		"GOGC=400",
	}}, nil
}

// A Workspace is the directory in which Terraform runs for one managed resource.
type Workspace struct {
	Resource Resource
	dir      string
	tf       *Terraform
	// seen is true once the resource was reconciled.
	seen bool
}

// NewWorkspace writes main.tf.json, seeds the state if r has an external name, and initialises, as Upjet does before a
// first Observe.
func (tf *Terraform) NewWorkspace(ctx context.Context, dir string, r Resource, c Connection) (*Workspace, error) {
	w := &Workspace{Resource: r, dir: dir, tf: tf}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make a workspace: %w", err)
	}
	if id := r.ExternalName(); id != "" {
		if err := w.Seed(id, nil); err != nil {
			return nil, err
		}
	}
	if err := w.Render(r, c); err != nil {
		return nil, err
	}
	return w, tf.initialise(ctx, w)
}

// initialise runs terraform init, once. What it leaves says only where the plugin is, so other workspaces get a copy. Where
// the plugin runs already, it leaves nothing.
func (tf *Terraform) initialise(ctx context.Context, w *Workspace) error {
	const plugins, lock = ".terraform", ".terraform.lock.hcl"

	if tf.initialised == "" {
		if _, err := w.run(ctx, "init", "-input=false", "-no-color"); err != nil {
			return err
		}

		tf.initialised = w.dir

		return nil
	}

	locked, err := os.ReadFile(filepath.Join(tf.initialised, lock))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	return errors.Join(err,
		os.Symlink(filepath.Join(tf.initialised, plugins), filepath.Join(w.dir, plugins)),
		os.WriteFile(filepath.Join(w.dir, lock), locked, 0o600),
	)
}

// Render writes main.tf.json for a new version of the managed resource.
func (w *Workspace) Render(r Resource, c Connection) error { return w.render(r, c, false) }

func (w *Workspace) render(r Resource, c Connection, deleting bool) error {
	w.Resource = r

	main, err := MainTF(r, c, deleting)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.dir, "main.tf.json"), main, 0o600); err != nil {
		return fmt.Errorf("cannot write main.tf.json: %w", err)
	}
	return nil
}

// Validate checks the configuration without asking Proxmox.
func (w *Workspace) Validate(ctx context.Context) error {
	_, err := w.run(ctx, "validate", "-no-color")

	return err
}

// Refresh reads what the id in the state stands for, and tells whether it is there.
func (w *Workspace) Refresh(ctx context.Context) (bool, error) {
	if _, err := w.logged(ctx, "apply", "-refresh-only", "-auto-approve", "-input=false", "-lock=false"); err != nil {
		return false, err
	}

	a, err := w.Attributes()

	return len(a) > 0, err
}

// Import reads what id, in the form that Terraform imports, stands for, and tells whether it is there. The provider does this
// with a resource that it may neither create nor update. What was in the state is gone before, in either case.
// Source: crossplane/upjet v2.2.0, pkg/terraform/workspace.go, Import.
func (w *Workspace) Import(ctx context.Context, id string) (bool, error) {
	if err := os.Remove(w.stateFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("cannot remove the state: %w", err)
	}

	address := w.Resource.TerraformType() + "." + w.Resource.Metadata.Name

	_, err := w.run(ctx, "import", "-input=false", "-lock=false", "-no-color", address, id)
	if exit := (&ExitError{}); errors.As(err, &exit) && strings.Contains(exit.Output, "Cannot import non-existent remote object") {
		return false, nil
	}

	return err == nil, err
}

// Plan compares the configuration with Proxmox, which it asks first. It returns false and the plan as text if they differ.
func (w *Workspace) Plan(ctx context.Context) (bool, string, error) {
	out, err := w.run(ctx, "plan", "-detailed-exitcode", "-input=false", "-lock=false", "-no-color")

	exit := &ExitError{}
	switch {
	case !errors.As(err, &exit):
		return err == nil, out, err
	case exit.Code == 2:
		return false, out, nil
	}

	// Once more, for the text that the provider would quote. A plan changes nothing.
	again := &ExitError{}
	if _, failure := w.logged(ctx, "plan", "-input=false", "-lock=false"); errors.As(failure, &again) {
		exit.Diagnostics = again.Diagnostics
	}

	return false, out, err
}

// Apply makes it so. With prevent_destroy, as the provider sets it, a replacement fails.
func (w *Workspace) Apply(ctx context.Context) (Report, error) {
	return w.logged(ctx, "apply", "-auto-approve", "-input=false", "-lock=false")
}

// Destroy deletes the resource.
func (w *Workspace) Destroy(ctx context.Context, c Connection) error {
	if err := w.render(w.Resource, c, true); err != nil {
		return err
	}

	_, err := w.logged(ctx, "destroy", "-auto-approve", "-input=false", "-lock=false")

	return err
}
