package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestSideBySide replaces a machine that can run beside its successor: it runs until that one is ready.
func TestSideBySide(t *testing.T) {
	m, settled := living(t, "nixos/dns01", dhcp)
	old := snippetsOf(settled, "vm")
	m.replace("2026-11-20")

	// First the snippets, which are the new VM's own although they say the same.
	preparing := m.Turn()
	added := newOnes(settled, preparing)

	if diff := cmp.Diff([]string{"meta-data", "user-data"}, stems(added)); diff != "" {
		t.Errorf("added: -want, +got:\n%s", diff)
	}

	drop(preparing.GetDesired().GetResources(), added...)
	m.only(settled, preparing, nil)
	m.says(preparing, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Running"})
	m.did()

	// Then the VM, marked, while the old one stays byte for byte what it is.
	making := m.Turn()
	if n := later(making); len(n) != 1 {
		t.Fatalf("VMs %v", world.VMNames(making))
	}

	name := later(making)[0]
	annotations := world.Annotations(making, name)

	if annotations[proxmox.CandidateAnnotation] != "true" || annotations[proxmox.ReplaceTriggersAnnotation] != "2026-11-20" {
		t.Errorf("annotations of the new VM: %v", annotations)
	}

	if diff := cmp.Diff(added, snippetsOf(making, name)); diff != "" {
		t.Errorf("snippets of the new VM: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(world.Desired(settled, "vm"), world.Desired(making, "vm")); diff != "" {
		t.Errorf("the old VM: -before, +now:\n%s", diff)
	}

	m.says(making, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Running"})
	m.did("make 101")

	if got := world.Object(world.Status(making)["replacement"])["token"]; got != "2026-11-20" || world.Status(making)["vmId"] != 100.0 {
		t.Errorf("status %v", world.Status(making))
	}

	// It is known to be ours, and starts.
	starting := m.Turn()
	if p := world.Policies(world.Desired(starting, name)); p != "Observe,Create,Update,Delete" {
		t.Errorf("policies %s", p)
	}

	if a := world.Annotations(starting, name); a[proxmox.CandidateAnnotation] != "true" {
		t.Errorf("a VM that never ran is the machine: %v", a)
	}

	// It is ready: it is the machine, and only the next call lets the old one go, with its snippets.
	promoted := m.Turn()
	if a := world.Annotations(promoted, name); a[proxmox.CandidateAnnotation] != nil {
		t.Errorf("a VM that is ready is still marked: %v", a)
	}

	if world.Desired(promoted, "vm") == nil {
		t.Error("the old VM goes before the new one is known to be ready")
	}

	m.did()

	last := m.Rest()
	m.only(promoted, last, func(d map[string]*fnv1.Resource) { drop(d, append(old, "vm")...) })
	m.did("destroy 100")
	m.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running", "BootstrapCurrent": "Current"})

	if world.Status(last)["vmId"] != 101.0 || world.Status(last)["replacement"] != nil {
		t.Errorf("status %v", world.Status(last))
	}
}

// TestOneAfterTheOther replaces a machine with an address of its own: it stops first, and only when all else is ready.
func TestOneAfterTheOther(t *testing.T) {
	m, settled := living(t, "nixos/dns01")
	m.replace("a")
	m.Provider.Stuck = []string{"user-data"}

	for range 5 {
		rsp := m.Turn()
		if diff := cmp.Diff(world.Desired(settled, "vm"), world.Desired(rsp, "vm")); diff != "" {
			t.Errorf("the old VM while the snippets are not there: -before, +now:\n%s", diff)
		}
	}

	m.did()
	m.Provider.Stuck = nil
	m.Turn()

	stopping := m.Turn()
	m.says(stopping, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Replacing"})

	if p := world.ForProvider(stopping, "vm"); p["started"] != false || p["onBoot"] != false {
		t.Errorf("started %v, onBoot %v", p["started"], p["onBoot"])
	}

	if n := later(stopping); len(n) != 0 {
		t.Errorf("the new VM is made beside the old one, which has its address: %v", n)
	}

	last := m.Rest()
	m.did("change onBoot of 100", "stop 100", "make 101", "destroy 100")
	m.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
}

// TestTheOldOneIsKept: with Orphan the old VM stays in Proxmox, stopped, with its snippets.
func TestTheOldOneIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		edit string
		done []string
	}{
		"SideBySide":       {edit: dhcp, done: []string{"make 101", "change onBoot of 100", "stop 100", "let go of 100"}},
		"OneAfterTheOther": {edit: "tags: [core]", done: []string{"change onBoot of 100", "stop 100", "make 101", "let go of 100"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, settled := living(t, "nixos/dns01", tc.edit, "deletionPolicy: Orphan")
			m.replace("a")

			last := m.Rest()
			m.did(tc.done...)
			m.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

			g := m.Proxmox.VMs[100]
			if g == nil || g.Running != nil {
				t.Fatalf("the old VM: %+v", g)
			}

			// It starts again for whoever needs it.
			m.Proxmox.Start(100)

			for _, old := range append(snippetsOf(settled, "vm"), "vm") {
				if world.Desired(last, old) != nil {
					t.Errorf("%s is still there", old)
				}
			}
		})
	}
}

// TestAReplacementIsTakenBack before the new VM was ready: that one goes, and all is as it was.
func TestAReplacementIsTakenBack(t *testing.T) {
	for name, tc := range map[string]struct {
		edits []string
		done  []string // Before and after it is taken back.
		after []string
	}{
		"SideBySide": {edits: []string{dhcp}, done: []string{"make 101"}, after: []string{"destroy 101"}},
		// The new VM never ran: it is destroyed once it is known to be ours.
		"OneAfterTheOther": {edits: []string{"tags: [core]"}, done: []string{"change onBoot of 100", "stop 100", "make 101"}, after: []string{"change onBoot of 100", "start 100", "destroy 101"}},
		"Orphan": {
			edits: []string{"deletionPolicy: Orphan"}, done: []string{"change onBoot of 100", "stop 100", "make 101"},
			after: []string{"change onBoot of 100", "start 100", "destroy 101"},
		},
		"Stopped":   {edits: []string{dhcp, "power: Stopped"}, done: []string{"make 101"}, after: []string{"destroy 101"}},
		"Unmanaged": {edits: []string{"power: Unmanaged"}, done: []string{"change onBoot of 100", "stop 100", "make 101"}, after: []string{"change onBoot of 100", "start 100", "destroy 101"}},
	} {
		for _, word := range []string{"", "born"} {
			t.Run(name+word, func(t *testing.T) {
				m, settled := living(t, "nixos/dns01", append(tc.edits, "lifecycle: {replace: born}")...)
				m.replace("a")

				// The new VM is made, and nothing is heard of it.
				for range 6 {
					if m.Turn(); m.happened("make 101") >= 0 {
						m.Provider.Stuck = []string{"vm-"}
						m.forget("vm-")
					}
				}

				m.did(tc.done...)

				m.Provider.Stuck = nil
				m.replace(word)

				last := m.Rest()
				m.did(tc.after...)
				m.only(settled, last, nil)
				m.says(last, map[string]string{"ReplacementRequired": "NotRequired"})
			})
		}
	}
}

// TestAStoppedMachineIsReplaced: the new VM boots once before the old one goes, and stops then. One that never boots costs nothing.
func TestAStoppedMachineIsReplaced(t *testing.T) {
	m, settled := living(t, "nixos/dns01", dhcp, "power: Stopped")
	m.says(settled, map[string]string{"MachineReady": "Stopped"})
	m.Proxmox.SilentAgents = true
	m.replace("a")

	trying := m.Rest()
	m.did("make 101")
	m.says(trying, map[string]string{"ReplacementRequired": "Replacing"})

	if m.Proxmox.VMs[101].Running == nil {
		t.Error("the new VM is to prove itself, and does not run")
	}

	m.Proxmox.VMs[101].Silent = false

	last := m.Rest()

	if m.happened("destroy 100") < 0 || m.happened("stop 101") < 0 || len(m.Proxmox.Done) != 2 {
		t.Errorf("done in Proxmox: %v", m.Proxmox.Done)
	}

	m.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Stopped"})
}

// forget what the provider said of composed resources.
func (m *machine) forget(prefix string) {
	for name, o := range m.Observed {
		if strings.HasPrefix(name, prefix) {
			delete(o, "status")
		}
	}
}

// TestTriggersThatReplaceNothing: the trigger of the creation, one that was followed, none, and a revert.
func TestTriggersThatReplaceNothing(t *testing.T) {
	m, settled := living(t, "nixos/dns01", dhcp, "lifecycle: {replace: born}")

	for _, word := range []string{"born", "", "born"} {
		m.replace(word)
		m.only(settled, m.Rest(), nil)
		m.did()
	}

	m.replace("a")

	second := m.Rest()
	m.did("make 101", "destroy 100")

	for _, word := range []string{"born", "a", "", "born"} {
		m.replace(word)
		m.only(second, m.Rest(), nil)
		m.did()
	}

	m.replace("b")
	third := m.Rest()
	m.did("make 100", "destroy 101")

	if a := world.Annotations(third, world.VMNames(third)[0]); a[proxmox.ReplaceTriggersAnnotation] != "born,a,b" {
		t.Errorf("words %v", a)
	}
}

// TestAnEditBesideTheTrigger is the new VM's alone: the old one is left as it is while it lives.
func TestAnEditBesideTheTrigger(t *testing.T) {
	m, settled := living(t, "nixos/dns01", dhcp)
	m.replace("a")
	world.Merge(m.Spec(), world.FromYAML(t, "{size: {cores: 6}, tags: [new], hostname: dns02, bootstrap: {userData: \"#cloud-config\\ntimezone: Europe/Berlin\\n\"}}"))

	for range 2 {
		rsp := m.Turn()
		if diff := cmp.Diff(world.Desired(settled, "vm"), world.Desired(rsp, "vm")); diff != "" {
			t.Errorf("the old VM: -before, +now:\n%s", diff)
		}

		for _, name := range snippetsOf(settled, "vm") {
			if diff := cmp.Diff(world.Desired(settled, name), world.Desired(rsp, name)); diff != "" {
				t.Errorf("%s: -before, +now:\n%s", name, diff)
			}
		}

		m.says(rsp, map[string]string{"RebootPending": "NothingPending"})
	}

	m.Rest()
	m.did("make 101", "destroy 100")

	g := m.Proxmox.VMs[101]
	if g.Config["name"] != "dns02" || world.Object(world.List(g.Running["cpu"])[0])["cores"] != 6.0 || !slices.Equal(world.List(g.Config["tags"]), []any{"new", "role_dns"}) {
		t.Errorf("the new VM: %v, %v, %v", g.Config["name"], g.Running["cpu"], g.Config["tags"])
	}
}

// TestASilentNewVM has not got the place yet: where a guest agent is to answer, it is ready when that knows an address.
func TestASilentNewVM(t *testing.T) {
	m, _ := living(t, "k3s-cluster/agent-1")
	m.replace("a")
	m.Proxmox.SilentAgents = true

	for range 8 {
		m.Turn()
	}

	waiting := m.Turn()
	m.says(waiting, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Replacing"})

	if m.happened("destroy") >= 0 || len(world.VMNames(waiting)) != 2 {
		t.Errorf("VMs %v, done %v", world.VMNames(waiting), m.Proxmox.Done)
	}

	for _, g := range m.Proxmox.VMs {
		g.Silent = false
	}

	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
}
