package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
)

// A Condition of a machine, for its composite and its claim. Its message holds no time and no text of the provider, so
// the same state gives the same message.
type Condition struct {
	Type    string
	Status  metav1.ConditionStatus // "True", "False" or "Unknown".
	Reason  string
	Message string
}

// An Event is a transition that a person may want to see in `kubectl describe`.
type Event struct {
	Warning bool
	Reason  string
	Message string
}

// The types of conditions, in the order in which they are returned. Ready, Synced, Healthy, UpToDate and Responsive are
// not among them: Crossplane sets those itself and drops what a function says of them.
const (
	// TypeSpecValid says whether the current spec was understood. It is the one condition of a run that failed, and
	// the one by which Flux sees an update that failed.
	TypeSpecValid = "SpecValid"
	// TypeMachineReady says whether the VM runs, or is stopped, as requested.
	TypeMachineReady = "MachineReady"
	// TypeBootstrapCurrent says whether the VM was made with the bootstrap data that its claim describes now.
	TypeBootstrapCurrent = "BootstrapCurrent"
	// TypeReplacementRequired says whether the claim asks for what only a new VM can have.
	TypeReplacementRequired = "ReplacementRequired"
	// TypeRebootPending says whether changes wait for the VM to be stopped and started.
	TypeRebootPending = "RebootPending"
	// TypeVMIDInUse says whether somebody else has the VMID of the VM that is to be created or adopted.
	TypeVMIDInUse = "VMIDInUse"
	// TypeConverged says whether a NixOS machine converged to its flake when it last tried, as its guest reports it. Only machines with
	// spec.nix have it.
	TypeConverged = "Converged"
	// TypeProviderHealthy says whether the provider reports an error of any of the machine's managed resources.
	TypeProviderHealthy = "ProviderHealthy"
	// TypeNodeJoined says whether the VM is a node of its K3s cluster. It and the three below are there where the catalogue observes the
	// cluster, or did.
	TypeNodeJoined = "NodeJoined"
	// TypeNodeReady says whether the machine's Kubernetes Node is Ready.
	TypeNodeReady = "NodeReady"
	// TypeEtcdMember says whether a server's member of the embedded etcd votes.
	TypeEtcdMember = "EtcdMember"
	// TypeNodeDrained says whether the function has cordoned and drained the machine's Kubernetes Node.
	TypeNodeDrained = "NodeDrained"
	// TypeZoneLabelled says whether the machine's Kubernetes Node has the zone label of the Proxmox node that its VM is on. It is there where the
	// catalogue asks for the label, or did.
	TypeZoneLabelled = "ZoneLabelled"
	// TypeApproved says whether an edit waits for approval. It is there where the claim, or its catalogue, asks for approvals, or did.
	TypeApproved = "Approved"
	// TypeRolloutFinished says whether a machine of a group is finished, so that the next wave may begin. Only machines and containers with spec.rollout have it.
	TypeRolloutFinished = "RolloutFinished"
	// TypeHighlyAvailable says whether Proxmox's HA manager manages the VM. It is there where the claim asks for that, or did.
	TypeHighlyAvailable = "HighlyAvailable"
	// TypeFirewallApplied says whether the VM's own firewall in Proxmox is as claimed. Only machines with spec.firewall have it, and those that
	// had one until it is gone.
	TypeFirewallApplied = "FirewallApplied"
	// TypeDNSRecorded says whether external-dns knows the DNS record of the machine. Only machines with network.dnsRecord have it, and those that had one.
	TypeDNSRecorded = "DNSRecorded"
	// TypeSpreadBroken says whether the VM is on one node with that of a machine which it is kept apart from. It is there once they have met. A K3sCluster has
	// it, too, about its servers.
	TypeSpreadBroken = "SpreadBroken"
	// TypeVersionCurrent says whether the node runs the K3s release of its claim.
	TypeVersionCurrent = "VersionCurrent"
)

