package behaviour

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A moment at which a person makes a VM with the VMID of a machine that is being created.
const (
	beforeTheCall   = "BeforeTheCall" // The function has not been called yet.
	afterTheCall    = "AfterTheCall"  // It has answered, and the provider has not looked yet.
	afterTheLook    = "AfterTheLook"  // The provider has looked; between its look and its creation, where it creates.
	someMomentsLong = 8
)

// TestSomebodyTakesTheVMID at every moment until the VM is there. The fakes fail the test wherever a VM that is not the machine's
// own is changed, started or may be deleted.
func TestSomebodyTakesTheVMID(t *testing.T) {
	people := map[string]func(t *testing.T, m *machine) map[string]any{
		"AnyVM":    func(t *testing.T, _ *machine) map[string]any { t.Helper(); return fake.HandMade(t) },
		"Stopped":  func(t *testing.T, _ *machine) map[string]any { t.Helper(); return fake.HandMade(t, "started: false") },
		"SameName": func(t *testing.T, m *machine) map[string]any { t.Helper(); return m.twin(t, nil) },
		// A backup of an earlier VM of the same claim has its name, notes and disks. Only the UUID tells.
		"Restored": func(t *testing.T, m *machine) map[string]any {
			t.Helper()
			return m.twin(t, map[string]any{"smbios": []any{map[string]any{"uuid": "11111111-2222-3333-4444-555555555555"}}})
		},
		// Its disks differ, whoever copied the UUID.
		"OtherDisks": func(t *testing.T, m *machine) map[string]any {
			t.Helper()
			return m.twin(t, map[string]any{"disk": []any{map[string]any{"interface": "sata0", "datastoreId": "tank", "size": 8.0}}})
		},
	}

	for _, claim := range []string{"nixos/dns01", "plain-debian/files01", "k3s-cluster/agent-1"} {
		for who, foreign := range people {
			for turn := range someMomentsLong {
				for _, moment := range []string{beforeTheCall, afterTheCall, afterTheLook} {
					t.Run(fmt.Sprint(claim, "/", who, "/", turn, moment), func(t *testing.T) {
						t.Parallel()
						taking(t, claim, turn, moment, foreign)
					})
				}
			}
		}
	}
}

// twin is a VM that has the name, the notes and the disks of the machine's VM to be, with some of it changed; and its UUID, too, where
// its disks are others.
func (m *machine) twin(t *testing.T, edits map[string]any) map[string]any {
	t.Helper()

	p, vm := world.ForProvider(m.Clone().Call(), "vm"), fake.HandMade(t)
	for _, field := range []string{"name", "description", "disk"} {
		vm[field] = p[field]
	}

	// Proxmox gives every VM a UUID.
	world.Merge(vm, world.FromYAML(t, anotherUUID))

	if edits["disk"] != nil && p["clone"] == nil {
		vm["smbios"] = p["smbios"]
	}

	world.Merge(vm, edits)

	return vm
}

