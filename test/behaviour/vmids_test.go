package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestAVMIDIsCheckedFirst follows a new machine with a number of its own.
func TestAVMIDIsCheckedFirst(t *testing.T) {
	m := example(t, "nixos/dns01")

	first := m.Turn()
	if diff := cmp.Diff([]string{"meta-data", "user-data", "vm"}, world.Stems(first)); diff != "" {
		t.Errorf("snippets and look go out at once: -want, +got:\n%s", diff)
	}

	if p, e := world.Policies(world.Desired(first, "vm")), world.Annotations(first, "vm")[world.ExternalName]; p != "Observe" || e != "pve/153" {
		t.Errorf("the look has policies %s and external name %v", p, e)
	}

	m.says(first, map[string]string{"VMIDInUse": "Looking", "MachineReady": "WaitingForSnippets"})
	m.did()

	// All that the VM needs is there. The provider is asked once more: by a change of the spec, which its answer is dated by.
	second := m.Turn()
	m.only(first, second, func(d map[string]*fnv1.Resource) { set(d, "vm", 1800.0, "spec", "forProvider", "timeoutCreate") })
	m.did()

	// What may be created may neither be changed nor deleted before it is known to be ours, and it does not run.
	third := m.Turn()
	m.only(first, third, func(d map[string]*fnv1.Resource) {
		set(d, "vm", []any{"Observe", "Create"}, "spec", "managementPolicies")
		set(d, "vm", false, "spec", "forProvider", "started")
		set(d, "vm", "153", "metadata", "annotations", world.ExternalName)
		set(d, "vm", "none", "metadata", "annotations", proxmox.CreatingAnnotation)
	})
	m.says(third, map[string]string{"VMIDInUse": "NumberFree"})
	m.did("make 153")

	if m.Proxmox.VMs[153].Running != nil {
		t.Error("the VM runs before it is known to be ours")
	}

	// It is the machine's own now, and no VMID is checked any more.
	last := m.Rest()
	m.only(first, last, func(d map[string]*fnv1.Resource) {
		set(d, "vm", []any{"Observe", "Create", "Update", "Delete"}, "spec", "managementPolicies")
		set(d, "vm", "153", "metadata", "annotations", world.ExternalName)
		set(d, "vm", "2026-01-01T00:00:01Z", "metadata", "annotations", proxmox.CreatedAnnotation)
	})
	m.says(last, map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})

	if asked := last.GetRequirements().GetResources(); asked[world.NeighboursRequirement] != nil {
		t.Errorf("a living machine asks for %v", asked)
	}

	m.did()
}

// TestTheCheckIsOfTheWholeVM: the provider checks the VM that it will create, so that its answer is about that VM. The image is
// awaited, so the first check is not the last question.
func TestTheCheckIsOfTheWholeVM(t *testing.T) {
	m := example(t, "plain-debian/files01")
	looked := world.ForProvider(m.Turn(), "vm")
	asked := world.ForProvider(m.Turn(), "vm")
	created := world.ForProvider(m.Turn(), "vm")
	followed := world.ForProvider(m.Turn(), "vm")

	if diff := cmp.Diff(looked, followed); diff != "" {
		t.Errorf("-looked at, +made:\n%s", diff)
	}

	looked["timeoutCreate"] = 1800.0
	if diff := cmp.Diff(looked, asked); diff != "" {
		t.Errorf("-looked at, +asked:\n%s", diff)
	}

	followed["started"] = false
	if diff := cmp.Diff(followed, created); diff != "" {
		t.Errorf("-made, +created:\n%s", diff)
	}
}

