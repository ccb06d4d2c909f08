package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// A life is a machine that package render itself renders, from call to call.
type life struct {
	in Input
}

// newLife is dns01 as a machine that waits for no file.
func newLife() *life {
	in := dns01()
	m := in.Machine
	m.Boot = machine.Boot{
		Image: "debian-13", Source: machine.SourceImport, OS: machine.OSDebian, Volume: "local:import/debian.qcow2", DiskGiB: 30, Interface: "scsi0", CloudInit: true, GuestAgent: true,
	}
	m.Placement.VMID = 153
	m.Disks = []machine.Disk{{Name: "data", SizeGiB: 500, Datastore: "tank"}}
	m.DNS, m.Access = []string{"192.168.4.1"}, machine.Access{AdminUser: "ops", SSHAuthorizedKeys: []string{"ssh-ed25519 AAAA ops"}}
	m.Lifecycle.RebootPolicy, m.PauseOnError = v1alpha1.RebootOnRequest, true

	return &life{in: in}
}

// call is one call of the function.
func (l *life) call(t *testing.T) Output {
	t.Helper()

	b, errs := bootstrap.New(l.in.Machine, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}

	flavour := proxmox.Cluster
	m, vms := l.in.Machine, l.in.State.VMs
	facts := lifecycle.Request{
		Machine: m, Observed: l.in.State, Intent: m.Lifecycle.Retry, Roles: lifecycle.AssignRoles(vms, m.Identity, m.Lifecycle.Replace),
		Owner: lifecycle.Owner{ProviderConfigRef: flavour.Ref(proxmox.ProviderConfig{Name: m.Placement.ProviderConfig, Kind: m.Placement.ProviderConfigKind})},
	}

	var fault *field.Error
	if facts.VMID, fault = lifecycle.PickVMID(m, facts.Roles, vms, 0); fault != nil {
		t.Fatal(fault)
	}

	request := render.Request{Situation: lifecycle.Assess(facts), Bootstrap: b, Flavour: flavour}

	description, err := render.Describe(&request)
	if err != nil {
		t.Fatal(err)
	}

	plan := lifecycle.Decide(request.Situation, description.Description)
	result := render.Write(&request, plan, description)
	l.in.Bootstrap, l.in.Plan, l.in.Desired, l.in.Paused = b, plan, result.Desired, result.Paused
	out := Machine(l.in)
	l.in.Previous = after(out)

	return out
}

// found makes a VM found as it was rendered last, with what the provider says of it.
func (l *life) found(t *testing.T, name string, say func(*proxmox.ObservedVM)) {
	t.Helper()

	desired, ok := l.in.Desired.VMs[name]
	if !ok {
		t.Fatalf("%s is not rendered", name)
	}

	m, err := proxmox.ManifestOf(desired)
	if err != nil {
		t.Fatal(err)
	}

	vm, err := proxmox.ObserveVM(m)
	if err != nil {
		t.Fatal(err)
	}

	if l.in.State.VMs == nil {
		l.in.State.VMs = map[string]proxmox.ObservedVM{}
	}

	vm.Status.AtProvider, vm.Status.Conditions = l.in.State.VMs[name].Status.AtProvider, l.in.State.VMs[name].Status.Conditions
	say(&vm)
	l.in.State.VMs[name] = vm
}

// runs is what the provider says of a VM that is as rendered.
func (l *life) runs(t *testing.T, document, name string) func(*proxmox.ObservedVM) {
	t.Helper()

	return func(vm *proxmox.ObservedVM) {
		vm.Status = observed(t, document).VMs[name].Status
		vm.Status.AtProvider.Started = vm.Spec.ForProvider.Started
	}
}

// created is what the provider says of a VM that it created.
func (l *life) created(t *testing.T, document, name string) func(*proxmox.ObservedVM) {
	t.Helper()

	return func(vm *proxmox.ObservedVM) {
		vm.Status = observed(t, document).VMs[name].Status
		vm.Metadata.Annotations[proxmox.CreatePendingAnnotation] = "2026-01-01T00:00:00Z"

		at, p := &vm.Status.AtProvider, vm.Spec.ForProvider
		at.Name, at.Description, at.SMBIOS, at.Started = p.Name, p.Description, p.SMBIOS, false
		at.Disk = nil

		for _, d := range p.Disk {
			at.Disk = append(at.Disk, proxmox.ObservedDisk{Interface: d.Interface, DatastoreID: d.DatastoreID, Size: d.Size})
		}
	}
}

func says(message string) func(*proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: message})
	}
}

// expect holds a condition's reason.
func expect(t *testing.T, when string, o Output, typ, reason string) {
	t.Helper()

	if c := o.condition(typ); c.Reason != reason {
		t.Fatalf("%s: want %s %s, got %+v", when, typ, reason, c)
	}
}

