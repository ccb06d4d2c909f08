package rehearse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A Fate of a claim in an edit.
type Fate string

// The Fates.
const (
	Edited  Fate = ""        // It is as its scene says; that may be no edit.
	Deleted Fate = "deleted" // Its file is gone. What prunes deletes it when the edit is committed, and tries again until it goes.
	Left    Fate = "left"    // Its file is gone, and the rehearsal deletes nothing of it: the claim stays as it was.
)

// deletes says whether an edit deletes a claim.
func deletes(p *play) bool {
	return slices.ContainsFunc(p.actors, func(a *actor) bool { return a.Fate == Deleted && a.machine != nil })
}

// prune tries to delete what is gone from the files, all at once: no call of the function lies between two of them. What it cannot delete stays for the next
// round, as it does for Flux and for the garbage collector. Nothing is done where nobody deletes anything.
func prune(p *play) {
	if !slices.ContainsFunc(p.actors, func(a *actor) bool { return a.pruned }) || p.halted != nil && p.halted() {
		return
	}

	for _, a := range p.actors {
		switch {
		case !a.pruned || p.isPaused(a.machine) && p.lives(a.machine):
		case p.lives(a.machine):
			if a.machine.Leave(); !p.lives(a.machine) {
				p.went = append(p.went, a.Name+" is deleted")
			}
		case a.nodes != nil:
			a.nodes.Leave()
		}
	}

	world.Linger(p.cluster)
	beat(p.cluster)
	p.polls.enrol()

	if p.turned != nil {
		p.turned()
	}
}

// refusals are the deletions that a Usage refuses. What it says is what to do.
func refusals(p *play) []Wait {
	var out []Wait

	refused := func(a *actor, m *world.Machine) {
		said := world.KeptBy(m)
		if said == "" || !p.lives(m) {
			return
		}

		out = append(out, Wait{Machine: p.labelOf(m), Condition: ConditionDeletion, Reason: "Refused", Message: said + ". " + lift(a.machine, said)})
	}

	for _, a := range p.actors {
		if !a.pruned {
			continue
		}

		refused(a, a.machine)

		if a.nodes == nil || p.lives(a.machine) {
			continue
		}

		for _, name := range a.nodes.Names() {
			refused(a, a.nodes.Named(name))
		}
	}

	return out
}

// ConditionDeletion stands for what is in no condition of a claim that is deleted: who deletes it is told.
const ConditionDeletion = "Deletion"

// lift is how a person lets a deletion go on that a Usage refuses, beside what the Usage says.
func lift(m *world.Machine, said string) string {
	const retry = "What prunes tries again until then"

	if strings.Contains(said, protectionOff) {
		return fmt.Sprintf("%s. As no file says otherwise any more, this is enough: `kubectl patch %s --type merge -p '{\"spec\":{\"deletionProtection\":false}}'`.", retry, resourceOf(claimOf(m)))
	}

	return retry + "; `kubectl get usages.protection.crossplane.io -A` lists what is kept."
}

// protectionOff is how Usages of protected claims name their field.
const protectionOff = "spec.deletionProtection: false"

// claimOf a machine is what a person deletes: the object that is its claim, or a namespaced composite.
func claimOf(m *world.Machine) map[string]any {
	ref := world.Object(m.Spec()["claimRef"])
	if ref["name"] == nil {
		return m.Composite
	}

	return map[string]any{
		"apiVersion": m.Composite["apiVersion"], "kind": ref["kind"], "metadata": map[string]any{"name": ref["name"], "namespace": ref["namespace"]},
	}
}

// resourceOf an object, as kubectl takes it.
func resourceOf(o map[string]any) string {
	meta := world.Object(o["metadata"])
	group, _, _ := strings.Cut(fmt.Sprint(o["apiVersion"]), "/")
	out := strings.ToLower(fmt.Sprint(o["kind"])) + "s." + group + " " + fmt.Sprint(meta["name"])

	if namespace, _ := meta["namespace"].(string); namespace != "" {
		out += " -n " + namespace
	}

	return out
}

