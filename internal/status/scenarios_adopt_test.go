package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// adopting is dns01 as a claim that takes VM 153 over; vm is what there is of it.
func adopting(t *testing.T, vm string, a lifecycle.Adoption) Input {
	t.Helper()

	in := dns01()
	in.Machine.Adopt = &v1alpha1.Adopt{VMID: 153}
	in.Plan.VMID.VMID = 0
	in.State = observed(t, vm)
	in.Desired.Files, in.Desired.DownloadFiles = nil, nil
	in.Plan.Adoption = &a
	in.Bootstrap.Hash = ""

	return in
}

// plan is what taking VM 153 over would do.
func plan(change func(*lifecycle.Adoption)) lifecycle.Adoption {
	a := lifecycle.Adoption{
		VMIDCheck: lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"}, Plan: "3f9a0c71d2", Changes: theChanges,
	}

	if change != nil {
		change(&a)
	}

	return a
}

var theChanges = []change.Change{
	{Field: "metadata.name", Has: "nas", Wanted: "dns01", Effect: change.InPlace},
	{Field: "spec.size.cores", Has: "1", Wanted: "2", Effect: change.Reboot},
	{Field: "spec.tags", Wanted: "dns", Effect: change.InPlace},
	{Field: "spec.size.disk", Has: "60Gi", Wanted: "30Gi", Effect: change.Refused},
}

// adoptee is the status of a claim that takes a VM over.
func adoptee(a *v1alpha1.AdoptionStatus) v1alpha1.Status {
	s := unmade(v1alpha1.PhaseAdopting)
	s.Bootstrap, s.Adoption = nil, a

	return s
}

var (
	adopted       = Condition{"BootstrapCurrent", "True", "Adopted", "The VM was made by somebody else, so nothing of what the claim says of bootstrapping is written into it."}
	numberAdopted = Condition{"VMIDInUse", "False", "NumberAdopted", "VM 153 is the one that the claim takes over."}
	onlyVM        = map[string]bool{lifecycle.FirstVM: false}
)

// adoptionPlan is the plan as status shows it.
func adoptionPlan() *v1alpha1.AdoptionStatus {
	return &v1alpha1.AdoptionStatus{
		VMID: 153, Name: "nas", Node: "pve2", Plan: "3f9a0c71d2",
		Changes: []string{"metadata.name: nas to dns01", "spec.tags: none to dns"}, Reboots: []string{"spec.size.cores: 1 to 2"}, Refused: []string{"spec.size.disk: 60Gi to 30Gi"},
	}
}

const (
	counted = "2 at once, 1 at the VM's next stop and start, 1 refused (the VM keeps what it has)"
	approve = `To have that, set spec.adopt.approve to "3f9a0c71d2".`
	noVM153 = "There is no VM 153 on site home, and none is made: spec.adopt takes over what is there. Correct spec.adopt.vmId or spec.proxmox.site " +
		"(`qm list` on the nodes shows the VMs; a container is none), and see that the provider's token may read the VM (VM.Audit)."
	unreadable = "VM 153 cannot be read: its guest agent is switched on in Proxmox and does not answer. Start it in the guest (`qm agent 153 ping` on the node shows whether it answers), " +
		"or switch the option off: `qm set 153 --agent 0`. The VM is looked at again by itself."
	unfit       = "VM 153 (`nas`) on node pve2 cannot be taken over. It is a template, which the provider would shut down for a VM."
	mayApprove  = "VM 153 (`nas`) on node pve2 is there. status.adoption lists what taking it over would change: " + counted + ". " + approve
	planChanged = "spec.adopt.approve names another plan than what taking over VM 153 (`nas`) on node pve2 would do now: the VM or the claim changed. " +
		"Read status.adoption again, which lists what would change now: " + counted + ". " + approve
	claimedByNAS = "Number 153 is that of machine `home/nas`. A VM belongs to one claim. To move it here, give that claim deletionPolicy: Orphan and delete it; " +
		"the VM is looked at again by itself."
)

