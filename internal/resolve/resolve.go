// Package resolve turns a claim into a machine with plain values: it looks up names in the catalogue, applies defaults, and
// checks the claim against the inventory of its site.
package resolve

import (
	"cmp"
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
	// Overrides are the catalogue's entries with the name of a built-in one that the VM or container was last written with; see [machine.Machine].
	Overrides []string
	// Container says that a container exists, or is being created, with the defaults that BuiltIn does not have. Unlike a VM it has no
	// Has: where such a default is missing, nothing is changed at all.
	Container bool
	// FirewallDefault is the default firewall that the VM or container was made with, as JSON; empty: none, and it gets none.
	FirewallDefault string
	// WithoutFirewalls says why the provider can change no firewall, in a clause, so that nothing is made with the catalogue's; empty where it can.
	WithoutFirewalls string
	// Address is the fixed IPv4 address of the first interface of the VM, or, for a VM that is to replace another, of that one; zero
	// where it has none.
	Address Address
	// NICs are the addresses of a living VM that is a node of K3s, by interface; nil for any other.
	NICs []NIC
	// Tenant is the tenant that the tags of the VM or container name, in lower case; empty where there is none.
	Tenant string
	// ProviderConfig is the name of the provider's configuration that the VM or container was made with; empty where there is none.
	ProviderConfig string
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
	// Strangers are the same of those that only say that they are of the cluster: they decide between nodes that are equal by Others.
	Strangers map[string][]string
	// Later says how many of those that are not created yet chose a node after the machine did. They make way for it; but who moves on in their way cannot
	// know whether they are created with the same call.
	Later  map[string]int
	Moving Moving
	Chosen string // The node that a machine without a VM has chosen in an earlier call; empty if none.
}

// Moving says how many others of a group move on from the node that they chose, as the machine may: those that chose earlier than it, and those that chose
// later. All of them see the same, so that each can take another node although none knows yet where the others go.
type Moving struct{ Earlier, Later int }