func taking(t *testing.T, claim string, turn int, moment string, vm func(t *testing.T, m *machine) map[string]any) {
	t.Helper()

	m := example(t, claim)
	id := 4444
	world.Object(m.Spec()["proxmox"])["vmId"] = float64(id)

	taken := false
	take := func() {
		if taken || m.Proxmox.VMs[id] != nil {
			return
		}

		taken = true
		m.Proxmox.ByHand(id, vm(t, m))
	}

	for n := range someMomentsLong {
		if n == turn && moment == beforeTheCall {
			take()
		}

		rsp := m.Call()
		m.Apply(rsp)

		switch {
		case n == turn && moment == afterTheCall:
			take()
		case n == turn && moment == afterTheLook:
			m.Proxmox.BeforeCreate = func(int) { take() }
		}

		m.Provide()

		if m.Proxmox.BeforeCreate = nil; n == turn && moment == afterTheLook {
			take()
		}
	}

	last := m.Rest()

	if !taken {
		m.says(last, map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"})
		return
	}

	before := world.Copy([]any{m.Proxmox.VMs[id].Config, m.Proxmox.VMs[id].Running})

	// Where nothing of the machine's own was begun, the notes of the VM count: it may be the claim's of before.
	if says := world.Reason(last, "VMIDInUse"); says != "NumberTaken" && (says != "NumberMadeBefore" || !strings.Contains(fmt.Sprint(m.Proxmox.VMs[id].Config["description"]), "(homelab.io)")) {
		t.Errorf("VMIDInUse: %s", says)
	}

	m.says(last, map[string]string{"MachineReady": "VMIDInUse"})

	if p, e := world.Policies(world.Desired(last, "vm")), world.Annotations(last, "vm")[world.ExternalName]; p != "Observe" || !strings.HasSuffix(e.(string), "/4444") {
		t.Errorf("policies %s, external name %v", p, e)
	}

	if got := world.Status(last)["vmId"]; got != nil {
		t.Errorf("status.vmId: %v", got)
	}

	// Whatever the claim says next, the VM is left alone; and so it is when the claim goes.
	m.Spec()["tags"] = []any{"edited"}
	m.Spec()["power"] = "Stopped"
	m.Rest()
	m.Leave()

	if vm := m.Proxmox.VMs[id]; vm == nil || vm.Owner != "" || !reflect.DeepEqual(before, world.Copy([]any{vm.Config, vm.Running})) {
		t.Errorf("the VM is not what it was: %v", vm)
	}

	if slices.ContainsFunc(m.Proxmox.Done, func(d string) bool { return strings.Contains(d, "4444") }) {
		t.Errorf("done in Proxmox: %v", m.Proxmox.Done)
	}
}

// TestTheVMThatWasTakenGoes: the machine gets its VM once the other one is gone; and a range goes on with its next VMID.
func TestTheVMThatWasTakenGoes(t *testing.T) {
	for _, undated := range []bool{false, true} {
		t.Run(fmt.Sprint("Fixed", undated), func(t *testing.T) {
			m := example(t, "nixos/dns01")
			m.Provider.Undated = undated
			m.Proxmox.BeforeCreate = func(id int) { m.Proxmox.ByHand(id, fake.HandMade(t)) }
			m.says(m.Rest(), map[string]string{"VMIDInUse": "NumberTaken"})

			m.Proxmox.BeforeCreate = nil
			delete(m.Proxmox.VMs, 153)
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"})
			m.did("make 153")
		})

		t.Run(fmt.Sprint("Range", undated), func(t *testing.T) {
			m, id := withRange(t, 4000, 4003)
			m.Provider.Undated = undated
			m.Proxmox.BeforeCreate = func(asked int) {
				if asked == id {
					m.Proxmox.ByHand(id, fake.HandMade(t))
				}
			}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.did(fmt.Sprintf("make %d", 4000+(id-4000+1)%4))
		})
	}
}

// TestProxmoxChoosesAndSomebodyIsFaster: the VM that Proxmox had chosen the VMID for is another one.
func TestProxmoxChoosesAndSomebodyIsFaster(t *testing.T) {
	m := example(t, "nixos/dns01")
	delete(world.Object(m.Spec()["proxmox"]), "vmId")

	once := true
	m.Proxmox.BeforeCreate = func(id int) {
		if once {
			m.Proxmox.ByHand(id, fake.HandMade(t))
		}

		once = false
	}

	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.did("make 101")
}

// TestAProviderThatRestartsWhileItCreates sees a VM whose configuration Proxmox has not written yet. It is nobody's until it has. Such a provider reports
// the VM whole only when it is asked with another generation, and never reports its UUID.
func TestAProviderThatRestartsWhileItCreates(t *testing.T) {
	cases := map[string]struct {
		reason string
		config map[string]any // That it reads while the disks are imported.
		edit   string         // Of the claim meanwhile.
	}{
		"Empty":    {reason: "Nothing is written.", config: map[string]any{"nodeName": "pve"}},
		"EmptyOne": {reason: "This is how the provider reports a VM without disks.", config: map[string]any{"nodeName": "pve", "disk": []any{map[string]any{}}}},
		"Named":    {reason: "The name comes one look before the disks.", config: map[string]any{"nodeName": "pve", "name": "dns01", "disk": []any{map[string]any{}}}},
		"Edited": {
			reason: "An edit waits until it is known whose VM that is.", config: map[string]any{"nodeName": "pve", "name": "dns01", "disk": []any{map[string]any{}}},
			edit: "{notes: other notes, power: Stopped}",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, "nixos/dns01")
			for m.happened("make 153") < 0 {
				m.Turn()
			}

			vm := m.Proxmox.VMs[153]
			config := world.Object(world.Copy(vm.Config))
			delete(config, "smbios")

			vm.Config = tc.config

			if tc.edit != "" {
				world.Merge(m.Spec(), world.FromYAML(t, tc.edit))
			}

			generations := map[any]bool{}

			for range 20 {
				o := m.Observed["vm"]
				generation := world.Object(o["metadata"])["generation"]
				generations[generation] = true
				world.Object(o["status"])["atProvider"] = vm.Seen(153)
				world.SetWell(o, generation)

				rsp := m.Call()
				m.Apply(rsp)

				if o := m.Observed["vm"]; world.Policies(o) != "Observe,Create" || world.Annotation(o, proxmox.CreatingAnnotation) == "" {
					t.Fatalf("policies %s", world.Policies(o))
				}

				m.says(rsp, map[string]string{"MachineReady": "Creating"})
			}

			// A creation can take minutes: the provider's own polls are left after some questions.
			if len(generations) != 9 {
				t.Errorf("the provider was asked %d times, want 8", len(generations)-1)
			}

			vm.Config = config
			m.says(m.Rest(), map[string]string{"MachineReady": map[bool]string{true: "Stopped", false: "Running"}[tc.edit != ""]})

			if vm.Owner == "" || world.Policies(m.Observed["vm"]) != "Observe,Create,Update,Delete" {
				t.Errorf("the VM is not the machine's: %s", world.Policies(m.Observed["vm"]))
			}
		})
	}
}

