package fake

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestRemembered: a function is asked again for another request, whatever it differs in, and an answer that somebody changed is nobody else's.
func TestRemembered(t *testing.T) {
	request := func(text string) *fnv1.RunFunctionRequest {
		of := func(part string) *fnv1.Resource {
			return &fnv1.Resource{Resource: world.Struct(t, world.FromYAML(t, part))}
		}

		return &fnv1.RunFunctionRequest{
			Input:             world.Struct(t, world.FromYAML(t, text)),
			Observed:          &fnv1.State{Composite: of("a: {b: [1, x, true, null]}"), Resources: map[string]*fnv1.Resource{"vm": of("c: 1"), "image": of("c: 2")}},
			RequiredResources: map[string]*fnv1.Resources{"catalogue": {Items: []*fnv1.Resource{of("d: 1"), of("d: 2")}}},
		}
	}

	requests := map[string]*fnv1.RunFunctionRequest{}
	for name, edit := range map[string]func(*fnv1.RunFunctionRequest){
		"Same":      func(*fnv1.RunFunctionRequest) {},
		"Tag":       func(r *fnv1.RunFunctionRequest) { r.Meta = &fnv1.RequestMeta{Tag: "other"} },
		"Input":     func(r *fnv1.RunFunctionRequest) { r.Input = world.Struct(t, map[string]any{"x": "2"}) },
		"Composite": func(r *fnv1.RunFunctionRequest) { r.Observed.Composite.Ready = fnv1.Ready_READY_TRUE },
		"Swapped": func(r *fnv1.RunFunctionRequest) {
			o := r.GetObserved().GetResources()
			o["vm"], o["image"] = o["image"], o["vm"]
		},
		"Order": func(r *fnv1.RunFunctionRequest) {
			items := r.GetRequiredResources()["catalogue"].GetItems()
			items[0], items[1] = items[1], items[0]
		},
		"Fewer":    func(r *fnv1.RunFunctionRequest) { delete(r.GetObserved().GetResources(), "vm") },
		"NotThere": func(r *fnv1.RunFunctionRequest) { r.RequiredResources["token"] = &fnv1.Resources{} },
		"ListOrder": func(r *fnv1.RunFunctionRequest) {
			r.Observed.Composite.Resource = world.Struct(t, world.FromYAML(t, "a: {b: [x, 1, true, null]}"))
		},
	} {
		r := request("x: 1")
		edit(r)
		requests[name] = r
	}

	names := map[*fnv1.RunFunctionRequest]string{}
	for name, r := range requests {
		names[r] = name
	}

	calls := 0
	f := Remembered(len(requests), func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		calls++

		return &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Message: names[req]}}}
	})

	for range 10 {
		for name, r := range requests {
			rsp := f(r)
			if got := rsp.GetResults()[0].GetMessage(); got != name {
				t.Fatalf("%s: got the answer of another request, or one that somebody changed: %q", name, got)
			}

			rsp.Results[0].Message = "changed"
		}
	}

	if n := len(requests); calls < n || calls > 2*n {
		t.Errorf("asked %d times, want once or twice for each of %d requests", calls, n)
	}
}
