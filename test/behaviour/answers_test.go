package behaviour

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// only what the edit changes may differ between two answers.
func (m *machine) only(before, after *fnv1.RunFunctionResponse, edit func(d map[string]*fnv1.Resource)) {
	m.t.Helper()

	want := proto.CloneOf(before.GetDesired())
	if edit != nil {
		edit(want.GetResources())
	}

	if diff := cmp.Diff(plainly(want.GetResources()), plainly(after.GetDesired().GetResources())); diff != "" {
		m.t.Errorf("desired resources: -want, +got:\n%s", diff)
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
func (m *machine) says(rsp *fnv1.RunFunctionResponse, want map[string]string) {
	m.t.Helper()

	for typ, reasonWanted := range want {
		if got := world.Reason(rsp, typ); got != reasonWanted {
			m.t.Errorf("%s: want reason %s, got %s: %s", typ, reasonWanted, got, world.Message(rsp, typ))
		}
	}
}

// later are the names of the VMs of an answer that took, or are to take, the place of another.
func later(rsp *fnv1.RunFunctionResponse) []string {
	return slices.DeleteFunc(world.VMNames(rsp), func(name string) bool { return name == "vm" })
}

// newOnes are the composed resources of an answer that were not in an earlier one, sorted.
func newOnes(before, after *fnv1.RunFunctionResponse) []string {
	return slices.DeleteFunc(world.Names(after), func(name string) bool { return slices.Contains(world.Names(before), name) })
}

// drop composed resources.
func drop(d map[string]*fnv1.Resource, gone ...string) {
	for _, name := range gone {
		delete(d, name)
	}
}

// stems are names without their hashes.
func stems(names []string) []string {
	out := []string{}
	for _, n := range names {
		out = append(out, world.Stem(n))
	}

	return out
}

// snippetsOf are the composed resources of the snippets that a VM reads, sorted.
func snippetsOf(rsp *fnv1.RunFunctionResponse, vm string) []string {
	var out []string

	init := world.Object(world.List(world.ForProvider(rsp, vm)["initialization"])[0])

	for _, name := range world.Names(rsp) {
		if world.Desired(rsp, name)["kind"] != world.FileKind {
			continue
		}

		p := world.ForProvider(rsp, name)
		id := p["datastoreId"].(string) + ":snippets/" + world.Object(world.List(p["sourceRaw"])[0])["fileName"].(string)

		if id == init["userDataFileId"] || id == init["metaDataFileId"] {
			out = append(out, name)
		}
	}

	return out
}
