package behaviour

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAppliedSpec tells a GitOps tool of every edit whether the machine has it.
func TestAppliedSpec(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := exampleIn(t, "nixos/dns01", in)
			spec := m.Spec()

			m.Turn()

			if got := appliedOf(m); len(got) != 0 {
				t.Errorf("there is no VM, and something of its spec is said to be applied: %v", got)
			}

			m.Rest()
			m.applied("a machine that is ready has all of its spec", userSpec(spec))

			was := userSpec(spec)
			spec["size"] = map[string]any{"disk": "60Gi"}

			m.Apply(m.Call())
			m.applied("an edit that the provider has not seen yet is not applied, though the machine is ready", was)

			m.Rest()
			m.applied("an edit that is in Proxmox is applied", userSpec(spec))

			m.refusedEdits()
			m.heldEdit()
		})
	}
}

// refusedEdits are of fields that status repeats in no other place, and of one that is no field.
func (m *machine) refusedEdits() {
	m.t.Helper()

	spec := m.Spec()
	was := userSpec(spec)

	for name, edit := range map[string]any{
		"class": "smal", "tags": []any{"a,b"}, "nics": []any{map[string]any{"bridge": "no such bridge!"}}, "colour": "red",
		"startup": map[string]any{"order": -1.0},
	} {
		before, there := spec[name]
		spec[name] = edit

		rsp := m.Call()
		if world.Fatal(rsp) == "" {
			m.t.Errorf("spec.%s: %v was not refused", name, edit)
		}

		m.Apply(rsp)
		m.applied("a refused edit of spec."+name+" is not applied", was)

		delete(spec, name)
		if there {
			spec[name] = before
		}
	}

	m.Rest()
	m.applied("taken back", was)
}

// heldEdit is one that is understood, and that the VM cannot follow.
func (m *machine) heldEdit() {
	m.t.Helper()

	spec := m.Spec()
	was := userSpec(spec)

	before := spec["proxmox"]
	spec["proxmox"] = map[string]any{"node": "elsewhere", "vmId": 153.0}
	spec["tags"] = []any{"edited"}

	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})

	was["tags"] = []any{"edited"}
	m.applied("of two edits the one that the VM cannot follow is not applied", was)

	spec["proxmox"] = before

	m.Rest()
	m.applied("taken back", userSpec(spec))
}

// TestAppliedInSteps: what is written in steps has arrived with the last one, also where each step that is rendered is ready.
func TestAppliedInSteps(t *testing.T) {
	for name, tc := range map[string]struct{ edit, stuck string }{
		"FirewallOptions": {"firewall: {preset: ssh}", "firewall-options-vm"},
		"FirewallRules":   {"firewall: {preset: ssh}", "firewall-rules-vm"},
		"HA":              {"ha: {enabled: true}", "ha-vm"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := living(t, "nixos/dns01")
			shared(m.Machine)
			m.Rest()

			was := userSpec(m.Spec())
			m.Provider.Stuck = []string{tc.stuck}
			world.Merge(m.Spec(), world.FromYAML(t, tc.edit))
			m.Rest()
			m.applied("a step is missing", was)

			m.Provider.Stuck = nil
			m.Rest()
			m.applied("all is written", userSpec(m.Spec()))
		})
	}
}

// applied holds status.appliedSpec against what it should be.
func (m *machine) applied(reason string, want map[string]any) {
	m.t.Helper()

	if diff := cmp.Diff(want, appliedOf(m)); diff != "" {
		m.t.Errorf("%s: -want, +got:\n%s", reason, diff)
	}
}

func appliedOf(m *machine) map[string]any {
	return world.Object(world.Copy(world.Object(world.Object(m.Composite["status"])["appliedSpec"])))
}

// userSpec is a composite's spec without what Crossplane adds.
func userSpec(spec map[string]any) map[string]any {
	out := maps.Clone(world.Object(world.Copy(spec)))
	delete(out, "claimRef")

	return out
}

// TestAppliedReplacement: a new VM was asked for, and is there or not.
func TestAppliedReplacement(t *testing.T) {
	m, _ := living(t, "nixos/dns01", dhcp)
	m.Rest()

	was := userSpec(m.Spec())
	m.applied("a machine that is ready has all of its spec", was)

	m.replace("2026-11-20")

	for range 3 {
		m.Turn()
		m.applied("the new VM is being made", was)
	}

	m.Rest()
	m.applied("the new VM is the machine", userSpec(m.Spec()))
}

// TestAppliedTooEarly: an edit looks as if it had arrived while the provider writes it, and then fails.
func TestAppliedTooEarly(t *testing.T) {
	m := exampleIn(t, "nixos/dns01", world.Installations[0])
	m.Rest()

	was, vm := userSpec(m.Spec()), m.Observed["vm"]
	m.applied("a machine that is ready has all of its spec", was)

	world.SetConditions(vm, world.Condition("Synced", "False", "ReconcileError", "update failed: apply failed: shrink", nil),
		world.Condition("LastAsyncOperation", "False", "ApplyFailure", "apply failed: shrink", nil))
	m.Call()
	m.Apply(m.Call())
	m.applied("the last thing that was written has failed, and it may have been this spec", map[string]any{})

	world.SetWell(vm, 2.0)
	m.Rest()
	m.applied("it is written after all", was)
}
