package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// waves are machines of one group that run, on one Proxmox, each in the wave of its place. They are named after their waves.
func waves(t *testing.T, of []int, edits ...string) []*machine {
	t.Helper()

	return wavesIn(t, world.Installations[0], of, edits...)
}

func wavesIn(t *testing.T, in world.Installation, of []int, edits ...string) []*machine {
	t.Helper()

	var out []*machine

	for i, wave := range of {
		claim := world.NewClaim("Machine", "edge", fmt.Sprintf("m%d-%c", wave, 'a'+i), world.FromYAML(t,
			fmt.Sprintf("{class: own, image: debian-12, network: {dhcp: true}, proxmox: {node: pve}, rollout: {group: edge, wave: %d}}", wave)))

		m := world.NewMachine(claim, in)
		m.Catalogue = world.FromYAML(t, "{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, data: {}}")

		for _, e := range edits {
			world.Merge(m.Spec(), world.FromYAML(t, e))
		}

		if i == 0 {
			out = append(out, alone(t, m))
		} else {
			out = append(out, out[0].beside(m))
		}

		out[i].sized(2)
	}

	out[0].Rest()
	out[0].Proxmox.Done = nil

	for _, m := range out {
		m.says(m.Call(), map[string]string{"RolloutFinished": "Finished"})
	}

	return out
}

// everywhere does the same to all machines, as one commit that has arrived before anybody is called.
func everywhere(all []*machine, edit func(m *machine)) {
	for _, m := range all {
		edit(m)
	}
}

// inWaves holds that what was done to VMs was done to those of a wave before those of the next one. The VMs are 100 and so on, in the order of
// the machines.
func inWaves(t *testing.T, all []*machine, of []int, done ...string) {
	t.Helper()

	p, last := all[0].Proxmox, -1

	for _, wave := range slices.Compact(slices.Sorted(slices.Values(of))) {
		first, end := len(p.Done), -1

		for i := range all {
			if of[i] != wave {
				continue
			}

			if diff := cmp.Diff(done, outages(p, 100+i)); diff != "" {
				t.Errorf("VM %d: -want, +got:\n%s\n%s", 100+i, diff, strings.Join(p.Done, "\n"))
			}

			for n, d := range p.Done {
				if isOutage(d) && strings.HasSuffix(d, fmt.Sprint(100+i)) {
					first, end = min(first, n), max(end, n)
				}
			}
		}

		if first <= last {
			t.Errorf("wave %d began before the wave below it had ended:\n%s", wave, strings.Join(p.Done, "\n"))
		}

		last = end
	}

	p.Done = nil
}

func isOutage(done string) bool { return !strings.HasPrefix(done, "change") }

// noOutage holds that nothing was done in Proxmox that a guest feels.
func noOutage(t *testing.T, reason string, p *world.Proxmox) {
	t.Helper()

	for _, done := range p.Done {
		if isOutage(done) {
			t.Errorf("%s In Proxmox: %s", reason, done)
		}
	}
}

// outages are what was done to a VM, without what it did not feel.
func outages(p *world.Proxmox, id int) []string {
	return slices.DeleteFunc(of(p, id), func(d string) bool { return !isOutage(d) })
}

// TestWaves holds for each kind of outage that the waves follow each other.
func TestWaves(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		edits  []string
		commit func(m *machine)
		done   []string
	}{
		"Reboot": {reason: "A trigger in each claim.", commit: func(m *machine) { m.lifecycle("reboot", "a") }, done: []string{"stop", "start"}},
		"Catalogue": {
			reason: "A class in the catalogue.", edits: []string{"lifecycle: {rebootPolicy: WhenNeeded}"},
			commit: func(m *machine) { m.sized(6) }, done: []string{"stop", "start"},
		},
		"Migration": {
			reason: "Another node.", edits: []string{"proxmox: {migrate: true}"},
			commit: func(m *machine) { world.Object(m.Spec()["proxmox"])["node"] = "pve2" }, done: []string{"migrate"},
		},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				t.Parallel()

				of := []int{3, 1, 2, 1}
				all := wavesIn(t, in, of, tc.edits...)

				everywhere(all, tc.commit)
				all[0].Rest()
				inWaves(t, all, of, tc.done...)

				for _, m := range all {
					m.says(m.Call(), map[string]string{"RolloutFinished": "Finished"})
				}
			})
		}
	}
}

