package world

import (
	"reflect"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// isSitePart says whether a managed resource is a bridge, a VLAN interface or a pool.
func isSitePart(o map[string]any) bool {
	return kindOf(o) == proxmox.BridgeKind || kindOf(o) == proxmox.VLANKind || kindOf(o) == proxmox.PoolKind
}

// sitePart reads, creates or changes a bridge, a VLAN interface or a pool, as bpg/terraform-provider-proxmox v0.111.1 does: what may only be observed
// is imported by its name, and an import that finds no interface fails in a way of its own.
func (r reconciliation) sitePart() {
	name, may := Annotation(r.object, ExternalName), Policies(r.object)
	there := r.proxmox.SiteParts[name]

	switch {
	case there == nil && may == onlyObserves && kindOf(r.object) == proxmox.BridgeKind:
		r.unsynced("ReconcileError", "observe failed: cannot run import: Error: Linux Bridge interface not found: import failed")
		return
	case there == nil && may == onlyObserves && kindOf(r.object) == proxmox.VLANKind:
		r.unsynced("ReconcileError", "observe failed: cannot run import: Error: Linux VLAN interface not found: import failed")
		return
	case there == nil && may == onlyObserves:
		r.unsynced("ReconcileError", "observe failed: external resource does not exist")
		return
	case there == nil:
		r.create()
		r.proxmox.note("make %s", r.sitePartName())
		r.proxmox.SiteParts[name] = Object(Copy(r.forProvider))
	case strings.Contains(may, "Update") && !reflect.DeepEqual(there, Copy(r.forProvider)):
		r.proxmox.note("change %s", r.sitePartName())
		r.proxmox.SiteParts[name] = Object(Copy(r.forProvider))
	}

	at := Object(Copy(r.proxmox.SiteParts[name]))
	at["id"] = name
	r.object["status"] = map[string]any{"atProvider": at}
	SetWell(r.object, r.generation)
}

// leaveSitePart is what becomes of a bridge, a VLAN interface or a pool whose managed resource goes. One that was only read was never the claim's.
func (r reconciliation) leaveSitePart(external string, destroys bool) {
	switch {
	case destroys:
		r.proxmox.note("destroy %s", r.sitePartName())
		delete(r.proxmox.SiteParts, external)
	case r.proxmox.SiteParts[external] != nil && Policies(r.object) != onlyObserves:
		r.proxmox.note("let go of %s", r.sitePartName())
	}
}

// sitePartName is what people call it: bridge vmbr1 of pve1, or pool k3s.
func (r reconciliation) sitePartName() string {
	node, name, ofNode := strings.Cut(Annotation(r.object, ExternalName), ":")

	switch what := map[string]string{proxmox.BridgeKind: "bridge", proxmox.VLANKind: "VLAN interface"}[kindOf(r.object)]; {
	case ofNode && what != "":
		return what + " " + name + " of " + node
	default:
		return "pool " + node
	}
}
