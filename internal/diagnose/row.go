package diagnose

import (
	"regexp"
	"slices"
)

// The classes of errors are the reasons of the machine's condition ProviderHealthy.
const (
	// ClassNoError: there is no error.
	ClassNoError = "NoError"
	// ClassValidationFailed: the provider or Proxmox refuses a value.
	ClassValidationFailed = "ValidationFailed"
	// ClassConfigurationError: something that the claim depends on is missing or wrong: ProviderConfig, datastore, image, template, node.
	ClassConfigurationError = "ConfigurationError"
	// ClassNetworkError: the provider cannot reach Proxmox, or a node cannot reach the server of an image.
	ClassNetworkError = "NetworkError"
	// ClassAuthenticationError: Proxmox or a node refuses the provider's credentials, or the credentials lack a privilege.
	ClassAuthenticationError = "AuthenticationError"
	// ClassQuotaExceeded: a datastore or a node is full.
	ClassQuotaExceeded = "QuotaExceeded"
	// ClassNodeUnhealthy: a node, a datastore or the Proxmox cluster does not work.
	ClassNodeUnhealthy = "NodeUnhealthy"
	// ClassBusy: Proxmox or the provider is busy with another task.
	ClassBusy = "Busy"
	// ClassImmutableChange: the managed resource differs from the VM in a field that cannot change.
	ClassImmutableChange = "ImmutableChange"
	// ClassTainted: creating the VM failed halfway, and the provider does not change the VM any more.
	ClassTainted = "Tainted"
	// ClassRebootRequired: a change needs a power cycle, and nobody requested one.
	ClassRebootRequired = "RebootRequired"
	// ClassProtected: the VM has Proxmox's protection flag and cannot be deleted.
	ClassProtected = "Protected"
	// ClassPaused: somebody paused the managed resource.
	ClassPaused = "Paused"
	// ClassProviderError: any other error.
	ClassProviderError = "ProviderError"
)

// A Row of the table of provider errors.
type Row struct {
	// Name identifies the row in annotations, tests and documents, for instance storage.missing.
	Name string
	// Class is one of the Class constants; with ClassNoError the message is not an error.
	Class string
	// Meaning is a sentence that describes the error. Remedy is one or more sentences that say what the user can do. <vmId>,
	// <node>, <site>, <image>, <machine>, <namespace> and <resource> are replaced by the machine's values.
	Meaning, Remedy string
	// Retryable errors may pass without an action of the user.
	Retryable bool
	// Pauses is true for errors that only an edit of claim or catalogue can fix, so that endless retries are useless or harmful.
	Pauses bool
	// Paused is true if the managed resource is paused for this error now. The table never sets it; [Of] does.
	Paused bool

	// text matches condition Synced, as "Reason: message". For a resource that is synced but not ready, text matches the
	// message of condition LastAsyncOperation. A message may echo whole files, so a row with such messages stands before all
	// rows that the content of such a file could match.
	text *regexp.Regexp
	// after, if not nil, must also match the message of condition LastAsyncOperation.
	after *regexp.Regexp
}

// Patterns returns the regular expressions of a row: text matches condition Synced, as "Reason: message", and after, if not
// empty, must also match the message of condition LastAsyncOperation. Both are empty for the row of all other errors.
func (r Row) Patterns() (text, after string) {
	if r.text != nil {
		text = r.text.String()
	}

	if r.after != nil {
		after = r.after.String()
	}

	return text, after
}

// Rows returns the whole table in matching order. The last row is for all other errors.
func Rows() []Row { return append(slices.Clone(rows), other) }

// Named returns the row with a name.
func Named(name string) (Row, bool) {
	all := Rows()

	i := slices.IndexFunc(all, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{}, false
	}

	return all[i], true
}

// other is the row for all errors that no other row matches.
var other = Row{ //nolint:gochecknoglobals // A constant table.
	Name:    "other",
	Class:   ClassProviderError,
	Meaning: "The provider reports an error that is not in the table of docs/errors.md.",
	Remedy: "This message does not repeat the provider's text, because it may contain secrets. Read it with `kubectl get " +
		"<resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> -o yaml`, and please report its first line, " +
		"without secrets.",
	Retryable: true,
}
