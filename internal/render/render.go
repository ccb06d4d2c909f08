package render

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// VMName is the composed resource name of a machine's first VM. The names of the others start with vm, user-data,
// meta-data and image, and end with a hash: none of them can be changed in place, so a change is a new resource.
const VMName = lifecycle.FirstVM

// A Request is what there is to render.
type Request struct {
	Machine   *machine.Machine
	Bootstrap *bootstrap.Bootstrap
	Flavour   proxmox.Flavour
	State     proxmox.State
	// Incarnation says which of the observed VMs is which.
	Incarnation lifecycle.Incarnation
	// Verdict says whether a replacement that is asked for may begin.
	Verdict lifecycle.Verdict
	// Tried is the number that turned out to be taken, where Machine has the next one of its range; else 0.
	Tried int64
	// Neighbours are managed resources of VMs, of any machine, that have the number which is looked at.
	Neighbours []proxmox.ObservedVM
	// Composite is the machine's own, as its managed resources name it in [proxmox.CompositeLabel].
	Composite string
	// Namespace is the composite's own; empty for a cluster scoped one.
	Namespace string
	// Intent identifies all that the person wrote.
	Intent string
	// Explain asks for [Result.Plan].
	Explain bool
}

// A work is the rendering of one machine.
type work struct {
	Request

	name     string // Of the VM that the claim describes.
	vm       proxmox.ObservedVM
	observed bool
	made     bool // Whether there is a VM, or may be one, that was made from what is observed.
	adopted  bool // Whether the VM was made by somebody else, or is to be taken over.
	next     bool // Whether the VM is to take the place of another one.

	vms   map[string]proxmox.VM // What is rendered, by composed resource name.
	going map[string]bool       // What goes, or makes way, and is paused for no error any more.
	out   Result
}

// Render makes the managed resources of a machine. It is pure, and renders everything that a VM may need: to leave a
// resource out is to delete it.
func Render(r Request) (Result, error) {
	w := &work{Request: r, name: r.Incarnation.Subject(), next: r.Incarnation.Next != "", vms: map[string]proxmox.VM{}, going: map[string]bool{}}
	w.vm, w.observed = r.State.VMs[w.name]
	w.made = w.observed && proxmox.Made(w.vm)
	w.adopted = Adopts(r.Machine.Adopt, r.Incarnation, w.vm, w.observed)
	w.out = Result{VM: r.Incarnation.Current, BootstrapHash: r.Bootstrap.Hash, Adopted: w.adopted, Paused: map[string]string{}, Plan: map[string]Step{}}

	w.formerVMs()

	files, ids, err := w.files()
	if err != nil {
		return Result{}, err
	}

	images := w.images()

	switch {
	case w.made:
		w.living(ids)
	case w.adopted:
		w.adopt(ids)
	default:
		w.create(ids, w.missing(files, images))
	}

	w.replaced()

	if err := w.write(files, images); err != nil {
		return Result{}, err
	}

	w.describe()

	return w.out, nil
}

// write turns what is rendered into manifests.
func (w *work) write(files map[string]proxmox.File, images map[string]proxmox.DownloadFile) error {
	release(w, files, w.State.Files)
	release(w, images, w.State.DownloadFiles)

	w.out.Manifests = make(map[string]proxmox.Manifest, len(files)+len(images)+len(w.vms))

	err := errors.Join(
		write(w, files, w.State.Files),
		write(w, images, w.State.DownloadFiles),
		write(w, w.vms, w.State.VMs),
	)

	return errors.Wrap(err, "cannot render")
}

func write[P, S any](w *work, rendered map[string]proxmox.Resource[P], observed map[string]proxmox.Observed[P, S]) error {
	for name, r := range rendered {
		o, ok := observed[name]

		if w.going[name] {
			unpause(&r.Metadata)
		} else if row := breaker(w.Request, &r, o); row != "" {
			w.out.Paused[name] = row
		}

		resume(&r, o)

		if w.Explain {
			w.plan(name, step(r, o, ok))
		}

		m, err := proxmox.ManifestOf(r)
		if err != nil {
			return errors.Wrapf(err, "cannot render %q", name)
		}

		w.out.Manifests[name] = m
	}

	for name := range observed {
		if _, stays := rendered[name]; !stays && w.Explain {
			w.plan(name, Step{Action: ActionRemove})
		}
	}

	return nil
}

// describe tells of the VM that the machine is what others need to know of it.
func (w *work) describe() {
	vm, ok := w.vms[w.out.VM]
	if !ok {
		return
	}

	p := vm.Spec.ForProvider
	if i := change.BootDisk(p); i >= 0 {
		w.out.BootDiskGiB = p.Disk[i].Size
	}

	if len(p.CPU) > 0 && len(p.Memory) > 0 {
		w.out.Cores, w.out.MemoryMiB = p.CPU[0].Cores, p.Memory[0].Dedicated
	}

	w.out.GuestAgent = slices.ContainsFunc(p.Agent, func(a proxmox.Agent) bool { return a.Enabled })
	w.out.Wanted = p.Started

	if o, ok := w.State.VMs[w.out.VM]; ok && proxmox.Made(o) {
		w.out.BootstrapHash = o.Metadata.Annotations[proxmox.BootstrapHashAnnotation]
	}
}

// missing names what a new VM has to wait for. A VM that starts without its snippet is broken for good, so it waits for
// every one of them, and for the token that goes into it. An image that is on the node already is enough, whoever brought it.
func (w *work) missing(files map[string]proxmox.File, images map[string]proxmox.DownloadFile) []string {
	var out []string

	if w.Bootstrap.Lacks != "" {
		out = append(out, "Secret "+w.Bootstrap.Lacks)
	}

	for name := range files {
		if f, ok := w.State.Files[name]; !ok || !f.Found() {
			out = append(out, name)
		}
	}

	for name := range images {
		if f, ok := w.State.DownloadFiles[name]; !ok || !f.Found() && !proxmox.AlreadyPresent(f) {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}

// mayDelete says whether the VM and what it needs go with their claim. What is to take the place of another VM, and was
// never ready, holds nothing that somebody could miss.
func (w *work) mayDelete() bool {
	return w.Machine.DeletionPolicy == v1alpha1.DeletionDelete || w.next
}
