package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// unmanagedOS is a distribution of which Proxmox configures nothing.
const unmanagedOS = "unmanaged"

// leastSwapMiB is less than anybody means who writes down swap space.
const leastSwapMiB = 32

// Container resolves a Container. It reports all faults at once, behind those of the claim's decoding.
func Container(
	id machine.Identity, spec v1alpha1.ContainerSpec, decoding field.ErrorList, c catalog.Catalog, e Existing,
) (*machine.Container, field.ErrorList) {
	out, errs := resolveContainer(id, spec, decoding, viewed(c, id.Namespace, spec.Proxmox.Node, e), e)

	if len(errs) > 0 {
		errs = unlisted(c, id.Namespace, spec.Proxmox.Site, errs)
	}

	if errs = Consolidate(errs, judgement{c, e, id}.ofContainer(spec, out, func(before v1alpha1.ContainerSpec) (*machine.Container, field.ErrorList) {
		return resolveContainer(id, before, nil, c, e)
	})); len(errs) > 0 {
		return nil, errs
	}

	return out, nil
}

// resolveContainer resolves a Container without the rules of its namespace. With faults, it is what could be made out.
func resolveContainer(
	id machine.Identity, spec v1alpha1.ContainerSpec, decoding field.ErrorList, c catalog.Catalog, e Existing,
) (*machine.Container, field.ErrorList) {
	common := commonFields(spec)
	r := container{
		g:    &given{resolution: resolution{catalog: c, existing: e}, id: id, spec: &common, at: field.NewPath("spec"), container: true},
		n:    &notes{},
		spec: spec,
	}
	out := r.resolve()
	out.Kept, out.Warnings = r.n.kept, r.n.warnings

	if errs := Consolidate(Consolidate(decoding, validate.Container(spec)), r.n.faults); len(errs) > 0 {
		return out, absent(c, errs)
	}

	// The image and the administrator's account of the defaults are for VMs, and nobody adds or takes keys of a container that exists.
	out.BuiltIn = slices.DeleteFunc(builtIn(r.g, out.Kept), func(name string) bool { return name != "class" && name != "site" })
	out.Overrides = overrides(r.g, &out.Machine)

	if c.Absent != "" {
		out.Warnings = append(out.Warnings, "There is no catalogue: "+c.Absent+"; the built-in classes apply.")
	}

	return out, nil
}

// A container is the resolution of a claim for a container.
type container struct {
	g *given
	n *notes

	spec v1alpha1.ContainerSpec
}

// resolve the parts of a container, one after the other.
func (r container) resolve() *machine.Container {
	g, n := r.g, r.n
	out := &machine.Container{}
	m := &out.Machine

	name, faults := g.hostname()
	n.add(faults...)

	m.Identity, m.Role, m.Hostname = g.id, r.spec.Role, name
	m.Power = cmp.Or(r.spec.Power, v1alpha1.PowerRunning)
	m.OnBoot, m.Startup = orTrue(r.spec.OnBoot), r.spec.Startup
	m.DeletionPolicy = cmp.Or(r.spec.DeletionPolicy, v1alpha1.DeletionDelete)

	size := sizes{g, n}.resolve()
	m.Class, m.Cores, m.CPUType, m.MemoryMiB, m.MemoryFloorMiB, m.Boot.DiskGiB = size.class, size.cores, size.cpuType, size.memoryMiB, size.floorMiB, size.diskGiB

	var l located

	m.Placement, l = place(g, n, m, catalog.Image{})
	vmIDOfContainer(g, n, l, m.Placement)

	net := network{g, n, l}.resolve()
	m.NICs, m.Domain, m.SearchDomains, m.DNSRecord, m.DNS, m.Typed = net.nics, net.domain, net.search, net.record, net.dns, net.typed
	m.Firewall, m.NICs, m.FirewallDefault = firewall{g: g, n: n, nics: m.NICs, of: cluster{}, site: m.Placement.Site, l: l}.resolve()
	m.Typed = r.typedFirewall(m.Typed)
	identities{g, n, m, l}.check()
	m.Tags = tags(g, n)
	m.Access.SSHAuthorizedKeys, out.KeysUnsaid = r.keys(m.Placement.VMID)
	m.Lifecycle, m.Adopt, m.Rollout = lifecycle(g), g.spec.Adopt, rollout(g)
	m.RunsCrossplane, m.PauseOnError = g.spec.RunsCrossplane, orTrue(g.catalog.Defaults.PauseOnError)
	m.Protection = r.protection(m.DeletionPolicy)
	m.Notes = unfolded(r.spec.Notes)

	allowed := allowanceOf(g, n, l, m.Placement)
	m.Boot.Image, out.Template, out.OS = r.template(allowed, m.Placement.ImageDatastore)
	r.unserved(m.Boot.Image, out.Template, l.site, m.Placement.Node)
	out.Unprivileged = g.unlessAdopted(r.spec.Unprivileged, true)
	out.ProxmoxProtection = r.spec.Proxmox.Protection
	allowed.privileges(r.spec.Unprivileged)
	r.wantsNesting(out.Template.Volume, out.Unprivileged)
	out.Nesting, out.SwapMiB, out.KeepsOwn = r.nesting(), r.swapMiB(), r.keepsOwn()
	out.MountPoints = r.mountPoints(m.Placement.DiskDatastore)

	return out
}

