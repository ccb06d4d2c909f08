package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A runbook is a page of docs/ that a test follows: what is done stands there, in that order.
type runbook struct {
	t    *testing.T
	rest string
}

func open(t *testing.T, page string) *runbook {
	t.Helper()

	b, err := os.ReadFile(repository + "/docs/" + page)
	must(t, err)

	return &runbook{t, string(b)}
}

// says checks that something stands on the page, after what was looked for before.
func (b *runbook) says(words string) {
	b.t.Helper()

	at := strings.Index(b.rest, words)
	if at < 0 {
		b.t.Fatalf("the runbook does not say, or not at this place:\n%s", words)
	}

	b.rest = b.rest[at+len(words):]
}

// filter is the next program for jq that stands on the page.
func (b *runbook) filter() string {
	b.t.Helper()
	b.says("jq '")

	program, rest, ended := strings.Cut(b.rest, "'")
	if !ended {
		b.t.Fatalf("the runbook does not end its program for jq:\n%s", program)
	}

	b.rest = rest

	return program
}

// filtered is an object as a program for jq makes it.
func filtered(ctx context.Context, program string, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	in, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}

	cmd := exec.CommandContext(ctx, "jq", program)
	cmd.Stdin = bytes.NewReader(in)

	said, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("jq %q: %w", program, err)
	}

	out := &unstructured.Unstructured{}

	return out, out.UnmarshalJSON(said)
}

// sharing has a plane's provider work on another Proxmox until the test ends.
func (r *rig) sharing(t *testing.T, w *standin.World) {
	t.Helper()

	own := r.world
	use := func(w *standin.World) {
		start := r.restartProvider(t)
		r.world = w
		start()
	}

	use(w)
	t.Cleanup(func() { use(own) })
}

// TestMoving follows docs/moving.md between the claims and the namespaced installation, both on one Proxmox. It runs alone,
// since it takes a plane's Proxmox away. VMs 5200 to 5299 are its own.
func TestMoving(t *testing.T) {
	old, modern := claims.rig(t), namespaced.rig(t)
	modern.sharing(t, old.world)

	git := edited(withUserData(machine("git01", 5211)), map[string]any{
		"disks": []any{map[string]any{"name": "repos", "size": "100Gi"}}, "tags": []any{"tier1"},
		// Used words: they ask for nothing once more.
		"lifecycle": map[string]any{"reboot": "before", "replace": "before"},
	})

	server := func(name string, id int64) *unstructured.Unstructured {
		claim := edited(machine(name, id), map[string]any{
			"k3s":            map[string]any{"role": "server", "init": true, "version": "v1.33.6+k3s1"},
			"deletionPolicy": "Delete",
		})
		claim.SetKind("K3sNode")

		return claim
	}

	cases := map[string]struct {
		reason   string
		claim    *unstructured.Unstructured
		from, to *rig
	}{
		"Machine": {reason: "A machine with snippets and a data disk moves.", claim: git, from: old, to: modern},
		"K3sNode": {reason: "So does a K3s server, which is protected.", claim: server("mover-server", 5212), from: old, to: modern},
		"Back":    {reason: "The other way round it goes the same.", claim: server("mover-back", 5213), from: modern, to: old},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log(tc.reason)
			move(t, tc.from, tc.to, tc.claim)
		})
	}
}