// Reasons of [TypeSpecValid]. ValidationFailed and ConfigurationError are reasons of [TypeProviderHealthy], too.
const (
	// ReasonValid: the spec was understood, and everything that it needs was rendered.
	ReasonValid = "Valid"
	// ReasonValidationFailed: the claim holds a value that cannot be, or the provider refuses one.
	ReasonValidationFailed = diagnose.ClassValidationFailed
	// ReasonConfigurationError: the claim is in order, and what it relies on is not: catalogue, Input, ProviderConfig,
	// datastore, image or template.
	ReasonConfigurationError = diagnose.ClassConfigurationError
	// ReasonInsufficientCapacity: no node of the site has room for a new VM, by the catalogue's inventory. Nothing is wrong with the claim.
	ReasonInsufficientCapacity = "InsufficientCapacity"
	// ReasonCatalogueEntryMissing: the VM keeps what it has of an entry that the catalogue lacks, or has with faults, and follows the
	// rest of the claim. Also a reason of [TypeBootstrapCurrent].
	ReasonCatalogueEntryMissing = "CatalogueEntryMissing"
)

// Reasons of [TypeMachineReady].
const (
	// ReasonRunning (True): the VM runs as asked, and its address is known where a guest agent can tell it.
	ReasonRunning = "Running"
	// ReasonStopped (True): the VM is stopped as asked. Of a Node (Unknown): so its kubelet does not run.
	ReasonStopped = "Stopped"
	// ReasonRecreated (True): the VM runs, or is stopped, as asked; the provider created it again, since it was gone from Proxmox.
	// Also a reason of an event.
	ReasonRecreated = "Recreated"
	// ReasonWaitingForToken: the VM is not made before the Secret with its K3s token is there.
	ReasonWaitingForToken = "WaitingForToken"
	// ReasonWaitingForSecret: the VM is not made before the Secrets with its files are there.
	ReasonWaitingForSecret = "WaitingForSecret"
	// ReasonWaitingForSnippets: the VM is not made before its cloud-init snippets are on the node.
	ReasonWaitingForSnippets = "WaitingForSnippets"
	// ReasonWaitingForImage: the VM is not made before its cloud image is on the node.
	ReasonWaitingForImage = "WaitingForImage"
	// ReasonReservingAddress: the VM is not made before its address of the site's pool is known to be no other machine's.
	ReasonReservingAddress = "ReservingAddress"
	// ReasonAddressPoolExhausted: the site's pool has no address left for the VM.
	ReasonAddressPoolExhausted = "AddressPoolExhausted"
	// ReasonClaimingAddress: the pool of Cluster API's IPAM has given no address for the VM yet.
	ReasonClaimingAddress = "ClaimingAddress"
	// ReasonAddressClaimsMissing: the API server does not serve IPAddressClaims.
	ReasonAddressClaimsMissing = "AddressClaimsMissing"
	// ReasonClaimedAddressUnfit: the pool of Cluster API's IPAM gave an address that the VM cannot have.
	ReasonClaimedAddressUnfit = "ClaimedAddressUnfit"
	// ReasonCreating: the provider makes the VM.
	ReasonCreating = "Creating"
	// ReasonStarting: the VM is there, and is to be started.
	ReasonStarting = "Starting"
	// ReasonStopping: the VM runs, and is to be stopped.
	ReasonStopping = "Stopping"
	// ReasonWaitingForAddress: the VM runs, and its guest agent has not reported an address of its interfaces yet.
	ReasonWaitingForAddress = "WaitingForAddress"
	// ReasonLookingAtVMID: the provider checks whether a VM has the machine's VMID.
	ReasonLookingAtVMID = "LookingAtVMID"
	// ReasonVMIDInUse: the number is another's, and no VM is made with it.
	ReasonVMIDInUse = "VMIDInUse"
	// ReasonAdoptionTargetMissing: there is no VM with the number of spec.adopt, and none is made.
	ReasonAdoptionTargetMissing = "AdoptionTargetMissing"
	// ReasonAdoptionTargetSilent: the VM of spec.adopt is there and cannot be read, since its guest agent does not answer.
	ReasonAdoptionTargetSilent = "AdoptionTargetSilent"
	// ReasonAdoptionTargetUnfit: the VM of spec.adopt is there, and the provider could not keep it as it is.
	ReasonAdoptionTargetUnfit = "AdoptionTargetUnfit"
	// ReasonWaitingForApproval: the VM of spec.adopt exists, and somebody has to approve what the adoption changes.
	ReasonWaitingForApproval = "WaitingForApproval"
	// ReasonAdoptionPlanChanged: spec.adopt.approve is not the plan of what the adoption would change now.
	ReasonAdoptionPlanChanged = "AdoptionPlanChanged"
	// ReasonAdopting: the provider adopts the VM of spec.adopt.
	ReasonAdopting = "Adopting"
	// ReasonRebooting: the VM is shut down and started again, as spec.lifecycle asks. Also a reason of [TypeRebootPending].
	ReasonRebooting = "Rebooting"
	// ReasonWaitingForDrain: the VM of a K3s node runs on, although the claim asks for an outage of it, until its Node is drained.
	ReasonWaitingForDrain = "WaitingForDrain"
	// ReasonWaitingForQuorum: the VM of a K3s server runs on, although the claim asks for an outage of it, since its cluster needs
	// it. Also a reason of [TypeRebootPending], and of an event.
	ReasonWaitingForQuorum = "WaitingForQuorum"
	// ReasonRunsCrossplane: the VM runs on, although the claim asks for an outage of it, since Crossplane runs on it and could not start it again. Also a
	// reason of [TypeRebootPending], of [TypeNodeDrained], and of an event.
	ReasonRunsCrossplane = "RunsCrossplane"
	// ReasonReplacing: the VM is stopped while a new one is made in its place. Also a reason of [TypeReplacementRequired],
	// where it says only that a new one is made.
	ReasonReplacing = "Replacing"
	// ReasonWaitingForProvider: the provider has not polled the VM again since it was paused. Also a reason of
	// [TypeProviderHealthy], which is Unknown until then.
	ReasonWaitingForProvider = "WaitingForProvider"
	// ReasonDeleting: somebody deleted the managed resource of the VM while its claim lives.
	ReasonDeleting = "Deleting"
)