func TestATakenNumber(t *testing.T) {
	cases := map[string]struct {
		reason string
		vm     map[string]any
		silent bool
		says   string
	}{
		"HereByHand":  {reason: "Somebody made it on the node of the claim.", vm: fake.HandMade(t), says: "in use by VM 153 (`nas`) on node pve"},
		"OnOtherNode": {reason: "A number is the whole cluster's.", vm: fake.HandMade(t, "nodeName: pve9"), says: "pve9"},
		"Stopped":     {reason: "A VM that does not run is somebody's all the same.", vm: fake.HandMade(t, "started: false"), says: "in use by"},
		"Silent": {
			reason: "The provider found it, and waits for its guest agent until its time is over.",
			vm:     fake.HandMade(t, "agent: [{enabled: true}]"), silent: true, says: "the provider cannot read",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, "nixos/dns01")
			g := m.Proxmox.ByHand(153, tc.vm)
			g.Silent = tc.silent
			before := world.Copy(g.Config)

			first := m.Turn()
			last := m.Rest()
			m.only(first, last, nil)
			m.says(last, map[string]string{"VMIDInUse": "NumberTaken", "MachineReady": "VMIDInUse", "SpecValid": "Valid"})

			if msg := world.Message(last, "VMIDInUse"); !strings.Contains(msg, tc.says) {
				t.Errorf("%s\nthe message does not say %q: %s", tc.reason, tc.says, msg)
			}

			if last.GetDesired().GetResources()["vm"].GetReady() != fnv1.Ready_READY_FALSE {
				t.Errorf("%s\na machine without a VM counts as ready", tc.reason)
			}

			for range 10 {
				m.Turn()
			}

			m.did()

			if diff := cmp.Diff(before, any(g.Config)); diff != "" {
				t.Errorf("%s\nthe other VM changed: -before, +after:\n%s", tc.reason, diff)
			}

			// Somebody makes room.
			delete(m.Proxmox.VMs, 153)

			last = m.Rest()
			m.says(last, map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
			m.did("make 153")
		})
	}
}

// TestOnlyOneAnswerMeansFree: an error of any other kind leaves the question open.
func TestOnlyOneAnswerMeansFree(t *testing.T) {
	for name, message := range map[string]string{
		"Auth":       "observe failed: cannot run import: received an HTTP 401 response - Reason: invalid token value!",
		"Permission": "observe failed: error retrieving VM 153: received an HTTP 403 response - Reason: Permission check failed (/vms/153, VM.Audit)",
		"Offline":    "observe failed: error retrieving VM 153: received an HTTP 595 response - Reason: No route to host",
		"Config":     `connect failed: cannot get terraform setup: cannot get referenced ProviderConfig: ProviderConfig.proxmoxbpg.crossplane.io "default" not found`,
		"Storage":    "observe failed: storage 'nope' does not exist",
		"Resource":   "observe failed: the requested resource does not exist",
	} {
		t.Run(name, func(t *testing.T) {
			m := example(t, "nixos/dns01")
			m.Provider.Fails["vm"] = message
			m.Turn()

			first := m.Turn()

			for range 5 {
				m.only(first, m.Turn(), nil)
			}

			m.did()
			delete(m.Provider.Fails, "vm")
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.did("make 153")
		})
	}
}

// TestAnAnswerIsAboutItsQuestion: the claim's VMID changes during the check.
func TestAnAnswerIsAboutItsQuestion(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Proxmox.ByHand(154, fake.HandMade(t))
	m.Turn()

	// 153 was found free. Nobody asked for 154 yet.
	world.Object(m.Spec()["proxmox"])["vmId"] = 154.0
	m.Provider.Stuck = []string{"vm"}

	for range 3 {
		rsp := m.Turn()
		if p, e := world.Policies(world.Desired(rsp, "vm")), world.Annotations(rsp, "vm")[world.ExternalName]; p != "Observe" || e != "pve/154" {
			t.Errorf("the look has policies %s and external name %v", p, e)
		}

		m.says(rsp, map[string]string{"VMIDInUse": "Looking"})
	}

	m.Provider.Stuck = nil
	m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberTaken"})
	m.did()

	// The other way round: what was taken says nothing of the next number.
	world.Object(m.Spec()["proxmox"])["vmId"] = 155.0
	m.says(m.Turn(), map[string]string{"VMIDInUse": "Looking"})
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.did("make 155")
}

// TestAVMIDAfterAFailureIsChecked, too: what could not be made with one number may be another's with the next.
func TestAVMIDAfterAFailureIsChecked(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Proxmox.ByHand(154, fake.HandMade(t))
	m.Turn()

	m.Provider.Fails["vm"] = "create failed: apply failed: VM clone: All attempts fail: #1: error cloning VM: the requested resource does not exist"
	m.Turn()
	m.Turn()

	world.Object(m.Spec()["proxmox"])["vmId"] = 154.0
	rsp := m.Turn()

	if p := world.Policies(world.Desired(rsp, "vm")); p != "Observe" {
		t.Errorf("a VM that could not be made is tried with another number at once: %s", p)
	}

	delete(m.Provider.Fails, "vm")
	m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberTaken"})

	world.Object(m.Spec()["proxmox"])["vmId"] = 153.0
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.did("make 153")
}

