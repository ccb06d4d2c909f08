package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// vmForeign is a VM that the provider may only look at, and found.
const vmForeign = `# vm
apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentVM
metadata: {annotations: {crossplane.io/external-name: "pve/153"}}
spec:
  managementPolicies: [Observe]
  forProvider: {nodeName: pve, vmId: 153, name: dns01, started: true, networkDevice: [{bridge: vmbr0}]}
status:
  atProvider:
    id: "153"
    vmId: 153
    name: nas
    nodeName: pve2
    started: true
    networkDevice: [{macAddress: "BC:24:11:00:00:99"}]
    networkInterfaceNames: [lo, ens18]
    macAddresses: ["00:00:00:00:00:00", "bc:24:11:00:00:99"]
    ipv4Addresses: [["127.0.0.1"], ["192.168.4.9"]]
  conditions:
  - {type: Ready, status: "True", reason: Available}
  - {type: Synced, status: "True", reason: ReconcileSuccess}
`

// vmLooked is a VM that the provider may only look at, and does not find.
const vmLooked = `# vm
apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentVM
metadata: {annotations: {crossplane.io/external-name: "pve/153"}}
spec:
  managementPolicies: [Observe]
  forProvider: {nodeName: pve, vmId: 153, name: dns01, started: true}
status:
  conditions:
  - {type: Synced, status: "False", reason: ReconcileError, message: "observe failed: external resource does not exist"}
`

// looking is dns01 while its number is looked at; vm is what there is of it.
func looking(t *testing.T, vm string, l lifecycle.VMIDCheck) Input {
	t.Helper()

	in := dns01()
	in.State = observed(t, vm, snippetsThere, imageThere)
	in.Plan.Check = &l

	return in
}

const (
	lookingAt153  = "The provider is checking whether a VM has VMID 153. It creates no VM before the check has finished."
	takenByNAS    = "VMID 153 is in use by VM 153 (`nas`) on node pve2."
	leftAlone     = " The provider creates no VM with this VMID, and does not change the existing VM. "
	leftUnused    = " The provider creates no VM with this VMID, and does not change what has it. "
	otherNumber   = "Choose another VMID in spec.proxmox.vmId (`pvesh get /cluster/nextid` shows a free one), or remove the field."
	usedUp        = "All VMIDs of the site's range are in use: widen the range in the catalogue (sites.home.vmIds), or remove unused VMs. The function tries a wider range at once; after a removal, set spec.lifecycle.retry to a new value."
	takenByItself = "VMID 153 is in use by VM 153 (`dns01`) on node pve2."
	leftOver      = " To adopt the existing VM instead, move the VMID to spec.adopt.vmId. It has the name of this machine: if it is what a failed creation left, and holds nothing that you need, " +
		"`qm destroy 153` on node pve2 removes it, with its disks."
	madeBefore = " It was made for a claim of this kind, namespace and name, as its notes say, and another VM beside it would take its name and address: the provider creates none, and does not " +
		"change it. To keep it, name it in spec.adopt.vmId: 153. If another Crossplane manages it, give this claim another name. If nothing on it is needed, `qm destroy 153` on node pve2 " +
		"removes it, with its disks."
	sayWhatToDo = " Condition VMIDInUse says what to do."
)

