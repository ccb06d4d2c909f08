package rehearse

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// play it: what there is comes to rest, it is edited, and it comes to rest again.
func (p *play) play() (Rehearsal, error) {
	return p.playWith(func(Before) {}, func(_ *watch, round func()) { round() })
}

// playWith something before the edit, and around each round after it.
func (p *play) playWith(first func(Before), around func(w *watch, round func())) (out Rehearsal, err error) {
	defer recovered(&err)

	out = Rehearsal{Assumed: p.in.Assumed, Before: p.settle()}

	first(out.Before)

	w := p.commit(out.Before)

	for over := false; !over; {
		around(w, func() { over = w.act() })

		if !over {
			p.round++
		}
	}

	w.end(&out)

	return out, nil
}

// commit the edit, and watch what comes of it from round 1 on.
func (p *play) commit(before Before) *watch {
	p.warned.known = len(p.warned.said)
	was := written(p)
	p.edit()
	p.round = 1

	// Nothing is there, and nothing is born.
	if len(p.cluster.Machines) == 0 {
		p.print = p.cluster.Fingerprint()
	}

	w := newWatch(p, before)
	w.written = was

	if deletes(p) {
		w.guard = watchOver(p)
	}

	return w
}

// settle what there is, without the edit.
func (p *play) settle() Before {
	born := len(p.cluster.Machines) == 0
	rests := born

	for i := 0; i < MaxRounds && !rests; i++ {
		rests = p.once()
	}

	return p.settled(born, rests)
}

// settled is what is to be said before the edit: born is whether nothing was there, and rests whether what was there came to rest.
func (p *play) settled(born, rests bool) Before {
	out := Before{Born: born, Rests: rests}
	p.faults = nil

	if out.Born {
		return out
	}

	births := !slices.ContainsFunc(p.actors, func(a *actor) bool { return a.Was == nil && a.machine != nil })

	// Of claims that are born only to be edited, nobody needs the story.
	if !births {
		names := p.namesOf()
		for _, line := range p.done(map[*world.Proxmox]int{}) {
			out.Done = append(out.Done, names.say(line).text)
		}
	}

	out.Waits = p.waits()

	return out
}

// edit the claims.
func (p *play) edit() {
	for _, a := range p.actors {
		switch {
		case a.Fate == Deleted:
			a.pruned = a.machine != nil
			continue
		case a.machine == nil:
			p.enter(a, a.Is, a.Is.Is)
			continue
		}

		to := world.Object(world.Copy(a.Is.Is.Object))
		a.edited = !reflect.DeepEqual(a.machine.Composite["spec"], to["spec"])
		a.machine.Composite["spec"] = to["spec"]
		assumeInterfaces(a.machine)

		was, is, had := world.Object(a.machine.Composite["metadata"]), world.Object(to["metadata"]), hasPause(a.machine)
		for _, field := range []string{"labels", "annotations"} {
			if is[field] != nil {
				was[field] = is[field]
			}
		}

		a.keepsPause(was, had)

		p.dress(a, a.Is)
	}
}

// once lets Crossplane, the provider, guests and K3s work once. It says whether nothing changed.
func (p *play) once() bool { return p.onceWith(nil) }

// onceWith what Crossplane observed in an older world; nil: all is observed as it is.
func (p *play) onceWith(older *play) bool {
	prune(p)

	for _, m := range p.machines() {
		if !slices.Contains(p.cluster.Machines, m) {
			continue // It went in this round.
		}

		seen := m
		if older != nil {
			seen = cmp.Or(older.machineOf(p.labelOf(m)), m)
		}

		if halted := p.halted != nil && p.halted(); !halted && p.isPaused(m) {
			m.Provide()
		} else if !halted {
			rsp := seen.Call()
			p.warned.hear(p.labelOf(m), m.Composite, world.Warnings(rsp))
			m.Reconcile(rsp)
			m.Provide()
			world.LetGo(p.cluster)
		} else if !isCluster(m) { // Proxmox and the guests need no Crossplane.
			m.Proxmox.WorkHA()
			m.JoinAll()
		}

		beat(p.cluster)
		p.polls.enrol()

		if p.turned != nil {
			p.turned()
		}
	}

	before := p.print
	p.print = p.cluster.Fingerprint()

	return p.print == before
}

// machines of the world, each before its nodes: those that are there, in one order however they came to be.
func (p *play) machines() []*world.Machine {
	var out []*world.Machine

	for _, a := range p.actors {
		if a.machine == nil {
			continue
		}

		out = append(out, a.machine)

		if nodes := a.nodes; nodes != nil {
			for _, name := range nodes.Names() {
				out = append(out, nodes.Named(name))
			}
		}
	}

	return out
}

// proxmoxes of the world, each once.
func (p *play) proxmoxes() []*world.Proxmox { return p.cluster.Proxmoxes() }

// done in Proxmox and Kubernetes since so many lines of each, which it brings up to date.
func (p *play) done(since map[*world.Proxmox]int) []line {
	var out []line

	for _, proxmox := range p.proxmoxes() {
		for _, text := range proxmox.Done[since[proxmox]:] {
			out = append(out, line{proxmox, text})
		}

		since[proxmox] = len(proxmox.Done)
	}

	return out
}

// A line of what was done, and where.
type line struct {
	proxmox *world.Proxmox
	text    string
}
