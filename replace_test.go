package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestSideBySide replaces a machine that can run beside its successor: it runs until that one is ready.
func TestSideBySide(t *testing.T) {
	l, settled := living1(t, "nixos/dns01", dhcp)
	old := snippetsOf(settled, "vm")
	l.replace("2026-11-20")

	// First the snippets, which are the new VM's own although they say the same.
	preparing := l.turn()
	added := newOnes(settled, preparing)

	if diff := cmp.Diff([]string{"meta-data", "user-data"}, stems(added)); diff != "" {
		t.Errorf("added: -want, +got:\n%s", diff)
	}

	without2(preparing.GetDesired().GetResources(), added...)
	l.only(settled, preparing, nil)
	l.says(preparing, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Running"})
	l.did()

	// Then the VM, marked, while the old one stays byte for byte what it is.
	making := l.turn()
	if n := later(making); len(n) != 1 {
		t.Fatalf("VMs %v", vmNames(making))
	}

	name := later(making)[0]
	annotations := annotationsOf(making, name)

	if annotations[proxmox.CandidateAnnotation] != "true" || annotations[proxmox.ReplaceTriggersAnnotation] != "2026-11-20" {
		t.Errorf("annotations of the new VM: %v", annotations)
	}

	if diff := cmp.Diff(added, snippetsOf(making, name)); diff != "" {
		t.Errorf("snippets of the new VM: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(desired(settled, "vm"), desired(making, "vm")); diff != "" {
		t.Errorf("the old VM: -before, +now:\n%s", diff)
	}

	l.says(making, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Running"})
	l.did("make 101")

	if got := object(statusOf(making)["replacement"])["token"]; got != "2026-11-20" || statusOf(making)["vmId"] != 100.0 {
		t.Errorf("status %v", statusOf(making))
	}

	// It is ready: it is the machine, and only the next call lets the old one go, with its snippets.
	promoted := l.turn()
	if a := annotationsOf(promoted, name); a[proxmox.CandidateAnnotation] != nil {
		t.Errorf("a VM that is ready is still marked: %v", a)
	}

	if desired(promoted, "vm") == nil {
		t.Error("the old VM goes before the new one is known to be ready")
	}

	l.did()

	last := l.rest()
	l.only(promoted, last, func(d map[string]*fnv1.Resource) { without2(d, append(old, "vm")...) })
	l.did("destroy 100")
	l.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running", "BootstrapCurrent": "Current"})

	if statusOf(last)["vmId"] != 101.0 || statusOf(last)["replacement"] != nil {
		t.Errorf("status %v", statusOf(last))
	}
}

// stems are names without their hashes.
func stems(names []string) []string {
	out := []string{}
	for _, n := range names {
		out = append(out, n[:strings.LastIndex(n, "-")])
	}

	return out
}

// TestOneAfterTheOther replaces a machine with an address of its own: it stops first, and only when all else is ready.
func TestOneAfterTheOther(t *testing.T) {
	l, settled := living1(t, "nixos/dns01")
	l.replace("a")
	l.stuck = []string{"user-data"}

	for range 5 {
		rsp := l.turn()
		if diff := cmp.Diff(desired(settled, "vm"), desired(rsp, "vm")); diff != "" {
			t.Errorf("the old VM while the snippets are not there: -before, +now:\n%s", diff)
		}
	}

	l.did()
	l.stuck = nil
	l.turn()

	stopping := l.turn()
	l.says(stopping, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Replacing"})

	if p := forProvider(stopping, "vm"); p["started"] != false || p["onBoot"] != false {
		t.Errorf("started %v, onBoot %v", p["started"], p["onBoot"])
	}

	if n := later(stopping); len(n) != 0 {
		t.Errorf("the new VM is made beside the old one, which has its address: %v", n)
	}

	last := l.rest()
	l.did("change onBoot of 100", "stop 100", "make 101", "destroy 100")
	l.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
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
			l, settled := living1(t, "nixos/dns01", tc.edit, "deletionPolicy: Orphan")
			l.replace("a")

			last := l.rest()
			l.did(tc.done...)
			l.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

			g := l.pve.vms[100]
			if g == nil || g.running != nil {
				t.Fatalf("the old VM: %+v", g)
			}

			// It starts again for whoever needs it.
			l.pve.start(100)

			for _, old := range append(snippetsOf(settled, "vm"), "vm") {
				if desired(last, old) != nil {
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
		"SideBySide":       {edits: []string{dhcp}, done: []string{"make 101"}, after: []string{"destroy 101"}},
		"OneAfterTheOther": {edits: []string{"tags: [core]"}, done: []string{"change onBoot of 100", "stop 100", "make 101"}, after: []string{"destroy 101", "change onBoot of 100", "start 100"}},
		"Orphan": {
			edits: []string{"deletionPolicy: Orphan"}, done: []string{"change onBoot of 100", "stop 100", "make 101"},
			after: []string{"destroy 101", "change onBoot of 100", "start 100"},
		},
		"Stopped":   {edits: []string{dhcp, "power: Stopped"}, done: []string{"make 101"}, after: []string{"destroy 101"}},
		"Unmanaged": {edits: []string{"power: Unmanaged"}, done: []string{"change onBoot of 100", "stop 100", "make 101"}, after: []string{"destroy 101", "change onBoot of 100", "start 100"}},
	} {
		for _, word := range []string{"", "born"} {
			t.Run(name+word, func(t *testing.T) {
				l, settled := living1(t, "nixos/dns01", append(tc.edits, "lifecycle: {replace: born}")...)
				l.replace("a")

				// The new VM is made, and nothing is heard of it.
				for range 6 {
					if l.turn(); l.happened("make 101") >= 0 {
						l.stuck = []string{"vm-"}
						l.forget("vm-")
					}
				}

				l.did(tc.done...)

				l.stuck = nil
				l.replace(word)

				last := l.rest()
				l.did(tc.after...)
				l.only(settled, last, nil)
				l.says(last, map[string]string{"ReplacementRequired": "NotRequired"})
			})
		}
	}
}

// forget what the provider said of composed resources.
func (l *lab) forget(prefix string) {
	for name, o := range l.observed {
		if strings.HasPrefix(name, prefix) {
			delete(o, "status")
		}
	}
}

// TestWordsThatAskForNothing: the word of the birth, one that was followed, none, and a revert.
func TestWordsThatAskForNothing(t *testing.T) {
	l, settled := living1(t, "nixos/dns01", dhcp, "lifecycle: {replace: born}")

	for _, word := range []string{"born", "", "born"} {
		l.replace(word)
		l.only(settled, l.rest(), nil)
		l.did()
	}

	l.replace("a")

	second := l.rest()
	l.did("make 101", "destroy 100")

	for _, word := range []string{"born", "a", "", "born"} {
		l.replace(word)
		l.only(second, l.rest(), nil)
		l.did()
	}

	l.replace("b")
	third := l.rest()
	l.did("make 100", "destroy 101")

	if a := annotationsOf(third, vmNames(third)[0]); a[proxmox.ReplaceTriggersAnnotation] != "born,a,b" {
		t.Errorf("words %v", a)
	}
}

// TestAnEditBesideTheWord is the new VM's alone: the old one is left as it is while it lives.
func TestAnEditBesideTheWord(t *testing.T) {
	l, settled := living1(t, "nixos/dns01", dhcp)
	l.replace("a")
	merge(specOf(l.world), fromYAML(t, "{size: {cores: 6}, tags: [new], hostname: dns02, bootstrap: {userData: \"#cloud-config\\ntimezone: Europe/Berlin\\n\"}}"))

	for range 2 {
		rsp := l.turn()
		if diff := cmp.Diff(desired(settled, "vm"), desired(rsp, "vm")); diff != "" {
			t.Errorf("the old VM: -before, +now:\n%s", diff)
		}

		for _, name := range snippetsOf(settled, "vm") {
			if diff := cmp.Diff(desired(settled, name), desired(rsp, name)); diff != "" {
				t.Errorf("%s: -before, +now:\n%s", name, diff)
			}
		}

		l.says(rsp, map[string]string{"RebootPending": "NothingPending"})
	}

	l.rest()
	l.did("make 101", "destroy 100")

	g := l.pve.vms[101]
	if g.config["name"] != "dns02" || object(asList(g.running["cpu"])[0])["cores"] != 6.0 || !slices.Equal(asList(g.config["tags"]), []any{"new", "role_dns"}) {
		t.Errorf("the new VM: %v, %v, %v", g.config["name"], g.running["cpu"], g.config["tags"])
	}
}

// TestASilentNewVM has not got the place yet: where a guest agent is to answer, it is ready when that knows an address.
func TestASilentNewVM(t *testing.T) {
	l, _ := living1(t, "k3s-cluster/agent-1")
	l.replace("a")
	l.pve.mute = true

	for range 8 {
		l.turn()
	}

	waiting := l.turn()
	l.says(waiting, map[string]string{"ReplacementRequired": "Replacing", "MachineReady": "Replacing"})

	if l.happened("destroy") >= 0 || len(vmNames(waiting)) != 2 {
		t.Errorf("VMs %v, done %v", vmNames(waiting), l.pve.done)
	}

	for _, g := range l.pve.vms {
		g.silent = false
	}

	l.says(l.rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
}
