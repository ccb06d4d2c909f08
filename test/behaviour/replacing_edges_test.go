package behaviour

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestAFixedNumber: both VMs exist for a while, so the new one needs another.
func TestAFixedNumber(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Rest()
	m.did("make 153")

	settled := m.Turn()
	m.replace("a")

	blocked := m.Rest()
	m.only(settled, blocked, nil)
	m.says(blocked, map[string]string{"ReplacementRequired": "ReplacementBlocked", "MachineReady": "Running"})
	m.did()

	// Another one that is somebody's: nothing happens to the old VM, though it would have to stop first.
	m.Proxmox.ByHand(154, fake.HandMade(t))
	world.Object(m.Spec()["proxmox"])["vmId"] = 154.0

	taken := m.Rest()
	m.says(taken, map[string]string{"ReplacementRequired": "Replacing", "VMIDInUse": "NumberTaken", "MachineReady": "Running"})
	m.did()

	if diff := cmp.Diff(world.Desired(settled, "vm"), world.Desired(taken, "vm")); diff != "" {
		t.Errorf("the old VM: -before, +now:\n%s", diff)
	}

	world.Object(m.Spec()["proxmox"])["vmId"] = 155.0
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "VMIDInUse": "NumberFree", "MachineReady": "Running"})
	m.did("change onBoot of 153", "stop 153", "make 155", "destroy 153")
}

// TestANumberFromARange: the new VM gets another one of the range, never the old one's.
func TestANumberFromARange(t *testing.T) {
	m, old := withRange(t, 4000, 4001)
	m.Rest()
	m.replace("a")
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

	next := 8001 - old
	m.did(fmt.Sprintf("make %d", old), fmt.Sprintf("change onBoot of %d", old), fmt.Sprintf("stop %d", old), fmt.Sprintf("make %d", next), fmt.Sprintf("destroy %d", old))
}

// TestAnotherTriggerMeanwhile: the VM of the first trigger replaces nothing.
func TestAnotherTriggerMeanwhile(t *testing.T) {
	m, _ := living(t, "nixos/dns01", dhcp)
	m.replace("a")
	m.Turn()
	m.Turn()
	m.did("make 101")

	m.Provider.Stuck = []string{"vm-"}
	m.forget("vm-")
	m.replace("b")
	m.Turn()
	m.Provider.Stuck = nil

	last := m.Rest()
	m.did("make 102", "destroy 101", "destroy 100")

	if n := world.VMNames(last); len(n) != 1 || world.Annotations(last, n[0])["homelab.io/replace-tokens"] != "b" {
		t.Errorf("VMs %v", n)
	}
}

// TestAnAdoptedVMIsReplaced by one of ours, from an image and snippets.
func TestAnAdoptedVMIsReplaced(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, deletionPolicy: Orphan, nix: {flakeRef: 'git+https://git.home.arpa/infra#nas'}}", fake.HandMade(t))
	m.approved()
	m.Proxmox.Done = nil
	m.replace("a")

	last := m.Rest()
	m.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running", "BootstrapCurrent": "Current"})
	m.did("make 100", "change onBoot of 108", "stop 108", "let go of 108")

	if diff := cmp.Diff([]string{"meta-data", "user-data", "vm"}, world.Stems(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}
}

// TestATriggerForAVMThatCouldNotBeCreated replaces nothing, since there is nothing.
func TestATriggerForAVMThatCouldNotBeCreated(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Turn()
	m.Provider.Fails["vm"] = "create failed: apply failed: VM clone: All attempts fail: #1: error cloning VM: the requested resource does not exist"
	m.Turn()
	m.replace("a")

	last := m.Turn()
	if diff := cmp.Diff([]string{"vm"}, world.VMNames(last)); diff != "" {
		t.Errorf("VMs: -want, +got:\n%s", diff)
	}

	delete(m.Provider.Fails, "vm")
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
	m.did("make 153")
}

// TestANewVMThatCouldNotBeMade: the old one runs on, or starts again when the trigger is taken back, and an edit mends the new one.
func TestANewVMThatCouldNotBeMade(t *testing.T) {
	m, settled := living(t, "plain-debian/files01")
	m.replace("a")
	m.Spec()["image"] = "local:import/typo.qcow2"

	name := ""

	for range 6 {
		m.Turn()

		for _, n := range later(m.Call()) {
			name = n
			m.Provider.Fails[n] = "create failed: apply failed: unable to create VM 101 - cannot import from 'local:import/typo.qcow2'"
		}
	}

	m.did("change onBoot of 100", "stop 100")
	m.says(m.Turn(), map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "ProviderError", "ProviderHealthy": "ConfigurationError"})

	m.Spec()["image"] = "local:import/right.qcow2"
	m.Turn()

	if got := world.Object(world.List(world.ForProvider(m.Call(), name)["disk"])[0])["importFrom"]; got != "local:import/right.qcow2" {
		t.Errorf("the new VM is still made from %v", got)
	}

	m.replace("")
	m.Spec()["image"] = "debian-12"
	clear(m.Provider.Fails)
	m.only(settled, m.Rest(), nil)
	m.did("change onBoot of 100", "start 100")
}