// numbers are the moments in which a number is looked at before a VM is made with it.
func numbers() map[string]scenario {
	return map[string]scenario{
		"LookingAtVMID": {
			reason: "The provider has not answered: nothing is made, and a condition without an answer is Unknown.",
			in: func(t *testing.T) Input {
				t.Helper()
				return looking(t, "# vm\nkind: EnvironmentVM\nspec: {managementPolicies: [Observe], forProvider: {nodeName: pve, vmId: 153}}\n", lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeChecking})
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "LookingAtVMID", lookingAt153}, Condition{"VMIDInUse", "Unknown", "Looking", lookingAt153}),
			},
		},
		"LookingBesideSnippets": {
			reason: "Snippets are written at the same time, and take longer: they are what the machine waits for.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.Plan.Waiting = []string{metaData, userData}
				in.Plan.Check = &lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeChecking}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending), Ready: readiness(false, false, false),
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "WaitingForSnippets",
					"The provider creates the VM when its cloud-init snippets are on datastore local of node pve (meta-data-0123456789, user-data-0123456789) " +
						"and its cloud image is on datastore local of node pve (image-0123456789).",
				}, Condition{"VMIDInUse", "Unknown", "Looking", lookingAt153}),
			},
		},
		"Confirming": {
			reason: "The provider found no VM before, and is asked once more: nobody is known to have the VMID, and nothing but the provider is waited for.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmLooked, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeConfirming, Asked: true})
				in.vm(func(p *proxmox.VMParameters) { p.VMID = new(int64(153)) })

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseCreating), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "Creating", "The provider checks VMID 153, creates the VM on node pve, and starts it.",
				}, Condition{"VMIDInUse", "False", "NumberFree", "No other VM is known to have VMID 153."}),
			},
		},
		"NumberFree": {
			reason: "The provider's error is the answer that was hoped for: the VM is made from this call on.",
			in: func(t *testing.T) Input {
				t.Helper()
				return looking(t, vmLooked, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeFree})
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseCreating), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(Condition{"VMIDInUse", "False", "NumberFree", "No other VM is known to have VMID 153."}),
			},
		},
		"NumberFreeBesideImage": {
			reason: "The provider goes on looking until the VM is made, so nothing is said of the number while other things lack.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmLooked, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeFree})
				in.State.DownloadFiles, in.Plan.Waiting = nil, []string{image}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending), Ready: readiness(false, false, false),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "WaitingForImage", "The provider creates the VM when its cloud image is on datastore local of node pve (image-0123456789)."},
					Condition{"VMIDInUse", "Unknown", "Looking", lookingAt153},
				),
			},
		},
		"NumberTaken": {
			reason: "The number is that of somebody's VM: it is named, nothing of it shows in status, and a person has to choose.",
			in: func(t *testing.T) Input {
				t.Helper()
				return looking(t, vmForeign, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"})
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", takenByNAS + sayWhatToDo},
					Condition{"VMIDInUse", "True", "NumberTaken", takenByNAS + leftAlone + otherNumber + " To adopt the existing VM instead, move the VMID to spec.adopt.vmId."},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: takenByNAS + leftAlone + otherNumber + " To adopt the existing VM instead, move the VMID to spec.adopt.vmId."}},
			},
		},
		"NumberTakenByItsOwnName": {
			reason: "A creation that failed can have left the VM: the command that removes it is told, and what it takes.",
			in: func(t *testing.T) Input {
				t.Helper()
				return looking(t, vmForeign, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "dns01", Node: "pve2"})
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", takenByItself + sayWhatToDo}, Condition{"VMIDInUse", "True", "NumberTaken", takenByItself + leftAlone + otherNumber + leftOver},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: takenByItself + leftAlone + otherNumber + leftOver}},
			},
		},
		"NumberMadeBefore": {
			reason: "The claim came back: the VM that was made for it is named, and how the claim gets it.",
			in: func(t *testing.T) Input {
				t.Helper()
				return looking(t, vmForeign, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeOwn, Name: "dns01", Node: "pve2"})
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", takenByItself + sayWhatToDo}, Condition{"VMIDInUse", "True", "NumberMadeBefore", takenByItself + madeBefore},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: takenByItself + madeBefore}},
			},
		},
		"NumberTakenOfARange": {
			reason: "The next number of the range is tried, so nobody has to do anything.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmForeign, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2", Next: 154})
				in.Machine.Placement.VMIDRange = &machine.Range{From: 150, To: 199}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", takenByNAS + sayWhatToDo},
					Condition{"VMIDInUse", "True", "NumberTaken", takenByNAS + leftAlone + "The provider checks VMID 154 next."},
				),
				Events: []Event{{Reason: "VMIDInUse", Message: takenByNAS + leftAlone + "The provider checks VMID 154 next."}},
			},
		},
		"RangeUsedUp": {
			reason: "There is no next number.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmForeign, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"})

				in.Plan.VMID.UsedUp = true

				return edit(in, func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] = "154" })
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", takenByNAS + sayWhatToDo},
					Condition{
						"VMIDInUse", "True", "NumberTaken", takenByNAS + leftAlone + usedUp,
					},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: takenByNAS + leftAlone + usedUp}},
			},
		},
		"NumberTakenSilently": {
			reason: "A VM that cannot be read has the number all the same.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmLooked, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeSilent})

				return edit(in, func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions[0].Message = `observe failed: cannot run import: Importing from ID "pve/153"... Refreshing state... [id=153]: import failed`
				})
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", silentNumber + sayWhatToDo},
					Condition{"VMIDInUse", "True", "NumberTaken", silentNumber + leftAlone + otherNumber + " To adopt the existing VM instead, move the VMID to spec.adopt.vmId."},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: silentNumber + leftAlone + otherNumber + " To adopt the existing VM instead, move the VMID to spec.adopt.vmId."}},
			},
		},
		"NumberLeftBehind": {
			reason: "A managed resource that nobody composes any more has the VM: the claim is told how to get it, and what the deletion of that resource can do.",
			in: func(t *testing.T) Input {
				t.Helper()

				return looking(t, vmForeign, lifecycle.VMIDCheck{
					VMID: 153, Outcome: lifecycle.OutcomeLeftBehind, Name: "environmentvms.example/dns01-x7k2p -n infra-machines", Node: "pve",
				})
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", leftThere + sayWhatToDo}, Condition{"VMIDInUse", "True", "NumberMadeBefore", leftThere + leftRemedy},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: leftThere + leftRemedy}},
			},
		},
		"NumberUnreadable": {
			reason: "What is on a Proxmox node that does not answer has its number all the same. The provider's error says which node it is about.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmLooked, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeUnreadable})

				return edit(in, func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions[0].Message = "observe failed: cannot run import: error retrieving VM 153: received an HTTP 595 response - Reason: No route to host"
				})
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "ProviderError", nodeAway + " Condition ProviderHealthy says what to do."},
					Condition{"VMIDInUse", "True", "NumberTaken", unreadableNumber},
					Condition{"ProviderHealthy", "False", "NodeUnhealthy", nodeAwayRemedy},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: unreadableNumber}, {Warning: true, Reason: "NodeUnhealthy", Message: nodeAwayRemedy}},
			},
		},
		"NumberUnclear": {
			reason: "What cannot be read may be the machine's own VM, so no other VMID is tried.",
			in: func(t *testing.T) Input {
				t.Helper()

				return looking(t, vmLooked, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeUnclear})
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", unclear + sayWhatToDo}, Condition{"VMIDInUse", "True", "NumberTaken", unclear + unclearRemedy},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: unclear + unclearRemedy}},
			},
		},
		"NumberClaimed": {
			reason: "Another claim has the number, or was first to ask for it, which comes before all that is waited for.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := looking(t, vmLooked, lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeClaimed, Name: "home/nas"})
				in.State.Files = nil
				in.Plan.Waiting = []string{metaData, userData}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseFailed), Ready: readiness(false, false, false),
				Conditions: unmadeConditions(
					Condition{"MachineReady", "False", "VMIDInUse", "VMID 153 belongs to claim `home/nas`." + sayWhatToDo},
					Condition{"VMIDInUse", "True", "NumberClaimed", "VMID 153 belongs to claim `home/nas`." + leftUnused + otherNumber},
				),
				Events: []Event{{Warning: true, Reason: "VMIDInUse", Message: "VMID 153 belongs to claim `home/nas`." + leftUnused + otherNumber}},
			},
		},
	}
}