// TestAnEditAfterACreationThatTimedOut: Proxmox made the VM all the same, and the provider finds it with the name and the notes of before. Its UUID
// proves whose it is.
func TestAnEditAfterACreationThatTimedOut(t *testing.T) {
	m := example(t, "nixos/dns01")
	for m.happened("make 153") < 0 {
		m.Provider.FailsToCreate = "create failed: async create failed: timeout while waiting for VM 153"
		m.Turn()

		p := world.ForProvider(m.Call(), "vm")
		if o := m.Observed["vm"]; world.Policies(o) == "Observe,Create" {
			made := m.Proxmox.ByHand(153, world.Object(world.Copy(p)))
			made.Running, made.Config["started"] = nil, false
			made.Owner = world.OwnerOf(m.Machine, "vm")
			world.Object(world.Object(o["metadata"])["annotations"])[proxmox.CreatePendingAnnotation] = "2026-01-01T00:00:01Z"

			break
		}
	}

	m.Provider.FailsToCreate = ""
	m.Spec()["notes"] = "edited before the next poll"
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"})
	m.did("change description of 153", "start 153")
}

// TestAVMThatIsBeingCreatedStays as it was written until it is known to be ours: an edit takes effect then.
func TestAVMThatIsBeingCreatedStays(t *testing.T) {
	m := example(t, "nixos/dns01")
	for m.happened("make 153") < 0 {
		m.Turn()
	}

	m.forget("vm")

	m.Spec()["hostname"] = "renamed"
	m.Spec()["lifecycle"] = map[string]any{"replace": "a"}

	if p := world.ForProvider(m.Call(), "vm"); p["name"] != "dns01" {
		t.Errorf("name %v", p["name"])
	}

	m.Spec()["lifecycle"] = nil
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

	if got := m.Proxmox.VMs[153].Config["name"]; got != "renamed" {
		t.Errorf("name %v", got)
	}
}

// TestAFirstStart is owed to every VM that is to run, whoever looks after its power later.
func TestAFirstStart(t *testing.T) {
	for power, runs := range map[string]bool{"Running": true, "Unmanaged": true, "Stopped": false} {
		t.Run(power, func(t *testing.T) {
			m := example(t, "nixos/dns01")
			m.Spec()["power"] = power

			last := m.Rest()
			if got := m.Proxmox.VMs[153].Running != nil; got != runs {
				t.Errorf("runs: %t", got)
			}

			if a := world.Annotations(last, "vm"); a[proxmox.FirstStartAnnotation] != nil || a[proxmox.CreatingAnnotation] != nil {
				t.Errorf("annotations %v", a)
			}
		})
	}
}
