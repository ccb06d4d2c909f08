package proxmox

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func condition(typ, status, reason, message string) Condition {
	return Condition{Type: typ, Status: status, Reason: reason, Message: message}
}

// about is a condition that speaks of one generation of its resource.
func about(generation int64, c Condition) Condition {
	c.ObservedGeneration = generation
	return c
}

// The conditions that most cases are made of.
var (
	available  = condition("Ready", "True", "Available", "")
	creating   = condition("Ready", "False", "Creating", "")
	synced     = condition("Synced", "True", "ReconcileSuccess", "")
	finished   = condition("AsyncOperation", "True", "Finished", "")
	ongoing    = condition("AsyncOperation", "False", "Ongoing", "")
	applied    = condition("LastAsyncOperation", "True", "Success", "")
	notApplied = condition("LastAsyncOperation", "False", "ApplyFailure", "a message")
)

// notSynced with the provider's message.
func notSynced(message string) Condition {
	return condition("Synced", "False", "ReconcileError", message)
}

// predicates of a VM, by name.
var predicates = map[string]func(ObservedVM) bool{
	"Found": ObservedVM.Found, "Absent": ObservedVM.Absent, "Undated": ObservedVM.Undated, "Silent": Silent, "Unreadable": Unreadable, "Present": Present,
	"Resting": ObservedVM.Resting, "Working": ObservedVM.Working, "WriteFailed": ObservedVM.WriteFailed, "MayExist": ObservedVM.MayExist,
	"ObserveOnly": ObservedVM.ObserveOnly,
}

