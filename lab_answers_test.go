package main

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// desired is what is desired of one composed resource; nil where it is left out.
func desired(rsp *fnv1.RunFunctionResponse, name string) map[string]any {
	r, ok := rsp.GetDesired().GetResources()[name]
	if !ok {
		return nil
	}

	return r.GetResource().AsMap()
}

// forProvider of a composed resource.
func forProvider(rsp *fnv1.RunFunctionResponse, name string) map[string]any {
	return object(object(desired(rsp, name)["spec"])["forProvider"])
}

// only what the edit changes may differ between two answers.
func (l *lab) only(before, after *fnv1.RunFunctionResponse, edit func(d map[string]*fnv1.Resource)) {
	l.t.Helper()

	want := proto.CloneOf(before.GetDesired())
	if edit != nil {
		edit(want.GetResources())
	}

	if diff := cmp.Diff(plainly(want.GetResources()), plainly(after.GetDesired().GetResources())); diff != "" {
		l.t.Errorf("desired resources: -want, +got:\n%s", diff)
	}
}

// plainly are desired resources without their readiness.
func plainly(all map[string]*fnv1.Resource) map[string]map[string]any {
	out := make(map[string]map[string]any, len(all))
	for name, r := range all {
		out[name] = r.GetResource().AsMap()
	}

	return out
}

// set a field of a manifest, by its path.
func set(d map[string]*fnv1.Resource, name string, value any, path ...string) {
	r, ok := d[name]
	if !ok {
		panic("no resource " + name)
	}

	m := r.GetResource().AsMap()

	at := m
	for _, p := range path[:len(path)-1] {
		if _, ok := at[p]; !ok {
			at[p] = map[string]any{}
		}

		at = at[p].(map[string]any)
	}

	if last := path[len(path)-1]; value == nil {
		delete(at, last)
	} else {
		at[last] = value
	}

	s, err := structpb.NewStruct(m)
	if err != nil {
		panic(err)
	}

	r.Resource = s
}

// says holds the reasons of conditions, by type.
func (l *lab) says(rsp *fnv1.RunFunctionResponse, want map[string]string) {
	l.t.Helper()

	for typ, reasonWanted := range want {
		if got := reason(rsp, typ); got != reasonWanted {
			l.t.Errorf("%s: want reason %s, got %s: %s", typ, reasonWanted, got, messageOf(rsp, typ))
		}
	}
}

func messageOf(rsp *fnv1.RunFunctionResponse, typ string) string {
	for _, c := range rsp.GetConditions() {
		if c.GetType() == typ {
			return c.GetMessage()
		}
	}

	return ""
}

// statusOf is the composite's status in an answer.
func statusOf(rsp *fnv1.RunFunctionResponse) map[string]any {
	return object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"])
}

// annotationsOf a desired resource that are ours.
func annotationsOf(rsp *fnv1.RunFunctionResponse, name string) map[string]any {
	return object(object(desired(rsp, name)["metadata"])["annotations"])
}

// vmNames of an answer, sorted: the first VM before those that take its place.
func vmNames(rsp *fnv1.RunFunctionResponse) []string {
	var out []string

	for name, r := range rsp.GetDesired().GetResources() {
		if proxmox.KindOf(r.GetResource()) == proxmox.VMKind {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}
