package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// commits that ask the same of every server of a cluster at once, and what is done to each of their VMs in the end.
var commits = map[string]struct {
	edits  []string
	commit func(m *machine)
	done   []string
}{
	"Reboot": {commit: func(m *machine) { m.lifecycle("reboot", "a") }, done: []string{"stop", "start"}},
	"WhenNeeded": {
		edits:  []string{"lifecycle: {rebootPolicy: WhenNeeded}"},
		commit: func(m *machine) { m.Spec()["size"] = map[string]any{"cores": 6} }, done: []string{"change cpu of", "stop", "start"},
	},
	"ClassInTheCatalogue": {
		edits: []string{"lifecycle: {rebootPolicy: WhenNeeded}", "class: own"},
		commit: func(m *machine) {
			m.Catalogue = world.Object(world.Copy(m.Catalogue))
			world.Merge(m.Catalogue, map[string]any{"data": map[string]any{"classes": map[string]any{"own": map[string]any{"cores": 6, "memory": "4Gi", "disk": "40Gi"}}}})
		},
		done: []string{"change cpu, memory of", "stop", "start"},
	},
	"Migration": {
		edits: []string{"proxmox: {migrate: true}"},
		commit: func(m *machine) {
			place := world.Object(m.Spec()["proxmox"])
			place["node"] = map[any]any{"pve1": "pve2", "pve2": "pve3", "pve3": "pve1"}[place["node"]]
		},
		done: []string{"migrate"},
	},
	"VLAN": {
		commit: func(m *machine) { world.Merge(m.Spec(), map[string]any{"network": map[string]any{"vlan": 30.0}}) },
		done:   []string{"change networkDevice of"},
	},
}

// of a VM is what was done to it, without its number.
func of(p *world.Proxmox, id int) []string {
	var out []string

	for _, d := range p.Done {
		words := strings.Fields(d)
		if i := slices.Index(words, fmt.Sprint(id)); i >= 0 {
			out = append(out, strings.Join(words[:i], " "))
		}
	}

	return out
}

