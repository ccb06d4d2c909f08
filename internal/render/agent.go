package render

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// renders says whether the function writes snippets for what the claim describes.
func (d describer) renders() bool {
	return d.r.Bootstrap.Mode == bootstrap.ModeRendered || d.r.Bootstrap.InstallsAgent()
}

// agentAtFirstBoot says whether a snippet of ours decides on the guest agent, or did so for the VM that exists, and not the image.
func (d describer) agentAtFirstBoot() bool {
	b := d.r.Machine.Boot
	linux := b.OS == machine.OSDebian || b.OS == machine.OSUbuntu || b.OS == machine.OSLinux

	switch {
	case d.r.Bootstrap.InstallsAgent(), d.r.Bootstrap.Mode == bootstrap.ModeSnippets:
		return true
	case d.r.Bootstrap.Mode == bootstrap.ModeRendered && linux && !b.GuestAgent:
		return true
	}

	for name, f := range d.r.Observed.Files {
		if strings.HasPrefix(name, vendorDataPrefix) && uses(*d.vm, f.Spec.ForProvider.VolumeID()) {
			return true
		}
	}

	return false
}
