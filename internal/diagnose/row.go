package diagnose

import (
	"regexp"
	"slices"
)

// The classes of errors. They are reasons of the machine's condition ProviderHealthy.
const (
	// ClassNoError: nothing is wrong.
	ClassNoError = "NoError"
	// ClassValidationFailed: the provider or Proxmox refuses a value.
	ClassValidationFailed = "ValidationFailed"
	// ClassConfigurationError: what the claim relies on is not as it should be: ProviderConfig, datastore, image, template, node.
	ClassConfigurationError = "ConfigurationError"
	// ClassNetworkError: Proxmox, or a server with an image, cannot be reached.
	ClassNetworkError = "NetworkError"
	// ClassAuthenticationError: Proxmox or a node refuses the provider's credentials, or they lack a privilege.
	ClassAuthenticationError = "AuthenticationError"
	// ClassQuotaExceeded: a datastore or a node is full.
	ClassQuotaExceeded = "QuotaExceeded"
	// ClassNodeUnhealthy: a node, a datastore or the Proxmox cluster is not in working order.
	ClassNodeUnhealthy = "NodeUnhealthy"
	// ClassBusy: Proxmox or the provider is occupied with something else.
	ClassBusy = "Busy"
	// ClassImmutableChange: the managed resource differs from the VM in what cannot change.
	ClassImmutableChange = "ImmutableChange"
	// ClassTainted: making the VM failed half way, and the provider touches it no more.
	ClassTainted = "Tainted"
	// ClassRebootRequired: a change needs the VM to be stopped and started, which is never done by surprise.
	ClassRebootRequired = "RebootRequired"
	// ClassProtected: the VM is protected in Proxmox and cannot be deleted.
	ClassProtected = "Protected"
	// ClassPaused: somebody paused the managed resource.
	ClassPaused = "Paused"
	// ClassProviderError: any other error.
	ClassProviderError = "ProviderError"
)

// A Row of the table of provider errors.
type Row struct {
	// Name of the row in annotations, tests and documents, for instance storage.missing.
	Name string
	// Class is one of the Class constants; ClassNoError says that nothing is wrong.
	Class string
	// Meaning is a sentence about what is wrong, Remedy one or more about what a person can do. <vmId>, <node>, <site>,
	// <image>, <machine>, <namespace> and <resource> stand for the machine's own.
	Meaning, Remedy string
	// Retryable says that it may pass without anybody doing anything.
	Retryable bool
	// Pauses says that neither another try nor anything that is put right outside of claim and catalogue can end the error,
	// so trying for ever is of no use, or does harm.
	Pauses bool
	// Paused says that the managed resource is paused for this error now. It is no part of the table: [Of] sets it.
	Paused bool

	// text matches what condition Synced says, as "Reason: message", or, where only that explains a resource that is not
	// ready, the message of condition LastAsyncOperation. A message may echo whole files, so a row whose error does so
	// stands before all rows that such a file could match.
	text *regexp.Regexp
	// after, if any, must match the message of condition LastAsyncOperation as well.
	after *regexp.Regexp
}

// Patterns are the regular expressions by which a row is told: text matches what condition Synced says, as "Reason:
// message", and after, if it is not empty, what condition LastAsyncOperation says beside it. Both are empty for the row of
// all other errors.
func (r Row) Patterns() (text, after string) {
	if r.text != nil {
		text = r.text.String()
	}

	if r.after != nil {
		after = r.after.String()
	}

	return text, after
}

// Rows is the whole table, in the order in which it is matched. The last row is that of all other errors.
func Rows() []Row { return append(slices.Clone(rows), other) }

// Named is the row of a name.
func Named(name string) (Row, bool) {
	all := Rows()

	i := slices.IndexFunc(all, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{}, false
	}

	return all[i], true
}

// other is the row of all errors that no other row knows.
var other = Row{ //nolint:gochecknoglobals // A constant table.
	Name:    "other",
	Class:   ClassProviderError,
	Meaning: "The provider reports an error that is not in the table of docs/conditions.md.",
	Remedy: "Its text may hold secrets and is not repeated here; read it with `kubectl get <resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> -o " +
		"yaml`, and please tell us its first line without them.",
	Retryable: true,
}
