package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// shared makes all datastores of a machine's site ones that all nodes see: the two, too, that are beside the site's own.
func shared(m *world.Machine) {
	m.SetSite("home", "sharedDatastores", []any{"local", "local-lvm", "local-zfs"})

	nodes := world.Object(world.Copy(world.Object(world.Object(world.Object(m.Catalogue["data"])["sites"])["home"])["nodes"]))
	for _, other := range []string{"pve2", "pve3"} {
		if nodes[other] == nil {
			nodes[other] = nodes["pve"]
		}
	}

	m.SetSite("home", "nodes", nodes)
}

// available is a machine that runs and is in HA; its number is 100.
func available(t *testing.T, name string, edits ...string) (*machine, *fnv1.RunFunctionResponse) {
	t.Helper()

	m, _ := living(t, name, edits...)
	shared(m.Machine)
	m.Spec()["ha"] = map[string]any{"enabled": true}

	settled := m.Rest()
	m.says(settled, map[string]string{"HighlyAvailable": "HAManaged", "MachineReady": "Running"})
	m.Proxmox.Done = nil

	return m, settled
}

// TestANodeIsFenced: the node of a VM dies, and the HA manager starts the VM on another one. Whatever its claim asks for meanwhile waits until the provider sees the VM
// again: nothing is made anew, stopped or destroyed of a VM that nobody can see.
func TestANodeIsFenced(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		edit   func(m *machine)
		done   []string
		says   string
	}{
		"Nothing": {"Nobody edits it.", func(*machine) {}, nil, "Running"},
		"Restart": {"A restart is one, where the VM is by then.", func(m *machine) { m.lifecycle("reboot", "a") }, []string{
			"HA of 100 is ignored", "stop 100", "start 100", "HA of 100 is started",
		}, "Running"},
		"Stop": {"A stop is one, too.", func(m *machine) { m.Spec()["power"] = "Stopped" }, []string{
			"HA of 100 is ignored", "stop 100", "HA of 100 is stopped",
		}, "Stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := available(t, "nixos/dns01")
			m.Proxmox.Die("pve")
			m.Turn()
			c.edit(m)

			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": c.says})
			m.did(append([]string{"HA starts 100"}, c.done...)...)

			if node := m.Proxmox.VMs[100].Node(); node != "pve2" {
				t.Errorf("it is on node %s", node)
			}
		})
	}
}

// TestTheImageOfADeadNode is no use to a VM that the HA manager has moved, and no error of it: the file stays on its node.
func TestTheImageOfADeadNode(t *testing.T) {
	m, settled := available(t, "k3s-cluster/agent-1")
	m.Proxmox.Die(m.Proxmox.VMs[int(world.Status(settled)["vmId"].(float64))].Node())
	last := m.Rest()
	m.says(last, map[string]string{"MachineReady": "Running", "ProviderHealthy": "NoError"})

	for name, o := range last.GetDesired().GetResources() {
		if strings.HasPrefix(name, "image-") {
			t.Errorf("it is still rendered: %v", o)
		}
	}
}

// TestANodeIsFencedInARestart: a VM that the HA manager ignores, since the provider restarts it, is given back to the HA manager when its node dies, and the restart
// goes on where the VM is then.
func TestANodeIsFencedInARestart(t *testing.T) {
	for _, before := range []string{"HA of 100 is ignored", "stop 100"} {
		t.Run(before, func(t *testing.T) {
			m, _ := available(t, "nixos/dns01")
			m.lifecycle("reboot", "a")

			for range 20 {
				if m.happened(before) >= 0 {
					break
				}

				m.Turn()
			}

			m.Proxmox.Die("pve")
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "HighlyAvailable": "HAManaged", "RebootPending": "NothingPending"})

			if vm := m.Proxmox.VMs[100]; vm.Node() != "pve2" || m.happened("HA starts 100") < 0 {
				t.Errorf("it is on node %s, done: %v", vm.Node(), m.Proxmox.Done)
			}
		})
	}
}

// TestNoNodeToFence: with two nodes there is no majority without one of them: the VM waits for its own node, and its claim says that Proxmox does not answer.
func TestNoNodeToFence(t *testing.T) {
	m, _ := available(t, "nixos/dns01")
	nodes := world.Object(world.Object(world.Object(world.Object(m.Catalogue["data"])["sites"])["home"])["nodes"])
	m.SetSite("home", "nodes", map[string]any{"pve": nodes["pve"], "pve2": nodes["pve"]})
	m.Proxmox.Die("pve")
	m.says(m.Rest(), map[string]string{"ProviderHealthy": "NodeUnhealthy"})
	m.did()

	m.Proxmox.Return("pve")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "HighlyAvailable": "HAManaged"})

	if vm := m.Proxmox.VMs[100]; vm.Running == nil || vm.Node() != "pve" {
		t.Errorf("it runs: %t, on %s", vm.Running != nil, vm.Node())
	}
}

