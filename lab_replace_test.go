package main

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// living is the lab of a machine that runs, and whose number Proxmox chose: 100.
func living1(t *testing.T, name string, edits ...string) (*lab, *fnv1.RunFunctionResponse) {
	t.Helper()

	l := newLab(t, story(t, name))
	if p := object(specOf(l.world)["proxmox"]); p["vmId"] != nil {
		delete(p, "vmId")
	}

	for _, e := range edits {
		merge(specOf(l.world), fromYAML(t, e))
	}

	if specOf(l.world)["class"] == "own" {
		l.sized(2)
	}

	settled := l.rest()
	l.says(settled, map[string]string{"ReplacementRequired": "NotRequired"})
	l.pve.done = nil

	return l, settled
}

// dhcp is a machine of which there can be two side by side.
const dhcp = "network: {ip: null, dns: null, dhcp: true}"

// replace asks for a new VM.
func (l *lab) replace(token string) { l.lifecycle("replace", token) }

// lifecycle writes one word into the claim; an empty one takes it out.
func (l *lab) lifecycle(field, word string) {
	spec := specOf(l.world)
	all := object(spec["lifecycle"])
	all[field] = word

	if word == "" {
		delete(all, field)
	}

	spec["lifecycle"] = all
}

// later are the names of the VMs of an answer that took, or are to take, the place of another.
func later(rsp *fnv1.RunFunctionResponse) []string {
	return slices.DeleteFunc(vmNames(rsp), func(name string) bool { return name == "vm" })
}

// snippetsOf are the composed resources of the snippets that a VM reads, sorted.
func snippetsOf(rsp *fnv1.RunFunctionResponse, vm string) []string {
	var out []string

	init := object(asList(forProvider(rsp, vm)["initialization"])[0])

	for name, r := range rsp.GetDesired().GetResources() {
		if proxmox.KindOf(r.GetResource()) != proxmox.FileKind {
			continue
		}

		p := forProvider(rsp, name)
		id := p["datastoreId"].(string) + ":snippets/" + object(asList(p["sourceRaw"])[0])["fileName"].(string)

		if id == init["userDataFileId"] || id == init["metaDataFileId"] {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}

// without these composed resources.
func without2(d map[string]*fnv1.Resource, gone ...string) {
	for _, name := range gone {
		delete(d, name)
	}
}

// newOnes are the composed resources of an answer that were not in an earlier one, sorted.
func newOnes(before, after *fnv1.RunFunctionResponse) []string {
	return slices.DeleteFunc(names(after), func(name string) bool { return slices.Contains(names(before), name) })
}

// happened says whether something was done in Proxmox, and in which place.
func (l *lab) happened(what string) int {
	return slices.IndexFunc(l.pve.done, func(d string) bool { return strings.HasPrefix(d, what) })
}
