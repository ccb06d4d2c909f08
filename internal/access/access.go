// Package access says what the machines of a catalogue and of claims use of each Proxmox cluster, for the privileges of the provider's API token there.
package access

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// contentDisks is the content type of a datastore that can have VMs' disks.
const contentDisks = "images"

// customCPU begins the name of a CPU type that a person has defined in Proxmox.
const customCPU = "custom-"

// Sites of a catalogue, by name, with what the catalogue offers to claims and what these claims use; one site without a name where the catalogue has
// none. What the catalogue offers by name counts as used: images, classes, resource mappings, and the datastores of each purpose. Another datastore,
// a pool, and what a claim alone can ask for counts where a claim asks for it. A claim with faults, or of an unknown site, is an error.
func Sites(cat catalog.Catalog, claims []claim.Claim) ([]privilege.Site, error) {
	cat = catalog.Merge(catalog.BuiltIn(), cat)
	sites := map[string]*privilege.Site{}

	for name, s := range cat.Sites {
		sites[name] = siteOf(cat, name, s)
	}

	if len(sites) == 0 {
		sites[""] = siteOf(cat, "", catalog.Site{})
	}

	var errs []error

	for _, c := range claims {
		if err := c.Faults.ToAggregate(); err != nil {
			errs = append(errs, errors.Wrapf(err, "cannot read %s %s", c.Identity.Kind, message.Excerpt(c.Identity.Name)))
			continue
		}

		machines, err := machinesOf(c)
		if err != nil {
			errs = append(errs, err)
			continue
		}

		for _, m := range machines {
			site, err := siteFor(cat, sites, m)
			if err != nil {
				errs = append(errs, errors.Wrapf(err, "cannot tell the site of %s %s", c.Identity.Kind, message.Excerpt(c.Identity.Name)))
				break
			}

			use(cat, site, m)
			useParts(site, c.ProxmoxSite)
		}
	}

	out := make([]privilege.Site, 0, len(sites))
	for _, name := range slices.Sorted(maps.Keys(sites)) {
		out = append(out, *sites[name])
	}

	return out, errors.Join(errs...)
}

// siteOf is what the catalogue offers at a site.
func siteOf(cat catalog.Catalog, name string, s catalog.Site) *privilege.Site {
	out := &privilege.Site{Name: name, Spare: slices.Clone(s.SharedDatastores), VMIDs: vmIDs(cat, s)}

	nodes := slices.Sorted(maps.Keys(s.Nodes))
	if len(nodes) == 0 {
		nodes = []string{""} // Of which the catalogue knows nothing.
	}

	for _, node := range nodes {
		d, n := resolve.Datastores(s, node), s.Nodes[node]

		out.Disks, out.Images, out.Snippets = append(out.Disks, d.Disks), append(out.Images, d.Images), append(out.Snippets, d.Snippets)
		out.PCI, out.USB = append(out.PCI, n.PCI...), append(out.USB, n.USB...)

		for _, storage := range slices.Sorted(maps.Keys(n.Storages)) {
			if slices.Contains(n.Storages[storage].Names(), contentDisks) {
				out.Spare = append(out.Spare, storage)
			}
		}
	}

	for _, name := range slices.Sorted(maps.Keys(cat.Images)) {
		image := cat.Images[name]
		if _, there := s.Nodes[image.TemplateNode]; image.TemplateNode != "" && len(s.Nodes) > 0 && !there {
			continue // A template of another site.
		}

		boot(out, image.Template, image.Volume)
	}

	for _, class := range cat.Classes {
		processor(out, class.CPUType)
	}

	return out
}

// vmIDs are the ranges of all sites of one Proxmox cluster, which proposes VMIDs for all of them.
func vmIDs(cat catalog.Catalog, s catalog.Site) []privilege.Range {
	var out []privilege.Range

	for _, name := range slices.Sorted(maps.Keys(cat.Sites)) {
		other := cat.Sites[name]
		if other.VMIDs != nil && s.SameProxmox(other) {
			out = append(out, privilege.Range{From: other.VMIDs.From, To: other.VMIDs.To})
		}
	}

	return out
}

// boot has the site use what a boot disk is made of.
func boot(site *privilege.Site, template int64, volume string) {
	if template != 0 {
		mark(site, privilege.UseTemplates)
	}

	if v, err := catalog.ParseVolume(volume); volume != "" && err == nil {
		site.Volumes = append(site.Volumes, v.Datastore)
	}
}

// processor has the site use a CPU type.
func processor(site *privilege.Site, cpuType string) {
	if strings.HasPrefix(cpuType, customCPU) {
		mark(site, privilege.UseCustomCPU)
	}
}

func mark(site *privilege.Site, u privilege.Use) {
	if !slices.Contains(site.Uses, u) {
		site.Uses = append(site.Uses, u)
	}
}

