package resolve

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// unmanagedOS is a distribution of which Proxmox configures nothing.
const unmanagedOS = "unmanaged"

// Container resolves a Container. It reports all faults at once, behind those of the claim's decoding.
func Container(
	id machine.Identity, spec v1alpha1.ContainerSpec, decoding field.ErrorList, c catalog.Catalog, e Existing,
) (*machine.Container, field.ErrorList) {
	out, errs := resolveContainer(id, spec, decoding, viewed(c, id.Namespace, spec.Proxmox.Node, e), e)
	if errs = consolidate(errs, judgement{c, e, id}.ofContainer(spec, out)); len(errs) > 0 {
		return nil, errs
	}

	return out, nil
}

// resolveContainer resolves a Container without the rules of its namespace. With faults, it is what could be made out.
func resolveContainer(
	id machine.Identity, spec v1alpha1.ContainerSpec, decoding field.ErrorList, c catalog.Catalog, e Existing,
) (*machine.Container, field.ErrorList) {
	common := commonFields(spec)
	r := &container{
		resolver: &resolver{
			resolution: resolution{catalog: c, existing: e}, id: id, spec: &common, at: field.NewPath("spec"), out: &machine.Machine{}, container: true,
		},
		spec: spec,
		out:  &machine.Container{},
	}
	r.resolve()

	if errs := consolidate(append(decoding, validate.Container(spec)...), r.errs); len(errs) > 0 {
		r.out.Machine = *r.resolver.out

		return r.out, absent(c, errs)
	}

	// The image and the administrator's account of the defaults are for VMs, and nobody adds or takes keys of a container that exists.
	r.resolver.out.BuiltIn = slices.DeleteFunc(r.builtIn(), func(name string) bool { return name != "class" && name != "site" })
	if c.Absent != "" {
		r.warn("There is no catalogue: %s; the built-in classes apply.", c.Absent)
	}

	r.out.Machine = *r.resolver.out

	return r.out, nil
}

// A container is the resolution of a claim for a container.
type container struct {
	*resolver

	spec v1alpha1.ContainerSpec
	out  *machine.Container
}

// commonFields are what the claim has in common with that of a VM, as a VM's claim says it.
func commonFields(s v1alpha1.ContainerSpec) v1alpha1.MachineFields {
	out := v1alpha1.MachineFields{
		Class:    s.Class,
		Size:     v1alpha1.Size{Cores: s.Size.Cores, Memory: s.Size.Memory, Disk: s.Size.Disk},
		Hostname: s.Hostname, Role: s.Role, Tags: s.Tags, Notes: s.Notes,
		Power: s.Power, OnBoot: s.OnBoot, Startup: s.Startup,
		Proxmox: v1alpha1.Placement{
			Site: s.Proxmox.Site, Node: s.Proxmox.Node, Storage: s.Proxmox.Storage, VMID: s.Proxmox.VMID, Pool: s.Proxmox.Pool,
		},
		Lifecycle:          v1alpha1.Lifecycle{Reboot: s.Lifecycle.Reboot, RebootPolicy: s.Lifecycle.RebootPolicy},
		Adopt:              s.Adopt,
		Firewall:           s.Firewall,
		DeletionProtection: s.DeletionProtection,
		Bootstrap:          v1alpha1.Bootstrap{SSHAuthorizedKeys: s.Bootstrap.SSHAuthorizedKeys},
	}

	if n := s.Network; n != nil {
		out.Network = &v1alpha1.Network{
			IPv4: n.IPv4, IPv6: n.IPv6, DNS: n.DNS, Domain: n.Domain, SearchDomains: n.SearchDomains,
			Bridge: n.Bridge, VLAN: n.VLAN, Firewall: n.Firewall, MTU: n.MTU, MAC: n.MAC,
		}
	}

	for _, d := range s.Disks {
		out.Disks = append(out.Disks, v1alpha1.Disk{Name: d.Path, Size: d.Size, Storage: d.Storage, Backup: d.Backup})
	}

	return out
}

