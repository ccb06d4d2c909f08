package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// nodesOfSnippets of a VM, sorted, by the ending of the snippets' names.
func nodesOfSnippets(rsp *fnv1.RunFunctionResponse, vm string) []string {
	var out []string
	for _, name := range snippetsOf(rsp, vm) {
		out = append(out, forProvider(rsp, name)["nodeName"].(string)+" "+stems([]string{name})[0])
	}

	slices.Sort(out)

	return out
}

// agent is a machine on node pve1 of three, and its number.
func agent(t *testing.T, edits ...string) (*lab, *fnv1.RunFunctionResponse, int) {
	t.Helper()

	l, settled := living1(t, "k3s-cluster/agent-1", edits...)

	return l, settled, int(statusOf(settled)["vmId"].(float64))
}

// TestAVMThatWasMoved by HA or by hand is followed: it is not pulled back, and gets its snippets where it is now.
func TestAVMThatWasMoved(t *testing.T) {
	for name, says := range map[string]string{"Pinned": "ImmutableFieldChanged", "Free": "NotRequired"} {
		t.Run(name, func(t *testing.T) {
			l, settled, id := agent(t)
			if name == "Free" {
				delete(object(specOf(l.world)["proxmox"]), "node")
				settled = l.rest()
			}

			from := l.pve.vms[id].node()
			l.pve.vms[id].config["nodeName"] = "pve2"
			l.work()

			moved := l.turn()
			added := newOnes(settled, moved)

			if diff := cmp.Diff([]string{"meta-data", "user-data"}, stems(added)); diff != "" {
				t.Errorf("added: -want, +got:\n%s", diff)
			}

			if diff := cmp.Diff([]string{from + " meta-data", from + " user-data", "pve2 meta-data", "pve2 user-data"}, nodesOfSnippets(moved, "vm")); diff != "" {
				t.Errorf("snippets: -want, +got:\n%s", diff)
			}

			last := l.rest()
			l.only(moved, last, nil)
			l.did()
			l.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": says, "BootstrapCurrent": "Current"})

			if got := statusOf(last)["node"]; got != "pve2" {
				t.Errorf("status.node: %v", got)
			}

			without2(last.GetDesired().GetResources(), added...)
			l.only(settled, last, func(d map[string]*fnv1.Resource) { set(d, "vm", "pve2", "spec", "forProvider", "nodeName") })

			// It starts there.
			l.lifecycle("reboot", "a")
			l.rest()
			l.did(fmt.Sprintf("stop %d", id), fmt.Sprintf("start %d", id))

			// And back again: it has all it needs.
			l.pve.vms[id].config["nodeName"] = from
			l.work()
			l.rest()
			l.did()
		})
	}
}

// TestAMigration waits for the snippets, moves the VM once, and says so meanwhile.
func TestAMigration(t *testing.T) {
	l, settled, id := agent(t)
	object(specOf(l.world)["proxmox"])["node"] = "pve3"
	l.says(l.rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged", "MachineReady": "Running"})
	l.did()

	object(specOf(l.world)["proxmox"])["migrate"] = true
	l.stuck = []string{"user-data", "meta-data"}

	for range 4 {
		rsp := l.turn()
		if diff := cmp.Diff(desired(settled, "vm"), desired(rsp, "vm")); diff != "" {
			t.Errorf("the VM while its snippets are not there: -before, +now:\n%s", diff)
		}

		l.says(rsp, map[string]string{"MachineReady": "Running"})
	}

	l.did()
	l.stuck = []string{"vm"}
	l.turn()

	for range 3 {
		moving := l.turn()
		if p := forProvider(moving, "vm"); p["nodeName"] != "pve3" || p["migrate"] != true || p["started"] != true {
			t.Errorf("nodeName %v, migrate %v, started %v", p["nodeName"], p["migrate"], p["started"])
		}
	}

	l.stuck = nil

	last := l.rest()
	l.did(fmt.Sprintf("migrate %d to pve3", id))
	l.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

	// The switch is only on while the VM moves: what somebody moves later is followed.
	if p := forProvider(last, "vm"); p["nodeName"] != "pve3" || p["migrate"] != false {
		t.Errorf("nodeName %v, migrate %v", p["nodeName"], p["migrate"])
	}

	// And back.
	object(specOf(l.world)["proxmox"])["node"] = "pve1"
	l.says(l.rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})
	l.did(fmt.Sprintf("migrate %d to pve1", id))
}

// TestAMigrationToWhereItIs moves nothing.
func TestAMigrationToWhereItIs(t *testing.T) {
	l, settled, _ := agent(t)
	object(specOf(l.world)["proxmox"])["migrate"] = true
	l.only(settled, l.rest(), nil)
	l.did()

	// Without a node nobody can tell where to.
	delete(object(specOf(l.world)["proxmox"]), "node")

	if msg := fatal(l.call()); !strings.Contains(msg, "spec.proxmox.node") {
		t.Errorf("fatal result: %q", msg)
	}
}

// TestPulledBack: with migrate, a VM that HA moved is moved back to where its claim has it.
func TestPulledBack(t *testing.T) {
	l, _, id := agent(t, "proxmox: {migrate: true}")
	l.pve.vms[id].config["nodeName"] = "pve2"
	l.says(l.rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})
	l.did(fmt.Sprintf("migrate %d to pve1", id))
}

// TestAStoppedVMMigrates, and an unmanaged one, without being started.
func TestAStoppedVMMigrates(t *testing.T) {
	for _, power := range []string{"Stopped", "Unmanaged"} {
		t.Run(power, func(t *testing.T) {
			l, _, id := agent(t, "power: "+power)
			if power == "Unmanaged" {
				l.pve.stop(id)
				l.rest()
			}

			merge(specOf(l.world), fromYAML(t, "proxmox: {node: pve2, migrate: true}"))
			l.says(l.rest(), map[string]string{"MachineReady": "Stopped", "ReplacementRequired": "NotRequired"})
			l.did(fmt.Sprintf("migrate %d to pve2", id))
		})
	}
}

// TestSnippetsOfAMovedVMGo with it, all of them.
func TestSnippetsOfAMovedVMGo(t *testing.T) {
	l, _, id := agent(t)
	l.pve.vms[id].config["nodeName"] = "pve2"
	l.rest()
	l.replace("a")

	last := l.rest()
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, kinds(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}

	if len(l.pve.snippets) != 2 {
		t.Errorf("snippets on the nodes: %v", l.pve.snippets)
	}
}

// TestAnAdoptedVMMoves: it has no snippets of ours that it would have to wait for.
func TestAnAdoptedVMMoves(t *testing.T) {
	l := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}}", handMade(t))
	l.approved()
	l.pve.done = nil
	l.pve.vms[108].config["nodeName"] = "pve9"

	last := l.rest()
	l.did()
	l.says(last, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired"})

	if diff := cmp.Diff([]string{"vm"}, names(last)); diff != "" {
		t.Errorf("composed resources: -want, +got:\n%s", diff)
	}
}

// TestTheNodeIsNotKnown, for a while: nothing changes.
func TestTheNodeIsNotKnown(t *testing.T) {
	l, _, id := agent(t)
	l.pve.vms[id].config["nodeName"] = "pve2"
	settled := l.rest()

	for _, o := range l.observed {
		if o["kind"] == proxmox.VMKind {
			delete(object(object(o["status"])["atProvider"]), "nodeName")
		}
	}

	l.only(settled, l.call(), nil)
}
