package world

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Containers are the provider's kind of containers, as far as machines ask for those of other claims.
type Containers struct {
	// Missing says that the API server does not serve the kind: somebody activated only the kinds that VMs need.
	Missing bool
}

// definitions of the kind, of claims and of namespaced machines.
func (c Containers) definitions() []map[string]any {
	if c.Missing {
		return nil
	}

	var out []map[string]any

	for _, f := range []proxmox.Flavour{proxmox.Cluster, proxmox.Namespaced} {
		out = append(out, served(f.ContainerDefinition()))
	}

	return out
}

// ContainerKind is the kind of the provider's containers.
const ContainerKind = proxmox.ContainerKind

// A Container is an LXC container in Proxmox.
type Container struct {
	// Config is as the provider writes and reports it.
	Config map[string]any
	// Restarts counts what the provider restarted it for, beside what it was asked to start and stop.
	Restarts int
}

// container reads, creates or changes a container, as bpg/terraform-provider-proxmox v0.111.1 does: it restarts a container that is to run for a
// change of memory, network or host name (containerUpdate in proxmoxtf/resource/container/container.go).
func (r reconciliation) container() {
	may, external := Policies(r.object), Annotation(r.object, ExternalName)

	node, number, imports := strings.Cut(external, "/")
	if !imports {
		number = external
	}

	id, err := strconv.Atoi(number)
	if err != nil || imports != (may == onlyObserves) {
		r.fault("%s has external name %s with policies %s", r.name, external, may)
		return
	}

	c := r.proxmox.Containers[id]

	if !imports {
		node = fmt.Sprint(r.forProvider["nodeName"])
	}

	// The provider finds a container on its own node only.
	elsewhere := c != nil && c.Config["nodeName"] != node
	if elsewhere {
		c = nil
	}

	switch {
	case c == nil && imports:
		r.unsynced("ReconcileError", "observe failed: external resource does not exist")
		return
	case c == nil && r.proxmox.VMs[id] != nil:
		failToCreate(r.object, fmt.Sprintf("create failed: apply failed: error creating container: VM %d already exists on node 'pve'", id), r.generation)
		return
	case elsewhere:
		// Proxmox' "already exists" is asked once more, and taken for a success: test/provider/lxc.go.
		failToCreate(r.object, fmt.Sprintf("create failed: apply failed: timeout while waiting for container %d configuration to become unlocked", id), r.generation)
		return
	case c == nil && r.provider.FailsToCreate != "":
		failToCreate(r.object, r.provider.FailsToCreate, r.generation)
		return
	case c == nil:
		r.create()

		c = &Container{Config: Object(Copy(r.forProvider))}
		c.Config["description"] = fmt.Sprint(c.Config["description"], "\n")
		r.proxmox.Containers[id] = c
		r.proxmox.note("make container %d", id)
	case strings.Contains(may, "Update") && r.provider.FailsToStart != "" && c.Config["started"] != true && r.forProvider["started"] == true:
		r.unsynced("ReconcileError", r.provider.FailsToStart)
		return
	case strings.Contains(may, "Update"):
		if Annotation(r.object, adopted) == "true" && !r.provider.owned[r.name] {
			r.proxmox.note("adopt container %d", id)
		}

		r.provider.owns(r.name)
		r.updateContainer(id, c)
	}

	at := Object(Copy(c.Config))
	at["id"] = number
	r.object["status"] = map[string]any{"atProvider": at}
	SetWell(r.object, r.generation)
}

// updateContainer as it is written.
func (r reconciliation) updateContainer(id int, c *Container) {
	if reflect.DeepEqual(c.Config, Copy(r.forProvider)) {
		return
	}

	if changed := c.changed(r.forProvider); len(changed) > 0 {
		r.proxmox.note("change %s of container %d", strings.Join(changed, ", "), id)
	}

	for _, block := range []string{"memory", "initialization", "networkInterface", "mountPoint"} {
		if c.Config["started"] == true && r.forProvider["started"] == true && !reflect.DeepEqual(Essence(c.Config[block]), Essence(r.forProvider[block])) {
			c.Restarts++
			r.proxmox.note("restart container %d for %s", id, block)
		}
	}

	switch {
	case c.Config["started"] != true && r.forProvider["started"] == true:
		r.proxmox.note("start container %d", id)
	case c.Config["started"] == true && r.forProvider["started"] != true:
		r.proxmox.note("stop container %d", id)
	}

	c.Config = Object(Copy(r.forProvider))
}

// changed are the fields of what is written that the container does not have, sorted, but for its power. Proxmox ends a description with a line end.
func (c *Container) changed(written map[string]any) []string {
	out := takenAway(c.Config, written)

	for _, field := range Keys(written) {
		has, wants := c.Config[field], written[field]
		if field == "description" {
			has, wants = strings.TrimSpace(fmt.Sprint(has)), strings.TrimSpace(fmt.Sprint(wants))
		}

		if field != "started" && !reflect.DeepEqual(Essence(has), Essence(wants)) {
			out = append(out, field)
		}
	}

	slices.Sort(out)

	return out
}
