package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A lostHost is a K3s cluster of three servers and two agents, of whose nodes a server and an agent are on one Proxmox node.
type lostHost struct {
	all, dead, alive []*machine
	host             string
	starts           map[int]int // How often each VM on the other Proxmox nodes was started.
}

// onOneHost are three servers and two agents that have joined, with an agent on the Proxmox node of the second server.
func onOneHost(t *testing.T, edits ...string) *lostHost {
	t.Helper()

	servers := joined(t, 3, "Here", edits...)
	out := &lostHost{all: servers, host: servers[1].host()}

	for i := range 2 {
		m := servers[0].beside(fake.ExampleNamed(t, fmt.Sprintf("k3s-cluster/agent-%d", i+1)).Machine(world.Installations[0]))
		for _, e := range append(slices.Clone(edits), "proxmox: {node: "+servers[i+1].host()+"}") {
			world.Merge(m.Spec(), world.FromYAML(t, e))
		}

		m.SetSite("home", "vmIds", nil)
		m.observe("Here")
		out.all = append(out.all, m)
	}

	for _, m := range out.all {
		m.Joins = true
	}

	servers[0].Rest()
	servers[0].Rest()

	for _, m := range out.all {
		if m.host() == out.host {
			out.dead = append(out.dead, m)
		} else {
			out.alive = append(out.alive, m)
		}
	}

	if len(out.dead) != 2 {
		t.Fatalf("%d nodes on %s", len(out.dead), out.host)
	}

	return out
}

// host is the Proxmox node of a machine's VM.
func (m *machine) host() string { return m.Proxmox.VMs[m.number()].Node() }

// dies: the Proxmox node is without power, and the cluster sees its Nodes no more.
func (l *lostHost) dies() {
	p := l.all[0].Proxmox
	p.Dead = []string{l.host}

	for _, m := range l.dead {
		p.VMs[m.number()].Running = nil
		m.Cluster().SetNode(m.NodeName(), "Ready", "Unknown", "NodeStatusUnknown")
	}

	l.starts = map[int]int{}
	for _, m := range l.alive {
		l.starts[m.number()] = p.VMs[m.number()].Starts
	}

	p.Done = nil
}

// leavesTheCatalogue: nobody is to place a VM on the Proxmox node any more.
func (l *lostHost) leavesTheCatalogue() {
	for _, m := range l.all {
		m.Catalogue = world.Object(world.Copy(m.Catalogue))
		site := world.Object(world.Object(world.Object(m.Catalogue["data"])["sites"])["home"])
		delete(world.Object(site["nodes"]), l.host)
	}
}

// goOn some rounds. In each, no VM that lives is touched, and two of three servers run.
func (l *lostHost) goOn(t *testing.T, rounds int) {
	t.Helper()

	p := l.all[0].Proxmox

	for round := range rounds {
		for _, m := range l.all {
			m.Turn()

			for id, starts := range l.starts {
				if vm := p.VMs[id]; vm == nil || vm.Running == nil || vm.Starts != starts {
					t.Fatalf("round %d: VM %d, which lives, was touched: %v", round, id, p.Done)
				}
			}

			for _, d := range p.Done {
				if l.starts[idOf(d)] > 0 {
					t.Fatalf("round %d: %s", round, d)
				}
			}
		}
	}
}

// idOf what was done in Proxmox, which ends with the VMID.
func idOf(done string) (id int) {
	words := strings.Fields(done)
	_, _ = fmt.Sscan(words[len(words)-1], &id)

	return id
}

