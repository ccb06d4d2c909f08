package properties

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// neighbourhood of a machine: in most cases nobody has its number.
func (d draw) neighbourhood(p *pair) {
	if d.chance(20) {
		p.taken = some(d, 200, 201, 4000, 4001, 4002, 4003, 4004, 4005)
	}

	if d.chance(20) {
		p.claimed = some(d, 202, 203, 4006, 4007, 4008, 4009)
	}

	p.handmade = d.chance(50)
	if p.adopts = d.chance(10); p.adopts {
		p.taken = append(p.taken, adoptedID)
	}
}

// withoutNumber is a spec that leaves the VM's number to others.
func withoutNumber(spec map[string]any) map[string]any {
	return with(spec, []string{"proxmox", "vmId"}, nil)
}

// adoptedID is the number of the VM that is adopted.
const adoptedID = 900

// populate what surrounds the machine with the other VMs of a pair: some that were made by hand, and some of other machines. All are much like what
// the second spec asks for.
func (p pair) populate(t testing.TB, m *world.Machine) {
	t.Helper()

	if len(p.taken)+len(p.claimed)+len(p.servers) == 0 && !p.left {
		return
	}

	other := p.otherVM(t, m)

	if p.left {
		m.Neighbours = append(m.Neighbours, left(m, other))
	}

	for _, id := range p.taken {
		if p.isContainers(id) {
			m.Proxmox.Containers[id] = &world.Container{Config: map[string]any{"nodeName": "pve"}}
			continue
		}

		// A VM that cannot be read cannot be adopted.
		vm := m.Proxmox.ByHand(id, p.byHand(t, other, id))
		vm.Silent = p.silent && id != adoptedID

		if p.away && id != adoptedID {
			vm.Config["nodeName"] = awayNode
			m.Proxmox.Dead = []string{awayNode}
		}
	}

	for _, id := range p.claimed {
		neighbour := numbered(other, id)
		if p.requested {
			neighbour = asking(neighbour, id)
		}

		m.Neighbours = append(m.Neighbours, neighbour)
	}

	for i, c := range p.servers {
		m.Neighbours = append(m.Neighbours, c.server(other, i))
	}
}

// isContainers says whether a taken VMID is that of a container which no claim has: each second one of the range, in pairs whose strangers are neither silent nor
// away. No check finds it; Proxmox refuses to make a VM with it.
func (p pair) isContainers(id int) bool {
	return !p.silent && !p.away && id > 4000 && id%2 == 1
}

// byHand is a VM that somebody made by hand, as the provider reports it.
func (p pair) byHand(t testing.TB, like map[string]any, id int) map[string]any {
	t.Helper()

	if p.handmade {
		return fake.StrangeVM(t, id)
	}

	at := world.Object(world.Object(numbered(like, id)["status"])["atProvider"])
	at["name"] = "by-hand"

	// What a VM was made from cannot be read.
	delete(at, "clone")

	for _, d := range world.List(at["disk"]) {
		delete(world.Object(d), "importFrom")
		delete(world.Object(d), "fileId")
	}

	return at
}

// otherVM is a managed resource of another machine's VM, as it settles where there is no other.
func (p pair) otherVM(t testing.TB, like *world.Machine) map[string]any {
	t.Helper()

	m := fake.NewCluster(t, compose.Answer).Add(like.Clone())
	p.write(m, p.second)

	// By its UID, too, so that its files have other names.
	world.Merge(m.Composite, map[string]any{"metadata": map[string]any{"name": "other", "uid": "9d2e6c1a-0b7f-4c35-8e21-6a4f0d9b7c53"}})

	if ref := world.Object(m.Spec()["claimRef"]); ref["name"] != nil {
		ref["name"] = "other"
	}

	place := map[string]any{"node": "pve2", "vmId": 100.0}
	if site := world.Object(p.second["proxmox"])["site"]; site != nil {
		place["site"] = site
	}

	m.Spec()["proxmox"] = place
	rest(t, m, func(*fnv1.RunFunctionResponse) {})

	return m.Observed["vm"]
}

// numbered is the same VM with another number.
func numbered(vm map[string]any, id int) map[string]any {
	out := world.Object(world.Copy(vm))
	number := strconv.Itoa(id)
	world.Object(world.Object(out["spec"])["forProvider"])["vmId"] = float64(id)
	world.Merge(out, map[string]any{
		"metadata": map[string]any{
			"labels":      map[string]any{proxmox.VMIDLabel: number},
			"annotations": map[string]any{world.ExternalName: number},
		},
	})

	if at := world.Object(world.Object(out["status"])["atProvider"]); at["id"] != nil {
		at["id"], at["vmId"] = number, float64(id)
	}

	return out
}

// awayNode is a Proxmox node that does not answer, and that no claim names.
const awayNode = "pve9"

// leftID is the number of the VM whose managed resource was left behind.
const leftID = 290

