package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// adopting is the lab of a claim that takes VM 108 over, which somebody made by hand.
func adopting(t *testing.T, claim string, vm map[string]any) *lab {
	t.Helper()

	w := story(t, "nixos/dns01")
	spec := fromYAML(t, claim)
	spec["claimRef"] = specOf(w)["claimRef"]
	w.composite["spec"] = spec

	l := newLab(t, w)
	if vm != nil {
		l.pve.foreign(108, vm)
	}

	return l
}

// plain is a claim that says no more than it has to.
const plain = "{adopt: {vmId: 108}, proxmox: {site: home}}"

func adoptionOf(rsp *fnv1.RunFunctionResponse) map[string]any {
	return object(statusOf(rsp)["adoption"])
}

// approved is the answer once the plan of now is approved and carried out.
func (l *lab) approved() *fnv1.RunFunctionResponse {
	l.t.Helper()

	plan, ok := adoptionOf(l.rest())["plan"].(string)
	if !ok {
		l.t.Fatal("no plan")
	}

	object(specOf(l.world)["adopt"])["approve"] = plan

	return l.rest()
}

// TestAnAdoptionIsPlanned: nothing is written before somebody approves what would be.
func TestAnAdoptionIsPlanned(t *testing.T) {
	l := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, size: {cores: 4, disk: 80Gi}, tags: [core], hostname: nas2}", handMade(t))
	before := runtimeCopy(l.pve.report())

	first := l.turn()
	if diff := cmp.Diff([]string{"vm"}, names(first)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}

	if p, e := policies(vm(first)), annotationsOf(first, "vm")[proxmox.ExternalNameAnnotation]; p != "Observe" || e != "pve/108" {
		t.Errorf("the look has policies %s and external name %v", p, e)
	}

	l.says(first, map[string]string{"MachineReady": "LookingAtVMID", "VMIDInUse": "Looking"})

	last := l.rest()
	l.says(last, map[string]string{"MachineReady": "WaitingForApproval", "VMIDInUse": "NumberAdopted", "BootstrapCurrent": "Adopted", "SpecValid": "Valid"})

	got := adoptionOf(last)
	plan, _ := got["plan"].(string)
	delete(got, "plan")

	want := map[string]any{
		"vmId": 108.0, "name": "nas", "node": "pve",
		"changes": []any{"spec.hostname: nas to nas2", "description: none to " + description(l), "spec.tags: old to core", "spec.size.disk: 64Gi to 80Gi"},
		"reboots": []any{"spec.size.cores: 3 to 4"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status.adoption: -want, +got:\n%s", diff)
	}

	if !strings.Contains(messageOf(last, "MachineReady"), plan) || len(plan) != 10 {
		t.Errorf("plan %q is not in the message: %s", plan, messageOf(last, "MachineReady"))
	}

	// Any other word approves nothing.
	object(specOf(l.world)["adopt"])["approve"] = "abcdef0123"
	l.says(l.rest(), map[string]string{"MachineReady": "AdoptionPlanChanged"})

	l.did()

	if diff := cmp.Diff(before, runtimeCopy(l.pve.report())); diff != "" {
		t.Errorf("the VM changed: -before, +after:\n%s", diff)
	}
}

// description is what we write into Proxmox.
func description(l *lab) string {
	meta := object(specOf(l.world)["claimRef"])
	return "Machine " + meta["namespace"].(string) + "/" + meta["name"].(string) + " (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone."
}

// TestAnAdoptedVMStaysWhatItIs: the VM is taken over as it is, but for what was approved.
func TestAnAdoptedVMStaysWhatItIs(t *testing.T) {
	l := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, tags: [core]}", handMade(t))
	g := l.pve.vms[108]
	config := object(runtimeCopy(g.config))

	last := l.approved()
	l.did("adopt 108", "change agent, description, name, tags of 108")
	l.says(last, map[string]string{
		"MachineReady": "Running", "VMIDInUse": "NumberAdopted", "BootstrapCurrent": "Adopted", "ReplacementRequired": "NotRequired", "RebootPending": "NothingPending",
	})

	if diff := cmp.Diff([]string{"vm"}, names(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}

	if p := policies(vm(last)); p != "Observe,Create,Update,Delete" {
		t.Errorf("policies %s", p)
	}

	annotations := annotationsOf(last, "vm")
	if annotations[proxmox.ExternalNameAnnotation] != "108" || annotations[proxmox.AdoptedAnnotation] != "true" {
		t.Errorf("annotations %v", annotations)
	}

	// What it has, it is written to have: what is left out the provider takes away.
	p := forProvider(last, "vm")
	for field, has := range config {
		if slices.Contains([]string{"name", "tags", "agent"}, field) {
			continue
		}

		if diff := cmp.Diff(essence(has), essence(p[field])); diff != "" {
			t.Errorf("%s: -the VM has, +rendered:\n%s", field, diff)
		}
	}

	if p["rebootAfterUpdate"] != false || p["started"] != true {
		t.Errorf("started %v, rebootAfterUpdate %v", p["started"], p["rebootAfterUpdate"])
	}

	if g.running == nil || object(g.running)["name"] != "nas" {
		t.Error("the VM was stopped meanwhile")
	}
}