const (
	silentNumber     = "VMID 153 is in use by a VM that the provider cannot read, because its guest agent is enabled but does not answer."
	unreadableNumber = "VMID 153 is in use by a VM or a container that the provider cannot read." + leftAlone + otherNumber +
		" To adopt the existing VM instead, move the VMID to spec.adopt.vmId."
	unclear       = "VMID 153 is in use by a VM or a container that the provider cannot read at present: its guest agent does not answer yet, or its Proxmox node is off."
	unclearRemedy = " It may be this machine's own VM, which somebody took out of this cluster, so the provider creates no other one beside it. It looks again at each poll: what was made for " +
		"this claim can then be adopted, and what is somebody's is passed over. To wait no longer, name a free VMID in spec.proxmox.vmId (`pvesh get /cluster/nextid` shows one)."

	leftThere = "VM 153 on node pve was made for this claim, and environmentvms.example/dns01-x7k2p -n infra-machines manages it, which no claim has any more: its claim was deleted with " +
		"--cascade=orphan, or the cluster was restored from a backup."
	leftRemedy = " Another VM beside it would take its name and address: the provider creates none. To keep the VM, set spec.adopt.vmId: 153. Then take that managed resource's rights away, " +
		"`kubectl patch environmentvms.example/dns01-x7k2p -n infra-machines --type merge -p '{\"spec\":{\"managementPolicies\":[\"Observe\"]}}'`, and delete it, " +
		"`kubectl delete environmentvms.example/dns01-x7k2p -n infra-machines`: without the first command, the second one can destroy the VM with its disks. status.adoption then has the plan."
	nodeAway       = "vm (EnvironmentVM): Proxmox cannot reach the node that has a VM or container with VMID 153 already."
	nodeAwayRemedy = nodeAway + " `pvesh get /cluster/resources --type vm` names that node. When it is back, the provider goes on. If it does not come back, choose " +
		"another VMID in spec.proxmox.vmId (`pvesh get /cluster/nextid` shows a free one). The provider retries automatically."
)
