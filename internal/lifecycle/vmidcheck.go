package lifecycle

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An Outcome is what the check of a VMID found.
type Outcome string

// The outcomes of a check.
const (
	// OutcomeChecking: the provider has not answered yet.
	OutcomeChecking Outcome = "Checking"
	// OutcomeConfirming: no VM had the VMID before, and the provider has not answered the last question yet. Adoption has no such outcome.
	OutcomeConfirming Outcome = "Confirming"
	// OutcomeFree: no VM has the VMID.
	OutcomeFree Outcome = "Free"
	// OutcomeTaken: a VM has the VMID.
	OutcomeTaken Outcome = "Taken"
	// OutcomeOwn: a VM that was made for the claim, by its notes, has the VMID, and the machine has no VM. Another VM beside it would have its name and address.
	OutcomeOwn Outcome = "Own"
	// OutcomeSilent: a VM has the VMID, and cannot be read, since the provider waits for its guest agent.
	OutcomeSilent Outcome = "Silent"
	// OutcomeUnreadable: a VM or a container has the VMID, and cannot be read for another reason, which the provider says.
	OutcomeUnreadable Outcome = "Unreadable"
	// OutcomeUnclear: something has the VMID that cannot be read now, and may be the machine's own VM, whose managed resource is gone.
	OutcomeUnclear Outcome = "Unclear"
	// OutcomeLeftBehind: a VM has the VMID whose managed resource was the machine's and is nobody's now, and the provider goes on with it.
	OutcomeLeftBehind Outcome = "LeftBehind"
	// OutcomeContainer: Proxmox refused to create the VM, since a container has the VMID, or something else that is no VM.
	OutcomeContainer Outcome = "Container"
	// OutcomeClaimed: another claim uses the VMID.
	OutcomeClaimed Outcome = "Claimed"
	// OutcomeRequested: another claim was first to ask for the VMID, and has no VM with it yet.
	OutcomeRequested Outcome = "Requested"
)

// InUse says whether something has a VMID, so that no VM may be made with it.
func (o Outcome) InUse() bool {
	return o == OutcomeTaken || o == OutcomeOwn || o == OutcomeLeftBehind || o == OutcomeSilent || o == OutcomeUnreadable || o == OutcomeUnclear ||
		o == OutcomeContainer || o.Claimed()
}

// Claimed says whether another claim keeps a VMID from being used.
func (o Outcome) Claimed() bool { return o == OutcomeClaimed || o == OutcomeRequested }

// PassedOver says whether a search through a range goes on behind a VMID.
func (o Outcome) PassedOver() bool {
	return o.InUse() && o != OutcomeOwn && o != OutcomeLeftBehind && o != OutcomeUnclear
}

// A VMIDCheck is the check of a VMID before a VM is made with it.
type VMIDCheck struct {
	VMID    int64
	Outcome Outcome
	// Asked says whether the outcome is that of the last question, which is put when nothing but the VMID is left to know.
	Asked bool
	// Name of who has it. Taken: the VM's name in Proxmox. Claimed, Requested: the other machine, as namespace/name, or AnotherClaim. LeftBehind: the managed
	// resource, as kubectl names it.
	Name string
	Node string // Taken, LeftBehind: the VM's node.
	// Withheld says that the claim may not adopt what has the VMID, and is not told what it is.
	Withheld bool
	// Next is the VMID that is checked next; 0 where there is none, since the claim says the VMID or the range is used up.
	Next int64
}

// CheckedVMID is the VMID that a VM is checked for; 0 where it is not checked. The external name and the parameters say the
// same VMID, since the one tells what the provider looks for, and the other makes its answer one to this question.
func CheckedVMID(vm proxmox.ObservedVM) int64 {
	p := vm.Spec.ForProvider
	if !vm.ObserveOnly() || p.VMID == nil || vm.Metadata.ExternalName() != proxmox.ImportName(p.NodeName, *p.VMID) {
		return 0
	}

	return *p.VMID
}

