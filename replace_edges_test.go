package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestAFixedNumber: both VMs exist for a while, so the new one needs another.
func TestAFixedNumber(t *testing.T) {
	l := newLab(t, story(t, "nixos/dns01"))
	l.rest()
	l.did("make 153")

	settled := l.turn()
	l.replace("a")

	blocked := l.rest()
	l.only(settled, blocked, nil)
	l.says(blocked, map[string]string{"ReplacementRequired": "ReplacementBlocked", "MachineReady": "Running"})
	l.did()

	// Another one that is somebody's: nothing happens to the old VM, though it would have to stop first.
	l.pve.foreign(154, handMade(t))
	object(specOf(l.world)["proxmox"])["vmId"] = 154.0

	taken := l.rest()
	l.says(taken, map[string]string{"ReplacementRequired": "Replacing", "VMIDInUse": "NumberTaken", "MachineReady": "Running"})
	l.did()

	if diff := cmp.Diff(desired(settled, "vm"), desired(taken, "vm")); diff != "" {
		t.Errorf("the old VM: -before, +now:\n%s", diff)
	}

	object(specOf(l.world)["proxmox"])["vmId"] = 155.0
	l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "VMIDInUse": "NumberFree", "MachineReady": "Running"})
	l.did("change onBoot of 153", "stop 153", "make 155", "destroy 153")
}

// TestANumberFromARange: the new VM gets another one of the range, never the old one's.
func TestANumberFromARange(t *testing.T) {
	l, old := withRange(t, 4000, 4001)
	l.rest()
	l.replace("a")
	l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

	next := 8001 - old
	l.did(fmt.Sprintf("make %d", old), fmt.Sprintf("change onBoot of %d", old), fmt.Sprintf("stop %d", old), fmt.Sprintf("make %d", next), fmt.Sprintf("destroy %d", old))
}

// TestAnotherWordMeanwhile: the VM of the first word is in nobody's place.
func TestAnotherWordMeanwhile(t *testing.T) {
	l, _ := living1(t, "nixos/dns01", dhcp)
	l.replace("a")
	l.turn()
	l.turn()
	l.did("make 101")

	l.stuck = []string{"vm-"}
	l.forget("vm-")
	l.replace("b")
	l.turn()
	l.stuck = nil

	last := l.rest()
	l.did("destroy 101", "make 101", "destroy 100")

	if n := vmNames(last); len(n) != 1 || annotationsOf(last, n[0])["homelab.io/replace-tokens"] != "b" {
		t.Errorf("VMs %v", n)
	}
}

// TestAnAdoptedVMIsReplaced by one of ours, from an image and snippets.
func TestAnAdoptedVMIsReplaced(t *testing.T) {
	l := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, deletionPolicy: Orphan, nix: {flakeRef: 'git+https://git.home.arpa/infra#nas'}}", handMade(t))
	l.approved()
	l.pve.done = nil
	l.replace("a")

	last := l.rest()
	l.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running", "BootstrapCurrent": "Current"})
	l.did("make 100", "change onBoot of 108", "stop 108", "let go of 108")

	if diff := cmp.Diff([]string{"meta-data", "user-data", "vm"}, kinds(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}
}

// TestAWordOnAVMThatCouldNotBeMade replaces nothing, since there is nothing.
func TestAWordOnAVMThatCouldNotBeMade(t *testing.T) {
	l := newLab(t, story(t, "nixos/dns01"))
	l.turn()
	l.fails["vm"] = "create failed: apply failed: VM clone: All attempts fail: #1: error cloning VM: the requested resource does not exist"
	l.turn()
	l.replace("a")

	last := l.turn()
	if diff := cmp.Diff([]string{"vm"}, vmNames(last)); diff != "" {
		t.Errorf("VMs: -want, +got:\n%s", diff)
	}

	delete(l.fails, "vm")
	l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
	l.did("make 153")
}

// TestANewVMThatCouldNotBeMade: the old one runs on, or starts again when the word is taken back, and an edit mends the new one.
func TestANewVMThatCouldNotBeMade(t *testing.T) {
	l, settled := living1(t, "plain-debian/files01")
	l.replace("a")
	specOf(l.world)["image"] = "local:import/typo.qcow2"

	name := ""

	for range 6 {
		l.turn()

		for _, n := range later(l.call()) {
			name = n
			l.fails[n] = "create failed: apply failed: unable to create VM 101 - cannot import from 'local:import/typo.qcow2'"
		}
	}

	l.did("change onBoot of 100", "stop 100")
	l.says(l.turn(), map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "ProviderError", "ProviderHealthy": "ConfigurationError"})

	specOf(l.world)["image"] = "local:import/right.qcow2"
	l.turn()

	if got := object(asList(forProvider(l.call(), name)["disk"])[0])["importFrom"]; got != "local:import/right.qcow2" {
		t.Errorf("the new VM is still made from %v", got)
	}

	l.replace("")
	specOf(l.world)["image"] = "debian-12"
	clear(l.fails)
	l.only(settled, l.rest(), nil)
	l.did("change onBoot of 100", "start 100")
}