// TestTheTokenIsMissing: the old server or agent is not stopped for a new one that cannot be made.
func TestTheTokenIsMissing(t *testing.T) {
	m, settled := living(t, "k3s-cluster/agent-1")
	secrets := m.Secrets
	m.Secrets = nil
	m.replace("a")

	waiting := m.Rest()
	m.did()
	m.says(waiting, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Running"})

	if diff := cmp.Diff(world.Desired(settled, "vm"), world.Desired(waiting, "vm")); diff != "" {
		t.Errorf("the old VM: -before, +now:\n%s", diff)
	}

	m.Secrets = secrets
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
}

// TestAnotherNode: the claim's new node is the new VM's, and the old one stays where it is.
func TestAnotherNode(t *testing.T) {
	m, _ := living(t, "k3s-cluster/agent-1", "network: {dhcp: true}")
	old := m.number()
	world.Object(m.Spec()["proxmox"])["node"] = "pve3"
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})
	m.did()

	m.replace("a")

	for range 3 {
		if g := m.Proxmox.VMs[old]; g != nil && g.Node() != "pve1" {
			t.Errorf("the old VM is on %s", g.Node())
		}

		m.Turn()
	}

	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

	if got := m.Proxmox.VMs[m.number()].Node(); got != "pve3" {
		t.Errorf("the new VM is on %s", got)
	}
}

// TestAnotherImage: when the old VM is gone, nothing manages its image any more; the file stays on the node.
func TestAnotherImage(t *testing.T) {
	m, settled := living(t, "plain-debian/files01")
	m.replace("a")
	m.Spec()["image"] = "ubuntu-24.04"

	last := m.Rest()
	images := slices.DeleteFunc(world.Names(last), func(n string) bool { return !strings.HasPrefix(n, "image") })

	if len(images) != 1 || slices.Contains(world.Names(settled), images[0]) {
		t.Errorf("images %v", images)
	}
}

// TestPolicyMeanwhile: what becomes of the old VM is what the claim says when it goes.
func TestPolicyMeanwhile(t *testing.T) {
	for stage := range 6 {
		for before, after := range map[string]string{"Delete": "Orphan", "Orphan": "Delete"} {
			t.Run(fmt.Sprintf("%d%s", stage, after), func(t *testing.T) {
				m, _ := living(t, "nixos/dns01", dhcp, "deletionPolicy: "+before)
				m.replace("a")

				for range stage {
					m.Turn()
				}

				gone := m.happened("destroy 100") >= 0 || m.happened("let go of 100") >= 0
				m.Spec()["deletionPolicy"] = after
				m.Rest()

				want := map[bool]string{true: "destroy 100", false: "let go of 100"}[(after == "Delete") != gone]
				if m.happened(want) < 0 {
					t.Errorf("want %s, got %v", want, m.Proxmox.Done)
				}
			})
		}
	}
}

// TestAStoppedVMIsNotStarted, when it was stopped by hand before and its replacement is taken back.
func TestAStoppedVMIsNotStarted(t *testing.T) {
	m, _ := living(t, "nixos/dns01", "power: Unmanaged")
	m.Proxmox.Stop(100)
	settled := m.Rest()
	m.says(settled, map[string]string{"MachineReady": "Stopped"})
	m.replace("a")

	for range 4 {
		if m.Turn(); m.happened("make 101") >= 0 {
			m.Provider.Stuck = []string{"vm-"}
			m.forget("vm-")
		}
	}

	m.Provider.Stuck = nil
	m.replace("")

	last := m.Rest()
	m.only(settled, last, nil)

	if m.happened("start 100") >= 0 {
		t.Errorf("a VM that somebody stopped was started: %v", m.Proxmox.Done)
	}
}

// TestTakenBackAtAnyTime before the new VM was ready: nothing of it is left.
func TestTakenBackAtAnyTime(t *testing.T) {
	for stage := range 6 {
		for name, edit := range map[string]string{"SideBySide": dhcp, "OneAfterTheOther": "tags: [core]"} {
			t.Run(fmt.Sprintf("%s%d", name, stage), func(t *testing.T) {
				m, settled := living(t, "nixos/dns01", edit)
				m.replace("a")

				for range stage {
					m.Turn()
				}

				if n := later(m.Call()); len(n) > 0 && world.Annotations(m.Call(), n[0])[proxmox.CandidateAnnotation] == nil {
					return // It was ready: too late.
				}

				m.replace("")

				for range 12 {
					m.Turn()

					if name == "OneAfterTheOther" && len(m.running()) > 1 {
						t.Fatalf("VMs %v run with one name and one address: %v", m.running(), m.Proxmox.Done)
					}
				}

				m.only(settled, m.Rest(), nil)
			})
		}
	}
}

