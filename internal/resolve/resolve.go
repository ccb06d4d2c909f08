// Package resolve turns a claim into a machine with plain values: it looks up names in the catalogue, applies defaults, and
// checks the claim against the inventory of its site.
package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
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
	// Has is what a living VM has, in the form of a catalogue's entries: it keeps these where the catalogue's own are missing or
	// faulty. Nil for a machine without a VM.
	Has *Entries
	// Applied is the claim that the VM was last ready with; nil if that is not known.
	Applied *claim.Claim
	// BuiltIn are the catalogue's defaults, by JSON name, that were missing when the VM was last written, so that it has none of them
	// from a catalogue. Nil if that is not known.
	BuiltIn []string
	// Container says that a container exists, or is being created, with the defaults that BuiltIn does not have. Unlike a VM it has no
	// Has: where such a default is missing, nothing is changed at all.
	Container bool
	// Address is the fixed IPv4 address of the first interface of the VM, or, for a VM that is to replace another, of that one; zero
	// where it has none.
	Address Address
	// MAC is the MAC address that was written for the first interface of the VM, or, for a VM that is to replace another, that one's MAC
	// address, whoever made it up. Upper case; empty where it has none.
	MAC string
	// Member is what the VM was made as in its K3s cluster, or, for a VM that is to replace another, what that one was made as.
	Member Member
	// OfCluster says that a K3sCluster composed the machine.
	OfCluster bool
	// Spread says where the other servers of a K3s server's cluster are; zero for any other machine.
	Spread Spread
	// Group says where the other machines with the same proxmox.spread are; zero without one.
	Group Spread
	// Load is what other machines need of the site's nodes; zero for a machine with a VM.
	Load Load
}

// An Address that a VM has.
type Address struct {
	IP      string // IPv4. Empty: the VM has none.
	Prefix  int64  // The prefix length of its subnet.
	Gateway string // Empty: none.
	// Of is the pool of Cluster API's IPAM that the address is from; zero for any other address.
	Of ipam.Pool
}

// A Spread is how the servers of a K3s cluster, or the machines of a group, are spread over nodes.
type Spread struct {
	Others map[string][]string // Names of the others, sorted, by node.
	Chosen string              // The node that a machine without a VM has chosen in an earlier call; empty if none.
}

// Claim resolves a claim of either kind. It returns the faults of [claim.Decode] together with the faults of the rest of the
// claim. With any fault, it returns no machine.
func Claim(c claim.Claim, cat catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	whole := cat
	cat = viewed(cat, c.Identity.Namespace, c.Fields().Proxmox.Node, e)
	r := resolution{catalog: cat, existing: e}
	m, errs := r.claim(c)

	// What its VM never had, a claim does not keep: without it, an edit can be a fault.
	if (len(c.Faults)+len(errs) > 0 || len(m.Kept) > 0) && neverHad(c, cat, e) {
		r.certain = true
		m, errs = r.claim(c)
	}

	errs = consolidate(c.Faults, errs)
	if len(errs) > 0 {
		errs = absent(cat, errs)
	}

	if errs = consolidate(errs, judgement{whole, e, c.Identity}.ofMachine(c, m)); len(errs) > 0 {
		return nil, errs
	}

	m.Warnings = append(m.Warnings, formers(c, cat, m)...)

	if cat.Absent != "" && len(m.Kept) == 0 {
		m.Warnings = append(m.Warnings, "There is no catalogue: "+cat.Absent+"; the built-in classes and images apply.")
	}

	return m, nil
}

// formers are warnings of the former spellings that the claim has, and that the catalogue has where the machine depends on it.
func formers(c claim.Claim, cat catalog.Catalog, m *machine.Machine) []string {
	var out []string

	for _, f := range c.Formers {
		out = append(out, f.String())
	}

	image := cat.Images[m.Boot.Image].From
	defaults := strings.TrimSuffix(cat.Defaults.From["deletionProtection"], ".deletionProtection")

	for _, f := range cat.Formers {
		if defaults != "" && within(f.Path, defaults) || image != "" && within(f.Path, image) {
			out = append(out, f.String())
		}
	}

	return out
}

// absent adds to faults that the catalogue is not there, unless one of them says so.
func absent(cat catalog.Catalog, faults field.ErrorList) field.ErrorList {
	if cat.Absent == "" || slices.ContainsFunc(faults, func(err *field.Error) bool { return strings.Contains(err.Error(), cat.Absent) }) {
		return faults
	}

	return append(faults, field.Required(field.NewPath("catalogue"), cat.Absent+"; without it only the built-in classes and images exist"))
}

// A resolution is what a claim is resolved with.
type resolution struct {
	catalog  catalog.Catalog
	existing Existing
	// certain says that a default which the catalogue does not have was never there. Otherwise a living VM keeps what it has.
	certain bool
	// ofCluster says that the claim is a node of a K3sCluster.
	ofCluster bool
}

// claim is the machine that a claim describes. With faults, it is what could be made out.
func (c resolution) claim(of claim.Claim) (*machine.Machine, field.ErrorList) {
	c.ofCluster = of.OfCluster

	switch {
	case of.Machine != nil:
		return c.machine(of.Identity, *of.Machine)
	case of.K3sNode != nil:
		return c.k3sNode(of.Identity, *of.K3sNode)
	default:
		return nil, field.ErrorList{field.Required(field.NewPath("kind"), "a claim of no kind describes no machine")}
	}
}

// Machine resolves a Machine. It reports all faults at once.
func Machine(id machine.Identity, spec v1alpha1.MachineSpec, c catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	return faultless(resolution{catalog: c, existing: e}.machine(id, spec))
}

