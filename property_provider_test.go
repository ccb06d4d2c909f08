package main

import (
	"reflect"
	"sync"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// ask the function as Crossplane does: until it asks for nothing more.
func ask(t testing.TB, w *world) *fnv1.RunFunctionResponse {
	t.Helper()

	req := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "test"},
		Input:    message(t, w.input),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: message(t, w.composite)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{
			catalogRequirement: {Items: []*fnv1.Resource{{Resource: constant(t, w.catalog)}}}, tokenRequirement: {},
		},
	}

	for _, s := range w.secrets {
		req.RequiredResources[tokenRequirement].Items = append(req.RequiredResources[tokenRequirement].Items, &fnv1.Resource{Resource: constant(t, s)})
	}

	for name, o := range w.observed {
		req.Observed.Resources[name] = &fnv1.Resource{Resource: message(t, o)}
	}

	var others []*fnv1.Resource
	for _, o := range w.neighbours {
		others = append(others, &fnv1.Resource{Resource: constant(t, o)})
	}

	return callUntilAnswered(t, req, others...)
}

// message of an object that holds nothing but JSON values, which is faster than the way over text that world.request takes.
func message(t testing.TB, o map[string]any) *structpb.Struct {
	t.Helper()

	s, err := structpb.NewStruct(o)
	if err != nil {
		t.Error(err)
	}

	return s
}

// constants are the messages of objects that nobody changes, by where they are in memory.
var constants sync.Map

func constant(t testing.TB, o map[string]any) *structpb.Struct {
	t.Helper()

	s, _ := constants.LoadOrStore(reflect.ValueOf(o).Pointer(), sync.OnceValue(func() *structpb.Struct { return message(t, o) }))

	return s.(func() *structpb.Struct)()
}