// VMIDToCompare is the VMID for which other machines' VMs have to be known before anything is decided; 0 where none is
// needed, since the described VM lives or Proxmox chooses its VMID.
func VMIDToCompare(r Request) int64 {
	name := r.Roles.Described()
	if Lives(r.Observed.VMs, name) {
		return 0
	}

	return cmp.Or(CheckedVMID(r.Observed.VMs[name]), r.VMID.VMID)
}

// A vmidQuestion is what the check of a VMID rests on.
type vmidQuestion struct {
	vm     proxmox.ObservedVM // The described VM.
	state  State
	wanted VMID
	owner  Owner
	// vms and containers, of any machine, have the VMID that is checked.
	vms        []proxmox.ObservedVM
	containers []proxmox.ObservedContainer
	left       []proxmox.ObservedVM // See [Request].
	identity   machine.Identity
	intent     string // See [Request].
	replaced   int64  // VMID of the VM that the described VM replaces; 0 where it replaces none.
	lost       string // The Proxmox node that does not come back, as the claim says.
}

// vmidQuestionOf a described VM.
func vmidQuestionOf(r *Request, vm proxmox.ObservedVM, state State) vmidQuestion {
	return vmidQuestion{
		vm: vm, state: state, wanted: r.VMID, owner: r.Owner, vms: r.SameVMID, containers: r.SameVMIDContainers, left: r.LeftBehind,
		identity: r.Machine.Identity, intent: r.Intent, replaced: activeVMID(r.Roles, r.Observed.VMs),
		lost: r.Machine.Lifecycle.Lost,
	}
}

// checkVMID is what is known of the VMID that a new VM is to have; nil where Proxmox chooses, and where the provider tried to
// create the VM with this VMID before.
//
// The provider silently adopts an existing VM that has the VMID: it resizes it, starts it, and destroys it with the claim.
// So a VMID is only used once the provider, which may only observe meanwhile, says that it finds no VM.
func (q vmidQuestion) checkVMID() *VMIDCheck {
	if left := q.leftBehind(); left != nil {
		return left
	}

	id := q.wanted.VMID
	if id == 0 {
		return q.ownBefore()
	}

	if q.state == StateFailed && proxmox.VMIDOf(q.vm) == id && !diagnose.VMIDTaken(q.vm) {
		return nil
	}

	// What was found out is about the VMID before this one, and worth telling.
	if q.wanted.Tried != 0 {
		out := q.look(q.wanted.Tried)
		out.Next = id

		return &out
	}

	out := q.look(id)

	return &out
}

// ownBefore is the check of a VMID that the machine had, where Proxmox is to choose another one: a VM that was made for the claim has it, such as a clone
// of the machine's VM, or the VM itself whose managed resource is gone, and a second VM beside it would have its address. Nil where there is none.
func (q vmidQuestion) ownBefore() *VMIDCheck {
	id := cmp.Or(CheckedVMID(q.vm), q.wanted.Before)
	if id == 0 {
		return nil
	}

	out := q.look(id)
	if out.Outcome != OutcomeOwn && out.Outcome != OutcomeUnclear && out.Outcome != OutcomeChecking {
		return nil
	}

	return &out
}

// look says what is known of the VMID that a new VM is to have.
func (q vmidQuestion) look(id int64) VMIDCheck {
	out := q.check(id)
	if out.Outcome == OutcomeTaken && q.replaced == 0 && !q.vm.Foreign && q.identity.Made(q.vm.Status.AtProvider.Description) {
		out.Outcome = OutcomeOwn
	}

	if q.mayBeOwn(id) && q.isUnclear(out.Outcome) {
		out.Outcome = OutcomeUnclear
	}

	return out
}

// isUnclear says whether something has the VMID that may be read later: its guest agent is not up yet, or its Proxmox node is off. What the provider's token
// may not read is another team's.
func (q vmidQuestion) isUnclear(o Outcome) bool {
	return o == OutcomeSilent || o == OutcomeUnreadable && !proxmox.Denied(q.vm)
}

