package properties

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
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
func (p pair) populate(t testing.TB, m *fake.Machine) {
	t.Helper()

	if len(p.taken)+len(p.claimed)+len(p.servers) == 0 {
		return
	}

	other := p.otherVM(t, m)

	for _, id := range p.taken {
		// A VM that cannot be read cannot be adopted.
		m.Proxmox.ByHand(id, p.byHand(t, other, id)).Silent = p.silent && id != adoptedID
	}

	for _, id := range p.claimed {
		m.Neighbours = append(m.Neighbours, numbered(other, id))
	}

	for i, c := range p.servers {
		m.Neighbours = append(m.Neighbours, c.server(other, i))
	}
}

// byHand is a VM that somebody made by hand, as the provider reports it.
func (p pair) byHand(t testing.TB, like map[string]any, id int) map[string]any {
	t.Helper()

	if p.handmade {
		return fake.StrangeVM(t, id)
	}

	at := fake.Object(fake.Object(numbered(like, id)["status"])["atProvider"])
	at["name"] = "by-hand"

	// What a VM was made from cannot be read.
	delete(at, "clone")

	for _, d := range fake.List(at["disk"]) {
		delete(fake.Object(d), "importFrom")
		delete(fake.Object(d), "fileId")
	}

	return at
}

// otherVM is a managed resource of another machine's VM, as it settles where there is no other.
func (p pair) otherVM(t testing.TB, like *fake.Machine) map[string]any {
	t.Helper()

	m := fake.NewCluster(t, compose.Answer).Add(like.Clone())
	fake.Object(m.Composite["metadata"])["name"] = "other"
	p.write(m, p.second)

	place := map[string]any{"node": "pve2", "vmId": 100.0}
	if site := fake.Object(p.second["proxmox"])["site"]; site != nil {
		place["site"] = site
	}

	m.Spec()["proxmox"] = place
	rest(t, m, func(*fnv1.RunFunctionResponse) {})

	return m.Observed["vm"]
}

// numbered is the same VM with another number.
func numbered(vm map[string]any, id int) map[string]any {
	out := fake.Object(fake.Copy(vm))
	number := strconv.Itoa(id)
	fake.Object(fake.Object(out["spec"])["forProvider"])["vmId"] = float64(id)
	fake.Merge(out, map[string]any{
		"metadata": map[string]any{
			"labels":      map[string]any{proxmox.VMIDLabel: number},
			"annotations": map[string]any{fake.ExternalName: number},
		},
	})

	if at := fake.Object(fake.Object(out["status"])["atProvider"]); at["id"] != nil {
		at["id"], at["vmId"] = number, float64(id)
	}

	return out
}

// reserves says whether a managed resource does nothing but reserve an address: the provider never saw it.
func reserves(o map[string]any) bool {
	return onlyObserved(o) && fake.Annotation(o, proxmox.ReservedAddressAnnotation) != "" && fake.Annotation(o, fake.ExternalName) == ""
}

// strangersFaults: a VM that somebody else made is left alone, unless the claim adopts exactly it.
func (p pair) strangersFaults(rsp *fnv1.RunFunctionResponse, m *fake.Machine) []string {
	var out []string

	for name, d := range fake.Manifests(rsp) {
		if d["kind"] != fake.VMKind || onlyObserved(d) {
			continue
		}

		id, _ := fake.Object(fake.Object(d["spec"])["forProvider"])["vmId"].(float64)

		// The provider remembers a VM that it found, and would change it in the place of one that is to be made.
		o := m.Observed[name]

		switch {
		case o == nil || !onlyObserved(o) || fake.Object(m.Spec()["adopt"])["approve"] != nil:
		case reserves(o):
			if id != 0 || fake.Annotation(o, proxmox.PausedAnnotation) != "true" {
				out = append(out, fmt.Sprintf("%s: number %v is created after a reservation of an address, which checks no VMID", name, id))
			}
		default:
			if looked := fake.Object(fake.Object(o["spec"])["forProvider"])["vmId"]; !absent(o) || id != 0 && looked != id {
				out = append(out, fmt.Sprintf("%s: number %v is created after a check of VMID %v, absent: %t", name, id, looked, absent(o)))
			}
		}

		if id == 0 {
			continue
		}

		// In another Proxmox cluster it is another number, and what has another API cannot be asked for: its CRD may not be there.
		place := fake.Compact([]any{d["apiVersion"], fake.Object(d["spec"])["providerConfigRef"]})

		for i, n := range p.claimed {
			if n == int(id) && place == fake.Compact([]any{m.Neighbours[i]["apiVersion"], fake.Object(m.Neighbours[i]["spec"])["providerConfigRef"]}) {
				out = append(out, fmt.Sprintf("%s: number %d is another machine's", name, n))
			}
		}

		for _, n := range p.taken {
			adopted := fake.Annotation(m.Observed[name], proxmox.AdoptedAnnotation) != "" && !onlyObserved(m.Observed[name])
			if n == int(id) && fake.Object(m.Spec()["adopt"])["approve"] == nil && !adopted {
				out = append(out, fmt.Sprintf("%s: number %d is that of a VM which somebody made by hand", name, n))
			}
		}
	}

	return out
}

// absent says whether the provider searched for a VM and found none.
func absent(o map[string]any) bool {
	return slices.ContainsFunc(fake.Conditions(o), func(c map[string]any) bool {
		message, _ := c["message"].(string)

		return c["type"] == "Synced" && c["status"] == "False" && strings.Contains(message, "external resource does not exist")
	})
}

// adoptionFaults: to take a VM over changes it no more than an edit of its claim would.
func adoptionFaults(m *fake.Machine, rsp *fnv1.RunFunctionResponse) []string {
	o, d := m.Observed["vm"], fake.Manifests(rsp)["vm"]
	if m.Spec()["adopt"] == nil || o == nil || d == nil || !onlyObserved(o) || onlyObserved(d) {
		return nil
	}

	wanted := fake.Object(fake.Object(d["spec"])["forProvider"])
	was := fake.Object(fake.Copy(m.Proxmox.VMs[adoptedID].Config))

	// These are no part of the VM: what the provider is to do with it.
	for _, f := range []string{"stopOnDestroy", "purgeOnDestroy", "deleteUnreferencedDisksOnDestroy", "reboot"} {
		was[f] = wanted[f]
	}

	return vmFaults(m, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{fake.ExternalName: strconv.Itoa(adoptedID)}},
		"spec":     map[string]any{"forProvider": was, "providerConfigRef": fake.Object(o["spec"])["providerConfigRef"]},
		"status":   map[string]any{"atProvider": was},
	}, d)
}
