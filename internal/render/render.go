package render

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// VMName is the composed resource name of the VM. The names of the others start with user-data, meta-data and image, and
// end with a hash: none of them can be changed in place, so a change is a new resource.
const VMName = "vm"

// A Request is what there is to render.
type Request struct {
	Machine   *machine.Machine
	Bootstrap *bootstrap.Bootstrap
	Flavour   proxmox.Flavour
	State     proxmox.State
}

// Render makes the managed resources of a machine. It is pure, and renders everything that a VM may need: to leave a
// resource out is to delete it.
func Render(r Request) (Result, error) {
	files, ids, err := r.files()
	if err != nil {
		return Result{}, err
	}

	images := r.images()
	out := Result{BootstrapHash: r.Bootstrap.Hash}

	if out.Manifests, err = besideVM(r.State, files, images); err != nil {
		return Result{}, err
	}

	desired := r.newVM(ids)
	vm, observed := r.State.VMs[VMName]

	if r.made() {
		out.Held = guard(&desired, vm, r.Bootstrap.Mode == bootstrap.ModeNative)
		out.BootstrapHash = vm.Metadata.Annotations[BootstrapHashAnnotation]
	} else if out.Waiting = r.missing(files, images); len(out.Waiting) > 0 {
		if !observed {
			return out, nil
		}

		// A VM that could not be made yet stays as it is until what it is to be made from now is there.
		desired = vm.Retained(ours(vm.Metadata.Metadata, true), r.mayDelete())
	}

	p := desired.Spec.ForProvider
	if i := slices.IndexFunc(p.Disk, func(d proxmox.Disk) bool { return d.Serial == "" }); i >= 0 {
		out.BootDiskGiB = p.Disk[i].Size
	}

	out.GuestAgent = slices.ContainsFunc(p.Agent, func(a proxmox.Agent) bool { return a.Enabled })
	out.Manifests[VMName], err = proxmox.VMManifest(desired)

	return out, errors.Wrapf(err, "cannot render %q", VMName)
}

// besideVM are the manifests of everything but the VM.
func besideVM(s proxmox.State, files map[string]proxmox.File, images map[string]proxmox.DownloadFile) (map[string]proxmox.Manifest, error) {
	out := map[string]proxmox.Manifest{}

	var err error

	for name, f := range files {
		if out[name], err = proxmox.FileManifest(f); err != nil {
			return nil, errors.Wrapf(err, "cannot render %q", name)
		}
	}

	for name, f := range images {
		if out[name], err = proxmox.DownloadFileManifest(f); err != nil {
			return nil, errors.Wrapf(err, "cannot render %q", name)
		}
	}

	// A VM that is not ours by name is nothing to us, and nothing to delete either.
	for name, o := range s.VMs {
		if name == VMName {
			continue
		}

		if out[name], err = keepVM(o); err != nil {
			return nil, errors.Wrapf(err, "cannot keep %q", name)
		}
	}

	return out, nil
}

// missing names what a new VM has to wait for. A VM that starts without its snippet is broken for good, so it waits for
// every one of them, and for the token that goes into it. An image that is on the node already is enough, whoever brought it.
func (r Request) missing(files map[string]proxmox.File, images map[string]proxmox.DownloadFile) []string {
	var out []string

	if r.Bootstrap.Lacks != "" {
		out = append(out, "Secret "+r.Bootstrap.Lacks)
	}

	for name := range files {
		if f, ok := r.State.Files[name]; !ok || !f.Found() {
			out = append(out, name)
		}
	}

	for name := range images {
		if f, ok := r.State.DownloadFiles[name]; !ok || !f.Found() && !proxmox.AlreadyPresent(f) {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}

// mayDelete says whether the VM and what it needs go with their claim.
func (r Request) mayDelete() bool { return r.Machine.DeletionPolicy == v1alpha1.DeletionDelete }

// made says whether there is a VM, or may be one, that was made from what is observed.
func (r Request) made() bool {
	vm, ok := r.State.VMs[VMName]
	return ok && proxmox.Made(vm)
}
