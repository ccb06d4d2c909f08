package world

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// finalize is what becomes of a managed resource that Crossplane deleted: its policies say that.
func finalize(m *Machine, name string, o map[string]any) {
	r, external := reconciliationOf(m, name, o), Annotation(o, ExternalName)
	destroys := strings.Contains(Policies(o), "Delete")

	if r.isHeldByPause() {
		r.fault("%s is paused (%v) and cannot go", name, Object(o["metadata"])["annotations"])
	}

	if destroys && external != "" && r.onDead() {
		// Before the provider has looked since the node died, nobody can know.
		if r.unread() {
			r.fault("%s waits for a Proxmox node that does not answer, and cannot go", name)
		}

		return
	}

	switch kindOf(o) {
	case ObjectKind:
		m.cluster.Kubernetes.finalize(m, name, o, destroys)
	case AddressClaimKind:
		m.cluster.IPAM.release(m, name, o)
	default:
		r.leave(external, destroys)
	}
}

// leave is what becomes in Proxmox of what has the external name.
func (r reconciliation) leave(external string, destroys bool) {
	p := r.proxmox

	switch kindOf(r.object) {
	case FileKind:
		if destroys {
			delete(p.Snippets, fmt.Sprint(Object(Object(r.object["spec"])["forProvider"])["nodeName"], " ", external))
		}
	case HAResourceKind:
		p.leaveHA(external, destroys)
	case FirewallRulesKind:
		if wall := p.Firewalls[firewallID(r.object)]; wall != nil && destroys && external != "" {
			wall.Rules = nil
			r.lockedOut(firewallID(r.object))
		}
	case ContainerKind:
		p.leaveContainer(external, destroys)
	case proxmox.BridgeKind, proxmox.VLANKind, proxmox.PoolKind:
		r.leaveSitePart(external, destroys)
	case VMKind:
		p.leave(external, r.owner(), destroys)
	}
}