// Reasons of [TypeBootstrapCurrent].
const (
	// ReasonCurrent (True): the VM was made, or will be made, with what the claim describes.
	ReasonCurrent = "Current"
	// ReasonNotFrozen (True): nothing of the VM's bootstrap is fixed when it is made.
	ReasonNotFrozen = "NotFrozen"
	// ReasonAdopted (True): the VM was made by somebody else, and nothing of its bootstrap is ours.
	ReasonAdopted = "Adopted"
	// ReasonBootstrapChanged (False): the claim describes other bootstrap data than the VM was made with.
	ReasonBootstrapChanged = "BootstrapChanged"
	// ReasonTokenChanged (True): the K3s token differs, which matters to a node only until it has joined.
	ReasonTokenChanged = "TokenChanged"
	// ReasonK3sVersionChanged (True): the release of K3s differs, and existing nodes are upgraded in their cluster.
	ReasonK3sVersionChanged = "K3sVersionChanged"
	// ReasonDataDisksChanged (True): file systems or mount paths of data disks differ, and a person sets them up in the guest.
	ReasonDataDisksChanged = "DataDisksChanged"
	// ReasonSecretChanged (True): a file from a Secret has another content, which reaches new VMs only.
	ReasonSecretChanged = "SecretChanged"
	// ReasonSecretMissing (Unknown): without the Secret of a file nobody can tell.
	ReasonSecretMissing = "SecretMissing"
	// ReasonTokenSecretMissing (Unknown): without the Secret of its K3s token nobody can tell.
	ReasonTokenSecretMissing = "TokenSecretMissing"
)

// Reasons of [TypeReplacementRequired].
const (
	// ReasonNotRequired (False): the VM can follow its claim.
	ReasonNotRequired = "NotRequired"
	// ReasonImmutableFieldChanged (True): the claim changes what a VM cannot change while it lives.
	ReasonImmutableFieldChanged = "ImmutableFieldChanged"
	// ReasonReplacementBlocked (True): spec.lifecycle.replace asks for a new VM, and something speaks against it.
	ReasonReplacementBlocked = "ReplacementBlocked"
)