// TestHAIsAddedAndTakenAway: neither stops nor starts the VM, and a claim without ha is what it was.
func TestHAIsAddedAndTakenAway(t *testing.T) {
	for _, policy := range []string{"Delete", "Orphan"} {
		t.Run(policy, func(t *testing.T) {
			m, settled := living(t, "nixos/dns01", "deletionPolicy: "+policy)
			shared(m.Machine)
			m.only(settled, m.Rest(), nil)
			m.did()

			m.Spec()["ha"] = map[string]any{"enabled": true, "maxRestart": 3}
			with := m.Rest()
			m.did("add 100 to HA as started")
			m.says(with, map[string]string{"HighlyAvailable": "HAManaged", "MachineReady": "Running"})

			p := world.ForProvider(with, "ha-vm")
			if p["resourceId"] != "vm:100" || p["state"] != "started" || p["maxRestart"] != 3.0 || p["maxRelocate"] != 1.0 || p["group"] != nil {
				t.Errorf("HA resource: %v", p)
			}

			if by := world.Object(world.Object(world.Desired(with, "protects-ha-vm")["spec"])["by"]); by["kind"] != world.HAResourceKind {
				t.Errorf("the VM is kept until the HA resource is gone, got: %v", by)
			}

			if want := policy == "Delete"; strings.Contains(world.Policies(world.Desired(with, "ha-vm")), "Delete") != want {
				t.Errorf("policies %s", world.Policies(world.Desired(with, "ha-vm")))
			}

			m.Spec()["ha"] = map[string]any{"enabled": false}
			without := m.Rest()
			m.did("take 100 out of HA")
			m.says(without, map[string]string{"HighlyAvailable": "HADisabled", "MachineReady": "Running"})
			m.only(settled, without, nil)
		})
	}
}

// TestANewMachineEntersHA once it has run: the provider creates the VM stopped, and the HA manager would start it before it is known to be ours.
func TestANewMachineEntersHA(t *testing.T) {
	m := example(t, "nixos/dns01")
	shared(m.Machine)
	m.Spec()["ha"] = map[string]any{"enabled": true}
	m.Rest()

	if add, made := m.happened("add 153 to HA as started"), m.happened("make 153"); add < made || made < 0 {
		t.Errorf("done: %v", m.Proxmox.Done)
	}

	if i := m.happened("HA starts"); i >= 0 {
		t.Errorf("the HA manager started it: %v", m.Proxmox.Done)
	}
}

// TestStoppedInHA is stopped by the provider, at its own leisure, and kept stopped by the HA manager.
func TestStoppedInHA(t *testing.T) {
	m, _ := available(t, "nixos/dns01")
	m.Spec()["power"] = "Stopped"
	m.Provider.Stuck = []string{"ha-vm"}

	// Until the HA manager ignores the VM, the VM runs.
	for range 3 {
		rsp := m.Turn()
		m.says(rsp, map[string]string{"HighlyAvailable": "HASuspended"})

		if world.ForProvider(rsp, "vm")["started"] != true || world.ForProvider(rsp, "ha-vm")["state"] != "ignored" {
			t.Error("the VM is stopped while the HA manager keeps it running")
		}
	}

	m.Provider.Stuck = nil
	stopped := m.Rest()
	m.did("HA of 100 is ignored", "stop 100", "HA of 100 is stopped")
	m.says(stopped, map[string]string{"HighlyAvailable": "HAManaged", "MachineReady": "Stopped"})

	m.Spec()["power"] = "Running"
	m.Rest()

	if !slices.Contains(m.Proxmox.Done, "HA of 100 is started") || m.Proxmox.VMs[100].Running == nil {
		t.Errorf("done: %v", m.Proxmox.Done)
	}
}

// TestARestartInHA: the HA manager ignores the VM from before the stop until after the start.
func TestARestartInHA(t *testing.T) {
	m, settled := available(t, "nixos/dns01")
	m.lifecycle("reboot", "a")
	last := m.Rest()
	m.did("HA of 100 is ignored", "stop 100", "start 100", "HA of 100 is started")
	m.says(last, map[string]string{"HighlyAvailable": "HAManaged", "RebootPending": "NothingPending"})
	m.only(settled, last, func(d map[string]*fnv1.Resource) {
		set(d, "vm", "a", "metadata", "annotations", "homelab.io/reboot-tokens")
	})
}