// TestLifeAfterAnAdoption: it is a machine like any other then.
func TestLifeAfterAnAdoption(t *testing.T) {
	l := adopting(t, plain, handMade(t))
	settled := l.approved()

	// The word is not asked for again, and neither is the number.
	delete(specOf(l.world), "adopt")
	l.only(settled, l.rest(), nil)

	specOf(l.world)["adopt"] = map[string]any{"vmId": 109.0, "approve": "abcdef0123"}
	l.only(settled, l.rest(), nil)
	delete(specOf(l.world), "adopt")

	l.pve.done = nil
	specOf(l.world)["size"] = map[string]any{"cores": 6}
	changed := l.rest()
	l.says(changed, map[string]string{"RebootPending": "ChangesPending", "MachineReady": "Running"})
	l.did("change cpu of 108")
	l.only(settled, changed, func(d map[string]*fnv1.Resource) {
		set(d, "vm", []any{map[string]any{"cores": 6, "sockets": 1, "type": "host", "numa": false}}, "spec", "forProvider", "cpu")
		set(d, "vm", `{"spec.size.cores":"3"}`, "metadata", "annotations", proxmox.RebootPendingAnnotation)
	})

	// What it had from the start a claim cannot have back by silence: it keeps what it was written to have.
	specOf(l.world)["firmware"] = map[string]any{"type": "uefi"}
	l.says(l.rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})
	l.did()
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
		"Silent":   {reason: "It is there, and cannot be read.", vm: handMade(t, "agent: [{enabled: true}]"), silent: true, says: "AdoptionTargetSilent", number: "NumberAdopted"},
		"Template": {reason: "The provider would shut a template down.", vm: handMade(t, "template: true"), says: "AdoptionTargetUnfit", number: "NumberAdopted"},
		"Gap": {
			reason: "The provider would fill the gap with an interface.",
			vm:     handMade(t, "networkDevice: [{bridge: vmbr0, model: virtio}, {bridge: ''}, {bridge: vmbr1, model: virtio}]"), says: "AdoptionTargetUnfit", number: "NumberAdopted",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := adopting(t, plain, tc.vm)
			if tc.vm != nil {
				l.pve.vms[108].silent = tc.silent
			}

			object(specOf(l.world)["adopt"])["approve"] = "abcdef0123"
			last := l.rest()
			l.says(last, map[string]string{"MachineReady": tc.says, "VMIDInUse": tc.number})

			if p := policies(vm(last)); p != "Observe" {
				t.Errorf("%s\nthe VM has policies %s", tc.reason, p)
			}

			if plan := adoptionOf(last)["plan"]; plan != nil {
				t.Errorf("%s\nthere is a plan to approve: %v", tc.reason, plan)
			}

			for range 5 {
				l.turn()
			}

			l.did()

			// Somebody mends it.
			l.pve.foreign(108, handMade(t))
			delete(object(specOf(l.world)["adopt"]), "approve")
			l.says(l.rest(), map[string]string{"MachineReady": "WaitingForApproval"})
			l.did()
		})
	}
}

// TestAnotherMachinesVMIsNotAdopted, also with the right plan, until the other one lets go of it.
func TestAnotherMachinesVMIsNotAdopted(t *testing.T) {
	other := newLab(t, story(t, "nixos/docker01"))
	object(specOf(other.world)["proxmox"])["vmId"] = 108.0
	specOf(other.world)["deletionPolicy"] = "Orphan"
	other.rest()
	other.did("make 108")

	l := other.beside(adopting(t, plain, nil).world)
	last := l.rest()
	l.says(last, map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberClaimed"})

	if a := adoptionOf(last); a["plan"] != nil || a["changes"] != nil {
		t.Errorf("what is another's is planned: %v", a)
	}

	// The plan is the same as soon as nobody has the VM; to know it before is of no use.
	object(specOf(l.world)["adopt"])["approve"] = "abcdef0123"
	l.rest()
	l.did()
	delete(object(specOf(l.world)["adopt"]), "approve")

	other.leave()
	l.did("let go of 108")
	l.says(l.rest(), map[string]string{"MachineReady": "WaitingForApproval"})
	l.says(l.approved(), map[string]string{"MachineReady": "Running"})
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
			l := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, tags: [old], power: "+tc.power+"}", handMade(t, "started: "+tc.started))

			l.rest()
			plan := slices.DeleteFunc(asList(adoptionOf(l.turn())["changes"]), func(c any) bool { return !strings.HasPrefix(c.(string), "spec.power") })

			if diff := cmp.Diff(tc.plan, plan); diff != "" && len(tc.plan)+len(plan) > 0 {
				t.Errorf("%s\nplan: -want, +got:\n%s", tc.reason, diff)
			}

			l.says(l.approved(), map[string]string{"MachineReady": tc.says})
			l.did(append([]string{"adopt 108", "change agent, description of 108"}, tc.done...)...)
		})
	}
}
