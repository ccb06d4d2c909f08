package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Numbers of the VMs of these tests.
const (
	idLife = 6010 + iota
	idStays
	idOwner
)

// changed is a claim with one field of its spec set, as a person edits it.
func changed(claim *unstructured.Unstructured, value any, path ...string) *unstructured.Unstructured {
	out := claim.DeepCopy()
	if err := unstructured.SetNestedField(out.Object, value, append([]string{"spec"}, path...)...); err != nil {
		panic(err) // A programming error.
	}

	return out
}

// TestLegacyLife edits one claim on Crossplane 1.20 as its owner does in the course of time, and at last deletes it.
func TestLegacyLife(t *testing.T) {
	r := old.rig(t)
	claim := machine("elder", idLife)

	must(t, r.apply(t.Context(), claim))
	t.Cleanup(func() { must(t, r.remove(context.Background(), claim)) })
	must(t, r.ready(t.Context(), claim))
	r.golden(t, filepath.Join("testdata", "columns", "legacy", "life.txt"), []*unstructured.Unstructured{claim})

	original, larger := r.world.VM(idLife), changed(claim, "medium", "class")
	rebooted := changed(larger, "now", "lifecycle", "reboot")

	steps := []struct {
		name, reason string
		edited       *unstructured.Unstructured
		condition    string // Type, status and reason that the claim says then.
		status       string
		because      string
		managed      string // Whether the managed resources are changed by it.
	}{
		{
			name: "ClassChange", reason: "Memory is written at once, and waits for a power cycle that the owner chooses.",
			edited:    larger,
			condition: "RebootPending", status: "True", because: "ChangesPending", managed: "changed",
		},
		{
			name: "Reboot", reason: "The owner asks for the power cycle.",
			edited:    rebooted,
			condition: "RebootPending", status: "False", because: "NothingPending", managed: "stopped, and as before when the VM runs again",
		},
		{
			name: "ImageChange", reason: "Another image needs another VM, which is never made by surprise.",
			edited:    changed(rebooted, "ubuntu-24.04", "image"),
			condition: "ReplacementRequired", status: "True", because: "ImmutableFieldChanged", managed: "same",
		},
		{
			name: "ImageChangedBack", reason: "The claim recovers with the edit.",
			edited:    rebooted,
			condition: "ReplacementRequired", status: "False", because: "NotRequired", managed: "same",
		},
		{
			name: "BadInput", reason: "A class that nobody defined leaves all as it is.",
			edited:    changed(rebooted, "enormous", "class"),
			condition: "SpecValid", status: "False", because: "ValidationFailed", managed: "same",
		},
		{
			name: "Corrected", reason: "The claim recovers with the edit.",
			edited:    rebooted,
			condition: "SpecValid", status: "True", because: "Valid", managed: "same",
		},
	}

	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			before, err := r.desired(t.Context(), claim)
			must(t, err)

			must(t, r.apply(t.Context(), s.edited))
			must(t, r.says(t.Context(), claim, s.condition, s.status, s.because))
			r.message(t, claim, s.condition, s.name)

			after, err := r.desired(t.Context(), claim)
			must(t, err)

			if s.managed == "same" && !cmp.Equal(before, after) {
				t.Errorf("%s\nmanaged resources have changed: -before, +after:\n%s", s.reason, cmp.Diff(before, after))
			}

			if s.managed == "changed" && cmp.Equal(before, after) {
				t.Errorf("%s\nno managed resource has changed", s.reason)
			}

			if vm := r.world.VM(idLife); vm == nil || !vm.Started || vm.Node != original.Node {
				t.Errorf("%s\nthe VM does not run any more: %+v", s.reason, vm)
			}

			must(t, r.ready(t.Context(), claim))
		})
	}

	t.Run("FunctionKilled", func(t *testing.T) {
		f := r.function(t)
		f.Kill()
		must(t, r.apply(t.Context(), tag(rebooted, "afterwards")))
		must(t, f.Start(t.Context()))
		must(t, r.tagged(t.Context(), idLife, "afterwards"))
		must(t, r.ready(t.Context(), claim))
	})

	stops := slices.DeleteFunc(r.about(idLife), func(line string) bool { return !strings.HasPrefix(line, "stop") })
	if len(stops) != 1 {
		t.Errorf("the VM was stopped %d times, want the one that the owner asked for", len(stops))
	}

	must(t, r.remove(t.Context(), claim))

	if vm := r.world.VM(idLife); vm != nil {
		t.Errorf("VM %d is there though its claim was deleted", idLife)
	}
}

// TestLegacyOrphan deletes a claim that says that its VM stays.
func TestLegacyOrphan(t *testing.T) {
	r := old.rig(t)
	claim := changed(machine("stays", idStays), "Orphan", "deletionPolicy")

	must(t, r.apply(t.Context(), claim))
	t.Cleanup(func() {
		must(t, r.remove(context.Background(), claim))
		r.world.Remove(idStays)
	})
	must(t, r.ready(t.Context(), claim))

	written := len(r.about(idStays))
	must(t, r.remove(t.Context(), claim))

	if vm := r.world.VM(idStays); vm == nil || !vm.Started {
		t.Errorf("VM %d does not run any more", idStays)
	}

	if now := r.about(idStays); len(now) != written {
		t.Errorf("Proxmox was told: %s", strings.Join(now[written:], ", "))
	}
}

// TestLegacyTakenNumber has a claim for a VM that another claim has.
func TestLegacyTakenNumber(t *testing.T) {
	r := old.rig(t)
	owner, other := machine("first", idOwner), changed(machine("second", idOwner), "192.168.4.98", "network", "ip")

	must(t, r.apply(t.Context(), owner))
	t.Cleanup(func() { must(t, r.remove(context.Background(), other, owner)) })
	must(t, r.ready(t.Context(), owner))

	written := len(r.about(idOwner))

	must(t, r.apply(t.Context(), other))
	must(t, r.says(t.Context(), other, "VMIDInUse", "True", "NumberClaimed"))
	r.message(t, other, "VMIDInUse", "NumberTaken")
	must(t, r.remove(t.Context(), other))

	if now := r.about(idOwner); len(now) != written {
		t.Errorf("Proxmox was told: %s", strings.Join(now[written:], ", "))
	}

	must(t, r.ready(t.Context(), owner))
}

// about is what was written to Proxmox about a VM.
func (r *rig) about(id int) []string {
	return slices.DeleteFunc(r.world.Journal(), func(line string) bool {
		return !slices.Contains(strings.Fields(line), fmt.Sprint(id))
	})
}

// imported is an image on a datastore. Its name tells the build, which every release of ours has anew.
var imported = regexp.MustCompile("local:import/[^`]+")

// message compares what a claim's condition says with a golden file.
func (r *rig) message(t *testing.T, claim *unstructured.Unstructured, conditionType, name string) {
	t.Helper()

	now, err := r.now(t.Context(), claim)
	must(t, err)

	c := condition(now, conditionType)
	compare(t, filepath.Join("testdata", "conditions", "legacy", name+".txt"),
		fmt.Sprintf("%s=%s %s\n%s\n", conditionType, c.status, c.reason, imported.ReplaceAllString(c.message, "local:import/<image>")))
}
