package container

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestAdoptionWritesWhatItAnnounced adopts random containers with random claims, and compares what changes in Proxmox with what was announced and approved.
func TestAdoptionWritesWhatItAnnounced(t *testing.T) {
	names := slices.Sorted(maps.Keys(edits))
	powers := []v1alpha1.Power{v1alpha1.PowerRunning, v1alpha1.PowerStopped, v1alpha1.PowerUnmanaged}
	came := map[string]bool{}

	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 11)) //nolint:gosec // A test that can be repeated.

		edited := func() *machine.Container {
			m := aContainer(nil)
			for range r.IntN(6) {
				if name := names[r.IntN(len(names))]; name != "vmid" && name != "node" {
					edits[name](m, r)
				}
			}

			return m
		}

		w := &world{t: t, began: true, read: true, has: byHand(edited(), r)}
		w.note("seed %d", seed)

		m := edited()
		m.Adopt, m.Power = &v1alpha1.Adopt{VMID: 150}, powers[r.IntN(3)]
		m.KeepsOwn = machine.ContainerKeeps{
			Disks: r.IntN(2) == 0, Notes: r.IntN(2) == 0, OnBoot: r.IntN(2) == 0, Startup: r.IntN(2) == 0, Hostname: r.IntN(2) == 0, Network: r.IntN(2) == 0,
			DNS: r.IntN(2) == 0, Bridge: r.IntN(2) == 0, VLAN: r.IntN(2) == 0,
		}

		before := clone(w.has)
		announced := w.adopt(m)

		for range 6 {
			w.call(m)
			w.provide()
		}

		for _, c := range becameOf(before, w.has) {
			came[c.Field] = true

			same := func(a change.Change) bool { return a.Field == c.Field && a.Has == c.Has && a.Wanted == c.Wanted }
			if !slices.ContainsFunc(announced, func(a change.Change) bool { return same(a) && a.Effect != change.Refused }) {
				w.fail("%s became %q of %q, and was not announced: %v", c.Field, c.Wanted, c.Has, announced)
			}
		}

		for _, a := range announced {
			if a.Effect == change.InPlace && !slices.ContainsFunc(becameOf(before, w.has), func(c change.Change) bool { return c.Field == a.Field }) {
				w.fail("%s was announced, and did not come: %v", a.Field, a)
			}
		}
	}

	for _, field := range []string{"spec.power", "spec.tags", "description", "spec.size.cores"} {
		if !came[field] {
			t.Errorf("no adoption changed %s", field)
		}
	}
}

// byHand is a container as somebody made it in Proxmox.
func byHand(m *machine.Container, r *rand.Rand) proxmox.ContainerParameters {
	has := Describe(m, replacement.First)
	has.Started, has.Description = r.IntN(2) == 0, "made by hand\n"
	// The provider never reads the pool of a container.
	has.PoolID = ""

	for i := range has.MountPoint {
		has.MountPoint[i].Volume += fmt.Sprintf(":vm-150-disk-%d", i)
	}

	return has
}

// adopt the container of a world, with a person's word for what is announced.
func (w *world) adopt(m *machine.Container) []change.Change {
	w.t.Helper()

	at := checks(request(m, nil), found(), nil)
	for name, o := range at.Observed.Containers {
		o.Status.AtProvider = proxmox.ContainerObservation{
			ID: "150", NodeName: w.has.NodeName, Started: w.has.Started,
			Parameters: &proxmox.FoundContainer{ContainerParameters: clone(w.has), Rest: &structpb.Struct{}},
		}
		at.Observed.Containers[name] = o
	}

	a := Decide(at).Adoption
	m.Adopt.Approve = a.Plan

	p := Decide(at)
	if p.Action != ActionAdopt {
		w.fail("want it adopted, got %s: %+v", p.Action, p.Adoption)
	}

	w.written = rendered(Render(p))
	// The provider keeps the template that it is told, and does not read it.
	w.has.OperatingSystem = w.written.Spec.ForProvider.OperatingSystem

	return a.Changes
}

// becameOf a container, in the words of the table and of its power.
func becameOf(before, after proxmox.ContainerParameters) []change.Change {
	var out []change.Change

	for _, r := range rows {
		if has, is := r.words(before), r.words(after); has != is && r.field != "spec.image" && r.field != "spec.os" {
			out = append(out, change.Change{Field: r.field, Has: has, Wanted: is})
		}
	}

	return append(out, powerChange(before.Started, after.Started)...)
}
