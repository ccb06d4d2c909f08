// Package resolve turns a claim into a machine with plain values: it looks up names in the catalogue, applies defaults, and
// checks the claim against the inventory of its site.
package resolve

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// Existing has properties of the existing VM. They take precedence over the function's own choices, but not over the claim.
// The zero value is for a machine without a VM.
type Existing struct {
	Node string
	// DiskDatastore is the datastore of the boot disk. A new default in the catalogue applies to new machines only, and must not
	// move the disks of existing VMs.
	DiskDatastore string
	// Adopting is true for an adopted VM, and for a VM to adopt. Class and image are then optional in the claim, and the site
	// need not have them.
	Adopting bool
}

// Claim resolves a claim of either kind. It returns the faults of [claim.Decode] together with the faults of the rest of the
// claim. With any fault, it returns no machine.
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

// Machine resolves a Machine. It reports all faults at once.
func Machine(id machine.Identity, spec v1alpha1.MachineSpec, c catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	r := &resolver{id: id, spec: &spec.MachineFields, nix: spec.Nix, catalog: c, existing: e, at: field.NewPath("spec"), out: &machine.Machine{}}
	r.machine()
	r.out.DeletionPolicy = cmp.Or(spec.DeletionPolicy, v1alpha1.DeletionDelete)
	r.protection()
	r.flake()

	return r.result(validate.Machine(spec))
}

// K3sNode resolves a K3sNode. It reports all faults at once.
func K3sNode(id machine.Identity, spec v1alpha1.K3sNodeSpec, c catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	r := &resolver{id: id, spec: &spec.MachineFields, k3s: &spec.K3s, catalog: c, existing: e, at: field.NewPath("spec"), out: &machine.Machine{}}
	r.machine()
	r.out.DeletionPolicy = cmp.Or(spec.DeletionPolicy, v1alpha1.DeletionOrphan)
	r.protection()
	clusterNode{r}.resolve()

	return r.result(validate.K3sNode(spec))
}

// A resolver has what all parts of one claim's resolution share: claim, catalogue, and the machine so far. Each part is a type of
// its own around it: sizes, bootDisk, placement, network and clusterNode.
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
	siteFault bool // The site is unknown, so missing values of the site are not faults.

	out  *machine.Machine
	errs field.ErrorList
}

func (r *resolver) add(errs ...*field.Error) { r.errs = append(r.errs, errs...) }

// result returns the machine, or all faults: the faults of package validate first.
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
	r.out.Power = cmp.Or(r.spec.Power, v1alpha1.PowerRunning)
	r.out.OnBoot = orTrue(r.spec.OnBoot)
	r.out.Startup = r.spec.Startup
	r.out.Snippets = r.spec.Bootstrap.Snippets
	r.out.InstallAgent = r.spec.Bootstrap.GuestAgent
	r.out.UserData = r.spec.Bootstrap.UserData

	size, boot := sizes{r}, bootDisk{r}
	size.resolve()
	boot.resolve()
	boot.firmware()
	size.devices()
	placement{r}.resolve()
	size.disks()
	network{r}.resolve()
	r.tags()
	r.access()
	boot.needsCloudInit()
	r.lifecycle()
}

// named is a name, and the path of the field that has the name.
type named struct {
	name string
	at   *field.Path
}

// choose returns the claim's value, else the catalogue's default, else the built-in default.
func (r *resolver) choose(fromClaim string, at *field.Path, fromCatalog, defaultName, builtIn string) named {
	switch {
	case fromClaim != "":
		return named{fromClaim, at}
	case fromCatalog != "":
		return named{fromCatalog, r.catalog.Defaults.Path(defaultName)}
	default:
		return named{builtIn, at}
	}
}

// hostname resolves the guest's host name. The default, the claim's name, is valid unless the API server never checked the claim.
func (r *resolver) hostname() string {
	if r.spec.Hostname != "" {
		return r.spec.Hostname
	}

	r.add(validate.Hostname(field.NewPath("metadata", "name"), r.id.Name)...)

	return r.id.Name
}

func orTrue(b *bool) bool { return b == nil || *b }
