package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// adopting is the machine of a claim that takes VM 108 over, which somebody made by hand.
func adopting(t *testing.T, claim string, vm map[string]any) *machine {
	t.Helper()

	m := example(t, "nixos/dns01")
	spec := world.FromYAML(t, claim)
	spec["claimRef"] = m.Spec()["claimRef"]
	m.Composite["spec"] = spec

	if vm != nil {
		m.Proxmox.ByHand(108, vm)
	}

	return m
}

// plain is a claim that says no more than it has to.
const plain = "{adopt: {vmId: 108}, proxmox: {site: home}}"

func adoptionOf(rsp *fnv1.RunFunctionResponse) map[string]any {
	return world.Object(world.Status(rsp)["adoption"])
}

// approved is the answer once the plan of now is approved and carried out.
func (m *machine) approved() *fnv1.RunFunctionResponse {
	m.t.Helper()

	plan, ok := adoptionOf(m.Rest())["plan"].(string)
	if !ok {
		m.t.Fatal("no plan")
	}

	world.Object(m.Spec()["adopt"])["approve"] = plan

	return m.Rest()
}

// TestAnAdoptionIsPlanned: nothing is written before somebody approves what would be.
func TestAnAdoptionIsPlanned(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, size: {cores: 4, disk: 80Gi}, tags: [core], hostname: nas2}", fake.HandMade(t))
	before := world.Copy(m.Proxmox.Report())

	first := m.Turn()
	if diff := cmp.Diff([]string{"vm"}, world.Names(first)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}

	if p, e := world.Policies(world.Desired(first, "vm")), world.Annotations(first, "vm")[world.ExternalName]; p != "Observe" || e != "pve/108" {
		t.Errorf("the look has policies %s and external name %v", p, e)
	}

	m.says(first, map[string]string{"MachineReady": "LookingAtVMID", "VMIDInUse": "Looking"})

	last := m.Rest()
	m.says(last, map[string]string{"MachineReady": "WaitingForApproval", "VMIDInUse": "NumberAdopted", "BootstrapCurrent": "Adopted", "SpecValid": "Valid"})

	got := adoptionOf(last)
	plan, _ := got["plan"].(string)
	delete(got, "plan")

	want := map[string]any{
		"vmId": 108.0, "name": "nas", "node": "pve",
		"changes": []any{"spec.hostname: nas to nas2", "description: none to " + description(m), "spec.tags: old to core", "spec.size.disk: 64 GiB to 80 GiB"},
		"reboots": []any{"spec.size.cores: 3 to 4", "option numa: 0 or not set to 0", "option sockets: 1 or not set to 1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status.adoption: -want, +got:\n%s", diff)
	}

	if !strings.Contains(world.Message(last, "MachineReady"), plan) || len(plan) != 10 {
		t.Errorf("plan %q is not in the message: %s", plan, world.Message(last, "MachineReady"))
	}

	// Any other value approves nothing.
	world.Object(m.Spec()["adopt"])["approve"] = "abcdef0123"
	m.says(m.Rest(), map[string]string{"MachineReady": "AdoptionPlanChanged"})

	m.did()

	if diff := cmp.Diff(before, world.Copy(m.Proxmox.Report())); diff != "" {
		t.Errorf("the VM changed: -before, +after:\n%s", diff)
	}
}

// description is what we write into Proxmox.
func description(m *machine) string {
	meta := world.Object(m.Spec()["claimRef"])
	return "Machine " + meta["namespace"].(string) + "/" + meta["name"].(string) + " (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone."
}

