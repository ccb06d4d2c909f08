package world

import (
	"fmt"
	"strings"
)

// ha works on an entry of the HA manager. There can be none for a VM that does not exist (PVE::API2::HA::Resources, create).
func (r reconciliation) ha() {
	external := fmt.Sprint(r.forProvider["resourceId"])
	may, state := Policies(r.object), r.forProvider["state"]

	if may == onlyObserves {
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
	case !there && r.proxmox.VMs[id].Owner != ownerOf(r.composite, strings.TrimPrefix(r.name, "ha-")):
		r.fault("%s puts VM %d into HA, which is not its own", r.name, id)
	case !there:
		r.proxmox.note("add %d to HA as %v", id, state)
	case entry != state && strings.Contains(may, "Update"):
		r.proxmox.note("HA of %d is %v", id, state)
	}

	if !there || strings.Contains(may, "Update") {
		r.proxmox.HA[id] = fmt.Sprint(state)
	}

	found(r.object, external, map[string]any{"resourceId": external, "state": r.proxmox.HA[id]}, r.generation)
}
