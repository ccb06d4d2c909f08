package render

import (
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

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

// A Result is what is to be applied.
type Result struct {
	// Manifests by composed resource name.
	Manifests map[string]proxmox.Manifest
	// Waiting names the composed resources that the VM waits for, sorted.
	Waiting []string
	// Held are changes of the claim that the VM cannot follow, in the order of the fields.
	Held []Held
	// BootstrapHash identifies the bootstrap data that the VM was or will be made with; empty where nothing is rendered.
	BootstrapHash string
}

// Render makes the managed resources of a machine. It is pure, and renders everything that a VM may need: to leave a
// resource out is to delete it.
func Render(r Request) (Result, error) {
	out := Result{Manifests: map[string]proxmox.Manifest{}, BootstrapHash: r.Bootstrap.Hash}
	vm, observed := r.State.VMs[VMName]

	files, ids, err := r.files()
	if err != nil {
		return Result{}, err
	}

	for name, f := range files {
		if out.Manifests[name], err = proxmox.FileManifest(f); err != nil {
			return Result{}, errors.Wrapf(err, "cannot render %q", name)
		}
	}

	images := r.images()
	for name, f := range images {
		if out.Manifests[name], err = proxmox.DownloadFileManifest(f); err != nil {
			return Result{}, errors.Wrapf(err, "cannot render %q", name)
		}
	}

	desired := r.newVM(ids)

	switch {
	case observed && proxmox.Made(vm):
		out.Held = guard(&desired, vm)
		out.BootstrapHash = vm.Metadata.Annotations[BootstrapHashAnnotation]
	default:
		out.Waiting = missing(r.State, files, images)
	}

	if len(out.Waiting) > 0 {
		if !observed {
			return out, nil
		}

		// A VM that could not be made yet stays as it is until what it is to be made from is there.
		desired = vm.Retained(desired.Metadata, r.mayDelete())
	}

	out.Manifests[VMName], err = proxmox.VMManifest(desired)

	return out, errors.Wrapf(err, "cannot render %q", VMName)
}

// missing names what a new VM has to wait for. A VM that starts without its snippet is broken for good, so it waits for
// every one of them. An image that is on the node already is enough, whoever brought it.
func missing(s proxmox.State, files map[string]proxmox.File, images map[string]proxmox.DownloadFile) []string {
	var out []string

	for name := range files {
		if f, ok := s.Files[name]; !ok || !f.Found() {
			out = append(out, name)
		}
	}

	for name := range images {
		if f, ok := s.DownloadFiles[name]; !ok || !f.Found() && !proxmox.AlreadyPresent(f) {
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