// born is a machine that runs.
func born(t *testing.T) *life {
	t.Helper()

	l := newLife()
	expect(t, "a machine that waits for nothing", l.call(t), TypeMachineReady, ReasonLookingAtVMID)
	l.found(t, lifecycle.FirstVM, says("observe failed: external resource does not exist"))

	expect(t, "the last question", l.call(t), TypeVMIDInUse, ReasonNumberFree)
	l.found(t, lifecycle.FirstVM, says("observe failed: external resource does not exist"))

	o := l.call(t)
	expect(t, "a number that is free", o, TypeMachineReady, ReasonCreating)
	expect(t, "a number that is free", o, TypeVMIDInUse, ReasonNumberFree)
	expect(t, "a number that is free", o, TypeProviderHealthy, ReasonNoError)

	l.found(t, lifecycle.FirstVM, func(*proxmox.ObservedVM) {})
	expect(t, "the answer to the look is still there", l.call(t), TypeProviderHealthy, ReasonNoError)

	l.found(t, lifecycle.FirstVM, l.created(t, vmRunning, lifecycle.FirstVM))
	expect(t, "a VM that is known to be ours", l.call(t), TypeMachineReady, ReasonCreating)

	l.found(t, lifecycle.FirstVM, l.runs(t, vmRunning, lifecycle.FirstVM))
	expect(t, "a VM that runs", l.call(t), TypeMachineReady, ReasonRunning)

	return l
}

// TestWithRender runs a machine through package render itself: what it names and writes is what status reads.
func TestWithRender(t *testing.T) {
	l := born(t)
	expect(t, "a machine that nobody edited", l.call(t), TypeReplacementRequired, ReasonNotRequired)

	m := l.in.Machine
	m.Boot.Image, m.Boot.Volume, m.Boot.DiskGiB, m.Placement.Node = "debian-14", "local:import/forky.qcow2", 10, "pve2"
	got := l.call(t)

	held := map[string]bool{}
	for _, h := range l.in.Plan.Held {
		held[h.Field] = true
	}

	if diff := cmp.Diff(map[string]bool{nodeField: true, imageField: true, "spec.size.disk": true}, held); diff != "" {
		t.Errorf("fields that render holds back: -want, +got:\n%s", diff)
	}

	want := made(nil)
	want.Image, want.Bootstrap = "debian-13", nil
	want.Refused = []string{
		"spec.proxmox.node: pve to pve2", "spec.image: local:import/debian.qcow2 to local:import/forky.qcow2", "spec.size.disk: 30 GiB to 10 GiB",
	}

	if diff := cmp.Diff(want, got.Status); diff != "" {
		t.Errorf("status repeats what the VM has: -want, +got:\n%s", diff)
	}
}

// TestRebootWithRender follows changes that need a power cycle until they have it.
func TestRebootWithRender(t *testing.T) {
	l := born(t)
	l.in.Machine.Cores = 4

	o := l.call(t)
	expect(t, "more cores", o, TypeRebootPending, ReasonChangesPending)
	expect(t, "more cores", o, TypeMachineReady, ReasonRunning)

	if diff := cmp.Diff([]string{"spec.size.cores: 2 to 4"}, o.Status.PendingReboot); diff != "" {
		t.Errorf("status.pendingReboot: -want, +got:\n%s", diff)
	}

	l.found(t, lifecycle.FirstVM, func(*proxmox.ObservedVM) {})
	expect(t, "written and not taken up", l.call(t), TypeRebootPending, ReasonChangesPending)

	l.in.Machine.Lifecycle.Reboot = "now"
	o = l.call(t)
	expect(t, "a new word", o, TypeRebootPending, ReasonRebooting)
	expect(t, "a new word", o, TypeMachineReady, ReasonRebooting)

	l.found(t, lifecycle.FirstVM, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })

	if o = l.call(t); o.Ready[lifecycle.FirstVM] {
		t.Error("a VM that is stopped to restart it is ready")
	}

	expect(t, "stopped", o, TypeMachineReady, ReasonRebooting)

	l.found(t, lifecycle.FirstVM, l.runs(t, vmRunning, lifecycle.FirstVM))

	o = l.call(t)
	expect(t, "started again", o, TypeRebootPending, ReasonNothingPending)
	expect(t, "started again", o, TypeMachineReady, ReasonRunning)
}

// TestPauseWithRender follows an error that no retry can cure until the claim changes.
func TestPauseWithRender(t *testing.T) {
	const invalid = "update failed: apply failed: Parameter verification failed. (cores: value must have a maximum value of 128): "

	l := born(t)
	l.found(t, lifecycle.FirstVM, says(invalid))

	first := l.call(t)
	expect(t, "an error", first, TypeProviderHealthy, ReasonValidationFailed)

	l.found(t, lifecycle.FirstVM, func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcilePaused"})
	})

	if diff := cmp.Diff(first.Conditions, l.call(t).Conditions); diff != "" {
		t.Errorf("while it is paused: -before, +now:\n%s", diff)
	}

	l.in.Machine.Lifecycle.Retry = "2"
	o := l.call(t)
	expect(t, "another word", o, TypeProviderHealthy, ReasonWaitingForProvider)
	expect(t, "another word", o, TypeMachineReady, ReasonWaitingForProvider)

	l.found(t, lifecycle.FirstVM, func(*proxmox.ObservedVM) {})
	expect(t, "not noticed yet", l.call(t), TypeMachineReady, ReasonWaitingForProvider)

	l.found(t, lifecycle.FirstVM, l.runs(t, vmRunning, lifecycle.FirstVM))

	o = l.call(t)
	expect(t, "cured", o, TypeProviderHealthy, ReasonNoError)
	expect(t, "cured", o, TypeMachineReady, ReasonRunning)
}