// typedFirewall adds that the switch of the first interface follows the firewall of the claim, where the claim does not say the switch itself.
func (r container) typedFirewall(typed map[string]string) map[string]string {
	if n := r.g.spec.Network; n != nil && n.Firewall != nil {
		return typed
	}

	out := map[string]string{"spec.network.firewall": "spec.firewall"}
	maps.Copy(out, typed)

	return out
}

// protection is that of a machine; and somebody else made what is in an adopted container.
func (r container) protection(policy v1alpha1.DeletionPolicy) bool {
	if r.spec.DeletionProtection == nil && r.g.catalog.Defaults.DeletionProtection == nil && r.g.existing.Adopting {
		return policy == v1alpha1.DeletionDelete
	}

	return protection(r.g, policy)
}

// keys are the SSH keys of root. unsaid says that the claim has none of its own.
func (r container) keys(vmid int64) (out []string, unsaid bool) {
	defaults := r.g.catalog.Defaults
	keys := r.spec.Bootstrap.SSHAuthorizedKeys
	unsaid = keys == nil

	if unsaid {
		keys = defaults.SSHAuthorizedKeys
		if faults := validate.SSHKeys(defaults.Path("sshAuthorizedKeys"), keys); len(faults) > 0 && r.n.keeps(r.g, machine.PartAccess, faults, "", nil) {
			keys = r.g.existing.Has.Access.SSHAuthorizedKeys
		}
	}

	for _, k := range keys {
		out = append(out, strings.TrimSpace(k))
	}

	has := machine.Access{SSHAuthorizedKeys: out}
	if r.g.isNew() {
		wholeKeys(r.g, r.n, has)
	}

	withoutOptions(r.g, r.n, has)

	if len(keys) == 0 && !r.g.existing.Adopting {
		number := "<vmId>"
		if vmid != 0 {
			number = strconv.FormatInt(vmid, 10)
		}

		r.n.warn("Nobody can log in over SSH: neither spec.bootstrap.sshAuthorizedKeys nor the catalogue's defaults.sshAuthorizedKeys have a key. "+
			"`pct enter %s` on the node opens a shell.", number)
	}

	return out, unsaid
}

// nesting is the claim's word. An adopted container keeps its own where the claim says nothing.
func (r container) nesting() *bool {
	var said *bool
	if f := r.spec.Features; f != nil {
		said = f.Nesting
	}

	return r.g.unlessAdopted(said, false)
}

// swapMiB of the claim; nil where an adopted container keeps its own. What is no size is a fault, which package validate reports.
func (r container) swapMiB() *int64 {
	if q := r.spec.Size.Swap; q != "" {
		n, err := quantity.SwapMiB(q)
		if err != nil {
			return nil
		}

		if text := string(q); r.g.isNew() && n > 0 && n < leastSwapMiB && strings.Trim(text, "0123456789") == "" {
			r.n.warn("spec.size.swap: %s without a unit is MiB, which is next to nothing: write %sGi, or 0 for none.", text, text)
		}

		return &n
	}

	if r.g.existing.Adopting {
		return nil
	}

	return new(int64)
}

