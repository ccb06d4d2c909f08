package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A waveWorld has machines of two groups, in waves, to which things happen in any order.
type waveWorld struct {
	draw

	t       *testing.T
	cluster *fake.Cluster
	all     []*fake.Machine
	// answers that were given and not applied yet: calls of different machines overlap.
	answers map[*fake.Machine]*fnv1.RunFunctionResponse
	// catalogue that machines have been given, and the next one of it.
	cores, token int
	decisions    map[string]bool
	log          []string
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

	w := &waveWorld{draw: d, t: t, cores: 2, decisions: map[string]bool{}, answers: map[*fake.Machine]*fnv1.RunFunctionResponse{}}
	w.cluster = fake.NewCluster(t, func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		rsp, plan := compose.Decide(req)
		if plan != nil {
			for _, of := range decisionsOf(*plan) {
				w.decisions[of] = true
			}
		}

		return rsp
	})

	for i := range 3 + d.IntN(4) {
		claim := fake.NewClaim("Machine", "edge", fmt.Sprintf("m%d", i), fake.FromYAML(t, fmt.Sprintf(
			"{class: own, image: debian-12, network: {dhcp: true}, proxmox: {node: pve, migrate: true}, rollout: {group: %s, wave: %d}, lifecycle: {rebootPolicy: WhenNeeded}}",
			pick(d, "a", "a", "a", "b"), 1+d.IntN(3))))

		m := w.cluster.Add(fake.NewMachine(claim, fake.Installations[0]))
		w.all = append(w.all, m)
	}

	for _, m := range w.all {
		w.catalogue(m)
	}

	w.cluster.Rest()

	return w
}

// catalogue of now, for a machine.
func (w *waveWorld) catalogue(m *fake.Machine) {
	m.Catalogue = fake.FromYAML(w.t, fmt.Sprintf("{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, "+
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
		if !w.chance(most) {
			continue
		}

		lifecycle := fake.Object(fake.Copy(fake.Object(m.Spec()["lifecycle"])))
		place := fake.Object(fake.Copy(fake.Object(m.Spec()["proxmox"])))

		switch w.IntN(5) {
		case 0:
			lifecycle["replace"] = fmt.Sprint("r", w.token)
		case 1:
			place["node"] = pick(w.draw, "pve", "pve2")
		default:
			lifecycle["reboot"] = fmt.Sprint("b", w.token)
		}

		m.Spec()["lifecycle"], m.Spec()["proxmox"] = lifecycle, place
		w.say("%s: %v %v", m.Name(), lifecycle, place)
	}
}

// step of one machine: it is called, or its answer is applied, or the provider works.
func (w *waveWorld) step() {
	m := pick(w.draw, w.all...)

	switch answer := w.answers[m]; {
	case answer != nil && w.chance(75):
		// It takes as long as some calls of others.
	case answer != nil:
		m.Apply(answer)
		delete(w.answers, m)
		w.say("%s: %v", m.Name(), fake.Compact(fake.Status(answer)["rollout"]))
	case w.chance(50):
		rsp := m.Call()
		if text := fake.Fatal(rsp); text != "" {
			w.t.Fatal(text)
		}

		w.answers[m] = rsp
	default:
		m.Provide()
	}
}

// announced says whether a machine is about to begin.
func (w *waveWorld) announced() bool {
	return slices.ContainsFunc(w.all, func(m *fake.Machine) bool {
		return fake.Object(fake.Object(m.Composite["status"])["rollout"])["state"] == "Announced"
	})
}

func (w *waveWorld) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// away says whether no VM of a machine runs, or one moves, or is to.
func away(m *fake.Machine) bool {
	running := false

	for _, vm := range m.Proxmox.VMs {
		running = running || vm.Running != nil
	}

	for _, o := range m.Observed {
		spec, at := fake.Object(fake.Object(o["spec"])["forProvider"]), fake.Object(fake.Object(o["status"])["atProvider"])
		if o["kind"] == fake.VMKind && at["nodeName"] != nil && spec["nodeName"] != at["nodeName"] || spec["started"] == false && at["started"] == true {
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

		rollout := fake.Object(m.Spec()["rollout"])
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

	for range 60 {
		for _, m := range w.all {
			m.Apply(m.Call())
			w.check()
			m.Provide()
			w.check()
		}
	}

	for _, m := range w.all {
		if rsp := m.Call(); fake.Reason(rsp, "RolloutFinished") != "Finished" {
			w.t.Errorf("%s is not finished: %s: %s\n%s", m.Name(), fake.Reason(rsp, "RolloutFinished"), fake.Message(rsp, "RolloutFinished"), strings.Join(w.log, "\n"))
		}
	}
}