// machinesOf a claim: itself, or the nodes of its cluster.
func machinesOf(c claim.Claim) ([]v1alpha1.MachineFields, error) {
	switch {
	case c.Machine != nil:
		return []v1alpha1.MachineFields{c.Machine.MachineFields}, nil
	case c.K3sNode != nil:
		return []v1alpha1.MachineFields{c.K3sNode.MachineFields}, nil
	case c.Container != nil:
		return []v1alpha1.MachineFields{ofContainer(*c.Container)}, nil
	case c.ProxmoxSite != nil:
		return []v1alpha1.MachineFields{{Proxmox: v1alpha1.Placement{Site: c.ProxmoxSite.Proxmox.Site}}}, nil
	}

	members, err := cluster.Members(c.Identity, *c.K3sCluster, false)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read the nodes of %s %s", c.Identity.Kind, message.Excerpt(c.Identity.Name))
	}

	out := make([]v1alpha1.MachineFields, 0, len(members))

	for _, m := range members {
		node := claim.Decode(map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": claim.KindK3sNode, "metadata": map[string]any{"name": m.Machine}, "spec": m.Spec,
		})
		if err := node.Faults.ToAggregate(); err != nil {
			return nil, errors.Wrapf(err, "cannot read node %s of %s %s", m.Node, c.Identity.Kind, message.Excerpt(c.Identity.Name))
		}

		out = append(out, node.K3sNode.MachineFields)
	}

	return out, nil
}

// ofContainer is what the claim of a container has in common with one of a VM, as far as privileges depend on it.
func ofContainer(s v1alpha1.ContainerSpec) v1alpha1.MachineFields {
	out := v1alpha1.MachineFields{
		Proxmox: v1alpha1.Placement{Site: s.Proxmox.Site, Storage: s.Proxmox.Storage, Pool: s.Proxmox.Pool}, Startup: s.Startup,
	}

	for _, d := range s.Disks {
		out.Disks = append(out.Disks, v1alpha1.Disk{Storage: d.Storage})
	}

	return out
}

// useParts has the site be used by a ProxmoxSite; nil uses nothing.
func useParts(site *privilege.Site, s *v1alpha1.ProxmoxSiteSpec) {
	if s == nil {
		return
	}

	if len(s.Nodes) > 0 || len(s.AllowRemoval.Interfaces) > 0 {
		mark(site, privilege.UseSiteNetwork)
	}

	for _, p := range s.Pools {
		site.Pools = append(site.Pools, p.Name)
	}

	site.Pools = append(site.Pools, s.AllowRemoval.Pools...)
}

// siteFor is the site of a machine: its own, the catalogue's default, or the only one.
func siteFor(cat catalog.Catalog, sites map[string]*privilege.Site, m v1alpha1.MachineFields) (*privilege.Site, error) {
	name, at := m.Proxmox.Site, field.NewPath("spec", "proxmox", "site")
	if name == "" {
		name, at = cat.Defaults.Site, cat.Defaults.Path("site")
	}

	if name == "" && len(sites) == 1 {
		for _, only := range sites {
			return only, nil
		}
	}

	if name == "" {
		return nil, field.ErrorList{field.Required(field.NewPath("spec", "proxmox", "site"), "must name a site, because the catalogue has several and no defaults.site; "+
			message.ThereAre(message.Nearest(cat.Sites, "")))}.ToAggregate()
	}

	if _, faults := cat.Site(at, name); len(faults) > 0 {
		return nil, faults.ToAggregate()
	}

	return sites[name], nil
}

// use has the site be used by a machine.
func use(cat catalog.Catalog, site *privilege.Site, m v1alpha1.MachineFields) {
	if m.Proxmox.Storage != "" {
		site.Disks = append(site.Disks, m.Proxmox.Storage)
	}

	for _, d := range m.Disks {
		if d.Storage != "" {
			site.Disks = append(site.Disks, d.Storage)
		}
	}

	for _, d := range m.Devices.PCI {
		site.PCI = append(site.PCI, d.Mapping)
	}

	for _, d := range m.Devices.USB {
		site.USB = append(site.USB, d.Mapping)
	}

	if m.Proxmox.Pool != "" {
		site.Pools = append(site.Pools, m.Proxmox.Pool)
	}

	if m.Proxmox.Migrate {
		mark(site, privilege.UseMigration)
	}

	// Also with enabled: false, which takes a VM out of high availability.
	if m.HA != nil {
		mark(site, privilege.UseHA)
	}

	if m.Startup != nil {
		mark(site, privilege.UseHostOption)
	}

	processor(site, m.Size.CPUType)

	// An image of the catalogue is one of the site already.
	image := string(m.Image)
	if _, listed := cat.Images[image]; listed {
		return
	}

	template, err := strconv.ParseInt(image, 10, 64)
	if err != nil {
		boot(site, 0, image)
		return
	}

	boot(site, template, "")
}
