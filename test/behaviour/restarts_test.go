package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// cores that a VM runs with, and that it would start with.
func (m *machine) cores(id int) (running, configured any) {
	g := m.Proxmox.VMs[id]
	of := func(config map[string]any) any {
		return world.Object(append(world.List(config["cpu"]), map[string]any{})[0])["cores"]
	}

	return of(g.Running), of(g.Config)
}

// TestAChangeWaitsForAReboot: it is written, nothing is stopped for it, and what the VM runs with is remembered.
func TestAChangeWaitsForAReboot(t *testing.T) {
	m, settled := living(t, "nixos/dns01")
	m.Spec()["size"] = map[string]any{"cores": 6}

	changed := m.Rest()
	m.did("change cpu of 100")
	m.only(settled, changed, func(d map[string]*fnv1.Resource) {
		set(d, "vm", []any{map[string]any{"cores": 6, "sockets": 1, "type": "x86-64-v2-AES", "numa": false}}, "spec", "forProvider", "cpu")
		set(d, "vm", `{"spec.size.cores":"2"}`, "metadata", "annotations", proxmox.RebootPendingAnnotation)
	})
	m.says(changed, map[string]string{"RebootPending": "ChangesPending", "MachineReady": "Running"})

	if diff := cmp.Diff([]any{"spec.size.cores: 2 to 6"}, world.Status(changed)["pendingReboot"]); diff != "" {
		t.Errorf("status.pendingReboot: -want, +got:\n%s", diff)
	}

	if running, configured := m.cores(100); running != 2.0 || configured != 6.0 {
		t.Errorf("the VM runs with %v cores and would start with %v", running, configured)
	}

	// A second change adds to the first, and the first may change again.
	m.Spec()["size"] = map[string]any{"cores": 8, "memory": "16Gi"}
	more := m.Rest()

	if diff := cmp.Diff([]any{"spec.size.cores: 2 to 8", "spec.size.memory: 4 GiB to 16 GiB"}, world.Status(more)["pendingReboot"]); diff != "" {
		t.Errorf("status.pendingReboot: -want, +got:\n%s", diff)
	}

	// Back to what it runs with: nothing waits any more.
	delete(m.Spec(), "size")

	back := m.Rest()
	m.only(settled, back, nil)
	m.says(back, map[string]string{"RebootPending": "NothingPending"})

	if p := world.Status(back)["pendingReboot"]; p != nil {
		t.Errorf("status.pendingReboot: %v", p)
	}
}

