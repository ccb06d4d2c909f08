package world

import (
	"fmt"
	"maps"
	"strings"
)

// ha works on an entry of the HA manager. There can be none for a VM that does not exist (PVE::API2::HA::Resources, create).
func (r reconciliation) ha() {
	external := fmt.Sprint(r.forProvider["resourceId"])
	may, state := Policies(r.object), r.forProvider["state"]

	if may == onlyObserves {
		looksForHA(r, external)
		return
	}

	if name := Annotation(r.object, ExternalName); name != "" && name != external {
		r.fault("%s has external name %s, and is about %s", name, Annotation(r.object, ExternalName), external)
	}

	id := haVM(external)
	entry, there := r.proxmox.HA[id]

	switch _, exists := r.proxmox.VMs[id]; {
	case !there && !exists:
		failToCreate(r.object, "create failed: Could not create HA resource: no such VM", r.generation)
		return
	case !there && r.proxmox.VMs[id].Owner != r.composite+"/"+strings.TrimPrefix(r.name, "ha-"):
		r.fault("%s puts VM %d into HA, which is not its own", r.name, id)
	case !there:
		r.proxmox.note("add %d to HA as %v", id, state)
	case entry != state && strings.Contains(may, "Update"):
		r.proxmox.note("HA of %d is %v", id, state)
	}

	if !there || strings.Contains(may, "Update") {
		r.proxmox.HA[id] = fmt.Sprint(state)
		writeHAOptions(r, id)
	}

	found(r.object, external, r.proxmox.entryOf(external), r.generation)
}

// haOptions are what an entry can have beside its state and its limits.
var haOptions = []string{"comment", "group", "failback"} //nolint:gochecknoglobals // A constant.

// writeHAOptions as the managed resource has them: what it does not have is taken from the entry.
func writeHAOptions(r reconciliation, id int) {
	options := haOptionsOf(r.forProvider)

	for _, k := range haOptions {
		if options[k] == nil && r.proxmox.HAOptions[id][k] != nil {
			r.proxmox.note("take %s from the HA of %d", k, id)
		}
	}

	r.proxmox.HAOptions[id] = options
}

// haOptionsOf an entry, as it is written or reported.
func haOptionsOf(entry map[string]any) map[string]any {
	out := map[string]any{}

	for _, k := range haOptions {
		if v := entry[k]; v != nil {
			out[k] = v
		}
	}

	return out
}

// entryOf is an entry as the provider reports it.
func (p *Proxmox) entryOf(external string) map[string]any {
	id := haVM(external)
	out := map[string]any{"resourceId": external, "state": p.HA[id]}
	maps.Copy(out, p.HAOptions[id])

	return out
}

// loadHA is an entry that was observed: as it was written, or, where the provider only looked, as it was found.
func (p *Proxmox) loadHA(external string, o, has map[string]any) {
	if Policies(o) == onlyObserves {
		has = Object(Object(o["status"])["atProvider"])
	}

	if has["state"] == nil {
		return
	}

	id := haVM(external)
	p.HA[id], p.HAOptions[id] = fmt.Sprint(has["state"]), haOptionsOf(has)
}

// looksForHA is the answer to a managed resource that may only observe.
func looksForHA(r reconciliation, external string) {
	if _, there := r.proxmox.HA[haVM(external)]; !there {
		r.unsynced("ReconcileError", `observe failed: cannot run import: Importing from ID "`+external+`"... Error: HA resource not found after update`)
		return
	}

	found(r.object, external, r.proxmox.entryOf(external), r.generation)
}
