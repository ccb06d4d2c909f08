package behaviour

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A replacement is one way to replace a machine, and what is done to VMs for it, in order.
type replacement struct {
	example string
	edits   []string
	done    []string
}

var replacements = map[string]replacement{
	"SideBySide":         {"nixos/dns01", []string{dhcp}, []string{"make the new one", "destroy the old one"}},
	"OneAfterTheOther":   {"nixos/dns01", nil, []string{"change onBoot of the old one", "stop the old one", "make the new one", "destroy the old one"}},
	"SideBySideKept":     {"nixos/dns01", []string{dhcp, "deletionPolicy: Orphan"}, []string{"make the new one", "change onBoot of the old one", "stop the old one", "let go of the old one"}},
	"OneAfterTheOtherUp": {"nixos/dns01", []string{"deletionPolicy: Orphan"}, []string{"change onBoot of the old one", "stop the old one", "make the new one", "let go of the old one"}},
	"Download":           {"plain-debian/files01", nil, []string{"change onBoot of the old one", "stop the old one", "make the new one", "destroy the old one"}},
	"Unmanaged":          {"nixos/dns01", []string{dhcp, "power: Unmanaged"}, []string{"make the new one", "destroy the old one"}},
	"UnmanagedKept":      {"nixos/dns01", []string{dhcp, "power: Unmanaged", "deletionPolicy: Orphan"}, []string{"make the new one", "change onBoot of the old one", "stop the old one", "let go of the old one"}},
	"Stopped":            {"nixos/dns01", []string{"power: Stopped"}, []string{"change onBoot of the old one", "make the new one", "stop the new one", "destroy the old one"}},
	"Agent":              {"k3s-cluster/agent-1", []string{"network: {dhcp: true}"}, []string{"change onBoot of the old one", "stop the old one", "make the new one", "destroy the old one"}},
}

// stopFirst puts the stop of a promoted VM before the end of the VM that it replaced: the provider works on both at once.
func stopFirst(done []string) []string {
	if n := len(done); n >= 2 && done[n-1] == "stop the new one" && done[n-2] == "destroy the old one" {
		done[n-1], done[n-2] = done[n-2], done[n-1]
	}

	return done
}

var number1 = regexp.MustCompile(`\b[0-9]+\b`)

// most turns that a replacement takes.
const most = 6

// few of the ways are enough where the others differ in nothing that matters.
var few = []string{"OneAfterTheOther", "SideBySideKept", "Agent"}

// eachStage replaces a machine in some ways, all where none is named, and has something happen after each number of turns; it
// is the same as if it had not in the end.
func eachStage(t *testing.T, ways []string, happens func(m *machine)) {
	t.Helper()

	if len(ways) == 0 {
		ways = slices.Sorted(maps.Keys(replacements))
	}

	for _, name := range ways {
		r := replacements[name]

		for stage := range most {
			t.Run(fmt.Sprintf("%s%d", name, stage), func(t *testing.T) {
				m, settled := living(t, r.example, r.edits...)
				old := fmt.Sprint(world.Status(settled)["vmId"])
				m.replace("a")

				for range stage {
					m.Turn()
				}

				happens(m)

				last := m.Rest()
				for i, d := range m.Proxmox.Done {
					d = strings.ReplaceAll(d, old, "the old one")
					m.Proxmox.Done[i] = number1.ReplaceAllString(d, "the new one")
				}

				m.Proxmox.Done = stopFirst(m.Proxmox.Done)
				m.did(r.done...)

				if n := later(last); len(n) != 1 || len(world.VMNames(last)) != 1 {
					t.Errorf("VMs in the end: %v", world.VMNames(last))
				}

				m.says(last, map[string]string{"ReplacementRequired": "NotRequired", "SpecValid": "Valid"})
			})
		}
	}
}

// TestAProviderThatIsStuck: whenever it stops, all waits, and nothing is lost.
func TestAProviderThatIsStuck(t *testing.T) {
	t.Parallel()

	eachStage(t, nil, func(m *machine) {
		m.Provider.Stuck = []string{""}

		// What was seen before it stopped is still acted on.
		for range 3 {
			m.Turn()
		}

		first, before := m.Turn(), m.Cluster().Snapshot()

		for range 3 {
			m.only(first, m.Turn(), nil)
		}

		if diff := cmp.Diff(before, m.Cluster().Snapshot()); diff != "" {
			m.t.Errorf("while the provider does nothing: -before, +after:\n%s", diff)
		}

		m.Provider.Stuck = nil
	})
}