// mayBeOwn says whether something that has a VMID and cannot be read may be the machine's own VM, whose managed resource is gone: the machine had a VM with the
// VMID, or begins with it in every cluster. Where the claim says that a Proxmox node does not come back, nothing waits for it.
func (q vmidQuestion) mayBeOwn(id int64) bool {
	switch {
	case q.replaced != 0, q.lost != "":
		return false
	case q.wanted.Range == nil:
		return q.wanted.VMID == 0
	}

	return id == q.before() || id == firstVMID(q.identity, *q.wanted.Range)
}

// check says what is known of a VMID.
func (q vmidQuestion) check(id int64) VMIDCheck {
	out := VMIDCheck{VMID: id, Outcome: OutcomeChecking, Asked: q.vm.ObserveOnly() && q.vm.Spec.ForProvider.TimeoutCreate != 0}

	owner, first := q.claimedBy(id)
	if owner != "" {
		out.Outcome, out.Name = OutcomeClaimed, owner
		return out
	}

	at := q.vm.Status.AtProvider
	found := at.ID == strconv.FormatInt(id, 10) // Else a VM with another VMID was found by an earlier check.

	switch {
	case q.refused() == id:
		out.Outcome = OutcomeContainer
	case q.vm.Foreign && found:
		out.Outcome, out.Name, out.Node = OutcomeTaken, at.Name, at.NodeName
	case CheckedVMID(q.vm) == id && proxmox.Present(q.vm) && found:
		out.Outcome, out.Name, out.Node = OutcomeTaken, at.Name, at.NodeName
	case CheckedVMID(q.vm) == id && proxmox.Silent(q.vm):
		out.Outcome = OutcomeSilent
	case CheckedVMID(q.vm) == id && proxmox.Unreadable(q.vm):
		out.Outcome = OutcomeUnreadable
	case first != "":
		out.Outcome, out.Name = OutcomeRequested, first
	case CheckedVMID(q.vm) != id:
	case q.vm.Absent():
		out.Outcome = OutcomeFree
	}

	if out.Outcome == OutcomeTaken {
		if whose := q.owner.MarkedBy(q.identity, id, at.Description, Others(q.vms, q.containers)); whose != "" {
			out.Outcome, out.Name, out.Node = OutcomeClaimed, whose, ""
		}
	}

	return out
}

// refused is the VMID of a range with which Proxmox refused to create the VM, since it is a container's that no claim has; else 0. No check finds such a
// container: the provider looks for VMs.
func (q vmidQuestion) refused() int64 {
	if q.state != StateFailed || q.wanted.Range == nil || !diagnose.VMIDOfContainer(q.vm) {
		return 0
	}

	return proxmox.VMIDOf(q.vm)
}

// passedContainers is what a creation remembers of the search through a range that led to its VMID: where Proxmox refuses this one, too, the search goes on,
// and ends where it began. Empty where the search began here.
func (q vmidQuestion) passedContainers() string {
	if first := q.searchedFrom(); first == 0 || first == q.wanted.VMID {
		return ""
	}

	return q.vm.Metadata.Annotations[proxmox.SearchedFromAnnotation]
}

// claimedBy names another claim that has a VMID, and one that was first to ask for it; empty where there is none.
func (q vmidQuestion) claimedBy(id int64) (owner, first string) {
	return q.owner.ClaimedBy(id, Others(q.vms, q.containers), q.vm.Metadata)
}

// An Other is a managed resource of a VM or of a container, of any claim, that has a VMID.
type Other struct {
	Metadata          proxmox.ObservedMetadata
	ProviderConfigRef proxmox.ProviderConfigRef
	VMID              int64
	// Checks says that it only looks whether the VMID is free.
	Checks bool
}

// Others are VMs and containers, in this order.
func Others(vms []proxmox.ObservedVM, containers []proxmox.ObservedContainer) []Other {
	out := make([]Other, 0, len(vms)+len(containers))

	for _, vm := range vms {
		out = append(out, Other{vm.Metadata, vm.Spec.ProviderConfigRef, proxmox.VMIDOf(vm), vm.ObserveOnly()})
	}

	for _, c := range containers {
		out = append(out, Other{c.Metadata, c.Spec.ProviderConfigRef, proxmox.VMIDOfContainer(c), c.ObserveOnly()})
	}

	return out
}

