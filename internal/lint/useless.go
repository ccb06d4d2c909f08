package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

// useless warns of what a claim says without effect.
func (l *linter) useless(o object, c claim.Claim, cat catalog.Catalog) {
	r := redundancy{linter: l, object: o}

	if ct := c.Container; ct != nil {
		r.place(ct.Proxmox.Node, ct.Proxmox.Avoid)
		r.firewall(ct.Firewall)

		return
	}

	if c.Machine == nil && c.K3sNode == nil {
		return
	}

	f := c.Fields()
	r.sizes(f, cat)
	r.startup(f)
	r.place(f.Proxmox.Node, f.Proxmox.Avoid)
	r.firewall(f.Firewall)
	r.triggers(c)
	r.adopted(f)
	r.secondSaid(f, cat)
	r.cluster(c, cat)
}

// redundancy is what a claim says without effect.
type redundancy struct {
	linter *linter
	object object
}

// warn of a field without effect, at its name.
func (r redundancy) warn(path, text string) { r.linter.addAtKey(r.object, path, text, Warning) }

// sizes beside a class.
func (r redundancy) sizes(f v1alpha1.MachineFields, cat catalog.Catalog) {
	// Who names no class may well write down the whole size.
	name := f.Class

	class, ok := cat.Classes[name]
	if !ok {
		return
	}

	same := func(field string, is bool) {
		if is {
			r.warn("spec.size."+field, fmt.Sprintf("has no effect: class %s says the same", message.Excerpt(name)))
		}
	}

	same("cores", f.Size.Cores != nil && *f.Size.Cores == class.Cores)
	same("memory", sameSize(f.Size.Memory, class.Memory, quantity.MemoryMiB))
	same("disk", sameSize(f.Size.Disk, class.Disk, quantity.DiskGiB))

	if f.Size.Cores != nil && f.Size.Memory != "" && f.Size.Disk != "" && class.CPUType == "" {
		r.warn("spec.class", "has no effect: size says cores, memory and disk, and the class has no cpuType")
	}
}

func sameSize(a, b v1alpha1.Quantity, parse func(v1alpha1.Quantity) (int64, error)) bool {
	if a == "" || b == "" {
		return false
	}

	x, errX := parse(a)
	y, errY := parse(b)

	return errX == nil && errY == nil && x == y
}

// startup of a VM that Proxmox does not start.
func (r redundancy) startup(f v1alpha1.MachineFields) {
	if f.Startup != nil && f.OnBoot != nil && !*f.OnBoot {
		r.warn("spec.startup", "has no effect beside onBoot: false: Proxmox starts the VM with nothing")
	}

	if f.Power == v1alpha1.PowerStopped && f.Lifecycle.Reboot != "" {
		r.warn("spec.lifecycle.reboot", "has no effect beside power: Stopped")
	}
}

// place that is named leaves nothing to choose.
func (r redundancy) place(node string, avoid []string) {
	if node != "" && len(avoid) > 0 {
		r.warn("spec.proxmox.avoid", "has no effect beside node: the function chooses no node")
	}
}

// triggers without what they are for.
func (r redundancy) triggers(c claim.Claim) {
	f := c.Fields()

	if c.Machine != nil {
		for field, value := range map[string]string{"joined": f.Lifecycle.Joined, "drain": f.Lifecycle.Drain} {
			if value != "" {
				r.warn("spec.lifecycle."+field, "has no effect: only a K3sNode is a node of a cluster")
			}
		}
	}

	if f.Lifecycle.RebootPolicy == v1alpha1.RebootWhenNeeded && f.Lifecycle.Reboot != "" {
		r.warn("spec.lifecycle.reboot", "restarts the VM once more: rebootPolicy: WhenNeeded already restarts it for every change that needs it")
	}
}

// adopted VMs have a guest that the function did not set up.
func (r redundancy) adopted(f v1alpha1.MachineFields) {
	if f.Adopt == nil {
		return
	}

	const why = "has no effect: the VM that is adopted was set up by somebody else, and the function changes nothing in its guest"

	for field, there := range map[string]bool{
		"bootstrap.userData":          f.Bootstrap.UserData != "",
		"bootstrap.snippets":          f.Bootstrap.Snippets != (v1alpha1.Snippets{}),
		"bootstrap.sshAuthorizedKeys": len(f.Bootstrap.SSHAuthorizedKeys) > 0,
		"bootstrap.adminUser":         f.Bootstrap.AdminUser != "",
	} {
		if there {
			r.warn("spec."+field, why)
		}
	}

	if id := f.Proxmox.VMID; id != nil && *id == f.Adopt.VMID {
		r.warn("spec.proxmox.vmId", "has no effect: adopt.vmId says the same")
	}
}

// secondSaid warns of what is said twice in a claim, or in the claim and its site.
func (r redundancy) secondSaid(f v1alpha1.MachineFields, cat catalog.Catalog) {
	if f.Hostname != "" && f.Hostname == r.object.name() {
		r.warn("spec.hostname", "has no effect: metadata.name is the same")
	}

	// A claim that names no site has nothing of the only one, either.
	name := cmp.Or(f.Proxmox.Site, cat.Defaults.Site)

	site, ok := cat.Sites[name]
	if !ok || f.Adopt != nil {
		return
	}

	// A prefix length may stand in the address, and bridge and vlan in either of two objects.
	same := func(path string, is bool) {
		if is && written(r.object.value, path) {
			r.warn(path, fmt.Sprintf("has no effect: site %s says the same", message.Excerpt(name)))
		}
	}

	same("spec.proxmox.bridge", f.Proxmox.Bridge != "" && f.Proxmox.Bridge == site.Network.Bridge)
	same("spec.proxmox.vlan", f.Proxmox.VLAN != nil && site.Network.VLAN != 0 && *f.Proxmox.VLAN == site.Network.VLAN)

	if n := f.Network; n != nil {
		same("spec.network.bridge", n.Bridge != "" && n.Bridge == site.Network.Bridge)
		same("spec.network.vlan", n.VLAN != nil && site.Network.VLAN != 0 && *n.VLAN == site.Network.VLAN)
		same("spec.network.gateway", n.Gateway != "" && n.Gateway == site.Network.Gateway)
		same("spec.network.cidr", n.CIDR != nil && *n.CIDR == site.Network.CIDR)
		same("spec.network.dns", len(n.DNS) > 0 && slices.Equal(n.DNS, site.Network.DNS))
		same("spec.network.domain", n.Domain != "" && n.Domain == site.Network.Domain)
	}
}

// written says whether a path is in an object as somebody wrote it.
func written(object map[string]any, path string) bool {
	var v any = object

	for name := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}

		if v, ok = m[name]; !ok {
			return false
		}
	}

	return true
}

// cluster settings that the catalogue has already.
func (r redundancy) cluster(c claim.Claim, cat catalog.Catalog) {
	k := c.K3s()
	if k == nil || k.Cluster == "" {
		return
	}

	cluster, ok := cat.Clusters[k.Cluster]
	if !ok {
		return
	}

	for field, is := range map[string]bool{
		"server":  k.Server != "" && k.Server == cluster.Server,
		"version": k.Version != "" && k.Version == cluster.Version,
		"disable": len(k.Disable) > 0 && slices.Equal(k.Disable, cluster.Disable),
		"tlsSANs": len(k.TLSSANs) > 0 && slices.Equal(k.TLSSANs, cluster.TLSSANs),
	} {
		if is {
			r.warn("spec.k3s."+field, fmt.Sprintf("has no effect: cluster %s of the catalogue says the same", message.Excerpt(k.Cluster)))
		}
	}
}
