package compose

import (
	"cmp"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// Names of what the function asks Crossplane for before it chooses a node: VMs, snippets, images and containers of a group, all VMs, the
// snippets and images of machines without a VM, and all containers.
const (
	groupRequirement          = "spread"
	groupFilesRequirement     = "spread-files"
	groupImagesRequirement    = "spread-images"
	groupContainers           = "spread-containers"
	siteRequirement           = "site-vms"
	awaitingFilesRequirement  = "awaiting-files"
	awaitingImagesRequirement = "awaiting-images"
	siteContainers            = "site-containers"
)

// surroundings are what the choice of a machine's node depends on beside claim and catalogue.
type surroundings struct {
	spread, group resolve.Spread
	load          load
}

// A load is what other machines need of a site's nodes, before it is known whether the machine's own other VMs count. The zero load is for a
// site whose nodes' memory nobody knows.
type load struct {
	known    bool
	owner    lifecycle.Owner
	all      lifecycle.Neighbours
	newcomer lifecycle.Newcomer
}

// of the nodes, where the VM that is replaced runs on beside the new one, or does not.
func (l load) of(beside bool) resolve.Load {
	if !l.known {
		return resolve.Load{}
	}

	l.newcomer.Beside = beside

	return l.owner.Load(l.all, l.newcomer)
}

// A neighbourhood asks for the other machines, for the choice of a node.
type neighbourhood struct{ call *call }

// look at the other machines. Only a machine without a VM asks for what its node depends on: its node stays afterwards, wherever others go.
// Nothing waits for the answers: Crossplane calls again with them before it applies anything.
func (c neighbourhood) look(cat catalog.Catalog) (out surroundings, err error) {
	fields := c.call.claim.Fields()
	vms := c.call.facts.Observed.VMs

	if lifecycle.Lives(vms, c.call.facts.Roles.Active) {
		if err := c.askApart(cat); err != nil {
			return out, err
		}
	}

	if lifecycle.Lives(vms, c.call.facts.Roles.Described()) {
		return out, nil
	}

	if out.spread, err = c.spread(cat); err != nil || lifecycle.Adopts(fields.Adopt, c.call.facts.Roles, vms) {
		return out, err
	}

	if out.group, err = c.group(fields.Proxmox.Spread, c.call.facts.Roles.Described()); err != nil {
		return out, err
	}

	siblings := [2]string{proxmox.RoleLabel, fields.Role}
	if label := c.call.claim.Cluster().Label; label != "" {
		siblings = [2]string{proxmox.ClusterLabel, label}
	}

	out.load, err = c.load(cat, fields.Proxmox.Site, lifecycle.Newcomer{Roles: c.call.facts.Roles, Observed: c.call.facts.Observed, Siblings: siblings})

	return out, err
}

// askApart asks, for a machine that has a VM, for the VMs and containers of those that it is kept apart from: Proxmox and people move VMs. Only a server of a
// named K3s cluster and a machine with proxmox.spread ask, by a label of few. Nothing waits for the answer.
func (c neighbourhood) askApart(cat catalog.Catalog) (err error) {
	if k3s, cluster := c.call.claim.K3s(), c.call.claim.Cluster().Label; k3s != nil && k3s.Role == v1alpha1.K3sServer && cluster != "" {
		if c.call.facts.Apart.Servers, err = places(c.call, serversRequirement, serversOf(cluster)); err != nil {
			return err
		}
	}

	p := c.call.claim.Fields().Proxmox

	return c.askGroup(cat, p.Spread, p.Site, p.Avoid)
}

// askGroup asks where the machines and containers with the same proxmox.spread are, for one that is there.
func (c neighbourhood) askGroup(cat catalog.Catalog, spread, site string, avoid []string) (err error) {
	apart := &c.call.facts.Apart
	apart.Nodes = nodesOfSite(cat, site, avoid)

	if spread == "" {
		return nil
	}

	labels := groupLabels(c.call, spread)
	if apart.Group, err = places(c.call, groupRequirement, labels); err != nil {
		return err
	}

	apart.Containers, err = containersOf(c.call, groupContainers, labels)

	return err
}

// places of others' VMs by their labels.
func places(c *call, requirement string, labels map[string]string) (out []proxmox.ObservedVM, err error) {
	items, _ := require(c.req, c.rsp, requirement, byLabels(c.flavour.VMAPIVersion(), proxmox.VMKind, labels))

	for _, item := range items {
		if isOwn(c, item.GetResource()) {
			continue
		}

		vm, err := proxmox.ObservePlace(item.GetResource())
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read %s %q", proxmox.VMKind, nameOf(item.GetResource()))
		}

		out = append(out, vm)
	}

	return out, nil
}