func move(t *testing.T, from, to *rig, claim *unstructured.Unstructured) {
	t.Helper()

	guide, world, ctx := open(t, "moving.md"), from.world, t.Context()
	id, _, _ := unstructured.NestedInt64(claim.Object, "spec", "proxmox", "vmId")

	t.Cleanup(func() {
		must(t, from.remove(context.Background(), claim))
		must(t, to.remove(context.Background(), claim))
		world.Remove(int(id))
	})

	must(t, from.apply(ctx, claim))
	must(t, from.ready(ctx, claim))
	must(t, from.still(ctx, claim))

	before := world.VM(int(id))
	b := &biography{rig: from, life: life{claim: claim, ids: []int{int(id)}}, written: len(world.Journal())}

	// From here on nothing may be written to Proxmox.
	guide.says("2. **Finish all pending changes.**")
	must(t, from.says(ctx, claim, "RebootPending", "False", "NothingPending"))
	must(t, from.says(ctx, claim, "ReplacementRequired", "False", "NotRequired"))

	guide.says("deletionPolicy: Orphan\n     deletionProtection: false")
	must(t, from.apply(ctx, edited(claim, map[string]any{"deletionPolicy": "Orphan", "deletionProtection": false})))
	guide.says("No line may list `Delete`")
	must(t, from.letGo(ctx, claim))
	must(t, from.unprotected(ctx, claim))

	guide.says("kubectl -n infra-machines get machines.homelab.io git01 -o jsonpath='{.status.vmId}'")

	now, err := from.now(ctx, claim)
	must(t, err)

	number, _, _ := unstructured.NestedInt64(now.Object, "status", "vmId")
	if number != id {
		t.Fatalf("status.vmId is %d, want %d", number, id)
	}

	guide.says("kubectl -n infra-machines delete machines.homelab.io git01")
	guide.says("Wait until the last command finds nothing.")
	must(t, from.remove(ctx, claim))

	guide.says("adopt: {vmId: 161}\n     deletionPolicy: Orphan")

	adopting := edited(claim, map[string]any{"adopt": map[string]any{"vmId": number}, "deletionPolicy": "Orphan", "deletionProtection": false})
	must(t, to.apply(ctx, adopting))
	must(t, to.says(ctx, claim, "MachineReady", "False", "WaitingForApproval"))

	guide.says("The plan has no `changes`, `reboots` or `refused`")

	now, err = to.now(ctx, claim)
	must(t, err)

	plan, _, _ := unstructured.NestedMap(now.Object, "status", "adoption")
	for _, list := range []string{"changes", "reboots", "refused"} {
		if plan[list] != nil {
			t.Errorf("the plan has %s: %v", list, plan[list])
		}
	}

	guide.says(`adopt: {vmId: 161, approve: "ab3f20319c"}`)

	approved := edited(adopting, approval(now))
	must(t, to.apply(ctx, approved))
	must(t, to.ready(ctx, claim))

	guide.says("7. **Restore `deletionPolicy` and `deletionProtection`.**")

	adopt, _, _ := unstructured.NestedFieldCopy(approved.Object, "spec", "adopt")
	moved := edited(claim, map[string]any{"adopt": adopt})
	must(t, to.apply(ctx, moved))
	must(t, to.says(ctx, claim, "BootstrapCurrent", "True", "Adopted"))
	must(t, to.still(ctx, claim))
	must(t, to.ready(ctx, claim))

	if lines := b.journal(); len(lines) > 0 {
		t.Errorf("written to Proxmox on the way: %s", strings.Join(lines, ", "))
	}

	if diff := cmp.Diff(before.Config, world.VM(int(id)).Config); diff != "" {
		t.Errorf("the VM has changed: -before, +after:\n%s", diff)
	}

	from.afterMoving(t, to, moved, int(id))
}

// letGo waits until no managed resource of a claim may delete what it stands for.
func (r *rig) letGo(ctx context.Context, claim *unstructured.Unstructured) error {
	return r.until(ctx, "no managed resource may delete anything", func(ctx context.Context) (bool, string) {
		all, err := r.managed(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		for _, m := range all {
			policies, _, _ := unstructured.NestedStringSlice(m.Object, "spec", "managementPolicies")
			if p := fmt.Sprint(policies); strings.Contains(p, "Delete") || strings.Contains(p, "*") || len(policies) == 0 {
				return false, m.GetKind() + " " + m.GetName() + " has " + p
			}
		}

		return len(all) > 0, "there are no managed resources"
	})
}

// afterMoving lives on: the snippets are there, the VM starts with them, and it follows its claim.
func (r *rig) afterMoving(t *testing.T, to *rig, claim *unstructured.Unstructured, id int) {
	t.Helper()

	l := life{
		reason: "A machine that was moved lives on as before.", claim: claim, ids: []int{id},
		steps: []step{
			{
				does: "a restart", edit: map[string]any{"lifecycle.reboot": "moved"}, vm: runs, made: []string{kindVM},
				written: []string{fmt.Sprint("change VM ", id), fmt.Sprint("stop VM ", id), fmt.Sprint("change VM ", id), fmt.Sprint("start VM ", id)},
			},
			{
				does: "a larger class", edit: map[string]any{"class": "medium", "deletionProtection": false}, says: waits, vm: cores(2, 4),
				written: []string{fmt.Sprint("change VM ", id)},
			},
			{
				does: "its deletion, which leaves the snippets", remove: true, gone: []string{kindVM},
				written: []string{fmt.Sprint("stop VM ", id), fmt.Sprint("destroy VM ", id)},
			},
		},
	}

	to.live(t, l)

	if left := r.world.Snippets(claim.GetName()); len(left) != 2 {
		t.Errorf("snippets %v are left, want 2", left)
	}
}
