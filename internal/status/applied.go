package status

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An appliedReport is about what of the claim has arrived in Proxmox.
type appliedReport struct {
	machine *machine.Machine
	spec    map[string]any       // As the person wrote it.
	before  v1alpha1.AppliedSpec // What had arrived before this call.
	plan    *lifecycle.Plan
	desired proxmox.Desired
	state   proxmox.State
	vm      *activeVM
	errors  *providerErrors
}

// status is the spec as far as the machine has it. While something of what is rendered is not ready, not written yet or on
// its way to Proxmox, it stays what it was: a GitOps tool that compares it with the spec knows then that a commit has not
// arrived, also where a claim says that it is ready. An edit that the VM cannot follow never becomes part of it.
//
// The provider says that it writes an edit only some time after it has begun. Where the edit was taken for arrived in that moment and
// then fails, nothing is known to be applied any more.
func (a *appliedReport) status(ready map[string]bool) v1alpha1.AppliedSpec {
	before := a.before

	if a.errors.failedToWrite() && same(before, a.spec) {
		return nil
	}

	// Of an edit that waits for approval nothing arrives. A firewall is written in steps, whose next one is not rendered before the last one is there;
	// and a machine is ready without HA.
	if a.plan.Stands() || a.plan.Firewall.Stage.OnItsWay() || a.plan.Availability.Stage.OnItsWay() {
		return before
	}

	for _, isReady := range ready {
		if !isReady {
			return before
		}
	}

	for name, vm := range a.desired.VMs {
		if !a.arrived(name, vm) {
			return before
		}
	}

	if _, made := a.desired.VMs[a.vm.name]; !made {
		return before
	}

	return AppliedSpec(a.spec, before, a.notApplied())
}

// AppliedSpec is a spec, as a person wrote it, in which the fields that hold something that has not arrived are as they were before. They are
// paths, like spec.proxmox.node or proxmox.
func AppliedSpec(spec map[string]any, before v1alpha1.AppliedSpec, notApplied []string) v1alpha1.AppliedSpec {
	out := maps.Clone(spec)

	for _, path := range notApplied {
		field := topLevel(path)
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
func (a *appliedReport) notApplied() []string {
	out := KeptFields(a.machine.Kept)
	for _, h := range a.plan.Held {
		out = append(out, h.Field)
	}

	if a.plan.Availability.Stage == lifecycle.HABlocked {
		out = append(out, "ha")
	}

	if a.plan.Firewall.Stage == lifecycle.FirewallStands {
		out = append(out, "firewall")
	}

	if a.plan.Replacement != nil || holds(a.plan, lifecycle.OutageReboot) {
		out = append(out, "lifecycle")
	}

	if holds(a.plan, lifecycle.OutageMigration) {
		out = append(out, "proxmox")
	}

	if len(a.plan.Reconnects) > 0 {
		out = append(out, "network", "nics", "proxmox")
	}

	return out
}

// same says whether two specs are written alike, whatever types their numbers have.
func same(a, b map[string]any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)

	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// arrived says whether the provider has written all of a VM into Proxmox.
func (a *appliedReport) arrived(name string, want proxmox.VM) bool {
	vm, ok := a.state.VMs[name]

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
