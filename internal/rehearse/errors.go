package rehearse

import "github.com/homelab-io/function-proxmox-machine/internal/diagnose"

// unplannable is what the provider says of a VM that it would have to make anew.
const unplannable = "observe failed: cannot run plan: plan failed: Instance cannot be destroyed: Resource proxmox_virtual_environment_vm.x has " +
	"lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed."

// A providerError is what the provider says: the message of condition Synced, and of LastAsyncOperation where that failed before. Its class is as people read
// it: that of docs/errors.md, with the row where the class has rows of several kinds and this is not the first of them.
type providerError struct{ class, message, last string }

// errorsOf are what the provider says of a managed resource, one for each kind of errors that it can make: rows of docs/errors.md are of one kind if class and
// last column are the same.
var errorsOf = []providerError{ //nolint:gochecknoglobals // A constant table.
	{diagnose.ClassAuthenticationError, "observe failed: cannot run refresh: refresh failed: error retrieving VM: received an HTTP 401 response - Reason: authentication failure: ", ""},
	{diagnose.ClassBusy, "observe failed: cannot run refresh: refresh failed: error retrieving VM: received an HTTP 500 response - Reason: got timeout: ", ""},
	{diagnose.ClassConfigurationError, `connect failed: cannot get terraform setup: cannot get credentials secret: Secret "x" not found`, ""},
	{diagnose.ClassConfigurationError + " (image.missing)", "update failed: apply failed: error updating VM: cannot import from 'local:import/x.raw'", ""},
	{diagnose.ClassConfigurationError + " (vmid.taken)", "create failed: apply failed: error creating VM: VM 100 already exists on node 'pve'", ""},
	{diagnose.ClassImmutableChange, unplannable, ""},
	{diagnose.ClassNetworkError, "observe failed: cannot run refresh: refresh failed: error retrieving VM: received an HTTP 502 response - Reason: Bad Gateway: ", ""},
	{diagnose.ClassNodeUnhealthy, "update failed: apply failed: error updating VM: received an HTTP 500 response - Reason: cluster not ready - no quorum?: ", ""},
	{diagnose.ClassNodeUnhealthy + " (ha.error)", "update failed: apply failed: service 'vm:100' in error state, must be disabled and fixed first", ""},
	{diagnose.ClassProtected, "update failed: apply failed: error updating VM: received an HTTP 500 response - Reason: protection mode enabled: ", ""},
	{diagnose.ClassProviderError, "update failed: apply failed: something that nobody has seen before", ""},
	{diagnose.ClassProviderError + " (agent.timeout)", "observe failed: cannot run refresh: refresh failed: ", ""},
	{diagnose.ClassQuotaExceeded, "update failed: apply failed: VM start failed to complete with exit code: start failed: Cannot allocate memory: ", ""},
	{diagnose.ClassRebootRequired, "update failed: apply failed: reboot required, but automatic power-offs/reboots are disabled: ", ""},
	{diagnose.ClassRebootRequired + " (reboot.resize)", "update failed: apply failed: cannot resize disks while", ""},
	{diagnose.ClassTainted, unplannable, "apply failed: VM start: task failed: "},
	{diagnose.ClassValidationFailed, "update failed: apply failed: error updating VM: received an HTTP 400 response - Reason: Parameter verification failed. " +
		"(cores: value must have a maximum value of 128): ", ""},
	{diagnose.ClassValidationFailed + " (render.template)", "update failed: apply failed: Invalid reference: A reference to a resource type must be followed by an attribute", ""},
}
