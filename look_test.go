package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// handMade is a VM that somebody made in Proxmox, as the provider reports it.
func handMade(t *testing.T, edits ...string) map[string]any {
	t.Helper()

	vm := fromYAML(t, `
name: nas
nodeName: pve
started: true
onBoot: true
tags: [old]
bios: seabios
machine: pc
scsiHardware: virtio-scsi-pci
bootOrder: [scsi0, ide2]
acpi: true
tabletDevice: true
keyboardLayout: de
operatingSystem: [{type: l26}]
cpu: [{cores: 3, sockets: 1, type: host, numa: false}]
memory: [{dedicated: 6144, floating: 2048}]
agent: [{enabled: false, timeout: 15m, trim: true, type: virtio}]
disk:
- {interface: scsi0, datastoreId: local-zfs, size: 64, fileFormat: raw, pathInDatastore: vm-108-disk-0, aio: io_uring, backup: true, cache: none, discard: ignore, iothread: false, replicate: true, ssd: false}
- {interface: sata1, datastoreId: tank, size: 500, fileFormat: raw, pathInDatastore: vm-108-disk-1, aio: native, backup: false, cache: writeback, discard: ignore, iothread: false, replicate: true, ssd: false}
networkDevice: [{bridge: vmbr0, model: e1000, macAddress: "BC:24:11:AA:BB:CC", firewall: true, enabled: true}]
initialization: [{datastoreId: local-zfs, interface: ide2, ipConfig: [{ipv4: [{address: 192.168.4.8/24, gateway: 192.168.4.1}]}], userAccount: [{username: admin, keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam old@home"]}]}]
vga: [{type: qxl, memory: 32}]
`)

	for _, e := range edits {
		merge(vm, fromYAML(t, e))
	}

	return vm
}

// TestANumberIsLookedAtFirst follows a new machine with a number of its own.
func TestANumberIsLookedAtFirst(t *testing.T) {
	l := newLab(t, story(t, "nixos/dns01"))

	first := l.turn()
	if diff := cmp.Diff([]string{"meta-data", "user-data", "vm"}, kinds(first)); diff != "" {
		t.Errorf("snippets and look go out at once: -want, +got:\n%s", diff)
	}

	if p, e := policies(vm(first)), annotationsOf(first, "vm")[proxmox.ExternalNameAnnotation]; p != "Observe" || e != "pve/153" {
		t.Errorf("the look has policies %s and external name %v", p, e)
	}

	l.says(first, map[string]string{"VMIDInUse": "Looking", "MachineReady": "WaitingForSnippets"})
	l.did()

	second := l.turn()
	l.only(first, second, func(d map[string]*fnv1.Resource) {
		set(d, "vm", []any{"Observe", "Create", "Update", "Delete"}, "spec", "managementPolicies")
		set(d, "vm", "153", "metadata", "annotations", proxmox.ExternalNameAnnotation)
	})
	l.says(second, map[string]string{"VMIDInUse": "NumberFree"})
	l.did("make 153")

	// It is the machine's own now, and nobody looks any more.
	last := l.rest()
	l.only(second, last, func(d map[string]*fnv1.Resource) {
		delete(d["vm"].GetResource().GetFields()["metadata"].GetStructValue().GetFields()["annotations"].GetStructValue().GetFields(), proxmox.SeenInCheckAnnotation)
	})
	l.says(last, map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})

	if asked := last.GetRequirements().GetResources(); asked[neighboursRequirement] != nil {
		t.Errorf("a living machine asks for %v", asked)
	}

	l.did()
}

// TestTheLookIsWhole: what is looked at is what will be made, so that the look's answer is about it.
func TestTheLookIsWhole(t *testing.T) {
	l := newLab(t, story(t, "plain-debian/files01"))
	looked := l.turn()
	made := l.turn()

	if diff := cmp.Diff(forProvider(looked, "vm"), forProvider(made, "vm")); diff != "" {
		t.Errorf("-looked at, +made:\n%s", diff)
	}
}

func TestATakenNumber(t *testing.T) {
	cases := map[string]struct {
		reason string
		vm     map[string]any
		silent bool
		says   string
	}{
		"HereByHand":  {reason: "Somebody made it on the node of the claim.", vm: handMade(t), says: "taken by VM 153 (`nas`) on node pve"},
		"OnOtherNode": {reason: "A number is the whole cluster's.", vm: handMade(t, "nodeName: pve9"), says: "pve9"},
		"Stopped":     {reason: "A VM that does not run is somebody's all the same.", vm: handMade(t, "started: false"), says: "taken by"},
		"Silent": {
			reason: "The provider found it, and waits for its guest agent until its time is over.",
			vm:     handMade(t, "agent: [{enabled: true}]"), silent: true, says: "cannot be read",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, story(t, "nixos/dns01"))
			g := l.pve.foreign(153, tc.vm)
			g.silent = tc.silent
			before := runtimeCopy(g.config)

			first := l.turn()
			last := l.rest()
			l.only(first, last, nil)
			l.says(last, map[string]string{"VMIDInUse": "NumberTaken", "MachineReady": "VMIDInUse", "SpecValid": "Valid"})

			if m := messageOf(last, "VMIDInUse"); !strings.Contains(m, tc.says) {
				t.Errorf("%s\nthe message does not say %q: %s", tc.reason, tc.says, m)
			}

			if last.GetDesired().GetResources()["vm"].GetReady() != fnv1.Ready_READY_FALSE {
				t.Errorf("%s\na machine without a VM counts as ready", tc.reason)
			}

			for range 10 {
				l.turn()
			}

			l.did()

			if diff := cmp.Diff(before, any(g.config)); diff != "" {
				t.Errorf("%s\nthe other VM changed: -before, +after:\n%s", tc.reason, diff)
			}

			// Somebody makes room.
			delete(l.pve.vms, 153)

			last = l.rest()
			l.says(last, map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
			l.did("make 153")
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
			l := newLab(t, story(t, "nixos/dns01"))
			l.fails["vm"] = message
			first := l.turn()

			for range 5 {
				l.only(first, l.turn(), nil)
			}

			l.did()
			delete(l.fails, "vm")
			l.says(l.rest(), map[string]string{"MachineReady": "Running"})
			l.did("make 153")
		})
	}
}

