package render

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Request is what there is to render.
type Request struct {
	lifecycle.Situation

	Bootstrap *bootstrap.Bootstrap
	Flavour   proxmox.Flavour
}

// A Description is what the claim describes: the VM as it would be made today, and what it is made from.
type Description struct {
	lifecycle.Description

	// Files and Images that are to be there, by composed resource name, also those of VMs that live.
	Files  map[string]proxmox.File
	Images map[string]proxmox.DownloadFile
}

// A describer describes one machine.
type describer struct {
	r *Request

	vm     *proxmox.ObservedVM // The described VM as it is observed.
	living bool                // Whether the described VM lives.
}

// Describe a machine. Everything that a VM may need is part of it: to leave a managed resource out is to delete it.
func Describe(r *Request) (Description, error) {
	vm := r.VM()
	d := describer{r: r, vm: &vm, living: r.State == lifecycle.StateLiving || r.State == lifecycle.StateCreating}

	files, ids, err := d.files()
	if err != nil {
		return Description{}, err
	}

	images := d.images()

	return Description{
		Files: files, Images: images,
		Description: lifecycle.Description{
			Parameters:        d.parameters(ids),
			ProviderConfigRef: r.providerConfigRef(),
			Missing:           d.missing(files, images),
			MayMigrate:        d.mayMigrate(files),
			Native:            r.Bootstrap.Mode == bootstrap.ModeNative,
			AgentAtFirstBoot:  d.agentAtFirstBoot(),
		},
	}, nil
}

// missing names what a new VM has to wait for. A VM that starts without its snippet is broken for good, so it waits for
// every one of them, and for the token that goes into it. An image that is on the node already is enough, whoever brought it.
func (d describer) missing(files map[string]proxmox.File, images map[string]proxmox.DownloadFile) []string {
	if d.living || d.r.Adopted {
		return nil
	}

	var out []string

	if lack := d.r.Bootstrap.Lack; lack != nil {
		out = append(out, "Secret "+lack.Secret)
	}

	// What is on another Proxmox node is another VM's, which may never be read again.
	for name, is := range files {
		if is.Spec.ForProvider.NodeName != d.r.Machine.Placement.Node {
			continue
		}

		if f, ok := d.r.Observed.Files[name]; !ok || !f.Found() {
			out = append(out, name)
		}
	}

	for name, is := range images {
		if is.Spec.ForProvider.NodeName != d.r.Machine.Placement.Node {
			continue
		}

		if f, ok := d.r.Observed.DownloadFiles[name]; !ok || !f.Found() && !proxmox.AlreadyPresent(f) {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}
