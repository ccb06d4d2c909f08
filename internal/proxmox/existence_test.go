package proxmox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func condition(typ, status, reason, message string) Condition {
	return Condition{Type: typ, Status: status, Reason: reason, Message: message}
}

func TestExistence(t *testing.T) {
	type want struct{ Found, MayExist bool }

	cases := map[string]struct {
		reason     string
		external   string
		id         string
		conditions []Condition
		want       want
	}{
		"NoWordYet": {
			reason: "A resource that was just written may be in the making.",
			want:   want{MayExist: true},
		},
		"Settled": {
			reason: "The provider found it.", external: "153", id: "153",
			conditions: []Condition{condition("Ready", "True", "Available", ""), condition("Synced", "True", "ReconcileSuccess", "")},
			want:       want{Found: true, MayExist: true},
		},
		"StaleFailure": {
			reason: "The outcome of the last operation can stay False for ever, beside a resource in order.", external: "153", id: "153",
			conditions: []Condition{
				condition("Ready", "True", "Available", ""), condition("Synced", "True", "ReconcileSuccess", ""),
				condition("LastAsyncOperation", "False", "ApplyFailure", "an old story"),
			},
			want: want{Found: true, MayExist: true},
		},
		"CreateFailed": {
			reason: "Nothing came of it.", external: "153",
			conditions: []Condition{
				condition("Ready", "False", "Creating", ""), condition("Synced", "False", "ReconcileError", "create failed"),
				condition("LastAsyncOperation", "False", "ApplyFailure", ""), condition("AsyncOperation", "True", "Finished", ""),
			},
		},
		"CreateTriedAgain": {
			reason: "A try that is under way may succeed with what was written before.", external: "153",
			conditions: []Condition{
				condition("Ready", "False", "Creating", ""), condition("LastAsyncOperation", "False", "ApplyFailure", ""),
				condition("AsyncOperation", "False", "Ongoing", ""),
			},
			want: want{MayExist: true},
		},
		"MadeAgain": {
			reason: "A VM that was there once, and cannot be made again, keeps what it was made from.", external: "153", id: "153",
			conditions: []Condition{
				condition("Ready", "False", "Creating", ""), condition("LastAsyncOperation", "False", "ApplyFailure", ""),
			},
			want: want{},
		},
		"Tainted": {
			reason: "Ready, out of sync: the VM is there.", external: "153",
			conditions: []Condition{
				condition("Ready", "True", "Available", ""), condition("Synced", "False", "ReconcileError", "Instance cannot be destroyed"),
				condition("LastAsyncOperation", "False", "ApplyFailure", ""),
			},
			want: want{MayExist: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := ObservedVM{}
			o.Metadata.Annotations = map[string]string{ExternalNameAnnotation: tc.external}
			o.Status.AtProvider.ID = tc.id
			o.Status.Conditions = tc.conditions

			if diff := cmp.Diff(tc.want, want{o.Found(), o.MayExist()}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
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
