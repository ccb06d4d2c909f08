// Package resolve makes a machine in plain figures of a claim: names are looked up in the catalogue, defaults are applied,
// and what the claim names is checked against what its site has.
package resolve

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// Existing is what an existing VM has already. It wins over any choice that we would make, never over what the claim says.
// The zero value is that of a machine without a VM.
type Existing struct {
	Node string
	// DiskDatastore of the boot disk: a new default in the catalogue is for new machines, and must not move the disks of
	// all others.
	DiskDatastore string
	// Adopting says that the VM is, or is to be, one that somebody else made. What it was made from is its own affair, so
	// that the claim need not say it and the site need not have it.
	Adopting bool
}

// Claim resolves a claim of either kind. The faults that [claim.Decode] found come back beside those that the rest of the
// claim has; a claim with a fault is no machine.
func Claim(c claim.Claim, cat catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	var (
		m    *machine.Machine
		errs field.ErrorList
	)

	switch {
	case c.Machine != nil:
		m, errs = Machine(c.Identity, *c.Machine, cat, e)
	case c.K3sNode != nil:
		m, errs = K3sNode(c.Identity, *c.K3sNode, cat, e)
	}

	if all := consolidate(c.Faults, errs); len(all) > 0 {
		return nil, all
	}

	return m, nil
}

// Machine resolves a Machine. Every fault is reported at once.
func Machine(id machine.Identity, spec v1alpha1.MachineSpec, c catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	r := resolver{id: id, spec: &spec.MachineFields, nix: spec.Nix, catalog: c, existing: e, at: field.NewPath("spec"), out: &machine.Machine{}}
	r.machine()
	r.out.DeletionPolicy = or(spec.DeletionPolicy, v1alpha1.DeletionDelete)
	r.protection()
	r.resolveNix()

	return r.result(validate.Machine(spec))
}

// K3sNode resolves a K3sNode. Every fault is reported at once.
func K3sNode(id machine.Identity, spec v1alpha1.K3sNodeSpec, c catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	r := resolver{id: id, spec: &spec.MachineFields, k3s: &spec.K3s, catalog: c, existing: e, at: field.NewPath("spec"), out: &machine.Machine{}}
	r.machine()
	r.out.DeletionPolicy = or(spec.DeletionPolicy, v1alpha1.DeletionOrphan)
	r.protection()
	r.resolveK3s()

	return r.result(validate.K3sNode(spec))
}

// A resolver holds one claim while it is resolved.
type resolver struct {
	id       machine.Identity
	spec     *v1alpha1.MachineFields
	nix      *v1alpha1.Nix
	k3s      *v1alpha1.K3s
	catalog  catalog.Catalog
	existing Existing
	at       *field.Path

	image     catalog.Image
	site      catalog.Site
	siteFault bool // The site is not known, so that nothing follows from what it does not say.

	out  *machine.Machine
	errs field.ErrorList
}

func (r *resolver) add(errs ...*field.Error) { r.errs = append(r.errs, errs...) }

// result is the machine, or all faults: those of the claim alone first.
func (r *resolver) result(claimFaults field.ErrorList) (*machine.Machine, field.ErrorList) {
	if errs := consolidate(claimFaults, r.errs); len(errs) > 0 {
		return nil, errs
	}

	return r.out, nil
}

func (r *resolver) machine() {
	r.out.Identity = r.id
	r.out.Role = r.spec.Role
	r.out.Hostname = r.hostname()
	r.out.Power = or(r.spec.Power, v1alpha1.PowerRunning)
	r.out.OnBoot = orTrue(r.spec.OnBoot)
	r.out.Startup = r.spec.Startup
	r.out.Snippets = r.spec.Bootstrap.Snippets
	r.out.UserData = r.spec.Bootstrap.UserData

	r.size()
	r.boot()
	r.firmware()
	r.devices()
	r.place()
	r.disks()
	r.network()
	r.tags()
	r.access()
	r.needsCloudInit()
	r.lifecycle()
}

// hostname of the guest. A claim's name can be one, unless the API server never saw it.
func (r *resolver) hostname() string {
	if r.spec.Hostname != "" {
		return r.spec.Hostname
	}

	r.add(validate.Hostname(field.NewPath("metadata", "name"), r.id.Name)...)

	return r.id.Name
}

func or[T comparable](values ...T) T {
	var zero T

	for _, v := range values {
		if v != zero {
			return v
		}
	}

	return zero
}

func orTrue(b *bool) bool { return b == nil || *b }