// TestAVMThatHAMoved stays where it is, also where its claim names another node, and nothing is done to it.
func TestAVMThatHAMoved(t *testing.T) {
	m, _ := available(t, "nixos/dns01")
	m.Proxmox.Die("pve")
	last := m.Rest()

	for _, d := range m.Proxmox.Done {
		if d != "HA starts 100" {
			t.Errorf("done: %v", m.Proxmox.Done)
		}
	}

	m.says(last, map[string]string{"HighlyAvailable": "HAManaged", "MachineReady": "Running", "ReplacementRequired": "NotRequired"})

	if p := world.ForProvider(last, "vm"); p["nodeName"] != "pve2" || p["migrate"] != false || world.Status(last)["node"] != "pve2" {
		t.Errorf("node %v, migrate %v, status %v", p["nodeName"], p["migrate"], world.Status(last)["node"])
	}

	// Without HA, the difference is reported, and nothing else.
	m.Proxmox.Done = nil
	delete(m.Spec(), "ha")
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})
	m.did("take 100 out of HA")
}

// TestAReplacementInHA: no VM is stopped that the HA manager would start again, the old VM is out of HA before it goes, and the new one enters HA when
// it is the machine.
func TestAReplacementInHA(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		edits  []string
		done   []string
	}{
		"InTurn": {"The old VM makes way first.", nil, []string{
			"HA of 100 is ignored", "stop 100", "make 101", "take 100 out of HA", "destroy 100", "add 101 to HA as started",
		}},
		"InTurnKept": {"The old VM stays in Proxmox, stopped, and out of HA.", []string{"deletionPolicy: Orphan"}, []string{
			"HA of 100 is ignored", "stop 100", "make 101", "take 100 out of HA", "let go of 100", "add 101 to HA as started",
		}},
		"SideBySide": {"The old VM runs until the new one is ready.", []string{dhcp}, []string{
			"make 101", "HA of 100 is ignored", "add 101 to HA as started", "take 100 out of HA", "destroy 100",
		}},
		"SideBySideKept": {"It is stopped when the HA manager ignores it.", []string{dhcp, "deletionPolicy: Orphan"}, []string{
			"make 101", "HA of 100 is ignored", "add 101 to HA as started", "stop 100", "take 100 out of HA", "let go of 100",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := available(t, "nixos/dns01", c.edits...)
			m.replace("a")

			for range 12 {
				m.Turn()
			}

			last := m.Rest()
			m.says(last, map[string]string{"HighlyAvailable": "HAManaged", "MachineReady": "Running"})

			got := slices.Clone(m.Proxmox.Done)
			want := slices.Clone(c.done)

			for _, order := range [][2]string{{"HA of 100 is ignored", "stop 100"}, {"HA of 100 is ignored", "destroy 100"}, {"take 100 out of HA", "let go of 100"}} {
				a, b := slices.Index(got, order[0]), slices.Index(got, order[1])
				if b >= 0 && (a < 0 || a > b) {
					t.Errorf("%s has to come before %s", order[0], order[1])
				}
			}

			slices.Sort(got)
			slices.Sort(want)

			got = slices.DeleteFunc(got, func(d string) bool { return strings.HasPrefix(d, "change ") })
			if !slices.Equal(want, got) {
				t.Errorf("%s\nwant %v\ngot  %v", c.reason, c.done, m.Proxmox.Done)
			}
		})
	}
}

// TestADeletionInHA takes the VM out of HA first.
func TestADeletionInHA(t *testing.T) {
	m, _ := available(t, "nixos/dns01")
	m.Leave()
	m.did("take 100 out of HA", "destroy 100")
}

// TestAVMThatCannotMove does not enter HA: it keeps what its claim does not name any more.
func TestAVMThatCannotMove(t *testing.T) {
	m, settled := living(t, "nixos/dns01")
	m.SetSite("home", "sharedDatastores", []any{"ceph", "local"})
	m.SetSite("home", "nodes", map[string]any{"pve": map[string]any{"datastores": map[string]any{"disks": "ceph", "images": "local", "snippets": "local"}}})
	m.Spec()["ha"] = map[string]any{"enabled": true}
	world.Merge(m.Spec(), map[string]any{"proxmox": map[string]any{"storage": "ceph"}})

	last := m.Rest()
	m.did()
	m.says(last, map[string]string{"HighlyAvailable": "HABlocked"})

	if msg := world.Message(last, "HighlyAvailable"); !strings.Contains(msg, "disk virtio0 on datastore local-zfs") {
		t.Error(msg)
	}

	m.only(settled, last, nil)

	applied := appliedOf(m)
	if applied == nil || applied["ha"] != nil {
		t.Errorf("what cannot be done has not arrived: %v", applied)
	}
}

