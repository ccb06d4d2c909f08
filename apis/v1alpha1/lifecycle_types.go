package v1alpha1

// A RebootPolicy says when the provider may power-cycle a VM for changes that need a power cycle.
//
// +kubebuilder:validation:Enum=OnRequest;WhenNeeded
type RebootPolicy string

// The reboot policies.
const (
	RebootOnRequest  RebootPolicy = "OnRequest"
	RebootWhenNeeded RebootPolicy = "WhenNeeded"
)

// An Approval says which edits of a claim, or of its catalogue, wait until somebody approves what they do to an existing VM.
//
// +kubebuilder:validation:Enum=Never;OnRisk;Always
type Approval string

// The approvals.
const (
	ApprovalNever  Approval = "Never"
	ApprovalOnRisk Approval = "OnRisk"
	ApprovalAlways Approval = "Always"
)

// A MachineRollout makes a machine, or a container, one of a group whose members restart in waves.
type MachineRollout struct {
	// group names the group: all claims of the same kind, Machine, K3sNode or Container, in the same namespace whose rollout has this group. Changing it
	// does not change the VM or the container.
	// Example: edge
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')`,message="must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"
	Group string `json:"group"`

	// wave is the place in the group, from 1 to 100. Members of one wave restart at the same time; K3s servers of one cluster still
	// one by one. A wave begins when every member of every lower wave is finished: ready, with the current claim and catalogue, and with nothing that
	// waits. A wave that no member has counts as finished. Changing it does not change the VM or the container.
	// Example: 2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Wave int64 `json:"wave"`

	// revision names the commit that the claim is part of, in your own words: a date, a Git tag, a variable that Flux substitutes. A member with a
	// revision does not begin a restart, a replacement or a move before every member of every lower wave has the same revision, and is finished
	// with it. Set it if one commit edits the claims of several waves, because claims do not arrive in the cluster at the same moment. Give all
	// members of the group the same revision, and a new one with each such commit: revisions are equal or not, and none is newer than another.
	// Default: none; it then waits for what lower waves are known to have to do. Setting, changing and removing it does not change the
	// VM or the container, and asks for no approval.
	// Example: 2026-11-23
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$')`,message="must hold only letters, digits and . _ : / @ + -, and start with a letter or a digit, such as 2026-11-23"
	Revision string `json:"revision,omitempty"`
}

// A WaveState says how far a machine of a group is.
type WaveState string

// The states of a machine of a group.
const (
	// WaveFinished: the machine is as claim and catalogue describe it, and nothing waits.
	WaveFinished WaveState = "Finished"
	// WaveUnfinished: something keeps the machine from being finished, and nothing of it waits for a lower wave.
	WaveUnfinished WaveState = "Unfinished"
	// WaveWaiting: the machine waits for others of its group.
	WaveWaiting WaveState = "Waiting"
	// WaveAnnounced: it is the machine's turn, and it announces that to the others before it begins.
	WaveAnnounced WaveState = "Announced"
	// WaveBegun: the VM restarts, moves or is replaced, and is not back.
	WaveBegun WaveState = "Begun"
)

