package resolve

import (
	"cmp"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// viewed is the catalogue as the claims of a namespace see it. What has a node already, or names one, chooses none; what is to be adopted is looked for from
// one of the tenant's, because the provider finds a VMID on any.
func viewed(c catalog.Catalog, namespace, node string, e Existing) catalog.Catalog {
	return tenancy.View(c, namespace, node != "" || e.Node != "")
}

// A judgement is what the rules of a claim's namespace say to a claim.
type judgement struct {
	catalog  catalog.Catalog
	existing Existing
	id       machine.Identity
}

// faults of what is claimed. What a machine had before is none, also where its VM is replaced, or made again: before is what the claim asked for that the
// machine was last ready with.
func (j judgement) faults(now tenancy.Claimed, before func() (tenancy.Claimed, bool)) field.ErrorList {
	if unread := j.unread(); len(unread) > 0 && j.existing.Has == nil && j.existing.Applied == nil {
		return unread
	}

	if now.Machine == nil {
		return nil // A claim of no kind.
	}

	violations := tenancy.Judge(j.catalog.Tenancy, j.id, now)
	if len(violations) == 0 {
		return nil
	}

	then, ok := before()
	if !ok {
		return tenancy.Beyond(violations, nil)
	}

	// Of the labels of before, the tag is left.
	was := j.id
	was.Tenant = j.existing.Tenant

	return tenancy.Beyond(violations, tenancy.Judge(j.catalog.Tenancy, was, then))
}

// unlisted are the faults of a claim, in which a tenant is told no name that its lists do not have. site is the claim's own.
func unlisted(c catalog.Catalog, namespace, site string, faults field.ErrorList) field.ErrorList {
	t, ok := c.Tenancy.ReaderOf(namespace)
	if !ok {
		return faults
	}

	return tenancy.Unlisted(t, cmp.Or(site, c.Defaults.Site), faults)
}

// unread are why nobody can tell what the rules are: what cannot be read allows nothing that is new.
func (j judgement) unread() field.ErrorList {
	if j.id.Namespace == "" {
		return nil
	}

	t, ok := j.catalog.Tenancy.TenantOf(j.id.Namespace)
	if !ok {
		return nobodys(j.catalog)
	}

	theirs := j.catalog
	theirs.Reader = &t

	return append(toldOf(j.catalog, t.Name), validate.Tenant(theirs, t)...)
}

// nobodys are why nobody can tell that a namespace has no rules: what cannot be read at all, or a tenant whose namespaces are none, as with capital letters.
// The namespace may be the one that is meant.
func nobodys(c catalog.Catalog) field.ErrorList {
	if told := toldOf(c, ""); len(told) > 0 || c.Tenancy == nil {
		return told
	}

	for name, rules := range c.Tenancy.Tenants {
		t := catalog.Tenant{Tenant: rules, Name: name, From: c.Tenancy.Path().Child("tenants", message.Key(name)).String()}
		if len(validate.TenantNamespaces(t)) > 0 {
			return field.ErrorList{unreadRules(c.Tenancy.Path().Child("tenants"))}
		}
	}

	return nil
}

// unreadRules are rules of others, which have a fault.
func unreadRules(at *field.Path) *field.Error {
	return field.Invalid(at, field.OmitValueType{},
		"cannot be read, because of a fault in rules that are not those of this namespace: nothing new is made until whoever writes the catalogue corrects it")
}

// toldOf are the faults of a tenancy as the author of a claim of a tenant is told them: those in the rules of others are one, which names nobody.
func toldOf(c catalog.Catalog, tenant string) (out field.ErrorList) {
	hidden := false

	for _, f := range c.TenancyFaults() {
		before, rest, inRules := strings.Cut(f.Field, ".tenancy.tenants.")

		switch {
		case !inRules || tenant != "" && ruledBy(c.Tenancy, rest) == tenant:
			out = append(out, f)
		case !hidden:
			hidden = true
			out = append(out, unreadRules(field.NewPath(before+".tenancy.tenants")))
		}
	}

	return out
}

// ruledBy is the tenant in whose rules a path is, below all tenants; empty where there is none. Names may have dots, so the longest one counts.
func ruledBy(t *catalog.Tenancy, path string) (longest string) {
	if t == nil {
		return ""
	}

	for name := range t.Tenants {
		if message.Within(path, message.Key(name)) && len(name) > len(longest) {
			longest = name
		}
	}

	return longest
}

// ofMachine are the faults of a VM's claim. resolve resolves the claim that the VM was last ready with.
func (j judgement) ofMachine(
	c claim.Claim, m *machine.Machine, resolve func(before claim.Claim) (*machine.Machine, field.ErrorList),
) field.ErrorList {
	return j.faults(j.claimed(m, c.Fields()), func() (tenancy.Claimed, bool) {
		if j.existing.Applied == nil {
			return tenancy.Claimed{}, false
		}

		before, faults := resolve(*j.existing.Applied)

		return j.claimed(before, j.existing.Applied.Fields()), len(faults) == 0
	})
}

// ofContainer are the faults of a container's claim. resolve resolves the claim that the container was last ready with.
func (j judgement) ofContainer(
	spec v1alpha1.ContainerSpec, c *machine.Container, resolve func(before v1alpha1.ContainerSpec) (*machine.Container, field.ErrorList),
) field.ErrorList {
	return j.faults(j.container(c, spec), func() (tenancy.Claimed, bool) {
		if j.existing.Applied == nil || j.existing.Applied.Container == nil {
			return tenancy.Claimed{}, false
		}

		before, faults := resolve(*j.existing.Applied.Container)
		if len(faults) > 0 {
			return tenancy.Claimed{}, false
		}

		return j.container(before, *j.existing.Applied.Container), true
	})
}

// ofSite are the faults of a ProxmoxSite. One that exists stays as it is.
func (j judgement) ofSite(spec v1alpha1.ProxmoxSiteSpec, site string) field.ErrorList {
	var before []tenancy.Violation

	if a := j.existing.Applied; a != nil && a.ProxmoxSite != nil {
		if reflect.DeepEqual(*a.ProxmoxSite, spec) {
			return nil
		}

		before = j.siteParts(*a.ProxmoxSite, cmp.Or(a.ProxmoxSite.Proxmox.Site, j.catalog.Defaults.Site))
	}

	if unread := j.unread(); len(unread) > 0 {
		return unread
	}

	if denied := tenancy.JudgeSite(j.catalog.Tenancy, j.id); len(denied) > 0 {
		return tenancy.Beyond(denied, nil)
	}

	return tenancy.Beyond(j.siteParts(spec, site), before)
}

func (j judgement) siteParts(spec v1alpha1.ProxmoxSiteSpec, site string) []tenancy.Violation {
	clusters := j.catalog.Clusters

	return tenancy.JudgeSiteParts(j.catalog.Tenancy, j.id, tenancy.ClaimedSite{
		Site: site, Spec: spec, JoinedAt: func(address string) []string { return joinedAt(clusters, address) },
	})
}

func (j judgement) container(c *machine.Container, spec v1alpha1.ContainerSpec) tenancy.Claimed {
	out := j.claimed(&c.Machine, commonFields(spec))
	out.Container = c

	return out
}

// joinedAt are the clusters of some that are joined at an address, sorted.
func joinedAt(clusters map[string]catalog.Cluster, text string) (out []string) {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return nil
	}

	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		if IsHost(clusters[name].Server, address) {
			out = append(out, name)
		}
	}

	return out
}

func (j judgement) claimed(m *machine.Machine, fields v1alpha1.MachineFields) tenancy.Claimed {
	if m == nil {
		return tenancy.Claimed{}
	}

	out := tenancy.Claimed{Machine: m, Fields: fields}

	if _, faults := j.catalog.Site(nil, m.Placement.Site); m.Placement.Site != "" && len(faults) > 0 {
		out.SiteUnread = true
	}

	if _, listed := j.catalog.Images[m.Boot.Image]; !listed {
		out.Template = m.Boot.Template != nil || strings.Contains(m.Boot.Image, ":")
	}

	clusters := j.catalog.Clusters
	out.JoinedAt = func(address string) []string { return joinedAt(clusters, address) }

	if class, faults := j.catalog.Class(nil, m.Class); len(faults) == 0 {
		out.ClassCores = class.Cores
		out.ClassMemoryMiB, _ = quantity.MemoryMiB(class.Memory)
		out.ClassDiskGiB, _ = quantity.DiskGiB(class.Disk)
	}

	return out
}