// TestOneCommitForAllServers: the servers go one after the other, each once, and the others are a quorum at every moment.
func TestOneCommitForAllServers(t *testing.T) {
	t.Parallel()

	for name, tc := range commits {
		t.Run(name, func(t *testing.T) {
			edits := tc.edits
			if name == "ClassInTheCatalogue" {
				edits = edits[:1]
			}

			all := servers(t, 3, edits...)
			if name == "ClassInTheCatalogue" {
				for _, m := range all {
					m.sized(2)
					m.Spec()["class"] = "own"
				}

				all[0].Rest()

				for _, m := range all {
					m.lifecycle("reboot", "before")
				}

				all[0].Rest()
				all[0].Proxmox.Done = nil
			}

			ids := make([]int, 0, len(all))
			for _, m := range all {
				ids = append(ids, m.number())
				tc.commit(m)
			}

			check := watch(t, all[0].Proxmox, 2)

			together(all, 40, check)

			all[0].Rest()
			check()

			for i, m := range all {
				if got := of(m.Proxmox, ids[i]); !slices.Equal(got, tc.done) {
					t.Errorf("%s: want %v done, got %v", m.Name(), tc.done, got)
				}

				m.says(m.Turn(), map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending"})

				if a := world.Annotation(m.Observed["vm"], proxmox.OutageAnnotation); a != "" {
					t.Errorf("%s still announces %q", m.Name(), a)
				}
			}
		})
	}
}

// TestAnInterfaceThatWaits: the plan says what is plugged in elsewhere, and when.
func TestAnInterfaceThatWaits(t *testing.T) {
	m := servers(t, 3)[0]
	world.Merge(m.Spec(), map[string]any{"network": map[string]any{"vlan": 30.0}})

	got := m.explained()

	for _, want := range []string{
		"vm: the provider plugs the interface in again when no other server of the K3s cluster is away, and the others can go on without this one",
		"vm: change in place: spec.network.vlan: none to 30",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in the plan:\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// TestAClusterIsStopped by one commit: one server stops, the others run on and say whom they miss, until somebody forces them.
func TestAClusterIsStopped(t *testing.T) {
	all := servers(t, 3)
	for _, m := range all {
		m.Spec()["power"] = "Stopped"
	}

	all[0].Rest()

	running := func() (out []*machine) {
		for _, m := range all {
			if m.Proxmox.VMs[m.number()].Running != nil {
				out = append(out, m)
			}
		}

		return out
	}

	left := running()
	if len(left) != 2 {
		t.Fatalf("%d servers run, want 2; done: %v", len(left), all[0].Proxmox.Done)
	}

	for _, m := range left {
		rsp := m.Turn()
		m.says(rsp, map[string]string{"MachineReady": "WaitingForQuorum"})

		if msg := world.Message(rsp, "MachineReady"); !strings.Contains(msg, "(is stopped)") || !strings.Contains(msg, "spec.lifecycle.force") {
			t.Errorf("the message names neither who is missing nor the way out: %s", msg)
		}

		if rsp.GetDesired().GetResources()["vm"].GetReady().String() == "READY_TRUE" {
			t.Error("a VM that is to be stopped and runs counts as ready")
		}
	}

	for _, m := range left {
		m.lifecycle("force", "now")
	}

	all[0].Rest()

	if left := running(); len(left) != 0 {
		t.Errorf("%d servers run on", len(left))
	}

	// And up again, for which nobody has to wait. The value is used up.
	for _, m := range all {
		m.Spec()["power"] = "Running"
	}

	all[0].Rest()

	for _, m := range all {
		m.says(m.Turn(), map[string]string{"MachineReady": "Running"})
		m.Spec()["power"] = "Stopped"
	}

	all[0].Rest()

	if left := running(); len(left) != 2 {
		t.Errorf("%d servers run, want 2: a value of force counts once", len(left))
	}
}

// TestAServerAlone is restarted, stopped and moved as any machine: there is nobody to wait for.
func TestAServerAlone(t *testing.T) {
	all := servers(t, 1)
	m, id := all[0], all[0].number()
	m.lifecycle("reboot", "a")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending"})
	m.did(fmt.Sprintf("stop %d", id), fmt.Sprintf("start %d", id))

	m.Spec()["power"] = "Stopped"
	m.says(m.Rest(), map[string]string{"MachineReady": "Stopped"})
	m.did(fmt.Sprintf("stop %d", id))
}

// TestTwoServers wait for each other for ever where they hold etcd, and go one by one where another datastore does.
func TestTwoServers(t *testing.T) {
	for name, tc := range map[string]struct {
		edits []string
		done  int
		says  string
	}{
		"Etcd":      {says: "WaitingForQuorum"},
		"Datastore": {edits: []string{"k3s: {config: {datastore-cafile: /etc/db.crt}}"}, done: 4, says: "NothingPending"},
	} {
		t.Run(name, func(t *testing.T) {
			all := servers(t, 2, tc.edits...)
			for _, m := range all {
				m.lifecycle("reboot", "a")
			}

			check := watch(t, all[0].Proxmox, 1)

			for range 20 {
				for _, m := range all {
					m.Turn()
					check()
				}
			}

			if got := len(all[0].Proxmox.Done); got != tc.done {
				t.Errorf("done in Proxmox: %v", all[0].Proxmox.Done)
			}

			for _, m := range all {
				m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": tc.says})
			}
		})
	}
}

// TestAServerThatDoesNotAnswer counts for nothing, although it runs: the others wait, and it may be restarted itself.
func TestAServerThatDoesNotAnswer(t *testing.T) {
	all := servers(t, 3)
	mute, other := all[0], all[1]
	mute.Proxmox.VMs[mute.number()].Silent = true
	mute.Rest()

	for _, m := range all {
		m.lifecycle("reboot", "a")
	}

	for _, m := range []*machine{other, all[2], other} {
		m.Turn()
		m.did()
	}

	rsp := other.Turn()
	other.says(rsp, map[string]string{"RebootPending": "WaitingForQuorum", "MachineReady": "Running"})

	if msg := world.Message(rsp, "RebootPending"); !strings.Contains(msg, "server-1 (runs, but its guest agent reports no address)") {
		t.Errorf("the message does not name who is missing: %s", msg)
	}

	for range 4 {
		mute.Turn()
	}

	mute.did(fmt.Sprintf("stop %d", mute.number()), fmt.Sprintf("start %d", mute.number()))
	mute.Proxmox.VMs[mute.number()].Silent = false

	other.says(other.Rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Running"})
}