// TestAServerTakenBackWaits: its new VM, which a Usage keeps until its Node is cared for, has its name in etcd until it is gone.
func TestAServerTakenBackWaits(t *testing.T) {
	for turns := range 14 {
		t.Run(strconv.Itoa(turns), func(t *testing.T) {
			m := joined(t, 3, "Here", deletes)[0]
			m.replace("a")

			for range turns {
				m.Turn()
			}

			m.replace("")

			waited := false

			for range 20 {
				rsp := m.Turn()
				waited = waited || strings.Contains(world.Message(rsp, "MachineReady"), "starts again as soon as VM ")

				if len(m.running()) > 1 {
					t.Fatalf("VMs %v run with one name: %v", m.running(), m.Proxmox.Done)
				}
			}

			if len(m.running()) != 1 {
				t.Errorf("VMs %v run: %v", m.running(), m.Proxmox.Done)
			}

			if made := slices.ContainsFunc(m.Proxmox.Done, func(d string) bool { return strings.HasPrefix(d, "destroy ") }); made && turns > 8 && !waited {
				t.Errorf("nothing said what the old VM waits for: %v", m.Proxmox.Done)
			}
		})
	}
}

// TestAttemptsLeaveNothing: snippets and images that were got ready for a new VM, and were not what it was made from, go.
func TestAttemptsLeaveNothing(t *testing.T) {
	m, settled := living(t, "plain-debian/files01", "deletionPolicy: Orphan")
	m.replace("a")

	for _, zone := range []string{"Europe/Berlin", "Europe/Paris", "Europe/Rome"} {
		m.Spec()["bootstrap"] = map[string]any{"adminUser": "debian", "userData": "#cloud-config\ntimezone: " + zone + "\n"}
		m.Spec()["image"] = map[string]any{"Europe/Berlin": "ubuntu-24.04", "Europe/Paris": "ubuntu-26.04", "Europe/Rome": "debian-13"}[zone]
		m.Turn()
	}

	last := m.Rest()
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, world.Stems(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}

	for _, n := range world.Names(last) {
		if n != "vm" && slices.Contains(world.Names(settled), n) {
			t.Errorf("%s of the old VM is still there", n)
		}
	}
}

// TestReplacementThatCannotBegin: what a new VM lacks blocks the replacement, and says so. The VM that there is follows its claim: power,
// and above all that it outlives the claim. Once the fault is corrected, the replacement begins.
func TestReplacementThatCannotBegin(t *testing.T) {
	for name, lose := range map[string]func(data map[string]any) bool{
		"Class": losses()["Classes"], "Image": losses()["Images"], "Site": losses()["Sites"], "Everything": losses()["Everything"],
	} {
		t.Run(name, func(t *testing.T) {
			m := example(t, "nixos/dns01")
			world.Merge(m.Spec(), world.FromYAML(t, dhcp))
			world.Merge(m.Spec(), world.FromYAML(t, "{class: tiny, proxmox: {vmId: null}}"))

			before := world.Object(world.Copy(m.Catalogue))
			world.Object(before["data"])["classes"] = map[string]any{"tiny": map[string]any{"cores": 1.0, "memory": "1Gi", "disk": "30Gi"}}
			m.Catalogue = world.Object(world.Copy(before))
			m.Rest()
			m.Proxmox.Done = nil

			m.Catalogue = world.Object(world.Copy(before))
			if !lose(world.Object(m.Catalogue["data"])) {
				t.Fatal("the catalogue has nothing to lose")
			}

			m.replace("a")
			m.Spec()["deletionPolicy"], m.Spec()["power"] = "Orphan", "Stopped"
			blocked := m.Rest()
			m.says(blocked, map[string]string{"ReplacementRequired": "ReplacementBlocked", "SpecValid": "CatalogueEntryMissing"})

			if msg := world.Message(blocked, "ReplacementRequired"); !strings.Contains(msg, "No VM can be created from the claim and its catalogue") {
				t.Errorf("the condition does not say why: %s", msg)
			}

			vm := world.VMNames(blocked)
			if len(vm) != 1 || strings.Contains(world.Policies(world.Desired(blocked, vm[0])), "Delete") || world.ForProvider(blocked, vm[0])["started"] != false {
				t.Errorf("the VM does not follow its claim: %v", vm)
			}

			m.Catalogue = before
			m.Spec()["power"] = "Running"

			m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

			if m.happened("make") < 0 {
				t.Errorf("there is no new VM: %v", m.Proxmox.Done)
			}
		})
	}
}