// TestWaveOfReplacements: a replacement is prepared only when its turn has come.
func TestWaveOfReplacements(t *testing.T) {
	t.Parallel()

	all := waves(t, []int{1, 2})
	everywhere(all, func(m *machine) { m.replace("a") })

	waiting := all[1].Turn()
	all[1].says(waiting, map[string]string{"RolloutFinished": "WaitingForWave", "ReplacementRequired": "WaitingForWave", "MachineReady": "Running"})

	if len(later(waiting)) > 0 {
		t.Errorf("the replacement has begun: %v", later(waiting))
	}

	all[0].Rest()
	// Proxmox gives the lowest VMID that is free.
	all[0].did("make 102", "destroy 100", "make 100", "destroy 101")
}

// TestWaveKnowsItsCatalogue: a wave that was not called since the catalogue was edited does not count as finished with it.
func TestWaveKnowsItsCatalogue(t *testing.T) {
	t.Parallel()

	all := waves(t, []int{1, 2}, "lifecycle: {rebootPolicy: WhenNeeded}")
	everywhere(all, func(m *machine) { m.sized(6) })

	for range 10 {
		last := all[1].Turn()
		all[1].says(last, map[string]string{"RolloutFinished": "WaitingForWave", "RebootPending": "WaitingForWave"})

		if want := "m1-a of wave 1 (its status is not about its current claim and the current catalogue yet"; !strings.Contains(world.Message(last, "RolloutFinished"), want) {
			t.Fatalf("want %q in %q", want, world.Message(last, "RolloutFinished"))
		}
	}

	all[0].did("change cpu of 101")
	all[0].Rest()
	all[0].did("change cpu of 100", "stop 100", "start 100", "stop 101", "start 101")
}

// TestWaveStops: a wave with a broken machine stops the rollout, and only what restarts a VM waits for it.
func TestWaveStops(t *testing.T) {
	t.Parallel()

	all := waves(t, []int{1, 2}, "lifecycle: {rebootPolicy: WhenNeeded}")
	low, high := all[0], all[1]

	everywhere(all, func(m *machine) { m.lifecycle("reboot", "a") })

	// The first machine has a fault, and is not called with its claim any more.
	low.Spec()["class"] = "nowhere"

	for range 5 {
		low.Apply(low.Call())
		high.Turn()
	}

	high.says(high.Call(), map[string]string{"RolloutFinished": "WaitingForWave"})
	high.did()

	// What needs no restart is done; so is a new machine of the wave.
	world.Merge(high.Spec(), world.FromYAML(t, "{tags: [new], size: {disk: 40Gi}}"))

	newcomer := world.NewMachine(world.NewClaim("Machine", "edge", "new", world.FromYAML(t,
		"{class: own, image: debian-12, network: {dhcp: true}, proxmox: {node: pve}, rollout: {group: edge, wave: 2}}")), world.Installations[0])
	newcomer.Catalogue = high.Catalogue
	n := high.beside(newcomer)

	for range 8 {
		high.Turn()
		n.Turn()
	}

	if high.happened("make 102") < 0 || high.happened("change disk, tags of 101") < 0 || high.happened("stop") >= 0 {
		t.Errorf("done: %q", high.Proxmox.Done)
	}

	// Somebody who does not want to wait takes the machine out of its group.
	high.Proxmox.Done = nil
	delete(high.Spec(), "rollout")

	for range 4 {
		high.Turn()
	}

	high.did("stop 101", "start 101")
	high.says(high.Call(), map[string]string{"RolloutFinished": "NoGroup"})
}

// TestWaveKeepsMachinesAlive: what brings a machine back does not wait for a wave.
func TestWaveKeepsMachinesAlive(t *testing.T) {
	t.Parallel()

	all := waves(t, []int{1, 2})
	low, high := all[0], all[1]
	low.Spec()["class"] = "nowhere"
	low.Apply(low.Call())

	// Somebody removes its VM, and the provider creates it again.
	delete(high.Proxmox.VMs, 101)

	for range 6 {
		high.Turn()
	}

	if high.happened("make") < 0 {
		t.Errorf("done: %q", high.Proxmox.Done)
	}

	if vm := high.Proxmox.VMs[high.number()]; vm.Running == nil {
		t.Error("the VM does not run")
	}
}

