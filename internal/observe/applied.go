package observe

import (
	"maps"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// applied is the spec as far as the machine has it. While something of what is rendered is not ready, not written yet or on
// its way to Proxmox, it stays what it was: a GitOps tool that compares it with the spec knows then that a commit has not
// arrived, also where a claim says that it is ready. An edit that the VM cannot follow never becomes part of it.
func (s sight) applied(ready map[string]bool) v1alpha1.AppliedSpec {
	before := s.in.Previous.AppliedSpec

	for name, m := range s.in.Rendered.Manifests {
		if !ready[name] || proxmox.KindOf(m) == proxmox.VMKind && !s.arrived(name, m) {
			return before
		}
	}

	if _, made := s.in.Rendered.Manifests[s.name]; !made {
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
func (s sight) notApplied() []string {
	var out []string
	for _, h := range s.in.Rendered.Held {
		out = append(out, topLevel(h.Field))
	}

	if s.in.Rendered.Replacement != nil {
		out = append(out, "lifecycle")
	}

	return out
}

// arrived says whether the provider has written all of a VM into Proxmox.
func (s sight) arrived(name string, rendered proxmox.Manifest) bool {
	want, err := proxmox.ObserveVM(rendered)
	vm, ok := s.in.State.VMs[name]

	return err == nil && ok && vm.Resting() && len(change.Compare(vm.Spec.ForProvider, want.Spec.ForProvider)) == 0
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