// Reasons of [TypeRebootPending], beside [ReasonRebooting], [ReasonWaitingForQuorum] and [ReasonRunsCrossplane].
const (
	// ReasonNothingPending (False): the VM runs with all that was changed.
	ReasonNothingPending = "NothingPending"
	// ReasonChangesPending (True): changes take effect when the VM is next stopped and started.
	ReasonChangesPending = "ChangesPending"
)

// Reasons of [TypeVMIDInUse].
const (
	// ReasonNumberFree (False): nobody else is known to have the number.
	ReasonNumberFree = "NumberFree"
	// ReasonNumberAdopted (False): the VM that has the number is the machine's, or is to become it.
	ReasonNumberAdopted = "NumberAdopted"
	// ReasonNumberTaken (True): a VM in Proxmox has the number.
	ReasonNumberTaken = "NumberTaken"
	// ReasonNumberMadeBefore (True): a VM in Proxmox that was made for a claim of this kind, namespace and name has the number, and is not the claim's.
	ReasonNumberMadeBefore = "NumberMadeBefore"
	// ReasonNumberClaimed (True): another machine has the number, or asked for it first.
	ReasonNumberClaimed = "NumberClaimed"
	// ReasonLooking (Unknown): the provider has not answered yet.
	ReasonLooking = "Looking"
)

// Reasons of [TypeApproved], beside [ReasonWaitingForApproval]. WaitingForApproval and OtherPlan are reasons of events, too.
const (
	// ReasonNothingToApprove (True): no edit waits.
	ReasonNothingToApprove = "NothingToApprove"
	// ReasonPlanApproved (True): a plan is approved, and not finished.
	ReasonPlanApproved = "PlanApproved"
	// ReasonOtherPlan (False): an edit waits, and spec.lifecycle.approve names another plan.
	ReasonOtherPlan = "OtherPlan"
)

// Reasons of [TypeRolloutFinished]. WaitingForWave is a reason of [TypeRebootPending], of [TypeMachineReady] and of an event, too.
const (
	// ReasonFinished (True): the machine is as claim and catalogue describe it, and nothing waits.
	ReasonFinished = "Finished"
	// ReasonNoGroup (True): the claim names no group any more.
	ReasonNoGroup = "NoGroup"
	// ReasonNotFinished (False): something keeps the machine from being finished, beside other waves.
	ReasonNotFinished = "NotFinished"
	// ReasonWaitingForWave (False): the VM is to restart, to move or to be replaced, and waits for other machines of the group.
	ReasonWaitingForWave = "WaitingForWave"
	// ReasonRollingOut (False): it is the machine's turn.
	ReasonRollingOut = "RollingOut"
)

// Reasons of [TypeHighlyAvailable].
const (
	// ReasonHAManaged (True): the HA manager keeps the VM running, or stopped, as the claim asks.
	ReasonHAManaged = "HAManaged"
	// ReasonHAPending (False): the VM is not in HA yet.
	ReasonHAPending = "HAPending"
	// ReasonHASuspended (False): the HA manager ignores the VM while the provider stops it, or until the provider has started it again.
	ReasonHASuspended = "HASuspended"
	// ReasonHABlocked (False): the VM could not start on another node.
	ReasonHABlocked = "HABlocked"
	// ReasonHADisabled (False): the claim does not ask for HA any more.
	ReasonHADisabled = "HADisabled"
)

// Reasons of [TypeFirewallApplied].
const (
	// ReasonFiltering (True): the firewall drops what no rule accepts.
	ReasonFiltering = "Filtering"
	// ReasonOpen (True): the firewall is on, and has no rules: everything reaches the guest.
	ReasonOpen = "Open"
	// ReasonSwitchedOff (True): the firewall is off, as claimed.
	ReasonSwitchedOff = "SwitchedOff"
	// ReasonFirewallPending (False): the provider has not written all of it yet.
	ReasonFirewallPending = "FirewallPending"
	// ReasonFirewallDiffers (False): Proxmox has other options than were written, most likely since somebody changed them.
	ReasonFirewallDiffers = "FirewallDiffers"
	// ReasonFirewallHasRules (False): Proxmox has rules that the claim does not have, and the provider writes none.
	ReasonFirewallHasRules = "FirewallHasRules"
	// ReasonFirewallStands (False): it stays as it was last written, because something else has to happen first.
	ReasonFirewallStands = "FirewallStands"
	// ReasonNoFirewall (False): the claim has no firewall any more, and nothing is left of it.
	ReasonNoFirewall = "NoFirewall"
	// ReasonFirewallLeaving (False): the claim has no firewall any more, and the provider removes it.
	ReasonFirewallLeaving = "FirewallLeaving"
)