// keepsOwn is what an adopted container keeps since its claim does not say it.
func (r container) keepsOwn() machine.ContainerKeeps {
	if !r.g.existing.Adopting {
		return machine.ContainerKeeps{}
	}

	n := r.spec.Network
	out := machine.ContainerKeeps{
		Network: n == nil, Hostname: r.spec.Hostname == "", OnBoot: r.spec.OnBoot == nil, Notes: r.spec.Notes == "",
		Startup: machine.NoStartup(r.spec.Startup), Disks: len(r.spec.Disks) == 0,
	}

	if n != nil {
		out.Bridge, out.VLAN = n.Bridge == "", n.VLAN == nil
		out.DNS = len(n.DNS) == 0 && n.Domain == "" && len(n.SearchDomains) == 0
	}

	return out
}

// mountPoints of the claim. The default datastore is the root file system's.
func (r container) mountPoints(datastore string) []machine.MountPoint {
	var out []machine.MountPoint

	for _, d := range r.spec.Disks {
		out = append(out, machine.MountPoint{Path: d.Path, SizeGiB: sizeGiB(d.Size), Datastore: cmp.Or(d.Storage, datastore), Backup: orTrue(d.Backup)})
	}

	// Proxmox mounts them in the order of their numbers (foreach_mountpoint in src/PVE/LXC/Config.pm of pve-container): a parent that came later would
	// hide what is mounted in it.
	depth := func(m machine.MountPoint) int { return strings.Count(strings.Trim(m.Path, "/"), "/") }
	slices.SortStableFunc(out, func(a, b machine.MountPoint) int { return cmp.Compare(depth(a), depth(b)) })

	return out
}

// sizeGiB of a mount point; 0 for a fault of the claim, which package validate reports.
func sizeGiB(q v1alpha1.Quantity) int64 {
	n, err := quantity.DiskGiB(q)
	if err != nil {
		return 0
	}

	return n
}

// noTemplate is the rule on a name with a colon that is no template's.
const noTemplate = "must be a container template on the node, as storage:vztmpl/file with .tar.gz, .tar.xz or .tar.zst, such as local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst"

// ofURL is what to write in place of the URL of a template; empty for what is none.
func ofURL(name string) string {
	if !strings.Contains(name, "://") || !(catalog.Image{Image: catalogue.Image{URL: name}}).IsTemplate() || catalog.NoTemplate(name) != "" {
		return ""
	}

	return fmt.Sprintf("is the URL of a template, which is written into the catalogue, images: {mine: {url: %q}}; then image: mine", name)
}

// ofFile is what is said of the name of a template's file without its datastore; empty for any other name.
func ofFile(name string) string {
	volume := "local:" + contentTemplate + "/" + name
	if catalog.ParseTemplateVolume(volume) == "" || catalog.NoTemplate(volume) != "" {
		return ""
	}

	return "is the name of a template's file, without the datastore that has it: write " + message.Excerpt(volume) + " where the node has it on local (`pveam list local`)"
}

// template resolves what the container is created from, and its distribution. What is a fault is left out.
func (r container) template(allowed allowance, datastore string) (name string, out machine.ContainerTemplate, os string) {
	name, at := r.spec.Image, r.g.at.Child("image")
	if name == "" {
		return "", out, ""
	}

	var file string

	if strings.Contains(name, ":") {
		why := catalog.NoTemplate(name)
		if file = catalog.ParseTemplateVolume(name); file == "" || why != "" && r.g.isNew() {
			r.n.add(field.Invalid(at, message.Excerpt(name), cmp.Or(r.ofRegistry(catalog.OCI(name)), ofURL(name), why+noTemplate)))

			return name, out, ""
		}

		allowed.template(at, name)
		r.doubts(name, catalog.Image{Image: catalogue.Image{Volume: name}})

		out = machine.ContainerTemplate{Volume: name}
	} else {
		file, out = r.listed(at, name, datastore)
		if file == "" {
			return name, out, ""
		}
	}

	return name, out, r.distribution(file)
}