// TestAProviderThatFails: an error of anything, at any stage, takes nothing away.
func TestAProviderThatFails(t *testing.T) {
	t.Parallel()

	for name, message := range map[string]string{
		"Network": "observe failed: cannot run refresh: refresh failed: dial tcp 192.168.4.2:8006: connect: connection refused",
	} {
		t.Run(name, func(t *testing.T) {
			eachStage(t, few, func(m *machine) {
				names := slices.Collect(maps.Keys(m.Observed))
				for _, n := range append(names, later(m.Call())...) {
					m.Provider.Fails[n] = message
				}

				for range 5 {
					before := slices.Sorted(maps.Keys(m.Observed))
					m.Turn()

					for _, n := range before {
						if _, ok := m.Observed[n]; !ok && m.happened("make") < 0 {
							m.t.Errorf("%s is gone, and there is no new VM", n)
						}
					}
				}

				clear(m.Provider.Fails)
			})
		})
	}
}

// TestForgottenVMs: whoever takes our annotations off has no machine destroyed for it.
func TestForgottenVMs(t *testing.T) {
	t.Parallel()

	for _, name := range few {
		r := replacements[name]

		for stage := range most {
			t.Run(fmt.Sprintf("%s%d", name, stage), func(t *testing.T) {
				m, _ := living(t, r.example, r.edits...)
				m.replace("a")

				for range stage {
					m.Turn()
				}

				for _, o := range m.Observed {
					maps.DeleteFunc(world.Object(world.Object(o["metadata"])["annotations"]), func(k string, _ any) bool { return strings.HasPrefix(k, "homelab.io/") })
				}

				for range most {
					m.Turn()
				}

				// Whatever there is now, one VM is the machine's, and runs as asked.
				running := 0

				for _, g := range m.Proxmox.VMs {
					if g.Owner != "" && (g.Running != nil) == (m.Spec()["power"] != "Stopped") {
						running++
					}
				}

				if running == 0 {
					t.Errorf("no VM is left that runs as asked; done: %v", m.Proxmox.Done)
				}

				if destroyed, made := m.happened("destroy"), m.happened("make"); destroyed >= 0 && (made < 0 || destroyed < made) {
					t.Errorf("a VM is destroyed and none was made: %v", m.Proxmox.Done)
				}
			})
		}
	}
}

// TestARestartOfTheProvider between any two turns: it says again what it sees, with other conditions meanwhile.
func TestARestartOfTheProvider(t *testing.T) {
	t.Parallel()

	eachStage(t, few, func(m *machine) {
		for name, o := range m.Observed {
			if o["kind"] == world.VMKind && world.Object(world.Object(o["status"])["atProvider"])["id"] != nil {
				world.SetConditions(o, world.Condition("Ready", "False", "Creating", "", nil), world.Condition("Synced", "True", "ReconcileSuccess", "", nil))
				m.Provider.Stuck = append(m.Provider.Stuck, name)
			}
		}

		m.Turn()
		m.Provider.Stuck = nil
	})
}

// TestCrossplaneFetchesAtAnyStage: a call that knows nothing of what was asked for keeps everything as it is.
func TestCrossplaneFetchesAtAnyStage(t *testing.T) {
	t.Parallel()

	eachStage(t, few, func(m *machine) {
		req := m.Request()
		req.RequiredResources = nil

		rsp := m.ask(req)
		if world.Fatal(rsp) != "" {
			m.t.Fatalf("fatal result: %s", world.Fatal(rsp))
		}

		before := m.Cluster().Snapshot()
		m.Apply(rsp)

		// A status says less then; all else is the same.
		m.Composite["status"] = world.Object(world.Copy(before.([]any)[2]))

		if diff := cmp.Diff(before, m.Cluster().Snapshot()); diff != "" {
			m.t.Errorf("while Crossplane looks: -before, +after:\n%s", diff)
		}
	})
}