// TestAnAdoptedVMStaysWhatItIs: the VM is taken over as it is, but for what was approved.
func TestAnAdoptedVMStaysWhatItIs(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, tags: [core]}", fake.HandMade(t))
	g := m.Proxmox.VMs[108]
	config := world.Object(world.Copy(g.Config))

	last := m.approved()
	m.did("adopt 108", "change description, name, tags of 108")
	m.says(last, map[string]string{
		"MachineReady": "Running", "VMIDInUse": "NumberAdopted", "BootstrapCurrent": "Adopted", "ReplacementRequired": "NotRequired", "RebootPending": "NothingPending",
	})

	if diff := cmp.Diff([]string{"protects-composite", "vm"}, world.Names(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}

	if p := world.Policies(world.Desired(last, "vm")); p != "Observe,Create,Update,Delete" {
		t.Errorf("policies %s", p)
	}

	annotations := world.Annotations(last, "vm")
	if annotations[world.ExternalName] != "108" || annotations[proxmox.AdoptedAnnotation] != "true" {
		t.Errorf("annotations %v", annotations)
	}

	// What it has, it is written to have: what is left out the provider takes away.
	p := world.ForProvider(last, "vm")
	for field, has := range config {
		if slices.Contains([]string{"name", "tags"}, field) {
			continue
		}

		if diff := cmp.Diff(world.Essence(has), world.Essence(p[field])); diff != "" {
			t.Errorf("%s: -the VM has, +rendered:\n%s", field, diff)
		}
	}

	if p["rebootAfterUpdate"] != false || p["started"] != true {
		t.Errorf("started %v, rebootAfterUpdate %v", p["started"], p["rebootAfterUpdate"])
	}

	if g.Running == nil || world.Object(g.Running)["name"] != "nas" {
		t.Error("the VM was stopped meanwhile")
	}
}

// TestLifeAfterAnAdoption: it is a machine like any other then.
func TestLifeAfterAnAdoption(t *testing.T) {
	m := adopting(t, plain, fake.HandMade(t))
	settled := m.approved()

	// Neither the approval nor the VMID is asked for again.
	delete(m.Spec(), "adopt")
	m.only(settled, m.Rest(), nil)

	m.Spec()["adopt"] = map[string]any{"vmId": 109.0, "approve": "abcdef0123"}
	m.only(settled, m.Rest(), nil)
	delete(m.Spec(), "adopt")

	m.Proxmox.Done = nil
	m.Spec()["size"] = map[string]any{"cores": 6}
	changed := m.Rest()
	m.says(changed, map[string]string{"RebootPending": "ChangesPending", "MachineReady": "Running"})
	m.did("change cpu of 108")
	m.only(settled, changed, func(d map[string]*fnv1.Resource) {
		set(d, "vm", []any{map[string]any{"cores": 6, "sockets": 1, "type": "host", "numa": false}}, "spec", "forProvider", "cpu")
		set(d, "vm", `{"spec.size.cores":"3"}`, "metadata", "annotations", proxmox.RebootPendingAnnotation)
	})

	// What it had from the start a claim cannot have back by silence: it keeps what it was written to have.
	m.Spec()["firmware"] = map[string]any{"type": "uefi"}
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})
	m.did()
}

func TestWhatCannotBeAdopted(t *testing.T) {
	cases := map[string]struct {
		reason string
		vm     map[string]any
		silent bool
		says   string
		number string
	}{
		"Missing":  {reason: "There is none, and none is made.", says: "AdoptionTargetMissing", number: "NumberFree"},
		"Silent":   {reason: "It is there, and cannot be read.", vm: fake.HandMade(t, "agent: [{enabled: true}]"), silent: true, says: "AdoptionTargetSilent", number: "NumberAdopted"},
		"Template": {reason: "The provider would shut a template down.", vm: fake.HandMade(t, "template: true"), says: "AdoptionTargetUnfit", number: "NumberAdopted"},
		"Sizeless": {
			reason: "A size that is rendered as 0 is a shrink.", vm: fake.HandMade(t, "disk: [{interface: scsi0, datastoreId: tank, size: 64}, {interface: sata1, datastoreId: tank}]"),
			says: "AdoptionTargetUnfit", number: "NumberAdopted",
		},
		"Gap": {
			reason: "The provider would fill the gap with an interface.",
			vm:     fake.HandMade(t, "networkDevice: [{bridge: vmbr0, model: virtio}, {bridge: ''}, {bridge: vmbr1, model: virtio}]"), says: "AdoptionTargetUnfit", number: "NumberAdopted",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := adopting(t, plain, tc.vm)
			if tc.vm != nil {
				m.Proxmox.VMs[108].Silent = tc.silent
			}

			world.Object(m.Spec()["adopt"])["approve"] = "abcdef0123"
			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": tc.says, "VMIDInUse": tc.number})

			if p := world.Policies(world.Desired(last, "vm")); p != "Observe" {
				t.Errorf("%s\nthe VM has policies %s", tc.reason, p)
			}

			if plan := adoptionOf(last)["plan"]; plan != nil {
				t.Errorf("%s\nthere is a plan to approve: %v", tc.reason, plan)
			}

			for range 5 {
				m.Turn()
			}

			m.did()

			// Somebody mends it.
			m.Proxmox.ByHand(108, fake.HandMade(t))
			delete(world.Object(m.Spec()["adopt"]), "approve")
			m.says(m.Rest(), map[string]string{"MachineReady": "WaitingForApproval"})
			m.did()
		})
	}
}