// Reasons of [TypeDNSRecorded].
const (
	// ReasonRecordRead (True): external-dns has read the record as it is now.
	ReasonRecordRead = "RecordRead"
	// ReasonNoRecord (True): the claim has no record any more.
	ReasonNoRecord = "NoRecord"
	// ReasonRecordWritten (False): the DNSEndpoint has the record, and external-dns has not read it yet.
	ReasonRecordWritten = "RecordWritten"
	// ReasonAddressUnknown (False): no address of the VM was ever known.
	ReasonAddressUnknown = "AddressUnknown"
	// ReasonDNSEndpointsMissing (False): the API server does not serve DNSEndpoints.
	ReasonDNSEndpointsMissing = "DNSEndpointsMissing"
)

// Reasons of [TypeSpreadBroken].
const (
	// ReasonOnOneNode (True): they are on one node, and another node has fewer of them.
	ReasonOnOneNode = "OnOneNode"
	// ReasonTooFewNodes (False): they are on one node, and no other node has fewer of them.
	ReasonTooFewNodes = "TooFewNodes"
	// ReasonApart (False): they were on one node, and are no more.
	ReasonApart = "Apart"
)

// Reasons of [TypeConverged].
const (
	// ReasonNoFlake (False): the claim has no flake any more.
	ReasonNoFlake = "NoFlake"
	// ReasonApplied (True): the machine runs and boots the revision that it reports.
	ReasonApplied = "Applied"
	// ReasonGuestRebootPending (True): the revision is applied, and the guest has to reboot to run all of it.
	ReasonGuestRebootPending = "GuestRebootPending"
	// ReasonHeld (False): a hold file in the guest keeps the machine as it is.
	ReasonHeld = "Held"
	// ReasonConvergenceFailed (False): the last run failed, and the machine runs what it ran before.
	ReasonConvergenceFailed = "ConvergenceFailed"
	// ReasonRolledBack (False): a revision was activated and rejected. Also a reason of an event.
	ReasonRolledBack = "RolledBack"
	// ReasonNotReported (Unknown): nothing is known. Also a reason of [TypeNodeJoined], and of [TypeEtcdMember]: K3s says nothing of a member.
	ReasonNotReported = "NotReported"
	// ReasonVMUnread (Unknown): the provider's last look at the VM failed, and with it what its guest reports. Also a reason of [TypeNodeJoined].
	ReasonVMUnread = "VMUnread"
)

// Reasons of [TypeProviderHealthy]: the classes of provider errors, beside [ReasonValidationFailed] and
// [ReasonConfigurationError].
const (
	// ReasonNoError (True): the provider reports no error.
	ReasonNoError = diagnose.ClassNoError
	// ReasonNetworkError: Proxmox, or a server with an image, cannot be reached.
	ReasonNetworkError = diagnose.ClassNetworkError
	// ReasonAuthenticationError: Proxmox or a node refuses the provider's credentials, or they lack a privilege.
	ReasonAuthenticationError = diagnose.ClassAuthenticationError
	// ReasonQuotaExceeded: a datastore or a node is full.
	ReasonQuotaExceeded = diagnose.ClassQuotaExceeded
	// ReasonNodeUnhealthy: a node, a datastore or the Proxmox cluster is not in working order.
	ReasonNodeUnhealthy = diagnose.ClassNodeUnhealthy
	// ReasonBusy: Proxmox or the provider is occupied with something else.
	ReasonBusy = diagnose.ClassBusy
	// ReasonImmutableChange: the managed resource differs from the VM in what cannot change.
	ReasonImmutableChange = diagnose.ClassImmutableChange
	// ReasonTainted: making the VM failed half way, and the provider touches it no more.
	ReasonTainted = diagnose.ClassTainted
	// ReasonRebootRequired: a change needs the VM to be stopped and started, which is never done by surprise.
	ReasonRebootRequired = diagnose.ClassRebootRequired
	// ReasonProtected: the VM is protected in Proxmox and cannot be deleted.
	ReasonProtected = diagnose.ClassProtected
	// ReasonPaused: somebody paused the managed resource.
	ReasonPaused = diagnose.ClassPaused
	// ReasonProviderError: any other error of the provider. Also a reason of [TypeMachineReady]: an error keeps the
	// machine from becoming ready.
	ReasonProviderError = diagnose.ClassProviderError
)

