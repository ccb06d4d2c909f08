package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
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
	adopted       = Condition{"BootstrapCurrent", "True", "Adopted", "The VM was adopted, so the function did not write its bootstrap data."}
	numberAdopted = Condition{"VMIDInUse", "False", "NumberAdopted", "VM 153 is the VM that the claim adopts."}
	onlyVM        = map[string]bool{lifecycle.FirstVM: false}
)

// adoptionPlan is the plan as status shows it.
func adoptionPlan() *v1alpha1.AdoptionStatus {
	return &v1alpha1.AdoptionStatus{
		VMID: 153, Name: "nas", Node: "pve2", Plan: "3f9a0c71d2",
		Changes: []string{"metadata.name: nas to dns01", "spec.tags: none to dns"}, Reboots: []string{"spec.size.cores: 1 to 2"}, Refused: []string{"spec.size.disk: 60 GiB to 30 GiB"},
	}
}

const (
	counted = "2 at once, 1 at the VM's next power cycle, 1 refused (the VM keeps its value)"
	approve = `To approve them, set spec.adopt.approve to "3f9a0c71d2".`
	noVM153 = "There is no VM 153 in site home, and the provider does not create one, because spec.adopt adopts existing VMs only. Correct spec.adopt.vmId or spec.proxmox.site " +
		"(`qm list` on the nodes shows the VMs; a container is not a VM), and check that the provider's token may read the VM (VM.Audit)."
	unreadable = "The provider cannot read VM 153, because its guest agent is enabled in Proxmox but does not answer. Start it in the guest (`qm agent 153 ping` on the node shows whether it answers), " +
		"or disable the option: `qm set 153 --agent 0`. The provider then reads the VM again automatically."
	sizeless         = "VM 153 (`nas`) on node pve2 cannot be adopted. First grow it: `qm disk resize 153 scsi1 1G`."
	unfit            = "VM 153 (`nas`) on node pve2 cannot be adopted. It is a template, not a VM: to create a VM from it, name it in images of the catalogue, as template, remove spec.adopt, and set spec.image to that name."
	mayApprove       = "VM 153 (`nas`) on node pve2 can be adopted. status.adoption lists the changes: " + counted + ". " + approve
	planChanged      = "spec.adopt.approve does not name the current plan, for instance because VM 153 (`nas`) on node pve2 or the claim changed. Read status.adoption again, which lists the changes: " + counted + ". " + approve
	claimedElsewhere = "VMID 153 belongs to another claim of this Proxmox, in another namespace. Only one claim can have a VM: choose another VMID in spec.adopt.vmId, or ask who runs the site."

	claimedByNAS = "VMID 153 belongs to claim `home/nas`. Only one claim can have a VM. To move the VM to this claim, set deletionPolicy: Orphan in the other claim, and delete that claim; the provider then reads the VM again automatically."
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
					Condition{"VMIDInUse", "False", "NumberFree", "No VM has VMID 153."}),
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
		"AdoptionTargetSizeless": {
			reason: "What to do about a disk has the VM's own number.",
			in: func(t *testing.T) Input {
				t.Helper()

				return adopting(t, vmForeign, lifecycle.Adoption{
					VMIDCheck:   lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"},
					Unsupported: "First grow it: `qm disk resize <vmId> scsi1 1G`.",
				})
			},
			want: Output{
				Status: adoptee(&v1alpha1.AdoptionStatus{VMID: 153, Name: "nas", Node: "pve2"}), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "AdoptionTargetUnfit", sizeless}, adopted, numberAdopted),
				Events:     []Event{{Warning: true, Reason: "AdoptionTargetUnfit", Message: sizeless}},
			},
		},
		"AdoptionTargetUnfit": {
			reason: "The VM is there, and the provider would change it for ever.",
			in: func(t *testing.T) Input {
				t.Helper()

				return adopting(t, vmForeign, lifecycle.Adoption{
					VMIDCheck: lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"}, Unsupported: "It is a template, not a VM: to create a VM from it, name it in images of the catalogue, as template, remove spec.adopt, and set spec.image to that name.",
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
					"MachineReady", "False", "WaitingForApproval", "VM 153 (`nas`) on node pve2 can be adopted. status.adoption lists the changes: nothing. " + approve,
				}, adopted, numberAdopted),
				Events: []Event{{
					Reason: "WaitingForApproval", Message: "VM 153 (`nas`) on node pve2 can be adopted. status.adoption lists the changes: nothing. " + approve,
				}},
			},
		},
		"AdoptionPlanChanged": {
			reason: "What was approved is not what would be done now.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Consent = lifecycle.ConsentOtherPlan }))
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
					Condition{"MachineReady", "False", "VMIDInUse", "VMID 153 belongs to claim `home/nas`." + sayWhatToDo}, adopted,
					Condition{"VMIDInUse", "True", "NumberClaimed", claimedByNAS},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: claimedByNAS}},
			},
		},
		"AdoptionClaimedElsewhere": {
			reason: "The VM is that of a claim in another namespace, which is not named, and not the reader's to change.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmForeign, lifecycle.Adoption{VMIDCheck: lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeClaimed, Name: lifecycle.AnotherClaim}})
			},
			want: Output{
				Status: adoptee(&v1alpha1.AdoptionStatus{VMID: 153}), Ready: onlyVM,
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", "VMID 153 belongs to another claim of this Proxmox, in another namespace." + sayWhatToDo}, adopted,
					Condition{"VMIDInUse", "True", "NumberClaimed", claimedElsewhere},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: claimedElsewhere}},
			},
		},
		"Adopting": {
			reason: "It was approved: the VM is the machine's from this call on.",
			in: func(t *testing.T) Input {
				t.Helper()
				return adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Consent = lifecycle.ConsentGiven }))
			},
			want: Output{
				Status: adoptee(adoptionPlan()), Ready: onlyVM,
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "Adopting", "The provider is adopting VM 153 (`nas`) on node pve2."}, adopted, numberAdopted),
			},
		},
		"Adopted": {
			reason: "A VM that was taken over is a machine like any other, but for its bootstrap data.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := adopting(t, vmRunning, lifecycle.Adoption{})
				in = edit(in, func(vm *proxmox.ObservedVM) { delete(vm.Metadata.Annotations, proxmox.BootstrapHashAnnotation) })
				in.Previous = after(Machine(adopting(t, vmForeign, plan(func(a *lifecycle.Adoption) { a.Consent = lifecycle.ConsentGiven }))))
				in.Plan.Adoption, in.Plan.Adopted = nil, true

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Bootstrap = nil }), Ready: map[string]bool{lifecycle.FirstVM: true},
				Conditions: conditions(adopted, Condition{"VMIDInUse", "False", "NumberAdopted", "The claim adopted the VM with this VMID."}),
				Events: []Event{
					{Reason: "VMAdopted", Message: "The claim adopted VM 153 on node pve."},
					{Reason: "BecameReady", Message: "VM 153 on node pve runs."},
				},
			},
		},
	}
}
