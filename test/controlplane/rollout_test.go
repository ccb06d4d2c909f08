package controlplane

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// rollsOut lives what the README of example/rollout has: a commit gives all machines of a group another class and the next revision, nothing happens until somebody
// approves, an approval of a later wave alone changes nothing, and then the machines restart wave after wave.
func (r *rig) rollsOut(t *testing.T, s story) {
	t.Helper()

	waves := slices.Clone(s.claims)
	wave := func(c *unstructured.Unstructured) string {
		n, _, _ := unstructured.NestedFieldNoCopy(c.Object, "spec", "rollout", "wave")

		return fmt.Sprint(n)
	}
	slices.SortFunc(waves, func(a, b *unstructured.Unstructured) int { return strings.Compare(wave(a), wave(b)) })

	ids := make([]string, len(waves))
	for i, c := range waves {
		ids[i] = r.vmIDOf(t, c)
	}

	written := len(r.world.Journal())
	cycles := func() []string { return r.cycles(written, ids) }

	for i, c := range waves {
		waves[i] = edited(c, map[string]any{"class": "service-large", "rollout.revision": "2026-11-23"})
	}

	must(t, r.apply(t.Context(), waves...))

	plans := make([]string, len(waves))
	for i, c := range waves {
		plans[i] = r.waitsForApproval(t, c)
	}

	approved := make([]*unstructured.Unstructured, len(waves))
	for i, c := range waves {
		approved[i] = edited(c, map[string]any{"lifecycle.approve": plans[i]})
	}

	rehearsed := r.rehearses(t, r.vmsOf(waves...), approved...)
	last := len(waves) - 1

	must(t, r.apply(t.Context(), approved[last]))
	must(t, r.says(t.Context(), approved[last], "RolloutFinished", "False", "WaitingForWave"))

	if got := cycles(); len(got) > 0 {
		t.Fatalf("before the first wave is approved: %v", got)
	}

	must(t, r.apply(t.Context(), approved[:last]...))

	var want []string

	for i, c := range waves {
		must(t, r.says(t.Context(), c, "RolloutFinished", "True", "Finished"))
		must(t, r.ready(t.Context(), c))

		want = append(want, "stop "+ids[i], "start "+ids[i])
	}

	if diff := cmp.Diff(want, cycles()); diff != "" {
		t.Errorf("power cycles of %s: -want, +got:\n%s", strings.Join(ids, ", "), diff)
	}

	rehearsed.came(t, "done")
}

// cycles are the starts and stops of VMs since a line of Proxmox' journal.
func (r *rig) cycles(written int, ids []string) []string {
	var out []string

	for _, line := range r.world.Journal()[written:] {
		if m := recordedLine.FindStringSubmatch(line); m != nil && (m[1] == "stop" || m[1] == "start") && slices.Contains(ids, m[2]) {
			out = append(out, m[1]+" "+m[2])
		}
	}

	return out
}

