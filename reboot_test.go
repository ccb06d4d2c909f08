package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// cores that a VM runs with, and that it would start with.
func (l *lab) cores(id int) (running, configured any) {
	g := l.pve.vms[id]
	of := func(config map[string]any) any {
		return object(append(asList(config["cpu"]), map[string]any{})[0])["cores"]
	}

	return of(g.running), of(g.config)
}

// TestAChangeWaitsForAReboot: it is written, nothing is stopped for it, and what the VM runs with is remembered.
func TestAChangeWaitsForAReboot(t *testing.T) {
	l, settled := living1(t, "nixos/dns01")
	specOf(l.world)["size"] = map[string]any{"cores": 6}

	changed := l.rest()
	l.did("change cpu of 100")
	l.only(settled, changed, func(d map[string]*fnv1.Resource) {
		set(d, "vm", []any{map[string]any{"cores": 6, "sockets": 1, "type": "x86-64-v2-AES", "numa": false}}, "spec", "forProvider", "cpu")
		set(d, "vm", `{"spec.size.cores":"2"}`, "metadata", "annotations", proxmox.RebootPendingAnnotation)
	})
	l.says(changed, map[string]string{"RebootPending": "ChangesPending", "MachineReady": "Running"})

	if diff := cmp.Diff([]any{"spec.size.cores: 2 to 6"}, statusOf(changed)["pendingReboot"]); diff != "" {
		t.Errorf("status.pendingReboot: -want, +got:\n%s", diff)
	}

	if running, configured := l.cores(100); running != 2.0 || configured != 6.0 {
		t.Errorf("the VM runs with %v cores and would start with %v", running, configured)
	}

	// A second change adds to the first, and the first may change again.
	specOf(l.world)["size"] = map[string]any{"cores": 8, "memory": "16Gi"}
	more := l.rest()

	if diff := cmp.Diff([]any{"spec.size.cores: 2 to 8", "spec.size.memory: 4096 MiB to 16384 MiB"}, statusOf(more)["pendingReboot"]); diff != "" {
		t.Errorf("status.pendingReboot: -want, +got:\n%s", diff)
	}

	// Back to what it runs with: nothing waits any more.
	delete(specOf(l.world), "size")

	back := l.rest()
	l.only(settled, back, nil)
	l.says(back, map[string]string{"RebootPending": "NothingPending"})

	if p := statusOf(back)["pendingReboot"]; p != nil {
		t.Errorf("status.pendingReboot: %v", p)
	}
}

// TestAReboot is one stop and one start, asked for by a word or by the policy, whenever anything is called how often.
func TestAReboot(t *testing.T) {
	cases := map[string]struct {
		reason string
		before func(l *lab)
		ask    func(l *lab)
		done   []string
		cores  float64
	}{
		"ByWord": {
			reason: "A new word, with a change that waits.",
			before: func(l *lab) { specOf(l.world)["size"] = map[string]any{"cores": 6} },
			ask:    func(l *lab) { l.lifecycle("reboot", "a") }, done: []string{"stop 100", "start 100"}, cores: 6,
		},
		"TogetherWithTheChange": {
			reason: "Change and word in one commit.",
			ask: func(l *lab) {
				specOf(l.world)["size"] = map[string]any{"cores": 6}
				l.lifecycle("reboot", "a")
			}, done: []string{"change cpu of 100", "stop 100", "start 100"}, cores: 6,
		},
		"ForNothing": {
			reason: "A word asks for a power cycle, whether something waits or not.",
			ask:    func(l *lab) { l.lifecycle("reboot", "a") }, done: []string{"stop 100", "start 100"}, cores: 2,
		},
		"ByPolicy": {
			reason: "WhenNeeded takes a change up at once.",
			before: func(l *lab) { l.lifecycle("rebootPolicy", "WhenNeeded") },
			ask:    func(l *lab) { specOf(l.world)["size"] = map[string]any{"cores": 6} }, done: []string{"change cpu of 100", "stop 100", "start 100"}, cores: 6,
		},
		"PolicyLater": {
			reason: "It takes up what waits already.",
			before: func(l *lab) { specOf(l.world)["size"] = map[string]any{"cores": 6} },
			ask:    func(l *lab) { l.lifecycle("rebootPolicy", "WhenNeeded") }, done: []string{"stop 100", "start 100"}, cores: 6,
		},
		"PolicyForNothing": {
			reason: "What changes in place needs none.",
			before: func(l *lab) { l.lifecycle("rebootPolicy", "WhenNeeded") },
			ask:    func(l *lab) { specOf(l.world)["tags"] = []any{"new"} }, done: []string{"change tags of 100"}, cores: 2,
		},
		"UnmanagedByWord": {
			reason: "Also where the power is nobody's business otherwise.",
			before: func(l *lab) {
				specOf(l.world)["power"] = "Unmanaged"
				specOf(l.world)["size"] = map[string]any{"cores": 6}
			},
			ask: func(l *lab) { l.lifecycle("reboot", "a") }, done: []string{"stop 100", "start 100"}, cores: 6,
		},
		"UnmanagedByPolicy": {
			reason: "The same by policy.",
			before: func(l *lab) {
				specOf(l.world)["power"] = "Unmanaged"
				l.lifecycle("rebootPolicy", "WhenNeeded")
			},
			ask: func(l *lab) { specOf(l.world)["size"] = map[string]any{"cores": 6} }, done: []string{"change cpu of 100", "stop 100", "start 100"}, cores: 6,
		},
	}

	for name, tc := range cases {
		for stage := range 4 {
			t.Run(fmt.Sprintf("%s%d", name, stage), func(t *testing.T) {
				l, _ := living1(t, "nixos/dns01")
				if tc.before != nil {
					tc.before(l)
					l.rest()
					l.pve.done = nil
				}

				tc.ask(l)

				// The provider stops working for a while, at any moment.
				for range stage {
					l.turn()
				}

				l.stuck = []string{"vm"}

				first := l.turn()
				for range 3 {
					l.only(first, l.turn(), nil)
				}

				l.stuck = nil

				last := l.rest()
				l.did(tc.done...)
				l.says(last, map[string]string{"RebootPending": "NothingPending", "MachineReady": "Running"})

				if running, _ := l.cores(100); running != tc.cores {
					t.Errorf("%s\nthe VM runs with %v cores", tc.reason, running)
				}

				if a := annotationsOf(last, "vm"); a[proxmox.RebootPendingAnnotation] != nil || a[proxmox.StoppedForAnnotation] != nil {
					t.Errorf("%s\nannotations %v", tc.reason, a)
				}
			})
		}
	}
}

