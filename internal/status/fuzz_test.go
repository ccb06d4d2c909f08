package status

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

// moments are those in which a machine may be found, whatever is found.
var moments = []func(*render.Result){
	func(*render.Result) {},
	func(r *render.Result) {
		r.Look = &lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"}
	},
	func(r *render.Result) { r.Look = &lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeChecking} },
	func(r *render.Result) { a := plan(nil); r.Adoption, r.Adopted = &a, true },
	func(r *render.Result) { r.Adopted = true },
	func(r *render.Result) { r.Pending, r.Restarting, r.Wanted = pending, true, false },
	func(r *render.Result) {
		r.Replacement, r.Wanted = &lifecycle.Replacement{Token: "2", Stage: lifecycle.StageMaking, Old: lifecycle.FirstVM, New: next, Stopped: true}, false
		r.Manifests[next] = manifest(proxmox.VMKind)
	},
	func(r *render.Result) {
		r.VM, r.Replacement = next, &lifecycle.Replacement{Token: "2", Stage: lifecycle.StageRetiring, Old: lifecycle.FirstVM, New: next, Stopped: true}
		r.Manifests[next] = manifest(proxmox.VMKind)
	},
	func(r *render.Result) {
		r.Paused = map[string]string{lifecycle.FirstVM: "disk.shrink", userData: "no.such", image: "image.extension"}
	},
}

// FuzzMachine finds any JSON as both VMs, a snippet and an image, in any moment: nothing may panic, the same request gives
// the same answer, and a second run has nothing to tell.
func FuzzMachine(f *testing.F) {
	for _, document := range []string{vmRunning, imageThere} {
		_, content, _ := strings.Cut(document, "\n")

		b, err := yaml.YAMLToJSON([]byte(content))
		if err != nil {
			f.Fatal(err)
		}

		for i := range moments {
			f.Add(string(b), true, uint8(i))
		}
	}

	f.Add(`{"kind":"EnvironmentVM","status":{"atProvider":{"id":"153","started":true,"macAddresses":[null,""],"ipv4Addresses":[null,[null]],"networkDevice":[null]}}}`, true, uint8(0))
	f.Add(`{"kind":"EnvironmentVM","status":{"conditions":[{"type":"Ready","status":"False"},{"type":"LastAsyncOperation","status":"False"}]}}`, false, uint8(3))
	f.Add(`{"kind":"EnvironmentFile","status":null}`, false, uint8(8))

	f.Fuzz(func(t *testing.T, content string, agent bool, moment uint8) {
		read := func() (proxmox.State, bool) {
			object := &structpb.Struct{}
			if protojson.Unmarshal([]byte(content), object) != nil {
				return proxmox.State{}, false
			}

			s, err := proxmox.ReadState(map[string]*structpb.Struct{lifecycle.FirstVM: object, next: object, userData: object, image: object})

			return s, err == nil
		}

		state, ok := read()
		if !ok {
			return
		}

		in := dns01()
		in.Rendered.GuestAgent, in.State = agent, state
		moments[int(moment)%len(moments)](&in.Rendered)
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