// Reasons of [TypeNodeJoined]. Joined, NodeGone and OtherMachine are reasons of events, too.
const (
	// ReasonJoined (True): there is a Node of the name, and it is this machine's.
	ReasonJoined = "Joined"
	// ReasonNotYet (False): there is no Node of the name.
	ReasonNotYet = "NotYet"
	// ReasonNodeGone (False): the node had joined, and its Node is gone.
	ReasonNodeGone = "NodeGone"
	// ReasonAddressInUse (False): the VM is not created, because another machine or container that runs has its address. A container neither.
	ReasonAddressInUse = "AddressInUse"
	// ReasonServersBehind (False): the VM of an agent is not created, because a server of its cluster runs an earlier minor release of Kubernetes.
	ReasonServersBehind = "ServersBehind"
	// ReasonOtherMachine (False): the Node of the name is not this machine's VM. Also a reason of [TypeMachineReady] while no VM is created for that reason.
	ReasonOtherMachine = "OtherMachine"
	// ReasonNodeRemoved (False): the Node of the VM that is replaced was deleted, so that the new VM can join.
	ReasonNodeRemoved = "NodeRemoved"
	// ReasonNodeUnread (Unknown): provider-kubernetes shows no Node; the message has the cause.
	ReasonNodeUnread = "NodeUnread"
	// ReasonReported (True): the guest reports that K3s has served, and nobody reads Nodes.
	ReasonReported = "Reported"
	// ReasonFailed (False): the guest reports that the last run of its bootstrap failed. Also a reason of an event.
	ReasonFailed = "Failed"
	// ReasonUnproven (Unknown): nobody can tell whose VM the Node is.
	ReasonUnproven = "Unproven"
	// ReasonNotObserved (Unknown): nobody reads the cluster's Nodes any more. Also a reason of the other three types.
	ReasonNotObserved = "NotObserved"
)

// Reasons of [TypeNodeDrained]. Draining, Drained, DrainUnfinished, DrainBlocked and UncordonFailed are reasons of events, too. Another reason
// is [ReasonWaitingForQuorum], or [ReasonRunsCrossplane].
const (
	// ReasonDraining (False): a Job cordons the Node and evicts its pods.
	ReasonDraining = "Draining"
	// ReasonDrained (True): the Node is cordoned, and its pods were evicted.
	ReasonDrained = "Drained"
	// ReasonDrainUnfinished (False): the Job failed, or was not in time.
	ReasonDrainUnfinished = "DrainUnfinished"
	// ReasonDrainBlocked (False): a drain, or an uncordon, is asked for and cannot begin.
	ReasonDrainBlocked = "DrainBlocked"
	// ReasonUncordoning (False): a Job uncordons the Node.
	ReasonUncordoning = "Uncordoning"
	// ReasonUncordonFailed (False): that Job failed.
	ReasonUncordonFailed = "UncordonFailed"
	// ReasonNotDrained (False): the function keeps no pods off the Node any more.
	ReasonNotDrained = "NotDrained"
)