// TestAnAnswerIsAboutItsQuestion: the claim's number changes while the provider looks.
func TestAnAnswerIsAboutItsQuestion(t *testing.T) {
	l := newLab(t, story(t, "nixos/dns01"))
	l.pve.foreign(154, handMade(t))
	l.turn()

	// 153 was found free. Nobody asked for 154 yet.
	object(specOf(l.world)["proxmox"])["vmId"] = 154.0
	l.stuck = []string{"vm"}

	for range 3 {
		rsp := l.turn()
		if p, e := policies(vm(rsp)), annotationsOf(rsp, "vm")[proxmox.ExternalNameAnnotation]; p != "Observe" || e != "pve/154" {
			t.Errorf("the look has policies %s and external name %v", p, e)
		}

		l.says(rsp, map[string]string{"VMIDInUse": "Looking"})
	}

	l.stuck = nil
	l.says(l.rest(), map[string]string{"VMIDInUse": "NumberTaken"})
	l.did()

	// The other way round: what was taken says nothing of the next number.
	object(specOf(l.world)["proxmox"])["vmId"] = 155.0
	l.says(l.turn(), map[string]string{"VMIDInUse": "Looking"})
	l.says(l.rest(), map[string]string{"MachineReady": "Running"})
	l.did("make 155")
}

// TestANumberAfterAFailureIsLookedAt, too: what could not be made with one number may be another's with the next.
func TestANumberAfterAFailureIsLookedAt(t *testing.T) {
	l := newLab(t, story(t, "nixos/dns01"))
	l.pve.foreign(154, handMade(t))
	l.turn()

	l.fails["vm"] = "create failed: apply failed: VM clone: All attempts fail: #1: error cloning VM: the requested resource does not exist"
	l.turn()
	l.turn()

	object(specOf(l.world)["proxmox"])["vmId"] = 154.0
	rsp := l.turn()

	if p := policies(vm(rsp)); p != "Observe" {
		t.Errorf("a VM that could not be made is tried with another number at once: %s", p)
	}

	delete(l.fails, "vm")
	l.says(l.rest(), map[string]string{"VMIDInUse": "NumberTaken"})

	object(specOf(l.world)["proxmox"])["vmId"] = 153.0
	l.says(l.rest(), map[string]string{"MachineReady": "Running"})
	l.did("make 153")
}

// TestAMachineWithoutANumberIsNotLookedAt: Proxmox takes the next free one, which nobody has.
func TestAMachineWithoutANumberIsNotLookedAt(t *testing.T) {
	l := newLab(t, story(t, "nixos/dns01"))
	delete(object(specOf(l.world)["proxmox"]), "vmId")
	l.pve.foreign(100, handMade(t))

	if d := desired(l.turn(), "vm"); d != nil {
		t.Errorf("a VM without a number is looked at: %v", d["metadata"])
	}

	l.says(l.rest(), map[string]string{"VMIDInUse": "NumberFree", "MachineReady": "Running"})
	l.did("make 101")
}

// TestANumberIsTakenOut of the claim while it is looked at: the look ends with its managed resource, and Proxmox chooses.
func TestANumberIsTakenOut(t *testing.T) {
	for name, taken := range map[string]bool{"Free": false, "Taken": true} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, story(t, "nixos/dns01"))
			l.stuck = []string{"user-data"}

			if taken {
				l.pve.foreign(153, handMade(t))
			}

			l.turn()
			l.turn()
			delete(object(specOf(l.world)["proxmox"]), "vmId")

			if d := desired(l.turn(), "vm"); d != nil {
				t.Errorf("the provider would take what it looked at: %v", d["metadata"])
			}

			l.stuck = nil
			l.says(l.rest(), map[string]string{"MachineReady": "Running"})
			l.did("make 100")
		})
	}
}

// TestWhatALookSawIsForgotten: a VM had the number and went. What the provider saw of it stands in the managed resource until
// it sees the VM that was made with the number then.
func TestWhatALookSawIsForgotten(t *testing.T) {
	l := newLab(t, story(t, "nixos/dns01"))
	l.pve.foreign(153, handMade(t))
	l.says(l.rest(), map[string]string{"VMIDInUse": "NumberTaken"})
	delete(l.pve.vms, 153)

	marked := false

	for range 8 {
		rsp := l.turn()
		if policies(vm(rsp)) == "Observe" {
			continue
		}

		status := statusOf(rsp)
		if annotationsOf(rsp, "vm")[proxmox.SeenInCheckAnnotation] != nil {
			marked = true

			if status["vmId"] != nil || status["primaryAddress"] != nil {
				t.Errorf("the other VM's number and address are told: %v", status)
			}
		}
	}

	if !marked {
		t.Error("nothing tells what the provider reports from what it saw of the other VM")
	}

	last := l.rest()
	l.says(last, map[string]string{"MachineReady": "Running"})
	l.did("make 153")

	if annotationsOf(last, "vm")[proxmox.SeenInCheckAnnotation] != nil {
		t.Error("the mark stays, and would hide what the provider reports after the next change")
	}
}