func (r *container) resolve() {
	m := r.resolver.out
	m.Identity, m.Role, m.Hostname = r.id, r.spec.Role, r.hostname()
	m.Power = cmp.Or(r.spec.Power, v1alpha1.PowerRunning)
	m.OnBoot, m.Startup = orTrue(r.spec.OnBoot), r.spec.Startup
	m.DeletionPolicy = cmp.Or(r.spec.DeletionPolicy, v1alpha1.DeletionDelete)

	sizes{r.resolver}.resolve()
	placement{r.resolver}.resolve()
	network{r.resolver}.resolve()
	firewall{r.resolver}.resolve()
	identities{r.resolver}.check()
	r.tags()
	r.keys()
	r.lifecycle()
	r.protection()

	m.Notes = strings.TrimSpace(strings.ReplaceAll(r.spec.Notes, "\r\n", "\n"))

	r.template()
	r.own()
	r.mountPoints()
}

// protection is that of a machine; and somebody else made what is in an adopted container.
func (r *container) protection() {
	r.resolver.protection()

	if r.spec.DeletionProtection == nil && r.catalog.Defaults.DeletionProtection == nil && r.existing.Adopting {
		r.resolver.out.Protection = r.resolver.out.DeletionPolicy == v1alpha1.DeletionDelete
	}
}

// keys are the SSH keys of root.
func (r *container) keys() {
	keys := r.spec.Bootstrap.SSHAuthorizedKeys
	if keys == nil {
		r.out.KeysUnsaid = true

		keys = r.catalog.Defaults.SSHAuthorizedKeys
		if faults := validate.SSHKeys(r.catalog.Defaults.Path("sshAuthorizedKeys"), keys); len(faults) > 0 && r.keeps(machine.PartAccess, faults, "", nil) {
			keys = r.existing.Has.Access.SSHAuthorizedKeys
		}
	}

	for _, k := range keys {
		r.resolver.out.Access.SSHAuthorizedKeys = append(r.resolver.out.Access.SSHAuthorizedKeys, strings.TrimSpace(k))
	}

	if r.isNew() {
		wholeKeys(r.resolver)
	}

	r.withoutOptions()

	if len(keys) == 0 && !r.existing.Adopting {
		r.warn("Nobody can log in over SSH: neither spec.bootstrap.sshAuthorizedKeys nor the catalogue's defaults.sshAuthorizedKeys have a key. "+
			"`pct enter %d` on the node opens a shell.", r.resolver.out.Placement.VMID)
	}
}

// own resolves what containers have and VMs have not. An adopted container keeps what its claim does not say.
func (r *container) own() {
	adopting := r.existing.Adopting
	r.out.Unprivileged = r.unlessAdopted(r.spec.Unprivileged, true)

	r.out.ProxmoxProtection = r.spec.Proxmox.Protection

	r.allowedPrivileges()

	var nesting *bool
	if f := r.spec.Features; f != nil {
		nesting = f.Nesting
	}

	r.out.Nesting = r.unlessAdopted(nesting, false)

	if q := r.spec.Size.Swap; q != "" {
		if n, err := quantity.SwapMiB(q); err == nil {
			r.out.SwapMiB = &n
		}
	} else if !adopting {
		r.out.SwapMiB = new(int64)
	}

	if !adopting {
		return
	}

	n := r.spec.Network
	r.out.KeepsOwn = machine.ContainerKeeps{
		Network: n == nil, Hostname: r.spec.Hostname == "", OnBoot: r.spec.OnBoot == nil, Notes: r.spec.Notes == "",
		Startup: machine.NoStartup(r.spec.Startup), Disks: len(r.spec.Disks) == 0,
	}

	if n != nil {
		r.out.KeepsOwn.Bridge, r.out.KeepsOwn.VLAN = n.Bridge == "", n.VLAN == nil
		r.out.KeepsOwn.DNS = len(n.DNS) == 0 && n.Domain == "" && len(n.SearchDomains) == 0
	}
}