// TestHAThatCannotBeChanged: a VM that is to be stopped runs on while the provider cannot have the HA manager ignore it.
func TestHAThatCannotBeChanged(t *testing.T) {
	m, _ := available(t, "nixos/dns01")
	m.lifecycle("reboot", "a")
	m.Provider.Fails["ha-vm"] = "update failed: service 'vm:100' in error state, must be disabled and fixed first"

	var last *fnv1.RunFunctionResponse
	for range 5 {
		last = m.Turn()
	}

	m.did()
	m.says(last, map[string]string{"HighlyAvailable": "HASuspended", "ProviderHealthy": "NodeUnhealthy"})
	clear(m.Provider.Fails)
	m.Rest()
	m.did("HA of 100 is ignored", "stop 100", "start 100", "HA of 100 is started")
}

// TestAnEntryOfBeforeAndAStop: one commit asks for HA and for a stop of a VM that somebody had added to HA. The HA manager ignores it before the provider stops it.
func TestAnEntryOfBeforeAndAStop(t *testing.T) {
	for name, entry := range map[string]bool{"Added": true, "NotAdded": false} {
		t.Run(name, func(t *testing.T) {
			m, _ := living(t, "nixos/dns01")
			shared(m.Machine)
			m.Rest()
			m.Proxmox.Done = nil

			want := []string{"stop 100", "add 100 to HA as stopped"}
			if entry {
				m.Proxmox.HA[100] = "started"
				want = []string{"HA of 100 is ignored", "stop 100", "HA of 100 is stopped"}
			}

			m.Spec()["ha"] = map[string]any{"enabled": true}
			m.Spec()["power"] = "Stopped"
			last := m.Rest()
			m.did(want...)
			m.says(last, map[string]string{"HighlyAvailable": "HAManaged", "MachineReady": "Stopped", "ProviderHealthy": "NoError"})
		})
	}
}

// TestAnEntryOfBefore: what the HA manager has of a VM that somebody added by hand, and that no claim says, stays: comment, group and failback, through edits and to the
// end.
func TestAnEntryOfBefore(t *testing.T) {
	m, _ := living(t, "nixos/dns01")
	shared(m.Machine)
	m.Rest()
	m.Proxmox.Done = nil
	m.Proxmox.HA[100] = "started"
	m.Proxmox.HAOptions[100] = map[string]any{"comment": "the DNS of all", "group": "prefer-pve", "failback": false}
	m.Spec()["ha"] = map[string]any{"enabled": true}

	looks := m.Turn()
	if got := world.Policies(world.Desired(looks, "ha-vm")); got != "Observe" {
		t.Errorf("the provider may %s before it has read the entry", got)
	}

	for range 3 {
		m.Turn()
	}

	m.lifecycle("reboot", "a")
	last := m.Rest()
	m.did("HA of 100 is ignored", "stop 100", "start 100", "HA of 100 is started")
	m.says(last, map[string]string{"HighlyAvailable": "HAManaged", "ProviderHealthy": "NoError"})

	want := map[string]any{
		"resourceId": "vm:100", "state": "started", "maxRestart": 1.0, "maxRelocate": 1.0, "comment": "the DNS of all", "group": "prefer-pve", "failback": false,
	}
	if diff := cmp.Diff(want, world.ForProvider(last, "ha-vm")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestAnEntryOfAReplacedVM: one commit gives a VM that somebody added to HA both ha and a replacement. The HA manager would start the VM again beside the one that replaces it.
func TestAnEntryOfAReplacedVM(t *testing.T) {
	for policy, end := range map[string][]string{
		"Delete": {"take 100 out of HA", "add 101 to HA as started", "destroy 100"},
		"Orphan": {"add 101 to HA as started", "take 100 out of HA", "let go of 100"},
	} {
		t.Run(policy, func(t *testing.T) {
			m, _ := living(t, "nixos/dns01")
			shared(m.Machine)
			m.Spec()["deletionPolicy"] = policy
			m.Rest()
			m.Proxmox.Done = nil
			m.Proxmox.HA[100] = "started"
			m.Spec()["ha"] = map[string]any{"enabled": true}
			m.lifecycle("replace", "a")

			last := m.Rest()
			m.did(append([]string{"HA of 100 is ignored", "change onBoot of 100", "stop 100", "make 101"}, end...)...)
			m.says(last, map[string]string{"HighlyAvailable": "HAManaged", "MachineReady": "Running", "ProviderHealthy": "NoError"})
		})
	}
}