// left is a managed resource of a machine's VM that nobody composes any more.
func left(m *world.Machine, like map[string]any) map[string]any {
	out := numbered(like, leftID)
	metadata := world.Object(out["metadata"])
	delete(metadata, "ownerReferences")

	id := claim.Decode(m.Composite).Identity
	world.Object(world.Object(out["spec"])["forProvider"])["description"] = id.Origin() + ")"
	world.Merge(metadata, map[string]any{"name": "left", "labels": map[string]any{proxmox.MachineLabel: id.Name, proxmox.NamespaceLabel: id.Namespace}})

	return out
}

// asking is the managed resource of a machine that was first to ask whether a number is free.
func asking(vm map[string]any, id int) map[string]any {
	spec := world.Object(vm["spec"])
	spec["managementPolicies"], spec["forProvider"] = []any{"Observe"}, map[string]any{"nodeName": "pve2", "vmId": float64(id)}
	delete(vm, "status")
	world.Merge(vm, map[string]any{"metadata": map[string]any{
		"creationTimestamp": "2025-01-01T00:00:00Z", "annotations": map[string]any{world.ExternalName: proxmox.ImportName("pve2", int64(id))},
	}})

	return vm
}

// reserves says whether a managed resource does nothing but reserve an address: the provider never saw it.
func reserves(o map[string]any) bool {
	return onlyObserved(o) && world.Annotation(o, proxmox.ReservedAddressAnnotation) != "" && world.Annotation(o, world.ExternalName) == ""
}

// strangersFaults: a VM that somebody else made is left alone, unless the claim adopts exactly it.
func (p pair) strangersFaults(rsp *fnv1.RunFunctionResponse, m *world.Machine) []string {
	var out []string

	for name, d := range world.Manifests(rsp) {
		if d["kind"] != world.VMKind || onlyObserved(d) {
			continue
		}

		id, _ := world.Object(world.Object(d["spec"])["forProvider"])["vmId"].(float64)

		// The provider remembers a VM that it found, and would change it in the place of one that is to be made.
		o := m.Observed[name]

		switch {
		case o == nil || !onlyObserved(o) || world.Object(m.Spec()["adopt"])["approve"] != nil:
		case reserves(o):
			if id != 0 || world.Annotation(o, proxmox.PausedAnnotation) != "true" {
				out = append(out, fmt.Sprintf("%s: number %v is created after a reservation of an address, which checks no VMID", name, id))
			}
		default:
			if looked := world.Object(world.Object(o["spec"])["forProvider"])["vmId"]; !absent(o) || id != 0 && looked != id {
				out = append(out, fmt.Sprintf("%s: number %v is created after a check of VMID %v, absent: %t", name, id, looked, absent(o)))
			}
		}

		if id == 0 {
			continue
		}

		// In another Proxmox cluster it is another number, and what has another API cannot be asked for: its CRD may not be there.
		place := world.Compact([]any{d["apiVersion"], world.Object(d["spec"])["providerConfigRef"]})

		for i, n := range p.claimed {
			if n == int(id) && place == world.Compact([]any{m.Neighbours[i]["apiVersion"], world.Object(m.Neighbours[i]["spec"])["providerConfigRef"]}) {
				out = append(out, fmt.Sprintf("%s: number %d is another machine's", name, n))
			}
		}

		for _, n := range p.taken {
			adopted := world.Annotation(m.Observed[name], proxmox.AdoptedAnnotation) != "" && !onlyObserved(m.Observed[name])
			if n == int(id) && !p.isContainers(n) && world.Object(m.Spec()["adopt"])["approve"] == nil && !adopted {
				out = append(out, fmt.Sprintf("%s: number %d is that of a VM which somebody made by hand", name, n))
			}
		}
	}

	return out
}

// absent says whether the provider searched for a VM and found none.
func absent(o map[string]any) bool {
	return slices.ContainsFunc(world.Conditions(o), func(c map[string]any) bool {
		message, _ := c["message"].(string)

		return c["type"] == "Synced" && c["status"] == "False" && strings.Contains(message, "external resource does not exist")
	})
}

// adoptionFaults: to take a VM over changes it no more than an edit of its claim would.
func adoptionFaults(m *world.Machine, rsp *fnv1.RunFunctionResponse) []string {
	o, d := m.Observed["vm"], world.Manifests(rsp)["vm"]
	if m.Spec()["adopt"] == nil || o == nil || d == nil || !onlyObserved(o) || onlyObserved(d) {
		return nil
	}

	wanted := world.Object(world.Object(d["spec"])["forProvider"])
	was := world.Object(world.Copy(m.Proxmox.VMs[adoptedID].Config))

	// These are no part of the VM: what the provider is to do with it.
	for _, f := range []string{"stopOnDestroy", "purgeOnDestroy", "deleteUnreferencedDisksOnDestroy", "reboot"} {
		was[f] = wanted[f]
	}

	return vmFaults(m, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{world.ExternalName: strconv.Itoa(adoptedID)}},
		"spec":     map[string]any{"forProvider": was, "providerConfigRef": world.Object(o["spec"])["providerConfigRef"]},
		"status":   map[string]any{"atProvider": was},
	}, d)
}
