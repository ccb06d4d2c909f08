package world

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// isSitePart says whether a managed resource is a bridge, a VLAN interface or a pool.
func isSitePart(o map[string]any) bool {
	return kindOf(o) == proxmox.BridgeKind || kindOf(o) == proxmox.VLANKind || kindOf(o) == proxmox.PoolKind
}

// reconcileSitePart reads, creates or changes a bridge, a VLAN interface or a pool, as bpg/terraform-provider-proxmox v0.111.1 does: what may only be observed
// is imported by its name, and an import that finds no interface fails in a way of its own.
func (p *Provider) reconcileSitePart(o, forProvider map[string]any, generation any) {
	name, may := Annotation(o, ExternalName), Policies(o)
	there := p.Proxmox.SiteParts[name]

	switch {
	case there == nil && may == onlyObserves && kindOf(o) == proxmox.BridgeKind:
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "observe failed: cannot run import: Error: Linux Bridge interface not found: import failed", generation))
		return
	case there == nil && may == onlyObserves && kindOf(o) == proxmox.VLANKind:
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "observe failed: cannot run import: Error: Linux VLAN interface not found: import failed", generation))
		return
	case there == nil && may == onlyObserves:
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "observe failed: external resource does not exist", generation))
		return
	case there == nil:
		p.creations++
		annotate(o, createPending, fmt.Sprintf("2026-01-01T00:%02d:%02dZ", p.creations/60%60, p.creations%60))
		p.Proxmox.note("make %s", name)
		p.Proxmox.SiteParts[name] = Object(Copy(forProvider))
	case strings.Contains(may, "Update") && !reflect.DeepEqual(there, Copy(forProvider)):
		p.Proxmox.note("change %s", name)
		p.Proxmox.SiteParts[name] = Object(Copy(forProvider))
	}

	at := Object(Copy(p.Proxmox.SiteParts[name]))
	at["id"] = name
	o["status"] = map[string]any{"atProvider": at}
	SetWell(o, generation)
}

// deleteSitePart is what becomes of one whose managed resource goes.
func (p *Provider) deleteSitePart(o map[string]any) {
	if strings.Contains(Policies(o), "Delete") {
		p.Proxmox.note("destroy %s", Annotation(o, ExternalName))
		delete(p.Proxmox.SiteParts, Annotation(o, ExternalName))
	}
}
