package main

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A lab is a machine's world with a Proxmox in it that remembers what was done to its VMs. Several machines can share one
// Proxmox and one Kubernetes cluster. Function, Crossplane and provider take turns; the function starts anew for each.
type lab struct {
	*world

	t     *testing.T
	pve   *pve
	labs  *[]*lab           // All machines of the Kubernetes cluster, this one among them.
	stuck []string          // Prefixes of composed resources on which the provider does nothing.
	fails map[string]string // What the provider says of a composed resource instead of working on it.
	born  map[string]string // When composed resources were created.
	caps  []fnv1.Capability // What Crossplane says that it can.
	// undated providers, those before v1.0.0, do not say which generation a condition speaks of.
	undated bool
}

// newLab of one machine.
func newLab(t *testing.T, w *world) *lab {
	t.Helper()

	return addLab(t, w, &pve{t: t, vms: map[int]*guest{}, snippets: map[string]bool{}}, &[]*lab{})
}

// beside makes a lab of another machine, in the same Kubernetes cluster and on the same Proxmox.
func (l *lab) beside(w *world) *lab {
	l.t.Helper()

	return addLab(l.t, w, l.pve, l.labs)
}

func addLab(t *testing.T, w *world, p *pve, labs *[]*lab) *lab {
	t.Helper()

	l := &lab{world: w, t: t, pve: p, labs: labs, fails: map[string]string{}, born: map[string]string{}}
	*labs = append(*labs, l)
	object(w.composite["metadata"])["uid"] = fmt.Sprintf("3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a%02d", len(*labs))

	return l
}

// call the function as Crossplane does: with what it asked for, until it asks for nothing more.
func (l *lab) call() *fnv1.RunFunctionResponse {
	l.t.Helper()

	req := l.request(l.t)
	req.RequiredResources = nil
	req.Meta.Capabilities = l.caps

	for range 6 {
		rsp, err := newFunction().RunFunction(context.Background(), req)
		if err != nil {
			l.t.Fatalf("RunFunction(): %v", err)
		}

		answers := map[string]*fnv1.Resources{}
		for name, sel := range rsp.GetRequirements().GetResources() {
			answers[name] = l.selected(sel)
		}

		next := &fnv1.RunFunctionRequest{RequiredResources: answers}
		if proto.Equal(next, &fnv1.RunFunctionRequest{RequiredResources: req.GetRequiredResources()}) {
			return rsp
		}

		req.RequiredResources = answers
	}

	l.t.Fatal("the function asks for more and more")

	return nil
}

// selected are the objects of the cluster that a selector names.
func (l *lab) selected(sel *fnv1.ResourceSelector) *fnv1.Resources {
	l.t.Helper()

	var all []map[string]any
	if l.catalog != nil {
		all = append(all, l.catalog)
	}

	all = append(append(all, l.secrets...), l.neighbours...)
	for _, other := range *l.labs {
		for _, name := range slices.Sorted(maps.Keys(other.observed)) {
			all = append(all, other.observed[name])
		}
	}

	out := &fnv1.Resources{}

	for _, o := range all {
		meta := object(o["metadata"])
		fits := o["apiVersion"] == sel.GetApiVersion() && o["kind"] == sel.GetKind() &&
			(sel.GetMatchName() == "" || meta["name"] == sel.GetMatchName()) && (sel.Namespace == nil || meta["namespace"] == sel.GetNamespace())

		for k, v := range sel.GetMatchLabels().GetLabels() {
			fits = fits && object(meta["labels"])[k] == v
		}

		if fits {
			out.Items = append(out.Items, &fnv1.Resource{Resource: toStruct(l.t, o)})
		}
	}

	return out
}

// turn lets function, Crossplane and provider work once, one after the other.
func (l *lab) turn() *fnv1.RunFunctionResponse {
	l.t.Helper()

	rsp := l.call()
	if msg := fatal(rsp); msg != "" {
		l.t.Fatalf("fatal result: %s", msg)
	}

	l.obey(rsp)
	l.work()

	return rsp
}

// rest lets all machines take turns until nothing changes, and returns this one's last answer.
func (l *lab) rest() *fnv1.RunFunctionResponse {
	l.t.Helper()

	for range 25 {
		before := l.snapshot()

		for _, other := range *l.labs {
			other.turn()
		}

		if reflect.DeepEqual(before, l.snapshot()) {
			return l.turn()
		}
	}

	l.t.Fatalf("no end of changes; in Proxmox: %s", strings.Join(l.pve.done, ", "))

	return nil
}

// snapshot of all that there is but the answers.
func (l *lab) snapshot() any {
	all := []any{l.pve.report()}
	for _, other := range *l.labs {
		all = append(all, other.observed, other.composite["status"])
	}

	return runtimeCopy(all)
}

// obey applies an answer as Crossplane does. What becomes of something that is left out its policies say.
func (l *lab) obey(rsp *fnv1.RunFunctionResponse) {
	l.t.Helper()

	before := l.observed
	l.apply(rsp)

	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := l.observed[name]; !stays {
			l.drop(name, before[name])
			delete(l.born, name)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(l.observed)) {
		if _, known := l.born[name]; !known {
			l.pve.clock++
			l.born[name] = fmt.Sprintf("2026-01-01T%02d:%02d:00Z", l.pve.clock/60, l.pve.clock%60)
		}

		object(l.observed[name]["metadata"])["creationTimestamp"] = l.born[name]
	}

	l.pve.lostSnippets()
}

// leave deletes the machine's claim.
func (l *lab) leave() {
	l.t.Helper()

	for _, name := range slices.Sorted(maps.Keys(l.observed)) {
		l.drop(name, l.observed[name])
	}

	*l.labs = slices.DeleteFunc(*l.labs, func(other *lab) bool { return other == l })
}
