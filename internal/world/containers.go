package world

import (
	"fmt"
	"reflect"
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

// reconcileContainer reads, creates or changes a container, as bpg/terraform-provider-proxmox v0.111.1 does: it restarts a container that is to run for a
// change of memory, network or host name (containerUpdate in proxmoxtf/resource/container/container.go).
func (p *Provider) reconcileContainer(m *Machine, name string, o, forProvider map[string]any, generation any) {
	may, external := Policies(o), Annotation(o, ExternalName)

	node, number, imports := strings.Cut(external, "/")
	if !imports {
		number = external
	}

	id, err := strconv.Atoi(number)
	if err != nil || imports != (may == onlyObserves) {
		m.cluster.Fault("%s has external name %s with policies %s", name, external, may)
		return
	}

	c := p.Proxmox.Containers[id]

	// The provider finds a container on its own node only.
	if c != nil && imports && c.Config["nodeName"] != node {
		c = nil
	}

	switch {
	case c == nil && imports:
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "observe failed: external resource does not exist", generation))
		return
	case c == nil && p.Proxmox.VMs[id] != nil:
		failToCreate(o, fmt.Sprintf("create failed: apply failed: error creating container: VM %d already exists on node 'pve'", id), generation)
		return
	case c == nil:
		p.creations++
		annotate(o, createPending, fmt.Sprintf("2026-01-01T00:%02d:%02dZ", p.creations/60%60, p.creations%60))

		c = &Container{Config: Object(Copy(forProvider))}
		c.Config["description"] = fmt.Sprint(c.Config["description"], "\n")
		p.Proxmox.Containers[id] = c
		p.Proxmox.note("make container %d", id)
	case strings.Contains(may, "Update"):
		p.updateContainer(id, c, forProvider)
	}

	at := Object(Copy(c.Config))
	at["id"] = number
	o["status"] = map[string]any{"atProvider": at}
	SetWell(o, generation)
}

// updateContainer as it is written.
func (p *Provider) updateContainer(id int, c *Container, forProvider map[string]any) {
	if reflect.DeepEqual(c.Config, Copy(forProvider)) {
		return
	}

	for _, block := range []string{"memory", "initialization", "networkInterface", "mountPoint"} {
		if c.Config["started"] == true && forProvider["started"] == true && !reflect.DeepEqual(c.Config[block], Copy(forProvider[block])) {
			c.Restarts++
			p.Proxmox.note("restart container %d for %s", id, block)
		}
	}

	switch {
	case c.Config["started"] != true && forProvider["started"] == true:
		p.Proxmox.note("start container %d", id)
	case c.Config["started"] == true && forProvider["started"] != true:
		p.Proxmox.note("stop container %d", id)
	}

	c.Config = Object(Copy(forProvider))
}
