package main

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAppliedSpec tells a GitOps tool of every edit whether the machine has it.
func TestAppliedSpec(t *testing.T) {
	for _, in := range installations {
		t.Run(in.name, func(t *testing.T) {
			l := newLab(t, worldIn(t, "nixos/dns01", in))
			spec := specOf(l.world)

			l.turn()

			if got := appliedOf(l); len(got) != 0 {
				t.Errorf("there is no VM, and something of its spec is said to be applied: %v", got)
			}

			l.rest()
			l.applied("a machine that is ready has all of its spec", userSpec(spec))

			was := userSpec(spec)
			spec["size"] = map[string]any{"disk": "60Gi"}

			l.obey(l.call())
			l.applied("an edit that the provider has not seen yet is not applied, though the machine is ready", was)

			l.rest()
			l.applied("an edit that is in Proxmox is applied", userSpec(spec))

			l.refusedEdits()
			l.heldEdit()
		})
	}
}

// refusedEdits are of fields that status repeats in no other place, and of one that is no field.
func (l *lab) refusedEdits() {
	l.t.Helper()

	spec := specOf(l.world)
	was := userSpec(spec)

	for name, edit := range map[string]any{
		"class": "smal", "tags": []any{"a,b"}, "nics": []any{map[string]any{"bridge": "no such bridge!"}}, "colour": "red",
		"startup": map[string]any{"order": -1.0},
	} {
		before, there := spec[name]
		spec[name] = edit

		rsp := l.call()
		if fatal(rsp) == "" {
			l.t.Errorf("spec.%s: %v was not refused", name, edit)
		}

		l.obey(rsp)
		l.applied("a refused edit of spec."+name+" is not applied", was)

		delete(spec, name)
		if there {
			spec[name] = before
		}
	}

	l.rest()
	l.applied("taken back", was)
}

// heldEdit is one that is understood, and that the VM cannot follow.
func (l *lab) heldEdit() {
	l.t.Helper()

	spec := specOf(l.world)
	was := userSpec(spec)

	before := spec["proxmox"]
	spec["proxmox"] = map[string]any{"node": "elsewhere", "vmId": 153.0}
	spec["tags"] = []any{"edited"}

	l.says(l.rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})

	was["tags"] = []any{"edited"}
	l.applied("of two edits the one that the VM cannot follow is not applied", was)

	spec["proxmox"] = before

	l.rest()
	l.applied("taken back", userSpec(spec))
}

// applied holds status.appliedSpec against what it should be.
func (l *lab) applied(reason string, want map[string]any) {
	l.t.Helper()

	if diff := cmp.Diff(want, appliedOf(l)); diff != "" {
		l.t.Errorf("%s: -want, +got:\n%s", reason, diff)
	}
}

func appliedOf(l *lab) map[string]any {
	return object(runtimeCopy(object(object(l.composite["status"])["appliedSpec"])))
}

// userSpec is a composite's spec without what Crossplane adds.
func userSpec(spec map[string]any) map[string]any {
	out := maps.Clone(object(runtimeCopy(spec)))
	delete(out, "claimRef")

	return out
}

// TestAppliedReplacement: a new VM was asked for, and is there or not.
func TestAppliedReplacement(t *testing.T) {
	l, _ := living1(t, "nixos/dns01", dhcp)
	l.rest()

	was := userSpec(specOf(l.world))
	l.applied("a machine that is ready has all of its spec", was)

	l.replace("2026-11-20")

	for range 3 {
		l.turn()
		l.applied("the new VM is being made", was)
	}

	l.rest()
	l.applied("the new VM is the machine", userSpec(specOf(l.world)))
}

// TestAppliedTooEarly: an edit looks as if it had arrived while the provider writes it, and then fails.
func TestAppliedTooEarly(t *testing.T) {
	l := newLab(t, worldIn(t, "nixos/dns01", installations[0]))
	l.rest()

	was, vm := userSpec(specOf(l.world)), l.observed["vm"]
	l.applied("a machine that is ready has all of its spec", was)

	setConditions(vm, condition("Synced", "False", "ReconcileError", "update failed: apply failed: shrink", nil),
		condition("LastAsyncOperation", "False", "ApplyFailure", "apply failed: shrink", nil))
	l.call()
	l.obey(l.call())
	l.applied("the last thing that was written has failed, and it may have been this spec", map[string]any{})

	setWell(vm, 2.0)
	l.rest()
	l.applied("it is written after all", was)
}
