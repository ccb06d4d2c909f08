package status

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// moments are those in which a machine may be found, whatever is found.
var moments = []func(*Input){
	func(*Input) {},
	func(in *Input) {
		in.Plan.Check = &lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeTaken, Name: "nas", Node: "pve2"}
	},
	func(in *Input) { in.Plan.Check = &lifecycle.VMIDCheck{VMID: 153, Outcome: lifecycle.OutcomeChecking} },
	func(in *Input) { a := plan(nil); in.Plan.Adoption, in.Plan.Adopted = &a, true },
	func(in *Input) { in.Plan.Adopted = true },
	func(in *Input) {
		in.Plan.Pending, in.Plan.Restarting = pending, true
		in.wants(false)
	},
	func(in *Input) {
		in.Plan.Replacement = &lifecycle.Replacement{Trigger: "2", Stage: lifecycle.StageMaking, Old: lifecycle.FirstVM, New: next, Stopped: true}
		in.wants(false)
		in.Desired.VMs[next] = in.Desired.VMs[lifecycle.FirstVM]
	},
	func(in *Input) {
		in.Plan.Roles.Active, in.Plan.Replacement = next, &lifecycle.Replacement{Trigger: "2", Stage: lifecycle.StageRetiring, Old: lifecycle.FirstVM, New: next, Stopped: true}
		in.Desired.VMs[next] = in.Desired.VMs[lifecycle.FirstVM]
	},
	func(in *Input) {
		in.Paused = map[string]string{lifecycle.FirstVM: "render.invalid", userData: "no.such", image: "image.extension"}
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
		in.agent(agent)
		in.State = state
		moments[int(moment)%len(moments)](&in)
		first := Machine(in)

		for _, name := range slices.Concat(slices.Collect(maps.Keys(in.Desired.VMs)), slices.Collect(maps.Keys(in.Desired.Files)), slices.Collect(maps.Keys(in.Desired.DownloadFiles))) {
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
