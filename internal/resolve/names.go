package resolve

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// The names of a catalogue's entries in a claim.
func appliedClass(c claim.Claim) string { return fieldsOf(c).Class }
func appliedSite(c claim.Claim) string  { return fieldsOf(c).Proxmox.Site }

// appliedFirewallName is a name of the datacenter's firewall, as a rule has it; empty where none does.
func appliedFirewallName(name catalog.FirewallName) func(claim.Claim) string {
	return func(c claim.Claim) string {
		f := fieldsOf(c).Firewall
		if f == nil {
			return ""
		}

		for _, rule := range f.Allow {
			if has, _ := catalog.FirewallNameOf(rule); has == name {
				return cmp.Or(rule.Group, rule.From)
			}
		}

		return ""
	}
}

// appliedIP is the address of the first interface.
func appliedIP(c claim.Claim) string {
	if n := fieldsOf(c).Network; n != nil {
		return n.IP
	}

	return ""
}

// saidCIDR says whether the claim had a subnet of its own when it was applied last: that it has none any more is its own fault, and not the catalogue's.
func saidCIDR(c *claim.Claim) bool {
	if c == nil {
		return false
	}

	n := fieldsOf(*c).Network

	return n != nil && n.CIDR != nil
}

func appliedImage(c claim.Claim) string {
	if c.Container != nil {
		return c.Container.Image
	}

	return string(c.Fields().Image)
}

func appliedCluster(c claim.Claim) string {
	if k := c.K3s(); k != nil {
		return k.Cluster
	}

	return ""
}

// What a claim says of K3s itself, so that it asks no cluster of the catalogue. The first server has an address and a token of its own.
func saidVersion(k v1alpha1.K3s) bool { return k.Version != "" }
func saidServer(k v1alpha1.K3s) bool  { return k.Server != "" || k.Init }
func saidToken(k v1alpha1.K3s) bool   { return k.Token != nil || k.Init }

// tookAway says whether an edit takes something of K3s out of the claim of a VM, as it was when the VM was ready last: what is missing from then on is the
// claim's own fault, and not the catalogue's.
func (g *given) tookAway(said func(v1alpha1.K3s) bool) bool {
	if g.existing.Applied == nil || g.k3s == nil {
		return false
	}

	before := g.existing.Applied.K3s()

	return before != nil && said(*before) && !said(*g.k3s)
}

// fieldsOf a claim of a machine, of a container or of a site.
func fieldsOf(c claim.Claim) v1alpha1.MachineFields {
	switch {
	case c.Container != nil:
		return commonFields(*c.Container)
	case c.ProxmoxSite != nil:
		return siteFields(*c.ProxmoxSite)
	}

	return c.Fields()
}

// commonFields are what the claim has in common with that of a VM, as a VM's claim says it.
func commonFields(s v1alpha1.ContainerSpec) v1alpha1.MachineFields {
	out := v1alpha1.MachineFields{
		Class:    s.Class,
		Size:     v1alpha1.Size{Cores: s.Size.Cores, Memory: s.Size.Memory, Disk: s.Size.Disk},
		Hostname: s.Hostname, Role: s.Role, Tags: s.Tags, Notes: s.Notes,
		Power: s.Power, OnBoot: s.OnBoot, Startup: s.Startup,
		Proxmox: v1alpha1.Placement{
			Site: s.Proxmox.Site, Node: s.Proxmox.Node, Avoid: s.Proxmox.Avoid, Spread: s.Proxmox.Spread, Storage: s.Proxmox.Storage,
			VMID: s.Proxmox.VMID, Pool: s.Proxmox.Pool,
		},
		Lifecycle: v1alpha1.Lifecycle{
			Replace: s.Lifecycle.Replace, Reboot: s.Lifecycle.Reboot, RebootPolicy: s.Lifecycle.RebootPolicy,
			// The catalogue's default is that of machines: no container begins to wait because an installation has one.
			Approval: cmp.Or(s.Lifecycle.Approval, v1alpha1.ApprovalNever), Approve: s.Lifecycle.Approve, Force: s.Lifecycle.Force,
		},
		Rollout:            s.Rollout,
		Adopt:              s.Adopt,
		Firewall:           s.Firewall,
		DeletionProtection: s.DeletionProtection,
		Bootstrap:          v1alpha1.Bootstrap{SSHAuthorizedKeys: s.Bootstrap.SSHAuthorizedKeys},
	}

	if n := s.Network; n != nil {
		out.Network = &v1alpha1.Network{
			IPv4: n.IPv4, Pool: n.Pool, IPv6: n.IPv6, DNS: n.DNS, Domain: n.Domain, SearchDomains: n.SearchDomains,
			Bridge: n.Bridge, VLAN: n.VLAN, Firewall: n.Firewall, MTU: n.MTU, MAC: n.MAC,
		}
	}

	for _, n := range s.NICs {
		out.NICs = append(out.NICs, v1alpha1.NIC(n))
	}

	for _, d := range s.Disks {
		out.Disks = append(out.Disks, v1alpha1.Disk{Name: d.Path, Size: d.Size, Storage: d.Storage, Backup: d.Backup})
	}

	return out
}

// siteFields are what the claim has in common with that of a VM, as a VM's claim says it.
func siteFields(spec v1alpha1.ProxmoxSiteSpec) v1alpha1.MachineFields {
	return v1alpha1.MachineFields{Proxmox: v1alpha1.Placement{Site: spec.Proxmox.Site}}
}
