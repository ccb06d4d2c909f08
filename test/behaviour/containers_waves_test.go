package behaviour

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// containerWaves are containers of one group that run, on one Proxmox, with the VMIDs from 150 on, each in the wave of its place.
func containerWaves(t *testing.T, of []int, edits ...string) []*machine {
	t.Helper()

	var out []*machine

	for i, wave := range of {
		m := world.NewMachine(world.NewClaim("Container", "edge", fmt.Sprintf("c%d-%c", wave, 'a'+i), world.FromYAML(t, fmt.Sprintf(
			"{class: own, image: own-ct, network: {ip: 192.168.4.%d/24}, proxmox: {site: home, node: pve, vmId: %d}, rollout: {group: edge, wave: %d}}", 70+i, 150+i, wave))),
			world.Installations[0])
		m.Catalogue, m.Capabilities = world.FromYAML(t, promisesCatalogue), capable

		for _, e := range edits {
			world.Merge(m.Spec(), world.FromYAML(t, e))
		}

		if i == 0 {
			out = append(out, alone(t, m))
		} else {
			out = append(out, out[0].beside(m))
		}
	}

	out[0].Rest()
	out[0].Proxmox.Done = nil

	for _, m := range out {
		m.says(m.Call(), map[string]string{"RolloutFinished": "Finished", "MachineReady": "Running"})
	}

	return out
}

// restartedInOrder are the containers, by their VMIDs, in the order in which they stopped and started.
func restartedInOrder(m *machine) []string {
	return slices.DeleteFunc(slices.Clone(m.Proxmox.Done), func(d string) bool { return !strings.HasPrefix(d, "stop") && !strings.HasPrefix(d, "start ") })
}

// TestContainerWaves: restarts of containers go wave after wave, whatever asks for them.
func TestContainerWaves(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		edits  []string
		commit string
	}{
		"Reboot":     {reason: "A trigger in each claim.", commit: "lifecycle: {reboot: a}"},
		"WhenNeeded": {reason: "A change that needs a restart.", edits: []string{"lifecycle: {rebootPolicy: WhenNeeded}"}, commit: "size: {swap: 64Mi}"},
		"Revision":   {reason: "One commit for all.", edits: []string{"rollout: {revision: a}"}, commit: "{rollout: {revision: b}, lifecycle: {reboot: a}}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			all := containerWaves(t, []int{3, 1, 2}, tc.edits...)
			everywhere(all, func(m *machine) { m.edit(tc.commit) })
			all[0].Rest()

			want := []string{
				"stop container 151", "start container 151", "stop container 152", "start container 152", "stop container 150", "start container 150",
			}
			if diff := cmp.Diff(want, restartedInOrder(all[0])); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			for _, m := range all {
				m.says(m.Call(), map[string]string{"RolloutFinished": "Finished", "RebootPending": "NothingPending"})
			}
		})
	}
}

// TestContainerWaveOfReplacements: a replacement is prepared only when its turn has come.
func TestContainerWaveOfReplacements(t *testing.T) {
	t.Parallel()

	all := containerWaves(t, []int{1, 2})
	for i, m := range all {
		m.edit(fmt.Sprintf("{lifecycle: {replace: a}, proxmox: {vmId: %d}}", 160+i))
	}

	for range 5 {
		all[1].Turn()
	}

	last := all[1].Turn()
	all[1].says(last, map[string]string{"RolloutFinished": "WaitingForWave", "ReplacementRequired": "WaitingForWave", "MachineReady": "Running"})
	all[1].did()

	if got := later(last); len(got) > 0 {
		t.Errorf("the replacement has begun: %v", got)
	}

	all[0].Rest()
	all[0].did("change startOnBoot of container 150", "stop container 150", "make container 160", "start container 160", "destroy container 150",
		"change startOnBoot of container 151", "stop container 151", "make container 161", "start container 161", "destroy container 151")

	for _, m := range all {
		m.says(m.Call(), map[string]string{"RolloutFinished": "Finished", "ReplacementRequired": "NotRequired"})
	}
}

