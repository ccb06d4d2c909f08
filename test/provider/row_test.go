package provider

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// cell makes one edit, looks at what becomes of it, and takes it back.
func (r *row) cell(t *testing.T, e matrixEdit) {
	t.Helper()

	defer r.restore(t)

	since := r.seq(t)

	spec, _, err := unstructured.NestedMap(r.c.Composite.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}

	r.c.Composite.Object["spec"] = mergePatch(spec, plain(t, e.Patch))
	r.c.Blind = r.known(t)

	if r.turn(t, "the edit") != "" {
		r.count["refused"]++

		if w := r.writes(t, since); w != "" {
			t.Errorf("a claim that is refused writes:\n%s", w)
		}

		return
	}

	r.harmless(t, e, r.writes(t, since))

	if r.c.Blind {
		r.count["judged"]++
	} else {
		r.waits(t)
	}

	changed := !reflect.DeepEqual(r.base.composed["vm"].resource.Spec, r.c.composed["vm"].resource.Spec)
	if changed {
		r.count["changes"]++
	} else {
		r.count["same"]++
	}

	if changed && r.thorough {
		r.restarts(t)
	}

	if word(r.c.Conditions["ReplacementRequired"].GetStatus()) == "True" {
		r.prove(t)
	}

	// And back.
	since = r.seq(t)
	r.c.Composite.Object["spec"] = r.base.composite.DeepCopy().Object["spec"]
	r.c.Blind = !r.thorough

	if refusal := r.turn(t, "the way back"); refusal != "" {
		t.Errorf("the claim of before is refused: %s", refusal)
	}

	r.back(t, e)

	if r.c.Blind {
		return
	}

	r.harmless(t, e, r.writes(t, since))
	r.waits(t)
}

// restore makes the row what it was, whatever a cell made of it.
func (r *row) restore(t *testing.T) {
	t.Helper()

	r.c.Blind = false

	if err := r.c.Restore(t.Context(), r.base); err != nil {
		t.Fatal(err)
	}
}

// turn lets the machine come to rest, and tells whether the claim is refused.
func (r *row) turn(t *testing.T, what string) (refusal string) {
	t.Helper()

	_, err := r.c.Settle(t.Context())
	if err != nil && strings.Contains(err.Error(), "the function refuses") {
		return err.Error()
	}

	if err != nil && strings.Contains(err.Error(), transient) {
		_, err = r.c.Settle(t.Context())
	}

	if err != nil {
		t.Errorf("%s: %v", what, err)
	}

	return ""
}

// harmless holds that nothing was requested that a running VM must not see.
func (r *row) harmless(t *testing.T, e matrixEdit, writes string) {
	t.Helper()

	for line := range strings.Lines(writes) {
		for _, bad := range alarms() {
			if strings.Contains(line, bad) && !slices.ContainsFunc(e.May, func(ok string) bool { return strings.Contains(line, ok) }) {
				t.Errorf("unwanted request: %s", line)
			}
		}
	}
}

// waits holds that the machine says that something waits for a power cycle where Proxmox says so, and only there.
func (r *row) waits(t *testing.T) {
	t.Helper()

	says, _, _ := unstructured.NestedStringSlice(r.c.Composite.Object, "status", "pendingReboot")
	// Proxmox opens a disk anew for these (PVE::QemuServer, vmconfig_update_disk), which the simulator does not model.
	says = slices.DeleteFunc(says, func(c string) bool {
		return strings.Contains(c, "cache: ") || strings.Contains(c, ".discard: ") || strings.Contains(c, ".ssd: ")
	})

	pending := r.mine(t).Pending

	// Only the API tells of options that wait to be gone.
	if len(says) > 0 && len(pending) == 0 {
		id, _ := r.c.composed["vm"].outcome.Attributes["id"].(string)

		var err error
		if pending, err = r.Simulator.PendingDeletes(t.Context(), r.mine(t).Node, id); err != nil {
			t.Fatal(err)
		}
	}

	// A guest with an instance ID of its own reads its cloud-init drive at its first boot only.
	if r.readsDriveOnce() {
		pending = slices.DeleteFunc(slices.Clone(pending), func(key string) bool {
			return key == "nameserver" || key == "searchdomain" || strings.HasPrefix(key, "ipconfig")
		})
	}

	if (len(says) > 0) != (len(pending) > 0) {
		t.Errorf("Proxmox says that these wait: %v, and the machine: %v", pending, says)
	}
}

func (r *row) readsDriveOnce() bool {
	drives, _ := r.c.composed["vm"].resource.Spec.ForProvider["initialization"].([]any)
	for _, d := range drives {
		if d, ok := d.(map[string]any); ok && d["metaDataFileId"] != nil {
			return true
		}
	}

	return false
}

// known says whether the plugin has judged before what the function makes of the claim as it is now: the same change of the
// same parameters, on another kind of machine. It notes the change as judged.
func (r *row) known(t *testing.T) bool {
	t.Helper()

	c := *r.c
	c.Composite = *r.c.Composite.DeepCopy()

	rsp, err := c.call(t.Context())
	if err != nil || r.thorough {
		return false
	}

	u := unstructured.Unstructured{Object: rsp.GetDesired().GetResources()["vm"].GetResource().AsMap()}
	is, _, _ := unstructured.NestedMap(u.Object, "spec", "forProvider")
	was := r.base.composed["vm"].resource.Spec.ForProvider
	delta := map[string]any{}

	for k := range merged(was, is) {
		if !reflect.DeepEqual(was[k], is[k]) {
			delta[k] = []any{was[k], is[k]}
		}
	}

	// Power and moves are more than parameters.
	if len(delta) == 0 || delta["started"] != nil || delta["nodeName"] != nil {
		return false
	}

	b, err := json.Marshal(delta)
	if err != nil {
		t.Fatal(err)
	}

	_, known := r.judged.LoadOrStore(string(b), true)

	return known
}

// restarts holds that a restart of the provider before the VM has a status changes nothing.
func (r *row) restarts(t *testing.T) {
	t.Helper()

	d := r.c.composed["vm"]

	drift, err := r.Restart(t.Context(), d.workspace, d.resource.ExternalName(), nil)
	if err != nil || drift != "" {
		t.Errorf("after a restart of the provider: %v\n%s", err, drift)
	}
}

// back holds that a VM whose claim is as before is as before, or says what it kept.
func (r *row) back(t *testing.T, e matrixEdit) {
	t.Helper()

	was, is := r.base.composed["vm"].resource.Spec.ForProvider, r.c.composed["vm"].resource.Spec.ForProvider
	held := word(r.c.Conditions["ReplacementRequired"].GetStatus()) == "True"

	for _, k := range slices.Sorted(maps.Keys(merged(was, is))) {
		// A provider that does nothing does not carry out a migration either.
		if k == "migrate" && r.c.Blind || slices.Contains(e.Keeps, k) {
			continue
		}

		if !reflect.DeepEqual(was[k], is[k]) && !held {
			t.Errorf("after the way back, without a word, %s was %v and is %v: %v", k, was[k], is[k], r.c.Conditions)
		}
	}
}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)

	return out
}