// TestStagesOfAReboot says what a person sees meanwhile.
func TestStagesOfAReboot(t *testing.T) {
	l, settled := living1(t, "nixos/dns01")
	l.lifecycle("reboot", "a")

	stopping := l.call()
	l.only(settled, stopping, func(d map[string]*fnv1.Resource) {
		set(d, "vm", false, "spec", "forProvider", "started")
		set(d, "vm", "restart", "metadata", "annotations", proxmox.StoppedForAnnotation)
	})
	l.says(stopping, map[string]string{"RebootPending": "Rebooting", "MachineReady": "Rebooting"})

	if stopping.GetDesired().GetResources()["vm"].GetReady() == fnv1.Ready_READY_TRUE {
		t.Error("a VM that is about to stop counts as ready")
	}

	l.turn()

	starting := l.turn()
	l.says(starting, map[string]string{"RebootPending": "Rebooting", "MachineReady": "Rebooting"})

	// The word counts as followed as soon as the VM was seen stopped.
	if a := annotationsOf(starting, "vm"); a[proxmox.RebootTriggersAnnotation] != "a" {
		t.Errorf("annotations %v", a)
	}

	last := l.rest()
	l.only(settled, last, func(d map[string]*fnv1.Resource) {
		set(d, "vm", "a", "metadata", "annotations", proxmox.RebootTriggersAnnotation)
	})
	l.did("stop 100", "start 100")
}

// TestWordsThatRebootNothing: the word of the birth, one that was followed, none, and a revert.
func TestWordsThatRebootNothing(t *testing.T) {
	l, settled := living1(t, "nixos/dns01", "lifecycle: {reboot: born}")

	for _, word := range []string{"born", "", "born"} {
		l.lifecycle("reboot", word)
		l.only(settled, l.rest(), nil)
		l.did()
	}

	l.lifecycle("reboot", "a")
	second := l.rest()
	l.did("stop 100", "start 100")

	for _, word := range []string{"born", "a", "", "born"} {
		l.lifecycle("reboot", word)
		l.only(second, l.rest(), nil)
		l.did()
	}
}

// TestAStopTakesChangesUp, whoever asked for it.
func TestAStopTakesChangesUp(t *testing.T) {
	l, _ := living1(t, "nixos/dns01")
	specOf(l.world)["size"] = map[string]any{"cores": 6}
	l.rest()

	specOf(l.world)["power"] = "Stopped"
	l.says(l.rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Stopped"})

	// While it is stopped nothing waits, and a word is followed by that.
	specOf(l.world)["size"] = map[string]any{"cores": 8}
	l.lifecycle("reboot", "a")
	l.says(l.rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Stopped"})

	specOf(l.world)["power"] = "Running"
	l.says(l.rest(), map[string]string{"RebootPending": "NothingPending", "MachineReady": "Running"})
	l.did("change cpu of 100", "stop 100", "change cpu of 100", "start 100")
}

// TestWhatIsRememberedIsLost: somebody took the annotation off, or broke it; then nothing is known to wait.
func TestWhatIsRememberedIsLost(t *testing.T) {
	for name, value := range map[string]any{"Gone": nil, "Broken": "{", "OfAnotherKind": `["spec.size.cores"]`, "UnknownField": `{"spec.no.such.field":"1"}`} {
		t.Run(name, func(t *testing.T) {
			l, _ := living1(t, "nixos/dns01")
			specOf(l.world)["size"] = map[string]any{"cores": 6}
			l.rest()

			annotations := object(object(l.observed["vm"]["metadata"])["annotations"])
			delete(annotations, proxmox.RebootPendingAnnotation)

			if value != nil {
				annotations[proxmox.RebootPendingAnnotation] = value
			}

			last := l.rest()
			if m := messageOf(last, "RebootPending"); strings.Contains(m, "cores") {
				t.Errorf("the condition says %s", m)
			}

			l.did("change cpu of 100")
		})
	}
}