// TestAReboot is one stop and one start, requested by a trigger or by the policy, however often the function is called.
func TestAReboot(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		before func(m *machine)
		ask    func(m *machine)
		done   []string
		cores  float64
	}{
		"ByWord": {
			reason: "A new trigger, with a change that waits.",
			before: func(m *machine) { m.Spec()["size"] = map[string]any{"cores": 6} },
			ask:    func(m *machine) { m.lifecycle("reboot", "a") }, done: []string{"stop 100", "start 100"}, cores: 6,
		},
		"TogetherWithTheChange": {
			reason: "Change and trigger in one commit.",
			ask: func(m *machine) {
				m.Spec()["size"] = map[string]any{"cores": 6}
				m.lifecycle("reboot", "a")
			}, done: []string{"change cpu of 100", "stop 100", "start 100"}, cores: 6,
		},
		"ForNothing": {
			reason: "A trigger requests a power cycle, whether a change waits or not.",
			ask:    func(m *machine) { m.lifecycle("reboot", "a") }, done: []string{"stop 100", "start 100"}, cores: 2,
		},
		"ByPolicy": {
			reason: "WhenNeeded takes a change up at once.",
			before: func(m *machine) { m.lifecycle("rebootPolicy", "WhenNeeded") },
			ask:    func(m *machine) { m.Spec()["size"] = map[string]any{"cores": 6} }, done: []string{"change cpu of 100", "stop 100", "start 100"}, cores: 6,
		},
		"PolicyLater": {
			reason: "It takes up what waits already.",
			before: func(m *machine) { m.Spec()["size"] = map[string]any{"cores": 6} },
			ask:    func(m *machine) { m.lifecycle("rebootPolicy", "WhenNeeded") }, done: []string{"stop 100", "start 100"}, cores: 6,
		},
		"PolicyForNothing": {
			reason: "What changes in place needs none.",
			before: func(m *machine) { m.lifecycle("rebootPolicy", "WhenNeeded") },
			ask:    func(m *machine) { m.Spec()["tags"] = []any{"new"} }, done: []string{"change tags of 100"}, cores: 2,
		},
		"UnmanagedByWord": {
			reason: "Also where the power is nobody's business otherwise.",
			before: func(m *machine) {
				m.Spec()["power"] = "Unmanaged"
				m.Spec()["size"] = map[string]any{"cores": 6}
			},
			ask: func(m *machine) { m.lifecycle("reboot", "a") }, done: []string{"stop 100", "start 100"}, cores: 6,
		},
		"UnmanagedByPolicy": {
			reason: "The same by policy.",
			before: func(m *machine) {
				m.Spec()["power"] = "Unmanaged"
				m.lifecycle("rebootPolicy", "WhenNeeded")
			},
			ask: func(m *machine) { m.Spec()["size"] = map[string]any{"cores": 6} }, done: []string{"change cpu of 100", "stop 100", "start 100"}, cores: 6,
		},
	}

	for name, tc := range cases {
		for stage := range 4 {
			t.Run(fmt.Sprintf("%s%d", name, stage), func(t *testing.T) {
				m, _ := living(t, "nixos/dns01")
				if tc.before != nil {
					tc.before(m)
					m.Rest()
					m.Proxmox.Done = nil
				}

				tc.ask(m)

				// The provider stops working for a while, at any moment.
				for range stage {
					m.Turn()
				}

				m.Provider.Stuck = []string{"vm"}

				first := m.Turn()
				for range 3 {
					m.only(first, m.Turn(), nil)
				}

				m.Provider.Stuck = nil

				last := m.Rest()
				m.did(tc.done...)
				m.says(last, map[string]string{"RebootPending": "NothingPending", "MachineReady": "Running"})

				if running, _ := m.cores(100); running != tc.cores {
					t.Errorf("%s\nthe VM runs with %v cores", tc.reason, running)
				}

				if a := world.Annotations(last, "vm"); a[proxmox.RebootPendingAnnotation] != nil || a[proxmox.StoppedForAnnotation] != nil {
					t.Errorf("%s\nannotations %v", tc.reason, a)
				}
			})
		}
	}
}

// TestStagesOfAReboot says what a person sees meanwhile.
func TestStagesOfAReboot(t *testing.T) {
	m, settled := living(t, "nixos/dns01")
	m.lifecycle("reboot", "a")

	stopping := m.Call()
	m.only(settled, stopping, func(d map[string]*fnv1.Resource) {
		set(d, "vm", false, "spec", "forProvider", "started")
		set(d, "vm", "restart", "metadata", "annotations", proxmox.StoppedForAnnotation)
		set(d, "vm", "a", "metadata", "annotations", proxmox.RebootingForAnnotation)
	})
	m.says(stopping, map[string]string{"RebootPending": "Rebooting", "MachineReady": "Rebooting"})

	if stopping.GetDesired().GetResources()["vm"].GetReady() == fnv1.Ready_READY_TRUE {
		t.Error("a VM that is about to stop counts as ready")
	}

	m.Turn()

	starting := m.Turn()
	m.says(starting, map[string]string{"RebootPending": "Rebooting", "MachineReady": "Rebooting"})

	// The trigger counts as followed as soon as the VM was seen stopped.
	if a := world.Annotations(starting, "vm"); a[proxmox.RebootTriggersAnnotation] != "a" {
		t.Errorf("annotations %v", a)
	}

	last := m.Rest()
	m.only(settled, last, func(d map[string]*fnv1.Resource) {
		set(d, "vm", "a", "metadata", "annotations", proxmox.RebootTriggersAnnotation)
	})
	m.did("stop 100", "start 100")
}

