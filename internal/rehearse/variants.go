package rehearse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A variant is a world in which something goes wrong at a step.
type variant struct {
	fault string // What goes wrong, in words.
	class string // Of an error.
	of    string // The machine that it befalls; empty where it is none.
	step  int
	from  *snapshot
	older *play // What Crossplane observes in the first round; nil: what there is.

	goesWrong func(p *play)
	// passes lets it go right again after so many rounds, or where the world rests. Nil: it stays. Without rounds the world has another end before that.
	passes func(p *play)
	rounds int
	passed string // What went wrong, where it passed.
}

// rounds in which the API of a cluster is away.
const awayRounds = 10

// The kinds of faults.
const (
	kindError   = "the provider answers with an error for good"
	kindErrors  = "the provider answers with an error for a while"
	kindJoin    = "the new VM does not join"
	kindAPI     = "provider-kubernetes does not reach the API of the cluster for 10 rounds"
	kindStale   = "Crossplane answers what it observed before the step once more"
	kindDies    = "the Proxmox node of %s dies"
	kindReturns = "the Proxmox node of %s dies, and comes back later"
	kindStopped = "%s is stopped by hand"
	kindDeleted = "%s is deleted by hand"
)

// variants of a moment.
func (m *moment) variants() []variant {
	var out []variant

	add := func(v variant) {
		v.step = m.step
		out = append(out, v)
	}

	touched := m.touched(func(action) bool { return true })

	m.byHand(touched, "", add)

	if label, whose := m.other(touched); label != "" {
		m.byHand([]string{label}, whose, add)
	}

	if m.before.play == nil {
		return out
	}

	for _, label := range m.touched(func(a action) bool { return a.id > 0 }) {
		m.joins(label, add)
		m.errors(label, add)
	}

	// What a deletion waits for has to be away before it.
	from := &m.after
	if livingPruned(m.before.play) > livingPruned(m.after.play) {
		from = &m.before
	}

	if readsNodes(from.play) {
		add(variant{
			fault: kindAPI, from: from, rounds: awayRounds,
			goesWrong: func(p *play) {
				p.cluster.Kubernetes.Fails = "observe failed: cannot get object: dial tcp: connect: connection refused"
			},
			passes: func(p *play) { p.cluster.Kubernetes.Fails = "" },
		})
	}

	add(variant{fault: kindStale, from: &m.after, older: m.before.play, goesWrong: func(*play) {}})

	return out
}

// touched are the machines that the step does something to, each once.
func (m *moment) touched(how func(action) bool) []string {
	var out []string

	for _, a := range m.acted {
		if a.machine != "" && how(a) && !slices.Contains(out, a.machine) {
			out = append(out, a.machine)
		}
	}

	return out
}

// other is a server that serves beside those of the step, and what it is called; empty without one.
func (m *moment) other(touched []string) (label, whose string) {
	p := m.after.play

	i := slices.IndexFunc(p.cluster.Machines, func(machine *world.Machine) bool {
		node := machine.NodeName()

		return !isCluster(machine) && p.cluster.IsServer(node) && p.cluster.NodeServes(node) && !slices.Contains(touched, p.labelOf(machine))
	})
	if i < 0 {
		return "", ""
	}

	label, node := p.labelOf(p.cluster.Machines[i]), p.cluster.Machines[i].NodeName()

	for _, e := range p.polls.electorates() {
		if len(e.members) == 1 && e.members[0] == node {
			return label, "the only server"
		}
	}

	isServer := func(label string) bool {
		machine := p.machineOf(label)
		if machine == nil && m.before.play != nil {
			machine = m.before.play.machineOf(label) // The step deletes it.
		}

		return machine != nil && world.Object(machine.Spec()["k3s"])["role"] == "server"
	}

	if slices.ContainsFunc(touched, isServer) {
		return label, "another server"
	}

	return label, "a server"
}

// byHand is what befalls the VMs and containers of machines after the step. Whose they are is said by what they are, unless it is given.
func (m *moment) byHand(labels []string, whose string, add func(variant)) {
	for _, label := range labels {
		add := func(v variant) {
			v.of = label
			add(v)
		}

		machine := m.after.play.machineOf(label)
		if machine == nil {
			continue // It went.
		}

		state, there := m.after.play.stateOf(machine)
		if !there {
			continue
		}

		whose := cmp.Or(whose, "the "+guestOf(machine))
		on := slices.Index(m.after.play.proxmoxes(), machine.Proxmox)
		at := func(p *play) (*world.Proxmox, int) { return p.proxmoxes()[on], state.VMID }

		add(variant{
			fault: fmt.Sprintf(kindDies, whose), passed: fmt.Sprintf(kindReturns, whose), from: &m.after,
			goesWrong: func(p *play) {
				proxmox, _ := at(p)
				proxmox.Die(state.Node)
			},
			passes: func(p *play) {
				proxmox, _ := at(p)
				proxmox.Return(state.Node)
			},
		})

		if state.State != StateOff {
			add(variant{fault: fmt.Sprintf(kindStopped, whose), from: &m.after, goesWrong: func(p *play) {
				proxmox, id := at(p)
				proxmox.Stop(id)
			}})
		}

		add(variant{fault: fmt.Sprintf(kindDeleted, whose), from: &m.after, goesWrong: func(p *play) {
			proxmox, id := at(p)
			proxmox.DestroyByHand(id)
		}})
	}
}

// joins: K3s in a VM that the step makes does not join.
func (m *moment) joins(label string, add func(variant)) {
	made := slices.ContainsFunc(m.acted, func(a action) bool { return a.machine == label && a.verb == "make" })
	machine := m.after.play.machineOf(label)

	if !made || machine == nil || world.Object(machine.Spec()["k3s"])["role"] == nil {
		return
	}

	node := machine.NodeName()

	add(variant{fault: kindJoin, of: label, from: &m.before, goesWrong: func(p *play) { p.cluster.NeverJoins = map[string]bool{node: true} }})
}

// errors of the provider, on the managed resource of the VM that the step works on.
func (m *moment) errors(label string, add func(variant)) {
	p := m.after.play

	machine := p.machineOf(label)
	if machine == nil {
		p = m.before.play // The step deletes it.
		machine = p.machineOf(label)
	}

	if machine == nil {
		return
	}

	state, _ := p.stateOf(machine)

	composed := containersOf(machine)[state.VMID]
	if vm := machine.Proxmox.VMs[state.VMID]; vm != nil {
		_, composed, _ = strings.Cut(vm.Owner, "/")
	}

	if composed == "" {
		return
	}

	for _, e := range errorsOf {
		add(variant{
			fault: kindError, passed: kindErrors, class: e.class, of: label, from: &m.before,
			goesWrong: func(p *play) {
				if on := p.machineOf(label); on != nil {
					on.Provider.Fails[composed] = e.message
					e.leaves(on.Observed[composed])
				}
			},
			passes: func(p *play) {
				if on := p.machineOf(label); on != nil {
					delete(on.Provider.Fails, composed)
				}
			},
		})
	}
}

// leaves on a managed resource what the operation before has left; nil: there is none yet.
func (e providerError) leaves(on map[string]any) {
	if on != nil && e.last != "" {
		world.SetConditions(on, world.Condition("LastAsyncOperation", "False", "ApplyFailure", e.last, nil))
	}
}

// readsNodes says whether something is read or done through provider-kubernetes.
func readsNodes(p *play) bool {
	for _, machine := range p.cluster.Machines {
		for _, o := range machine.Observed {
			if o["kind"] == world.ObjectKind {
				return true
			}
		}
	}

	return false
}