// nixosRollsOut lives the runbook of example/rollout with the machines of example/nixos and a second name server: after its restart, each machine holds up the
// waves behind it until its guest has converged. The test is the guests, and says what they report.
func (r *rig) nixosRollsOut(t *testing.T, s story) {
	t.Helper()

	first, last := s.claims[0], s.claims[1]
	if first.GetName() != "dns01" || last.GetName() != "docker01" {
		t.Fatalf("example/nixos has other machines: %s and %s", first.GetName(), last.GetName())
	}

	second := edited(first, map[string]any{"network.ip": "192.168.4.55", "proxmox.vmId": int64(155), "nix.flakeRef": "git+https://git.home.arpa/infra?ref=main#dns02"})
	second.SetName("dns02")

	waves, ids := []*unstructured.Unstructured{first, second, last}, []string{"153", "155", "154"}
	report := func(link string, of ...string) {
		r.world.Edit(func(vms map[int]*standin.VM) {
			for id, vm := range vms {
				if slices.Contains(of, strconv.Itoa(id)) {
					vm.Links = slices.DeleteFunc([]string{link}, func(l string) bool { return l == "" })
				}
			}
		})
	}

	defer func() {
		must(t, r.remove(context.WithoutCancel(t.Context()), second))
		r.world.Remove(155)
	}()

	for i, c := range waves {
		waves[i] = edited(c, map[string]any{
			"rollout":   map[string]any{"group": "nixos", "wave": int64(i + 1), "revision": "a"},
			"lifecycle": map[string]any{"approval": "OnRisk", "rebootPolicy": "WhenNeeded"},
		})
	}

	must(t, r.apply(t.Context(), waves...))
	must(t, r.ready(t.Context(), waves[1]))
	report("nix-ok-3f9a0c", ids...)

	for _, c := range waves {
		must(t, r.tells(t.Context(), c, word{conditionType: "Converged", status: "True", reason: "Applied"}, word{conditionType: "RolloutFinished", status: "True", reason: "Finished"}))
	}

	written, want := len(r.world.Journal()), []string(nil)
	cycled := func(when string) {
		t.Helper()

		if diff := cmp.Diff(want, r.cycles(written, ids)); diff != "" {
			t.Fatalf("power cycles %s: -want, +got:\n%s", when, diff)
		}
	}

	for i, c := range waves {
		waves[i] = edited(c, map[string]any{"size.memory": "10Gi", "rollout.revision": "b"})
	}

	must(t, r.apply(t.Context(), waves...))

	plans := make([]string, len(waves))
	for i, c := range waves {
		plans[i] = r.waitsForApproval(t, c)
	}

	// The last machine is approved first, and waits for those before it.
	for i, c := range slices.Backward(waves) {
		waves[i] = edited(c, map[string]any{"lifecycle.approve": plans[i]})

		if i > 0 {
			must(t, r.apply(t.Context(), waves[i]))
			must(t, r.says(t.Context(), c, "RolloutFinished", "False", "WaitingForWave"))
			cycled("before the first wave is approved")
		}
	}

	// A guest that starts reports nothing at first: the stand-in's links last, so they go before.
	report("", ids...)
	must(t, r.apply(t.Context(), waves[0]))

	for i, c := range waves {
		want = append(want, "stop "+ids[i], "start "+ids[i])

		for _, guest := range []struct{ link, status, reason string }{{"", "Unknown", "NotReported"}, {"nix-back-3f9a0c", "False", "RolledBack"}} {
			report(guest.link, ids[i])
			must(t, r.until(t.Context(), "restart of "+c.GetName(), func(context.Context) (bool, string) {
				got := r.cycles(written, ids)

				return len(got) >= len(want), strings.Join(got, ", ")
			}))
			must(t, r.tells(t.Context(), c, word{conditionType: "Converged", status: guest.status, reason: guest.reason},
				word{conditionType: "RolloutFinished", status: "False", reason: "NotFinished"}))

			for _, next := range waves[i+1:] {
				must(t, r.says(t.Context(), next, "RolloutFinished", "False", "WaitingForWave"))
			}

			cycled(c.GetName() + " says " + guest.reason)
		}

		report("nix-ok-3f9a0c", ids[i])
		must(t, r.says(t.Context(), c, "RolloutFinished", "True", "Finished"))
	}

	cycled("at the end")
}

// vmIDOf a claim that is ready.
func (r *rig) vmIDOf(t *testing.T, claim *unstructured.Unstructured) string {
	t.Helper()

	now, err := r.now(t.Context(), claim)
	must(t, err)

	id, _, _ := unstructured.NestedFieldNoCopy(now.Object, "status", "vmId")

	return fmt.Sprint(id)
}

// waitsForApproval of a claim's plan, and returns its hash.
func (r *rig) waitsForApproval(t *testing.T, claim *unstructured.Unstructured) (hash string) {
	t.Helper()

	must(t, r.until(t.Context(), claim.GetName()+" waits for approval", func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		hash, _, _ = unstructured.NestedString(now.Object, "status", "plan", "hash")

		return condition(now, "Approved").reason == "WaitingForApproval" && hash != "", "conditions are " + conditions(now)
	}))

	return hash
}