// TestContainerWaveStops: a container that is broken stops the rollout; what needs no restart is done, and who leaves the group begins.
func TestContainerWaveStops(t *testing.T) {
	t.Parallel()

	all := containerWaves(t, []int{1, 2})
	low, high := all[0], all[1]
	everywhere(all, func(m *machine) { m.lifecycle("reboot", "a") })
	low.Spec()["class"] = "nowhere"
	low.edit("proxmox: {node: nowhere}")
	high.edit("{tags: [new], size: {swap: 64Mi}}")

	for range 8 {
		low.Apply(low.Call())
		high.Turn()
	}

	last := high.Call()
	high.says(last, map[string]string{"RolloutFinished": "WaitingForWave", "RebootPending": "WaitingForWave", "MachineReady": "Running"})

	if want := "Container 151 is in wave 2 of group edge. It waits for other containers of its group: c1-a of wave 1 ("; !strings.HasPrefix(world.Message(last, "RolloutFinished"), want) {
		t.Errorf("want %q in %q", want, world.Message(last, "RolloutFinished"))
	}

	if high.happened("change tags of container 151") < 0 || high.happened("stop") >= 0 {
		t.Errorf("done: %q", high.Proxmox.Done)
	}

	high.Proxmox.Done = nil
	delete(high.Spec(), "rollout")

	for range 6 {
		high.Turn()
	}

	if diff := cmp.Diff([]string{"stop container 151", "start container 151"}, restartedInOrder(high)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	high.says(high.Call(), map[string]string{"RolloutFinished": "NoGroup"})
}

// TestContainerWavesAfterApproval: what nobody has approved is not announced to the others.
func TestContainerWavesAfterApproval(t *testing.T) {
	t.Parallel()

	all := containerWaves(t, []int{1, 2}, "lifecycle: {approval: OnRisk}")
	everywhere(all, func(m *machine) { m.lifecycle("reboot", "a") })

	for range 4 {
		all[0].Turn()
		all[1].Turn()
	}

	for _, m := range all {
		m.says(m.Call(), map[string]string{"RolloutFinished": "NotFinished", "Approved": "WaitingForApproval"})
	}

	all[1].lifecycle("approve", hash(t, all[1].Call()))

	for range 4 {
		all[1].Turn()
	}

	all[1].says(all[1].Call(), map[string]string{"RolloutFinished": "WaitingForWave", "Approved": "PlanApproved"})
	all[1].did()

	all[0].lifecycle("approve", hash(t, all[0].Call()))
	all[0].Rest()

	want := []string{"stop container 150", "start container 150", "stop container 151", "start container 151"}
	if diff := cmp.Diff(want, restartedInOrder(all[0])); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestWavesByKind: machines and containers of one word are two groups.
func TestWavesByKind(t *testing.T) {
	t.Parallel()

	all := containerWaves(t, []int{2})

	low := world.NewMachine(world.NewClaim("Machine", "edge", "low", world.FromYAML(t,
		"{class: own, image: debian-12, network: {dhcp: true}, proxmox: {site: home, node: pve}, rollout: {group: edge, wave: 1}}")), world.Installations[0])
	low.Catalogue, low.Capabilities = all[0].Catalogue, capable
	all[0].beside(low)
	all[0].lifecycle("reboot", "a")

	for range 6 {
		all[0].Turn()
	}

	if diff := cmp.Diff([]string{"stop container 150", "start container 150"}, restartedInOrder(all[0])); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestContainerWavesInAnyOrder: whoever is called first, and also where two calls overlap, no two waves of a group are away at a time, and all restart in the end.
func TestContainerWavesInAnyOrder(t *testing.T) {
	t.Parallel()

	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()

			draw := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // A test that can be repeated.
			all, of := containerWaves(t, []int{1, 2, 3, 2}), []int{1, 2, 3, 2}
			p := all[0].Proxmox

			everywhere(all, func(m *machine) { m.lifecycle("reboot", "a") })

			if draw.IntN(2) == 0 {
				for i, m := range all {
					m.edit(fmt.Sprintf("{lifecycle: {replace: a}, proxmox: {vmId: %d}}", 160+i))
				}
			}

			for step := range 300 {
				// An edit that comes meanwhile is another restart, or another commit.
				if step < 200 && draw.IntN(20) == 0 {
					all[draw.IntN(4)].edit(fmt.Sprintf([]string{"lifecycle: {reboot: b%d}", "rollout: {revision: r%d}", "tags: [t%d]"}[draw.IntN(3)], step))
				}

				one, other := all[draw.IntN(4)], all[draw.IntN(4)]

				if draw.IntN(3) == 0 && one != other {
					a, b := one.Call(), other.Call()
					one.Apply(a)
					other.Apply(b)
				} else {
					one.Turn()
				}

				away := map[int]bool{}

				for i := range all {
					if c, next := p.Containers[150+i], p.Containers[160+i]; (c == nil || c.Config["started"] != true) && (next == nil || next.Config["started"] != true) {
						away[of[i]] = true
					}
				}

				if len(away) > 1 {
					t.Fatalf("containers of waves %v are away at a time: %v", away, p.Done)
				}
			}

			everywhere(all, func(m *machine) { m.edit("rollout: {revision: last}") })
			all[0].Rest()

			for i, m := range all {
				m.says(m.Call(), map[string]string{"RolloutFinished": "Finished", "MachineReady": "Running"})

				if !slices.Contains(p.Done, fmt.Sprintf("stop container %d", 150+i)) {
					t.Errorf("container %d was not away: %v", 150+i, p.Done)
				}
			}
		})
	}
}
