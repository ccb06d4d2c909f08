package container

import (
	"maps"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// templateTimeoutSeconds is how long a node may take to download a template.
const templateTimeoutSeconds = 1800

// A Rendering are the managed resources that should exist.
type Rendering struct {
	// Containers by composed resource name: the claim's, the one that is to replace it, and those that are none any more.
	Containers map[string]proxmox.Container
	Templates  map[string]proxmox.DownloadFile
	Checks     Checks
	Firewalls  proxmox.Firewalls
}

// Checks look whether a VMID is free; by composed resource name.
type Checks struct {
	Containers map[string]proxmox.Container
	VMs        map[string]proxmox.Resource[VMCheck]
}

// A VMCheck looks for a VM.
type VMCheck struct {
	NodeName string `json:"nodeName"`
	VMID     int64  `json:"vmId"`
}

// Render the managed resources as the plan says.
func Render(p Plan) Rendering {
	out := renderGuest(p)

	if p.Next != nil {
		out.add(renderGuest(*p.Next))
	}

	for name, d := range p.Departures {
		if d != replacement.Goes {
			c := leaving(p, name)
			render.Resume(&c.Metadata, p.Observed.Containers[name])
			out.Containers[name] = c
		}
	}

	return out
}

// renderGuest is what is to be of one container.
func renderGuest(p Plan) Rendering {
	out := Rendering{Templates: p.templates(), Containers: map[string]proxmox.Container{}}
	o := p.Observed.Containers[p.Guest]

	var c *proxmox.Container

	switch p.Action {
	case ActionCheck:
		out.Checks = p.checks()
	case ActionCreate:
		c = new(p.created(o))
		out.Checks = p.reservation()
	case ActionAdopt:
		c = new(p.adopted(o))
	case ActionFollow:
		c = new(p.following(o))
	case ActionKeep:
		c = new(p.kept(o))
	case ActionDisown:
		c = new(kept(o))
		c.Spec.ManagementPolicies = proxmox.ObserveOnly()
		c.Metadata.Annotations[proxmox.ExternalNameAnnotation] = proxmox.ImportName(o.Spec.ForProvider.NodeName, proxmox.VMIDOfContainer(o))
	}

	if c != nil {
		render.Resume(&c.Metadata, o)
		out.Containers[p.Guest] = *c
	}

	out.Firewalls = firewallsOf(p, o)

	return out
}

// add what is to be of the container that replaces another one.
func (r *Rendering) add(next Rendering) {
	maps.Copy(r.Containers, next.Containers)
	maps.Copy(r.Templates, next.Templates)
	maps.Copy(r.Firewalls.Options, next.Firewalls.Options)
	maps.Copy(r.Firewalls.Rules, next.Firewalls.Rules)
	r.Checks = next.Checks
}

// Retain everything that exists, while Crossplane still fetches what the call needs.
func Retain(s proxmox.State) Rendering {
	out := Rendering{
		Containers: map[string]proxmox.Container{}, Templates: map[string]proxmox.DownloadFile{}, Firewalls: render.RetainFirewalls(s.Firewalls),
		Checks: Checks{Containers: map[string]proxmox.Container{}, VMs: map[string]proxmox.Resource[VMCheck]{}},
	}

	for name, o := range s.Containers {
		c := kept(o)

		if replacement.Names(name) {
			out.Containers[name] = c
		} else {
			out.Checks.Containers[name] = c
		}
	}

	for name, o := range s.VMs {
		check := VMCheck{NodeName: o.Spec.ForProvider.NodeName}
		if id := o.Spec.ForProvider.VMID; id != nil {
			check.VMID = *id
		}

		out.Checks.VMs[name] = proxmox.Resource[VMCheck]{
			APIVersion: o.APIVersion, Kind: o.Kind, Metadata: render.Ours(o.Metadata.Metadata),
			Spec: proxmox.Spec[VMCheck]{ManagementPolicies: proxmox.ObserveOnly(), ProviderConfigRef: o.Spec.ProviderConfigRef, ForProvider: check},
		}
	}

	for name, f := range s.DownloadFiles {
		out.Templates[name] = f.Retained(render.Ours(f.Metadata.Metadata), proxmox.DeletionOrphans)
	}

	return out
}

// Manifests of all of it, by composed resource name.
func (r Rendering) Manifests(read proxmox.Read) (map[string]proxmox.Manifest, error) {
	out := map[string]proxmox.Manifest{}

	return out, errors.Join(proxmox.AddManifests(out, r.Containers, read), proxmox.AddManifests(out, r.Templates, read),
		proxmox.AddManifests(out, r.Checks.Containers, read), proxmox.AddManifests(out, r.Checks.VMs, read),
		proxmox.AddManifests(out, r.Firewalls.Options, read), proxmox.AddManifests(out, r.Firewalls.Rules, read))
}

// metadata of the managed resources of a claim.
func (p Plan) metadata(annotations map[string]string) proxmox.Metadata {
	c := p.Container
	labels := map[string]string{proxmox.MachineLabel: c.Identity.Name}

	if c.Role != "" {
		labels[proxmox.RoleLabel] = c.Role
	}

	if c.Placement.Spread != "" {
		labels[proxmox.SpreadLabel] = c.Placement.Spread
	}

	if c.Identity.Namespace != "" {
		labels[proxmox.NamespaceLabel] = c.Identity.Namespace
	}

	for name, v := range annotations {
		if v == "" {
			delete(annotations, name)
		}
	}

	return proxmox.Metadata{Labels: labels, Annotations: annotations}
}

func (p Plan) providerConfig() proxmox.ProviderConfig {
	return proxmox.ProviderConfig{Name: p.Container.Placement.ProviderConfig, Kind: p.Container.Placement.ProviderConfigKind}
}

// templates that the node downloads. A container that exists keeps what it was created from, and not what one before it was: the file stays on the node.
func (p Plan) templates() map[string]proxmox.DownloadFile {
	out := map[string]proxmox.DownloadFile{}

	if !p.absent() && p.State != StateFailed {
		used := createdFrom(p.Observed)

		for name, f := range p.Observed.DownloadFiles {
			if len(used) > 0 && !used[f.Spec.ForProvider.VolumeID()] {
				continue
			}

			out[name] = f.Retained(p.metadata(map[string]string{proxmox.ExternalNameAnnotation: f.Metadata.ExternalName()}), proxmox.DeletionOrphans)
		}

		return out
	}

	if d := p.Container.Template.Download; d != nil && p.Container.Adopt == nil {
		f := p.download(*d)
		out["template-"+p.Container.Identity.Hash(f.NodeName, f.VolumeID(), f.URL, p.Owner.ProviderConfigRef.Name, p.Owner.ProviderConfigRef.Kind)] = proxmox.NewDownloadFile(
			p.Flavour, p.providerConfig(), p.metadata(map[string]string{proxmox.ExternalNameAnnotation: f.VolumeID()}), f)
	}

	return out
}

// createdFrom are the volumes of the templates that containers were created from. None where that is not known of any.
func createdFrom(s proxmox.State) map[string]bool {
	out := map[string]bool{}

	for _, c := range s.Containers {
		for _, os := range c.Spec.ForProvider.OperatingSystem {
			if !c.ObserveOnly() && os.TemplateFileID != "" {
				out[os.TemplateFileID] = true
			}
		}
	}

	return out
}

func (p Plan) download(d machine.Download) proxmox.DownloadFileParameters {
	return proxmox.DownloadFileParameters{
		NodeName: p.Container.Placement.Node, DatastoreID: p.Container.Placement.ImageDatastore, ContentType: "vztmpl",
		FileName: d.FileName, URL: d.URL, Checksum: d.Checksum, ChecksumAlgorithm: d.ChecksumAlgorithm,
		UploadTimeoutSeconds: templateTimeoutSeconds, Verify: true,
	}
}

// checks look for a container on each node and, unless one is to be adopted, for a VM.
func (p Plan) checks() Checks {
	id := VMIDOf(p.Container)
	out := Checks{Containers: map[string]proxmox.Container{}}

	looks := p.looks()
	for _, node := range looks.nodes {
		ct := proxmox.NewContainer(p.Flavour, p.providerConfig(), p.numbered(proxmox.ImportName(node, id)), proxmox.DeletionOrphans, proxmox.ContainerParameters{
			NodeName: node, VMID: &id, Tags: []string{},
		})
		ct.Spec.ManagementPolicies = proxmox.ObserveOnly()

		if p.Adoption != nil && p.Adoption.Reserves != "" {
			ct.Metadata.Annotations[proxmox.ReservesAnnotation] = p.Adoption.Reserves
		}

		out.Containers[looks.name(node, kindContainer)] = ct
	}

	if p.Container.Adopt != nil {
		return out
	}

	// Machines count the VMs of a role on each node, and this is none.
	_, vmName := p.checkNames()
	m := p.numbered(proxmox.ImportName(p.Container.Placement.Node, id))
	delete(m.Labels, proxmox.RoleLabel)

	if v := reservationOf(p, vmName); v != "" {
		m.Annotations[proxmox.ReservesAnnotation] = v
	}

	compared(&m, &p.Container.Machine)

	// Who takes an address of the site's pool meanwhile takes another one.
	for i, n := range p.Container.NICs {
		if n.IPv4.Method == machine.MethodStatic && n.IPv4.Address != "" && (i > 0 || p.PoolAddress == nil) {
			m.Labels[proxmox.AddressLabel("ipv4", i)] = n.IPv4.Address
		}
	}

	if a := p.PoolAddress; a != nil && a.Address.IsValid() {
		m.Annotations[proxmox.ReservedAddressAnnotation] = a.Address.String()
	}

	if p.SearchMark != "" {
		m.Annotations[proxmox.SearchedFromAnnotation] = p.SearchMark
	}

	out.VMs = map[string]proxmox.Resource[VMCheck]{vmName: {
		APIVersion: p.Flavour.VMAPIVersion(), Kind: proxmox.VMKind, Metadata: m,
		Spec: proxmox.Spec[VMCheck]{
			ManagementPolicies: proxmox.ObserveOnly(), ProviderConfigRef: p.Owner.ProviderConfigRef,
			ForProvider: VMCheck{NodeName: p.Container.Placement.Node, VMID: id},
		},
	}}

	return out
}

// compared writes the addresses of a container that is to be, and their networks: other machines and containers may not have them. Of one without a fixed
// address nothing is compared.
func compared(to *proxmox.Metadata, m *machine.Machine) {
	networks := make([]string, len(m.NICs))
	for i, n := range m.NICs {
		networks[i] = proxmox.Network(n.Bridge, n.VLAN)
	}

	for _, a := range m.Addresses() {
		if v := a.Label(); v != "" && a.Origin != machine.OriginPool {
			to.Annotations[proxmox.NetworksAnnotation] = strings.Join(networks, ",")
			to.Labels[proxmox.AddressLabel(a.Kind, a.NIC)] = v
		}
	}
}

// reservation of an address of the site's pool. It stays until the container is seen: Crossplane deletes what is not desired any more before it applies
// the rest, and nobody would see who has the address meanwhile.
func (p Plan) reservation() Checks {
	if p.PoolAddress == nil || p.State == StateFailed {
		return Checks{}
	}

	return Checks{VMs: p.checks().VMs}
}

// reservationOf is what the container needs, for others that choose a node or count a quota before it is created; empty where nobody does.
func reservationOf(p Plan, check string) string {
	c := p.Container
	reserved := proxmox.Reservation{VM: check, MemoryMiB: c.MemoryMiB}

	switch c.Placement.Reserves {
	case machine.ReservesNothing:
		return ""
	case machine.ReservesSize:
		reserved.Cores, reserved.DiskGiB = c.Cores, c.DiskGiB()
	case machine.ReservesMemory:
	}

	return reserved.String()
}

// numbered is the metadata of what has the VMID, under an external name.
func (p Plan) numbered(name string) proxmox.Metadata {
	m := p.metadata(map[string]string{proxmox.ExternalNameAnnotation: name})
	m.Labels[proxmox.VMIDLabel] = strconv.FormatInt(VMIDOf(p.Container), 10)

	return m
}

// recorded is the metadata of a container, under its external name, with what it has of no catalogue.
func (p Plan) recorded(name string) proxmox.Metadata {
	m := p.numbered(name)
	if v := proxmox.WriteBuiltIn(p.Container.BuiltIn); v != "" {
		m.Annotations[proxmox.BuiltInAnnotation] = v
	}

	if v := proxmox.WriteOverrides(p.Container.Overrides); v != "" {
		m.Annotations[proxmox.OverridesAnnotation] = v
	}

	if v := p.Container.FirewallDefault; v != "" {
		m.Annotations[proxmox.FirewallDefaultAnnotation] = v
	}

	return m
}

// created is a container that the provider may create, stopped, and may neither change nor delete before it is known to be ours.
func (p Plan) created(o proxmox.ObservedContainer) proxmox.Container {
	m := p.recorded(vmID(p.Described))
	m.Annotations[proxmox.CreatingAnnotation] = proxmox.CreatingMark(o.Metadata.Metadata, p.State == StateFailed)

	if t := p.Container.Lifecycle.Reboot; t != "" {
		// It has nothing to restart for a value that it was created with.
		m.Annotations[proxmox.RebootTriggersAnnotation] = t
	}

	maps.Copy(m.Annotations, remembered(p, o))

	if mark := p.interfacesMark(proxmox.ObservedContainer{}); mark != "" {
		m.Annotations[proxmox.InterfacesAnnotation] = mark
	}

	c := proxmox.NewContainer(p.Flavour, p.providerConfig(), m, p.Deletion(), p.Parameters)
	c.Spec.ManagementPolicies = proxmox.CreatePolicies()

	return c
}

// adopted is a container as it was found. The provider may not change it before it has read it once more.
func (p Plan) adopted(o proxmox.ObservedContainer) proxmox.Container {
	name, _ := p.checkNames()
	m := p.recorded(vmID(p.Parameters))
	m.Annotations[proxmox.AdoptedAnnotation] = "true"
	maps.Copy(m.Annotations, remembered(p, o))

	if t := p.Container.Lifecycle.Reboot; t != "" {
		m.Annotations[proxmox.RebootTriggersAnnotation] = t
	}

	c := proxmox.NewContainer(p.Flavour, p.providerConfig(), m, p.Deletion(), p.Parameters)
	c.Spec.ManagementPolicies = proxmox.WithoutUpdate(c.Spec.ManagementPolicies)
	c.Spec.Rest = p.Observed.Containers[name].Status.AtProvider.Parameters.Rest

	return c
}

// following is a container that exists: as it is, but for what is to change.
func (p Plan) following(o proxmox.ObservedContainer) proxmox.Container {
	m := p.metadata(map[string]string{
		proxmox.ExternalNameAnnotation:   o.Metadata.ExternalName(),
		proxmox.AdoptedAnnotation:        o.Metadata.Annotations[proxmox.AdoptedAnnotation],
		proxmox.StoppedForAnnotation:     p.Power.StoppedFor,
		proxmox.RebootTriggersAnnotation: strings.Join(p.Power.Followed, ","),
		proxmox.RestartedForAnnotation:   p.Power.RestartedFor,
		proxmox.BuiltInAnnotation:        proxmox.WriteBuiltIn(p.Container.BuiltIn),
		proxmox.OverridesAnnotation:      proxmox.WriteOverrides(p.Container.Overrides),
		proxmox.InterfacesAnnotation:     p.interfacesMark(o),

		proxmox.FirewallDefaultAnnotation: p.Container.FirewallDefault,

		proxmox.ReservedAddressAnnotation: awaitedAddresses(p, o),
	})
	m.Labels[proxmox.VMIDLabel] = o.Metadata.ExternalName()

	maps.Copy(m.Annotations, remembered(p, o))

	if p.Power.Phase == PowerFirstStart {
		m.Annotations[proxmox.FirstStartAnnotation] = "true"
	}

	c := proxmox.NewContainer(p.Flavour, p.providerConfig(), m, p.Deletion(), p.Parameters)
	// Under another API version or provider configuration this would be another container, and the old one would be deleted.
	c.APIVersion, c.Spec.ProviderConfigRef = o.APIVersion, o.Spec.ProviderConfigRef
	c.Spec.Rest = o.Status.AtProvider.Parameters.Rest

	if !p.MayUpdate {
		c.Spec.ManagementPolicies = proxmox.WithoutUpdate(c.Spec.ManagementPolicies)
	}

	return c
}

// kept is a container as it was last written. What is to become of it when its claim is deleted counts at once, also while nobody knows how it is.
func (p Plan) kept(o proxmox.ObservedContainer) proxmox.Container {
	c := kept(o)
	if p.State != StateLiving {
		return c
	}

	c.Spec.ManagementPolicies = proxmox.Policies(p.Deletion())
	if !proxmox.MayUpdate(o.Spec.ManagementPolicies) {
		c.Spec.ManagementPolicies = proxmox.WithoutUpdate(c.Spec.ManagementPolicies)
	}

	return c
}

// kept is a container as it was last written, with its own policies.
func kept(o proxmox.ObservedContainer) proxmox.Container {
	return proxmox.Container{APIVersion: o.APIVersion, Kind: o.Kind, Metadata: render.Ours(o.Metadata.Metadata), Spec: o.Spec}
}

// leaving is a container that is not the claim's any more, as it is to be written.
func leaving(p Plan, name string) proxmox.Container {
	o := p.Observed.Containers[name]
	c := kept(o)
	d := p.Departures[name]

	if d == replacement.Stays || o.Status.AtProvider.Parameters == nil {
		return c
	}

	l := leaver(&p, name)
	c.Metadata.Annotations[proxmox.StoppedForAnnotation] = stoppedForReplacement
	c.Spec.ForProvider = stopped(o)
	c.Spec.Rest = o.Status.AtProvider.Parameters.Rest
	c.Spec.ManagementPolicies = proxmox.Policies(proxmox.Deletion(l.Fate == replacement.Destroyed && l.Permission == replacement.Permitted))

	if sameParameters(c.Spec.ForProvider, o) {
		c.Spec.ManagementPolicies = proxmox.WithoutUpdate(c.Spec.ManagementPolicies)
	}

	return c
}

// firewallsOf are the managed resources of the container's own firewall.
func firewallsOf(p Plan, o proxmox.ObservedContainer) proxmox.Firewalls {
	w := render.FirewallWriter{
		Guest: p.Guest, Flavour: p.Flavour, Config: o.Spec.ProviderConfigRef, Metadata: func() proxmox.Metadata { return p.metadata(nil) },
	}
	out := w.Write(p.Firewall, p.Observed.Firewalls)

	finish(p, out.Options, p.Observed.Firewalls.Options)
	finish(p, out.Rules, p.Observed.Firewalls.Rules)

	return out
}

// finish writes into managed resources of one kind what the provider may do with them, and resumes creations in whose middle it was stopped.
func finish[P, S any](p Plan, desired map[string]proxmox.Resource[P], observed map[string]proxmox.Observed[P, S]) {
	for name, r := range desired {
		// Only when the provider may do no more than observe, which the next call sees, can the managed resource go.
		if p.Action == ActionDisown {
			r.Spec.ManagementPolicies = proxmox.ObserveOnly()
		}

		render.Resume(&r.Metadata, observed[name])
		desired[name] = r
	}
}
