package observe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// FuzzMachine finds any JSON as the VM, a snippet and an image: nothing may panic, the same request gives the same answer,
// and a second run has nothing to tell.
func FuzzMachine(f *testing.F) {
	for _, document := range []string{vmRunning, imageThere} {
		_, content, _ := strings.Cut(document, "\n")

		b, err := yaml.YAMLToJSON([]byte(content))
		if err != nil {
			f.Fatal(err)
		}

		f.Add(string(b), true)
	}

	f.Add(`{"kind":"EnvironmentVM","status":{"atProvider":{"id":"153","started":true,"macAddresses":[null,""],"ipv4Addresses":[null,[null]],"networkDevice":[null]}}}`, true)
	f.Add(`{"kind":"EnvironmentVM","status":{"conditions":[{"type":"Ready","status":"False"},{"type":"LastAsyncOperation","status":"False"}]}}`, false)
	f.Add(`{"kind":"EnvironmentFile","status":null}`, false)

	f.Fuzz(func(t *testing.T, content string, agent bool) {
		read := func() (proxmox.State, bool) {
			object := &structpb.Struct{}
			if protojson.Unmarshal([]byte(content), object) != nil {
				return proxmox.State{}, false
			}

			s, err := proxmox.ReadState(map[string]*structpb.Struct{render.VMName: object, userData: object, image: object})

			return s, err == nil
		}

		state, ok := read()
		if !ok {
			return
		}

		in := dns01()
		in.Rendered.GuestAgent, in.State = agent, state
		first := Machine(in)

		for name := range in.Rendered.Manifests {
			if _, ok := first.Ready[name]; !ok {
				t.Errorf("nothing is said of %s", name)
			}
		}

		in.State, _ = read()
		if diff := cmp.Diff(first, Machine(in)); diff != "" {
			t.Errorf("the same request has another answer: -first, +second:\n%s", diff)
		}

		in.Previous = after(first)
		if events := Machine(in).Events; len(events) > 0 {
			t.Errorf("a run without a change has events: %v", events)
		}
	})
}
