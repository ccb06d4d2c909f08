package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// eachMachine at rest of both kinds: one with bootstrap data of Proxmox's, and one with rendered user-data.
func eachMachine(t *testing.T, check func(m *machine)) {
	t.Helper()

	for _, name := range []string{"nixos/dns01", "k3s-cluster/agent-1"} {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			m, _ := living(t, name)
			check(m)
		})
	}
}

// vmID of the only VM.
func (m *machine) vmID() int {
	for id := range m.Proxmox.VMs {
		return id
	}

	m.t.Fatal("no VM")

	return 0
}

// announcedAs are the fields of a managed resource in the words of an adoption's plan, where these are others.
var announcedAs = map[string]string{"name": "spec.hostname", "description": "description", "tags": "spec.tags"} //nolint:gochecknoglobals // A constant table.

// onlyAnnounced checks that nothing has changed but what the plan of an adoption says.
func (m *machine) onlyAnnounced(announced string, before, after any) {
	m.t.Helper()

	for _, d := range world.FieldDifferences("", world.Object(before), world.Object(after)) {
		field, _, _ := strings.Cut(strings.TrimLeft(d.Path, "."), "[")
		if word := announcedAs[field]; word == "" || !strings.Contains(announced, word) {
			m.t.Errorf("%s was not announced: %s", d.Path, announced)
		}
	}

	if !strings.Contains(world.Compact(after), "core") {
		m.t.Errorf("the tag that was announced has not arrived: %s", world.Compact(after))
	}

	m.calm()
}

func machineLosesNothing(t *testing.T) {
	eachMachine(t, func(m *machine) {
		before := m.seen()
		m.Catalogue = nil
		m.keepsAll(before)
	})
}

func machineFreezesNothing(t *testing.T) {
	for _, section := range []string{"classes", "images", "sites", "clusters"} {
		eachMachine(t, func(m *machine) {
			m.lose(section)
			m.edit("{deletionPolicy: Orphan, power: Stopped}")
			m.Rest()

			vm := m.Observed["vm"]
			if world.Object(world.Object(vm["spec"])["forProvider"])["started"] != false || strings.Contains(world.Policies(vm), "Delete") {
				m.t.Errorf("without %s: the claim says Stopped and Orphan, and the VM has %s", section, world.Compact(vm["spec"]))
			}
		})
	}
}

func machineRotates(t *testing.T) {
	eachMachine(t, func(m *machine) {
		before := m.seen()
		m.rotate()
		m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired"})
		m.did()

		if diff := cmp.Diff(before["vm"]["spec"], m.Observed["vm"]["spec"]); diff != "" {
			m.t.Errorf("the VM: -before, +after:\n%s", diff)
		}
	})
}

func machineRefusesAlone(t *testing.T) {
	eachMachine(t, func(m *machine) {
		m.edit("{size: {disk: 1Gi}, tags: [edited]}")
		m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})

		if got := fmt.Sprint(m.Proxmox.VMs[m.vmID()].Config["tags"]); !strings.Contains(got, "edited") {
			m.t.Errorf("the tag of the same commit has not arrived: %s", got)
		}

		m.calm()
	})
}

func machineIsProtected(t *testing.T) {
	eachMachine(t, func(m *machine) {
		m.edit("{deletionProtection: true}")

		if rsp := m.Rest(); !protects(rsp) {
			m.t.Errorf("no Usage: %v", world.Names(rsp))
		}
	})
}

func machineAsksFirst(t *testing.T) {
	for _, edit := range []string{
		"{size: {memory: 6Gi, cores: 3}}", "{size: {disk: 1Gi}}", "{image: debian-12}", "{firmware: {type: UEFI}}", "{proxmox: {node: pve2}}", "{disks: []}",
	} {
		eachMachine(t, func(m *machine) {
			m.edit(edit)

			if msg := world.Fatal(m.Call()); msg == "" {
				m.Rest()
			}

			m.calm()
		})
	}
}

func machineAnnounces(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, tags: [core]}", fake.HandMade(t))
	m.Rest()

	before := world.Essence(world.Copy(m.Proxmox.VMs[108].Config))
	announced := fmt.Sprint(adoptionOf(m.Rest()))
	m.approved()
	m.onlyAnnounced(announced, before, world.Essence(world.Copy(m.Proxmox.VMs[108].Config)))
}

func machineLeavesAlone(t *testing.T) {
	eachMachine(t, func(m *machine) {
		id := m.vmID()
		delete(m.Proxmox.VMs, id)
		stranger := m.Proxmox.ByHand(id, fake.HandMade(m.t, anotherUUID))
		before := world.Copy([]any{stranger.Config, stranger.Running})

		for range 6 {
			m.Turn()
		}

		m.Leave()

		if left := m.Proxmox.VMs[id]; left == nil || world.Compact(before) != world.Compact(world.Copy([]any{left.Config, left.Running})) {
			m.t.Errorf("the VM of somebody else is not what it was: %v", left)
		}
	})
}

func machineKeepsSecrets(t *testing.T) {
	eachMachine(t, func(m *machine) {
		m.keepsToItself(m.Call())
		m.Provider.Fails["vm"] = "update failed: apply failed: " + aSecret
		m.Turn()
		m.fails()
	})
}
