package controlplane

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// A life is what happens to one machine, step by step.
type life struct {
	reason string
	// claim as it is first applied.
	claim *unstructured.Unstructured
	// ids of VMs that the machine has during its life: what is written to them is looked at.
	ids []int
	// parts of a ProxmoxSite, as pve/vmbr1 or as the name of a pool: what is written to them is looked at.
	parts []string
	// kinds of managed resources that the machine has during its life, and that few machines have.
	kinds []string
	// hand is what is done in Proxmox before the machine is there.
	hand  func(w *standin.World)
	steps []step
	// rehearsed lives have each commit rehearsed, and compared with what comes.
	rehearsed bool
}

// A step is an edit of the claim, something that somebody does in Proxmox, or both, and what has come of it when all is quiet
// again. What is not listed must not happen: nothing else is written to Proxmox, and no managed resource comes or goes.
type step struct {
	does string
	// edit of fields below spec, by path; nil takes a field out.
	edit map[string]any
	// editAs is an edit that depends on what the claim says now.
	editAs func(now *unstructured.Unstructured) map[string]any
	// hand is what somebody does in Proxmox.
	hand func(w *standin.World)
	// do is anything else that somebody does.
	do func(ctx context.Context, b *biography) error
	// remove the claim, with a way to cascade if one is named.
	remove  bool
	cascade metav1.DeletionPropagation

	// says are conditions, as status and reason by type. Synced and Ready are True unless they are listed.
	says map[string]string
	// status of the claim, by path below status.
	status map[string]string
	// written to Proxmox about this machine: first what VMs were told, in order, then its files, or the parts of its site, sorted.
	written []string
	// orWritten is what else may be written.
	orWritten []string
	// unordered: two managed resources that change at once have no order. What has one, tests of the function hold.
	unordered bool
	// unforeseen: what comes of it depends on what no rehearsal knows, such as a file on a node.
	unforeseen bool
	// made and gone are kinds of managed resources.
	made, gone []string
	// vm looks at the machine's VM after the step, and says what is wrong with it.
	vm func(vm *standin.VM) string
	// check looks at anything else.
	check func(ctx context.Context, b *biography) string
}

// quiet is how long all that a step says must be true at a stretch: more than a look of the provider at everything.
const quiet = 4 * time.Second

// A biography is a life on one plane.
type biography struct {
	*rig
	life

	written int                  // Lines of the journal before the step.
	managed map[types.UID]string // Kinds of managed resources before the step.
}

// live a life on a plane.
func (r *rig) live(t *testing.T, l life) {
	t.Helper()

	if l.hand != nil {
		l.hand(r.world)
	}

	b := &biography{rig: r, life: l, written: len(r.world.Journal())}

	t.Cleanup(func() {
		must(t, r.remove(context.Background(), b.claim))
		r.world.Remove(b.ids...)
		r.world.RemoveContainers(b.ids...)
	})

	for i, s := range l.steps {
		if !b.step(t, s) {
			t.Fatalf("this was step %d, %q, of: %s", i+1, s.does, l.reason)
		}
	}
}

// step takes a step, waits until it has come true, and sees that it stays so.
func (b *biography) step(t *testing.T, s step) bool {
	t.Helper()

	if s.hand != nil {
		s.hand(b.world)
	}

	rehearsed := b.rehearse(t, s)

	must(t, b.edited(t.Context(), s))

	if s.do != nil {
		must(t, s.do(t.Context(), b))
	}

	since := time.Now()

	// What somebody does by hand leaves everything true until it is noticed, so once is not enough. Nothing takes back what was written
	// to Proxmox: too much of that is never true again.
	if err := b.until(t.Context(), s.does+" came true and stayed so", func(ctx context.Context) (bool, string) {
		diff := b.diff(ctx, s)
		if diff != "" {
			since = time.Now()
		}

		return time.Since(since) > quiet, diff
	}); err != nil {
		t.Error(err)

		return false
	}

	// All is quiet, so that all is written.
	if rehearsed != nil {
		if diff := rehearsed.did(t); diff != "" {
			t.Errorf("%s: -rehearsed, +recorded:\n%s", s.does, diff)
		}
	}

	all, err := b.rig.managed(t.Context(), b.claim, b.kinds...)
	must(t, err)

	b.managed, b.written = kindsOf(all), len(b.world.Journal())

	return true
}

// rehearse a step that is a commit and nothing else: a birth, an edit of the claim, or its deletion; nil for any other. What a person does by hand no rehearsal knows.
func (b *biography) rehearse(t *testing.T, s step) *rehearsed {
	t.Helper()

	out := b.rehearseStep(t, s)
	if out != nil {
		out.parts = b.parts
	}

	return out
}

