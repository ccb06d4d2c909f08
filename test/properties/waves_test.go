package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A waveWorld has machines of two groups, in waves, to which things happen in any order.
type waveWorld struct {
	draw

	t       *testing.T
	cluster *world.Cluster
	all     []*world.Machine
	// answers that were given and not applied yet: calls of different machines overlap.
	answers map[*world.Machine]*fnv1.RunFunctionResponse
	// catalogue that machines have been given, and the next one of it.
	cores, token int
	// commits that have not arrived yet, of each machine: where each commit has a revision, claims arrive one after the other, in any order.
	revisions bool
	commits   map[*world.Machine][]map[string]any
	decisions map[string]bool
	log       []string
}

// TestWavesGoOneAfterTheOther: in random worlds, whoever is called when, and however calls overlap, no two waves of a group restart, move or
// are replaced at a time. When nobody edits anything any more, all machines are finished.
func TestWavesGoOneAfterTheOther(t *testing.T) {
	t.Parallel()

	seeds := 16
	if testing.Short() {
		seeds = 6
	}

	worlds := make([]*waveWorld, seeds)

	t.Cleanup(func() {
		for _, d := range decisionsOfWaves {
			if !t.Failed() && !slices.ContainsFunc(worlds, func(w *waveWorld) bool { return w.decisions[d] }) {
				t.Errorf("no plan has %s: nothing that happens leads there", d)
			}
		}
	})

	for seed := range worlds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()

			w := newWaveWorld(t, newDraw(11, uint64(seed))) //nolint:gosec // It counts from 0.
			worlds[seed] = w

			for range 50 * len(w.all) {
				// An edit that comes when somebody is about to begin is the one that has to be seen.
				if w.chance(4) || w.announced() && w.chance(15) {
					w.edit()
				}

				w.step()
				w.check()
			}

			w.end()
		})
	}
}

// newWaveWorld of machines that run and are finished.
func newWaveWorld(t *testing.T, d draw) *waveWorld {
	t.Helper()

	w := &waveWorld{
		draw: d, t: t, cores: 2, decisions: map[string]bool{}, answers: map[*world.Machine]*fnv1.RunFunctionResponse{},
		revisions: d.chance(50), commits: map[*world.Machine][]map[string]any{},
	}
	w.cluster = fake.NewCluster(t, func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		rsp, plan := compose.Decide(req)
		if plan != nil {
			for _, of := range decisionsOf(*plan) {
				w.decisions[of] = true
			}
		}

		return rsp
	})
	w.cluster.Memory = messages

	for i := range 3 + d.IntN(4) {
		claim := world.NewClaim("Machine", "edge", fmt.Sprintf("m%d", i), world.FromYAML(t, fmt.Sprintf(
			"{class: own, image: debian-12, network: {dhcp: true}, proxmox: {node: pve, migrate: true}, rollout: {group: %s, wave: %d}, lifecycle: {rebootPolicy: WhenNeeded}}",
			pick(d, "a", "a", "a", "b"), 1+d.IntN(3))))

		m := w.cluster.Add(world.NewMachine(claim, world.Installations[0]))
		w.all = append(w.all, m)
	}

	for _, m := range w.all {
		w.catalogue(m)
	}

	w.cluster.Rest()

	return w
}

// catalogue of now, for a machine.
func (w *waveWorld) catalogue(m *world.Machine) {
	m.Catalogue = world.FromYAML(w.t, fmt.Sprintf("{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, "+
		"data: {classes: {own: {cores: %d, memory: 2Gi, disk: 30Gi}}}}", w.cores))
}

// edit a claim, or the catalogue.
func (w *waveWorld) edit() {
	w.token++

	if w.chance(25) {
		w.cores++

		for _, m := range w.all {
			w.catalogue(m)
		}

		w.say("cores %d in the catalogue", w.cores)

		return
	}

	// One commit edits most claims, or few.
	most := pick(w.draw, 15, 70)

	for _, m := range w.all {
		// What the commits before it wrote.
		last := m.Spec()
		if n := len(w.commits[m]); n > 0 {
			last = w.commits[m][n-1]
		}

		spec := world.Object(world.Copy(last))
		edited := w.chance(most)

		if edited {
			w.editSpec(spec)
		}

		switch {
		case w.revisions:
			world.Object(spec["rollout"])["revision"] = fmt.Sprint("c", w.token)
			w.commits[m] = append(w.commits[m], spec)
		case edited:
			w.arrive(m, spec)
		}
	}
}

// editSpec of a claim, so that it asks for something.
func (w *waveWorld) editSpec(spec map[string]any) {
	lifecycle := world.Object(spec["lifecycle"])

	switch w.IntN(5) {
	case 0:
		lifecycle["replace"] = fmt.Sprint("r", w.token)
	case 1:
		world.Object(spec["proxmox"])["node"] = pick(w.draw, "pve", "pve2")
	default:
		lifecycle["reboot"] = fmt.Sprint("b", w.token)
	}
}