// TestWavesOfOthers: a machine waits for the machines of its group, kind and namespace only, and for none that is being deleted.
func TestWavesOfOthers(t *testing.T) {
	t.Parallel()

	cases := map[string]func(m *world.Machine){
		"OtherGroup":     func(m *world.Machine) { world.Object(m.Spec()["rollout"])["group"] = "core" },
		"NoGroup":        func(m *world.Machine) { delete(m.Spec(), "rollout") },
		"SameWave":       func(m *world.Machine) { world.Object(m.Spec()["rollout"])["wave"] = 2 },
		"HigherWave":     func(m *world.Machine) { world.Object(m.Spec()["rollout"])["wave"] = 3 },
		"OtherNamespace": func(m *world.Machine) { world.Object(m.Spec()["claimRef"])["namespace"] = "core" },
		"OtherKind":      func(m *world.Machine) { m.Composite["kind"] = "XK3sNode" },
		"Deleted": func(m *world.Machine) {
			world.Object(m.Composite["metadata"])["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		},
	}

	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := waves(t, []int{1, 2})
			all[0].Spec()["class"] = "nowhere"
			change(all[0].Machine)
			all[1].lifecycle("reboot", "a")

			for range 5 {
				all[1].Turn()
			}

			all[1].did("stop 101", "start 101")
		})
	}
}

// TestWaveAndApproval: an edit waits for its approval first, and then for its turn.
func TestWaveAndApproval(t *testing.T) {
	t.Parallel()

	all := waves(t, []int{1, 2}, onRisk)
	everywhere(all, func(m *machine) { m.lifecycle("reboot", "a") })

	all[0].Rest()
	all[0].did()

	for _, m := range all {
		m.says(m.Call(), map[string]string{"Approved": "WaitingForApproval", "RolloutFinished": "NotFinished"})
	}

	all[1].lifecycle("approve", hash(t, all[1].Call()))
	all[0].Rest()
	all[0].did()
	all[1].says(all[1].Call(), map[string]string{"Approved": "PlanApproved", "RolloutFinished": "WaitingForWave"})

	all[0].lifecycle("approve", hash(t, all[0].Call()))
	all[0].Rest()
	all[0].did("stop 100", "start 100", "stop 101", "start 101")
}

// TestWavesOverlap: the call in which a machine of a higher wave begins overlaps with calls of a lower wave that was edited meanwhile.
func TestWavesOverlap(t *testing.T) {
	t.Parallel()

	for n := range 4 * 4 {
		before, meanwhile := n/4, n%4

		t.Run(fmt.Sprintf("%d-%d", before, meanwhile), func(t *testing.T) {
			t.Parallel()

			all := waves(t, []int{1, 2})
			low, high := all[0], all[1]
			high.lifecycle("reboot", "a")

			for range before {
				high.Turn()
			}

			slow := high.Call()

			low.lifecycle("reboot", "a")

			for range meanwhile {
				low.Turn()
			}

			high.Apply(slow)
			high.Provide()

			if vms := low.Proxmox.VMs; vms[100].Running == nil && vms[101].Running == nil {
				t.Errorf("both are away: %q", low.Proxmox.Done)
			}

			low.Rest()

			for i := range all {
				if diff := cmp.Diff([]string{"stop", "start"}, of(low.Proxmox, 100+i)); diff != "" {
					t.Errorf("VM %d: -want, +got:\n%s", 100+i, diff)
				}
			}
		})
	}
}

// TestWaveIsEditedWhileItIsAway: the outage that an edit asks for is another one, although the machine is away when the edit comes.
func TestWaveIsEditedWhileItIsAway(t *testing.T) {
	t.Parallel()

	all := waves(t, []int{1, 2})
	low, high := all[0], all[1]
	high.lifecycle("reboot", "a")

	for range 20 {
		if high.happened("start 101") >= 0 {
			break
		}

		high.Turn()
	}

	everywhere(all, func(m *machine) { m.lifecycle("reboot", "b") })

	low.Rest()
	high.did("stop 101", "start 101", "stop 100", "start 100", "stop 101", "start 101")
}