// TestAMachineWithoutAVMIDIsNotChecked: Proxmox takes the next free one, which nobody has.
func TestAMachineWithoutAVMIDIsNotChecked(t *testing.T) {
	m := example(t, "nixos/dns01")
	delete(world.Object(m.Spec()["proxmox"]), "vmId")
	m.Proxmox.ByHand(100, fake.HandMade(t))

	if d := world.Desired(m.Turn(), "vm"); d != nil {
		t.Errorf("a VM without a number is looked at: %v", d["metadata"])
	}

	m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
	m.did("make 101")
}

// TestANumberIsTakenOut of the claim during its check: the managed resource of the check goes, and Proxmox chooses the VMID.
func TestANumberIsTakenOut(t *testing.T) {
	for name, taken := range map[string]bool{"Free": false, "Taken": true} {
		t.Run(name, func(t *testing.T) {
			m := example(t, "nixos/dns01")
			m.Provider.Stuck = []string{"user-data"}

			if taken {
				m.Proxmox.ByHand(153, fake.HandMade(t))
			}

			m.Turn()
			m.Turn()
			delete(world.Object(m.Spec()["proxmox"]), "vmId")

			if d := world.Desired(m.Turn(), "vm"); d != nil {
				t.Errorf("the provider would take what it looked at: %v", d["metadata"])
			}

			m.Provider.Stuck = nil
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.did("make 100")
		})
	}
}

// TestTheResultOfACheckIsForgotten: a VM had the number and went. What the provider saw of it stands in the managed resource until
// it sees the VM that was made with the number then.
func TestTheResultOfACheckIsForgotten(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Proxmox.ByHand(153, fake.HandMade(t))
	m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberTaken"})
	delete(m.Proxmox.VMs, 153)

	marked := false

	for range 8 {
		rsp := m.Turn()
		if world.Policies(world.Desired(rsp, "vm")) == "Observe" {
			continue
		}

		status := world.Status(rsp)
		if world.Annotations(rsp, "vm")[proxmox.SeenInCheckAnnotation] != nil {
			marked = true

			if status["vmId"] != nil || status["primaryAddress"] != nil {
				t.Errorf("the other VM's number and address are told: %v", status)
			}
		}
	}

	if !marked {
		t.Error("nothing tells what the provider reports from what it saw of the other VM")
	}

	last := m.Rest()
	m.says(last, map[string]string{"MachineReady": "Running"})
	m.did("make 153")

	if world.Annotations(last, "vm")[proxmox.SeenInCheckAnnotation] != nil {
		t.Error("the mark stays, and would hide what the provider reports after the next change")
	}
}

// TestANumberFromProxmoxStays: a VM that got the next free number keeps it, also when the catalogue gets a range later.
func TestANumberFromProxmoxStays(t *testing.T) {
	m := example(t, "plain-debian/files01")
	delete(world.Object(m.Spec()["proxmox"]), "vmId")

	first := m.Call()
	m.Apply(first)
	m.Provide()

	if id := world.Object(world.Object(world.Desired(m.Call(), "vm")["spec"])["forProvider"])["vmId"]; id != nil {
		t.Fatalf("a new VM has number %v, which nobody chose", id)
	}

	m.Settle()

	m.Catalogue = world.FromYAML(t, "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\n"+
		"data: {defaults: {site: home}, sites: {home: {vmIds: {from: 5000, to: 5100}, nodes: {pve: {}}}}}")

	rsp := m.Settle()
	if id := world.Object(world.Object(world.Desired(rsp, "vm")["spec"])["forProvider"])["vmId"]; id != 100.0 {
		t.Errorf("the VM's number became %v", id)
	}

	if got := world.Reason(rsp, "ReplacementRequired"); got != "NotRequired" {
		t.Errorf("ReplacementRequired: %s", got)
	}
}