func (b *biography) rehearseStep(t *testing.T, s step) *rehearsed {
	t.Helper()

	if !b.rehearsed || s.unforeseen || s.hand != nil || s.do != nil || s.cascade != "" {
		return nil
	}

	switch ids := b.vmsOf(b.claim); {
	case b.managed == nil && b.life.hand != nil: // Nobody knows what somebody else has in Proxmox.
		return nil
	case b.managed == nil:
		return b.rehearses(t, ids, edited(b.claim, s.edit))
	case len(ids(t)) == 0 && len(b.parts) == 0:
		return nil // There is nothing yet.
	case s.remove:
		return b.rehearsesWith(t, []string{"--delete"}, ids, b.claim)
	case s.edit == nil && s.editAs == nil:
		return nil
	}

	now, err := b.now(t.Context(), b.claim)
	must(t, err)

	if s.editAs != nil {
		s.edit = s.editAs(now)
	}

	return b.rehearses(t, b.vmsOf(b.claim), edited(b.claim, s.edit))
}

// edited applies the claim as the step has it, or removes it.
func (b *biography) edited(ctx context.Context, s step) error {
	if s.remove {
		if s.cascade != "" {
			if err := b.Client.Delete(ctx, b.claim.DeepCopy(), client.PropagationPolicy(s.cascade)); err != nil {
				return err
			}
		}

		return b.remove(ctx, b.claim)
	}

	if s.editAs != nil {
		now, err := b.now(ctx, b.claim)
		if err != nil {
			return err
		}

		s.edit = s.editAs(now)
	}

	b.claim = edited(b.claim, s.edit)

	return b.apply(ctx, b.claim)
}

// edited is a claim with some fields below spec changed, by path; nil takes a field out.
func edited(claim *unstructured.Unstructured, edit map[string]any) *unstructured.Unstructured {
	out := claim.DeepCopy()

	for _, path := range slices.Sorted(maps.Keys(edit)) {
		fields := append([]string{"spec"}, strings.Split(path, ".")...)

		if edit[path] == nil {
			unstructured.RemoveNestedField(out.Object, fields...)
		} else if err := unstructured.SetNestedField(out.Object, edit[path], fields...); err != nil {
			panic(err) // A mistake in a table.
		}
	}

	return out
}

// diff is what is not yet, or no more, as the step says. Empty if nothing.
func (b *biography) diff(ctx context.Context, s step) string {
	var out []string

	add := func(what string, want, got any) {
		if d := cmp.Diff(want, got); d != "" {
			out = append(out, what+": -want, +got:\n"+d)
		}
	}

	if !s.remove {
		now, err := b.now(ctx, b.claim)
		if err != nil {
			return err.Error()
		}

		want, got := s.claimed(now)
		add("the claim", want, got)

		if len(out) > 0 {
			out = append(out, conditions(now))
		}
	}

	all, err := b.rig.managed(ctx, b.claim, b.kinds...)
	if err != nil {
		return err.Error()
	}

	is := kindsOf(all)
	add("managed resources made", sorted(s.made), without(is, b.managed))
	add("managed resources gone", sorted(s.gone), without(b.managed, is))

	journal, written := b.journal(), append([]string{}, s.written...)
	if s.unordered {
		journal, written = sorted(journal), sorted(written)
	}

	if s.orWritten == nil || !slices.Equal(s.orWritten, journal) {
		add("written to Proxmox", written, journal)
	}

	if s.vm != nil && len(out) == 0 {
		if why := s.vm(b.machine()); why != "" {
			out = append(out, "VM: "+why)
		}
	}

	if s.check != nil && len(out) == 0 {
		if why := s.check(ctx, b); why != "" {
			out = append(out, why)
		}
	}

	return strings.Join(out, "\n")
}

// claimed is what a claim should say, and what it says of that.
func (s step) claimed(now *unstructured.Unstructured) (want, got map[string]string) {
	want, got = map[string]string{"Synced": "True", "Ready": "True"}, map[string]string{}
	maps.Copy(want, s.says)

	for name, v := range want {
		c := condition(now, name)
		got[name] = c.status

		if strings.Contains(v, " ") {
			got[name] += " " + c.reason
		}
	}

	for path, v := range s.status {
		want["status."+path] = v
		value, _, _ := unstructured.NestedFieldNoCopy(now.Object, append([]string{"status"}, strings.Split(path, ".")...)...)
		got["status."+path] = fmt.Sprint(value)
	}

	return want, got
}