// TestWaveRepairsWhatIsAway: an edit of a machine that does not come back from its outage takes effect at once, because it may be what repairs it,
// and the lower wave waits for it.
func TestWaveRepairsWhatIsAway(t *testing.T) {
	t.Parallel()

	for name, repair := range map[string]func(m *machine){
		"Reboot":  func(m *machine) { m.lifecycle("reboot", "b") },
		"Replace": func(m *machine) { m.replace("b") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := waves(t, []int{1, 2}, "bootstrap: {guestAgent: true}")
			low, high := all[0], all[1]
			high.lifecycle("reboot", "a")
			high.Proxmox.VMs[101].Silent = true

			for range 12 {
				high.Turn()
				low.Turn()
			}

			high.did("stop 101", "start 101")
			high.says(high.Call(), map[string]string{"RolloutFinished": "RollingOut"})

			everywhere(all, repair)

			for range 12 {
				low.Turn()
				high.Turn()

				if len(high.Proxmox.Done) == 0 {
					continue
				}

				// Only the VM of the machine that is away is restarted, or a new one made for it.
				if id := map[string]int{"Reboot": 101, "Replace": 102}[name]; len(of(high.Proxmox, id)) == 0 || !world.Owns(high.Machine, high.Proxmox.VMs[id]) {
					t.Fatalf("the machine that is away does not go first: %q", high.Proxmox.Done)
				}

				high.Proxmox.VMs[101].Silent = false

				break
			}

			low.Rest()

			for _, m := range all {
				m.says(m.Call(), map[string]string{"RolloutFinished": "Finished"})
			}
		})
	}
}

// revision of the commit that a machine's claim is of.
func (m *machine) revision(is string) {
	rollout := world.Object(world.Copy(world.Object(m.Spec()["rollout"])))
	rollout["revision"] = is
	m.Spec()["rollout"] = rollout
}

// TestWaveWaitsForItsRevision: the claims of one commit arrive one after the other, those of higher waves first.
func TestWaveWaitsForItsRevision(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		before string
		edits  []string
		commit func(m *machine)
		done   []string
		says   string
	}{
		"Reboot": {
			reason: "A trigger.", before: "2026-10", commit: func(m *machine) { m.lifecycle("reboot", "a") }, done: []string{"stop", "start"},
			says: "m1-a of wave 1 (has spec.rollout.revision 2026-10, and is to have 2026-11), m1-b of wave 1 (has spec.rollout.revision 2026-10, and is to have 2026-11).",
		},
		"FirstRevision": {
			reason: "No claim had one before.", commit: func(m *machine) { m.lifecycle("reboot", "a") }, done: []string{"stop", "start"},
			says: "m1-a of wave 1 (has no spec.rollout.revision, and is to have 2026-11), m1-b of wave 1 (has no spec.rollout.revision, and is to have 2026-11).",
		},
		"Migration": {
			reason: "Another node.", before: "2026-12", edits: []string{"proxmox: {migrate: true}"}, done: []string{"migrate"},
			commit: func(m *machine) { world.Object(m.Spec()["proxmox"])["node"] = "pve2" },
			says:   "m1-a of wave 1 (has spec.rollout.revision 2026-12, and is to have 2026-11)",
		},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				t.Parallel()

				of := []int{1, 1, 2, 2}
				all := wavesIn(t, in, of, tc.edits...)

				everywhere(all, func(m *machine) {
					if tc.before != "" {
						m.revision(tc.before)
					}
				})
				all[0].Rest()
				all[0].did()

				for n := range slices.Backward(all) {
					if rsp := all[2].Call(); n == 1 && !strings.Contains(world.Message(rsp, "RolloutFinished"), tc.says) {
						t.Errorf("want %q in %q", tc.says, world.Message(rsp, "RolloutFinished"))
					}

					all[n].revision("2026-11")
					tc.commit(all[n])

					// Until the claims of the lower wave are there, nobody of the higher one begins, however often it is called.
					for range 5 {
						all[2].Turn()
						all[3].Turn()
					}

					all[0].did()
				}

				all[0].Rest()
				inWaves(t, all, of, tc.done...)

				for _, m := range all {
					rsp := m.Call()
					m.says(rsp, map[string]string{"RolloutFinished": "Finished"})

					if got := world.Object(world.Status(rsp)["rollout"])["revision"]; got != "2026-11" {
						t.Errorf("%s: status.rollout.revision is %v", m.Name(), got)
					}
				}
			})
		}
	}
}

