package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Some seconds of the stand-in are some times ten minutes of the provider: it looks every three seconds instead.
const (
	moment  = 3 * time.Second  // Ten minutes.
	lasting = 10 * time.Second // Half an hour.
)

// everywhere runs a test on both planes, side by side: most of its time is waiting, and nothing that hurts one plane hurts
// the other. No other test runs meanwhile, unless the one that calls it is parallel.
func everywhere(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()

	for _, on := range []*installation{claims, namespaced} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()
			test(t, on.rig(t))
		})
	}
}

// must end a test on an error.
func must(t *testing.T, err error) {
	t.Helper()

	if err != nil {
		t.Fatal(err)
	}
}

// machine is a claim that needs nothing beside it.
func machine(name string, id int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "Machine",
		"metadata": map[string]any{"name": name, "namespace": machines},
		"spec": map[string]any{
			"image":   "debian-12",
			"network": map[string]any{"ip": fmt.Sprintf("192.168.4.%d", id%250), "cidr": int64(24), "gateway": "192.168.4.1"},
			"proxmox": map[string]any{"node": "pve", "vmId": id},
			"bootstrap": map[string]any{
				"sshAuthorizedKeys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"},
			},
		},
	}}
}

// with is a claim with another value at a path of its spec, such as proxmox.node; nil takes the field out.
func with(claim *unstructured.Unstructured, path string, value any) *unstructured.Unstructured {
	out := claim.DeepCopy()
	steps := append([]string{"spec"}, strings.Split(path, ".")...)

	if value == nil {
		unstructured.RemoveNestedField(out.Object, steps...)
	} else if err := unstructured.SetNestedField(out.Object, value, steps...); err != nil {
		panic(err) // A mistake of the test.
	}

	return out
}

// tag a claim, as a person does who edits it.
func tag(claim *unstructured.Unstructured, tag string) *unstructured.Unstructured {
	return with(claim, "tags", []any{tag})
}

// desired is what the managed resources of a claim are told, by name; a change of it is a change of somebody's machine.
func (r *rig) desired(ctx context.Context, claim *unstructured.Unstructured) (map[string]string, error) {
	all, err := r.managed(ctx, claim)
	if err != nil {
		return nil, err
	}

	out := map[string]string{}

	for _, m := range all {
		spec, err := json.Marshal(m.Object["spec"])
		if err != nil {
			return nil, err
		}

		out[m.GetKind()+" "+m.GetName()] = fmt.Sprintf("%s deleted=%v %s", m.GetUID(), m.GetDeletionTimestamp() != nil, spec)
	}

	return out, nil
}

// written to Proxmox so far of a machine: of its VM, and of files that are named after it.
func (r *rig) written(name string, id int64) []string {
	var out []string

	for _, line := range r.world.Journal() {
		if slices.Contains(strings.Fields(line), fmt.Sprint(id)) || strings.Contains(line, "/"+name+"-") {
			out = append(out, line)
		}
	}

	return out
}

// A word is a condition as a claim shows it. Its status may be "not True", which one that is not there is, too; any reason
// will do where none is named; and the message holds a piece.
type word struct{ conditionType, status, reason, message string }

func (w word) holds(c shown) bool {
	if other, ok := strings.CutPrefix(w.status, "not "); ok {
		return c.status != other
	}

	return c.status == w.status && (w.reason == "" || c.reason == w.reason) && strings.Contains(c.message, w.message)
}

// says waits until a claim has a condition with a status and a reason.
func (r *rig) says(ctx context.Context, claim *unstructured.Unstructured, conditionType, status, reason string) error {
	return r.tells(ctx, claim, word{conditionType: conditionType, status: status, reason: reason})
}

// tells waits until a claim says all of some words at once.
func (r *rig) tells(ctx context.Context, claim *unstructured.Unstructured, words ...word) error {
	return r.until(ctx, fmt.Sprintf("%s says %v", claim.GetName(), words), func(ctx context.Context) (bool, string) {
		now, err := r.now(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		for _, w := range words {
			if !w.holds(condition(now, w.conditionType)) {
				return false, conditions(now)
			}
		}

		return true, ""
	})
}

// tagged waits until an edit of a claim has arrived in Proxmox.
func (r *rig) tagged(ctx context.Context, id int64, tag string) error {
	return r.until(ctx, fmt.Sprintf("VM %d has tag %s", id, tag), func(context.Context) (bool, string) {
		vm := r.world.VM(int(id))
		if vm == nil {
			return false, "there is no such VM"
		}

		return strings.Contains(fmt.Sprint(vm.Config["tags"]), tag), fmt.Sprint(vm.Config["tags"])
	})
}

// restartProvider stops the stand-in; the function that is returned starts another one.
func (r *rig) restartProvider(t *testing.T) (start func()) {
	t.Helper()
	r.provider.Stop()

	return func() { must(t, r.startProvider()) }
}

// function that runs.
func (r *rig) function(t *testing.T) interface {
	Kill()
	Start(ctx context.Context) error
} {
	t.Helper()

	for _, f := range r.Functions.Running() {
		return f
	}

	t.Fatal("no function runs")

	return nil
}

// bornOnce says whether a VM was made and started once, and nothing was taken away.
func bornOnce(journal []string, id int64) bool {
	return count(journal, fmt.Sprintf("create VM %d", id)) == 1 && count(journal, "start VM") == 1 &&
		count(journal, "stop VM")+count(journal, "destroy VM")+count(journal, "remove") == 0
}
