package render

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// renders says whether the function writes snippets for what the claim describes.
func (d describer) renders() bool {
	return d.Bootstrap.Mode == bootstrap.ModeRendered || d.Bootstrap.InstallsAgent()
}

// agentAtFirstBoot says whether a snippet of ours decides on the guest agent, or did so for the VM that exists, and not the image.
func (d describer) agentAtFirstBoot() bool {
	b := d.Machine.Boot
	linux := b.OS == machine.OSDebian || b.OS == machine.OSUbuntu || b.OS == machine.OSLinux

	switch {
	case d.Bootstrap.InstallsAgent(), d.Bootstrap.Mode == bootstrap.ModeSnippets, d.Bootstrap.Mode == bootstrap.ModeNone:
		return true
	case d.Bootstrap.Mode == bootstrap.ModeRendered && linux && !b.GuestAgent:
		return true
	}

	for name, f := range d.Observed.Files {
		if strings.HasPrefix(name, vendorDataPrefix) && uses(d.vm, f.Spec.ForProvider.VolumeID()) {
			return true
		}
	}

	return false
}