// TestWaveOfReplacementsWaitsForItsRevision: a replacement is prepared only when the lower waves have the revision.
func TestWaveOfReplacementsWaitsForItsRevision(t *testing.T) {
	t.Parallel()

	all := waves(t, []int{1, 2})
	all[1].revision("v2")
	all[1].replace("a")

	for range 5 {
		waiting := all[1].Turn()
		all[1].says(waiting, map[string]string{"RolloutFinished": "WaitingForWave", "ReplacementRequired": "WaitingForWave", "MachineReady": "Running"})

		if len(later(waiting)) > 0 {
			t.Errorf("the replacement has begun: %v", later(waiting))
		}
	}

	// The commit does not change the lower machine but for its revision.
	all[0].revision("v2")
	all[0].Rest()
	all[0].did("make 102", "destroy 101")
}

// TestARevisionChangesNothing: a machine that a commit gives another revision and nothing else keeps its managed resources, waits for no approval and is finished
// with the next call.
func TestARevisionChangesNothing(t *testing.T) {
	t.Parallel()

	for _, edit := range []string{onRisk, "lifecycle: {approval: Always}", "lifecycle: {rebootPolicy: WhenNeeded}"} {
		t.Run(edit, func(t *testing.T) {
			t.Parallel()

			m := waves(t, []int{2}, edit)[0]
			before := m.Rest()
			m.revision("v2")

			after := m.Turn()
			m.says(after, map[string]string{"RolloutFinished": "Finished"})

			if diff := cmp.Diff(before.GetDesired().GetResources(), after.GetDesired().GetResources(), protocmp.Transform()); diff != "" {
				t.Errorf("managed resources: -before, +with the revision:\n%s", diff)
			}

			was, is := world.Object(world.Copy(world.Status(before))), world.Object(world.Copy(world.Status(after)))
			for _, status := range []map[string]any{was, is} {
				delete(status, "rollout")
				delete(status, "appliedSpec")
			}

			if diff := cmp.Diff(was, is); diff != "" {
				t.Errorf("status: -before, +with the revision:\n%s", diff)
			}

			m.Rest()
			m.did()
		})
	}
}

// TestARevisionIsNoPartOfAPlan: a plan that waits for approval keeps its hash when the claim gets another revision.
func TestARevisionIsNoPartOfAPlan(t *testing.T) {
	t.Parallel()

	m := waves(t, []int{2}, onRisk)[0]
	m.lifecycle("reboot", "a")
	m.Rest()

	plan := hash(t, m.Call())
	m.revision("v2")
	m.Rest()

	if got := hash(t, m.Call()); got != plan {
		t.Errorf("the hash was %s, and is %s", plan, got)
	}

	m.did()
}

// TestWaveOfAFaultyClaim: a claim with a fault holds the higher waves, which say whose it is. It holds them no more once it is in no lower wave of the group.
func TestWaveOfAFaultyClaim(t *testing.T) {
	t.Parallel()

	cases := map[string]func(m *machine){
		"Repaired":   func(m *machine) { m.Spec()["class"] = "own" },
		"NoGroup":    func(m *machine) { delete(m.Spec(), "rollout") },
		"HigherWave": func(m *machine) { world.Object(m.Spec()["rollout"])["wave"] = 3 },
	}

	for name, wayOut := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := waves(t, []int{1, 1, 2})
			low, high := all[1], all[2]
			low.Spec()["class"] = "nowhere"
			low.Apply(low.Call())
			high.lifecycle("reboot", "a")

			for range 5 {
				all[0].Turn()
				low.Apply(low.Call())

				if got, want := world.Object(world.Status(high.Turn())["rollout"])["waitsFor"], []any{"m1-b"}; !cmp.Equal(want, got) {
					t.Fatalf("it waits for %v, want %v", got, want)
				}
			}

			high.did()

			const want = "It waits for other machines of its group: m1-b of wave 1 (its status is not about its current claim and the current catalogue yet, or one of them has a fault)."
			if got := world.Message(high.Call(), "RolloutFinished"); !strings.Contains(got, want) {
				t.Errorf("want %q in %q", want, got)
			}

			wayOut(low)

			for range 6 {
				low.Apply(low.Call())
				high.Turn()
			}

			high.did("stop 102", "start 102")
		})
	}
}
