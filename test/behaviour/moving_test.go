package behaviour

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// nodesOfSnippets of a VM, sorted, by the ending of the snippets' names.
func nodesOfSnippets(rsp *fnv1.RunFunctionResponse, vm string) []string {
	var out []string
	for _, name := range snippetsOf(rsp, vm) {
		out = append(out, world.ForProvider(rsp, name)["nodeName"].(string)+" "+stems([]string{name})[0])
	}

	slices.Sort(out)

	return out
}

// agent is a machine on node pve1 of three, and its number.
func agent(t *testing.T, edits ...string) (*machine, *fnv1.RunFunctionResponse, int) {
	t.Helper()

	m, settled := living(t, "k3s-cluster/agent-1", edits...)

	return m, settled, int(world.Status(settled)["vmId"].(float64))
}

// TestAVMThatWasMoved by HA or by hand is followed: it is not pulled back, and gets its snippets where it is now.
func TestAVMThatWasMoved(t *testing.T) {
	for name, says := range map[string]string{"Pinned": "ImmutableFieldChanged", "Free": "NotRequired"} {
		t.Run(name, func(t *testing.T) {
			m, settled, id := agent(t)
			if name == "Free" {
				delete(world.Object(m.Spec()["proxmox"]), "node")
				settled = m.Rest()
			}

			from := m.Proxmox.VMs[id].Node()
			m.Proxmox.VMs[id].Config["nodeName"] = "pve2"
			m.Provide()

			moved := m.Turn()
			added := newOnes(settled, moved)

			if diff := cmp.Diff([]string{"meta-data", "user-data"}, stems(added)); diff != "" {
				t.Errorf("added: -want, +got:\n%s", diff)
			}

			if diff := cmp.Diff([]string{from + " meta-data", from + " user-data", "pve2 meta-data", "pve2 user-data"}, nodesOfSnippets(moved, "vm")); diff != "" {
				t.Errorf("snippets: -want, +got:\n%s", diff)
			}

			last := m.Rest()
			m.only(moved, last, nil)
			m.did()
			m.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": says, "BootstrapCurrent": "Current"})

			if got := world.Status(last)["node"]; got != "pve2" {
				t.Errorf("status.node: %v", got)
			}

			drop(last.GetDesired().GetResources(), added...)
			m.only(settled, last, func(d map[string]*fnv1.Resource) { set(d, "vm", "pve2", "spec", "forProvider", "nodeName") })

			// It starts there.
			m.lifecycle("reboot", "a")
			m.Rest()
			m.did(fmt.Sprintf("stop %d", id), fmt.Sprintf("start %d", id))

			// And back again: it has all it needs.
			m.Proxmox.VMs[id].Config["nodeName"] = from
			m.Provide()
			m.Rest()
			m.did()
		})
	}
}

// TestAMigration waits for the snippets, moves the VM once, and says so meanwhile.
func TestAMigration(t *testing.T) {
	m, settled, id := agent(t)
	world.Object(m.Spec()["proxmox"])["node"] = "pve3"
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged", "MachineReady": "Running"})
	m.did()

	world.Object(m.Spec()["proxmox"])["migrate"] = true
	m.Provider.Stuck = []string{"user-data", "meta-data"}

	for range 4 {
		rsp := m.Turn()
		if diff := cmp.Diff(world.Desired(settled, "vm"), world.Desired(rsp, "vm")); diff != "" {
			t.Errorf("the VM while its snippets are not there: -before, +now:\n%s", diff)
		}

		m.says(rsp, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})
	}

	want := []string{"vm: change", "vm: Proxmox moves the VM to node pve3 when its snippets are there", "vm: change in place: spec.proxmox.node: pve1 to pve3"}
	if diff := cmp.Diff(want, ofResource(m.explained(), "vm")); diff != "" {
		t.Errorf("the plan while its snippets are not there: -want, +got:\n%s", diff)
	}

	m.did()
	m.Provider.Stuck = []string{"vm"}
	m.Turn()

	for range 3 {
		moving := m.Turn()
		if p := world.ForProvider(moving, "vm"); p["nodeName"] != "pve3" || p["migrate"] != true || p["started"] != true {
			t.Errorf("nodeName %v, migrate %v, started %v", p["nodeName"], p["migrate"], p["started"])
		}
	}

	m.Provider.Stuck = nil

	last := m.Rest()
	m.did(fmt.Sprintf("migrate %d to pve3", id))
	m.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

	// The switch is only on while the VM moves: what somebody moves later is followed.
	if p := world.ForProvider(last, "vm"); p["nodeName"] != "pve3" || p["migrate"] != false {
		t.Errorf("nodeName %v, migrate %v", p["nodeName"], p["migrate"])
	}

	// And back.
	world.Object(m.Spec()["proxmox"])["node"] = "pve1"
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})
	m.did(fmt.Sprintf("migrate %d to pve1", id))
}