// arrive in the cluster does a claim.
func (w *waveWorld) arrive(m *world.Machine, spec map[string]any) {
	m.Composite["spec"] = spec
	w.say("%s: %v %v %v", m.Name(), spec["lifecycle"], spec["proxmox"], spec["rollout"])
}

// inOrder holds that a machine which begins with an answer has the revision of all machines of lower waves of its group.
func (w *waveWorld) inOrder(m *world.Machine, answer *fnv1.RunFunctionResponse) {
	w.t.Helper()

	before := world.Object(world.Object(m.Composite["status"])["rollout"])["state"]
	now := world.Object(world.Status(answer)["rollout"])

	if !w.revisions || before == "Begun" || now["state"] != "Begun" {
		return
	}

	own := world.Object(m.Spec()["rollout"])

	for _, other := range w.all {
		theirs := world.Object(other.Spec()["rollout"])
		if theirs["group"] == own["group"] && theirs["wave"].(float64) < own["wave"].(float64) && theirs["revision"] != own["revision"] {
			w.t.Fatalf("%s begins with %v, and %s has %v\n%s", m.Name(), own, other.Name(), theirs, strings.Join(w.log, "\n"))
		}
	}
}

// step of one machine: it is called, or its answer is applied, or the provider works.
func (w *waveWorld) step() {
	m := pick(w.draw, w.all...)

	if commits := w.commits[m]; len(commits) > 0 && w.chance(15) {
		w.arrive(m, commits[0])
		w.commits[m] = commits[1:]

		return
	}

	switch answer := w.answers[m]; {
	case answer != nil && w.chance(75):
		// It takes as long as some calls of others.
	case answer != nil:
		m.Apply(answer)
		delete(w.answers, m)
		w.say("%s: %v", m.Name(), world.Compact(world.Status(answer)["rollout"]))
	case w.chance(50):
		rsp := m.Call()
		if text := world.Fatal(rsp); text != "" {
			w.t.Fatal(text)
		}

		w.inOrder(m, rsp)
		w.answers[m] = rsp
	default:
		m.Provide()
	}
}

// announced says whether a machine is about to begin.
func (w *waveWorld) announced() bool {
	return slices.ContainsFunc(w.all, func(m *world.Machine) bool {
		return world.Object(world.Object(m.Composite["status"])["rollout"])["state"] == "Announced"
	})
}

func (w *waveWorld) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// away says whether no VM of a machine runs, or one moves, or is to.
func away(m *world.Machine) bool {
	running := false

	for _, vm := range m.Proxmox.VMs {
		running = running || vm.Running != nil
	}

	for _, o := range m.Observed {
		spec, at := world.Object(world.Object(o["spec"])["forProvider"]), world.Object(world.Object(o["status"])["atProvider"])
		if o["kind"] == world.VMKind && at["nodeName"] != nil && spec["nodeName"] != at["nodeName"] || spec["started"] == false && at["started"] == true {
			return true
		}
	}

	return !running
}

// check that only one wave of each group is away.
func (w *waveWorld) check() {
	w.t.Helper()

	waves := map[string]map[string]string{}

	for _, m := range w.all {
		if !away(m) {
			continue
		}

		rollout := world.Object(m.Spec()["rollout"])
		group, wave := fmt.Sprint(rollout["group"]), fmt.Sprint(rollout["wave"])

		if waves[group] == nil {
			waves[group] = map[string]string{}
		}

		waves[group][wave] = m.Name()
	}

	for group, of := range waves {
		if len(of) > 1 {
			w.t.Fatalf("machines of several waves of group %s are away: %v\n%s", group, of, strings.Join(w.log, "\n"))
		}
	}
}

// end of all edits: everybody becomes finished.
func (w *waveWorld) end() {
	w.t.Helper()

	for m, answer := range w.answers {
		m.Apply(answer)
	}

	for m, commits := range w.commits {
		if len(commits) > 0 {
			w.arrive(m, commits[len(commits)-1])
		}
	}

	for range 60 {
		for _, m := range w.all {
			rsp := m.Call()
			w.inOrder(m, rsp)
			m.Apply(rsp)
			w.check()
			m.Provide()
			w.check()
		}
	}

	for _, m := range w.all {
		if rsp := m.Call(); world.Reason(rsp, "RolloutFinished") != "Finished" {
			w.t.Errorf("%s is not finished: %s: %s\n%s", m.Name(), world.Reason(rsp, "RolloutFinished"), world.Message(rsp, "RolloutFinished"), strings.Join(w.log, "\n"))
		}
	}
}