// TestAReportThatIsMissing: the provider reports nothing of the VM in one of the calls of a reboot. What was written stays, and one
// trigger is one power cycle.
func TestAReportThatIsMissing(t *testing.T) {
	for missing := range 6 {
		t.Run(fmt.Sprint(missing), func(t *testing.T) {
			m, _ := living(t, "nixos/dns01")
			m.lifecycle("reboot", "a")

			for turn := range 6 {
				if turn == missing {
					delete(world.Object(m.Observed["vm"]["status"]), "atProvider")

					was := world.Object(world.Copy(m.Observed["vm"]))
					now := world.Desired(m.Call(), "vm")

					started := func(vm map[string]any) any {
						return world.Object(world.Object(vm["spec"])["forProvider"])["started"]
					}
					if was, now := started(was), started(now); was != now {
						t.Errorf("started becomes %v and was %v", now, was)
					}

					if was, now := world.Annotation(was, proxmox.StoppedForAnnotation), world.Annotation(now, proxmox.StoppedForAnnotation); was != now {
						t.Errorf("the mark becomes %q and was %q", now, was)
					}
				}

				m.Turn()
			}

			m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Running"})
			m.did("stop 100", "start 100")
		})
	}
}

// TestTriggersThatRebootNothing: the trigger of the creation, one that was followed, none, and a revert.
func TestTriggersThatRebootNothing(t *testing.T) {
	m, settled := living(t, "nixos/dns01", "lifecycle: {reboot: born}")

	for _, word := range []string{"born", "", "born"} {
		m.lifecycle("reboot", word)
		m.only(settled, m.Rest(), nil)
		m.did()
	}

	m.lifecycle("reboot", "a")
	second := m.Rest()
	m.did("stop 100", "start 100")

	for _, word := range []string{"born", "a", "", "born"} {
		m.lifecycle("reboot", word)
		m.only(second, m.Rest(), nil)
		m.did()
	}
}

// TestAStopTakesChangesUp, whoever asked for it.
func TestAStopTakesChangesUp(t *testing.T) {
	m, _ := living(t, "nixos/dns01")
	m.Spec()["size"] = map[string]any{"cores": 6}
	m.Rest()

	m.Spec()["power"] = "Stopped"
	m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Stopped"})

	// While the VM is stopped, no change waits, and a trigger counts as followed.
	m.Spec()["size"] = map[string]any{"cores": 8}
	m.lifecycle("reboot", "a")
	m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Stopped"})

	m.Spec()["power"] = "Running"
	m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Running"})
	m.did("change cpu of 100", "stop 100", "change cpu of 100", "start 100")
}

// TestWhatIsRememberedIsLost: somebody took the annotation off, or broke it; then nothing is known to wait.
func TestWhatIsRememberedIsLost(t *testing.T) {
	for name, value := range map[string]any{"Gone": nil, "Broken": "{", "OfAnotherKind": `["spec.size.cores"]`, "UnknownField": `{"spec.no.such.field":"1"}`} {
		t.Run(name, func(t *testing.T) {
			m, _ := living(t, "nixos/dns01")
			m.Spec()["size"] = map[string]any{"cores": 6}
			m.Rest()

			annotations := world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"])
			delete(annotations, proxmox.RebootPendingAnnotation)

			if value != nil {
				annotations[proxmox.RebootPendingAnnotation] = value
			}

			last := m.Rest()
			if msg := world.Message(last, "RebootPending"); strings.Contains(msg, "cores") {
				t.Errorf("the condition says %s", msg)
			}

			m.did("change cpu of 100")
		})
	}
}