// TestAnotherMachinesVMIsNotAdopted, also with the right plan, until the other one lets go of it.
func TestAnotherMachinesVMIsNotAdopted(t *testing.T) {
	other := example(t, "nixos/docker01")
	world.Object(other.Spec()["proxmox"])["vmId"] = 108.0
	other.Spec()["deletionPolicy"] = "Orphan"
	other.Rest()
	other.did("make 108")

	m := other.beside(adopting(t, plain, nil).Machine)
	last := m.Rest()
	m.says(last, map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberClaimed"})

	if a := adoptionOf(last); a["plan"] != nil || a["changes"] != nil {
		t.Errorf("what is another's is planned: %v", a)
	}

	// The plan is the same as soon as nobody has the VM; to know it before is of no use.
	world.Object(m.Spec()["adopt"])["approve"] = "abcdef0123"
	m.Rest()
	m.did()
	delete(world.Object(m.Spec()["adopt"]), "approve")

	other.Leave()
	m.did("let go of 108")
	m.says(m.Rest(), map[string]string{"MachineReady": "WaitingForApproval"})
	m.says(m.approved(), map[string]string{"MachineReady": "Running"})
}

// TestPowerOfAnAdoptedVM is what the claim says, and what it is where the claim leaves it to Proxmox.
func TestPowerOfAnAdoptedVM(t *testing.T) {
	cases := map[string]struct {
		reason  string
		power   string
		started string
		plan    []any
		done    []string
		says    string
	}{
		"Starts":      {reason: "A machine runs unless its claim says otherwise.", power: "Running", started: "false", plan: []any{"spec.power: Stopped to Running"}, done: []string{"start 108"}, says: "Running"},
		"StaysOn":     {reason: "It runs already.", power: "Running", started: "true", says: "Running"},
		"StaysOff":    {reason: "Nobody's business.", power: "Unmanaged", started: "false", says: "Stopped"},
		"Unmanaged":   {reason: "The same while it runs.", power: "Unmanaged", started: "true", says: "Running"},
		"IsShutDown":  {reason: "Somebody approved that.", power: "Stopped", started: "true", plan: []any{"spec.power: Running to Stopped"}, done: []string{"stop 108"}, says: "Stopped"},
		"StaysStoped": {reason: "It is stopped as asked.", power: "Stopped", started: "false", says: "Stopped"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, tags: [old], power: "+tc.power+"}", fake.HandMade(t, "started: "+tc.started))

			m.Rest()
			plan := slices.DeleteFunc(world.List(adoptionOf(m.Turn())["changes"]), func(c any) bool { return !strings.HasPrefix(c.(string), "spec.power") })

			if diff := cmp.Diff(tc.plan, plan); diff != "" && len(tc.plan)+len(plan) > 0 {
				t.Errorf("%s\nplan: -want, +got:\n%s", tc.reason, diff)
			}

			m.says(m.approved(), map[string]string{"MachineReady": tc.says})
			m.did(append([]string{"adopt 108", "change description of 108"}, tc.done...)...)
		})
	}
}