// TestExistence holds what each state of a managed resource says of its VM: all predicates that are true of it, and no other.
func TestExistence(t *testing.T) {
	const nothing = "observe failed: external resource does not exist"

	cases := map[string]struct {
		reason     string
		external   string
		id         string
		policies   []string
		generation int64
		conditions []Condition
		want       []string
	}{
		"NoWordYet": {
			reason: "A resource that was just written may be in the making.",
			want:   []string{"MayExist", "Undated"},
		},
		"Settled": {
			reason: "The provider found it.", external: "153", id: "153", generation: 2,
			conditions: []Condition{about(2, available), about(2, synced), applied, finished},
			want:       []string{"Found", "MayExist", "Present", "Resting"},
		},
		"SettledWithAnOldProvider": {
			reason: "A provider before v1.0.0 names no generation, and is believed.", external: "153", id: "153", generation: 2,
			conditions: []Condition{available, synced},
			want:       []string{"Found", "MayExist", "Present", "Resting", "Undated"},
		},
		"SettledBeforeTheLastEdit": {
			reason: "The provider speaks of what was written before.", external: "153", id: "153", generation: 3,
			conditions: []Condition{about(2, available), about(2, synced)},
			want:       []string{"Found", "MayExist"},
		},
		"WithoutExternalName": {
			reason: "Without its identity the provider knows nothing of it.", id: "153",
			conditions: []Condition{available, synced},
			want:       []string{"MayExist", "Present", "Resting", "Undated"},
		},
		"StaleFailure": {
			reason: "The outcome of the last operation can stay False for ever, beside a resource in order.", external: "153", id: "153",
			conditions: []Condition{available, synced, notApplied},
			want:       []string{"Found", "MayExist", "Present", "Resting", "Undated", "WriteFailed"},
		},
		"Updating": {
			reason: "The provider is not done.", external: "153", id: "153",
			conditions: []Condition{available, synced, ongoing},
			want:       []string{"Found", "MayExist", "Present", "Undated", "Working"},
		},
		"OperationWithAnotherReason": {
			reason: "Only an ongoing operation is one.", external: "153", id: "153",
			conditions: []Condition{available, synced, condition("AsyncOperation", "False", "Failed", "")},
			want:       []string{"Found", "MayExist", "Present", "Resting", "Undated"},
		},
		"CreateFailed": {
			reason: "Nothing came of it.", external: "153",
			conditions: []Condition{creating, notSynced("create failed"), notApplied, finished},
			want:       []string{"Undated", "WriteFailed"},
		},
		"CreateFailedUnsaid": {
			reason: "Nothing came of it, and the provider never came to say that it is not ready: the function paused the resource in that moment.", external: "153",
			conditions: []Condition{notSynced("paused"), notApplied, finished},
			want:       []string{"Undated", "WriteFailed"},
		},
		"CreateTriedAgain": {
			reason: "A try that is under way may succeed with what was written before.", external: "153",
			conditions: []Condition{creating, notApplied, ongoing},
			want:       []string{"MayExist", "Undated", "Working", "WriteFailed"},
		},
		"FirstTry": {
			reason: "Not ready, and nothing failed: it is in the making.", external: "153",
			conditions: []Condition{creating, synced, ongoing},
			want:       []string{"MayExist", "Undated", "Working"},
		},
		"MadeAgain": {
			reason: "A VM that was there once, and cannot be made again.", external: "153", id: "153",
			conditions: []Condition{creating, notApplied},
			want:       []string{"Undated", "WriteFailed"},
		},
		"OutOfSync": {
			reason: "Ready, out of sync: the VM is there.", external: "153",
			conditions: []Condition{available, notSynced("Instance cannot be destroyed"), notApplied},
			want:       []string{"MayExist", "Undated", "WriteFailed"},
		},
		"ReadyIsUnknown": {
			reason: "Unknown is neither True nor False.", external: "153", id: "153",
			conditions: []Condition{condition("Ready", "Unknown", "", ""), condition("Synced", "Unknown", "", ""), notApplied},
			want:       []string{"MayExist", "Undated", "WriteFailed"},
		},

		// VMID checks.
		"CheckBegins": {
			reason: "No answer yet.", external: "pve/153", policies: ObserveOnly(), generation: 1,
			want: []string{"MayExist", "ObserveOnly", "Undated"},
		},
		"VMIDIsFree": {
			reason: "These words alone mean that there is no VM.", external: "pve/153", policies: ObserveOnly(), generation: 1,
			conditions: []Condition{about(1, notSynced(nothing))},
			want:       []string{"Absent", "MayExist", "ObserveOnly"},
		},
		"VMIDIsFreeWithALineEnd": {
			reason: "A message may end with blanks.", external: "pve/153", policies: ObserveOnly(),
			conditions: []Condition{notSynced(nothing + " \n")},
			want:       []string{"Absent", "MayExist", "ObserveOnly", "Undated"},
		},
		"AnotherVMIDWasFree": {
			reason: "The answer is to the question before.", external: "pve/154", policies: ObserveOnly(), generation: 2,
			conditions: []Condition{about(1, notSynced(nothing))},
			want:       []string{"MayExist", "ObserveOnly"},
		},
		"WordsInTheMiddle": {
			reason: "What follows may be the true reason.", external: "pve/153", policies: ObserveOnly(),
			conditions: []Condition{notSynced(nothing + ": dial tcp 192.168.4.2:8006: connect: connection refused")},
			want:       []string{"MayExist", "ObserveOnly", "Undated"},
		},
		"WordsOfASuccess": {
			reason: "A success says nothing of absence.", external: "pve/153", policies: ObserveOnly(),
			conditions: []Condition{condition("Synced", "True", "ReconcileSuccess", nothing)},
			want:       []string{"MayExist", "ObserveOnly", "Undated"},
		},
		"WordsOfAnotherResource": {
			reason: "A node, datastore or template that does not exist is not the VM.", external: "pve/153", policies: ObserveOnly(),
			conditions: []Condition{notSynced("observe failed: the requested resource does not exist")},
			want:       []string{"MayExist", "ObserveOnly", "Undated"},
		},
		"Unauthorized": {
			reason: "Any other error leaves the question open.", external: "pve/153", policies: ObserveOnly(),
			conditions: []Condition{notSynced("observe failed: cannot run import: received an HTTP 401 response - Reason: invalid token value!")},
			want:       []string{"MayExist", "ObserveOnly", "Undated"},
		},
		"VMIDIsTaken": {
			reason: "The provider read the VM.", external: "pve/153", id: "153", policies: ObserveOnly(), generation: 1,
			conditions: []Condition{about(1, available), about(1, synced)},
			want:       []string{"Found", "MayExist", "ObserveOnly", "Present", "Resting"},
		},
		"AnotherVMIDWasTaken": {
			reason: "The VM that it read is that of the question before.", external: "pve/154", id: "153", policies: ObserveOnly(), generation: 2,
			conditions: []Condition{about(1, available), about(1, synced)},
			want:       []string{"Found", "MayExist", "ObserveOnly"},
		},
		"TakenAndNotRead": {
			reason: "Without the VM's number nothing was read.", external: "pve/153", policies: ObserveOnly(),
			conditions: []Condition{available, synced},
			want:       []string{"Found", "MayExist", "ObserveOnly", "Resting", "Undated"},
		},
		"TakenAndNotReady": {
			reason: "What is not available was not read to its end.", external: "pve/153", id: "153", policies: ObserveOnly(),
			conditions: []Condition{creating, synced},
			want:       []string{"MayExist", "ObserveOnly", "Undated"},
		},
		"GuestAgentIsSilent": {
			reason: "The provider found the VM, and waited for its guest agent until its time was over.", external: "pve/153", policies: ObserveOnly(), generation: 1,
			conditions: []Condition{about(1, notSynced("observe failed: cannot run import: vm: Refreshing state... [id=153]: import failed"))},
			want:       []string{"MayExist", "ObserveOnly", "Silent"},
		},
		"GuestAgentOfAnotherWasSilent": {
			reason: "That was the VM of the question before.", external: "pve/154", policies: ObserveOnly(), generation: 2,
			conditions: []Condition{about(1, notSynced("observe failed: cannot run import: vm: Refreshing state... [id=153]: import failed"))},
			want:       []string{"MayExist", "ObserveOnly"},
		},
		"ImportFailsOtherwise": {
			reason: "Terraform tells of an error, so nobody waited in vain.", external: "pve/153", policies: ObserveOnly(),
			conditions: []Condition{notSynced("observe failed: cannot run import: vm: Refreshing state... [id=153]\nError: connection refused: import failed")},
			want:       []string{"MayExist", "ObserveOnly", "Undated"},
		},
		"NotAllowedToRead": {
			reason: "Proxmox names the VM, and does not show it.", external: "pve/153", policies: ObserveOnly(),
			conditions: []Condition{notSynced("observe failed: error retrieving VM 153: received an HTTP 403 response - Reason: Permission check failed (/vms/153, VM.Audit)")},
			want:       []string{"MayExist", "ObserveOnly", "Undated", "Unreadable"},
		},
		"NodeDoesNotAnswer": {
			reason: "Proxmox names the VM, and the node that has it does not answer.", external: "pve/153", policies: ObserveOnly(), generation: 2,
			conditions: []Condition{about(2, notSynced("observe failed: cannot run import: error retrieving VM 153: received an HTTP 595 response - Reason: No route to host"))},
			want:       []string{"MayExist", "ObserveOnly", "Unreadable"},
		},
		"AnotherWasUnreadable": {
			reason: "That was the VM of the question before.", external: "pve/154", policies: ObserveOnly(), generation: 2,
			conditions: []Condition{about(1, notSynced("observe failed: cannot run import: error retrieving VM 153: received an HTTP 595 response - Reason: No route to host"))},
			want:       []string{"MayExist", "ObserveOnly"},
		},
		"WaitedAndRead": {
			reason: "A success is not silent, whatever its message holds.", external: "pve/153", id: "153", policies: ObserveOnly(),
			conditions: []Condition{available, condition("Synced", "True", "ReconcileSuccess", "vm: Refreshing state... [id=153]")},
			want:       []string{"Found", "MayExist", "ObserveOnly", "Present", "Resting", "Undated"},
		},
		"MayDoMore": {
			reason: "Observe is one right of several.", external: "153", policies: Policies(DeletionDestroys),
			want: []string{"MayExist", "Undated"},
		},
	}

	held, not := map[string]int{}, map[string]int{}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := ObservedVM{}
			o.Metadata.Annotations = map[string]string{ExternalNameAnnotation: tc.external}
			o.Metadata.Generation = tc.generation
			o.Spec.ManagementPolicies = tc.policies
			o.Status.AtProvider.ID = tc.id
			o.Status.Conditions = tc.conditions

			var got []string

			for p, holds := range predicates {
				if holds(o) {
					held[p]++
					got = append(got, p)
				} else {
					not[p]++
				}
			}

			slices.Sort(got)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	for p := range predicates {
		if held[p] == 0 || not[p] == 0 {
			t.Errorf("%s holds in %d cases and does not in %d: want some of each", p, held[p], not[p])
		}
	}
}

