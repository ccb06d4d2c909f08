package proxmox

// The types of conditions of managed resources. Crossplane's runtime sets the first two, the provider the others.
const (
	ConditionReady  = "Ready"
	ConditionSynced = "Synced"
	// ConditionAsync is False with [ReasonOngoing] while Terraform works on the resource.
	ConditionAsync = "AsyncOperation"
	// ConditionLastAsync is the outcome of the last such work. It can stay False long after all is well, so it explains a
	// failure and never means one.
	ConditionLastAsync = "LastAsyncOperation"
)

// The reasons of these conditions.
const (
	// ReasonError: the last reconciliation failed, of condition Synced.
	ReasonError = "ReconcileError"
	// ReasonPaused: somebody paused the resource, of condition Synced.
	ReasonPaused = "ReconcilePaused"
	// ReasonCreating: the provider creates the resource, or failed to, of condition Ready.
	ReasonCreating = "Creating"
	// ReasonDeleting: the resource is being deleted, of condition Ready.
	ReasonDeleting = "Deleting"
	// ReasonOngoing: Terraform works on the resource, of condition AsyncOperation.
	ReasonOngoing = "Ongoing"
)

// IsTrue says whether a condition is there, and True.
func (c Condition) IsTrue() bool { return c.Status == "True" }

// IsFalse says whether a condition is there, and False.
func (c Condition) IsFalse() bool { return c.Status == "False" }