// K3sNode resolves a K3sNode. It reports all faults at once.
func K3sNode(id machine.Identity, spec v1alpha1.K3sNodeSpec, c catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	return faultless(resolution{catalog: c, existing: e}.k3sNode(id, spec))
}

// faultless is a machine without faults; nil where there is one.
func faultless(m *machine.Machine, errs field.ErrorList) (*machine.Machine, field.ErrorList) {
	if len(errs) > 0 {
		return nil, errs
	}

	return m, nil
}

func (c resolution) machine(id machine.Identity, spec v1alpha1.MachineSpec) (*machine.Machine, field.ErrorList) {
	r := &resolver{resolution: c, id: id, spec: &spec.MachineFields, nix: spec.Nix, at: field.NewPath("spec"), out: &machine.Machine{}}
	r.fields()
	r.out.DeletionPolicy = cmp.Or(spec.DeletionPolicy, v1alpha1.DeletionDelete)
	r.protection()
	r.flake()
	bootDisk{r}.secretStore()
	firewall{r}.resolve()
	r.accounts()
	r.searchDomains()

	return r.result(validate.Machine(spec))
}

func (c resolution) k3sNode(id machine.Identity, spec v1alpha1.K3sNodeSpec) (*machine.Machine, field.ErrorList) {
	r := &resolver{resolution: c, id: id, spec: &spec.MachineFields, k3s: &spec.K3s, at: field.NewPath("spec"), out: &machine.Machine{}}
	r.fields()
	r.out.DeletionPolicy = cmp.Or(spec.DeletionPolicy, v1alpha1.DeletionOrphan)
	r.protection()
	clusterNode{r}.resolve()
	bootDisk{r}.secretStore()
	firewall{r}.resolve()
	r.accounts()

	return r.result(validate.K3sNode(spec))
}

// A resolver has what all parts of one claim's resolution share: claim, catalogue, and the machine so far. Each part is a type of
// its own around it: sizes, bootDisk, placement, network and clusterNode.
type resolver struct {
	resolution

	id   machine.Identity
	spec *v1alpha1.MachineFields
	nix  *v1alpha1.Nix
	k3s  *v1alpha1.K3s
	at   *field.Path

	image     catalog.Image
	site      catalog.Site
	shared    map[string]any // The config of the node's cluster, of which agents have not all keys of their own, with the node's keys over it.
	siteFault bool           // The site is unknown, so missing values of the site are not faults.
	container bool           // The claim is one for a container: its disks are root file systems and mount points.

	out  *machine.Machine
	errs field.ErrorList
}

// warn notes that a field is valid and does not do what the person probably expects.
func (r *resolver) warn(format string, args ...any) {
	r.out.Warnings = append(r.out.Warnings, fmt.Sprintf(format, args...))
}

func (r *resolver) add(errs ...*field.Error) { r.errs = append(r.errs, errs...) }

// result returns the machine, with faults as far as it could be made out, and all faults: the faults of package validate first. What a VM could keep is a
// fault beside others.
func (r *resolver) result(claimFaults field.ErrorList) (*machine.Machine, field.ErrorList) {
	if len(claimFaults)+len(r.errs) > 0 {
		for _, k := range r.out.Kept {
			r.add(k.Faults...)
		}
	}

	if errs := consolidate(claimFaults, r.errs); len(errs) > 0 {
		return r.out, errs
	}

	if has := r.existing.Has; has != nil && r.out.BootstrapUndetermined() && has.Image.GuestAgent != nil {
		r.out.Boot.GuestAgent = *has.Image.GuestAgent
	}

	r.out.BuiltIn = r.builtIn()

	return r.out, nil
}

func (r *resolver) fields() {
	r.out.Identity = r.id
	r.out.Role = r.spec.Role
	r.out.Hostname = r.hostname()
	r.out.Power = cmp.Or(r.spec.Power, v1alpha1.PowerRunning)
	r.out.OnBoot, r.out.Unsaid = orTrue(r.spec.OnBoot), r.unsaid()
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
	r.out.Silent = cmp.Or(r.spec.Bootstrap.Report, v1alpha1.BootstrapReport(r.site.Report)) == v1alpha1.ReportNone
	size.disks()
	boot.cloneElsewhere()
	boot.allowed()
	r.allowedSnippets()
	availability{placement{r}}.resolve()
	network{r}.resolve()
	identities{r}.check()
	r.tags()
	r.access()
	boot.needsCloudInit()
	boot.mounts()
	boot.secrets()
	r.lifecycle()
}

// named is a name, and the path of the field that has the name.
type named struct {
	name string
	at   *field.Path
	// doubt is why nobody knows the name: it is a default of a catalogue that is not there, or cannot be read.
	doubt field.ErrorList
}

// choose returns the claim's value, else the catalogue's default, else the built-in default.
func (r *resolver) choose(fromClaim string, at *field.Path, fromCatalog, defaultName, builtIn string) named {
	doubt := r.doubt(defaultName)

	switch {
	case fromClaim != "":
		return named{name: fromClaim, at: at}
	case len(doubt) > 0:
		return named{at: at, doubt: doubt}
	case fromCatalog != "":
		return named{name: fromCatalog, at: r.catalog.Defaults.Path(defaultName)}
	default:
		return named{name: builtIn, at: at}
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

// unsaid are settings that the claim of an adopted VM leaves to the VM.
func (r *resolver) unsaid() machine.Unsaid {
	out := machine.Unsaid{SSD: r.spec.BootDisk.SSD == nil}
	if r.existing.Adopting {
		out.Node, out.OnBoot, out.Backup = r.spec.Proxmox.Node == "", r.spec.OnBoot == nil, r.spec.BootDisk.Backup == nil
	}

	return out
}

func orTrue(b *bool) bool { return b == nil || *b }