// TestAnotherVM holds when a report is dropped since it is about another VM than the resource's.
func TestAnotherVM(t *testing.T) {
	number := func(id int64) *int64 { return &id }

	cases := map[string]struct {
		reason     string
		external   string
		id         string
		number     *int64
		name       string // Of the VM that is reported.
		seen       bool   // Whether the resource is marked as one whose VMID check saw a VM, as releases did that did not say which.
		mark       string // The mark as it is now.
		policies   []string
		conditions []Condition
		want       bool
	}{
		"Nothing":       {reason: "No report, no other VM.", external: "153"},
		"Own":           {reason: "Number and external name agree.", external: "153", id: "153", number: number(153)},
		"WithoutNumber": {reason: "Proxmox chose the number.", external: "100", id: "100"},
		"WithoutName":   {reason: "The provider has not written the external name yet.", id: "153", number: number(153)},
		"OtherNumber":   {reason: "The report is of the number that was written before.", id: "153", number: number(154), want: true},
		"OtherName":     {reason: "The report is of the VM that had the external name before.", external: "154", id: "153", want: true},
		"Check":         {reason: "In a VMID check the report is of whatever has the number.", external: "pve/153", id: "153", policies: ObserveOnly()},
		"SeenInCheck":   {reason: "The provider has not seen its own VM since the check.", external: "153", id: "153", seen: true, conditions: []Condition{creating}, want: true},
		"ReadyBeforeRead": {
			reason: "It says that its own VM is there, and still reports the one that the check saw.", external: "153", id: "153", name: "nas",
			mark: SeenInCheck(VMObservation{ID: "153", Name: "nas"}), conditions: []Condition{available, synced, finished}, want: true,
		},
		"ReadAfterReady": {
			reason: "Now it reports its own.", external: "153", id: "153", name: "web01",
			mark: SeenInCheck(VMObservation{ID: "153", Name: "nas"}), conditions: []Condition{available, synced, finished},
		},
		"SeenInCheckBefore": {reason: "It has seen its own since.", external: "153", id: "153", seen: true, conditions: []Condition{available, synced, finished}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := ObservedVM{}
			o.Metadata.Annotations = map[string]string{ExternalNameAnnotation: tc.external}
			o.Spec.ForProvider.VMID, o.Spec.ManagementPolicies = tc.number, tc.policies
			o.Status.AtProvider.ID, o.Status.AtProvider.Name, o.Status.Conditions = tc.id, tc.name, tc.conditions

			if tc.mark != "" {
				o.Metadata.Annotations[SeenInCheckAnnotation] = tc.mark
			}

			if tc.seen {
				o.Metadata.Annotations[SeenInCheckAnnotation] = "true"
			}

			if got := anotherVM(o); got != tc.want {
				t.Errorf("%s\nanotherVM(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestVMIDOf(t *testing.T) {
	number := func(id int64) *int64 { return &id }

	cases := map[string]struct {
		reason string
		number *int64
		id     string
		want   int64
	}{
		"Written":        {reason: "The claim or a range chose it.", number: number(153), want: 153},
		"WrittenAndRead": {reason: "What is written counts; a report may be of another VM.", number: number(153), id: "154", want: 153},
		"Read":           {reason: "Proxmox chose it.", id: "100", want: 100},
		"None":           {reason: "There is no VM yet."},
		"NoNumber":       {reason: "A report that is no number is none.", id: "pve/153"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := ObservedVM{}
			o.Spec.ForProvider.VMID, o.Status.AtProvider.ID = tc.number, tc.id

			if got := VMIDOf(o); got != tc.want {
				t.Errorf("%s\nVMIDOf(): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

// TestBefore holds which of two machines was first to ask for a number.
func TestBefore(t *testing.T) {
	vm := func(created, namespace, name string) ObservedVM {
		o := ObservedVM{}
		o.Metadata.CreationTimestamp, o.Metadata.Namespace, o.Metadata.Name = created, namespace, name

		return o
	}

	cases := map[string]struct {
		reason string
		a, b   ObservedVM
		want   bool
	}{
		"Older":           {reason: "It was there first.", a: vm("2026-01-01T00:01:00Z", "", "b"), b: vm("2026-01-01T00:02:00Z", "", "a"), want: true},
		"Younger":         {reason: "The other one was.", a: vm("2026-01-01T00:02:00Z", "", "a"), b: vm("2026-01-01T00:01:00Z", "", "b")},
		"SameTime":        {reason: "Of one second, names decide.", a: vm("2026-01-01T00:01:00Z", "", "a"), b: vm("2026-01-01T00:01:00Z", "", "b"), want: true},
		"SameTimeOther":   {reason: "Both come to the same conclusion.", a: vm("2026-01-01T00:01:00Z", "", "b"), b: vm("2026-01-01T00:01:00Z", "", "a")},
		"OtherNamespace":  {reason: "The namespace is a part of the name.", a: vm("2026-01-01T00:01:00Z", "x", "b"), b: vm("2026-01-01T00:01:00Z", "y", "a"), want: true},
		"OtherIsNotThere": {reason: "What is not there yet comes last.", a: vm("2026-01-01T00:01:00Z", "", "a"), b: vm("", "", ""), want: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.a.Before(tc.b); got != tc.want {
				t.Errorf("%s\nBefore(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestAlreadyPresent(t *testing.T) {
	const text = "create failed: async create failed: File already exists in the datastore, it was created outside of Terraform or is managed by another resource."

	cases := map[string]struct {
		reason     string
		conditions []Condition
		want       bool
	}{
		"Exists":      {reason: "The file is there.", conditions: []Condition{condition("Synced", "False", "ReconcileError", text)}, want: true},
		"ExistsAsync": {reason: "The same, told by the operation.", conditions: []Condition{condition("LastAsyncOperation", "False", "ApplyFailure", text)}, want: true},
		"OtherError":  {reason: "Any other failure leaves the file in doubt.", conditions: []Condition{condition("Synced", "False", "ReconcileError", "404 Not Found")}},
		"ExistsNow":   {reason: "The operation failed long ago, and the provider has the file.", conditions: []Condition{available, condition("LastAsyncOperation", "False", "ApplyFailure", text)}},
		"Nothing":     {reason: "No word, no file."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var o ObservedDownloadFile

			o.Status.Conditions = tc.conditions

			if got := AlreadyPresent(o); got != tc.want {
				t.Errorf("%s\nAlreadyPresent(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
