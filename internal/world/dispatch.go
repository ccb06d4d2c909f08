package world

import (
	"fmt"
	"slices"
	"strings"
)

// reconcile a composed resource of a machine: each kind is of the controller that works on it.
func reconcile(m *Machine, name string, o map[string]any) {
	switch c := m.cluster; kindOf(o) {
	case ObjectKind:
		c.Kubernetes.reconcile(m, name, o, m.Provider.dated(o))
	case AddressClaimKind:
		c.IPAM.bind(o)
	case DNSEndpointKind:
		c.ExternalDNS.read(o)
	default:
		r := reconciliationOf(m, name, o)
		if rests(r) {
			return
		}

		if !r.refused() {
			r.work()
		}

		looked(r)
	}
}

// refused says whether the provider does nothing but say why.
func (r reconciliation) refused() bool {
	p := r.provider

	switch {
	case slices.ContainsFunc(p.Stuck, func(s string) bool { return strings.HasPrefix(r.name, s) }):
	case Annotation(r.object, paused) == "true":
		r.unsynced("ReconcilePaused", "Reconciliation is paused via the pause annotation")
	case r.onDead():
		fail(r.object, unreachable(r.object), r.generation)
	case p.Fails[r.name] != "":
		fail(r.object, p.Fails[r.name], r.generation)
	case p.refused[r.name].said != "" && p.refused[r.name].made == madeOf(r.object):
		r.unsynced("ReconcileError", p.refused[r.name].said)
	case kindOf(r.object) == VMKind && p.Refuses != nil && Policies(r.object) != onlyObserves && p.Refuses(r.forProvider) != "":
		r.unsynced("ReconcileError", p.Refuses(r.forProvider))
	default:
		return false
	}

	return true
}

// work on a managed resource of Proxmox.
func (r reconciliation) work() {
	written := r.forProvider

	switch kind := kindOf(r.object); {
	case kind == VMKind:
		r.vm()
	case kind == HAResourceKind:
		r.ha()
	case kind == FileKind:
		id := fmt.Sprint(written["datastoreId"], ":snippets/", Object(List(written["sourceRaw"])[0])["fileName"])
		r.proxmox.Snippets[fmt.Sprint(written["nodeName"], " ", id)] = true
		found(r.object, id, written, r.generation)
	case kind == FirewallOptionsKind, kind == FirewallRulesKind:
		r.firewall()
	case kind == ContainerKind:
		r.container()
	case isSitePart(r.object):
		r.sitePart()
	case kind == DownloadFileKind && written["contentType"] == "vztmpl":
		found(r.object, fmt.Sprint(written["datastoreId"], ":vztmpl/", written["fileName"]), written, r.generation)
	case kind == DownloadFileKind:
		found(r.object, fmt.Sprint(written["datastoreId"], ":import/", written["fileName"]), written, r.generation)
	}
}