// ClaimedBy names another claim that has a VMID, and one that was first to ask for it; empty where there is none. mine are the managed resources with
// which the owner asks. Two claims that ask at the same time both see each other before either VM is made, since both have to check first: the one
// with the earliest resource is first, for each of them.
func (o Owner) ClaimedBy(id int64, others []Other, mine ...proxmox.ObservedMetadata) (owner, first string) {
	for _, other := range others {
		if o.owns(other.Metadata) || other.VMID != id || !o.SharesSite(other.ProviderConfigRef, other.Metadata.Namespace) {
			continue
		}

		name := o.nameOf(other.Metadata)
		isLater := slices.ContainsFunc(mine, func(m proxmox.ObservedMetadata) bool { return !other.Metadata.Before(m) })

		switch {
		case !other.Checks:
			owner = cmp.Or(owner, name)
		case !isLater:
			first = cmp.Or(first, name)
		}
	}

	return owner, first
}

// confirms says whether the last question, which is put or was put, is about a VMID that no VM had before.
func (c VMIDCheck) confirms(vm proxmox.ObservedVM) bool {
	return c.Outcome == OutcomeFree || c.Outcome == OutcomeChecking && vm.FoundNone()
}

// checkStep has the provider check a VMID. ask puts the last question: with another generation of its managed resource, the
// provider looks within a second, and its answer is younger than everything that the VM waited for.
func (q vmidQuestion) checkStep(node string, id int64, ask bool) Step {
	return Step{Action: ActionCheck, VMID: id, Ask: ask, ImportName: q.importName(node, id, ask), SearchedFrom: q.mark(id)}
}

// mark of the search through a range: the VMID with which it began, and which search it is, and where the machine had a VM with a VMID of the range, that.
// Empty where the VMID is none of a range.
func (q vmidQuestion) mark(id int64) string {
	search := q.searchID()
	if search == "" {
		return ""
	}

	out := strconv.FormatInt(cmp.Or(q.searchedFrom(), q.wanted.Tried, id), 10) + "/" + search
	if before := q.before(); before != 0 {
		out += "/" + strconv.FormatInt(before, 10)
	}

	return out
}

// importName is the external name under which the provider looks for a VMID. Where it does not say which question its last
// answer was about, "there is none" would be taken for the answer to the next question. It is asked something first that it
// can only refuse: a VMID without a node.
func (q vmidQuestion) importName(node string, id int64, ask bool) string {
	name := proxmox.ImportName(node, id)
	another := q.vm.Metadata.ExternalName() != name || ask && q.vm.Spec.ForProvider.TimeoutCreate == 0

	if q.state == StateChecking && another && q.vm.Absent() && q.vm.Undated() {
		return strconv.FormatInt(id, 10)
	}

	return name
}

// searchID identifies a search through a range: a wider range, and any change of the claim, begin another one. Empty where the
// VMID is none of a range.
func (q vmidQuestion) searchID() string {
	r := q.wanted.Range
	if r == nil {
		return ""
	}

	return q.identity.Hash("range", strconv.FormatInt(r.From, 10), strconv.FormatInt(r.To, 10), q.intent)
}

// searchedFrom is the VMID with which the search began; 0 where none is under way.
func (q vmidQuestion) searchedFrom() int64 {
	first, rest, _ := strings.Cut(q.vm.Metadata.Annotations[proxmox.SearchedFromAnnotation], "/")
	search, _, _ := strings.Cut(rest, "/")

	id, err := strconv.ParseInt(first, 10, 64)
	if err != nil || search != q.searchID() {
		return 0
	}

	return id
}

// before is the VMID of the range that the machine's VM had before its managed resource was gone; 0 where nobody knows of one. Another search remembers it,
// too.
func (q vmidQuestion) before() int64 {
	marks := strings.Split(q.vm.Metadata.Annotations[proxmox.SearchedFromAnnotation], "/")
	if q.wanted.Before != 0 || len(marks) < 3 {
		return q.wanted.Before
	}

	id, err := strconv.ParseInt(marks[2], 10, 64)
	if err != nil {
		return 0
	}

	return id
}
