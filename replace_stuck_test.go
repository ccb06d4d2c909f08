package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
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
	"Stopped":            {"nixos/dns01", []string{"power: Stopped"}, []string{"change onBoot of the old one", "make the new one", "destroy the old one"}},
	"Agent":              {"k3s-cluster/agent-1", []string{"network: {dhcp: true}"}, []string{"change onBoot of the old one", "stop the old one", "make the new one", "destroy the old one"}},
}

var number1 = regexp.MustCompile(`\b[0-9]+\b`)

// most turns that a replacement takes.
const most = 6

// few of the ways are enough where the others differ in nothing that matters.
var few = []string{"OneAfterTheOther", "SideBySideKept", "Agent"}

// eachStage replaces a machine in some ways, all where none is named, and has something happen after each number of turns; it
// is the same as if it had not in the end.
func eachStage(t *testing.T, ways []string, happens func(l *lab)) {
	t.Helper()

	if len(ways) == 0 {
		ways = slices.Sorted(maps.Keys(replacements))
	}

	for _, name := range ways {
		r := replacements[name]

		for stage := range most {
			t.Run(fmt.Sprintf("%s%d", name, stage), func(t *testing.T) {
				l, settled := living1(t, r.example, r.edits...)
				old := fmt.Sprint(statusOf(settled)["vmId"])
				l.replace("a")

				for range stage {
					l.turn()
				}

				happens(l)

				last := l.rest()
				for i, d := range l.pve.done {
					d = strings.ReplaceAll(d, old, "the old one")
					l.pve.done[i] = number1.ReplaceAllString(d, "the new one")
				}

				l.did(r.done...)

				if n := later(last); len(n) != 1 || len(vmNames(last)) != 1 {
					t.Errorf("VMs in the end: %v", vmNames(last))
				}

				l.says(last, map[string]string{"ReplacementRequired": "NotRequired", "SpecValid": "Valid"})
			})
		}
	}
}

// TestAProviderThatIsStuck: whenever it stops, all waits, and nothing is lost.
func TestAProviderThatIsStuck(t *testing.T) {
	eachStage(t, nil, func(l *lab) {
		l.stuck = []string{""}

		// What was seen before it stopped is still acted on.
		for range 3 {
			l.turn()
		}

		first, before := l.turn(), l.snapshot()

		for range 3 {
			l.only(first, l.turn(), nil)
		}

		if diff := cmp.Diff(before, l.snapshot()); diff != "" {
			l.t.Errorf("while the provider does nothing: -before, +after:\n%s", diff)
		}

		l.stuck = nil
	})
}

// TestAProviderThatFails: an error of anything, at any stage, takes nothing away.
func TestAProviderThatFails(t *testing.T) {
	for name, message := range map[string]string{
		"Network": "observe failed: cannot run refresh: refresh failed: dial tcp 192.168.4.2:8006: connect: connection refused",
	} {
		t.Run(name, func(t *testing.T) {
			eachStage(t, few, func(l *lab) {
				names := slices.Collect(maps.Keys(l.observed))
				for _, n := range append(names, later(l.call())...) {
					l.fails[n] = message
				}

				for range 5 {
					before := slices.Sorted(maps.Keys(l.observed))
					l.turn()

					for _, n := range before {
						if _, ok := l.observed[n]; !ok && l.happened("make") < 0 {
							l.t.Errorf("%s is gone, and there is no new VM", n)
						}
					}
				}

				clear(l.fails)
			})
		})
	}
}

// TestForgottenVMs: whoever takes our annotations off has no machine destroyed for it.
func TestForgottenVMs(t *testing.T) {
	for _, name := range few {
		r := replacements[name]

		for stage := range most {
			t.Run(fmt.Sprintf("%s%d", name, stage), func(t *testing.T) {
				l, _ := living1(t, r.example, r.edits...)
				l.replace("a")

				for range stage {
					l.turn()
				}

				for _, o := range l.observed {
					maps.DeleteFunc(object(object(o["metadata"])["annotations"]), func(k string, _ any) bool { return strings.HasPrefix(k, "homelab.io/") })
				}

				for range most {
					l.turn()
				}

				// Whatever there is now, one VM is the machine's, and runs as asked.
				running := 0

				for _, g := range l.pve.vms {
					if g.owner != "" && (g.running != nil) == (specOf(l.world)["power"] != "Stopped") {
						running++
					}
				}

				if running == 0 {
					t.Errorf("no VM is left that runs as asked; done: %v", l.pve.done)
				}

				if d, m := l.happened("destroy"), l.happened("make"); d >= 0 && (m < 0 || d < m) {
					t.Errorf("a VM is destroyed and none was made: %v", l.pve.done)
				}
			})
		}
	}
}

// TestARestartOfTheProvider between any two turns: it says again what it sees, with other conditions meanwhile.
func TestARestartOfTheProvider(t *testing.T) {
	eachStage(t, few, func(l *lab) {
		for name, o := range l.observed {
			if o["kind"] == proxmox.VMKind && object(object(o["status"])["atProvider"])["id"] != nil {
				setConditions(o, condition("Ready", "False", "Creating", "", nil), condition("Synced", "True", "ReconcileSuccess", "", nil))
				l.stuck = append(l.stuck, name)
			}
		}

		l.turn()
		l.stuck = nil
	})
}

// TestCrossplaneLooksAtAnyStage: a call that knows nothing of what was asked for keeps everything as it is.
func TestCrossplaneLooksAtAnyStage(t *testing.T) {
	eachStage(t, few, func(l *lab) {
		req := l.request(l.t)
		req.RequiredResources = nil

		rsp, err := newFunction().RunFunction(l.t.Context(), req)
		if err != nil || fatal(rsp) != "" {
			l.t.Fatalf("RunFunction(): %v, %s", err, fatal(rsp))
		}

		before := l.snapshot()
		l.obey(rsp)

		// A status says less then; all else is the same.
		l.composite["status"] = object(runtimeCopy(before.([]any)[2]))

		if diff := cmp.Diff(before, l.snapshot()); diff != "" {
			l.t.Errorf("while Crossplane looks: -before, +after:\n%s", diff)
		}
	})
}
