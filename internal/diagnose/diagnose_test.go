package diagnose

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	invalid = "update failed: apply failed: error updating VM: received an HTTP 400 response - Reason: Parameter verification failed. (cores: value must have a maximum value of 128): "
	refused = "observe failed: cannot run refresh: refresh failed: dial tcp 192.168.4.2:8006: connect: connection refused"
	nothing = "observe failed: external resource does not exist"
)

func notSynced(message string) proxmox.Condition {
	return proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: message}
}

// pauses annotates a VM as somebody does who pauses it, for an error's row where by names one.
func pauses(o proxmox.ObservedVM, by string) proxmox.ObservedVM {
	o.Metadata.Annotations["crossplane.io/paused"] = "true"
	if by != "" {
		o.Metadata.Annotations[proxmox.PausedByAnnotation] = by
	}

	return o
}

func observeOnly(o proxmox.ObservedVM) proxmox.ObservedVM {
	o.Spec.ManagementPolicies = proxmox.ObserveOnly()

	return o
}

func TestOf(t *testing.T) {
	synced := proxmox.Condition{Type: "Synced", Status: "True", Reason: "ReconcileSuccess"}
	asPaused := proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcilePaused"}
	ready := proxmox.Condition{Type: "Ready", Status: "True", Reason: "Available"}
	notReady := proxmox.Condition{Type: "Ready", Status: "False", Reason: "Creating"}
	ongoing := proxmox.Condition{Type: "AsyncOperation", Status: "False", Reason: "Ongoing"}
	failed := proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: "apply failed: error updating VM: Parameter verification failed."}

	type answer struct {
		Row            string
		Paused, Passes bool
	}

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		class  string
		want   *answer // Nil: nothing is wrong.
	}{
		"Well":             {"Nothing is wrong.", vm(ready, synced), "", nil},
		"NoConditions":     {"Nobody looked at it yet.", vm(), "", nil},
		"NotSynced":        {"The provider says so.", vm(ready, notSynced(invalid)), "", &answer{Row: "render.invalid"}},
		"Passing":          {"An error that may pass.", vm(ready, notSynced(refused)), "", &answer{Row: "unreachable", Passes: true}},
		"NotReady":         {"The last operation explains a VM that is not ready.", vm(notReady, synced, failed), "", &answer{Row: "render.invalid"}},
		"Stale":            {"It says nothing of a VM that is ready.", vm(ready, synced, failed), "", nil},
		"TriedAgain":       {"While it is tried again, the error that was reported holds.", vm(ready, synced, failed, ongoing), ClassValidationFailed, &answer{Row: "render.invalid"}},
		"TriedSomething":   {"A stale error does not come back with another operation.", vm(ready, synced, failed, ongoing), ClassNoError, nil},
		"PausedBySomebody": {"Somebody's own pause is told as that.", pauses(vm(ready, asPaused), ""), "", &answer{Row: "paused", Passes: true}},
		"PausedForAnError": {"The cause stays in sight while it is paused.", pauses(vm(ready, asPaused), "render.invalid"), "", &answer{Row: "render.invalid", Paused: true}},
		"PausedThisMoment": {"The provider has not noticed yet.", pauses(vm(ready, notSynced(invalid)), "render.invalid"), "", &answer{Row: "render.invalid", Paused: true}},
		"PausedForUnknown": {"A row that there is no more is any other error, and does not pass by itself.", pauses(vm(ready, asPaused), "no.such"), "", &answer{Row: "other", Paused: true}},
		"NotPausedInFact": {
			"Only the value true pauses.",
			func() proxmox.ObservedVM {
				o := pauses(vm(ready, synced), "render.invalid")
				o.Metadata.Annotations["crossplane.io/paused"] = "false"

				return o
			}(), "", nil,
		},
		"Resumed":      {"Nobody pauses it any more, and nobody looked at it since.", vm(ready, asPaused), ClassValidationFailed, nil},
		"LookFree":     {"That nothing is there answers a look.", observeOnly(vm(notSynced(nothing))), "", nil},
		"LookSilent":   {"Nor is that a VM cannot be read.", observeOnly(vm(notSynced(`observe failed: cannot run import: Refreshing state... [id=153]: import failed`))), "", nil},
		"LookTaken":    {"A foreign VM is none of our errors, nor what became of an operation before the look.", observeOnly(vm(notReady, synced, failed)), "", nil},
		"LookFails":    {"A look may fail as anything may.", observeOnly(vm(notSynced(refused))), "", &answer{Row: "unreachable", Passes: true}},
		"LookWasFree":  {"The answer to a look, seen after the VM may be made.", vm(notSynced(nothing)), "", nil},
		"LookUpdating": {"A failed operation of before is not taken for one under way.", observeOnly(vm(ready, synced, failed, ongoing)), ClassValidationFailed, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got *answer
			if r, wrong := Of(tc.vm, tc.class); wrong {
				got = &answer{Row: r.Name, Paused: r.Paused, Passes: r.Retryable}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOfAFile: a file that may only be looked at, and is not there, is missed.
func TestOfAFile(t *testing.T) {
	o := proxmox.ObservedFile{Kind: proxmox.FileKind}
	o.Spec.ManagementPolicies = proxmox.ObserveOnly()

	for message, row := range map[string]string{nothing: "import.missing", "observe failed: cannot run import: Refreshing state... [id=x]: import failed": "import.silent"} {
		o.Status.Conditions = []proxmox.Condition{notSynced(message)}

		if r, wrong := Of(o, ""); !wrong || r.Name != row {
			t.Errorf("%s: wrong %t, row %q", message, wrong, r.Name)
		}
	}
}

func TestPauses(t *testing.T) {
	edited := func(change func(*proxmox.ObservedVM)) proxmox.ObservedVM {
		o := vm(notSynced(invalid))
		o.Metadata.Generation, o.Status.Conditions[0].ObservedGeneration = 3, 3
		change(&o)

		return o
	}

	cases := map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   string // The row; empty: no pause.
	}{
		"Fresh":         {"An error that trying cannot cure, of the resource as it is.", edited(func(*proxmox.ObservedVM) {}), "render.invalid"},
		"NoGeneration":  {"Provider operations say no generation.", edited(func(o *proxmox.ObservedVM) { o.Status.Conditions[0].ObservedGeneration = 0 }), "render.invalid"},
		"Stale":         {"What is written now may cure it.", edited(func(o *proxmox.ObservedVM) { o.Metadata.Generation = 4 }), ""},
		"BeingDeleted":  {"A paused resource could not go.", edited(func(o *proxmox.ObservedVM) { o.Metadata.DeletionTimestamp = "2026-11-20T08:00:00Z" }), ""},
		"Synced":        {"Nothing is wrong.", edited(func(o *proxmox.ObservedVM) { o.Status.Conditions[0].Status = "True" }), ""},
		"Mendable":      {"An outage is mended outside, and must end by itself.", vm(notSynced(refused)), ""},
		"PausedAlready": {"A pause has no error of its own.", pauses(vm(proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcilePaused", Message: invalid}), "render.invalid"), ""},
		"OnlyLastAsync": {"An operation that failed some time ago is no reason.", vm(proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Message: invalid}), ""},
		"Look":          {"That nothing is there answers a look.", observeOnly(vm(notSynced(nothing))), ""},
		"NoConditions":  {"Nobody looked at it yet.", vm(), ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			row, ok := Pauses(tc.vm)
			if row != tc.want || ok != (tc.want != "") {
				t.Errorf("%s\nPauses(...): want %q, got %q, %t", tc.reason, tc.want, row, ok)
			}
		})
	}
}

// TestVMIDOfContainer: a search through a range goes on behind the VMID of a container, and behind no other one.
func TestVMIDOfContainer(t *testing.T) {
	const of = "create failed: apply failed: error resizing VM disk: Configuration file 'nodes/pve/qemu-server/4123.conf' does not exist"

	numbered := func(o proxmox.ObservedVM, id int64) proxmox.ObservedVM {
		o.Spec.ForProvider.VMID = &id
		return o
	}

	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		want   bool
	}{
		"Resize":      {"The plugin takes the refusal for success, and then finds no VM.", numbered(vm(notSynced(of)), 4123), true},
		"Exists":      {"Proxmox' own words.", numbered(vm(notSynced("create failed: CT 4123 already exists on node 'pve'")), 4123), true},
		"Before":      {"Of the VMID before this one.", numbered(vm(notSynced(of)), 4124), false},
		"Longer":      {"Another number that begins so.", numbered(vm(notSynced("create failed: CT 41234 already exists on node 'pve'")), 4123), false},
		"Elsewhere":   {"A number that ends so.", numbered(vm(notSynced(of)), 123), false},
		"Paused":      {"By an earlier release, for this.", numbered(pauses(vm(), "vmid.container"), 4123), true},
		"PausedElse":  {"For something else.", numbered(pauses(vm(), "render.invalid"), 4123), false},
		"PausedByOne": {"By a person, who has a reason.", numbered(pauses(vm(notSynced(of)), ""), 4123), false},
		"VM":          {"A VM that came meanwhile is found by a check.", numbered(vm(notSynced("create failed: unable to create VM 4123: config file already exists")), 4123), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := VMIDOfContainer(tc.vm); got != tc.want {
				t.Errorf("%s\nwant %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestWhatPauses names every row that pauses: a resource that is paused does not recover by itself when its cause is gone,
// so a row is added here on purpose only.
func TestWhatPauses(t *testing.T) {
	var got []string

	for _, r := range Rows() {
		if r.Pauses {
			got = append(got, r.Name)
		}
	}

	slices.Sort(got)

	want := []string{"disk.detached", "image.extension", "render.invalid", "render.name", "storage.leftover", "vmid.container", "vmid.taken"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows that pause: -want, +got:\n%s", diff)
	}
}