// adoptions are the moments in which a VM is taken over.
func adoptions() map[string]scenario {
	return map[string]scenario{
		"LookingAtAdoptee": {
			reason: "The provider has not answered.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, "# vm\nkind: EnvironmentVM\nspec: {managementPolicies: [Observe]}\n", lifecycle.Adoption{VMIDCheck: lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeChecking}})
			},
			want: Output{
				Status: adoptee(&v1alpha1.AdoptionStatus{VMID: 153}), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "LookingAtVMID", lookingAt153}, adopted, Condition{"VMIDInUse", "Unknown", "Looking", lookingAt153}),
			},
		},
		"AdoptionTargetMissing": {
			reason: "There is no such VM: a claim that adopts makes none.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmLooked, lifecycle.Adoption{VMIDCheck: lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeFree}})
			},
			want: Output{
				Status: adoptee(&v1alpha1.AdoptionStatus{VMID: 153}), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "AdoptionTargetMissing", noVM153}, adopted,
					Condition{"VMIDInUse", "False", "NumberFree", "No VM has number 153."}),
				Events: []Event{{Warning: true, Reason: "AdoptionTargetMissing", Message: noVM153}},
			},
		},
		"AdoptionTargetSilent": {
			reason: "The VM is there, and the provider waits for its guest agent for longer than it may.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := adopting(t, vmLooked, lifecycle.Adoption{VMIDCheck: lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeSilent}})

				return edit(in, func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions[0].Message = `observe failed: cannot run import: Importing from ID "pve/153"... Refreshing state... [id=153]: import failed`
				})
			},
			want: Output{
				Status: adoptee(&v1alpha1.AdoptionStatus{VMID: 153}), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "AdoptionTargetSilent", unreadable}, adopted, numberAdopted),
				Events:     []Event{{Warning: true, Reason: "AdoptionTargetSilent", Message: unreadable}},
			},
		},
		"AdoptionTargetUnfit": {
			reason: "The VM is there, and the provider would change it for ever.",
			in: func(t *testing.T) Input {
				t.Helper()

				return adopting(t, vmForeign, lifecycle.Adoption{
					VMIDCheck: lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"}, Unsupported: "It is a template, which the provider would shut down for a VM.",
				})
			},
			want: Output{
				Status: adoptee(&v1alpha1.AdoptionStatus{VMID: 153, Name: "nas", Node: "pve2"}), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "AdoptionTargetUnfit", unfit}, adopted, numberAdopted),
				Events:     []Event{{Warning: true, Reason: "AdoptionTargetUnfit", Message: unfit}},
			},
		},
		"WaitingForApproval": {
			reason: "The VM is there: status says what would become of it, and nothing does before somebody approves that.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmForeign, plan(nil))
			},
			want: Output{
				Status: adoptee(adoptionPlan()), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "WaitingForApproval", mayApprove}, adopted, numberAdopted),
				Events:     []Event{{Reason: "WaitingForApproval", Message: mayApprove}},
			},
		},
		"AdoptionWithoutChanges": {
			reason: "A claim that says what the VM has needs an approval, too.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Changes = nil }))
			},
			want: Output{
				Status: adoptee(&v1alpha1.AdoptionStatus{VMID: 153, Name: "nas", Node: "pve2", Plan: "3f9a0c71d2"}), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "WaitingForApproval", "VM 153 (`nas`) on node pve2 is there. status.adoption lists what taking it over would change: nothing. " + approve,
				}, adopted, numberAdopted),
				Events: []Event{{
					Reason: "WaitingForApproval", Message: "VM 153 (`nas`) on node pve2 is there. status.adoption lists what taking it over would change: nothing. " + approve,
				}},
			},
		},
		"AdoptionPlanChanged": {
			reason: "What was approved is not what would be done now.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Stale = true }))
			},
			want: Output{
				Status: adoptee(adoptionPlan()), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "AdoptionPlanChanged", planChanged}, adopted, numberAdopted),
				Events:     []Event{{Warning: true, Reason: "AdoptionPlanChanged", Message: planChanged}},
			},
		},
		"AdoptionClaimed": {
			reason: "The VM is another machine's, which is named.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmForeign, lifecycle.Adoption{VMIDCheck: lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeClaimed, Name: "home/nas"}})
			},
			want: Output{
				Status: adoptee(&v1alpha1.AdoptionStatus{VMID: 153}), Ready: onlyVM,
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", "Number 153 is that of machine `home/nas`." + sayWhatToDo}, adopted,
					Condition{"VMIDInUse", "True", "NumberClaimed", claimedByNAS},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: claimedByNAS}},
			},
		},
		"Adopting": {
			reason: "It was approved: the VM is the machine's from this call on.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Approved = true }))
			},
			want: Output{
				Status: adoptee(adoptionPlan()), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "Adopting", "VM 153 (`nas`) on node pve2 is taken over."}, adopted, numberAdopted),
			},
		},
		"Adopted": {
			reason: "A VM that was taken over is a machine like any other, but for its bootstrap data.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := adopting(t, vmRunning, lifecycle.Adoption{})
				in = edit(in, func(vm *proxmox.ObservedVM) { delete(vm.Metadata.Annotations, proxmox.BootstrapHashAnnotation) })
				in.Previous = after(Machine(adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Approved = true }))))
				in.Plan.Adoption, in.Plan.Adopted = nil, true

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Bootstrap = nil }), Ready: map[string]bool{lifecycle.FirstVM: true},
				Conditions: conditions(adopted, Condition{"VMIDInUse", "False", "NumberAdopted", "The VM that has the machine's number was taken over."}),
				Events: []Event{
					{Reason: "VMAdopted", Message: "VM 153 on node pve was taken over."},
					{Reason: "BecameReady", Message: "VM 153 on node pve runs."},
				},
			},
		},
	}
}