// Claim resolves a claim of either kind. It returns the faults of [claim.Decode] together with the faults of the rest of the
// claim. With any fault, it returns no machine.
func Claim(c claim.Claim, cat catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	whole := cat
	cat = viewed(cat, c.Identity.Namespace, c.Fields().Proxmox.Node, e)
	m, errs := resolution{catalog: cat, existing: e}.claim(c)

	// What its VM never had, a claim does not keep: without it, an edit can be a fault.
	if (len(c.Faults)+len(errs) > 0 || len(m.Kept) > 0) && neverHad(c, cat, e) {
		m, errs = resolution{catalog: cat, existing: e, certain: true}.claim(c)
	}

	errs = Consolidate(c.Faults, errs)
	if len(errs) > 0 {
		errs = unlisted(whole, c.Identity.Namespace, c.Fields().Proxmox.Site, absent(cat, errs))
	}

	if errs = Consolidate(errs, judgement{whole, e, c.Identity}.ofMachine(c, m, func(before claim.Claim) (*machine.Machine, field.ErrorList) {
		return resolution{catalog: whole, existing: e}.claim(before)
	})); len(errs) > 0 {
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

// claim is the machine that a claim describes. With faults, it is what could be made out.
func (c resolution) claim(of claim.Claim) (*machine.Machine, field.ErrorList) {
	c.ofCluster = of.OfCluster

	switch {
	case of.Machine != nil:
		return c.machine(of.Identity, of.Machine)
	case of.K3sNode != nil:
		return c.k3sNode(of.Identity, of.K3sNode)
	default:
		return nil, field.ErrorList{field.Required(field.NewPath("kind"), "a claim of no kind describes no machine")}
	}
}

// Machine resolves a Machine. It reports all faults at once.
func Machine(id machine.Identity, spec v1alpha1.MachineSpec, c catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	return faultless(resolution{catalog: c, existing: e}.machine(id, &spec))
}

// K3sNode resolves a K3sNode. It reports all faults at once.
func K3sNode(id machine.Identity, spec v1alpha1.K3sNodeSpec, c catalog.Catalog, e Existing) (*machine.Machine, field.ErrorList) {
	return faultless(resolution{catalog: c, existing: e}.k3sNode(id, &spec))
}

// faultless is a machine without faults; nil where there is one.
func faultless(m *machine.Machine, errs field.ErrorList) (*machine.Machine, field.ErrorList) {
	if len(errs) > 0 {
		return nil, errs
	}

	return m, nil
}

func (c resolution) machine(id machine.Identity, spec *v1alpha1.MachineSpec) (*machine.Machine, field.ErrorList) {
	g := &given{resolution: c, id: id, spec: &spec.MachineFields, nix: spec.Nix, userData: parsedOnce(spec.Bootstrap.UserData), at: field.NewPath("spec")}
	n := &notes{}
	m, l := described(g, n)
	m.DeletionPolicy = cmp.Or(spec.DeletionPolicy, v1alpha1.DeletionDelete)
	m.Protection = protection(g, m.DeletionPolicy)
	m.Nix = flake(g, n, m.Boot, m.Hostname)
	fitsNixOS(g, n, m)
	m.SecretStore = storage{g, n, m}.resolve()
	m.Firewall, m.NICs, m.FirewallDefault = firewall{g: g, n: n, nics: m.NICs, of: cluster{}, site: m.Placement.Site, l: l}.resolve()
	accounts(g, n, m)
	searchDomains(g, n, m)
	longName(g, n, m)

	return finished(g, n, m, validate.Machine(*spec))
}

func (c resolution) k3sNode(id machine.Identity, spec *v1alpha1.K3sNodeSpec) (*machine.Machine, field.ErrorList) {
	g := &given{resolution: c, id: id, spec: &spec.MachineFields, k3s: &spec.K3s, userData: parsedOnce(spec.Bootstrap.UserData), at: field.NewPath("spec")}
	n := &notes{}
	m, l := described(g, n)
	m.DeletionPolicy = cmp.Or(spec.DeletionPolicy, v1alpha1.DeletionOrphan)
	m.Protection = protection(g, m.DeletionPolicy)
	of := clusterNode{g, n, m, l.site}.resolve()
	m.K3s = of.k3s
	m.SecretStore = storage{g, n, m}.resolve()
	m.Firewall, m.NICs, m.FirewallDefault = firewall{g: g, n: n, nics: m.NICs, of: of, site: m.Placement.Site, l: l}.resolve()
	accounts(g, n, m)

	return finished(g, n, m, validate.K3sNode(*spec))
}

// described is what machines of both kinds have, part by part, and the site that the machine is at. A part gets what is resolved of the machine before it, and
// changes none of that.
func described(g *given, n *notes) (*machine.Machine, located) {
	name, faults := g.hostname()
	n.add(faults...)

	said := g.spec
	m := &machine.Machine{
		Identity: g.id, Role: said.Role, Hostname: name, Power: cmp.Or(said.Power, v1alpha1.PowerRunning), OnBoot: orTrue(said.OnBoot), Unsaid: g.unsaid(),
		Startup: said.Startup, Snippets: said.Bootstrap.Snippets, InstallAgent: said.Bootstrap.GuestAgent, UserData: said.Bootstrap.UserData,
		VGA: display(g), Notes: unfolded(said.Notes), PCI: mappings(said.Devices.PCI), USB: mappings(said.Devices.USB),
		Lifecycle: lifecycle(g), Adopt: said.Adopt, Rollout: rollout(g), RunsCrossplane: said.RunsCrossplane, PauseOnError: orTrue(g.catalog.Defaults.PauseOnError),
	}

	displays(g, n)

	size, disk := sizes{g, n}.resolve(), sizes{g, n}
	m.Class, m.Cores, m.CPUType, m.MemoryMiB, m.MemoryFloorMiB = size.class, size.cores, size.cpuType, size.memoryMiB, size.floorMiB

	var (
		image catalog.Image
		l     located
	)

	m.Boot, image = bootDisk{g, n}.resolve(size.diskGiB)
	m.Firmware = firmware(g, n, m.Boot.Source, image.Firmware)
	m.Placement, l = place(g, n, m, image)
	m.Silent = cmp.Or(said.Bootstrap.Report, v1alpha1.BootstrapReport(l.site.Report)) == v1alpha1.ReportNone
	m.Boot, m.Disks = disk.bootDisk(m.Boot), disk.disks(m.Placement.DiskDatastore)
	cloneElsewhere(g, n, m.Boot, m.Placement, l.site.SharedDatastores)

	allowed := allowanceOf(g, n, l, m.Placement)
	allowed.image(m.Boot)
	allowed.snippets()

	m.HA = availability{g, n, m, image, l}.resolve()
	net := network{g, n, l}.resolve()
	m.NICs, m.Domain, m.SearchDomains, m.DNSRecord, m.DNS, m.Typed = net.nics, net.domain, net.search, net.record, net.dns, net.typed
	identities{g, n, m, l}.check()
	m.Tags = tags(g, n)
	m.Access = access(g, n, m.Boot)
	needsCloudInit(g, n, m.Boot)
	mounts(g, n, m)
	fitsImage(g, n, m, image)
	fitsWindows(g, n, m, image)
	m.Secrets = secretFiles(g, n, m)

	return m, l
}

// finished is a machine with what was noted of its claim; with faults as far as it could be made out, and all faults: the faults of package validate first.
// What a VM could keep is a fault beside others.
func finished(g *given, n *notes, m *machine.Machine, claimFaults field.ErrorList) (*machine.Machine, field.ErrorList) {
	m.Kept, m.Warnings = n.kept, n.warnings
	faults := n.faults

	if len(claimFaults)+len(faults) > 0 {
		faults = append(faults, m.KeptFor()...)
	}

	if errs := Consolidate(claimFaults, faults); len(errs) > 0 {
		return m, errs
	}

	if has := g.existing.Has; has != nil && m.BootstrapUndetermined() && has.Image.GuestAgent != nil {
		m.Boot.GuestAgent = *has.Image.GuestAgent
	}

	m.BuiltIn, m.Overrides = builtIn(g, m.Kept), overrides(g, m)

	return m, nil
}

// neverHad says whether the defaults that the catalogue does not have make no difference to a living VM: its claim says all that the
// VM has, or what is built in says it. While an edit is on its way, that is the claim which the VM was last ready with, or the edited one.
func neverHad(c claim.Claim, cat catalog.Catalog, e Existing) bool {
	return e.Has != nil && (indifferent(c, cat, e) || e.Applied != nil && indifferent(*e.Applied, cat, e))
}

func indifferent(c claim.Claim, cat catalog.Catalog, e Existing) bool {
	without, faults := resolution{catalog: cat, existing: e, certain: true}.claim(c)
	if len(faults) > 0 {
		return false
	}

	with, faults := resolution{catalog: cat, existing: e}.claim(c)
	if len(faults) > 0 {
		return false
	}

	// Rendered user-data has the account, and the VM's parameters do not tell of it. What is recorded does; where nothing is, the VM's
	// bootstrap data is compared with the claim's by its hash.
	if e.Has.Access.AdminUser == "" && len(e.Has.Access.SSHAuthorizedKeys) == 0 {
		if e.BuiltIn != nil && with.Keeps(machine.PartAccess) {
			return false
		}

		with.Access = without.Access
	}

	return alike(*without, *with)
}