// TestReplacementWithRender follows a machine from one VM to the next.
func TestReplacementWithRender(t *testing.T) {
	l := born(t)
	l.in.Machine.Lifecycle.Replace, l.in.Plan.VMID.VMID = "2026-11-20", 160

	o := l.call(t)
	expect(t, "a new word", o, TypeReplacementRequired, ReasonReplacing)
	expect(t, "a new word", o, TypeMachineReady, ReasonRunning)

	if o.Status.Phase != v1alpha1.PhaseReplacing {
		t.Errorf("phase of a machine that is replaced: %s", o.Status.Phase)
	}

	other := l.in.Plan.Replacement.New
	l.found(t, lifecycle.FirstVM, func(*proxmox.ObservedVM) {})

	// The last question, and its answer.
	for range 2 {
		l.found(t, other, says("observe failed: external resource does not exist"))
		expect(t, "a number that is free", l.call(t), TypeMachineReady, ReasonRunning)
	}

	l.found(t, other, l.created(t, vmNext, next))
	expect(t, "the new VM is known to be ours", l.call(t), TypeMachineReady, ReasonRunning)

	l.found(t, other, l.runs(t, vmNext, next))
	expect(t, "the new VM runs", l.call(t), TypeMachineReady, ReasonRunning)

	l.found(t, other, l.runs(t, vmNext, next))
	o = l.call(t)
	delete(l.in.State.VMs, lifecycle.FirstVM)
	o2 := l.call(t)

	for _, o := range []Output{o, o2} {
		if id := o.Status.VMID; id == nil || *id != 160 || o.Status.Replacement != nil {
			t.Errorf("the new VM has the place: number %v, replacement %v", id, o.Status.Replacement)
		}

		expect(t, "the new VM has the place", o, TypeMachineReady, ReasonRunning)
		expect(t, "the new VM has the place", o, TypeReplacementRequired, ReasonNotRequired)
	}

	if len(o.Events) != 1 || o.Events[0].Reason != EventReplaced || len(o2.Events) != 0 {
		t.Errorf("events: %v, then %v", o.Events, o2.Events)
	}
}

// TestAdoptionWithRender follows a VM that is taken over.
func TestAdoptionWithRender(t *testing.T) {
	l := newLife()
	l.in.Machine.Adopt = &v1alpha1.Adopt{VMID: 153}
	expect(t, "a VM to take over", l.call(t), TypeMachineReady, ReasonLookingAtVMID)

	l.found(t, lifecycle.FirstVM, func(vm *proxmox.ObservedVM) {
		vm.Status = observed(t, vmForeign).VMs[lifecycle.FirstVM].Status
		p := proxmox.Found{VMParameters: vm.Spec.ForProvider}
		p.Name = "nas"
		vm.Status.AtProvider.Parameters = &p
	})

	o := l.call(t)
	expect(t, "a VM that is there", o, TypeMachineReady, ReasonWaitingForApproval)

	if a := o.Status.Adoption; a == nil || a.Plan == "" || a.Name != "nas" || len(a.Changes) == 0 {
		t.Fatalf("status.adoption: %+v", a)
	}

	l.in.Machine.Adopt.Approve = "0000000000"
	expect(t, "another plan", l.call(t), TypeMachineReady, ReasonAdoptionPlanChanged)

	l.in.Machine.Adopt.Approve = o.Status.Adoption.Plan
	expect(t, "the plan", l.call(t), TypeMachineReady, ReasonAdopting)

	l.found(t, lifecycle.FirstVM, func(vm *proxmox.ObservedVM) {
		vm.Status = observed(t, vmForeign).VMs[lifecycle.FirstVM].Status
		p := proxmox.Found{VMParameters: vm.Spec.ForProvider}
		p.Name = "nas"
		vm.Status.AtProvider.Parameters = &p
	})
	expect(t, "the plan, read again", l.call(t), TypeMachineReady, ReasonAdopting)

	l.found(t, lifecycle.FirstVM, l.runs(t, vmRunning, lifecycle.FirstVM))

	o = l.call(t)
	expect(t, "taken over", o, TypeMachineReady, ReasonRunning)
	expect(t, "taken over", o, TypeBootstrapCurrent, ReasonAdopted)

	if len(o.Events) == 0 || o.Events[0].Reason != EventVMAdopted {
		t.Errorf("events: %v", o.Events)
	}
}