// TestTheTokenIsMissing: the old server or agent is not stopped for a new one that cannot be made.
func TestTheTokenIsMissing(t *testing.T) {
	l, settled := living1(t, "k3s-cluster/agent-1")
	secrets := l.secrets
	l.secrets = nil
	l.replace("a")

	waiting := l.rest()
	l.did()
	l.says(waiting, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Running"})

	if diff := cmp.Diff(desired(settled, "vm"), desired(waiting, "vm")); diff != "" {
		t.Errorf("the old VM: -before, +now:\n%s", diff)
	}

	l.secrets = secrets
	l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
}

// TestAnotherNode: the claim's new node is the new VM's, and the old one stays where it is.
func TestAnotherNode(t *testing.T) {
	l, _ := living1(t, "k3s-cluster/agent-1", "network: {dhcp: true}")
	old := l.number()
	object(specOf(l.world)["proxmox"])["node"] = "pve3"
	l.says(l.rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})
	l.did()

	l.replace("a")

	for range 3 {
		if g := l.pve.vms[old]; g != nil && g.node() != "pve1" {
			t.Errorf("the old VM is on %s", g.node())
		}

		l.turn()
	}

	l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

	if got := l.pve.vms[l.number()].node(); got != "pve3" {
		t.Errorf("the new VM is on %s", got)
	}
}

// TestAnotherImage: when the old VM is gone, nobody looks after its image any more; the file stays on the node.
func TestAnotherImage(t *testing.T) {
	l, settled := living1(t, "plain-debian/files01")
	l.replace("a")
	specOf(l.world)["image"] = "ubuntu-24.04"

	last := l.rest()
	images := slices.DeleteFunc(names(last), func(n string) bool { return !strings.HasPrefix(n, "image") })

	if len(images) != 1 || slices.Contains(names(settled), images[0]) {
		t.Errorf("images %v", images)
	}
}

// TestPolicyMeanwhile: what becomes of the old VM is what the claim says when it goes.
func TestPolicyMeanwhile(t *testing.T) {
	for stage := range 6 {
		for before, after := range map[string]string{"Delete": "Orphan", "Orphan": "Delete"} {
			t.Run(fmt.Sprintf("%d%s", stage, after), func(t *testing.T) {
				l, _ := living1(t, "nixos/dns01", dhcp, "deletionPolicy: "+before)
				l.replace("a")

				for range stage {
					l.turn()
				}

				gone := l.happened("destroy 100") >= 0 || l.happened("let go of 100") >= 0
				specOf(l.world)["deletionPolicy"] = after
				l.rest()

				want := map[bool]string{true: "destroy 100", false: "let go of 100"}[(after == "Delete") != gone]
				if l.happened(want) < 0 {
					t.Errorf("want %s, got %v", want, l.pve.done)
				}
			})
		}
	}
}

// TestAStoppedVMIsNotStarted, when it was stopped by hand before and its replacement is taken back.
func TestAStoppedVMIsNotStarted(t *testing.T) {
	l, _ := living1(t, "nixos/dns01", "power: Unmanaged")
	l.pve.stop(100)
	settled := l.rest()
	l.says(settled, map[string]string{"MachineReady": "Stopped"})
	l.replace("a")

	for range 4 {
		if l.turn(); l.happened("make 101") >= 0 {
			l.stuck = []string{"vm-"}
			l.forget("vm-")
		}
	}

	l.stuck = nil
	l.replace("")

	last := l.rest()
	l.only(settled, last, nil)

	if l.happened("start 100") >= 0 {
		t.Errorf("a VM that somebody stopped was started: %v", l.pve.done)
	}
}

// TestTakenBackAtAnyTime before the new VM was ready: nothing of it is left.
func TestTakenBackAtAnyTime(t *testing.T) {
	for stage := range 6 {
		for name, edit := range map[string]string{"SideBySide": dhcp, "OneAfterTheOther": "tags: [core]"} {
			t.Run(fmt.Sprintf("%s%d", name, stage), func(t *testing.T) {
				l, settled := living1(t, "nixos/dns01", edit)
				l.replace("a")

				for range stage {
					l.turn()
				}

				if n := later(l.call()); len(n) > 0 && annotationsOf(l.call(), n[0])[proxmox.CandidateAnnotation] == nil {
					return // It was ready: too late.
				}

				l.replace("")
				l.only(settled, l.rest(), nil)
			})
		}
	}
}

// TestAttemptsLeaveNothing: snippets and images that were got ready for a new VM, and were not what it was made from, go.
func TestAttemptsLeaveNothing(t *testing.T) {
	l, settled := living1(t, "plain-debian/files01", "deletionPolicy: Orphan")
	l.replace("a")

	for _, zone := range []string{"Europe/Berlin", "Europe/Paris", "Europe/Rome"} {
		specOf(l.world)["bootstrap"] = map[string]any{"adminUser": "debian", "userData": "#cloud-config\ntimezone: " + zone + "\n"}
		specOf(l.world)["image"] = map[string]any{"Europe/Berlin": "ubuntu-24.04", "Europe/Paris": "ubuntu-26.04", "Europe/Rome": "debian-13"}[zone]
		l.turn()
	}

	last := l.rest()
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, kinds(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}

	for _, n := range names(last) {
		if n != "vm" && slices.Contains(names(settled), n) {
			t.Errorf("%s of the old VM is still there", n)
		}
	}
}