func (r *container) mountPoints() {
	for _, d := range r.spec.Disks {
		r.out.MountPoints = append(r.out.MountPoints, machine.MountPoint{
			Path:      d.Path,
			SizeGiB:   sizeGiB(d.Size),
			Datastore: cmp.Or(d.Storage, r.resolver.out.Placement.DiskDatastore),
			Backup:    orTrue(d.Backup),
		})
	}

	// Proxmox mounts them in the order of their numbers (foreach_mountpoint in src/PVE/LXC/Config.pm of pve-container): a parent that came later would
	// hide what is mounted in it.
	depth := func(m machine.MountPoint) int { return strings.Count(strings.Trim(m.Path, "/"), "/") }
	slices.SortStableFunc(r.out.MountPoints, func(a, b machine.MountPoint) int { return cmp.Compare(depth(a), depth(b)) })
}

// sizeGiB of a mount point; 0 for a fault of the claim, which package validate reports.
func sizeGiB(q v1alpha1.Quantity) int64 {
	n, err := quantity.DiskGiB(q)
	if err != nil {
		return 0
	}

	return n
}

// template resolves what the container is created from, and its distribution.
func (r *container) template() {
	name, at := r.spec.Image, r.at.Child("image")
	if name == "" {
		return
	}

	r.resolver.out.Boot.Image = name

	var file string

	if strings.Contains(name, ":") {
		if file = catalog.ParseTemplateVolume(name); file == "" {
			r.add(field.Invalid(at, message.Excerpt(name), "must be a container template on the node, as storage:vztmpl/file with .tar.gz, .tar.xz or .tar.zst, "+
				"such as local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst"))

			return
		}

		r.allowedTemplate(at, name)
		r.out.Template = machine.ContainerTemplate{Volume: name}
	} else if file = r.download(at, name); file == "" {
		return
	}

	r.distribution(file)
}

// download resolves a template of the catalogue, and returns the name of its file; empty where there is a fault.
func (r *container) download(at *field.Path, name string) string {
	image, faults := r.catalog.Image(at, name)

	// Of a catalogue without faults: images of VMs are no choice for a container.
	if _, listed := r.catalog.Images[name]; !listed && len(faults) == 1 && r.catalog.Absent == "" && len(r.catalog.Faults) == 0 {
		faults[0].Detail = "there is no container template of that name; " + r.templates()
	}

	switch {
	case len(faults) > 0:
		r.keeps(machine.PartImage, faults, name, appliedImage)
		return ""
	case image.URL == "":
		r.add(field.Invalid(at, message.Excerpt(name), "is no container template: images.<image>.url of the catalogue must be a .tar.gz, .tar.xz or .tar.zst file"))
		return ""
	}

	if !image.IsTemplate() {
		r.keeps(machine.PartImage, field.ErrorList{field.Invalid(at, message.Excerpt(name), "is an image for VMs: a container is created from a template; "+r.templates())}, name, appliedImage)

		return ""
	}

	d, faults := image.ContainerTemplate()
	if len(faults) > 0 {
		r.keeps(machine.PartImage, faults, name, appliedImage)
		return ""
	}

	r.out.Template = machine.ContainerTemplate{
		Volume: r.resolver.out.Placement.ImageDatastore + ":" + contentTemplate + "/" + d.FileName, Download: &d,
	}

	return d.FileName
}

// templates names the images of the catalogue of which containers are created, or says how to have one.
func (r *container) templates() string {
	var names []string

	for name, image := range r.catalog.Images {
		if image.URL != "" && image.IsTemplate() {
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

// distribution resolves what Proxmox configures in the container: the claim's word, else what the template's name begins with.
func (r *container) distribution(file string) {
	if r.out.OS = r.spec.OS; r.out.OS != "" {
		return
	}

	begins, _, _ := strings.Cut(strings.ToLower(file), "-")

	for _, os := range validate.ContainerOS() {
		if os == begins && os != unmanagedOS {
			r.out.OS = os
			return
		}
	}

	r.add(field.Required(r.at.Child("os"), "must be the distribution of the template, because the name of its file, "+message.Excerpt(file)+
		", begins with none: "+message.OneOf(validate.ContainerOS())))
}