// containersRollOut lives what docs/containers.md has of waves: containers of a group restart wave after wave once somebody approves it, whatever the order of the
// approvals, and are replaced wave after wave.
func (r *rig) containersRollOut(t *testing.T) {
	const first, waves = 5688, 3

	all, ids := make([]*unstructured.Unstructured, waves), []int{}

	for i := range all {
		id := int64(first + i)
		ids = append(ids, first+i, first+waves+i)
		all[i] = edited(containerClaim(fmt.Sprintf("life-container-wave-%d", i+1), id), map[string]any{
			"rollout":   map[string]any{"group": "life", "wave": int64(i + 1), "revision": "a"},
			"lifecycle": map[string]any{"approval": "OnRisk", "rebootPolicy": "WhenNeeded"},
		})
	}

	t.Cleanup(func() {
		must(t, r.remove(context.Background(), all...))
		r.world.RemoveContainers(ids...)
	})

	must(t, r.apply(t.Context(), all...))

	for _, c := range all {
		must(t, r.ready(t.Context(), c))
	}

	written := len(r.world.Journal())
	done := func() []string {
		return slices.DeleteFunc(slices.Clone(r.world.Journal()[written:]), func(line string) bool {
			return strings.HasPrefix(line, "change") || !slices.ContainsFunc(ids, func(id int) bool { return strings.Contains(line, fmt.Sprintf(" container %d", id)) })
		})
	}
	commit := func(of func(i int) map[string]any) {
		for i, c := range all {
			all[i] = edited(c, of(i))
		}
	}

	// From the last wave to the first: the order of a commit is nobody's.
	commit(func(int) map[string]any { return map[string]any{"size.memory": "3Gi", "rollout.revision": "b"} })

	for _, c := range slices.Backward(all) {
		must(t, r.apply(t.Context(), c))
	}

	plans := make([]string, waves)
	for i, c := range all {
		plans[i] = r.waitsForApproval(t, c)
	}

	commit(func(i int) map[string]any { return map[string]any{"lifecycle.approve": plans[i]} })
	must(t, r.apply(t.Context(), all[waves-1]))
	must(t, r.says(t.Context(), all[waves-1], "RolloutFinished", "False", "WaitingForWave"))

	if got := done(); len(got) > 0 {
		t.Fatalf("before the first wave is approved: %v", got)
	}

	must(t, r.apply(t.Context(), all[:waves-1]...))

	var want []string

	for i, c := range all {
		must(t, r.says(t.Context(), c, "RolloutFinished", "True", "Finished"))
		must(t, r.ready(t.Context(), c))

		want = append(want, fmt.Sprintf("stop container %d", first+i), fmt.Sprintf("start container %d", first+i))
	}

	if diff := cmp.Diff(want, done()); diff != "" {
		t.Errorf("restarts: -want, +got:\n%s", diff)
	}

	written, want = len(r.world.Journal()), nil

	commit(func(i int) map[string]any {
		return map[string]any{
			"lifecycle.approval": "Never", "lifecycle.approve": nil, "lifecycle.replace": "one", "proxmox.vmId": int64(first + waves + i), "rollout.revision": "c",
		}
	})
	must(t, r.apply(t.Context(), all...))

	for i, c := range all {
		id := first + waves + i

		must(t, r.until(t.Context(), c.GetName()+" is replaced", func(context.Context) (bool, string) {
			return r.vmIDOf(t, c) == fmt.Sprint(id), strings.Join(done(), ", ")
		}))
		must(t, r.says(t.Context(), c, "RolloutFinished", "True", "Finished"))

		want = append(want, fmt.Sprintf("stop container %d", first+i), fmt.Sprintf("create container %d on pve", id), fmt.Sprintf("start container %d", id))
	}

	// The next wave waits for a container that runs, and not for the end of the one before it, which comes after that.
	for i := range all {
		end := fmt.Sprintf("destroy container %d", first+i)
		must(t, r.until(t.Context(), end, func(context.Context) (bool, string) { return slices.Contains(done(), end), strings.Join(done(), ", ") }))

		if began := fmt.Sprintf("start container %d", first+waves+i); slices.Index(done(), end) < slices.Index(done(), began) {
			t.Errorf("%s before %s: %v", end, began, done())
		}
	}

	replaced := slices.DeleteFunc(done(), func(line string) bool { return strings.HasPrefix(line, "destroy") })
	if diff := cmp.Diff(want, replaced); diff != "" {
		t.Errorf("replacements: -want, +got:\n%s", diff)
	}
}
