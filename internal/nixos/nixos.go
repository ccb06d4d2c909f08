// Package nixos is what a NixOS machine that converges from a flake puts into its cloud-config: the flake's name, the
// parameters, and, for an image that does not carry it, the unit that does the work.
//
// The scripts are constant. They take their parameters from /etc/nix-flake-target and /etc/nix-gitops/env.
package nixos

import (
	_ "embed" // The scripts.

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/envfile"
	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
)

//go:embed scripts/nix-gitops-apply
var applyScript string

//go:embed scripts/nix-gitops-apply.service
var applyUnit string

//go:embed scripts/former/nix-gitops-apply-v0.1.0
var applyScriptV010 string

//go:embed scripts/former/nix-gitops-apply-v0.1.0.service
var applyUnitV010 string

//go:embed scripts/per-boot
var perBootScript string

// A Target is what a machine converges to, and how.
type Target struct {
	FlakeRef    string // With #name.
	Schedule    string // systemd calendar expression; empty: once.
	Reboot      string // never, kernel or always.
	HealthCheck string // Shell command; empty: none.
	// Silent: the machine does not report to the outside what a run comes to.
	Silent bool
	// InImage says that the image carries nix-gitops-apply.service.
	InImage bool
}

// EnvReport is the variable of the file at [EnvPath] by which a machine reports nothing.
const EnvReport = "NIX_GITOPS_REPORT"

// Paths on the machine.
const (
	TargetPath  = "/etc/nix-flake-target"
	EnvPath     = "/etc/nix-gitops/env"
	applyPath   = "/var/lib/nix-gitops/nix-gitops-apply"
	unitPath    = "/var/lib/nix-gitops/nix-gitops-apply.service"
	perBootPath = "/var/lib/cloud/scripts/per-boot/10-nix-gitops"
	// reporterPath is beside the script that starts it.
	reporterPath = "/var/lib/nix-gitops/guest-report"
)

// Files of the machine. NixOS has no write_files_deferred, so none is deferred.
func (t Target) Files() ([]cloudinit.File, error) {
	mode := "first-boot"
	if t.Schedule != "" {
		mode = "continuous"
	}

	variables := []envfile.Variable{
		{Name: "NIX_GITOPS_MODE", Value: mode},
		{Name: "NIX_GITOPS_SCHEDULE", Value: t.Schedule},
		{Name: "NIX_GITOPS_REBOOT", Value: t.Reboot},
		{Name: "NIX_GITOPS_HEALTH_CHECK", Value: t.HealthCheck},
	}

	// Not written otherwise, so that the parameters of existing machines are as they were.
	if t.Silent {
		variables = append(variables, envfile.Variable{Name: EnvReport, Value: "None"})
	}

	env, err := envfile.Marshal(variables...)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make "+EnvPath)
	}

	files := []cloudinit.File{
		{Path: TargetPath, Permissions: "0644", Content: t.FlakeRef + "\n"},
		{Path: EnvPath, Permissions: "0600", Content: env},
	}

	if t.InImage {
		return files, nil
	}

	return append(files,
		cloudinit.File{Path: applyPath, Permissions: "0755", Content: applyScript, Constant: true},
		cloudinit.File{Path: reporterPath, Permissions: "0755", Content: guestreport.Script, Constant: true, Since: cloudinit.ReleaseV020},
		cloudinit.File{Path: unitPath, Permissions: "0644", Content: applyUnit, Constant: true},
		cloudinit.File{Path: perBootPath, Permissions: "0755", Content: perBootScript, Constant: true},
	), nil
}

// Former returns the constant files of earlier releases, by path, as far as they differ from the present ones. They are never
// written to a new machine.
func Former() map[cloudinit.Release]map[string]string {
	return map[cloudinit.Release]map[string]string{cloudinit.ReleaseV010: {applyPath: applyScriptV010, unitPath: applyUnitV010}}
}

// Commands of the first boot. Without the unit in the image there are none: the per-boot script starts it.
func (t Target) Commands() [][]string {
	if !t.InImage {
		return nil
	}

	// --no-block: the unit is ordered after cloud-final.service, and waiting for it there would never end.
	return [][]string{{"systemctl", "start", "--no-block", "nix-gitops-apply.service"}}
}

// Rules returns what the user's own cloud-config may not touch on a NixOS machine: the rules of every machine, what would
// cut off the bootstrap, and the paths that belong to it.
func Rules() cloudinit.Rules {
	const advice = "set spec.nix"

	rules := cloudinit.MachineRules()
	rules.Owned["power_state"] = "it would cut off the bootstrap of this machine"
	rules.Reserved = map[string]string{TargetPath: advice, EnvPath: advice, "/var/lib/nix-gitops/": advice, perBootPath: advice}

	return rules
}
