package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
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

// populate a world with the other VMs of a pair: some that were made by hand, and some of other machines. All are much like what
// the second spec asks for.
func (p pair) populate(t testing.TB, w *world) {
	t.Helper()

	if len(p.taken)+len(p.claimed) == 0 {
		return
	}

	w.foreign = map[int]map[string]any{}
	other := p.otherVM(t, w)

	for _, id := range p.taken {
		if p.handmade {
			w.foreign[id] = foreignVM(t, id)
			continue
		}

		at := object(object(numbered(other, id)["status"])["atProvider"])
		at["name"] = "by-hand"

		// What a VM was made from cannot be read.
		delete(at, "clone")

		for _, d := range list(at["disk"]) {
			delete(object(d), "importFrom")
			delete(object(d), "fileId")
		}

		w.foreign[id] = at
	}

	for _, id := range p.claimed {
		w.neighbours = append(w.neighbours, numbered(other, id))
	}
}

// otherVM is a managed resource of another machine's VM, as it settles in an empty world like this one.
func (p pair) otherVM(t testing.TB, like *world) map[string]any {
	t.Helper()

	w := *like
	w.composite, w.foreign, w.neighbours, w.observed = object(runtimeCopy(like.composite)), nil, nil, map[string]map[string]any{}
	object(w.composite["metadata"])["name"] = "other"
	p.write(&w, p.second)

	place := map[string]any{"node": "pve2", "vmId": 100.0}
	if site := object(p.second["proxmox"])["site"]; site != nil {
		place["site"] = site
	}

	specOf(&w)["proxmox"] = place
	rest(t, &w, func(*fnv1.RunFunctionResponse) {})

	return w.observed["vm"]
}

// numbered is the same VM with another number.
func numbered(vm map[string]any, id int) map[string]any {
	out := object(runtimeCopy(vm))
	number := strconv.Itoa(id)
	object(object(out["spec"])["forProvider"])["vmId"] = float64(id)
	merge(out, map[string]any{
		"metadata": map[string]any{
			"labels":      map[string]any{proxmox.VMIDLabel: number},
			"annotations": map[string]any{proxmox.ExternalNameAnnotation: number},
		},
	})

	if at := object(object(out["status"])["atProvider"]); at["id"] != nil {
		at["id"], at["vmId"] = number, float64(id)
	}

	return out
}

// strangersFaults: a VM that somebody else made is left alone, unless the claim adopts exactly it.
func (p pair) strangersFaults(rsp *fnv1.RunFunctionResponse, w *world) []string {
	var out []string

	for name, d := range manifestsOf(rsp) {
		if d["kind"] != proxmox.VMKind || onlyLooked(d) {
			continue
		}

		id, _ := object(object(d["spec"])["forProvider"])["vmId"].(float64)

		// The provider remembers a VM that it found, and would change it in the place of one that is to be made.
		if o := w.observed[name]; o != nil && onlyLooked(o) && object(specOf(w)["adopt"])["approve"] == nil {
			if looked := object(object(o["spec"])["forProvider"])["vmId"]; !absent(o) || id != 0 && looked != id {
				out = append(out, fmt.Sprintf("%s: number %v is made after a look at number %v, absent: %t", name, id, looked, absent(o)))
			}
		}

		if id == 0 {
			continue
		}

		// In another Proxmox cluster it is another number, and what has another API cannot be asked for: its CRD may not be there.
		place := compact([]any{d["apiVersion"], object(d["spec"])["providerConfigRef"]})

		for i, n := range p.claimed {
			if n == int(id) && place == compact([]any{w.neighbours[i]["apiVersion"], object(w.neighbours[i]["spec"])["providerConfigRef"]}) {
				out = append(out, fmt.Sprintf("%s: number %d is another machine's", name, n))
			}
		}

		for _, n := range p.taken {
			adopted := annotation(w.observed[name], proxmox.AdoptedAnnotation) != "" && !onlyLooked(w.observed[name])
			if n == int(id) && object(specOf(w)["adopt"])["approve"] == nil && !adopted {
				out = append(out, fmt.Sprintf("%s: number %d is that of a VM which somebody made by hand", name, n))
			}
		}
	}

	return out
}

// absent says whether the provider looked for a VM and found none.
func absent(o map[string]any) bool {
	return slices.ContainsFunc(conditionsOf(o), func(c map[string]any) bool {
		message, _ := c["message"].(string)

		return c["type"] == "Synced" && c["status"] == "False" && strings.Contains(message, "external resource does not exist")
	})
}

// approve the adoption that the machine proposes, as a person does who has read its status. It says whether there is one.
func approve(w *world) bool {
	plan := object(object(w.composite["status"])["adoption"])["plan"]
	if plan == nil || specOf(w)["adopt"] == nil {
		return false
	}

	object(specOf(w)["adopt"])["approve"] = plan

	return true
}

// adoptionFaults: to take a VM over changes it no more than an edit of its claim would.
func adoptionFaults(w *world, rsp *fnv1.RunFunctionResponse) []string {
	o, d := w.observed["vm"], manifestsOf(rsp)["vm"]
	if specOf(w)["adopt"] == nil || o == nil || d == nil || !onlyLooked(o) || onlyLooked(d) {
		return nil
	}

	wanted := object(object(d["spec"])["forProvider"])
	was := object(runtimeCopy(w.foreign[adoptedID]))

	// These are no part of the VM: what the provider is to do with it.
	for _, f := range []string{"stopOnDestroy", "purgeOnDestroy", "deleteUnreferencedDisksOnDestroy", "reboot"} {
		was[f] = wanted[f]
	}

	return vmFaults(w, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{proxmox.ExternalNameAnnotation: strconv.Itoa(adoptedID)}},
		"spec":     map[string]any{"forProvider": was, "providerConfigRef": object(o["spec"])["providerConfigRef"]},
		"status":   map[string]any{"atProvider": was},
	}, d)
}