// isOwn says whether a VM is one of the machine's, which it has read already.
func isOwn(c *call, vm *structpb.Struct) bool {
	metadata := vm.GetFields()["metadata"].GetStructValue().GetFields()
	name, namespace := metadata["name"].GetStringValue(), metadata["namespace"].GetStringValue()

	for _, own := range c.facts.Observed.VMs {
		if own.Metadata.Name == name && own.Metadata.Namespace == namespace {
			return true
		}
	}

	return false
}

// spread asks for the servers of the machine's K3s cluster, and says which nodes they are on. Only a server of a named cluster asks.
func (c neighbourhood) spread(cat catalog.Catalog) (out resolve.Spread, err error) {
	k3s, cluster := c.call.claim.K3s(), c.call.claim.Cluster().Label
	if k3s == nil || k3s.Role != v1alpha1.K3sServer || cluster == "" {
		return out, nil
	}

	if _, err := c.call.otherServers(cluster); err != nil {
		return out, err
	}

	servers := lifecycle.Neighbours{VMs: c.call.otherServerVMs}

	files := c.call.flavour.FileAPIVersion()
	servers.Files, _, err = requireByLabels(c.call, serverFilesRequirement, files, proxmox.FileKind, serversOf(cluster), proxmox.ObserveFile)
	if err != nil {
		return out, err
	}

	c.call.otherServerFiles = servers.Files

	// A server always has snippets.
	own := c.call.facts.Observed
	own.DownloadFiles = nil

	return c.call.facts.Owner.SpreadOfServers(servers, kinOf(cat, c.call.claim), c.call.facts.Roles.Described(), own), nil
}

// group asks for the machines and containers with the same proxmox.spread, and says which nodes they are on. described is the managed resource that tells
// the own choice of a node.
func (c neighbourhood) group(name, described string) (out resolve.Spread, err error) {
	if name == "" {
		return out, nil
	}

	labels := groupLabels(c.call, name)

	all, err := c.neighbours(labels, labels, groupRequirement, groupFilesRequirement, groupImagesRequirement)
	if err != nil {
		return out, err
	}

	if all.Containers, err = containersOf(c.call, groupContainers, labels); err != nil {
		return out, err
	}

	return c.call.facts.Owner.Spread(all, described, c.call.facts.Observed), nil
}

// groupLabels are those of all managed resources of the machines with a proxmox.spread, in the namespace of the claim.
func groupLabels(c *call, name string) map[string]string {
	out := map[string]string{proxmox.SpreadLabel: name}
	if n := c.claim.Identity.Namespace; n != "" {
		out[proxmox.NamespaceLabel] = n
	}

	return out
}

// load asks for all VMs and containers, and for what machines without a VM wait for, where the catalogue tells the memory of the site's nodes.
func (c neighbourhood) load(cat catalog.Catalog, siteName string, n lifecycle.Newcomer) (out load, err error) {
	site, faults := cat.Site(nil, cmp.Or(siteName, cat.Defaults.Site))
	if len(faults) > 0 || !site.HasInventory() {
		return out, nil
	}

	all, err := c.everybody()
	if err != nil {
		return out, err
	}

	out = load{known: true, owner: c.call.facts.Owner, all: all, newcomer: n}

	name, kind := site.Provider()
	out.owner.ProviderConfigRef = c.call.flavour.Ref(proxmox.ProviderConfig{Name: name, Kind: kind})

	return out, nil
}

// everybody asks for all VMs and containers, and for what machines without a VM wait for. VMs of a site have no label in common. Those that somebody
// composed without this function count, too.
func (c neighbourhood) everybody() (all lifecycle.Neighbours, err error) {
	all, err = c.neighbours(nil, map[string]string{proxmox.AwaitsVMLabel: "true"}, siteRequirement, awaitingFilesRequirement, awaitingImagesRequirement)
	if err != nil {
		return all, err
	}

	all.Containers, err = containersOf(c.call, siteContainers, nil)

	return all, err
}

// neighbours asks for VMs, snippets and images by label.
func (c neighbourhood) neighbours(vmLabels, fileLabels map[string]string, vms, files, images string) (out lifecycle.Neighbours, err error) {
	if out.VMs, _, err = c.call.vms(vms, vmLabels); err != nil {
		return out, err
	}

	if out.Files, _, err = requireByLabels(c.call, files, c.call.flavour.FileAPIVersion(), proxmox.FileKind, fileLabels, proxmox.ObserveFile); err != nil {
		return out, err
	}

	version := c.call.flavour.DownloadFileAPIVersion()
	out.Images, _, err = requireByLabels(c.call, images, version, proxmox.DownloadFileKind, fileLabels, proxmox.ObserveDownloadFile)

	return out, err
}