// ofResource are the lines of a plan about one composed resource.
func ofResource(lines []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, name+": ") })
}

// TestAMigrationToWhereItIs moves nothing.
func TestAMigrationToWhereItIs(t *testing.T) {
	m, settled, _ := agent(t)
	world.Object(m.Spec()["proxmox"])["migrate"] = true
	m.only(settled, m.Rest(), nil)
	m.did()

	// Without a node nobody can tell where to.
	delete(world.Object(m.Spec()["proxmox"]), "node")

	if msg := world.Fatal(m.Call()); !strings.Contains(msg, "spec.proxmox.node") {
		t.Errorf("fatal result: %q", msg)
	}
}

// TestPulledBack: with migrate, a VM that HA moved is moved back to where its claim has it.
func TestPulledBack(t *testing.T) {
	m, _, id := agent(t, "proxmox: {migrate: true}")
	m.Proxmox.VMs[id].Config["nodeName"] = "pve2"
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})
	m.did(fmt.Sprintf("migrate %d to pve1", id))
}

// TestAStoppedVMMigrates, and an unmanaged one, without being started.
func TestAStoppedVMMigrates(t *testing.T) {
	for _, power := range []string{"Stopped", "Unmanaged"} {
		t.Run(power, func(t *testing.T) {
			m, _, id := agent(t, "power: "+power)
			if power == "Unmanaged" {
				m.Proxmox.Stop(id)
				m.Rest()
			}

			world.Merge(m.Spec(), world.FromYAML(t, "proxmox: {node: pve2, migrate: true}"))
			m.says(m.Rest(), map[string]string{"MachineReady": "Stopped", "ReplacementRequired": "NotRequired"})
			m.did(fmt.Sprintf("migrate %d to pve2", id))
		})
	}
}

// TestDevicesHoldAVM that runs where it is: the provider says that Proxmox does not migrate it, until the edit is taken back. Stopped, it moves.
func TestDevicesHoldAVM(t *testing.T) {
	for _, devices := range []string{"{usb: [{mapping: coral}]}", "{pci: [{mapping: gpu0}]}"} {
		t.Run(devices, func(t *testing.T) {
			m, _, id := agent(t, "devices: "+devices)
			node := world.Object(m.Spec()["proxmox"])["node"]

			world.Merge(m.Spec(), world.FromYAML(t, "proxmox: {node: pve2, migrate: true}"))
			m.says(m.Rest(), map[string]string{"ProviderHealthy": "ProviderError", "MachineReady": "ProviderError"})
			m.did()

			world.Object(m.Spec()["proxmox"])["node"], m.Spec()["power"] = node, "Stopped"
			m.says(m.Rest(), map[string]string{"ProviderHealthy": "NoError", "MachineReady": "Stopped"})
			m.did(fmt.Sprintf("stop %d", id))

			world.Object(m.Spec()["proxmox"])["node"] = "pve2"
			m.says(m.Rest(), map[string]string{"ProviderHealthy": "NoError", "MachineReady": "Stopped"})
			m.did(fmt.Sprintf("migrate %d to pve2", id))
		})
	}
}