// listed is a template of the catalogue, which is on the node already or is downloaded, and the name of its file; empty where there is a fault.
func (r container) listed(at *field.Path, name, datastore string) (file string, out machine.ContainerTemplate) {
	image, faults := r.g.catalog.Image(at, name)

	// Of a catalogue without faults: images of VMs are no choice for a container.
	if _, listed := r.g.catalog.Images[name]; !listed && len(faults) == 1 && r.g.catalog.Absent == "" && len(r.g.catalog.Faults) == 0 {
		faults[0].Detail = cmp.Or(r.ofRegistry(catalog.OCI(name)), noLinux(name, inContainer), ofFile(name),
			"there is no container template of that name; "+templates(r.g.catalog))
	}

	if len(faults) == 0 && !image.IsTemplate() {
		rule := cmp.Or(r.ofRegistry(image.OCI()), "is an image for VMs: a container is created from a template; "+templates(r.g.catalog))
		faults = field.ErrorList{field.Invalid(at, message.Excerpt(name), rule).WithOrigin(catalog.OriginUnknown)}
	}

	if len(faults) == 0 && image.Volume != "" {
		file, out = catalog.ParseTemplateVolume(image.Volume), machine.ContainerTemplate{Volume: image.Volume}
	} else if len(faults) == 0 {
		var d machine.Download

		d, faults = image.ContainerTemplate()
		file, out = d.FileName, machine.ContainerTemplate{Volume: datastore + ":" + contentTemplate + "/" + d.FileName, Download: &d}
	}

	if len(faults) > 0 {
		r.n.keeps(r.g, machine.PartImage, faults, name, appliedImage)

		return "", machine.ContainerTemplate{}
	}

	r.doubts(name, image)

	return file, out
}

// ofRegistry adds to what is wrong with an image of a registry which templates there are; empty where nothing is.
func (r container) ofRegistry(why string) string {
	if why == "" {
		return ""
	}

	return why + "; " + templates(r.g.catalog)
}

// doubts warns of a template of which a new container does not start.
func (r container) doubts(name string, image catalog.Image) {
	if !r.g.isNew() {
		return
	}

	for _, doubt := range image.TemplateDoubts() {
		r.n.warn("Image %s: %s.", message.Excerpt(name), doubt)
	}
}

// unserved warns of a template on a datastore that, by the catalogue, has none. It is no fault: lists that were written for VMs leave them out.
func (r container) unserved(name string, template machine.ContainerTemplate, site catalog.Site, node string) {
	datastore, _, _ := strings.Cut(template.Volume, ":")
	if !r.g.isNew() || r.g.existing.Adopting || datastore == "" {
		return
	}

	if fault := Datastore(nil, node, site.Nodes[node], datastore, contentTemplate); fault != nil {
		r.n.warn("Image %s: %s.", message.Excerpt(name), fault.Detail)
	}
}

// templates names the images of the catalogue of which containers are created, or says how to have one.
func templates(c catalog.Catalog) string {
	var names []string

	for name, image := range c.Images {
		if image.IsTemplate() && c.Tells(catalog.KindImage, "", name) {
			names = append(names, name)
		}
	}

	if len(names) == 0 {
		return `add one to the catalogue, images: {debian-12-ct: {url: "http://download.proxmox.com/images/system/debian-12-standard_12.7-1_amd64.tar.zst"}}, ` +
			"and write image: debian-12-ct"
	}

	slices.Sort(names)

	return message.ThereAre(names)
}

// kindred are the templates of distributions that Proxmox configures as another one, by what it finds in them (PVE/LXC/Setup.pm of pve-container).
var kindred = map[string]string{"almalinux": "centos", "rockylinux": "centos", "turnkey": "debian"} //nolint:gochecknoglobals // A constant table.

// distribution resolves what Proxmox configures in the container: the claim's word, else what the template's name begins with.
func (r container) distribution(file string) string {
	named := namedDistribution(file)

	if os := r.spec.OS; os != "" {
		// Proxmox looks into the template and sets the container up for what it finds, but starts it with LXC's settings for ostype ("got unexpected ostype",
		// PVE::LXC::Setup::new of pve-container).
		if named != "" && os != named && os != unmanagedOS && r.g.isNew() {
			r.n.warn("spec.os: %s, and the name of the template's file, %s, says %s. Proxmox would start the container with the settings for another distribution: remove os.",
				message.Excerpt(os), message.Excerpt(file), named)
		}

		return os
	}

	if named != "" {
		return named
	}

	r.n.add(field.Required(r.g.at.Child("os"), "must be the distribution of the template, because the name of its file, "+message.Excerpt(file)+
		", begins with none: "+message.OneOf(validate.ContainerOS())))

	return ""
}

// namedDistribution is the distribution with which the name of a template's file begins; empty for none.
func namedDistribution(file string) string {
	begins, _, _ := strings.Cut(strings.ToLower(file), "-")
	begins = cmp.Or(kindred[begins], begins)

	if begins == unmanagedOS || !slices.Contains(validate.ContainerOS(), begins) {
		return ""
	}

	return begins
}