// Reasons of [TypeZoneLabelled]. ZoneUnwritten and OtherZone are reasons of events, too. Another reason is [ReasonNoNode].
const (
	// ReasonLabelled (True): the Node has the label of the Proxmox node that its VM is on.
	ReasonLabelled = "Labelled"
	// ReasonZonePending (False): provider-kubernetes has not written the label yet.
	ReasonZonePending = "ZonePending"
	// ReasonZoneUnwritten (False): provider-kubernetes cannot write the label.
	ReasonZoneUnwritten = "ZoneUnwritten"
	// ReasonOtherZone (False): somebody else wrote another label.
	ReasonOtherZone = "OtherZone"
	// ReasonZoneClaimed (False): the claim itself labels the Node.
	ReasonZoneClaimed = "ZoneClaimed"
	// ReasonZoneUnasked (Unknown): the catalogue does not ask for the label any more.
	ReasonZoneUnasked = "ZoneUnasked"
)

// Reasons of [TypeNodeReady].
const (
	// ReasonKubeletReady (True): the Node is Ready.
	ReasonKubeletReady = "KubeletReady"
	// ReasonKubeletNotReady (False): its kubelet says that it is not. Also a reason of an event.
	ReasonKubeletNotReady = "KubeletNotReady"
	// ReasonKubeletSilent (Unknown): its kubelet does not report. Also a reason of an event.
	ReasonKubeletSilent = "KubeletSilent"
	// ReasonNoNode (Unknown): there is no Node that is known to be this machine's. Also a reason of [TypeEtcdMember] and
	// [TypeVersionCurrent].
	ReasonNoNode = "NoNode"
)

// Reasons of [TypeEtcdMember].
const (
	// ReasonVoter (True): the member votes.
	ReasonVoter = "Voter"
	// ReasonLearner (False): the member copies the data, and does not vote yet.
	ReasonLearner = "Learner"
	// ReasonNotAMember (False): K3s says that the server has no member, or an unhealthy one. Also a reason of an event.
	ReasonNotAMember = "NotAMember"
)

// Reasons of [TypeVersionCurrent].
const (
	// ReasonSameVersion (True): the node runs the release of the claim, or the claim has none.
	ReasonSameVersion = "SameVersion"
	// ReasonOtherVersion (False): the node runs another release than the claim's.
	ReasonOtherVersion = "OtherVersion"
	// ReasonWaitingForTurn (False): system-upgrade-controller is to upgrade the node, and others have their turn before.
	ReasonWaitingForTurn = "WaitingForTurn"
	// ReasonUpgrading (False): system-upgrade-controller upgrades the node. Also a reason of an event.
	ReasonUpgrading = "Upgrading"
	// ReasonUpgradeBlocked (False): the upgrade waits for a person. Also a reason of an event.
	ReasonUpgradeBlocked = "UpgradeBlocked"
	// ReasonUpgradeRefused (False): the claim asks for a release that no node can be upgraded to in place. Also a reason of an event.
	ReasonUpgradeRefused = "UpgradeRefused"
)

// Reasons of events. Those about a condition have its type or its reason for theirs: docs/conditions.md lists them.
const (
	// EventVMCreated: the VM has a number in Proxmox.
	EventVMCreated = "VMCreated"
	// EventVMAdopted: a VM that somebody else made is the machine's now.
	EventVMAdopted = "VMAdopted"
	// EventBecameReady: the machine became ready, for the first time or after a start.
	EventBecameReady = "BecameReady"
	// EventReplaced: a new VM took the place of the old one.
	EventReplaced = "Replaced"
	// EventReplacementTakenBack: the old VM stays, since its replacement is no longer asked for.
	EventReplacementTakenBack = "ReplacementTakenBack"
	// EventSpecWarning: the spec is valid, and a field of it does not do what the person probably expects.
	EventSpecWarning = "SpecWarning"
	// EventProviderRecovered: the provider reports no error any more.
	EventProviderRecovered = "ProviderRecovered"
)

// Truth is the status of a condition that is a plain yes or no.
func Truth(yes bool) metav1.ConditionStatus {
	if yes {
		return metav1.ConditionTrue
	}

	return metav1.ConditionFalse
}

// condition of a type; zero where there is none.
func (o Output) condition(typ string) Condition {
	for _, c := range o.Conditions {
		if c.Type == typ {
			return c
		}
	}

	return Condition{}
}