// TestAVMGivesUpItsDevicesAndMoves: of an edit that does both, the power cycle comes first, whenever it comes: with the device the VM would not move, and
// with the move before it the provider would not restart it.
func TestAVMGivesUpItsDevicesAndMoves(t *testing.T) {
	for _, policy := range []string{"WhenNeeded", "OnRequest"} {
		t.Run(policy, func(t *testing.T) {
			m, _, id := agent(t, "devices: {usb: [{mapping: coral}]}")
			restart := []string{fmt.Sprintf("stop %d", id), fmt.Sprintf("start %d", id)}

			delete(m.Spec(), "devices")
			world.Merge(m.Spec(), world.FromYAML(t, "{proxmox: {node: pve2, migrate: true}, lifecycle: {rebootPolicy: "+policy+"}}"))

			if words := strings.Join(m.explained(), "; "); !strings.Contains(words, "Proxmox moves the VM to node pve2 after the power cycle: no VM moves with devices of its node") {
				t.Errorf("the plan says %s", words)
			}

			last := m.Rest()

			if policy == "OnRequest" {
				m.says(last, map[string]string{"ProviderHealthy": "NoError", "MachineReady": "Running", "RebootPending": "ChangesPending"})
				m.lifecycle("reboot", "a")
				last = m.Rest()
			}

			m.says(last, map[string]string{"ProviderHealthy": "NoError", "MachineReady": "Running", "RebootPending": "NothingPending", "ReplacementRequired": "NotRequired"})

			done := slices.DeleteFunc(slices.Clone(m.Proxmox.Done), func(what string) bool { return strings.HasPrefix(what, "change") })
			if diff := cmp.Diff(append(restart, fmt.Sprintf("migrate %d to pve2", id)), done); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestSnippetsOfAMovedVMGo with it, all of them.
func TestSnippetsOfAMovedVMGo(t *testing.T) {
	m, _, id := agent(t)
	m.Proxmox.VMs[id].Config["nodeName"] = "pve2"
	m.Rest()
	m.replace("a")

	last := m.Rest()
	if diff := cmp.Diff([]string{"image", "meta-data", "protects", "user-data", "vm"}, world.Stems(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}

	if len(m.Proxmox.Snippets) != 2 {
		t.Errorf("snippets on the nodes: %v", m.Proxmox.Snippets)
	}
}

// TestAnAdoptedVMMoves: it has no snippets of ours that it would have to wait for.
func TestAnAdoptedVMMoves(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}}", fake.HandMade(t))
	m.approved()
	m.Proxmox.Done = nil
	m.Proxmox.VMs[108].Config["nodeName"] = "pve9"

	last := m.Rest()
	m.did()
	m.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

	if diff := cmp.Diff([]string{"protects-composite", "vm"}, world.Names(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}
}

// TestAnAdoptionThatMoves: a claim that moves its VM does so as soon as the VM is its own. The move is a part of what is approved.
func TestAnAdoptionThatMoves(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home, node: pve2, migrate: true}}", fake.HandMade(t))
	node := map[string]any{"bridges": []any{"vmbr0", "vmbr1"}, "datastores": map[string]any{"disks": "local-zfs", "images": "local", "snippets": "local"}}
	m.SetSite("home", "nodes", map[string]any{"pve": node, "pve2": node})

	is := m.Proxmox.VMs[108].Node()
	m.Rest()

	plan := adoptionOf(m.Rest())
	if !slices.Contains(world.List(plan["changes"]), any("spec.proxmox.node: "+is+" to pve2")) || plan["refused"] != nil {
		t.Errorf("the plan does not announce the move from %s: %s", is, world.Compact(plan))
	}

	m.approved()

	if got := m.Proxmox.VMs[108].Node(); got != "pve2" {
		t.Errorf("the VM is on %s, want pve2", got)
	}
}

// TestTheNodeIsNotKnown, for a while: nothing changes.
func TestTheNodeIsNotKnown(t *testing.T) {
	m, _, id := agent(t)
	m.Proxmox.VMs[id].Config["nodeName"] = "pve2"
	settled := m.Rest()

	for _, o := range m.Observed {
		if o["kind"] == world.VMKind {
			delete(world.Object(world.Object(o["status"])["atProvider"]), "nodeName")
		}
	}

	m.only(settled, m.Call(), nil)
}

// TestLostSnippetsOfAVMElsewhere: the claim pins another node than the VM's, and the managed resources of the snippets are gone. They
// are written to the VM's node, and nowhere else.
func TestLostSnippetsOfAVMElsewhere(t *testing.T) {
	m, settled, id := agent(t)
	node := m.Proxmox.VMs[id].Node()
	world.Object(m.Spec()["proxmox"])["node"] = "pve2"

	for _, name := range snippetsOf(settled, "vm") {
		delete(m.Observed, name)
	}

	for range 3 {
		if diff := cmp.Diff([]string{node + " meta-data", node + " user-data"}, nodesOfSnippets(m.Turn(), "vm")); diff != "" {
			t.Errorf("snippets: -want, +got:\n%s", diff)
		}
	}

	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged", "ProviderHealthy": "NoError"})
	m.lifecycle("reboot", "1")
	m.Rest()
	m.did("stop "+strconv.Itoa(id), "start "+strconv.Itoa(id))
}