// keepsMember says whether K3s cannot remove the member of a Node: it is the last one of its etcd, or the others are no majority.
func keepsMember(p *play, node string) bool {
	if !slices.ContainsFunc(p.actors, func(a *actor) bool { return a.pruned }) {
		return false
	}

	return slices.ContainsFunc(p.polls.electorates(), func(e electorate) bool {
		return slices.Contains(e.members, node) && (len(e.members) == 1 || !p.polls.etcdOf(e).HasMajority())
	})
}

// remains are what is left of machines whose claims are gone, and waits for a person. Of what is used, that says so which uses it.
func remains(p *play) []Wait {
	var out []Wait

	left := slices.DeleteFunc(world.Remnants(p.cluster), func(r world.Remnant) bool {
		return r.Why == world.HinderedByNothing || r.Why == world.HinderedByUse && r.Object["kind"] != world.VMKind
	})

	for _, like := range grouped(left, func(r world.Remnant) string { return p.labelOf(r.Machine) + " " + string(r.Why) }) {
		why := hindrances[like[0].Why]

		var names []string
		for _, r := range like {
			names = append(names, fmt.Sprintf("%v %v", r.Object["kind"], world.Object(r.Object["metadata"])["name"]))
		}

		out = append(out, Wait{
			Machine: p.labelOf(like[0].Machine), Condition: ConditionDeletion, Reason: string(like[0].Why),
			Message: "The claim is gone, and " + listed(names) + " not: " + why.what, Todo: strings.ReplaceAll(why.todo, "RESOURCE", resourceOf(like[0].Object)),
		})
	}

	return out
}

// A hindered deletion, in words.
type hindered struct{ what, todo string }

// hindrances of deletions.
var hindrances = map[world.Hindrance]hindered{ //nolint:gochecknoglobals // A constant table.
	world.HinderedByUse: {
		"the Kubernetes Node of the VM is to go first, and K3s cannot remove it, because it is the last member of its etcd or too few of them vote.",
		"docs/node.md (When a machine is deleted) says how to give the Node up; the VM follows.",
	},
	world.HinderedByPause: {"it is paused, and the provider does not look at it.", "`kubectl annotate RESOURCE crossplane.io/paused-`, and the same for each."},
	world.HinderedByNode: {
		"its Proxmox node does not answer.", "bring the Proxmox node back; docs/day-two.md (A node that does not come back) says what to do if it stays away.",
	},
	world.HinderedByError: {
		"the provider answers with an error, and destroys nothing.", "`kubectl describe RESOURCE` shows the error, and docs/errors.md what it means.",
	},
}

// stands is a world that nobody works on any more: Crossplane runs in a cluster that the edit took the majority from.
func (w *watch) stands() {
	if w.guard == nil || !w.rests {
		return
	}

	if said, stands := w.guard.halted(w.p); stands {
		w.began = []begun{{wait: said, round: w.p.round, at: w.at}}
	}
}

// harms that an edit does which deletes claims.
func (w *watch) harms(ends Outcome) []Harm {
	if w.guard == nil {
		return nil
	}

	var out []Harm

	if w.guard.lost {
		out = append(out, HarmQuorum)
	}

	if len(w.sums.DataDestroyed) > 0 {
		out = append(out, HarmData)
	}

	if ends == Stuck {
		out = append(out, HarmStuck)
	}

	return out
}

// Does says whether an edit that deletes claims does a harm.
func (r Rehearsal) Does(h Harm) bool { return slices.Contains(r.Verdict.Harms, h) }

// livingPruned are the claims that are gone from the files and live.
func livingPruned(p *play) int {
	living := 0

	for _, a := range p.actors {
		if a.Fate == Deleted && a.machine != nil && p.lives(a.machine) {
			living++
		}
	}

	return living
}
