package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A recorder keeps all that is logged.
type recorder struct {
	logging.Logger

	mu    *sync.Mutex
	lines *[]string
}

func (r recorder) write(message string, values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()

	*r.lines = append(*r.lines, message+" "+fmt.Sprint(values...))
}

func (r recorder) Info(message string, values ...any)  { r.write(message, values...) }
func (r recorder) Debug(message string, values ...any) { r.write(message, values...) }

// TestLogHasNoSecret: the log has no part of a Secret that Crossplane sends, whatever becomes of the call.
func TestLogHasNoSecret(t *testing.T) {
	const secret = "hunter2hunter2hunter2"

	request := func() *fnv1.RunFunctionRequest {
		m := fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0])
		fake.NewCluster(t, compose.Answer).Add(m)

		req := m.Request()
		req.ExtraResources = map[string]*fnv1.Resources{"token": {Items: []*fnv1.Resource{{Resource: world.Struct(t, map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "k3s-join-token"}, "data": map[string]any{"token": secret},
		})}}}}
		req.RequiredResources = req.GetExtraResources()

		return req
	}

	cases := map[string]struct {
		reason string
		answer world.Function
	}{
		"Answers": {reason: "An ordinary call.", answer: compose.Answer},
		"PanicsWithIt": {
			reason: "A fault of this program whose words hold what it was at.",
			answer: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { panic(req.String() + secret) },
		},
		"PanicsBelow": {
			reason: "The stack has calls with the request and with text among their arguments.",
			answer: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return breaks(req, secret) },
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			log := recorder{logging.NewNopLogger(), &sync.Mutex{}, &[]string{}}
			f := NewFunction(log)
			f.answer = tc.answer

			if _, err := f.RunFunction(t.Context(), request()); err != nil {
				t.Fatal(err)
			}

			if len(*log.lines) == 0 {
				t.Error("nothing is logged, so that nothing is shown")
			}

			if all := strings.Join(*log.lines, "\n"); strings.Contains(all, "hunter2") {
				t.Errorf("%s\n%s", tc.reason, all)
			}
		})
	}
}

//go:noinline
func breaks(req *fnv1.RunFunctionRequest, text string) *fnv1.RunFunctionResponse {
	_ = text[len(req.GetMeta().GetTag())+len(text):][1:] // It panics.

	return nil
}