// TestAProxmoxNodeThatDoesNotComeBack: its machines are replaced, with nothing but a person's word that the old VMs are off for good.
func TestAProxmoxNodeThatDoesNotComeBack(t *testing.T) {
	t.Parallel()

	for policy, edits := range map[string]string{"Delete": deletes, "Orphan": "{deletionPolicy: Orphan}", "Drain": "{deletionPolicy: Orphan, k3s: {drain: true}}"} {
		t.Run(policy, func(t *testing.T) {
			l := onOneHost(t, edits)
			p := l.all[0].Proxmox
			old := []int{l.dead[0].number(), l.dead[1].number()}

			l.dies()
			l.goOn(t, 3)

			// Without the word, everything waits for the Proxmox node.
			for _, m := range l.dead {
				world.Merge(m.Spec(), world.FromYAML(t, "proxmox: {node: null}"))
				m.replace("a")
			}

			if policy == "Drain" {
				l.leavesTheCatalogue()
			}

			l.goOn(t, 6)

			if i := l.all[0].happened("make"); i >= 0 {
				t.Fatalf("a VM is created beside one that may run: %v", p.Done)
			}

			hint := "The provider cannot read it on node " + l.host + ": if the node does not come back and the VM is off for good, set spec.lifecycle.lost to `" + l.host + "`."
			if msg := world.Message(l.dead[0].Call(), "ReplacementRequired"); !strings.Contains(msg, hint) {
				t.Errorf("the condition does not say %q: %s", hint, msg)
			}

			for _, m := range l.dead {
				m.lifecycle("lost", l.host)
			}

			l.goOn(t, 20)

			for _, m := range l.all {
				m.says(m.Call(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired", "NodeJoined": "Joined", "NodeReady": "KubeletReady"})

				if host := m.host(); slices.Contains(p.Dead, host) {
					t.Errorf("%s is on %s, which does not come back", m.Name(), host)
				}
			}

			var remain []string

			for _, m := range l.dead {
				for name, o := range m.Observed {
					if world.Object(world.Object(o["spec"])["forProvider"])["nodeName"] == l.host {
						remain = append(remain, m.Name()+" "+name)
					}
				}
			}

			if diff := cmp.Diff([]string(nil), remain); diff != "" {
				t.Errorf("managed resources of the lost Proxmox node: -want, +got:\n%s", diff)
			}

			for _, id := range old {
				if vm := p.VMs[id]; vm == nil || vm.Owner != "" {
					t.Errorf("VM %d on the lost Proxmox node: %+v", id, vm)
				}
			}
		})
	}
}

// TestAWordAboutAProxmoxNodeThatAnswers has no effect: its VM is stopped before the new one is created, which is created elsewhere.
func TestAWordAboutAProxmoxNodeThatAnswers(t *testing.T) {
	t.Parallel()

	l := onOneHost(t, deletes)
	m := l.dead[0]
	old := m.number()

	m.Proxmox.Done = nil
	world.Merge(m.Spec(), world.FromYAML(t, "proxmox: {node: null}"))
	m.lifecycle("lost", l.host)
	m.replace("a")

	for range 12 {
		for _, m := range l.all {
			m.Turn()
		}
	}

	stop, made, destroyed := m.happened(fmt.Sprintf("stop %d", old)), m.happened("make"), m.happened(fmt.Sprintf("destroy %d", old))
	if stop < 0 || made < stop || destroyed < made {
		t.Errorf("done: %v", m.Proxmox.Done)
	}

	if m.host() == l.host {
		t.Errorf("the new VM is on %s", l.host)
	}
}

// TestAClaimOfALostVMCanGo: its managed resources delete nothing on a Proxmox node that does not answer.
func TestAClaimOfALostVMCanGo(t *testing.T) {
	t.Parallel()

	l := onOneHost(t, deletes)
	l.dies()
	l.goOn(t, 2)

	for _, m := range l.dead {
		m.lifecycle("lost", l.host)
	}

	l.goOn(t, 3)

	for _, m := range l.dead {
		for name, o := range m.Observed {
			spec := world.Object(o["spec"])
			if world.Object(spec["forProvider"])["nodeName"] == l.host && strings.Contains(world.Policies(o), "Delete") {
				t.Errorf("%s of %s waits for %s when it is deleted: %v", name, m.Name(), l.host, spec["managementPolicies"])
			}
		}
	}
}

// TestLetGo: a machine whose Proxmox node died before there was a VM is made on another one, and its files on the dead node keep nothing from going: the
// provider would try to delete them for as long as the node is away.
func TestLetGo(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := agents(t, in, 1, inventory(map[string]string{"pve1": "64Gi", "pve2": "32Gi"}))[0]

			// Its snippets are there, and its image is on the way.
			for range 2 {
				m.Turn()
			}

			if len(m.Proxmox.VMs) != 0 || len(m.Proxmox.Snippets) == 0 {
				t.Fatalf("VMs %v, snippets %v", m.Proxmox.VMs, m.Proxmox.Snippets)
			}

			m.Proxmox.Dead = []string{"pve1"}
			for range 2 {
				m.Turn()
			}

			inventory(map[string]string{"pve2": "32Gi"})(m.Machine)
			m.Rest()

			if m.host() != "pve2" {
				t.Errorf("VM %d is on %s", m.number(), m.host())
			}

			for name, o := range m.Observed {
				if node := world.Object(world.Object(o["spec"])["forProvider"])["nodeName"]; node == "pve1" {
					t.Errorf("%s is still on %v", name, node)
				}
			}
		})
	}
}
