package status

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// applied is the spec as far as the machine has it. While something of what is rendered is not ready, not written yet or on
// its way to Proxmox, it stays what it was: a GitOps tool that compares it with the spec knows then that a commit has not
// arrived, also where a claim says that it is ready. An edit that the VM cannot follow never becomes part of it.
//
// The provider says that it writes an edit only some time after it has begun. Where the edit was taken for arrived in that moment and
// then fails, nothing is known to be applied any more.
func (s reporter) applied(ready map[string]bool) v1alpha1.AppliedSpec {
	before := s.in.Previous.AppliedSpec

	if s.writeFailed() && same(before, s.in.Spec) {
		return nil
	}

	for _, isReady := range ready {
		if !isReady {
			return before
		}
	}

	for name, vm := range s.in.Desired.VMs {
		if !s.arrived(name, vm) {
			return before
		}
	}

	if _, made := s.in.Desired.VMs[s.name]; !made {
		return before
	}

	out := maps.Clone(s.in.Spec)

	for _, field := range s.notApplied() {
		// Without a memory nobody knows whether it was the claim that was edited, or the catalogue.
		was, ok := before[field]

		switch {
		case ok:
			out[field] = was
		case before != nil:
			delete(out, field)
		}
	}

	return out
}

// notApplied are the fields of the spec, or the one that holds them, that ask for what the VM is not.
func (s reporter) notApplied() []string {
	var out []string
	for _, h := range s.in.Plan.Held {
		out = append(out, topLevel(h.Field))
	}

	outage := s.in.Plan.Outage

	if s.in.Plan.Replacement != nil || outage.Waits() && outage.Is(lifecycle.OutageReboot) {
		out = append(out, "lifecycle")
	}

	if outage.Waits() && outage.Is(lifecycle.OutageMigration) {
		out = append(out, "proxmox")
	}

	return out
}

// writeFailed says whether the VM has an error of something that was to be written.
func (s reporter) writeFailed() bool {
	return s.vm.WriteFailed() && slices.ContainsFunc(s.findings, func(f finding) bool { return f.name == s.name })
}

// same says whether two specs are written alike, whatever types their numbers have.
func same(a, b map[string]any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)

	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// arrived says whether the provider has written all of a VM into Proxmox.
func (s reporter) arrived(name string, want proxmox.VM) bool {
	vm, ok := s.in.State.VMs[name]

	return ok && vm.Resting() && len(change.Compare(vm.Spec.ForProvider, want.Spec.ForProvider)) == 0
}

// topLevel is the field of a spec that holds a field, for instance proxmox for spec.proxmox.node and disks for
// spec.disks[data].size.
func topLevel(path string) string {
	name := strings.TrimPrefix(path, "spec.")
	if end := strings.IndexAny(name, ".["); end >= 0 {
		name = name[:end]
	}

	return name
}