// A Lifecycle requests actions on an existing VM. The fields replace, reboot and retry are triggers: set a new value, such as
// today's date, to trigger the action once. Reused values, and removing a value, do nothing, so a revert in Git repeats nothing.
// The field drain differs: its value holds a node cordoned for as long as it stands.
type Lifecycle struct {
	// replace triggers the replacement of the VM by a new VM, created from the current claim. The new VM starts with empty data
	// disks. When it is ready, the old VM is removed according to deletionPolicy: Delete destroys it with all its disks, data
	// disks included; Orphan leaves it in Proxmox, stopped. If the two VMs cannot run side by side (fixed address or MAC
	// address, devices of the node, K3s), the old VM is stopped before the new VM is created. To cancel, remove the value before
	// the new VM is ready: the old VM starts again. A K3s server is not replaced while its cluster needs it for quorum, nor before
	// the new VM of another replaced server has joined: joined.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(?i)(true|false|yes|no|on|off)$')`,message="acts once for each new value: set a new value, such as today's date in quotes, \"2026-11-20\""
	Replace string `json:"replace,omitempty"`

	// reboot triggers one power cycle of the VM: the provider shuts the VM down, or switches it off if it has no guest agent, and
	// starts it again at once; waiting changes take effect. A K3s server waits until the other servers of its cluster have
	// quorum and none of them restarts.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(?i)(true|false|yes|no|on|off)$')`,message="acts once for each new value: set a new value, such as today's date in quotes, \"2026-11-20\""
	Reboot string `json:"reboot,omitempty"`

	// rebootPolicy says when changes that need a power cycle take effect. OnRequest waits for reboot, or for a power cycle in
	// Proxmox. WhenNeeded power-cycles the VM as soon as there is such a change. You can change it at any time: WhenNeeded
	// restarts the VM at once if changes already wait.
	// +optional
	// +kubebuilder:default=OnRequest
	RebootPolicy RebootPolicy `json:"rebootPolicy,omitempty"`

	// approval says which edits, of the claim or of the catalogue, wait for approve. OnRisk: an edit that would power-cycle, stop, move or
	// replace the VM, or of which a change would be refused. Always: every edit that changes the VM. Never: none. An edit waits as a whole, and
	// status.plan says what it does; meanwhile the VM keeps what it has. A new VM, the deletion of the claim and an adoption, which adopt.approve
	// approves, never wait. You can change it at any time. The catalogue can have another default: defaults.approval. It does not apply to
	// the nodes of a K3sCluster. Default: Never.
	// Example: OnRisk
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// approve approves the plan that waits: read status.plan, then copy status.plan.hash here. It approves this plan only, and once: if the
	// claim, the catalogue or the VM changes what would be done, the new plan needs a new approval. `kubectl machine plan` shows the hash
	// before you commit the edit, so that one commit can have both. Any other value, and a removed one, does nothing.
	// Example: "d19a0c71d2"
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9a-f]{10}$')`,message="must be the value of status.plan.hash: ten digits and letters from a to f"
	Approve string `json:"approve,omitempty"`

	// joined confirms that a replaced K3s server has joined its cluster: the value of replace that led to its VM. Write it when
	// `kubectl get nodes` shows the node Ready, because the function sees VMs and not nodes. Until then the server does not count
	// for quorum, and no other server of the cluster is replaced. Other values do nothing, and neither does it change the VM.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	Joined string `json:"joined,omitempty"`

	// force triggers the restart, stop, migration or replacement of a K3s server that waits for the quorum of its cluster: it
	// begins although the cluster may stop working. Set it together with, or after, the change that waits; a value that finds
	// nothing to begin is used up. To shut a whole cluster down, set power to Stopped and force in the claims of all servers.
	// It also stops a VM on which Crossplane runs, which nobody but you can start again then.
	// A new VM is made although another machine that runs has its address.
	// The only server of a cluster is not replaced with force, either.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(?i)(true|false|yes|no|on|off)$')`,message="acts once for each new value: set a new value, such as today's date in quotes, \"2026-11-20\""
	Force string `json:"force,omitempty"`

	// drain triggers the drain of a K3s node: a Job cordons the Kubernetes Node and evicts its pods, within the time limit of the
	// cluster's entry in the catalogue, once for each new value. The node stays cordoned while the value stands. To uncordon the node,
	// remove the value; a node that was cordoned before stays cordoned. A server waits until no other server of its cluster is drained
	// or away. A VM that is created while the value stands is not drained. The cluster needs providerConfig and observe in the catalogue.
	// Example: "2026-11-20"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2026-11-20"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(?i)(true|false|yes|no|on|off)$')`,message="acts once for each new value: set a new value, such as today's date in quotes, \"2026-11-20\""
	Drain string `json:"drain,omitempty"`

	// retry lifts the pause of managed resources that the function paused because of an error. Any other edit of the claim
	// lifts it too.
	// Example: "2"
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9][A-Za-z0-9._-]*$')`,message="must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as 2"
	// +kubebuilder:validation:XValidation:rule=`!self.matches(r'^(?i)(true|false|yes|no|on|off)$')`,message="acts once for each new value: set a new value, such as today's date in quotes, \"2026-11-20\""
	Retry string `json:"retry,omitempty"`

	// lost names a Proxmox node that does not come back, and is your word that the machine's VM on it is off for good: the node is without
	// power, or it will never start this VM again. While the provider cannot read the VM there, the function needs nothing of it: replace creates
	// the new VM on another node without waiting for the old VM to stop, and the managed resources of the old VM go without a change in
	// Proxmox, whatever deletionPolicy says. No new VM of the machine is created on this node. It does not replace the VM by itself, and has no
	// effect on a VM on another node, or on one that the provider can read. Two running VMs with one address, or one member of etcd, are worse
	// than a missing VM: docs/day-two.md has the steps.
	// Example: pve2
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$')`,message="must be the name of a Proxmox node: letters, digits and hyphens, such as pve"
	Lost string `json:"lost,omitempty"`
}

// An Adopt names an existing VM in Proxmox.
type Adopt struct {
	// vmId is the VMID of the VM, 100 to 999999999. The function finds the VM's node. You can change it until the adoption.
	// Example: 108
	// +required
	// +kubebuilder:validation:Minimum=100
	// +kubebuilder:validation:Maximum=999999999
	VMID int64 `json:"vmId"`

	// approve approves the adoption: read status.adoption, then copy status.adoption.plan here. If the plan changes meanwhile,
	// because the VM or the claim changed, the new plan needs a new approval.
	// Example: "3f9a0c71d2"
	// +optional
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[0-9a-f]{10}$')`,message="must be the value of status.adoption.plan: ten digits and letters from a to f"
	Approve string `json:"approve,omitempty"`
}
